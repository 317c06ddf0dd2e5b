/* uncollected.h - attempts that have ended where nobody who collects ends is there to see it. */
#ifndef PINGO__ENGINE_UNCOLLECTED_H
#define PINGO__ENGINE_UNCOLLECTED_H

#include "engine/engine.h"

struct pingo__engine_uncollected { /* zeroed but for the store */
    struct pingo_store *store;
    bool is_read; /* the ends that are kept, in order of their keys: */
    struct pingo_job_end *ends;
    size_t n, capacity;
    bool failed;
    int64_t owner; /* who was looked for last */
    bool is_alive;
};
void pingo__engine_uncollected_clear(struct pingo__engine_uncollected *u);
/* An open attempt: *end as it was reported, where its owner is gone and it has ended; else end->key stays
 * as it is. */
int pingo__engine_uncollected_end(struct pingo__engine_uncollected *u,
                                  const struct pingo__store_attempt_row *attempt,
                                  struct pingo_job_end *end, struct pingo_error *err);

#endif
