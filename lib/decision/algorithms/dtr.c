/* dtr.c - the heuristic of Dynamic Tensor Rematerialization.
 *
 * Score = (t + sum of t over A(d) and M(d)) / (size * age): what it costs to make
 * the dataset again, with the missing ancestors and descendants that lean on it,
 * by byte and by submission since it was used last.
 * Source: Kirisame et al., Dynamic Tensor Rematerialization, ICLR 2021. */
#include <inttypes.h>
#include <stdio.h>

#include "decision/algorithms/basic.h"

static const struct pingo_decision_parameter parameters[] = {PINGO__REACH_PARAMETER};

static int open_state(const struct pingo_history *history, const double *values, void **state,
                      struct pingo_error *err)
{
    return pingo__decision_basic_open(history, sizeof(struct pingo__decision_stored),
                                      (uint32_t)values[0], state, err);
}

static double score_of(const struct pingo__decision_stored *s, uint32_t dataset, uint64_t ms)
{
    return (double)ms / (pingo__decision_stored_size(s, dataset) *
                         (double)pingo__decision_stored_age(s, dataset));
}

static double bound(const void *state, uint32_t dataset)
{
    return score_of(state, dataset, pingo__decision_stored_ms(state, dataset));
}

/* With the missing descendants that lean on it. */
static uint64_t with_below(struct pingo__decision_stored *s, const uint64_t *bits, uint32_t dataset,
                           uint32_t reach, uint64_t ms)
{
    uint32_t n = pingo__decision_stored_below(s, bits, dataset, reach);
    return pingo__decision_sum(ms, pingo__decision_stored_found_ms(s, n));
}

static uint64_t cost(struct pingo__decision_stored *s, const uint64_t *bits, uint32_t dataset)
{
    uint32_t n;
    uint64_t ms = pingo__decision_stored_cost(s, bits, dataset, UINT32_MAX, &n);
    return with_below(s, bits, dataset, UINT32_MAX, ms);
}

static double score(void *state, const uint64_t *bits, uint32_t dataset)
{
    return score_of(state, dataset, cost(state, bits, dataset));
}

static double partial(void *state, const uint64_t *bits, uint32_t dataset,
                      const struct pingo__decision_partial *how)
{
    uint32_t n;
    uint64_t ms = pingo__decision_stored_cost(state, bits, dataset, how->reach, &n);
    double least = score_of(state, dataset, ms);
    if (least > how->limit)
        return least;
    return score_of(state, dataset, with_below(state, bits, dataset, how->reach, ms));
}

static int choose(void *state, const struct pingo_decision_request *request, struct pingo_error *err)
{
    struct pingo__decision_scoring scoring = {
        .self = state, .bound = bound, .score = score, .partial = partial};
    return pingo__decision_greedy_choose(state, &scoring, request, err);
}

static void reason(void *state, uint32_t dataset, char *text, size_t size)
{
    struct pingo__decision_stored *s = state;
    char used[48];
    pingo__decision_basic_tell_use(s, dataset, used, sizeof used);
    snprintf(text, size, "%" PRIu64 " ms lean on it, it holds %" PRIu64 " bytes, %s",
             cost(s, s->present, dataset), pingo__decision_stored_bytes(s, dataset), used);
}

const struct pingo_decision_algorithm pingo__decision_dtr = {
    PINGO__DECISION_SHARED,
    .name = "dtr",
    .summary = "cost with missing neighbours by size and age, as tensors are dropped",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .observe = pingo__decision_basic_observe,
    .choose = choose,
    .reason = reason,
};
