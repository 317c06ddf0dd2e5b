/* lru.c - least recently used: score = -age.
 *
 * The age counts submissions since the one that used the dataset last: computed,
 * joined or reused it.  To be mentioned and skipped is no use: a workflow mentions all
 * its ancestors, however old they are. */
#include "decision/algorithms/basic.h"

static double score(const void *state, uint32_t dataset)
{
    return -(double)pingo__decision_stored_age(state, dataset);
}

static int choose(void *state, const struct pingo_decision_request *request, struct pingo_error *err)
{
    struct pingo__decision_scoring scoring = {.self = state, .bound = score};
    return pingo__decision_greedy_choose(state, &scoring, request, err);
}

static void reason(void *state, uint32_t dataset, char *text, size_t size)
{
    pingo__decision_basic_tell_use(state, dataset, text, size);
}

const struct pingo_decision_algorithm pingo__decision_lru = {
    PINGO__DECISION_SHARED,
    .name = "lru",
    .summary = "what was used longest ago goes first",
    .open = pingo__decision_basic_open_plain,
    .observe = pingo__decision_basic_observe,
    .choose = choose,
    .reason = reason,
};
