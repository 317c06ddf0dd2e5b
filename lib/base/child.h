/* child.h - a program that is run beside us: what it says is kept until it has ended.  Nothing here waits. */
#ifndef PINGO__BASE_CHILD_H
#define PINGO__BASE_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct pingo__child;

struct pingo__child_program {
    const char *const *argv;
    const char *const *env; /* NULL: ours */
    const char *variable; /* NAME=VALUE, besides, or in place of the one of that name in env; NULL: none */
    const char *in; /* its standard input; NULL: nothing */
    int64_t limit_ms;
    size_t keep_bytes; /* of all that it says on a stream so much of the end is kept; 0: all */
    const char *path;  /* NULL: argv[0]; without a slash it is looked up on our PATH */
    int in_file;       /* instead of in, from its beginning; 0: none */
    bool at_root;      /* works in "/" */
    bool in_our_group; /* what ends us from the terminal ends it */
    bool alone;        /* what it has started ends with it */
};
/* 0 or a negative errno. */
int pingo__child_start(const struct pingo__child_program *program, struct pingo__child **child);
/* Readable when it has ended. */
int pingo__child_fd(const struct pingo__child *child);
/* Has it ended, be it for its time?  What it said and is not kept is given back now.  *status: its exit status; the
 * negative number of a signal; PINGO__CHILD_UNKNOWN. */
#define PINGO__CHILD_UNKNOWN INT_MIN
bool pingo__child_has_ended(struct pingo__child *child, int *status);
/* All that it said on its standard output, or standard error. */
size_t pingo__child_length(const struct pingo__child *child, bool errors);
/* Standard output, or standard error, from its beginning, at most max bytes; look whether b failed. */
void pingo__child_said(const struct pingo__child *child, bool errors, size_t max,
                       struct pingo__buffer *b);
/* The same of its end: the last lines, of max bytes at most, or of one that is longer its end. */
void pingo__child_said_last(const struct pingo__child *child, bool errors, size_t max,
                            struct pingo__buffer *b);
/* Kills what still runs.  NULL is allowed. */
void pingo__child_free(struct pingo__child *child);

#endif
