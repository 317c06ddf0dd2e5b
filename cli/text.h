/* text.h - numbers, times and strings as people read them.  Nothing here looks at the locale. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pingo/digest.h>

#include "base/text.h"
#include "base/times.h"
#include "base/units.h"
#include "base/world.h"
#include "view/view.h"

/* A time of RFC 3339, a day alone (midnight UTC), or how long ago, as a duration.  Never 0. */
bool cli_parse_time(const char *text, int64_t *time_ms);

#define CLI_SHORT_HASH 13
/* The first 12 hex digits. */
void cli_short_hash(char out[CLI_SHORT_HASH], const struct pingo_hash *hash);

/* A copy fit for a terminal, as pingo__text_clean() makes it, of at most 63 bytes; borrowed until the fourth call after
 * this one. */
const char *cli_shown(const char *text);
/* A copy of the first length bytes, cut to size. */
void cli_cut(char *out, size_t size, const char *text, size_t length);
/* Prints text likewise, whole. */
void cli_print_clean(FILE *out, const char *text);
/* Prints a path or other data that programs read: as it is, but likewise on a terminal. */
void cli_print_data(FILE *out, const char *text);
/* Prints what a command said, whatever it is, for a terminal: likewise, but lines and tabs stay, a carriage return is
 * a space. */
void cli_print_lines(FILE *out, const char *bytes, size_t n);
/* The same to standard output; as it is, where that is no terminal. */
void cli_print_said(const char *bytes, size_t n);
/* Of bytes that were read, so many as end with a whole character; at least 1. */
size_t cli_whole_characters(const char *bytes, size_t n);
/* Prints text and pads it with spaces to width characters. */
void cli_pad(FILE *out, const char *text, int width);

/* A variable of the environment; NULL where there is none, or nothing in it. */
const char *cli_environment(const char *name);
/* The working directory; NULL: it is not known. */
const char *cli_here(void);
/* A path as one reads it here: without the working directory's part.  Borrowed from path. */
const char *cli_path_here(const char *path);

struct cli_input_name {
    char text[65]; /* 64 characters at most */
};
/* Of each path its last part made fit for in/NAME: other characters become '_', and "-2", "-3", ... is added where two
 * would be named alike.  They stay until the end. */
struct cli_input_name *cli_input_names(const char *const *paths, size_t n);

/* Memory that is there, zeroed: the program ends with status 9 where there is none.  It stays until the end: free()
 * what may be much, or is asked for again and again. */
void *cli_alloc(size_t size);
/* Keeps what the library gave, too; NULL stays NULL. */
void *cli_own(void *memory);
void *cli_grow(void *memory, size_t size);
/* Room for one more element behind n in a list that grows by this function alone. */
void *cli_more(void *list, size_t n, size_t size);
char *cli_take(struct pingo__buffer *b); /* as pingo__buffer_take() */
char *cli_word(const char *text);        /* as a word for a shell */
char *cli_copy(const char *text);        /* NULL stays NULL */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cli_vformat(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
/* The same behind a text of this kind, or NULL. */
void cli_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
