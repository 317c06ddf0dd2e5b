/* turns.h - which user's action is claimed next, where a store has several users: plan/share.h, over rows.
 *
 * What always holds: nobody has more in hand than falls to him of the slots and a moment's work ahead of that, so that
 * what is armed never stands before who comes new; of what others turn out to be due, what has not started is taken
 * back.  A store of one user without a quota of slots knows nothing of this. */
#ifndef PINGO__MANAGER_TURNS_H
#define PINGO__MANAGER_TURNS_H

#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"

/* Do shares matter in this store?  m->shared; once they do, we take it that they always will. */
int pingo__manager_turns_ask(struct pingo__manager_actions *m, struct pingo_error *err);
/* In a write transaction: READY actions become PROCESSING, each in its user's turn, up to query->limit. */
int pingo__manager_turns_claim(struct pingo__manager_actions *m,
                               const struct pingo__store_ready_query *query,
                               struct pingo__store_action_list *claimed, struct pingo_error *err);
/* Is it anybody's turn?  Whoever has READY actions may be at his quota, or have what falls to him.  It is asked outside
 * a write transaction, so that nobody is held up where nothing is claimed; rare resources are not looked at. */
int pingo__manager_turns_any(struct pingo__manager_actions *m,
                             const struct pingo__store_ready_query *query, bool *any,
                             struct pingo_error *err);
/* Takes back what has not started and stands before others' turns. */
int pingo__manager_turns_make_way(struct pingo__manager_actions *m,
                                  const struct pingo__store_ready_query *query,
                                  struct pingo_error *err);
/* It was handed out. */
void pingo__manager_turns_note(struct pingo__manager_actions *m,
                               const struct pingo__store_action_row *action);
/* It ran: how long what is of its user takes. */
void pingo__manager_turns_learn(struct pingo__manager_actions *m,
                                const struct pingo__manager_settling *s);

#endif
