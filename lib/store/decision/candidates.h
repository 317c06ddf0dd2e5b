/* candidates.h - which datasets a decision may not take, and which leaves have become old. */
#ifndef PINGO__STORE_CANDIDATES_H
#define PINGO__STORE_CANDIDATES_H

#include "store/db.h"

struct pingo__store_candidate {
    int64_t dataset, generation;
    struct pingo_hash hash;
};
/* STORED ones that are pinned, claimed, or read by somebody, or whose bytes another generation keeps (they would
 * free nothing): looks at the pins, the claims and those that share, not at all datasets. */
int pingo__store_candidate_each_held(struct pingo__store_db *db, pingo__store_row_fn fn,
                                     void *context, struct pingo_error *err);
/* Do its bytes stay when it goes, since another generation keeps them? */
int pingo__store_candidate_is_kept(struct pingo__store_db *db, int64_t dataset, bool *kept,
                                   struct pingo_error *err);
/* Leaves that were used last before a time: not pinned, claimed or unmanaged. */
int pingo__store_candidate_each_old_leaf(struct pingo__store_db *db, int64_t before_ms,
                                         pingo__store_row_fn fn, void *context,
                                         struct pingo_error *err);

/* What is on its way out and not held up: neither claimed nor read, nor found to be undeletable. */
int pingo__store_candidate_leaving(struct pingo__store_db *db, int64_t *bytes,
                                   struct pingo_error *err);
/* How many claims there are. */
int pingo__store_candidate_count_claims(struct pingo__store_db *db, int64_t *n,
                                        struct pingo_error *err);

#endif
