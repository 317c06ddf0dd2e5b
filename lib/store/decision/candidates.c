/* candidates.c - see candidates.h. */
#include "store/decision/candidates.h"

#define CLAIMED(d)                                                                                 \
    "EXISTS (SELECT 1 FROM claim WHERE dataset = " d ".id UNION ALL SELECT 1 FROM hold WHERE"      \
    " dataset = " d ".id)"
/* Generations that have the bytes of d. */
#define SHARERS " FROM dataset e WHERE e.object = d.object AND e.shared = 1 AND e.id <> d.id AND "
/* As long as e stays, d frees nothing. */
#define KEEPS                                                                                      \
    "(e.state = " DATASET_LEAF " OR (e.state = " DATASET_STORED                                    \
    " AND e.pinned = 1) OR (e.state <> " DATASET_DELETED " AND " CLAIMED("e") "))"

/* clang-format off */
#define CANDIDATE(F, T)                                                                            \
    F(T, INT, dataset, "d.id") F(T, HASH, hash, "d.hash") F(T, INT, generation, "d.generation")
/* clang-format on */
PINGO__KIND(candidates, struct pingo__store_candidate, CANDIDATE);
#define SELECT PINGO__SELECT(CANDIDATE) " FROM dataset d "

int pingo__store_candidate_each_held(struct pingo__store_db *db, pingo__store_row_fn fn,
                                     void *context, struct pingo_error *err)
{
    return pingo__db_each(
        db, err, &candidates, fn, context,
        SELECT "WHERE d.pinned = 1 AND d.state = " DATASET_STORED
               " AND d.managed = 1 UNION ALL " SELECT "WHERE d.id IN"
               " (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"
               " AND d.pinned = 0 AND d.state = " DATASET_STORED
               " AND d.managed = 1 UNION ALL " SELECT
               "INDEXED BY dataset_shared WHERE d.shared = 1 AND d.state = " DATASET_STORED
               " AND EXISTS (SELECT 1" SHARERS KEEPS ")",
        NONE);
}

int pingo__store_candidate_is_kept(struct pingo__store_db *db, int64_t dataset, bool *kept,
                                   struct pingo_error *err)
{
    return pingo__db_exists(db, err, kept,
                            "SELECT 1 FROM dataset d WHERE d.id = ? AND d.shared = 1 AND"
                            " EXISTS (SELECT 1" SHARERS KEEPS ")",
                            INT(dataset));
}

int pingo__store_candidate_each_old_leaf(struct pingo__store_db *db, int64_t before_ms,
                                         pingo__store_row_fn fn, void *context,
                                         struct pingo_error *err)
{
    return pingo__db_each(db, err, &candidates, fn, context,
                          SELECT "WHERE d.state = " DATASET_LEAF
                                 " AND d.last_used_ms < ? AND d.pinned = 0 AND d.managed = 1 AND"
                                 " NOT " CLAIMED("d") " ORDER BY d.last_used_ms, d.id",
                          INT(before_ms));
}

int pingo__store_candidate_leaving(struct pingo__store_db *db, int64_t *bytes,
                                   struct pingo_error *err)
{
    *bytes = 0;
    return pingo__db_number(
        db, err, bytes,
        "SELECT sum(o.size_bytes) FROM dataset d CROSS JOIN object o ON o.id = d.object WHERE"
        " " DATASET_IS_LEAVING(
            "d.state") " AND d.managed = 1 AND"
                       " NOT EXISTS (SELECT 1 FROM undeletable u WHERE u.dataset = d.id) AND"
                       " (" DATASET_IS_REMOVING("d.state") " OR NOT " CLAIMED(
                           "d") ") AND (d.shared = 0 OR NOT EXISTS"
                                " (SELECT 1" SHARERS
                                "(" DATASET_IS_KEPT("e.state") " OR (" DATASET_IS_LEAVING(
                                    "e.state") " AND (e.id < d.id"
                                               " OR " CLAIMED("e") ")))))",
        NONE);
}

int pingo__store_candidate_count_claims(struct pingo__store_db *db, int64_t *n,
                                        struct pingo_error *err)
{
    return pingo__db_number(db, err, n, "SELECT count(*) FROM claim", NONE);
}
