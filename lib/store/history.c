/* history.c - reading all submissions and all generations once; see history.h.
 *
 * A history is read in whole, so these are scans in the order of a key: one
 * statement each, not one a dataset.  Inside a transaction of the caller's. */
#include "store/history.h"

#include "base/error.h"

int pingo__store_history_workflows(struct pingo__store_db *db,
                                   const struct pingo__store_history_range *range,
                                   pingo__store_history_workflow_fn fn, void *context,
                                   struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT w.id, w.graph, w.submitted_ms, w.user, d.name"
        " FROM workflow w JOIN graph g ON g.id = w.graph JOIN document d ON d.id = g.document"
        " WHERE w.id > ?1 AND w.submitted_ms >= ?2 AND (?3 = 0 OR w.submitted_ms < ?3)"
        " ORDER BY w.id",
        INT(range->after), INT(range->since_ms), INT(range->until_ms));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_history_workflow row = {.id = sqlite3_column_int64(stmt, 0),
                                                    .graph = sqlite3_column_int64(stmt, 1),
                                                    .submitted_ms = sqlite3_column_int64(stmt, 2),
                                                    .user = pingo__store_column_text(stmt, 3),
                                                    .name = pingo__store_column_text(stmt, 4)};
        rc = fn(context, &row, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__store_history_made(struct pingo__store_db *db, pingo__store_history_made_fn fn,
                              void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    /* In the order of the table: by hash, each row would be looked up on its own. */
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT d.hash, d.compute_ms, o.size_bytes FROM dataset d"
                             " LEFT JOIN object o ON o.id = d.object"
                             " WHERE d.made_ms IS NOT NULL ORDER BY d.id",
                             NONE);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo_hash hash;
        pingo__store_column_hash(stmt, 0, &hash);
        rc = fn(context, &hash, pingo__store_column_int(stmt, 1, -1),
                pingo__store_column_int(stmt, 2, -1), err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__store_history_evicted(struct pingo__store_db *db, pingo__store_history_evicted_fn fn,
                                 void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT e.hash, e.evicted_ms, e.size_bytes, a.workflow FROM eviction e"
                        " JOIN dataset d ON d.id = e.dataset LEFT JOIN action a ON a.id = d.action"
                        " WHERE e.rescued_ms IS NULL ORDER BY e.id",
                        NONE);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_history_evicted row = {.evicted_ms = sqlite3_column_int64(stmt, 1),
                                                   .size_bytes = sqlite3_column_int64(stmt, 2),
                                                   .workflow = pingo__store_column_int(stmt, 3, 0)};
        pingo__store_column_hash(stmt, 0, &row.hash);
        rc = fn(context, &row, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}
