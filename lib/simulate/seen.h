/* seen.h - the history as an algorithm sees it in the middle of a run: it grows.
 *
 * It has what the engine would know: the submissions that came, and the sizes and
 * times of what was made.  Its indexes are its own. */
#ifndef PINGO__SIMULATE_SEEN_H
#define PINGO__SIMULATE_SEEN_H

#include "simulate/workload.h"

struct pingo__seen {
    const struct pingo_history *whole;
    struct pingo_history *history; /* the part that was seen */
    uint32_t *to_seen;             /* of each dataset of the whole; PINGO_HISTORY_NONE */
    uint32_t *to_whole;            /* the other way round */
    struct pingo_history_mention *mentions;
    struct pingo_hash *parents;
    size_t mentions_capacity, parents_capacity;
};

int pingo__seen_init(struct pingo__seen *s, const struct pingo_history *whole,
                     struct pingo_error *err);
void pingo__seen_clear(struct pingo__seen *s);
/* Appends the next submission; entries are its plan. */
int pingo__seen_submit(struct pingo__seen *s, uint32_t submission,
                       const struct pingo_plan_entry *entries, struct pingo_error *err);
/* A dataset of a submission that came, or of one of its ancestors, was made; ms is the mean of all times. */
void pingo__seen_made(struct pingo__seen *s, uint32_t dataset, int64_t bytes, int64_t ms);

#endif
