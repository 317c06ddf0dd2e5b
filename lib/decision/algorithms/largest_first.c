/* largest_first.c - the largest goes first: score = -size. */
#include <inttypes.h>
#include <stdio.h>

#include "decision/algorithms/basic.h"

static double score(const void *state, uint32_t dataset)
{
    return -(double)pingo__decision_stored_bytes(state, dataset);
}

static int choose(void *state, const struct pingo_decision_request *request, struct pingo_error *err)
{
    struct pingo__decision_scoring scoring = {.self = state, .bound = score};
    return pingo__decision_greedy_choose(state, &scoring, request, err);
}

static void reason(void *state, uint32_t dataset, char *text, size_t size)
{
    snprintf(text, size, "holds %" PRIu64 " bytes", pingo__decision_stored_bytes(state, dataset));
}

const struct pingo_decision_algorithm pingo__decision_largest_first = {
    PINGO__DECISION_SHARED,
    .name = "largest-first",
    .summary = "the largest goes first",
    .open = pingo__decision_basic_open_plain,
    .observe = pingo__decision_basic_observe,
    .choose = choose,
    .reason = reason,
};
