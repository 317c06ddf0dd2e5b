/* largest_first.c - the largest goes first: score = -size. */
#include <inttypes.h>
#include <stdio.h>

#include "decision/algorithms/greedy.h"

static double score(const void *state, uint32_t dataset)
{
    return -(double)pingo__decision_stored_bytes(state, dataset);
}

static const struct pingo__decision_kind kind = {.size = sizeof(struct pingo__decision_stored),
                                                 .bound = score};

PINGO__DECISION_OPEN(open_state, 0)

static void reason(void *state, uint32_t dataset, char *text, size_t size)
{
    snprintf(text, size, "holds %" PRIu64 " bytes", pingo__decision_stored_bytes(state, dataset));
}

const struct pingo_decision_algorithm pingo__decision_largest_first = {
    PINGO__DECISION_SHARED,
    .name = "largest-first",
    .summary = "the largest goes first",
    .open = open_state,
    .observe = pingo__decision_stored_observe,
    .reason = reason,
};
