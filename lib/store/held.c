/* held.c - see held.h. */
#include "store/held.h"

#include "base/error.h"
#include "rules/states.h"

/* Made by an earlier clock than that which deletes: it does not go before it came. */
#define GONE "max(d.deleted_ms, d.made_ms)"
#define MADE                                                                                       \
    "d.managed = 1 AND d.made_ms IS NOT NULL AND (d.state <> " DATASET_DELETED                     \
    " OR d.deleted_ms IS NOT NULL)"

int pingo__store_held_period(struct pingo__store_db *db, int64_t *first_ms, int64_t *last_ms,
                             struct pingo_error *err)
{
    *first_ms = *last_ms = -1;
    int rc =
        pingo__db_int(db, err, first_ms, "SELECT min(d.made_ms) FROM dataset d WHERE " MADE, NONE);
    if (rc >= 0)
        rc = pingo__db_int(db, err, last_ms,
                           "SELECT max(coalesce(" GONE ", d.made_ms)) FROM dataset d WHERE " MADE,
                           NONE);
    return rc < 0 ? rc : 0;
}

/* What is shared is there from its first generation to the last. */
#define BYTES                                                                                      \
    " FROM dataset d CROSS JOIN object o ON o.id = d.object WHERE " MADE " AND d.shared = "

int pingo__store_held_each(struct pingo__store_db *db, pingo__store_held_fn fn, void *context,
                           struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "WITH life(came, gone, bytes) AS (SELECT d.made_ms, " GONE ", o.size_bytes" BYTES "0"
        " UNION ALL SELECT min(d.made_ms), iif(min(d.state) = " DATASET_DELETED ", max(" GONE
        "), NULL),"
        " o.size_bytes" BYTES "1 GROUP BY d.object)"
        " SELECT at, sum(bytes) FROM (SELECT came AS at, bytes FROM life UNION ALL"
        " SELECT gone, -bytes FROM life WHERE gone IS NOT NULL) GROUP BY at ORDER BY at",
        NONE);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        rc = fn(context, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1), err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}
