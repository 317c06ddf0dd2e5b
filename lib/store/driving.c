/* driving.c - see driving.h. */
#include "store/driving.h"

#include "base/error.h"
#include "rules/states.h"

/* ---- workflows ------------------------------------------------------------------------------ */

int pingo__store_workflow_set_paused(struct pingo__store_db *db, int64_t workflow, bool paused,
                                     struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_WORKFLOW,
                                .workflow = workflow,
                                .from = paused ? PINGO_WORKFLOW_RUNNING : PINGO_WORKFLOW_PAUSED,
                                .to = paused ? PINGO_WORKFLOW_PAUSED : PINGO_WORKFLOW_RUNNING};
    int rc =
        pingo__db_run(db, err,
                      "UPDATE workflow SET paused = ?2 WHERE id = ?1 AND state = " WORKFLOW_RUNNING
                      " AND paused <> ?2",
                      INT(workflow), INT(paused));
    if (rc <= 0)
        return rc;
    rc = pingo__store_db_note(db, &event, err);
    return rc < 0 ? rc : 1;
}

int pingo__store_driving_any_held(struct pingo__store_db *db, bool *any, struct pingo_error *err)
{
    return pingo__store_db_exists(db,
                                  SQL0("SELECT 1 FROM workflow WHERE unfinished > 0 AND"
                                       " (state <> " WORKFLOW_RUNNING " OR paused = 1) LIMIT 1"),
                                  any, err);
}

/* ---- what is needed ---------------------------------------------------------------------------- */

int pingo__store_driving_changed(struct pingo__store_db *db, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "UPDATE driving SET changes = changes + 1", NONE));
}

int pingo__store_driving_mark(struct pingo__store_db *db, struct pingo__store_driving_mark *mark,
                              struct pingo_error *err)
{
    *mark = (struct pingo__store_driving_mark){0, 0};
    int rc = pingo__db_int(db, err, &mark->changes, "SELECT changes FROM driving", NONE);
    if (rc >= 0)
        rc = pingo__db_int(db, err, &mark->last_action,
                           "SELECT seq FROM sqlite_sequence WHERE name = 'action'", NONE);
    return pingo__store_db_done(rc);
}

static int read_needed(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                       struct pingo__store_needed **needed, size_t *n, struct pingo_error *err)
{
    size_t capacity = 0;
    int rc = 0;
    *needed = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_needed *more =
            pingo__arena_more(arena, *needed, *n, &capacity, sizeof *more);
        if (!more) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
        *needed = more;
        (*needed)[(*n)++] = (struct pingo__store_needed){.action = sqlite3_column_int64(stmt, 0),
                                                         .workflow = sqlite3_column_int64(stmt, 1),
                                                         .priority = sqlite3_column_int64(stmt, 2)};
    }
    return pingo__store_db_done(rc);
}

/* Upwards from what is needed first: to unfinished parents, and to what is joined. */
#define AND_UPWARDS                                                                                \
    " UNION SELECT d.parent FROM need n JOIN dependency d ON d.child = n.id"                       \
    " JOIN action p ON p.id = d.parent WHERE " ACTION_IS_UNFINISHED(                               \
        "p.state") " UNION SELECT a.joined FROM need n JOIN action a ON a.id = n.id"               \
                   " WHERE a.joined IS NOT NULL AND a.state = " ACTION_WAITING ")"                 \
                   " SELECT a.id, a.workflow, a.priority FROM need n JOIN action a ON a.id = n.id"

static int needed_by(struct pingo__store_db *db, int64_t workflow, sqlite3_stmt **stmt,
                     struct pingo_error *err)
{
    return pingo__db_query(
        db, err, stmt,
        "WITH RECURSIVE need(id) AS ("
        "SELECT a.joined FROM action a INDEXED BY action_joiner CROSS JOIN action t ON"
        " t.id = a.joined WHERE a.workflow = ?1 AND"
        " a.joined IS NOT NULL AND a.state = " ACTION_WAITING " AND t.workflow <> ?1"
        " UNION SELECT d.parent FROM dependency d INDEXED BY dependency_turn CROSS JOIN action a"
        " ON a.id = d.child CROSS JOIN action t ON t.id = d.parent WHERE d.data = 0 AND a.workflow "
        "= ?1 AND a.state = " ACTION_WAITING
        " AND t.workflow <> ?1 AND " ACTION_IS_UNFINISHED("t.state") AND_UPWARDS
        " WHERE " ACTION_IS_UNFINISHED("a.state") " AND a.workflow <> ?1",
        INT(workflow));
}

#define IS_HELD(w) "(" w ".state <> " WORKFLOW_RUNNING " OR " w ".paused = 1)"

static int needed_of_held(struct pingo__store_db *db, sqlite3_stmt **stmt, struct pingo_error *err)
{
    return pingo__db_query(
        db, err, stmt,
        "WITH RECURSIVE need(id) AS ("
        "SELECT a.joined FROM action a JOIN workflow w ON w.id = a.workflow"
        " JOIN action t ON t.id = a.joined JOIN workflow h ON h.id = t.workflow"
        " WHERE a.joined IS NOT NULL AND a.state = " ACTION_WAITING
        " AND NOT " IS_HELD("w") " AND " IS_HELD(
            "h") " UNION SELECT d.parent FROM dependency d JOIN action a ON a.id = d.child"
                 " JOIN workflow w ON w.id = a.workflow JOIN action t ON t.id = d.parent"
                 " JOIN workflow h ON h.id = t.workflow WHERE d.data = 0 AND a.state "
                 "= " ACTION_WAITING " AND"
                 " " ACTION_IS_UNFINISHED("t.state") " AND NOT " IS_HELD("w") " AND " IS_HELD("h")
                     AND_UPWARDS
        " JOIN workflow h ON h.id = a.workflow WHERE " ACTION_IS_UNFINISHED(
            "a.state") " AND " IS_HELD("h"),
        NONE);
}

int pingo__store_driving_needed(struct pingo__store_db *db, int64_t workflow,
                                struct pingo__arena *arena, struct pingo__store_needed **needed,
                                size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = workflow ? needed_by(db, workflow, &stmt, err) : needed_of_held(db, &stmt, err);
    *needed = NULL;
    *n = 0;
    return rc < 0 ? rc : read_needed(db, stmt, arena, needed, n, err);
}

/* ---- what is ready ----------------------------------------------------------------------------- */

static int ready_step(struct pingo__store_db *db, sqlite3_stmt *stmt, int64_t *priority,
                      int64_t *workflow, struct pingo_error *err)
{
    int rc = pingo__store_db_step(db, stmt, err);
    if (rc <= 0)
        return rc;
    *priority = sqlite3_column_int64(stmt, 0);
    *workflow = sqlite3_column_int64(stmt, 1);
    sqlite3_reset(stmt);
    return rc;
}

int pingo__store_ready_next(struct pingo__store_db *db, int64_t *priority, int64_t *workflow,
                            bool *found, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT priority, workflow FROM action WHERE state = " ACTION_READY
                             " AND priority = ? AND workflow > ? ORDER BY workflow LIMIT 1",
                             INT(*priority), INT(*workflow));
    if (!rc)
        rc = ready_step(db, stmt, priority, workflow, err);
    if (!rc) { /* no other of this priority */
        rc = pingo__db_query(db, err, &stmt,
                             "SELECT priority, workflow FROM action WHERE state = " ACTION_READY
                             " AND priority < ? ORDER BY priority DESC, workflow LIMIT 1",
                             INT(*priority));
        rc = rc ? rc : ready_step(db, stmt, priority, workflow, err);
    }
    *found = rc > 0;
    return rc > 0 ? 0 : rc;
}

/* ---- owners ------------------------------------------------------------------------------------- */

int pingo__store_owner_set_scope(struct pingo__store_db *db, int64_t owner,
                                 enum pingo__store_owner_scope scope, const int64_t *workflows,
                                 size_t n, struct pingo_error *err)
{
    int rc =
        pingo__db_run(db, err, "UPDATE owner SET scope = ?2 WHERE id = ?1", INT(owner), INT(scope));
    if (rc >= 0)
        rc = pingo__db_run(db, err, "DELETE FROM owner_scope WHERE owner = ?", INT(owner));
    for (size_t i = 0; rc >= 0 && scope == PINGO__OWNER_LISTED && i < n; i++)
        rc = pingo__db_run(db, err,
                           "INSERT OR IGNORE INTO owner_scope(owner, workflow) VALUES(?, ?)",
                           INT(owner), INT(workflows[i]));
    return pingo__store_db_done(rc);
}

int pingo__store_owner_rows(struct pingo__store_db *db, struct pingo__arena *arena,
                            struct pingo__store_owner_row **rows, size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT id, pid, started_ms, scope FROM owner ORDER BY id", NONE);
    *rows = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_owner_row *more =
            pingo__arena_more(arena, *rows, *n, &capacity, sizeof *more);
        if (!more) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
        *rows = more;
        (*rows)[(*n)++] = (struct pingo__store_owner_row){
            .id = sqlite3_column_int64(stmt, 0),
            .pid = sqlite3_column_int64(stmt, 1),
            .started_ms = sqlite3_column_int64(stmt, 2),
            .scope = (enum pingo__store_owner_scope)sqlite3_column_int(stmt, 3)};
    }
    return pingo__store_db_done(rc);
}

int pingo__store_owner_names(struct pingo__store_db *db, int64_t owner, int64_t workflow,
                             struct pingo_error *err)
{
    int64_t one = 0;
    return pingo__db_int(db, err, &one, "SELECT 1 FROM owner_scope WHERE owner = ? AND workflow = ?",
                         INT(owner), INT(workflow));
}
