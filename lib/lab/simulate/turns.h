/* turns.h - users take turns: plan/share.h, on the virtual clock.
 *
 * What always holds: an action that is ready stands in the queue of each user who waits for it; it starts in the turn
 * of one of them, and counts for him.  The numbers of users are their indexes in the history, by who was there first,
 * as in a store. */
#ifndef PINGO__LAB_TURNS_H
#define PINGO__LAB_TURNS_H

#include "lab/simulate/run.h"
#include "plan/share.h"

struct pingo__lab_turner {        /* beside his pingo__plan_sharer */
    struct pingo__lab_heap ready; /* of places; those without a task were taken in another's turn */
    uint64_t nready;              /* without those */
    int64_t usage_ms, as_of_ms;   /* of what has ended */
    uint64_t started_ms;          /* of what runs: the sum, modulo 2^64 */
    int64_t shared_ms;            /* slots by time, while all had something ready */
    struct pingo_simulation_user told;
};

struct pingo__lab_turns {
    struct pingo__plan_sharer *users;
    struct pingo__plan_rank_key *keys;
    struct pingo__lab_turner *more;
    size_t n, nready; /* users; those of them who have something ready */
    struct pingo__lab_place *spare;
};

int pingo__lab_turns_open(struct pingo__lab_run *r);
void pingo__lab_turns_clear(struct pingo__lab_run *r);
/* A task waits for nobody any more. */
int pingo__lab_turns_ready(struct pingo__lab_run *r, struct pingo__lab_task *task);
/* This user waits for it too, and for all that it waits for. */
int pingo__lab_turns_join(struct pingo__lab_run *r, struct pingo__lab_task *task, uint32_t user);
/* What starts now; NULL: nothing is ready. */
struct pingo__lab_task *pingo__lab_turns_next(struct pingo__lab_run *r);
void pingo__lab_turns_ended(struct pingo__lab_run *r, const struct pingo__lab_task *task);
/* The clock goes on to at_ms. */
void pingo__lab_turns_pass(struct pingo__lab_run *r, int64_t at_ms);
/* The run has ended: its result, and each user, are told of. */
int pingo__lab_turns_tell(struct pingo__lab_run *r);

#endif
