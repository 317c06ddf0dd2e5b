/* dataset_query.h - which datasets, in which order, and what else there is to tell of one.
 *
 * For people who look at them; the managers read rows with datasets.h.  Nothing
 * here writes. */
#ifndef PINGO__STORE_DATASET_QUERY_H
#define PINGO__STORE_DATASET_QUERY_H

#include "store/db.h"

/* Each hash that a submission mentions which the query asks for by user, workflow and workflow_name, perhaps more than
 * once. */
int pingo__store_workflow_each_hash(struct pingo__store_db *db,
                                    const struct pingo_dataset_query *query, pingo__store_row_fn fn,
                                    void *context, struct pingo_error *err);

/* The names of the workflows that were submitted, the newest first, up to limit. */
int pingo__store_workflow_names(struct pingo__store_db *db, size_t limit,
                                struct pingo__store_text_list *list, struct pingo_error *err);

/* A generation, and where it stands in an order: by key, or text where the order has words; then by age. */
struct pingo__store_dataset_found {
    int64_t id, generation, last_used_ms;
    struct pingo_hash hash;
    int64_t key;      /* of the order; 0 */
    const char *text; /* likewise; "" */
    const char *name; /* of the action that made it or will, where the query has names; else NULL */
};
/* Each generation that the query asks for by all, states, sizes and times, in its order (by value: as by age).  Its
 * other members are not looked at. */
int pingo__store_dataset_each_found(struct pingo__store_db *db,
                                    const struct pingo_dataset_query *query, pingo__store_row_fn fn,
                                    void *context, struct pingo_error *err);

/* What the row of a generation does not say itself; texts in the arena. */
struct pingo__store_dataset_more {
    int64_t compute_ms; /* mean over all generations; -1 */
    int64_t claims;
    bool differed;            /* there were generations with different content */
    const char *name;         /* of the action that made it or will; "" */
    const char *user;         /* "" */
    int64_t workflow;         /* 0 */
    int64_t node;             /* of the action that made it or will; 0 */
    const char *adopted_from; /* NULL: an action made it, or will */
    bool has_labels;          /* that action: */
    const char *const *labels;
    size_t nlabels;
};
int pingo__store_dataset_more(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                              struct pingo__store_dataset_more *more, struct pingo_error *err);

#endif
