/* full.c - see full.h. */
#include "store/action/full.h"
#include "store/submission/graph.h"

PINGO__WRITE(pingo__store_full_note(DB, int64_t action, int64_t bytes, ERR),
             "INSERT OR REPLACE INTO disk_full(action, bytes) VALUES(?, ?)", INT(action),
             INT(bytes));

PINGO__WRITE(pingo__store_full_clear(DB, int64_t action, ERR),
             "DELETE FROM disk_full WHERE action = ?", INT(action));

PINGO__NUMBER(pingo__store_full_get(DB, int64_t action, int64_t *bytes, ERR), bytes, -1,
              "SELECT bytes FROM disk_full WHERE action = ?", INT(action));

/* clang-format off */
#define MOST(F, T)                                                                                 \
    F(T, INT, workflow, "a.workflow") F(T, INT, user_id, "n.user_id") F(T, INT, bytes, "max(f.bytes)")
/* clang-format on */
PINGO__KIND(mosts, struct pingo__store_full_most, MOST);

PINGO__GET(pingo__store_full_most(DB, struct pingo__store_full_most *most, ERR), mosts, NULL, most,
           PINGO__SELECT(MOST) " FROM disk_full f CROSS JOIN action a"
                               " ON a.id = f.action" PINGO__JOIN_WORKFLOW_NODE(
                                   "CROSS") "WHERE a.state = " ACTION_READY,
           NONE);
