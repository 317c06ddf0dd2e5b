/* undeletable.c - see undeletable.h. */
#include "store/undeletable.h"

#include "base/error.h"

#define FIRST_WAIT_MS INT64_C(10000)

int pingo__store_undeletable_note(struct pingo__store_db *db, int64_t dataset, int64_t now_ms,
                                  const char *message, int64_t *wait_ms, struct pingo_error *err)
{
    int64_t not_before_ms = now_ms;
    int rc = pingo__db_int(db, err, &not_before_ms,
                           "INSERT INTO undeletable(dataset, tries, not_before_ms, message)"
                           " VALUES(?1, 1, ?2 + ?4, ?3) ON CONFLICT(dataset) DO UPDATE SET"
                           " tries = tries + 1, message = ?3,"
                           " not_before_ms = ?2 + min(?5, ?4 << min(tries, 20))"
                           " RETURNING not_before_ms",
                           INT(dataset), INT(now_ms), TEXT(message), INT(FIRST_WAIT_MS),
                           INT(PINGO__UNDELETABLE_LONGEST_MS));
    *wait_ms = not_before_ms - now_ms;
    return rc < 0 ? rc : 0;
}

int pingo__store_undeletable_forget(struct pingo__store_db *db, int64_t dataset,
                                    struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM undeletable WHERE dataset = ?", INT(dataset));
    return rc < 0 ? rc : 0;
}

int pingo__store_orphan_note(struct pingo__store_db *db, const char *name, int64_t bytes,
                             struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "INSERT OR REPLACE INTO orphan(name, bytes) VALUES(?, ?)",
                           TEXT(name), INT(bytes));
    return rc < 0 ? rc : 0;
}

int pingo__store_orphan_forget(struct pingo__store_db *db, const char *name, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM orphan WHERE name = ?", TEXT(name));
    return rc < 0 ? rc : 0;
}

int pingo__store_orphan_each(struct pingo__store_db *db, pingo__store_orphan_fn fn, void *context,
                             struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT name FROM orphan", NONE);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1)
        if ((rc = fn(context, pingo__store_column_text(stmt, 0), err)) != 0) {
            sqlite3_reset(stmt);
            return rc;
        }
    return rc;
}
