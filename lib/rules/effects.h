/* effects.h - what an end, a loss, a join and a reuse make of states.  Pure; source: thesis 3.3.2 and 3.4. */
#ifndef PINGO__RULES_EFFECTS_H
#define PINGO__RULES_EFFECTS_H

#include <stdint.h>

#include <pingo/executor.h>

#include "rules/states.h"

/* ---- actions and workflows: enum pingo_action_state, enum pingo_workflow_state --------------- */

/* Of a row that waits for so many others: an action is READY exactly when it waits for nobody. */
enum pingo_action_state pingo__rules_action_start(int64_t waits);
/* What an action that is to end as FAILED, KILLED or CANCELLED ends as: what has started is not cancelled. */
enum pingo_action_state pingo__rules_action_end(enum pingo_action_state state,
                                                enum pingo_action_state to);
/* What a kill makes of an action: what could not start yet is cancelled. */
enum pingo_action_state pingo__rules_action_kill(enum pingo_action_state state);
/* Of a workflow whose actions are all final; actions: how many are in each state.  What is cancelled where nothing
 * failed was not needed. */
enum pingo_workflow_state pingo__rules_workflow_end(const int64_t actions[PINGO__ACTION_STATES]);

/* ---- datasets: enum pingo_dataset_state ------------------------------------------------------- */

/* The retention rule: of what is to be made.  wanted: as a result, or it lies outside the pool. */
enum pingo_dataset_state pingo__rules_dataset_start(bool wanted, bool never_kept);
/* Has it yet to be made, and would be kept longer as to?  Planning only raises retention. */
bool pingo__rules_dataset_is_raised(enum pingo_dataset_state from, enum pingo_dataset_state to);
/* Of what was made; former: the state of the generation that it replaces, 0: none; pinned: be it since it was planned.
 * Retention is never lowered. */
enum pingo_dataset_state pingo__rules_dataset_made(enum pingo_dataset_state pending,
                                                   enum pingo_dataset_state former, bool pinned);
/* Of what is there and is reused. */
enum pingo_dataset_state pingo__rules_dataset_reused(enum pingo_dataset_state state, bool wanted);
/* With which of the states of two generations that share an object its bytes count; 0: it does not.  LEAF before STORED
 * before those on their way out. */
enum pingo_dataset_state pingo__rules_dataset_counted(enum pingo_dataset_state a,
                                                      enum pingo_dataset_state b);
/* Was it about to go, and stays? */
bool pingo__rules_dataset_is_rescued(enum pingo_dataset_state from, enum pingo_dataset_state to);

/* ---- ends of attempts ------------------------------------------------------------------------- */

/* Did the command fail of itself?  Then what it met may be why: the sandbox, a full disk. */
bool pingo__rules_end_is_failure(const struct pingo_job_end *end);
/* Which signal has ended the command, or, as a shell's exit status says, what it ran; 0: none. */
int pingo__rules_end_signal(const struct pingo_job_end *end);

#endif
