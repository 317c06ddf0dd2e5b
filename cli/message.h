/* message.h - what pingo says on standard error, the progress line, and colours.
 *
 * A message is one line "pingo: what is wrong", and where it helps a second
 * "try: what to do next".  Colours and the progress line appear on a terminal only. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <pingo/error.h>

#include "command.h"
#include "view/view.h"

struct cli_args;

/* The escape sequence that begins (or for PINGO__TONE_PLAIN ends) how a tone looks on this stream, or "". */
const char *cli_colour(FILE *stream, enum pingo__view_tone tone);

/* A line on standard error (no newline in format), behind a head in a colour. */
void cli_said(const char *head, enum pingo__view_tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define cli_message(...) cli_said("pingo: ", PINGO__TONE_BAD, __VA_ARGS__)
#define cli_try(...) cli_said("try: ", PINGO__TONE_MARKED, __VA_ARGS__)
/* A plain line; none with --quiet. */
#define cli_note(...) (cli_is_quiet() ? (void)0 : cli_tell(__VA_ARGS__))
/* Likewise, but always: what failed, and how to go on after it. */
#define cli_tell(...) cli_said("", PINGO__TONE_PLAIN, __VA_ARGS__)
/* From now on only what failed is said. */
void cli_be_quiet(void);
bool cli_is_quiet(void);
/* The exit status of a PINGO_E* (or PINGO_OK). */
int cli_exit_of(int code);
/* Says what cli->err says, with a hint by its code, and nothing where a signal was the reason; returns the exit
 * status. */
int cli_error(struct cli *cli);
/* Likewise, of a file or a part that is named so. */
int cli_error_of(struct cli *cli, const char *label);
/* "cannot VERB PATH: why", of an errno; returns the exit status. */
int cli_file_error(const char *verb, const char *path, int error);
/* Wrong usage of a command: says what, and how to learn more; returns CLI_USAGE. */
int cli_usage(const struct cli_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* How to call this program on the same store: "pingo" or "pingo -C DIR".  Borrowed until the next
 * call. */
const char *cli_program(struct cli *cli);

/* Is standard error a terminal on which a progress line makes sense? */
bool cli_has_progress(void);
/* Shows a text as the progress line, over the former one.  Nothing where there is no terminal. */
void cli_progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Takes the progress line away; messages do so by themselves. */
void cli_progress_clear(void);

#endif
