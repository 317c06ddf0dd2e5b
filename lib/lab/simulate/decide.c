/* decide.c - the Decision Manager of a run: F bytes are to go.
 *
 * Victims are taken in the order in which the algorithm names them, while F needs
 * them.  Where whatever may go must go, and in which order makes no difference, the
 * algorithm is not asked: the outcome is the same. */
#include "base/array.h"
#include "base/error.h"
#include "lab/simulate/run.h"

static bool is_candidate(void *context, uint32_t dataset)
{
    struct pingo__lab_run *r = context;
    return r->datasets[dataset].candidate != PINGO__NO_CANDIDATE;
}

static int on_victim(void *context, const struct pingo_decision_victim *victim)
{
    struct pingo__lab_run *r = context;
    if (!PINGO__ARRAY_ROOM(r->victims, r->victims_capacity, r->nvictims, 1))
        return -1;
    r->victims[r->nvictims++] = *victim;
    return 0;
}

static int choose(struct pingo__lab_run *r, int64_t free_bytes)
{
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = (uint64_t)free_bytes,
                                             .is_candidate = is_candidate,
                                             .candidates = r->candidates,
                                             .ncandidates = r->ncandidates,
                                             .victim = on_victim,
                                             .context = r};
    int rc = pingo_decider_choose(r->decider, &request, NULL, r->err);
    return rc == PINGO_EINTERRUPTED ? pingo__fail_memory(r->err) : rc;
}

/* All candidates, without asking. */
static int take_all(struct pingo__lab_run *r)
{
    for (uint32_t i = 0; i < r->ncandidates; i++)
        if (on_victim(r, &(struct pingo_decision_victim){.dataset = r->candidates[i]}) != 0)
            return pingo__fail_memory(r->err);
    return 0;
}

/* Nothing can depend on the algorithm's answer: all go, and nobody remembers or tells in which order. */
static bool need_not_ask(const struct pingo__lab_run *r, int64_t free_bytes)
{
    if (!r->decider || r->ncandidates == 0)
        return true;
    return r->candidate_bytes < free_bytes && !r->options->event &&
           (r->ncandidates == 1 || !r->options->algorithm->remembers_evictions);
}

static int evict(struct pingo__lab_run *r, const struct pingo_decision_victim *victim)
{
    struct pingo_simulation_event event = {.kind = PINGO_SIMULATION_EVICT,
                                           .submission = r->narrived - 1,
                                           .action = victim->dataset,
                                           .bytes = pingo__lab_run_bytes(r, victim->dataset),
                                           .score = victim->score};
    pingo__lab_run_present(r, victim->dataset, PINGO__NOT_THERE);
    r->result->nevictions++;
    if (__builtin_add_overflow(r->result->evicted_bytes, event.bytes, &r->result->evicted_bytes))
        r->result->evicted_bytes = INT64_MAX;
    if (r->decider) {
        int rc = pingo_decider_missing(r->decider, victim->dataset, true, r->err);
        if (rc != 0)
            return rc;
    }
    return pingo__lab_run_tell(r, &event);
}

static int fall_short(struct pingo__lab_run *r, int64_t bytes)
{
    struct pingo_simulation_event event = {.kind = PINGO_SIMULATION_SHORTFALL,
                                           .submission = r->narrived - 1,
                                           .action = PINGO_HISTORY_NONE,
                                           .bytes = bytes};
    r->result->nshortfalls++;
    if (bytes > r->result->shortfall_bytes)
        r->result->shortfall_bytes = bytes;
    return pingo__lab_run_tell(r, &event);
}

static int64_t low_of(const struct pingo_simulation_options *o)
{
    int64_t permille = o->low_permille == 0 ? PINGO_SIMULATION_LOW_PERMILLE : o->low_permille;
    return o->budget_bytes / 1000 * permille + o->budget_bytes % 1000 * permille / 1000;
}

int pingo__lab_run_decide(struct pingo__lab_run *r)
{
    const struct pingo_simulation_options *o = r->options;
    bool all_go = !o->algorithm; /* no storage: what is of unknown size goes as well */
    int64_t free_bytes = r->used - low_of(o), freed = 0;
    int rc = 0;
    if (o->budget_bytes < 0 || (!all_go && r->used <= o->budget_bytes))
        return 0;
    r->nvictims = 0;
    /* Where what may go holds no byte the engine does not even look: it stays, at no cost. */
    if (all_go || r->candidate_bytes > 0)
        rc = need_not_ask(r, free_bytes) ? take_all(r) : choose(r, free_bytes);
    for (size_t i = 0; rc == 0 && i < r->nvictims; i++) {
        if (freed >= free_bytes && !all_go)
            break;
        freed += pingo__lab_run_bytes(r, r->victims[i].dataset);
        rc = evict(r, &r->victims[i]);
    }
    if (rc == 0 && freed < free_bytes)
        rc = fall_short(r, free_bytes - freed);
    return rc;
}
