/* chain.c - the default: how likely a dataset is needed, with all that leans on it, times what it costs.
 *
 * Score = [g(d) + sum of g over M(d)] * C(d) / size.  When a dataset is missing,
 * demand for it falls on its nearest stored ancestors; other scores overlook that.
 * g is how likely a dataset is demanded by a coming workflow.  A demand for v is a
 * submission with a child of v that was never seen before, is computed by force or
 * unmanaged, or one whose result v is for the first time though it was known, so that
 * the history teaches it whatever is stored.  C(d) = t + sum of t over A(d).  Victims are exchanged once (greedy.h).
 *
 * Which cell a dataset is in is a function of the submissions: those whose age
 * crosses into the next bin now were all mentioned by one of seven submissions,
 * which are read again; no list of them is kept.
 * Source: this project's own; the figures that led to it are in pingo-decision(7). */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "decision/algorithms/forced.h"
#include "decision/algorithms/greedy.h"
#include "decision/algorithms/hazard.h"

enum { REACH, REFIT, DECAY, WEIGHT };

struct state {
    struct pingo__decision_stored stored;
    uint32_t refit, next_fit;
    uint32_t *last_demand;  /* the submission that demanded it last, or made it */
    uint32_t *last_mention; /* that mentioned it last, whether it used it or not */
    uint16_t *cells;
    uint8_t *demands;   /* 255: so many or more */
    bool *were_results; /* a submission had it as a result */
    struct pingo__decision_hazard hazard;
};

static const struct pingo_decision_parameter parameters[] = {
    PINGO__REACH_PARAMETER,
    {"refit", PINGO_PARAMETER_INTEGER, 1, 1000000, 16, NULL, "submissions from fit to fit at most"},
    {"decay", PINGO_PARAMETER_NUMBER, 0, 8, 0.5, NULL, "how fast demand is thought to fall with age"},
    {"weight", PINGO_PARAMETER_NUMBER, 0.001, 1000000, 8, NULL,
     "how many events that thought is worth"},
};

static double score_of(const struct state *state, uint32_t dataset, uint64_t gain, uint64_t ms)
{
    return (double)gain / PINGO__HAZARD_UNIT * (double)ms /
           pingo__decision_stored_size(&state->stored, dataset);
}

static double bound(const void *self, uint32_t dataset)
{
    const struct state *state = self;
    return score_of(state, dataset, state->hazard.gain[state->cells[dataset]],
                    pingo__decision_stored_ms(&state->stored, dataset));
}

struct parts {
    uint64_t gain; /* how often it is needed, with what leans on it */
    uint64_t ms;   /* what it costs to make it again */
    uint32_t nabove, nbelow;
};

static struct parts take_apart(struct state *state, uint32_t dataset,
                               const struct pingo__decision_look *look)
{
    struct pingo__decision_stored *s = &state->stored;
    struct parts p = {.gain = state->hazard.gain[state->cells[dataset]]};
    p.ms = pingo__decision_stored_cost(s, look->bits, dataset, look->reach, &p.nabove);
    if (score_of(state, dataset, p.gain, p.ms) > look->limit)
        return p;
    p.nbelow = pingo__decision_stored_below(s, look->bits, dataset, look->reach);
    for (uint32_t i = 0; i < p.nbelow; i++)
        p.gain += state->hazard.gain[state->cells[s->found[i]]];
    return p;
}

static double score(void *self, uint32_t dataset, const struct pingo__decision_look *look)
{
    struct parts p = take_apart(self, dataset, look);
    return score_of(self, dataset, p.gain, p.ms);
}

static const struct pingo__decision_kind kind = {
    .size = sizeof(struct state), .bound = bound, .score = score, .exchanges = true};

static int open_state(const struct pingo_history *history, const double *values, void **self,
                      struct pingo_error *err)
{
    int rc = pingo__decision_stored_open(history, &kind, (uint32_t)values[REACH], self, err);
    if (rc != 0)
        return rc;
    struct state *state = *self;
    state->refit = (uint32_t)values[REFIT];
    struct pingo__decision_stored *s = &state->stored;
    pingo__decision_stored_keep(s, &state->last_demand, sizeof *state->last_demand);
    pingo__decision_stored_keep(s, &state->last_mention, sizeof *state->last_mention);
    pingo__decision_stored_keep(s, &state->cells, sizeof *state->cells);
    pingo__decision_stored_keep(s, &state->demands, sizeof *state->demands);
    pingo__decision_stored_keep(s, &state->were_results, sizeof *state->were_results);
    pingo__decision_hazard_init(&state->hazard, values[DECAY], values[WEIGHT]);
    return 0;
}

/* Moves a dataset to the cell in which the next submission will find it. */
static void move(struct state *state, uint32_t dataset)
{
    uint32_t next = state->stored.nobserved + 1;
    uint16_t cell =
        pingo__decision_hazard_cell(state->demands[dataset], next - state->last_demand[dataset],
                                    next - state->last_mention[dataset]);
    state->hazard.alive[state->cells[dataset]]--;
    state->hazard.alive[cell]++;
    state->cells[dataset] = cell;
}

/* A submission that comes now. */
struct arrival {
    struct pingo_history_submission w;
    struct pingo__decision_forced forced;
    uint32_t now;
};

/* Of what was there before; what is forced is not looked for. */
static void demand(struct state *state, const struct arrival *a, uint32_t dataset)
{
    uint32_t now = a->now;
    if (dataset >= a->w.nknown_before || state->last_demand[dataset] == now ||
        pingo__decision_forced_has(&a->forced, dataset))
        return;
    pingo__decision_hazard_demand(&state->hazard, state->cells[dataset]);
    state->last_demand[dataset] = now;
    state->demands[dataset] =
        (uint8_t)(state->demands[dataset] + (state->demands[dataset] < UINT8_MAX));
}

static void demand_parents(struct state *state, const struct arrival *a, uint32_t child)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(state->stored.history, child, &n);
    for (size_t i = 0; i < n; i++)
        demand(state, a, parents[i]);
}

/* The parents of what is computed whatever is stored are demanded, and what is a result for the first time; each
 * once. */
static void note_demands(struct state *state, const struct arrival *a)
{
    const struct pingo_history_submission *w = &a->w;
    for (uint32_t child = w->nknown_before; child < w->nknown; child++)
        demand_parents(state, a, child);
    for (size_t i = 0; i < a->forced.n; i++)
        demand_parents(state, a, a->forced.actions[i]);
    for (size_t i = 0; i < w->nactions; i++) {
        uint32_t v = w->actions[i];
        if (w->flags[i] & PINGO_HISTORY_UNMANAGED)
            demand_parents(state, a, v);
        if ((w->flags[i] & PINGO_HISTORY_LEAF) == 0 || state->were_results[v])
            continue;
        state->were_results[v] = true;
        demand(state, a, v);
    }
}

/* New ones enter the cell of those that were made just now. */
static void enter(struct state *state, const struct pingo_history_submission *w, uint32_t now)
{
    uint16_t cell = pingo__decision_hazard_cell(0, 1, 1);
    for (uint32_t v = w->nknown_before; v < w->nknown; v++) {
        state->last_demand[v] = now;
        state->cells[v] = cell;
        state->hazard.alive[cell]++;
    }
}

/* Those whose age becomes 2, 4, 8, ... with the next submission were mentioned or demanded by these. */
static void move_old(struct state *state, uint32_t now)
{
    for (uint32_t bin = 1; bin < PINGO__HAZARD_AGES && UINT32_C(1) << bin <= now; bin++) {
        struct pingo_history_submission old = {.size = sizeof old};
        if (pingo_history_submission(state->stored.history, now - (UINT32_C(1) << bin), &old) != 0)
            continue;
        for (size_t i = 0; i < old.nactions; i++)
            move(state, old.actions[i]);
    }
}

/* Each submission teaches much in the beginning, and little later. */
static void fit(struct state *state, uint32_t now)
{
    uint32_t step = now / 8 < state->refit ? now / 8 : state->refit;
    if (now < state->next_fit)
        return;
    pingo__decision_hazard_fit(&state->hazard);
    state->next_fit = now + (step > 0 ? step : 1);
}

static int observe(void *self, uint32_t submission, struct pingo_error *err)
{
    struct state *state = self;
    struct arrival a = {.w.size = sizeof a.w};
    const struct pingo_history_submission *w = &a.w;
    int rc = pingo__decision_stored_read(&state->stored, submission, &a.w, err);
    if (rc != 0)
        return rc;
    if (!pingo__decision_forced_find(&a.forced, state->stored.history, w))
        return pingo__fail_memory(err);
    uint32_t now = a.now = state->stored.nobserved + 1;
    note_demands(state, &a);
    pingo__decision_forced_clear(&a.forced);
    pingo__decision_hazard_expose(&state->hazard);
    pingo__decision_stored_take(&state->stored, w);
    enter(state, w, now);
    for (size_t i = 0; i < w->nactions; i++) {
        state->last_mention[w->actions[i]] = now;
        move(state, w->actions[i]);
    }
    move_old(state, now);
    fit(state, now);
    return 0;
}

/* How often it is needed; where many lean on it, more than once in a workflow. */
static void tell_need(uint64_t gain, char text[48])
{
    double times = (double)gain / PINGO__HAZARD_UNIT;
    if (times < 2.0 / 3)
        snprintf(text, 48, "once in %.0f workflows", 1 / times);
    else if (times < 1.5)
        snprintf(text, 48, "once in each workflow");
    else
        snprintf(text, 48, "%.0f times in each workflow", times);
}

static void reason(void *self, uint32_t dataset, char *text, size_t size)
{
    struct state *state = self;
    struct pingo__decision_look all = pingo__decision_look_all(state->stored.present);
    struct parts p = take_apart(state, dataset, &all);
    char need[48];
    tell_need(p.gain, need);
    snprintf(text, size,
             "needed about %s (%u missing descendant%s on it), %" PRIu64
             " ms to make again (%u missing ancestor%s), holds %" PRIu64 " bytes",
             need, p.nbelow, p.nbelow == 1 ? " leans" : "s lean", p.ms, p.nabove,
             p.nabove == 1 ? "" : "s", pingo__decision_stored_bytes(&state->stored, dataset));
}

const struct pingo_decision_algorithm pingo__decision_chain = {
    PINGO__DECISION_SHARED,
    .name = PINGO_DECISION_DEFAULT,
    .summary = "expected demand, with what is missing below, times cost by size",
    .parameters = parameters,
    .nparameters = sizeof parameters / sizeof parameters[0],
    .open = open_state,
    .observe = observe,
    .reason = reason,
};
