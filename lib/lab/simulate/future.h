/* future.h - for each dataset of a history, which submissions demand it. */
#ifndef PINGO__LAB_FUTURE_H
#define PINGO__LAB_FUTURE_H

#include <pingo/history.h>

struct pingo__lab_future {
    uint32_t *first;       /* of each dataset: where its demands begin; one more at the end */
    uint32_t *submissions; /* rising */
};

/* A submission demands a dataset that was made before, and that it computes unless it is stored, whatever else is:
 * PINGO__BOUND_NEEDED of bound/walk.h.  Errors: PINGO_ENOMEM. */
int pingo__lab_future_init(struct pingo__lab_future *f, const struct pingo_history *history,
                           struct pingo_error *err);
void pingo__lab_future_clear(struct pingo__lab_future *f);
/* The first submission from `from` on that demands a dataset; PINGO_HISTORY_NONE. */
uint32_t pingo__lab_future_next(const struct pingo__lab_future *f, uint32_t dataset, uint32_t from);

#endif
