/* plans.h - what was planned for the actions of a submission.
 *
 * What computes or joins has a row of its own, which says why (action.reason; NULL: it was planned again); what was
 * submitted for targets names them.  Of the rest only what could not be guessed has a row: what is wanted is reused
 * because it is stored, and what is not is skipped.  So a known graph with nothing to do costs no row. */
#ifndef PINGO__STORE_PLANS_H
#define PINGO__STORE_PLANS_H

#include <pingo/plan.h>

#include "store/submission/graph.h"

/* An action of a submission. */
struct pingo__store_planned {
    struct pingo__store_node node;
    bool is_wanted; /* by the user: a target, or a leaf */
    enum pingo_plan_decision decision;
    enum pingo_plan_reason reason; /* as it was submitted */
    int64_t made_because, decided; /* while it is read */
};
/* Writes nothing where that would be guessed.  Of the node, the position is given. */
int pingo__store_plan_insert(struct pingo__store_db *db, int64_t workflow,
                             const struct pingo__store_planned *planned, struct pingo_error *err);

PINGO__STORE_LIST(pingo__store_planned_list, struct pingo__store_planned);
int pingo__store_planned_list(struct pingo__store_db *db, const struct pingo__store_page *page,
                              struct pingo__store_planned_list *list, struct pingo_error *err);
/* What the user wanted, by position. */
int pingo__store_planned_wanted(struct pingo__store_db *db, int64_t workflow,
                                struct pingo__store_planned_list *list, struct pingo_error *err);
/* The ids of the targets that it was submitted with, as text; none: for its leaves. */
static inline PINGO__LIST(
    pingo__store_target_ids(DB, int64_t workflow, struct pingo__store_text_list *list, ERR),
    pingo__store_texts, list,
    "SELECT 0, CAST(n.user_id AS TEXT) FROM workflow w CROSS JOIN target t"
    " ON t.workflow = w.id" PINGO__JOIN_NODE("CROSS", "w.graph",
                                             "t.position") "WHERE w.id = ? ORDER BY t.position",
    INT(workflow));

/* All that is written of the plans of submissions, by submission and in no other order: what was decided, and targets,
 * of which nothing is said here of what was decided.  One statement, however many submissions. */
struct pingo__store_plan_cursor {
    struct pingo__store_db *db;
    sqlite3_stmt *stmt;
    bool has_row; /* those below are one */
    int64_t workflow, position, decided;
    bool is_target;
    enum pingo_plan_decision decision;
    enum pingo_plan_reason reason;
};
/* At the first row of this submission or a later one.  Inside a transaction.  Closed also after failure. */
int pingo__store_plan_open(struct pingo__store_db *db, int64_t workflow,
                           struct pingo__store_plan_cursor *cursor, struct pingo_error *err);
int pingo__store_plan_next(struct pingo__store_plan_cursor *cursor, struct pingo_error *err);
void pingo__store_plan_close(struct pingo__store_plan_cursor *cursor);

#endif
