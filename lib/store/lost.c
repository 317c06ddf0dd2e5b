/* lost.c - see lost.h; their readers are in action_lists.c. */
#include "store/lost.h"

int pingo__store_lost_note(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "INSERT OR IGNORE INTO lost(dataset) VALUES(?)", INT(dataset));
    return rc < 0 ? rc : 0;
}

int pingo__store_lost_forget(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM lost WHERE dataset = ?", INT(dataset));
    return rc < 0 ? rc : 0;
}

int pingo__store_lost_is_noted(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err)
{
    int64_t one = 0;
    return pingo__db_int(db, err, &one, "SELECT 1 FROM lost WHERE dataset = ?", INT(dataset));
}

int pingo__store_lost_next(struct pingo__store_db *db, int64_t *dataset, struct pingo_hash *hash,
                           struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT l.dataset, d.hash FROM lost l JOIN dataset d ON d.id = l.dataset"
                        " LIMIT 1",
                        NONE);
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *dataset = sqlite3_column_int64(stmt, 0);
    pingo__store_column_hash(stmt, 1, hash);
    sqlite3_reset(stmt);
    return 1;
}
