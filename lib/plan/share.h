/* share.h - whose turn it is: fair shares of users, one chooser for the engine and the simulator.
 *
 * What has a priority above 0 is before all shares, in the order of rank.h.  Else the turn is of the user who has the
 * least slots in hand for his weight, then of who has used least for it, then of the lowest number; among what is one
 * user's, rank.h says.  With one user that is rank.h's order and no other.  Source: Columbus thesis 5.3 (round robin of
 * users), Slurm's fair tree of one level (use that halves). */
#ifndef PINGO__PLAN_SHARE_H
#define PINGO__PLAN_SHARE_H

#include "plan/rank.h"

#define PINGO__SHARE_WEIGHT_MOST 10000
#define PINGO__SHARE_HALF_LIFE_MS 86400000 /* where nothing else is set */

struct pingo__plan_sharer {
    int64_t user;
    int64_t weight;   /* 1 to PINGO__SHARE_WEIGHT_MOST */
    int64_t running;  /* slots that it has in hand */
    int64_t usage_ms; /* slots by time, halved with age, what runs included */
    int64_t quota;    /* slots that it may have in hand; 0: any number */
    int64_t most;     /* and for the moment, likewise */
    const struct pingo__plan_rank_key *next; /* what it would start next; NULL: nothing */
    int64_t part;                            /* found by allot: slots that fall to it */
};

/* The place of whose next action starts; SIZE_MAX: nobody's can. */
size_t pingo__plan_share_next(const struct pingo__plan_sharer *users, size_t n);
/* Divides slots by weight among those who have something next or in hand; who wants less leaves the rest to the others.
 * Parts are rounded up, so that no slot is left over while somebody has something next. */
void pingo__plan_share_allot(struct pingo__plan_sharer *users, size_t n, int64_t slots);
/* Use that was usage_ms at *as_of_ms is so much now.  It shrinks in steps of a 1024th of its half-life; *as_of_ms
 * becomes the time of the last one, and what is added before the next is not lost. */
int64_t pingo__plan_share_decay(int64_t usage_ms, int64_t *as_of_ms, int64_t now_ms,
                                int64_t half_life_ms);

#endif
