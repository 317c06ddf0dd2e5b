/* fitting.h - while a list of READY actions is made: what fits into the counters of its executor. */
#ifndef PINGO__MANAGER_FITTING_H
#define PINGO__MANAGER_FITTING_H

#include "manager/attempt/counters.h"
#include "manager/attempt/flight.h"

struct pingo__manager_fitting {
    struct pingo__manager_actions *m;
    struct pingo__arena *arena;
    struct pingo__manager_counters *counters; /* by executor; NULL: not needed yet */
    bool refused[PINGO__WANTS];               /* of these kinds none fits any more */
};

/* The counters of this executor, of which nothing is known yet. */
struct pingo__manager_counters pingo__manager_counters_of(struct pingo__manager_actions *m,
                                                          size_t executor,
                                                          struct pingo__arena *arena);
/* As pingo__store_ready_query.passes: it is not known that it cannot be claimed. */
bool pingo__manager_fitting_passes(void *fitting, int64_t action, bool rare);
/* As pingo__store_ready_query.foreign. */
void pingo__manager_fitting_foreign(void *fitting, int64_t action);
/* As pingo__store_ready_query.waits: one that asks for the same did not fit. */
bool pingo__manager_fitting_waits(void *fitting, const struct pingo__store_asking *asking);
/* As pingo__store_ready_query.fits: it fits, and holds what it asks for from now on. */
int pingo__manager_fitting_take(void *fitting, const struct pingo__store_action_row *row,
                                bool *does, struct pingo_error *err);
/* Likewise: there is as much as it asks for, be it kept for somebody else. */
int pingo__manager_fitting_could(void *fitting, const struct pingo__store_action_row *row,
                                 bool *does, struct pingo_error *err);
/* It was taken, and is not claimed yet: it holds nothing. */
int pingo__manager_fitting_give(void *fitting, const struct pingo__store_action_row *row,
                                struct pingo_error *err);

#endif
