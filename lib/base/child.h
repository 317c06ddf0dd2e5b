/* child.h - a program that is run beside us: what it says is kept until it has ended.  Nothing here waits. */
#ifndef PINGO__BASE_CHILD_H
#define PINGO__BASE_CHILD_H

#include "base/buffer.h"
#include "base/error.h"

struct pingo__child;

struct pingo__child_program {
    const char *const *argv; /* argv[0] is looked up on our PATH */
    const char *const *env;  /* NULL: ours */
    const char *in;          /* its standard input; NULL: nothing */
    int64_t limit_ms;
    size_t keep_bytes; /* of all that it says on a stream so much of the end is kept; 0: all */
};
int pingo__child_start(const struct pingo__child_program *program, struct pingo__child **child,
                       struct pingo_error *err);
/* Readable when it has ended. */
int pingo__child_fd(const struct pingo__child *child);
/* Has it ended, be it for its time?  What it said and is not kept is given back now.  *status: its exit status; -1: a
 * signal, or unknown. */
bool pingo__child_has_ended(struct pingo__child *child, int *status);
/* Standard output, or standard error, from its beginning, at most max bytes; look whether b failed. */
void pingo__child_said(const struct pingo__child *child, bool errors, size_t max,
                       struct pingo__buffer *b);
/* The same of its end: the last lines, of max bytes at most, or of one that is longer its end. */
void pingo__child_said_last(const struct pingo__child *child, bool errors, size_t max,
                            struct pingo__buffer *b);
/* Kills what still runs.  NULL is allowed. */
void pingo__child_free(struct pingo__child *child);

#endif
