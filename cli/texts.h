/* texts.h - what the program says at length: made of the pages of section 1, and of files, when it is built
 * (texts.pl). */
#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include "command.h"

/* The help of a command is what its page says. */
struct cli_help {
    const char *command;
    const char *summary;              /* a few words */
    const char *synopsis;             /* what follows "pingo COMMAND" */
    const struct cli_option *options; /* end with one without a name */
    const char *const *lines; /* the whole, which ends with NULL; of pingo: the exit statuses */
};
/* Ends with one without a command: that of a command without a page. */
extern const struct cli_help cli_helps[];

/* The lines of a file; they end with NULL. */
struct cli_file {
    const char *file;
    const char *const *lines;
};
extern const struct cli_file cli_files[]; /* ends with one without a file */

/* args.c */
const struct cli_help *cli_help_of(const char *command);

/* commands/help.c: the help of a command, and the list of all. */
void cli_help_command(struct cli *cli, const struct cli_command *command);
void cli_help_overview(FILE *out);
void cli_text_print(FILE *out, const char *const *lines);

#endif
