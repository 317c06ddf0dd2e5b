/* hooks.h - who is to be told that a submission has ended: an outbox, written with the end itself.
 *
 * What always holds: a row is made in the transaction that ends the submission; it is due until it was delivered or
 * given up; its number is the same at each try. */
#ifndef PINGO__STORE_HOOKS_H
#define PINGO__STORE_HOOKS_H

#include <pingo/feed.h>

#include "store/db.h"

struct pingo__store_hook_row {
    struct pingo_hook told;
    int64_t owner; /* 0: in nobody's hand */
};
PINGO__STORE_LIST(pingo__store_hook_list, struct pingo__store_hook_row);
#define PINGO__HOOK_PENDING "1" /* in a query: a state */

/* A submission has ended: a row for each hook that is set.  In the transaction that ends it. */
int pingo__store_hook_note(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                           struct pingo_error *err);
/* Those that are due, or in the hand of nobody who is alive. */
int pingo__store_hook_list_due(DB, int64_t now_ms, int64_t limit,
                               struct pingo__store_hook_list *list, ERR);
/* The row, but for its owner and due_ms as it was read, is ours until due_ms, and this counts as a try; *is_ours:
 * nobody was faster. */
PINGO__CHANGE(pingo__store_hook_take(DB, const struct pingo__store_hook_row *row, bool *is_ours, ERR),
              is_ours,
              "UPDATE hook SET owner = ?2, due_ms = ?3, tries = tries + 1"
              " WHERE id = ?1 AND state = " PINGO__HOOK_PENDING " AND tries = ?4",
              INT(row->told.number), INT(row->owner), INT(row->told.due_ms), INT(row->told.tries));
/* What became of the try: the row's state, due_ms, done_ms, message and tries; taken: its tries while it was ours, as
 * it must be still. */
PINGO__WRITE(
    pingo__store_hook_settle(DB, const struct pingo__store_hook_row *row, int64_t taken, ERR),
    "UPDATE hook SET owner = 0, state = ?2, due_ms = ?3, done_ms = ?4, message = ?5, tries = ?6"
    " WHERE id = ?1 AND state = " PINGO__HOOK_PENDING " AND tries = ?7 AND owner = ?8",
    INT(row->told.number), INT(row->told.state), INT(row->told.due_ms), OPT(row->told.done_ms),
    TEXT(row->told.message), INT(row->told.tries), INT(taken), INT(row->owner));
/* The newest below a number first; states: 1u << enum pingo_hook_state, added up, 0: all. */
struct pingo__store_hook_range {
    int64_t below, limit;
    unsigned states;
};
int pingo__store_hook_list_of(DB, const struct pingo__store_hook_range *range,
                              struct pingo__store_hook_list *list, ERR);

#endif
