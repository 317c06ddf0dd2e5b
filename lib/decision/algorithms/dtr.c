/* dtr.c - the heuristic of Dynamic Tensor Rematerialization.
 *
 * Score = (t + sum of t over A(d) and M(d)) / (size * age): what it costs to make
 * the dataset again, with the missing ancestors and descendants that lean on it,
 * by byte and by submission since it was used last.
 * Source: Kirisame et al., Dynamic Tensor Rematerialization, ICLR 2021. */
#include <inttypes.h>
#include <stdio.h>

#include "decision/algorithms/greedy.h"

static const struct pingo_decision_parameter parameters[] = {PINGO__REACH_PARAMETER};

static double score_of(const struct pingo__decision_stored *s, uint32_t dataset, uint64_t ms)
{
    return (double)ms / (pingo__decision_stored_size(s, dataset) *
                         (double)pingo__decision_stored_age(s, dataset));
}

static double bound(const void *state, uint32_t dataset)
{
    return score_of(state, dataset, pingo__decision_stored_ms(state, dataset));
}

/* What leans on it: its time, and that of the missing ancestors and descendants. */
static uint64_t cost(struct pingo__decision_stored *s, uint32_t dataset,
                     const struct pingo__decision_look *look)
{
    uint32_t n;
    uint64_t ms = pingo__decision_stored_cost(s, look->bits, dataset, look->reach, &n);
    if (score_of(s, dataset, ms) > look->limit)
        return ms;
    n = pingo__decision_stored_below(s, look->bits, dataset, look->reach);
    return pingo__decision_sum(ms, pingo__decision_stored_found_ms(s, n));
}

static double score(void *state, uint32_t dataset, const struct pingo__decision_look *look)
{
    return score_of(state, dataset, cost(state, dataset, look));
}

static const struct pingo__decision_kind kind = {
    .size = sizeof(struct pingo__decision_stored), .bound = bound, .score = score};

PINGO__DECISION_OPEN(open_state, (uint32_t)values[0])

static void reason(void *state, uint32_t dataset, char *text, size_t size)
{
    struct pingo__decision_stored *s = state;
    struct pingo__decision_look all = pingo__decision_look_all(s->present);
    char used[48];
    pingo__decision_stored_tell_use(s, dataset, used, sizeof used);
    snprintf(text, size, "%" PRIu64 " ms lean on it, it holds %" PRIu64 " bytes, %s",
             cost(s, dataset, &all), pingo__decision_stored_bytes(s, dataset), used);
}

const struct pingo_decision_algorithm pingo__decision_dtr = {
    PINGO__DECISION_SHARED,
    .name = "dtr",
    .summary = "cost with missing neighbours by size and age, as tensors are dropped",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .observe = pingo__decision_stored_observe,
    .reason = reason,
};
