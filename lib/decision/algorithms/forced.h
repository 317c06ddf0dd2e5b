/* forced.h - what a submission computes whatever is there: what is forced, and what descends from it and is
 * not skipped.
 *
 * No dataset of these is demanded by it, and what they read is. */
#ifndef PINGO__DECISION_FORCED_H
#define PINGO__DECISION_FORCED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/history.h>

struct pingo__decision_forced {
    uint32_t *actions; /* rising, each once */
    size_t n, capacity;
};

/* Finds those of a submission; f: zeroed, or of another one.  false: no memory. */
bool pingo__decision_forced_find(struct pingo__decision_forced *f,
                                 const struct pingo_history *history,
                                 const struct pingo_history_submission *w);
bool pingo__decision_forced_has(const struct pingo__decision_forced *f, uint32_t action);
void pingo__decision_forced_clear(struct pingo__decision_forced *f);

#endif
