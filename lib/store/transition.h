/* transition.h - the compare-and-set that makes transitions; rules/states.c says which are allowed.
 *
 * What always holds: final states never change; a transition happens only from
 * the state and epoch (or generation's state) that the caller saw; the loser is
 * told so and drops the object.  Source: thesis tables 3.1 and 3.2, section 3.3.2. */
#ifndef PINGO__STORE_TRANSITION_H
#define PINGO__STORE_TRANSITION_H

#include "store/db.h"

struct pingo__store_action_change {
    int64_t id;
    int64_t workflow;
    int64_t user_id;
    struct pingo_hash hash;
    enum pingo_action_state from, to;
    int64_t from_epoch, to_epoch;
    int64_t owner;       /* after; 0: nobody */
    int64_t now_ms;      /* becomes ended_ms of a final state */
    const char *message; /* NULL: as it was */
    int64_t user, cpus;  /* who has it in hand while it is claimed */
};

/* is_done (may be NULL) false: the row was not in (from, from_epoch) any more.  Counts down the workflow's unfinished
 * actions and ends the workflow with its last one.  Inside a write transaction. */
int pingo__store_action_change(struct pingo__store_db *db,
                               const struct pingo__store_action_change *change, bool *is_done,
                               struct pingo_error *err);

struct pingo__store_dataset_change {
    int64_t id;
    struct pingo_hash hash;
    int64_t generation;
    enum pingo_dataset_state from, to;
    int64_t owner;  /* after, of PROCESSING and DELETING; 0: nobody */
    int64_t former; /* only if this owner has it; 0: whoever has */
    bool unclaimed; /* only if nobody claims it */
};
int pingo__store_dataset_change(struct pingo__store_db *db,
                                const struct pingo__store_dataset_change *change, bool *is_done,
                                struct pingo_error *err);

/* Ends a running workflow as KILLED (pingo_store_kill). */
int pingo__store_workflow_kill(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                               struct pingo_error *err);

#endif
