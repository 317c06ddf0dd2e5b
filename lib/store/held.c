/* held.c - see held.h. */
#include "store/held.h"

#include "base/error.h"
#include "rules/states.h"

/* Made by an earlier clock than that which deletes: it does not go before it came. */
#define GONE "max(deleted_ms, made_ms)"
#define COUNTS                                                                                     \
    "managed = 1 AND made_ms IS NOT NULL AND size_bytes IS NOT NULL AND"                           \
    " (state <> " DATASET_DELETED " OR deleted_ms IS NOT NULL)"

int pingo__held_period(struct pingo__db *db, int64_t *first_ms, int64_t *last_ms,
                       struct pingo_error *err)
{
    int rc;

    *first_ms = *last_ms = -1;
    rc = pingo__db_int(db, err, first_ms, "SELECT min(made_ms) FROM dataset WHERE " COUNTS, "");
    if (rc >= 0)
        rc = pingo__db_int(db, err, last_ms,
                           "SELECT max(coalesce(" GONE ", made_ms)) FROM dataset WHERE " COUNTS, "");
    return rc < 0 ? rc : 0;
}

int pingo__held_each(struct pingo__db *db, pingo__held_fn fn, void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT at, sum(bytes) FROM (SELECT made_ms AS at, size_bytes AS bytes"
                             " FROM dataset WHERE " COUNTS " UNION ALL"
                             " SELECT " GONE ", -size_bytes FROM dataset WHERE deleted_ms IS NOT"
                             " NULL AND " COUNTS ") GROUP BY at ORDER BY at",
                             "");

    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        rc = fn(context, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1), err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}
