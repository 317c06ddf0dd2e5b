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

/* A submission has ended: a row for each hook that is set.  In the transaction that ends it. */
int pingo__store_hook_note(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                           struct pingo_error *err);
/* Those that are due, or in the hand of nobody who is alive. */
int pingo__store_hook_list_due(struct pingo__store_db *db, int64_t now_ms, int64_t limit,
                               struct pingo__store_hook_list *list, struct pingo_error *err);
/* The row, but for its owner and due_ms as it was read, is ours until due_ms, and this counts as a try; *is_ours:
 * nobody was faster. */
int pingo__store_hook_take(struct pingo__store_db *db, const struct pingo__store_hook_row *row,
                           bool *is_ours, struct pingo_error *err);
/* What became of the try: the row's state, due_ms, done_ms, message and tries; taken: its tries while it was ours, as
 * it must be still. */
int pingo__store_hook_settle(struct pingo__store_db *db, const struct pingo__store_hook_row *row,
                             int64_t taken, struct pingo_error *err);
/* The newest below a number first; states: 1u << enum pingo_hook_state, added up, 0: all. */
struct pingo__store_hook_range {
    int64_t below, limit;
    unsigned states;
};
int pingo__store_hook_list_of(struct pingo__store_db *db,
                              const struct pingo__store_hook_range *range,
                              struct pingo__store_hook_list *list, struct pingo_error *err);

#endif
