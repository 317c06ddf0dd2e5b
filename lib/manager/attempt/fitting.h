/* fitting.h - while a list of READY actions is made: what fits into the counters of its executor. */
#ifndef PINGO__MANAGER_FITTING_H
#define PINGO__MANAGER_FITTING_H

#include "manager/attempt/flight.h"

struct pingo__manager_fitting {
    struct pingo__manager_actions *m;
    struct pingo__arena *arena;
    enum pingo__manager_weighing how;
    struct pingo__manager_counters *counters; /* by executor; NULL: not needed yet */
    bool refused[PINGO__KINDS];               /* of these kinds none fits any more */
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
/* As pingo__store_ready_query.fits: weighed as how says. */
int pingo__manager_fitting_fits(void *fitting, const struct pingo__store_action_row *row,
                                bool *fits, struct pingo_error *err);

#endif
