/* dataset_query.h - which datasets, in which order, and what else there is to tell of one.
 *
 * For people who look at them; the managers read rows with datasets.h.  Nothing
 * here writes. */
#ifndef PINGO__STORE_DATASET_QUERY_H
#define PINGO__STORE_DATASET_QUERY_H

#include "store/db.h"

/* Is there a submission which the query asks for by user, workflow and workflow_name? */
int pingo__store_workflow_is_any(DB, const struct pingo_dataset_query *query, bool *is, ERR);

/* The names of the workflows that were submitted, the newest first, up to limit. */
static inline PINGO__LIST(
    pingo__store_workflow_names(DB, size_t limit, struct pingo__store_text_list *list, ERR),
    pingo__store_texts, list,
    "SELECT 0, name FROM document GROUP BY name ORDER BY max(id) DESC LIMIT ?", INT(limit));

/* Do these submissions have so many of the store's hashes that each dataset is better asked whether it is one of
 * theirs? */
int pingo__store_dataset_of_many(DB, const struct pingo_dataset_query *query, bool *is, ERR);
/* Their hashes, some more than once. */
int pingo__store_dataset_each_hash(DB, const struct pingo_dataset_query *query,
                                   const struct pingo__store_each *each, ERR);

/* A generation, and where it stands in an order: by key, or text where the order has words; then by
 * age, and by id, the newest first. */
struct pingo__store_dataset_found {
    int64_t id, last_used_ms;
    struct pingo_hash hash;
    int64_t key;      /* of the order; 0 */
    const char *text; /* likewise; "" */
    const char *name; /* of the action that made it or will, where the query has names; else NULL */
};
/* Each generation that the query asks for by all, states, sizes, times, user, workflow, workflow_name and maker, in its
 * order (by value: as by age).  Its other members are not looked at, but of one name that few have those alone are told
 * that may be meant.  from: NULL, or a last_used_ms as in a row (-1: never): in the order of age those are left out,
 * where there may be many, that were used later. */
int pingo__store_dataset_each_found(struct pingo__store_db *db,
                                    const struct pingo_dataset_query *query, const int64_t *from,
                                    const struct pingo__store_each *each, struct pingo_error *err);

/* All that there is to tell of a generation, but for value_ms, and with its path as its row has it; texts in the arena.
 * status->generation 0: there is none. */
int pingo__store_dataset_status(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                                struct pingo_dataset_status *status, struct pingo_error *err);

#endif
