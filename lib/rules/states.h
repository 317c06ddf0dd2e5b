/* states.h - what the rooms above ask of a state, besides what <pingo/state.h> tells everybody.
 *
 * A state is added in two places: a value in <pingo/state.h>, and a row in states.c, which says what holds of it
 * and what may follow; numbers.pl then makes numbers.h, and with it all SQL, anew.  What a table or an index of
 * the store must know of it is a migration.  Pure. */
#ifndef PINGO__RULES_STATES_H
#define PINGO__RULES_STATES_H

#include <pingo/state.h>

#include "rules/numbers.h"

/* Of one try at running an action. */
enum pingo__rules_attempt_state {
    PINGO__ATTEMPT_HANDED = 1, /* to its executor */
    PINGO__ATTEMPT_STARTED = 2,
    PINGO__ATTEMPT_ENDED = 3
};

/* Not yet final. */
bool pingo__rules_action_is_unfinished(enum pingo_action_state state);
/* Nobody has it yet: WAITING or READY. */
bool pingo__rules_action_is_idle(enum pingo_action_state state);
/* A scheduler has it: PROCESSING, or an attempt is out. */
bool pingo__rules_action_is_claimed(enum pingo_action_state state);
/* An attempt of it is out: SUBMITTED or RUNNING. */
bool pingo__rules_action_is_handed(enum pingo_action_state state);
/* May be reused and goes only when somebody decides so: STORED or LEAF. */
bool pingo__rules_dataset_is_kept(enum pingo_dataset_state state);
/* Its bytes are whole: it is there, or a deletor that has it has not touched it. */
bool pingo__rules_dataset_is_whole(enum pingo_dataset_state state);
/* It is to go, and its bytes are not yet gone: STORED_TO_DELETE, PROCESSING or DELETING. */
bool pingo__rules_dataset_is_leaving(enum pingo_dataset_state state);

/* May to follow from?  from 0: a new row. */
bool pingo__rules_action_may_become(enum pingo_action_state from, enum pingo_action_state to);
bool pingo__rules_dataset_may_become(enum pingo_dataset_state from, enum pingo_dataset_state to);

#endif
