/* dataset_query.h - which datasets, in which order, and what else there is to tell of one.
 *
 * For people who look at them; the managers read rows with datasets.h.  Nothing
 * here writes. */
#ifndef PINGO__STORE_DATASET_QUERY_H
#define PINGO__STORE_DATASET_QUERY_H

#include "store/graph.h"

/* Calls fn with each hash that a submission mentions which is by this user (NULL: by anybody), has this number
 * (0: any) and is of a workflow of this name (NULL: any), perhaps more than once. */
int pingo__store_workflow_each_hash(struct pingo__store_db *db, const char *user, int64_t workflow,
                                    const char *name, pingo__store_hash_fn fn, void *context,
                                    struct pingo_error *err);

/* The names of the workflows that were submitted, the newest first, up to limit; in the arena. */
int pingo__store_workflow_names(struct pingo__store_db *db, size_t limit, struct pingo__arena *arena,
                                const char ***names, size_t *n, struct pingo_error *err);

/* A generation, and where it stands in an order: by key, or text where the order has words; then by age. */
struct pingo__store_dataset_found {
    int64_t id, generation, last_used_ms;
    struct pingo_hash hash;
    int64_t key;      /* of the order; 0 */
    const char *text; /* likewise; "" */
    const char *name; /* of the action that made it or will, where the query has names; else NULL */
};
/* Calls fn for each generation that the query asks for by all, states, sizes and times, in its order (by
 * value: as by age), until it returns other than 0, which is returned.  Its other members are not looked at. */
typedef int (*pingo__store_dataset_found_fn)(void *context,
                                             const struct pingo__store_dataset_found *found,
                                             struct pingo_error *err);
int pingo__store_dataset_each_found(struct pingo__store_db *db,
                                    const struct pingo_dataset_query *query,
                                    pingo__store_dataset_found_fn fn, void *context,
                                    struct pingo_error *err);

/* What the row of a generation does not say itself; texts in the arena. */
struct pingo__store_dataset_more {
    int64_t compute_ms; /* mean over all generations; -1 */
    int64_t claims;
    bool differed;    /* there were generations with different content */
    const char *name; /* of the action that made it or will; "" */
    const char *user; /* "" */
    int64_t workflow; /* 0 */
    const char *const *labels;
    size_t nlabels;
};
int pingo__store_dataset_more(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                              struct pingo__store_dataset_more *more, struct pingo_error *err);

#endif
