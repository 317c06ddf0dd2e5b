/* failure.h - what an attempt that failed is counted as: a category, and a line that is the same for failures that are
 * alike, though numbers, paths and names of files in it differ.
 *
 * Here, beside what an end makes of states, for it says what an end is; so it is the same whoever settles it.  Pure. */
#ifndef PINGO__RULES_FAILURE_H
#define PINGO__RULES_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/state.h>

enum { PINGO__FAILURE_TEXT = 160, PINGO__FAILURE_LOG = 4096 };

/* How it ended. */
struct pingo__rules_ended {
    int64_t reason;            /* enum pingo_end_reason */
    int64_t exit_code, signal; /* where the reason has one */
    bool is_success;           /* it left an output that can be kept */
    bool was_asked;            /* for its kill */
    const char *input;         /* what is said of an input that changed or has gone; NULL */
    const char *message;       /* what was said of the end; "" */
    const char *log;           /* the end of its stderr, where that could be read; "" */
};
struct pingo__rules_failure {
    enum pingo_failure_category category; /* 0: it is none */
    int64_t reason, exit_code, signal;    /* -1: it has none */
    char text[PINGO__FAILURE_TEXT + 1]; /* UTF-8 without what a terminal obeys; never "" of a failure */
};
void pingo__rules_failure_of(const struct pingo__rules_ended *ended,
                             struct pingo__rules_failure *failure);
/* A line, which a NUL or a line's end follows, without what differs from one failure to the next of its kind. */
void pingo__rules_failure_normalise(const char *line, size_t n, char text[PINGO__FAILURE_TEXT + 1]);

#endif
