/* hooks.c - see hooks.h. */
#include "store/hooks.h"

#define KEPT 1000 /* of those that are over */

/* clang-format off */
#define ROW(F, T)                                                                                  \
    F(T, INT, told.number, "id") F(T, INT, told.workflow, "workflow") F(T, INT, told.way, "way")   \
    F(T, INT, told.state, "state") F(T, TEXT, told.target, "target")                               \
    F(T, INT, told.tries, "tries") F(T, INT, told.due_ms, "due_ms")                                \
    F(T, INT, told.made_ms, "made_ms") F(T, OPT, told.done_ms, "done_ms")                          \
    F(T, INT, owner, "owner") F(T, TEXT, told.message, "message")
/* clang-format on */
PINGO__KIND(hooks, struct pingo__store_hook_row, ROW);
#define SELECT PINGO__SELECT(ROW) " FROM hook "
/* Nothing is due later than a day eight times over, the longest pause, and what was not tried is due at once: else the
 * clock was set back.  Who has it is dead when he is no owner any more. */
#define LATEST_MS "700000000"
#define DUE                                                                                        \
    "WHERE state = " PINGO__HOOK_PENDING " AND (due_ms <= ?1 OR due_ms > ?1 + " LATEST_MS          \
    " OR tries = 0 OR"                                                                             \
    " (owner > 0 AND owner NOT IN (SELECT id FROM owner))) "

int pingo__store_hook_note(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                           struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "INSERT INTO hook(workflow, way, target, due_ms, made_ms)"
                             " SELECT ?1, iif(key = 'hook.url', 2, 1), value, ?2, ?2 FROM setting"
                             " WHERE key IN ('hook.command', 'hook.url') AND value <> 'none'",
                             INT(workflow), INT(now_ms));
    if (rc || !pingo__store_db_has_changed(db))
        return rc;
    return pingo__db_write(db, err,
                           "DELETE FROM hook WHERE state <> " PINGO__HOOK_PENDING
                           " AND id <= (SELECT max(id) FROM hook) - ?",
                           INT(KEPT));
}

PINGO__LIST(pingo__store_hook_list_due(DB, int64_t now_ms, int64_t limit,
                                       struct pingo__store_hook_list *list, ERR),
            hooks, list, SELECT DUE "ORDER BY due_ms, id LIMIT ?2", INT(now_ms), INT(limit));

PINGO__LIST(pingo__store_hook_list_of(DB, const struct pingo__store_hook_range *range,
                                      struct pingo__store_hook_list *list, ERR),
            hooks, list,
            SELECT "WHERE (?1 = 0 OR id < ?1) AND (?2 = 0 OR (?2 >> state & 1))"
                   " ORDER BY id DESC LIMIT ?3",
            INT(range->below), INT(range->states), INT(range->limit));
