/* clairvoyant.c - the policy that sees the future: chain's score with true demands.
 *
 * Score = [g(d) + sum of g over M(d)] * C(d) / size, g = 1 / (submissions until the
 * next one that demands it), 0 where none does; victims are exchanged as chain's.  It
 * is a policy, not a bound: what is best for several datasets together it does not see.
 * A submission demands a dataset that was made before, and that it computes unless it is
 * stored, whatever else is: PINGO__BOUND_NEEDED of bound/walk.h.
 * Source: Belady, A study of replacement algorithms for a virtual-storage computer,
 * 1966, carried over to chain's score. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "decision/algorithms/greedy.h"
#include "decision/algorithms/hazard.h"
#include "lab/bound/walk.h"
#include "lab/simulate/workload.h"

#define NONE PINGO_HISTORY_NONE

struct demand {
    uint32_t dataset;
    uint32_t next; /* the submission that demands it after this one; NONE */
};

struct state {
    struct pingo__decision_stored stored;
    uint32_t *next; /* of each dataset, what demands it next; NULL: the future is not seen */
    struct demand *demands; /* in the order of submissions */
    size_t ndemands, demands_capacity;
    size_t npast; /* of them, of submissions that were observed */
};

static const struct pingo_decision_parameter parameters[] = {PINGO__REACH_PARAMETER};

/* ---- the future ------------------------------------------------------------------------ */

/* What each submission needs of what was made before: as if there were room for all of it. */
static int find_demands(struct state *s, const struct pingo_history *history,
                        struct pingo_error *err)
{
    struct pingo__lab_bound_walk w;
    int rc = pingo__lab_bound_walk_open(&w, history, INT64_MAX, false, err);
    while (rc == 0 && w.next < pingo_history_count_submissions(history)) {
        rc = pingo__lab_bound_walk_look(&w, err);
        if (rc == 0 && !PINGO__ARRAY_ROOM(s->demands, s->demands_capacity, s->ndemands, w.nvisits))
            rc = pingo__fail_memory(err);
        for (size_t k = 0; rc == 0 && k < w.nvisits; k++)
            if (w.visits[k].need == PINGO__BOUND_NEEDED)
                s->demands[s->ndemands++] = (struct demand){w.visits[k].action, w.next};
        pingo__lab_bound_walk_step(&w);
    }
    pingo__lab_bound_walk_clear(&w);
    return rc;
}

int pingo__lab_clairvoyant_foresee(struct pingo_decider *decider,
                                   const struct pingo_workload *workload, struct pingo_error *err)
{
    struct state *s = pingo_decider_state(decider);
    size_t nactions = pingo_history_count_actions(workload->history);
    int rc = find_demands(s, workload->history, err);
    s->next = malloc((nactions + 1) * sizeof *s->next);
    if (rc != 0 || !s->next)
        return rc != 0 ? rc : pingo__fail_memory(err);
    for (size_t i = 0; i < nactions; i++)
        s->next[i] = NONE;
    for (size_t i = s->ndemands;
         i-- > 0;) { /* each has its own submission, and gets the one after it */
        struct demand *d = &s->demands[i];
        uint32_t submission = d->next;
        d->next = s->next[d->dataset];
        s->next[d->dataset] = submission;
    }
    return 0;
}

static int observe(void *self, uint32_t submission, struct pingo_error *err)
{
    struct state *s = self;
    int rc = pingo__decision_stored_observe(self, submission, err);
    for (; rc == 0 && s->npast < s->ndemands; s->npast++) {
        const struct demand *d = &s->demands[s->npast];
        if (s->next[d->dataset] != submission)
            break;
        s->next[d->dataset] = d->next;
    }
    return rc;
}

/* ---- the score ------------------------------------------------------------------------- */

/* In units of 2^-40, as chain's gains are. */
static uint64_t gain_of(const struct state *s, uint32_t dataset)
{
    if (s->next[dataset] == NONE)
        return 0;
    return (uint64_t)PINGO__HAZARD_UNIT / ((uint64_t)s->next[dataset] - s->stored.nobserved + 1);
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

static double score(void *self, uint32_t dataset, const struct pingo__decision_look *look)
{
    struct state *state = self;
    struct pingo__decision_stored *s = &state->stored;
    uint32_t nabove;
    uint64_t gain = gain_of(state, dataset);
    uint64_t ms = pingo__decision_stored_cost(s, look->bits, dataset, look->reach, &nabove);
    uint32_t nbelow = pingo__decision_stored_below(s, look->bits, dataset, look->reach);
    for (uint32_t i = 0; i < nbelow; i++)
        gain += gain_of(state, s->found[i]);
    return score_of(state, dataset, gain, ms);
}

/* ---- the table ------------------------------------------------------------------------- */

static const struct pingo__decision_kind kind = {
    .size = sizeof(struct state), .bound = bound, .score = score, .exchanges = true};

PINGO__DECISION_OPEN(open_state, (uint32_t)values[0])

static void close_state(void *self)
{
    struct state *state = self;
    if (state) {
        free(state->next);
        free(state->demands);
    }
    pingo__decision_stored_close(state);
}

static int choose(void *self, const struct pingo_decision_request *request, struct pingo_error *err)
{
    if (!((const struct state *)self)->next)
        return pingo__fail(err, PINGO_EUNSUPPORTED,
                           "clairvoyant sees the future in the simulator alone");
    return pingo__decision_greedy_choose(self, request, err);
}

static const struct pingo_decision_algorithm clairvoyant = {
    .abi_version = PINGO_DECISION_ABI,
    .name = "clairvoyant",
    .summary = "chain's score with the true future: for comparisons",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .present = pingo__decision_stored_present,
    .missing = pingo__decision_stored_missing,
    .choose = choose,
};

const struct pingo_decision_algorithm *pingo_clairvoyant(void)
{
    return &clairvoyant;
}
