/* state.h - the states of actions, datasets and workflows, and what can be said of each.
 *
 * Ask the functions below instead of comparing numbers: a later version may know more states.  Any number may be
 * asked about; of one that is no state nothing is true.  Any thread may call them at any time.
 * Source: thesis tables 3.1 and 3.2. */
#ifndef PINGO_STATE_H
#define PINGO_STATE_H

#include <pingo/version.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- actions ---------------------------------------------------------------- */

/* Thesis table 3.1, and CANCELLED. */
enum pingo_action_state {
    PINGO_ACTION_WAITING = 1,    /* for a parent, or for an equal action that computes */
    PINGO_ACTION_READY = 2,      /* can be claimed by a scheduler */
    PINGO_ACTION_PROCESSING = 3, /* claimed by a scheduler */
    PINGO_ACTION_SUBMITTED = 4,  /* handed to an executor, or about to be */
    PINGO_ACTION_RUNNING = 5,    /* started */
    PINGO_ACTION_FINISHED = 6,   /* final: its dataset was published */
    PINGO_ACTION_FAILED = 7,     /* final */
    PINGO_ACTION_KILLED = 8,     /* final */
    PINGO_ACTION_CANCELLED = 9   /* final: never started, because a parent failed or was killed */
};

/* "WAITING", ...; NULL for a number that is no state.  Static text. */
PINGO_API const char *pingo_action_state_name(enum pingo_action_state state);
/* Has it ended?  A final state never changes. */
PINGO_API bool pingo_action_state_is_final(enum pingo_action_state state);

/* ---- datasets --------------------------------------------------------------- */

/* Thesis table 3.2. */
enum pingo_dataset_state {
    PINGO_DATASET_TO_DELETE = 1, /* being made; deleted as soon as its readers have finished */
    PINGO_DATASET_TO_STORE = 2,  /* being made; the algorithm will decide */
    PINGO_DATASET_TO_LEAF = 3,   /* being made; a result that was asked for */
    PINGO_DATASET_STORED = 4,    /* there; the algorithm decides how long */
    PINGO_DATASET_LEAF = 5,      /* there; a result that was asked for */
    PINGO_DATASET_STORED_TO_DELETE = 6, /* there; to be deleted once unclaimed */
    PINGO_DATASET_PROCESSING = 7,       /* claimed by a deletor, and untouched */
    PINGO_DATASET_DELETING = 8,         /* being deleted */
    PINGO_DATASET_DELETED = 9           /* nothing is left but what is known of it */
};

/* "STORED", ...; NULL for a number that is no state.  Static text. */
PINGO_API const char *pingo_dataset_state_name(enum pingo_dataset_state state);
/* Is it still to be made: TO_DELETE, TO_STORE or TO_LEAF? */
PINGO_API bool pingo_dataset_state_is_pending(enum pingo_dataset_state state);
/* Is it whole at its place, and no deletor has it: STORED, LEAF or STORED_TO_DELETE? */
PINGO_API bool pingo_dataset_state_is_there(enum pingo_dataset_state state);
/* Does it take space: is it there, or on its way out? */
PINGO_API bool pingo_dataset_state_takes_space(enum pingo_dataset_state state);

/* ---- workflows -------------------------------------------------------------- */

enum pingo_workflow_state {
    PINGO_WORKFLOW_RUNNING = 1,
    PINGO_WORKFLOW_FINISHED = 2,
    PINGO_WORKFLOW_FAILED = 3,
    PINGO_WORKFLOW_KILLED = 4,
    PINGO_WORKFLOW_PAUSED = 5 /* unfinished, and nothing of it starts: pingo_store_pause_workflow() */
};

/* "RUNNING", ...; NULL for a number that is no state.  Static text. */
PINGO_API const char *pingo_workflow_state_name(enum pingo_workflow_state state);
/* Has it ended?  Neither RUNNING nor PAUSED. */
PINGO_API bool pingo_workflow_state_is_final(enum pingo_workflow_state state);

/* ---- failures ---- */

/* What an attempt failed of. */
enum pingo_failure_category {
    PINGO_FAILURE_NONE = 0,    /* it did not fail */
    PINGO_FAILURE_COMMAND = 1, /* its command exited with another status than 0 */
    PINGO_FAILURE_SIGNAL = 2,  /* a signal ended it */
    PINGO_FAILURE_MEMORY = 3,  /* it was ended for its memory limit */
    PINGO_FAILURE_TIME = 4,    /* it was ended for its time limit */
    PINGO_FAILURE_INPUT = 5,   /* what it read changed, or had gone, while it ran */
    PINGO_FAILURE_OUTPUT = 6,  /* its output is missing, or cannot be kept */
    PINGO_FAILURE_SPACE = 7,   /* a disk was full */
    PINGO_FAILURE_NODE = 8,    /* who ran it has gone */
    PINGO_FAILURE_REFUSED = 9, /* it could not be started */
    PINGO_FAILURE_KILLED = 10  /* somebody killed it, or interrupted who ran it */
};
/* "none", "command", "signal", "memory", "time", "input", "output", "space", "node", "refused" or "killed"; NULL for a
 * number that is none.  Static text. */
PINGO_API const char *pingo_failure_category_name(enum pingo_failure_category category);

#ifdef __cplusplus
}
#endif

#endif
