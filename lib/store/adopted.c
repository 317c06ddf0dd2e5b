/* adopted.c - see adopted.h. */
#include "store/adopted.h"

#include "base/error.h"

int pingo__store_adopted_note(struct pingo__store_db *db, int64_t dataset, const char *path,
                              struct pingo_error *err)
{
    int rc = pingo__db_run(
        db, err, "UPDATE dataset SET adopted_from = ?, compute_ms = NULL, pinned = 1 WHERE id = ?",
        TEXT(path), INT(dataset));
    return rc < 0 ? rc : 0;
}

int pingo__store_adopted_from(struct pingo__store_db *db, int64_t dataset,
                              struct pingo__arena *arena, const char **path, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT adopted_from FROM dataset WHERE id = ? AND adopted_from IS NOT NULL", INT(dataset));
    *path = NULL;
    if (!rc && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        *path = pingo__store_column_copy(stmt, 0, arena);
        sqlite3_reset(stmt);
        return *path ? 0 : pingo__fail_memory(err);
    }
    return rc;
}
