/* full.c - see full.h. */
#include "store/full.h"
#include "rules/states.h"

#include <string.h>

int pingo__store_full_note(struct pingo__store_db *db, int64_t action, int64_t bytes,
                           struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "INSERT OR REPLACE INTO disk_full(action, bytes) VALUES(?, ?)",
                           INT(action), INT(bytes));
    return rc < 0 ? rc : 0;
}

int pingo__store_full_clear(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "DELETE FROM disk_full WHERE action = ?", INT(action));
    return rc < 0 ? rc : 0;
}

int pingo__store_full_get(struct pingo__store_db *db, int64_t action, int64_t *bytes,
                          struct pingo_error *err)
{
    *bytes = -1;
    int rc =
        pingo__db_int(db, err, bytes, "SELECT bytes FROM disk_full WHERE action = ?", INT(action));
    return rc < 0 ? rc : 0;
}

int pingo__store_full_summary(struct pingo__store_db *db, int64_t workflow,
                              struct pingo__store_full_summary *s, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT count(*), a.workflow, n.user_id, max(f.bytes)"
                             " FROM disk_full f CROSS JOIN action a ON a.id = f.action"
                             " CROSS JOIN workflow w ON w.id = a.workflow CROSS JOIN node n"
                             " ON n.graph = w.graph AND n.position = a.position"
                             " WHERE a.state = " ACTION_READY " AND ?1 IN (0, a.workflow)",
                             INT(workflow));
    memset(s, 0, sizeof *s);
    if (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        s->n = sqlite3_column_int64(stmt, 0);
        s->workflow = sqlite3_column_int64(stmt, 1);
        s->user_id = sqlite3_column_int64(stmt, 2);
        s->bytes = sqlite3_column_int64(stmt, 3);
        sqlite3_reset(stmt);
    }
    return rc < 0 ? rc : 0;
}
