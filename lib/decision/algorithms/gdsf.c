/* gdsf.c - Greedy-Dual-Size-Frequency.
 *
 * Score H = L + f * cost / size, where f is how often the dataset was used, L the
 * largest evicted H at the time when it was used last, or came to be there, and cost
 * its own time (local) or that of its missing ancestors too (chain).
 * It remembers its evictions: its state is a function of the sequence of calls,
 * and one that is opened anew begins with L = 0.
 * Source: Cherkasova, Improving WWW Proxies Performance with
 * Greedy-Dual-Size-Frequency Caching Policy, HPL-98-69; Young, On-line file
 * caching, SODA 1998. */
#include <inttypes.h>
#include <stdio.h>

#include "decision/algorithms/greedy.h"

enum { COST, REACH };

struct state {
    struct pingo__decision_stored stored;
    double inflation; /* L */
    double *bases;    /* L as it was at the last use */
    uint32_t *uses;
};

static const char *const costs[] = {"local", "chain", NULL};
static const struct pingo_decision_parameter parameters[] = {
    {"cost", PINGO_PARAMETER_CHOICE, 0, 0, 1, costs, "its own time, or with its missing ancestors'"},
    PINGO__REACH_PARAMETER,
};

static double score_of(const struct state *state, uint32_t dataset, uint64_t ms)
{
    return state->bases[dataset] + (double)state->uses[dataset] * (double)ms /
                                       pingo__decision_stored_size(&state->stored, dataset);
}

static double bound(const void *self, uint32_t dataset)
{
    const struct state *state = self;
    return score_of(state, dataset, pingo__decision_stored_ms(&state->stored, dataset));
}

static double score(void *self, uint32_t dataset, const struct pingo__decision_look *look)
{
    uint32_t nabove;
    return score_of(self, dataset,
                    pingo__decision_stored_cost(self, look->bits, dataset, look->reach, &nabove));
}

static const struct pingo__decision_kind local = {.size = sizeof(struct state), .bound = bound},
                                         chain = {.size = sizeof(struct state),
                                                  .bound = bound,
                                                  .score = score};

/* What it costs to make it again, as things are. */
static uint64_t cost(struct state *state, uint32_t dataset)
{
    struct pingo__decision_stored *s = &state->stored;
    uint32_t nabove;
    return s->kind == &local
               ? pingo__decision_stored_ms(s, dataset)
               : pingo__decision_stored_cost(s, s->present, dataset, UINT32_MAX, &nabove);
}

static int open_state(const struct pingo_history *history, const double *values, void **state,
                      struct pingo_error *err)
{
    int rc = pingo__decision_stored_open(history, values[COST] == 0.0 ? &local : &chain,
                                         (uint32_t)values[REACH], state, err);
    if (rc != 0)
        return rc;
    struct state *s = *state;
    pingo__decision_stored_keep(&s->stored, &s->bases, sizeof *s->bases);
    pingo__decision_stored_keep(&s->stored, &s->uses, sizeof *s->uses);
    return 0;
}

static int observe(void *self, uint32_t submission, struct pingo_error *err)
{
    struct state *state = self;
    struct pingo_history_submission w = {.size = sizeof w};
    int rc = pingo__decision_stored_read(&state->stored, submission, &w, err);
    if (rc != 0)
        return rc;
    pingo__decision_stored_take(&state->stored, &w);
    for (size_t i = 0; i < w.nactions; i++) {
        if (!pingo__decision_stored_is_use(w.flags[i]))
            continue;
        state->uses[w.actions[i]]++;
        state->bases[w.actions[i]] = state->inflation;
    }
    return 0;
}

static int present(void *self, uint32_t dataset, struct pingo_error *err)
{
    struct state *state = self;
    state->bases[dataset] = state->inflation;
    return pingo__decision_stored_present(self, dataset, err);
}

static void missing(void *self, uint32_t dataset, bool evicted)
{
    struct state *state = self;
    double h = evicted ? score_of(state, dataset, cost(state, dataset)) : 0;
    if (h > state->inflation)
        state->inflation = h;
    pingo__decision_stored_missing(self, dataset, evicted);
}

static void reason(void *self, uint32_t dataset, char *text, size_t size)
{
    struct state *state = self;
    char aged[64] = "";
    if (state->bases[dataset] > 0)
        snprintf(aged, sizeof aged, ", %.6g more for what was evicted before",
                 state->bases[dataset]);
    snprintf(text, size, "used %u time%s, %" PRIu64 " ms to make again, holds %" PRIu64 " bytes%s",
             state->uses[dataset], state->uses[dataset] == 1 ? "" : "s", cost(state, dataset),
             pingo__decision_stored_bytes(&state->stored, dataset), aged);
}

const struct pingo_decision_algorithm pingo__decision_gdsf = {
    .abi_version = PINGO_DECISION_ABI,
    .name = "gdsf",
    .summary = "uses times cost by size, with ageing by what was evicted",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .remembers_evictions = true,
    .open = open_state,
    .close = pingo__decision_stored_close,
    .observe = observe,
    .present = present,
    .missing = missing,
    .choose = pingo__decision_greedy_choose,
    .reason = reason,
};
