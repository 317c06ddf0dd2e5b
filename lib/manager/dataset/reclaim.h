/* reclaim.h - what lies in the trash and is no dataset's, and what failed attempts hold.
 *
 * What always holds: an entry of the trash is left alone as long as it is a generation's that is
 * DELETING, or in the hand of a scheduler that lives; files are touched by the deletors alone. */
#ifndef PINGO__MANAGER_RECLAIM_H
#define PINGO__MANAGER_RECLAIM_H

#include "manager/context.h"
#include "manager/workers.h"

struct pingo__manager_stuck; /* an entry that cannot be removed, and when it is tried again */

struct pingo__manager_reclaimer {
    struct pingo__manager_context *c;
    size_t nhand;                          /* chores with the deletors */
    size_t nmeasuring;                     /* of them */
    struct pingo__manager_chores measured; /* done: to be told to the store */
    struct pingo__manager_chores failed;   /* done: what could not be removed, likewise */
    bool must_count;                       /* whether what could not be removed is still there */
    bool looking, must_look;               /* at the trash */
    uint64_t trashed;                      /* as the pool counted when we last looked */
    int64_t looked_ms;                     /* monotonic */
    struct pingo__manager_stuck *stuck;
    size_t nstuck;
};

void pingo__manager_reclaimer_clear(struct pingo__manager_reclaimer *r);
/* Looks at the trash where that is due, hands out what lies there, tells the store what was measured. */
int pingo__manager_reclaimer_tick(struct pingo__manager_reclaimer *r, struct pingo_error *err);
/* Nothing is in hand or untold. */
bool pingo__manager_reclaimer_is_idle(const struct pingo__manager_reclaimer *r);

/* Removes what is free there, on this thread.  What cannot be removed stays. */
int pingo__manager_trash_empty(struct pingo__manager_context *c, struct pingo_error *err);

#endif
