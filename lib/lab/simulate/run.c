/* run.c - the virtual clock: who arrives, starts and ends when; see run.h.
 *
 * With several slots this is list scheduling (Graham 1969) with the engine's order. */
#include "lab/simulate/run.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "plan/rank.h"
#include "lab/simulate/turns.h"

#define PROGRESS_EVERY 256 /* submissions */

static int compare_ready(const void *a, const void *b)
{
    const struct pingo__lab_task *x = a, *y = b;
    struct pingo__plan_rank_key one = {.workflow = x->live->submission, .rank_ms = x->rank_ms};
    struct pingo__plan_rank_key other = {.workflow = y->live->submission, .rank_ms = y->rank_ms};
    one.hash = pingo_digests_hash(x->live->shape->digests, x->position);
    other.hash = pingo_digests_hash(y->live->shape->digests, y->position);
    return pingo__plan_rank_compare(&one, &other);
}

static int compare_running(const void *a, const void *b)
{
    const struct pingo__lab_task *x = a, *y = b;
    if (x->end_ms != y->end_ms)
        return x->end_ms < y->end_ms ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

int pingo__lab_run_tell(struct pingo__lab_run *r, struct pingo_simulation_event *event)
{
    if (!r->options->event)
        return 0;
    event->at_ms = r->now_ms;
    if (r->options->event(r->options->context, event) == 0)
        return 0;
    return pingo__fail(r->err, PINGO_EINTERRUPTED, "the run was stopped by its caller");
}

/* ---- ends -------------------------------------------------------------------------- */

static int end_workflow(struct pingo__lab_run *r, struct pingo__lab_live *live)
{
    struct pingo_simulation_event event = {
        .kind = PINGO_SIMULATION_END, .submission = live->submission, .action = PINGO_HISTORY_NONE};
    int rc = pingo__lab_run_tell(r, &event);
    pingo__lab_live_free(r, live);
    if (rc == 0 && r->options->decide == PINGO_SIMULATION_DECIDE_WORKFLOW_END)
        rc = pingo__lab_run_decide(r);
    return rc;
}

/* The next action ends, and with it perhaps workflows. */
static int end_action(struct pingo__lab_run *r)
{
    struct pingo__lab_task *task = pingo__lab_heap_pop(&r->running);
    r->now_ms = r->result->end_ms = task->end_ms;
    if (r->turns)
        pingo__lab_turns_ended(r, task);
    int rc = pingo__lab_run_publish(r, task);
    if (rc == 0 && r->options->decide == PINGO_SIMULATION_DECIDE_PUBLISH)
        rc = pingo__lab_run_decide(r);
    while (rc == 0 && r->ended) {
        struct pingo__lab_live *live = r->ended;
        r->ended = live->next_ended;
        rc = end_workflow(r, live);
    }
    return rc;
}

/* ---- the clock ----------------------------------------------------------------------- */

static int arrive(struct pingo__lab_run *r)
{
    const struct pingo_simulation_options *o = r->options;
    uint32_t all = r->workload->facts.nsubmissions;
    int rc = pingo__lab_run_arrive(r);
    if (rc != 0)
        return rc;
    if (o->progress && (r->narrived % PROGRESS_EVERY == 0 || r->narrived == all) &&
        o->progress(o->context, r->narrived, all) != 0)
        return pingo__fail(r->err, PINGO_EINTERRUPTED, "the run was stopped by its caller");
    /* Where nothing is to be computed it has ended. */
    return r->lives->nunfinished == 0 ? end_workflow(r, r->lives) : 0;
}

/* Gives the idle slots what is ready; while there is nothing, the next submission arrives. */
static int fill_slots(struct pingo__lab_run *r, size_t slots)
{
    int rc = 0;
    while (rc == 0 && r->running.n < slots) {
        if (r->ready.n > 0)
            rc = pingo__lab_run_start(r, pingo__lab_heap_pop(&r->ready));
        else if (r->narrived < r->workload->facts.nsubmissions)
            rc = arrive(r);
        else
            break;
    }
    return rc;
}

/* When the next action ends; INT64_MAX: none runs. */
static int64_t next_end_ms(const struct pingo__lab_run *r)
{
    const struct pingo__lab_task *first = pingo__lab_heap_first(&r->running);
    return first ? first->end_ms : INT64_MAX;
}

/* What ends at one moment has ended before anything starts then. */
static int end_actions(struct pingo__lab_run *r, int64_t end_ms)
{
    int rc = 0;
    while (rc == 0 && r->running.n > 0 && next_end_ms(r) == end_ms)
        rc = end_action(r);
    return rc;
}

/* When the next submission arrives, none before the one before; INT64_MAX: there is none. */
static int64_t next_arrival_ms(struct pingo__lab_run *r)
{
    struct pingo_history_submission first = {.size = sizeof first}, s = {.size = sizeof s};
    if (r->narrived == r->workload->facts.nsubmissions)
        return INT64_MAX;
    pingo_history_submission(r->workload->history, 0, &first);
    pingo_history_submission(r->workload->history, r->narrived, &s);
    if (s.at_ms - first.at_ms > r->arrived_ms)
        r->arrived_ms = s.at_ms - first.at_ms;
    return r->arrived_ms;
}

/* Submissions arrive at their times, and users take turns. */
static int run_by_turns(struct pingo__lab_run *r, size_t slots)
{
    int64_t arrival_ms = next_arrival_ms(r);
    int rc = 0;
    for (;;) {
        while (rc == 0 && arrival_ms <= r->now_ms) {
            rc = arrive(r);
            arrival_ms = next_arrival_ms(r);
        }
        struct pingo__lab_task *task;
        while (rc == 0 && r->running.n < slots && (task = pingo__lab_turns_next(r)))
            rc = pingo__lab_run_start(r, task);
        int64_t end_ms = next_end_ms(r), at_ms = end_ms < arrival_ms ? end_ms : arrival_ms;
        if (rc != 0 || at_ms == INT64_MAX)
            break;
        pingo__lab_turns_pass(r, at_ms);
        r->now_ms = at_ms;
        rc = end_actions(r, at_ms);
    }
    return rc == 0 ? pingo__lab_turns_tell(r) : rc;
}

int pingo__lab_run(struct pingo__lab_run *r)
{
    size_t slots = r->options->slots == 0 ? 1 : r->options->slots;
    if (r->turns)
        return run_by_turns(r, slots);
    int rc = fill_slots(r, slots);
    while (rc == 0 && r->running.n > 0) {
        rc = end_actions(r, next_end_ms(r));
        if (rc == 0)
            rc = fill_slots(r, slots);
    }
    return rc;
}

/* ---- a run's life ---------------------------------------------------------------------- */

static int open_decider(struct pingo__lab_run *r)
{
    const struct pingo_simulation_options *o = r->options;
    int rc = pingo_history_new(&r->seen, r->err);
    if (rc == 0)
        rc = pingo_decider_new(o->algorithm, o->values, r->seen, &r->decider, r->err);
    if (rc == 0 && o->algorithm == pingo_clairvoyant())
        rc = pingo__lab_clairvoyant_foresee(r->decider, r->workload, r->err);
    return rc;
}

static int open_run(struct pingo__lab_run *r)
{
    size_t n = (size_t)r->workload->facts.nactions + 1;
    int rc = 0;
    r->ready.compare = compare_ready;
    r->running.compare = compare_running;
    r->datasets = pingo__arena_array(&r->arena, n, sizeof *r->datasets);
    r->candidates = pingo__arena_array(&r->arena, n, sizeof *r->candidates);
    if (!r->datasets || !r->candidates)
        return pingo__fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        r->datasets[i].candidate = PINGO__NO_CANDIDATE;
    if (!r->workload->shapes)
        rc = pingo__lab_shaper_init(&r->shaper, r->workload->history, r->err);
    if (rc == 0 && r->options->algorithm && r->options->budget_bytes >= 0)
        rc = open_decider(r);
    if (rc == 0 && r->options->arrive == PINGO_SIMULATION_ARRIVE_TIMES)
        rc = pingo__lab_turns_open(r);
    return rc;
}

static void close_run(struct pingo__lab_run *r)
{
    while (r->lives)
        pingo__lab_live_free(r, r->lives);
    pingo__lab_turns_clear(r);
    pingo_decider_free(r->decider);
    pingo_history_free(r->seen);
    pingo__lab_shaper_clear(&r->shaper);
    pingo__lab_heap_clear(&r->ready);
    pingo__lab_heap_clear(&r->running);
    pingo__arena_clear(&r->arena);
    free(r->victims);
    free(r->times);
}

static int check(const struct pingo_simulation_options *given, struct pingo_simulation_options *o,
                 struct pingo_error *err)
{
    static const struct pingo__growing_options_type type = {
        "pingo_simulation_options", {offsetof(struct pingo_simulation_options, arrive), sizeof *o}};
    int rc = pingo__growing_options_take(&type, given, o, err);
    if (rc != 0)
        return rc;
    if (!o->algorithm && o->budget_bytes > 0)
        return pingo__fail(err, PINGO_EINVAL, "a budget needs an algorithm");
    if (o->budget_bytes < -1 || o->low_permille > 1000)
        return pingo__fail(err, PINGO_EINVAL, "the budget or its low watermark is out of range");
    if (!(o->noise >= 0 && o->noise <= 10))
        return pingo__fail(err, PINGO_EINVAL, "the noise is from 0 to 10");
    if ((unsigned)o->decide > PINGO_SIMULATION_DECIDE_WORKFLOW_END ||
        (unsigned)o->arrive > PINGO_SIMULATION_ARRIVE_TIMES)
        return pingo__fail(err, PINGO_EINVAL, "decide or arrive is none of its enum");
    if (o->nweights && !o->weights)
        return pingo__fail(err, PINGO_EINVAL, "%zu weights, but weights is NULL", o->nweights);
    return 0;
}

int pingo_workload_simulate(const struct pingo_workload *workload,
                            const struct pingo_simulation_options *options,
                            struct pingo_simulation_result *result, struct pingo_error *err)
{
    struct pingo_simulation_result made = {.size = sizeof made, .jain = -1};
    struct pingo_simulation_options own;
    struct pingo__lab_run run = {.workload = workload, .options = &own, .result = &made, .err = err};
    int rc = check(options, &own, err);
    if (rc == 0)
        rc = pingo__growing_result_check(result, "pingo_simulation_result", err);
    if (rc != 0)
        return rc;
    rc = open_run(&run);
    if (rc == 0)
        rc = pingo__lab_run(&run);
    close_run(&run);
    if (rc == 0)
        pingo__growing_result_put(result, &made, sizeof made);
    return rc;
}
