/* driving.h - who drives what: paused workflows, for whom each owner claims, what is needed of the others.
 *
 * An action may start for its own workflow, or because one that is driven needs it: an action of that one
 * joined it or waits for its turn behind it, or it is an unfinished ancestor of such an action. */
#ifndef PINGO__STORE_DRIVING_H
#define PINGO__STORE_DRIVING_H

#include "store/action/actions.h"
#include "store/meta.h"

/* is_new false: it was so before, or has ended. */
int pingo__store_workflow_set_paused(struct pingo__store_db *db, int64_t workflow, bool paused,
                                     bool *is_new, struct pingo_error *err);
/* Has a workflow that is paused or was killed unfinished actions? */
PINGO__EXISTS(pingo__store_driving_any_held(DB, bool *any, ERR), any,
              "SELECT 1 FROM workflow WHERE unfinished > 0 AND"
              " (state <> " WORKFLOW_RUNNING " OR paused = 1) LIMIT 1",
              NONE);

/* Who is needed by whom stays the same as long as these two do. */
struct pingo__store_driving_mark {
    int64_t changes, last_action;
};
/* Actions were planned again. */
PINGO__WRITE(pingo__store_driving_changed(DB, ERR), "UPDATE driving SET changes = changes + 1",
             NONE);
int pingo__store_driving_mark(DB, struct pingo__store_driving_mark *mark, ERR);

/* For a query: of other workflows what the workflow ?1 joined, and whose turn comes before its actions'. */
#define PINGO__DRIVING_WAITED_FOR PINGO__DRIVING_JOINED " UNION " PINGO__DRIVING_BEFORE
#define PINGO__DRIVING_JOINED                                                                      \
    "SELECT DISTINCT a.joined FROM action a INDEXED BY action_joiner CROSS JOIN action t ON"       \
    " t.id = a.joined WHERE a.workflow = ?1 AND"                                                   \
    " a.joined IS NOT NULL AND a.state = " ACTION_WAITING " AND t.workflow <> ?1"
#define PINGO__DRIVING_BEFORE                                                                      \
    "SELECT DISTINCT d.parent FROM dependency d INDEXED BY dependency_turn CROSS JOIN action a"    \
    " ON a.id = d.child CROSS JOIN action t ON t.id = d.parent WHERE d.data = 0"                   \
    " AND a.workflow = ?1 AND a.state = " ACTION_WAITING                                           \
    " AND t.workflow <> ?1 AND " ACTION_IS_UNFINISHED("t.state")

/* Where actions of a workflow stand, in the store's order. */
struct pingo__store_ready {
    int64_t queue, priority, workflow;
};
/* An unfinished action of another workflow that is needed. */
struct pingo__store_needed {
    struct pingo__store_ready at;
    int64_t action;
    int64_t owner; /* who has it in hand; 0: nobody */
};
/* By a workflow (0: by any that is neither paused nor ended, of those that are); in no order. */
PINGO__STORE_LIST(pingo__store_needed_list, struct pingo__store_needed);
int pingo__store_driving_needed(struct pingo__store_db *db, int64_t workflow,
                                struct pingo__store_needed_list *list, struct pingo_error *err);

/* The beginning of that, where it is long. */
struct pingo__store_needed_few {
    int64_t workflow; /* 0: it needs it no more */
    int64_t owner;
};
PINGO__STORE_LIST(pingo__store_needed_few_list, struct pingo__store_needed_few);
int pingo__store_driving_needed_few(DB, int64_t workflow, size_t most,
                                    struct pingo__store_needed_few_list *list, ERR);
/* And of what waits in others for unfinished actions of this one. */
int pingo__store_driving_needing_few(DB, int64_t workflow, size_t most,
                                     struct pingo__store_needed_few_list *list, ERR);

/* The next workflow that has READY actions in a queue, behind this one in the store's order, if there is one.
 * Start with INT64_MAX and -1. */
int pingo__store_ready_next(struct pingo__store_db *db, struct pingo__store_ready *at, bool *found,
                            struct pingo_error *err);

/* ---- owners --------------------------------------------------------------------------------- */

/* In a write transaction. */
struct pingo__store_owner_scoping {
    int64_t owner;
    enum pingo__store_owner_scope scope;
    const int64_t *workflows;
    size_t n;
};
int pingo__store_owner_set_scope(struct pingo__store_db *db,
                                 const struct pingo__store_owner_scoping *scoping,
                                 struct pingo_error *err);

PINGO__STORE_LIST(pingo__store_owner_list, struct pingo__store_owner_row);
/* In order of number. */
int pingo__store_owner_rows(DB, struct pingo__store_owner_list *list, ERR);
/* How many actions of a workflow an owner has in hand: PROCESSING, SUBMITTED or RUNNING ones. */
PINGO__NUMBER(pingo__store_owner_in_hand(DB, int64_t owner, int64_t workflow, int64_t *n, ERR), n, 0,
              "SELECT count(*) FROM action INDEXED BY action_handed WHERE owner = ?"
              " AND " ACTION_IS_CLAIMED("state") " AND workflow = ?",
              INT(owner), INT(workflow));
/* And of which other workflows, as struct pingo__store_needed_few, one of each action. */
int pingo__store_owner_in_hand_of(DB, int64_t owner, int64_t not_of,
                                  struct pingo__store_needed_few_list *list, ERR);
/* The workflows that it has named. */
static inline PINGO__LIST(pingo__store_owner_scope(DB, int64_t owner,
                                                   struct pingo__store_number_list *list, ERR),
                          pingo__store_numbers, list,
                          "SELECT 0, workflow FROM owner_scope WHERE owner = ?", INT(owner));

#endif
