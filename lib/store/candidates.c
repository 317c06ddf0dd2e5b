/* candidates.c - see candidates.h. */
#include "store/candidates.h"
#include "rules/states.h"

#define CLAIMED(d)                                                                                 \
    "EXISTS (SELECT 1 FROM claim WHERE dataset = " d ".id UNION ALL SELECT 1 FROM hold WHERE"      \
    " dataset = " d ".id)"
/* Generations that have the bytes of d. */
#define SHARERS " FROM dataset e WHERE e.object = d.object AND e.shared = 1 AND e.id <> d.id AND "
/* As long as e stays, d frees nothing. */
#define KEEPS                                                                                      \
    "(e.state = " DATASET_LEAF " OR (e.state = " DATASET_STORED                                    \
    " AND e.pinned = 1) OR (e.state <> " DATASET_DELETED " AND " CLAIMED("e") "))"

static int each(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                pingo__store_candidate_fn fn, void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__store_db_select(db, sql, &stmt, err);
    while (!rc && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo_hash hash;
        pingo__store_column_hash(stmt, 1, &hash);
        rc = fn(context, sqlite3_column_int64(stmt, 0), &hash, sqlite3_column_int64(stmt, 2), err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__store_candidate_each_held(struct pingo__store_db *db, pingo__store_candidate_fn fn,
                                     void *context, struct pingo_error *err)
{
    return each(db,
                SQL("SELECT id, hash, generation FROM dataset WHERE pinned = 1 AND"
                    " state = " DATASET_STORED " AND managed = 1 UNION ALL"
                    " SELECT d.id, d.hash, d.generation FROM dataset d WHERE d.id IN"
                    " (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"
                    " AND d.pinned = 0 AND d.state = " DATASET_STORED " AND d.managed = 1 UNION ALL"
                    " SELECT d.id, d.hash, d.generation FROM dataset d INDEXED BY dataset_shared"
                    " WHERE d.shared = 1 AND d.state = " DATASET_STORED
                    " AND EXISTS (SELECT 1" SHARERS KEEPS ")",
                    NONE),
                fn, context, err);
}

int pingo__store_candidate_is_kept(struct pingo__store_db *db, int64_t dataset, bool *kept,
                                   struct pingo_error *err)
{
    int64_t n = 0;
    int rc = pingo__db_int(db, err, &n,
                           "SELECT count(*) FROM dataset d WHERE d.id = ? AND d.shared = 1 AND"
                           " EXISTS (SELECT 1" SHARERS KEEPS ")",
                           INT(dataset));
    *kept = n > 0;
    return rc < 0 ? rc : 0;
}

int pingo__store_candidate_each_old_leaf(struct pingo__store_db *db, int64_t before_ms,
                                         pingo__store_candidate_fn fn, void *context,
                                         struct pingo_error *err)
{
    return each(db,
                SQL("SELECT d.id, d.hash, d.generation FROM dataset d WHERE d.state = " DATASET_LEAF
                    " AND d.last_used_ms < ? AND d.pinned = 0 AND d.managed = 1 AND"
                    " NOT " CLAIMED("d") " ORDER BY d.last_used_ms, d.id",
                    INT(before_ms)),
                fn, context, err);
}

int pingo__store_candidate_leaving(struct pingo__store_db *db, int64_t *bytes,
                                   struct pingo_error *err)
{
    *bytes = 0;
    int rc = pingo__db_int(
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
    return rc < 0 ? rc : 0;
}

int pingo__store_candidate_count_claims(struct pingo__store_db *db, int64_t *n,
                                        struct pingo_error *err)
{
    int rc = pingo__db_int(db, err, n, "SELECT count(*) FROM claim", NONE);
    return rc < 0 ? rc : 0;
}
