/* usage.h - what the pool holds: bytes by state, what keeps them there, and which may not go.
 *
 * The sums change in the transaction in which a state does, so they are of the same moment as the rows, and cost
 * nothing to read.  An object counts once, with the generation that keeps it most: LEAF before STORED before those
 * that are on their way out. */
#ifndef PINGO__STORE_USAGE_H
#define PINGO__STORE_USAGE_H

#include "store/db.h"

struct pingo__store_usage {
    int64_t bytes[PINGO__DATASET_STATES]; /* objects in the pool, by state: STORED to DELETING */
    int64_t ndatasets[PINGO__DATASET_STATES]; /* managed ones */
    int64_t undeletable_bytes; /* of those that are DELETING: they could not be removed */
    int64_t orphan_bytes;      /* no dataset's, and could not be removed */
    int64_t failed_bytes;      /* scratch directories of failed attempts, while they are kept */
};
/* What of the STORED bytes may not go: pinned; claimed or read by somebody, and not pinned. */
struct pingo__store_held {
    int64_t kept_bytes, claimed_bytes;
};
/* held may be NULL: it looks at the claims and the pins, though not at all datasets. */
int pingo__store_usage_read(struct pingo__store_db *db, struct pingo__store_usage *usage,
                            struct pingo__store_held *held, struct pingo_error *err);
/* The bytes in all states of which that holds. */
int64_t pingo__store_usage_of(const struct pingo__store_usage *usage,
                              bool (*holds)(enum pingo_dataset_state state));
/* What so many thousandths of bytes are; 0: all of them. */
int64_t pingo__store_usage_part(int64_t bytes, int64_t thousandths);
/* All of it so; held may be NULL. */
void pingo__store_usage_scale(struct pingo__store_usage *usage, struct pingo__store_held *held,
                              int64_t thousandths);
/* A dataset has gone from a state to another. */
int pingo__store_usage_move(struct pingo__store_db *db, int64_t dataset,
                            enum pingo_dataset_state from, enum pingo_dataset_state to,
                            struct pingo_error *err);
/* Of the STORED bytes those that a decision may let go. */
int64_t pingo__store_usage_candidates(const struct pingo__store_usage *usage,
                                      const struct pingo__store_held *held);
/* What counts against the budget.  Bytes on their way out count as freed. */
int64_t pingo__store_usage_used(const struct pingo__store_usage *usage);

/* A dataset of which a decision is told. */
struct pingo__store_candidate {
    int64_t dataset, generation;
    struct pingo_hash hash;
};
/* STORED ones that are pinned, claimed, or read by somebody, or whose bytes another generation keeps (they would
 * free nothing): looks at the pins, the claims and those that share, not at all datasets. */
int pingo__store_candidate_each_held(DB, pingo__store_row_fn fn, void *context, ERR);
/* Do its bytes stay when it goes, since another generation keeps them? */
int pingo__store_candidate_is_kept(DB, int64_t dataset, bool *kept, ERR);
/* Leaves that were used last before a time: not pinned, claimed or unmanaged. */
int pingo__store_candidate_each_old_leaf(DB, int64_t before_ms, pingo__store_row_fn fn,
                                         void *context, ERR);

/* What is on its way out and not held up: neither claimed nor read, nor found to be undeletable. */
int pingo__store_candidate_leaving(DB, int64_t *bytes, ERR);
/* How many claims there are. */
PINGO__NUMBER(pingo__store_candidate_count_claims(DB, int64_t *n, ERR), n, 0,
              "SELECT count(*) FROM claim", NONE);

#endif
