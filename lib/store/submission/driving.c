/* driving.c - see driving.h. */
#include "store/submission/driving.h"

int pingo__store_workflow_set_paused(struct pingo__store_db *db, int64_t workflow, bool paused,
                                     bool *is_new, struct pingo_error *err)
{
    int rc = pingo__db_write(
        db, err,
        "UPDATE workflow SET paused = ?2 WHERE id = ?1 AND state = " WORKFLOW_RUNNING
        " AND paused <> ?2",
        INT(workflow), INT(paused));
    *is_new = !rc && pingo__store_db_has_changed(db);
    int from = paused ? PINGO_WORKFLOW_RUNNING : PINGO_WORKFLOW_PAUSED;
    int to = paused ? PINGO_WORKFLOW_PAUSED : PINGO_WORKFLOW_RUNNING;
    return *is_new ? pingo__store_db_note_workflow(db, workflow, from, to, err) : rc;
}

/* ---- what is needed ---------------------------------------------------------------------------- */

/* clang-format off */
#define NEEDED(F, T)                                                                               \
    F(T, INT, action, "a.id") F(T, INT, at.workflow, "a.workflow") F(T, INT, at.priority, "a.priority")  \
    F(T, INT, at.queue, "a.queue")                                                                    \
    F(T, INT, owner, "coalesce(a.owner, 0)")
#define FEW(F, T)                                                                                  \
    F(T, INT, workflow,                                                                            \
      "iif(" ACTION_IS_UNFINISHED("a.state") " AND a.workflow <> ?1, a.workflow, 0)")              \
    F(T, INT, owner, "coalesce(a.owner, 0)")
#define READY(F, T)                                                                                \
    F(T, INT, queue, "queue") F(T, INT, priority, "priority") F(T, INT, workflow, "workflow")
#define SELECT_READY PINGO__SELECT(READY) " FROM action WHERE state = " ACTION_READY
#define MARK(F, T)                                                                                 \
    F(T, INT, changes, "(SELECT changes FROM driving)")                                            \
    F(T, INT, last_action, "(SELECT seq FROM sqlite_sequence WHERE name = 'action')")
#define OWNER(F, T)                                                                                \
    F(T, INT, id, "id") F(T, INT, pid, "iif(boot_id = ?1, pid, 0)")                                \
    F(T, INT, started_ms, "started_ms") F(T, INT, scope, "scope")
/* clang-format on */
PINGO__KIND(needed, struct pingo__store_needed, NEEDED);
PINGO__KIND(few, struct pingo__store_needed_few, FEW);
PINGO__KIND(ready, struct pingo__store_ready, READY);
PINGO__KIND(marks, struct pingo__store_driving_mark, MARK);
PINGO__KIND(owners, struct pingo__store_owner_row, OWNER);

PINGO__GET(pingo__store_driving_mark(DB, struct pingo__store_driving_mark *mark, ERR), marks, NULL,
           mark, PINGO__SELECT(MARK), NONE);

/* What such actions are, and what they wait for. */
#define SELECT_NEEDED(such)                                                                        \
    PINGO__WITH_ABOVE(such)                                                                        \
    PINGO__SELECT(NEEDED)                                                                          \
    " FROM above b JOIN action a ON a.id = b.id"

#define UNFINISHED ACTION_IS_UNFINISHED("a.state")
#define T_UNFINISHED ACTION_IS_UNFINISHED("t.state")

static PINGO__LIST(needed_by(DB, int64_t workflow, struct pingo__store_needed_list *list, ERR),
                   needed, list,
                   SELECT_NEEDED(PINGO__DRIVING_WAITED_FOR) " WHERE " UNFINISHED
                                                            " AND a.workflow <> ?1",
                   INT(workflow));

#define IS_HELD(w) "(" w ".state <> " WORKFLOW_RUNNING " OR " w ".paused = 1)"
#define HELD_FOR_OTHERS " AND NOT " IS_HELD("w") " AND " IS_HELD("h")
#define FOR_OTHERS                                                                                 \
    "SELECT a.joined FROM action a JOIN workflow w ON w.id = a.workflow JOIN action t ON"          \
    " t.id = a.joined JOIN workflow h ON h.id = t.workflow WHERE a.joined IS NOT NULL AND"         \
    " a.state = " ACTION_WAITING HELD_FOR_OTHERS " UNION SELECT d.parent FROM dependency d"        \
    " JOIN action a ON a.id = d.child JOIN workflow w ON w.id = a.workflow JOIN action t ON"       \
    " t.id = d.parent JOIN workflow h ON h.id = t.workflow WHERE d.data = 0 AND a.state ="         \
    " " ACTION_WAITING " AND " T_UNFINISHED HELD_FOR_OTHERS

static PINGO__LIST(
    needed_of_held(DB, struct pingo__store_needed_list *list, ERR), needed, list,
    SELECT_NEEDED(FOR_OTHERS) " JOIN workflow h ON h.id = a.workflow WHERE " UNFINISHED
                              " AND " IS_HELD("h"),
    NONE);

int pingo__store_driving_needed(struct pingo__store_db *db, int64_t workflow,
                                struct pingo__store_needed_list *list, struct pingo_error *err)
{
    return workflow ? needed_by(db, workflow, list, err) : needed_of_held(db, list, err);
}

PINGO__LIST(pingo__store_driving_needed_few(DB, int64_t workflow, size_t most,
                                            struct pingo__store_needed_few_list *list, ERR),
            few, list,
            PINGO__WITH_SOME_ABOVE("SELECT * FROM (" PINGO__DRIVING_JOINED " LIMIT ?2) UNION"
                                   " SELECT * FROM (" PINGO__DRIVING_BEFORE " LIMIT ?2)",
                                   " LIMIT ?2")
                PINGO__SELECT(FEW) " FROM above b JOIN action a ON a.id = b.id",
            INT(workflow), INT((int64_t)most));

/* The other way round.  The ids of a workflow's actions lie close together, so few joined are looked at in vain. */
#define OF_IT "(SELECT id FROM action INDEXED BY action_workflow WHERE workflow = ?1)"
#define JOINERS                                                                                    \
    "SELECT j.id FROM action j INDEXED BY action_joined CROSS JOIN action t ON t.id = j.joined"    \
    " WHERE j.joined BETWEEN (SELECT min(id) FROM " OF_IT ") AND (SELECT max(id) FROM " OF_IT ")"  \
    " AND j.state = " ACTION_WAITING " AND t.workflow = ?1 AND j.workflow <> ?1 AND " T_UNFINISHED
#define BEHIND                                                                                     \
    "SELECT DISTINCT d.child FROM dependency d INDEXED BY dependency_turn CROSS JOIN action t"     \
    " ON t.id = d.parent WHERE d.data = 0 AND t.workflow = ?1 AND " T_UNFINISHED

PINGO__LIST(pingo__store_driving_needing_few(DB, int64_t workflow, size_t most,
                                             struct pingo__store_needed_few_list *list, ERR),
            few, list,
            "WITH RECURSIVE below(id) AS (SELECT * FROM (" JOINERS " LIMIT ?2) UNION"
            " SELECT * FROM (" BEHIND " LIMIT ?2) UNION SELECT d.child FROM below b"
            " CROSS JOIN dependency d ON d.parent = b.id UNION SELECT j.id FROM below b"
            " CROSS JOIN action j INDEXED BY action_joined ON j.joined = b.id"
            " WHERE j.state = " ACTION_WAITING
            " LIMIT ?2) " PINGO__SELECT(FEW) " FROM below b JOIN action a ON a.id = b.id",
            INT(workflow), INT((int64_t)most));
PINGO__LIST(pingo__store_owner_in_hand_of(DB, int64_t owner, int64_t not_of,
                                          struct pingo__store_needed_few_list *list, ERR),
            few, list,
            PINGO__SELECT(FEW) " FROM action a INDEXED BY action_handed WHERE a.owner = ?2"
                               " AND " ACTION_IS_CLAIMED("a.state") " AND a.workflow <> ?1",
            INT(not_of), INT(owner));

/* ---- what is ready ----------------------------------------------------------------------------- */

int pingo__store_ready_next(struct pingo__store_db *db, struct pingo__store_ready *at, bool *found,
                            struct pingo_error *err)
{
    struct pingo__store_ready next;
    int rc = pingo__db_row(db, err, &ready, NULL, &next,
                           SELECT_READY " AND queue = ? AND priority = ? AND workflow > ?"
                                        " ORDER BY workflow LIMIT 1",
                           INT(at->queue), INT(at->priority), INT(at->workflow));
    if (!rc && !next.workflow) /* no other of this priority */
        rc = pingo__db_row(db, err, &ready, NULL, &next,
                           SELECT_READY " AND queue = ? AND priority < ?"
                                        " ORDER BY priority DESC, workflow LIMIT 1",
                           INT(at->queue), INT(at->priority));
    *found = !rc && next.workflow;
    if (*found)
        *at = next;
    return rc;
}

/* ---- owners ------------------------------------------------------------------------------------- */

int pingo__store_owner_set_scope(struct pingo__store_db *db,
                                 const struct pingo__store_owner_scoping *s, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "UPDATE owner SET scope = ?2 WHERE id = ?1", INT(s->owner),
                             INT(s->scope));
    if (!rc)
        rc = pingo__db_write(db, err, "DELETE FROM owner_scope WHERE owner = ?", INT(s->owner));
    for (size_t i = 0; !rc && s->scope == PINGO__OWNER_LISTED && i < s->n; i++)
        rc = pingo__db_write(db, err,
                             "INSERT OR IGNORE INTO owner_scope(owner, workflow) VALUES(?, ?)",
                             INT(s->owner), INT(s->workflows[i]));
    return rc;
}

PINGO__LIST(pingo__store_owner_rows(DB, struct pingo__store_owner_list *list, ERR), owners, list,
            PINGO__SELECT(OWNER) " FROM owner ORDER BY id", TEXT(db->space));
