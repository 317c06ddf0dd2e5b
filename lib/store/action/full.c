/* full.c - see full.h. */
#include "store/action/full.h"
#include "store/submission/graph.h"

int pingo__store_full_note(struct pingo__store_db *db, int64_t action, int64_t bytes,
                           struct pingo_error *err)
{
    return pingo__db_write(db, err, "INSERT OR REPLACE INTO disk_full(action, bytes) VALUES(?, ?)",
                           INT(action), INT(bytes));
}

int pingo__store_full_clear(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    return pingo__db_write(db, err, "DELETE FROM disk_full WHERE action = ?", INT(action));
}

int pingo__store_full_get(struct pingo__store_db *db, int64_t action, int64_t *bytes,
                          struct pingo_error *err)
{
    *bytes = -1;
    return pingo__db_number(db, err, bytes, "SELECT bytes FROM disk_full WHERE action = ?",
                            INT(action));
}

/* clang-format off */
#define MOST(F, T)                                                                                 \
    F(T, INT, workflow, "a.workflow") F(T, INT, user_id, "n.user_id") F(T, INT, bytes, "max(f.bytes)")
/* clang-format on */
PINGO__KIND(mosts, struct pingo__store_full_most, MOST);

int pingo__store_full_most(struct pingo__store_db *db, struct pingo__store_full_most *most,
                           struct pingo_error *err)
{
    return pingo__db_row(
        db, err, &mosts, NULL, most,
        PINGO__SELECT(MOST) " FROM disk_full f CROSS JOIN action a"
                            " ON a.id = f.action CROSS JOIN workflow w ON w.id = "
                            "a.workflow" PINGO__JOIN_NODE(
                                "CROSS", "w.graph", "a.position") "WHERE a.state = " ACTION_READY,
        NONE);
}
