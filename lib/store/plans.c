/* plans.c - see plans.h. */
#include "store/plans.h"

#include "base/error.h"

/* What computes and what joins are told apart by why they do. */
static enum pingo_plan_decision decision_of(enum pingo_plan_reason reason)
{
    return reason == PINGO_REASON_COMPUTING || reason == PINGO_REASON_SAME_HASH ? PINGO_PLAN_JOIN
                                                                                : PINGO_PLAN_COMPUTE;
}

static enum pingo_plan_decision guess(bool is_wanted, enum pingo_plan_reason *reason)
{
    *reason = is_wanted ? PINGO_REASON_STORED : PINGO_REASON_NOT_NEEDED;
    return is_wanted ? PINGO_PLAN_REUSE : PINGO_PLAN_SKIP;
}

int pingo__store_plan_insert(struct pingo__store_db *db, int64_t workflow, int64_t position,
                             bool is_wanted, const struct pingo_plan_entry *entry,
                             struct pingo_error *err)
{
    enum pingo_plan_reason reason;
    enum pingo_plan_decision decision = guess(is_wanted, &reason);
    if (entry->decision == PINGO_PLAN_COMPUTE || entry->decision == PINGO_PLAN_JOIN ||
        (entry->decision == decision && entry->reason == reason))
        return 0;
    int rc = pingo__db_run(
        db, err, "INSERT INTO plan(workflow, position, decision, reason) VALUES(?, ?, ?, ?)",
        INT(workflow), INT(position), INT(entry->decision), INT(entry->reason));
    return rc < 0 ? rc : 0;
}

/* ---- the actions of a submission ------------------------------------------------------ */

/* ?1: the submission's number. */
#define HAS_TARGETS "EXISTS (SELECT 1 FROM target WHERE workflow = ?1)"
#define PLANNED                                                                                    \
    "SELECT CASE WHEN " HAS_TARGETS " THEN EXISTS (SELECT 1 FROM target t WHERE t.workflow = ?1"   \
    " AND t.position = n.position) ELSE n.leaf END, p.decision, p.reason, (SELECT a.reason FROM"   \
    " action a WHERE a.workflow = ?1 AND a.position = n.position AND a.reason IS NOT "             \
    "NULL)," PINGO__NODE_COLUMNS                                                                   \
    " FROM workflow w CROSS JOIN node n ON n.graph = w.graph LEFT JOIN plan p ON p.workflow = ?1"  \
    " AND p.position = n.position WHERE w.id = ?1 AND "

static int read_planned(sqlite3_stmt *s, struct pingo__arena *arena,
                        struct pingo__store_planned *row, struct pingo_error *err)
{
    row->is_wanted = sqlite3_column_int(s, 0) != 0;
    row->decision = guess(row->is_wanted, &row->reason);
    if (sqlite3_column_type(s, 3) != SQLITE_NULL) {
        row->reason = (enum pingo_plan_reason)sqlite3_column_int(s, 3);
        row->decision = decision_of(row->reason);
    } else if (sqlite3_column_type(s, 1) != SQLITE_NULL) {
        row->decision = (enum pingo_plan_decision)sqlite3_column_int(s, 1);
        row->reason = (enum pingo_plan_reason)sqlite3_column_int(s, 2);
    }
    return pingo__store_node_read(s, 4, arena, &row->node, err);
}

static int read_list(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                     struct pingo__store_planned_list *list, struct pingo_error *err)
{
    size_t capacity = 0;
    int rc;
    *list = (struct pingo__store_planned_list){NULL, 0};
    while ((rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_planned *rows =
            pingo__arena_more(arena, list->rows, list->n, &capacity, sizeof *rows);
        rc = rows ? 0 : pingo__fail_memory(err);
        if (rows)
            list->rows = rows;
        if (!rc)
            rc = read_planned(stmt, arena, &list->rows[list->n++], err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__store_planned_list(struct pingo__store_db *db, int64_t workflow, int64_t from,
                              size_t limit, struct pingo__arena *arena,
                              struct pingo__store_planned_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, PLANNED "n.position >= ?2 ORDER BY n.position LIMIT ?3",
                             INT(workflow), INT(from), INT(limit));
    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__store_planned_wanted(struct pingo__store_db *db, int64_t workflow,
                                struct pingo__arena *arena, struct pingo__store_planned_list *list,
                                struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        PLANNED "n.position IN (SELECT position FROM target WHERE workflow = ?1 UNION ALL"
                " SELECT l.position FROM workflow v CROSS JOIN node l ON l.graph = v.graph AND"
                " l.leaf = 1 WHERE v.id = ?1 AND NOT " HAS_TARGETS ") ORDER BY n.position",
        INT(workflow));
    return rc ? rc : read_list(db, stmt, arena, list, err);
}

/* ---- all of it, for a history -------------------------------------------------------------- */

int pingo__store_plan_open(struct pingo__store_db *db, int64_t workflow,
                           struct pingo__store_plan_cursor *cursor, struct pingo_error *err)
{
    *cursor = (struct pingo__store_plan_cursor){.db = db};
    /* Each part is read in the order of its index, and they are merged. */
    int rc =
        pingo__db_query(db, err, &cursor->stmt,
                        "SELECT workflow, position, 1, NULL, 0 FROM target WHERE workflow >= ?1"
                        " UNION ALL SELECT workflow, position, 0, NULL, reason FROM action"
                        " WHERE workflow >= ?1 AND reason IS NOT NULL UNION ALL"
                        " SELECT workflow, position, 0, decision, reason FROM plan"
                        " WHERE workflow >= ?1 ORDER BY 1",
                        INT(workflow));
    return rc ? rc : pingo__store_plan_next(cursor, err);
}

int pingo__store_plan_next(struct pingo__store_plan_cursor *cursor, struct pingo_error *err)
{
    sqlite3_stmt *stmt = cursor->stmt;
    int rc = pingo__store_db_step(cursor->db, stmt, err);
    cursor->has_row = rc == 1;
    if (rc != 1) {
        cursor->stmt = NULL; /* it is reset */
        return rc;
    }
    cursor->workflow = sqlite3_column_int64(stmt, 0);
    cursor->position = sqlite3_column_int64(stmt, 1);
    cursor->is_target = sqlite3_column_int(stmt, 2);
    cursor->reason = (enum pingo_plan_reason)sqlite3_column_int(stmt, 4);
    cursor->decision =
        (enum pingo_plan_decision)pingo__store_column_int(stmt, 3, decision_of(cursor->reason));
    return 0;
}

void pingo__store_plan_close(struct pingo__store_plan_cursor *cursor)
{
    sqlite3_reset(cursor->stmt);
    cursor->stmt = NULL;
}

int pingo__store_graph_leaf_positions(struct pingo__store_db *db, int64_t graph,
                                      struct pingo__arena *arena, uint32_t **positions, size_t *n,
                                      struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT position FROM node WHERE graph = ? AND leaf = 1", INT(graph));
    return rc ? rc : pingo__store_positions_read(db, stmt, arena, positions, n, err);
}
