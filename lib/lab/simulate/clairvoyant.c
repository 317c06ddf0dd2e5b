/* clairvoyant.c - the policy that sees the future: chain's score with true demands.
 *
 * Score = [g(d) + sum of g over M(d)] * C(d) / size, g = 1 / (submissions until the
 * next one that demands it), 0 where none does; victims are exchanged as chain's.  It
 * is a policy, not a bound: what is best for several datasets together it does not see.
 * Source: Belady, A study of replacement algorithms for a virtual-storage computer,
 * 1966, carried over to chain's score. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "decision/algorithms/basic.h"
#include "decision/algorithms/hazard.h"
#include "lab/simulate/clairvoyant.h"
#include "lab/simulate/future.h"

struct state {
    struct pingo__decision_stored stored;
    struct pingo__lab_future future;
    bool foresees;
};

static const struct pingo_decision_parameter parameters[] = {PINGO__REACH_PARAMETER};

static int open_state(const struct pingo_history *history, const double *values, void **state,
                      struct pingo_error *err)
{
    return pingo__decision_basic_open(history, sizeof(struct state), (uint32_t)values[0], state,
                                      err);
}

static void close_state(void *self)
{
    struct state *state = self;
    if (state)
        pingo__lab_future_clear(&state->future);
    pingo__decision_basic_close(state);
}

/* In units of 2^-40, as chain's gains are. */
static uint64_t gain_of(const struct state *state, uint32_t dataset)
{
    uint32_t now = state->stored.nobserved; /* the next submission */
    uint32_t next = pingo__lab_future_next(&state->future, dataset, now);
    if (next == PINGO_HISTORY_NONE)
        return 0;
    return (uint64_t)PINGO__HAZARD_UNIT / ((uint64_t)next - now + 1);
}

static double score_of(const struct state *state, uint32_t dataset, uint64_t gain, uint64_t ms)
{
    return (double)gain / PINGO__HAZARD_UNIT * (double)ms /
           pingo__decision_stored_size(&state->stored, dataset);
}

static double bound(const void *self, uint32_t dataset)
{
    const struct state *state = self;
    return score_of(state, dataset, gain_of(state, dataset),
                    pingo__decision_stored_ms(&state->stored, dataset));
}

static double score(void *self, const uint64_t *bits, uint32_t dataset)
{
    struct state *state = self;
    struct pingo__decision_stored *s = &state->stored;
    uint32_t nabove;
    uint64_t gain = gain_of(state, dataset);
    uint64_t ms = pingo__decision_stored_cost(s, bits, dataset, UINT32_MAX, &nabove);
    uint32_t nbelow = pingo__decision_stored_below(s, bits, dataset, UINT32_MAX);
    for (uint32_t i = 0; i < nbelow; i++)
        gain += gain_of(state, s->found[i]);
    return score_of(state, dataset, gain, ms);
}

static int choose(void *self, const struct pingo_decision_request *request, struct pingo_error *err)
{
    struct state *state = self;
    struct pingo__decision_scoring scoring = {
        .self = self, .bound = bound, .score = score, .exchange = true};
    if (!state->foresees)
        return pingo__fail(err, PINGO_EUNSUPPORTED,
                           "clairvoyant sees the future in the simulator alone");
    return pingo__decision_greedy_choose(&state->stored, &scoring, request, err);
}

static const struct pingo_decision_algorithm clairvoyant = {
    .abi_version = PINGO_DECISION_ABI,
    .name = "clairvoyant",
    .summary = "chain's score with the true future: for comparisons",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .close = close_state,
    .observe = pingo__decision_basic_observe,
    .present = pingo__decision_basic_present,
    .missing = pingo__decision_basic_missing,
    .choose = choose,
};

const struct pingo_decision_algorithm *pingo_clairvoyant(void)
{
    return &clairvoyant;
}

int pingo__lab_clairvoyant_foresee(struct pingo_decider *decider,
                                   const struct pingo_workload *workload, struct pingo_error *err)
{
    struct state *state = pingo_decider_state(decider);
    int rc = pingo__lab_future_init(&state->future, workload->history, err);
    state->foresees = rc == 0;
    return rc;
}
