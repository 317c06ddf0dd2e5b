/* candidates.c - see candidates.h. */
#include "store/candidates.h"
#include "rules/states.h"

static int each(struct pingo__db *db, sqlite3_stmt *stmt, pingo__candidate_fn fn, void *context,
                struct pingo_error *err)
{
    int rc;

    while ((rc = pingo__db_step(db, stmt, err)) == 1) {
        struct pingo_hash hash;

        pingo__column_hash(stmt, 1, &hash);
        rc = fn(context, sqlite3_column_int64(stmt, 0), &hash, sqlite3_column_int64(stmt, 2), err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__candidate_each_held(struct pingo__db *db, pingo__candidate_fn fn, void *context,
                               struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT id, hash, generation FROM dataset WHERE pinned = 1 AND"
                             " state = " DATASET_STORED " AND managed = 1 UNION ALL"
                             " SELECT d.id, d.hash, d.generation FROM dataset d WHERE d.id IN"
                             " (SELECT dataset FROM claim UNION SELECT dataset FROM hold)"
                             " AND d.pinned = 0 AND d.state = " DATASET_STORED " AND d.managed = 1",
                             "");

    return rc ? rc : each(db, stmt, fn, context, err);
}

int pingo__candidate_each_old_leaf(struct pingo__db *db, int64_t before_ms, pingo__candidate_fn fn,
                                   void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT d.id, d.hash, d.generation FROM dataset d WHERE d.state = " DATASET_LEAF
        " AND d.last_used_ms < ? AND d.pinned = 0 AND d.managed = 1 AND"
        " NOT EXISTS (SELECT 1 FROM claim c WHERE c.dataset = d.id) AND"
        " NOT EXISTS (SELECT 1 FROM hold h WHERE h.dataset = d.id)"
        " ORDER BY d.last_used_ms, d.id",
        "i", before_ms);

    return rc ? rc : each(db, stmt, fn, context, err);
}

int pingo__candidate_leaving(struct pingo__db *db, int64_t *bytes, struct pingo_error *err)
{
    int rc;

    *bytes = 0;
    rc = pingo__db_int(
        db, err, bytes,
        "SELECT sum(d.size_bytes) FROM dataset d WHERE " DATASET_IS_LEAVING(
            "d.state") " AND"
                       " d.managed = 1 AND"
                       " NOT EXISTS (SELECT 1 FROM undeletable u WHERE u.dataset = d.id) AND"
                       " (" DATASET_IS_REMOVING(
                           "d.state") " OR NOT EXISTS (SELECT 1 FROM claim c WHERE c.dataset = d.id"
                                      " UNION ALL SELECT 1 FROM hold h WHERE h.dataset = d.id))",
        "");
    return rc < 0 ? rc : 0;
}

int pingo__candidate_count_claims(struct pingo__db *db, int64_t *n, struct pingo_error *err)
{
    int rc = pingo__db_int(db, err, n, "SELECT count(*) FROM claim", "");

    return rc < 0 ? rc : 0;
}
