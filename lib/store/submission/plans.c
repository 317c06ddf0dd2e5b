/* plans.c - see plans.h. */
#include "store/submission/plans.h"

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

int pingo__store_plan_insert(struct pingo__store_db *db, int64_t workflow,
                             const struct pingo__store_planned *p, struct pingo_error *err)
{
    enum pingo_plan_reason reason;
    enum pingo_plan_decision decision = guess(p->is_wanted, &reason);
    if (p->decision == PINGO_PLAN_COMPUTE || p->decision == PINGO_PLAN_JOIN ||
        (p->decision == decision && p->reason == reason))
        return 0;
    return pingo__db_write(
        db, err, "INSERT INTO plan(workflow, position, decision, reason) VALUES(?, ?, ?, ?)",
        INT(workflow), INT(p->node.position), INT(p->decision), INT(p->reason));
}

/* ---- the actions of a submission ------------------------------------------------------ */

/* ?1: the submission's number. */
#define HAS_TARGETS "EXISTS (SELECT 1 FROM target WHERE workflow = ?1)"
/* clang-format off */
#define PLANNED(F, T)                                                                              \
    F(T, INT, is_wanted, "CASE WHEN " HAS_TARGETS " THEN EXISTS (SELECT 1 FROM target t WHERE"     \
      " t.workflow = ?1 AND t.position = " PINGO__NODE_POSITION ") ELSE n.leaf END")                             \
    F(T, OPT, decided, "p.decision") F(T, INT, reason, "p.reason")                                  \
    F(T, OPT, made_because, "(SELECT a.reason FROM action a WHERE a.workflow = ?1 AND"             \
      " a.position = " PINGO__NODE_POSITION " AND a.reason IS NOT NULL)") PINGO__NODE(F, T, node.)
/* clang-format on */
PINGO__KIND(planned, struct pingo__store_planned, PLANNED);
#define SELECT PINGO__SELECT(PLANNED) " FROM workflow w"
#define WHY                                                                                        \
    " LEFT JOIN plan p ON p.workflow = ?1 AND p.position = " PINGO__NODE_POSITION " WHERE w.id = " \
    "?1"

/* What computes and joins has a row that says why; what could be guessed has none. */
/* A damaged row may say anything. */
static bool is_decided(int64_t decided)
{
    return decided >= PINGO_PLAN_SKIP && decided <= PINGO_PLAN_COMPUTE;
}

static int complete(int rc, struct pingo__store_planned_list *list)
{
    for (size_t i = 0; !rc && i < list->n; i++) {
        struct pingo__store_planned *p = &list->rows[i];
        if (p->made_because >= 0) {
            p->reason = (enum pingo_plan_reason)p->made_because;
            p->decision = decision_of(p->reason);
        } else if (is_decided(p->decided)) {
            p->decision = (enum pingo_plan_decision)p->decided;
        } else {
            p->decision = guess(p->is_wanted, &p->reason);
        }
    }
    return rc;
}

#define PAGE                                                                                       \
    " CROSS JOIN graph_part gp ON gp.graph = w.graph AND gp.first >= (SELECT max(first) FROM"      \
    " graph_part WHERE graph = w.graph AND first <= ?2) CROSS JOIN node n ON n.id BETWEEN"         \
    " gp.part + max(0, ?2 - gp.first) AND gp.part + gp.n - 1"
#define TARGETS                                                                                    \
    " CROSS JOIN target t ON t.workflow = ?1" PINGO__JOIN_PART_NODE("w.graph", "t.position")
#define LEAVES " CROSS JOIN graph_part gp ON gp.graph = w.graph" PINGO__JOIN_NODES "AND n.leaf = 1"

int pingo__store_planned_list(struct pingo__store_db *db, const struct pingo__store_page *page,
                              struct pingo__store_planned_list *list, struct pingo_error *err)
{
    int rc =
        pingo__db_list(db, err, &planned, list, SELECT PAGE WHY " ORDER BY gp.first, n.id LIMIT ?3",
                       INT(page->workflow), INT(page->from), INT(page->n));
    return complete(rc, list);
}

int pingo__store_planned_wanted(struct pingo__store_db *db, int64_t workflow,
                                struct pingo__store_planned_list *list, struct pingo_error *err)
{
    int rc = pingo__db_list(db, err, &planned, list, SELECT TARGETS WHY " ORDER BY t.position",
                            INT(workflow));
    if (!rc && !list->n) /* it was submitted for its leaves */
        rc = pingo__db_list(db, err, &planned, list, SELECT LEAVES WHY " ORDER BY gp.first, n.id",
                            INT(workflow));
    return complete(rc, list);
}

/* ---- all of it, for a history -------------------------------------------------------------- */

#define ROW(F, T)                                                                                  \
    F(T, INT, workflow, )                                                                          \
    F(T, INT, position, ) F(T, INT, is_target, ) F(T, OPT, decided, ) F(T, INT, reason, )
PINGO__KIND(rows, struct pingo__store_plan_cursor, ROW);

int pingo__store_plan_open(struct pingo__store_db *db, int64_t workflow,
                           struct pingo__store_plan_cursor *cursor, struct pingo_error *err)
{
    *cursor = (struct pingo__store_plan_cursor){.db = db};
    /* Each part is read in the order of its index, and they are merged. */
    int rc =
        pingo__db_query(db, err, &cursor->stmt,
                        "SELECT 0, workflow, position, 1, NULL, 0 FROM target WHERE workflow >= ?1"
                        " UNION ALL SELECT 0, workflow, position, 0, NULL, reason FROM action"
                        " WHERE workflow >= ?1 AND reason IS NOT NULL UNION ALL"
                        " SELECT 0, workflow, position, 0, decision, reason FROM plan"
                        " WHERE workflow >= ?1 ORDER BY 2",
                        INT(workflow));
    return rc ? rc : pingo__store_plan_next(cursor, err);
}

int pingo__store_plan_next(struct pingo__store_plan_cursor *cursor, struct pingo_error *err)
{
    int rc = pingo__store_db_next(cursor->db, cursor->stmt, &cursor->has_row, err);
    if (!cursor->has_row) {
        cursor->stmt = NULL; /* it is reset */
        return rc;
    }
    rc = pingo__store_db_read(cursor->stmt, &rows, NULL, cursor, err);
    cursor->decision = is_decided(cursor->decided) ? (enum pingo_plan_decision)cursor->decided
                                                   : decision_of(cursor->reason);
    return rc;
}

void pingo__store_plan_close(struct pingo__store_plan_cursor *cursor)
{
    sqlite3_reset(cursor->stmt);
    cursor->stmt = NULL;
}
