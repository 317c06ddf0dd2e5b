/* history.h - reading all submissions and all generations once, for a history. */
#ifndef PINGO__STORE_HISTORY_H
#define PINGO__STORE_HISTORY_H

#include "store/db.h"

/* A submission. */
struct pingo__store_history_workflow {
    int64_t id, graph, submitted_ms;
    const char *user, *name;
};
/* Which submissions: those with greater numbers than after, of [since, until) (0: no end). */
struct pingo__store_history_range {
    int64_t after, since_ms, until_ms;
};
/* By number. */
int pingo__store_history_workflows(DB, const struct pingo__store_history_range *range,
                                   pingo__store_row_fn fn, void *context, ERR);

/* A generation that was made, of each hash the oldest first. */
struct pingo__store_history_made {
    struct pingo_hash hash;
    int64_t compute_ms, size_bytes; /* -1: not known */
};
int pingo__store_history_each_made(DB, pingo__store_row_fn fn, void *context, ERR);

/* A generation that a decision let go and nobody rescued; workflow: that had made it. */
struct pingo__store_history_evicted {
    struct pingo_hash hash;
    int64_t evicted_ms, size_bytes;
    int64_t workflow; /* whose action had made it; 0: unknown */
};
int pingo__store_history_each_evicted(DB, pingo__store_row_fn fn, void *context, ERR);

/* What managed datasets held at any time follows from when each was made and deleted.  A generation that was deleted
 * before the store noted when is left out: it would seem to be there for ever. */

/* The first and the last moment at which something was made or deleted; -1: never. */
struct pingo__store_history_period {
    int64_t first_ms, last_ms;
};
int pingo__store_history_period(DB, struct pingo__store_history_period *period, ERR);
/* Each moment at which bytes came or went, in order of time. */
struct pingo__store_history_held {
    int64_t at_ms, bytes;
};
int pingo__store_history_each_held(DB, pingo__store_row_fn fn, void *context, ERR);

#endif
