/* lru.c - least recently used: score = -age.
 *
 * The age counts submissions since the one that used the dataset last: computed,
 * joined or reused it.  To be mentioned and skipped is no use: a workflow mentions all
 * its ancestors, however old they are. */
#include "decision/algorithms/greedy.h"

static double score(const void *state, uint32_t dataset)
{
    return -(double)pingo__decision_stored_age(state, dataset);
}

static const struct pingo__decision_kind kind = {.size = sizeof(struct pingo__decision_stored),
                                                 .bound = score};

PINGO__DECISION_OPEN(open_state, 0)

const struct pingo_decision_algorithm pingo__decision_lru = {
    PINGO__DECISION_SHARED,
    .name = "lru",
    .summary = "what was used longest ago goes first",
    .open = open_state,
    .observe = pingo__decision_stored_observe,
    .reason = pingo__decision_stored_tell_use,
};
