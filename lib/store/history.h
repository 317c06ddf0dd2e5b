/* history.h - reading all submissions and all generations once, for a history. */
#ifndef PINGO__STORE_HISTORY_H
#define PINGO__STORE_HISTORY_H

#include "store/db.h"

/* A submission; texts are borrowed until the callback returns. */
struct pingo__store_history_workflow {
    int64_t id, graph, submitted_ms;
    const char *user, *name;
};
typedef int (*pingo__store_history_workflow_fn)(void *context,
                                                const struct pingo__store_history_workflow *row,
                                                struct pingo_error *err);
/* Which submissions: those with greater numbers than after, of [since, until) (0: no end). */
struct pingo__store_history_range {
    int64_t after, since_ms, until_ms;
};
/* By number; stops at the first other than 0, which it returns. */
int pingo__store_history_workflows(struct pingo__store_db *db,
                                   const struct pingo__store_history_range *range,
                                   pingo__store_history_workflow_fn fn, void *context,
                                   struct pingo_error *err);

/* A generation that was made, of each hash the oldest first; what is not known is -1. */
typedef int (*pingo__store_history_made_fn)(void *context, const struct pingo_hash *hash,
                                            int64_t compute_ms, int64_t size_bytes,
                                            struct pingo_error *err);
int pingo__store_history_made(struct pingo__store_db *db, pingo__store_history_made_fn fn,
                              void *context, struct pingo_error *err);

/* A generation that a decision let go and nobody rescued; workflow: that had made it. */
struct pingo__store_history_evicted {
    struct pingo_hash hash;
    int64_t evicted_ms, size_bytes;
    int64_t workflow; /* whose action had made it; 0: unknown */
};
typedef int (*pingo__store_history_evicted_fn)(void *context,
                                               const struct pingo__store_history_evicted *row,
                                               struct pingo_error *err);
int pingo__store_history_evicted(struct pingo__store_db *db, pingo__store_history_evicted_fn fn,
                                 void *context, struct pingo_error *err);

#endif
