/* transition.h - the compare-and-set that makes transitions; rules/states.c says which are allowed.
 *
 * What always holds: final states never change; a transition happens only from
 * the state and epoch (or generation's state) that the caller saw; the loser is
 * told so and drops the object.  Source: thesis tables 3.1 and 3.2, section 3.3.2. */
#ifndef PINGO__STORE_TRANSITION_H
#define PINGO__STORE_TRANSITION_H

#include "store/db.h"

struct pingo__store_action_row;
struct pingo__store_action_change {
    const struct pingo__store_action_row *row; /* as it was seen */
    enum pingo_action_state to;
    bool is_new_epoch;
    int64_t owner;       /* after; 0: nobody */
    int64_t now_ms;      /* becomes ended_ms of a final state */
    const char *message; /* NULL: as it was */
};

/* is_done (may be NULL) false: it was not in that state and epoch any more.  Counts down the workflow's unfinished
 * actions and ends the workflow with its last one.  Inside a write transaction. */
int pingo__store_action_change(struct pingo__store_db *db,
                               const struct pingo__store_action_change *change, bool *is_done,
                               struct pingo_error *err);

struct pingo__store_dataset_row;
struct pingo__store_dataset_change {
    const struct pingo__store_dataset_row *row; /* as it was seen: id, hash, generation and state */
    enum pingo_dataset_state to;
    int64_t owner;  /* after, of PROCESSING and DELETING; 0: nobody */
    int64_t former; /* only if this owner has it; 0: whoever has */
    bool unclaimed; /* only if nobody claims it */
};
int pingo__store_dataset_change(struct pingo__store_db *db,
                                const struct pingo__store_dataset_change *change, bool *is_done,
                                struct pingo_error *err);

/* It is made, and nobody's any more: what its object is stands in d; makes it current, instead of the generation that
 * was (0: none). */
int pingo__store_dataset_publish(struct pingo__store_db *db, struct pingo__store_dataset_row *d,
                                 int64_t former, enum pingo_dataset_state to,
                                 struct pingo_error *err);

/* Ends a running workflow as KILLED (pingo_store_kill). */
int pingo__store_workflow_kill(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                               struct pingo_error *err);

#endif
