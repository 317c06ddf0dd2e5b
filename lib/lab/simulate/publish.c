/* publish.c - an action starts, and its dataset is there.
 *
 * The steps are those of lib/manager/attempt/callback.c, in its order: the dataset, the
 * action's own claims, its children, then the same for those that joined it. */
#include "base/error.h"
#include "lab/simulate/turns.h"

int pingo__lab_run_ready(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    if (r->turns)
        return pingo__lab_turns_ready(r, task);
    return pingo__lab_heap_push(&r->ready, task) ? 0 : pingo__fail_memory(r->err);
}

int pingo__lab_run_start(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    uint32_t dataset = pingo__lab_task_dataset(task);
    struct pingo_simulation_event event = {.kind = PINGO_SIMULATION_RUN,
                                           .submission = task->live->submission,
                                           .action = dataset,
                                           .forced = task->live->entries[task->position].flags &
                                                     PINGO_PLAN_FORCED};
    task->ms = event.ms = pingo__lab_run_time(r, dataset);
    task->sequence = r->sequence++;
    if (__builtin_add_overflow(r->now_ms, task->ms, &task->end_ms) ||
        __builtin_add_overflow(r->result->compute_ms, task->ms, &r->result->compute_ms) ||
        __builtin_add_overflow(task->path_ms, task->ms, &task->path_ms))
        return pingo__fail(r->err, PINGO_ELIMIT, "the run takes longer than 2^63 ms");
    if (!pingo__lab_heap_push(&r->running, task))
        return pingo__fail_memory(r->err);
    return pingo__lab_run_tell(r, &event);
}

/* Children have what they waited for: a claim on it, and one parent less to wait for. */
static int wake_children(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    struct pingo__lab_live *live = task->live;
    size_t nchildren = 0;
    const uint32_t *children =
        pingo_workflow_children(live->shape->workflow, task->position, &nchildren);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < nchildren; i++) {
        struct pingo__lab_task *child = live->task_at[children[i]];
        if (!child || !child->computes)
            continue;
        pingo__lab_run_claim(r, child, pingo__lab_task_dataset(task));
        if (--child->waits == 0)
            rc = pingo__lab_run_ready(r, child);
    }
    return rc;
}

/* A task of a workflow has finished. */
static int finish(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    struct pingo__lab_live *live = task->live;
    pingo__lab_run_release(r, task);
    if (--live->nunfinished == 0) {
        live->next_ended = r->ended;
        r->ended = live;
    }
    return wake_children(r, task);
}

static int make_current(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    uint32_t dataset = pingo__lab_task_dataset(task);
    struct pingo__lab_run_dataset *d = &r->datasets[dataset];
    struct pingo__lab_task **link = &d->computing;
    bool is_leaf = task->wanted || d->presence == PINGO__LEAF; /* retention is never lowered */
    struct pingo_simulation_event event = {.kind = PINGO_SIMULATION_PUBLISH,
                                           .submission = task->live->submission,
                                           .action = dataset,
                                           .bytes = pingo__lab_run_bytes(r, dataset),
                                           .leaf = is_leaf};
    while (*link != task)
        link = &(*link)->next_computing;
    *link = task->next_computing;
    d->generation++;
    d->claims = 0; /* those that there are claim the former one */
    d->path_ms = task->path_ms;
    d->sum_ms += task->ms; /* no more than the sum of all runs */
    pingo__lab_run_present(r, dataset, is_leaf ? PINGO__LEAF : PINGO__STORED);
    if (r->decider) {
        pingo_history_set_size(r->seen, dataset, pingo_history_size(r->workload->history, dataset));
        pingo_history_set_compute(r->seen, dataset, d->sum_ms / d->generation);
        int rc = pingo_decider_present(r->decider, dataset, r->err);
        if (rc != 0)
            return rc;
    }
    return pingo__lab_run_tell(r, &event);
}

int pingo__lab_run_publish(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    int rc = make_current(r, task);
    if (task->path_ms > r->result->critical_ms)
        r->result->critical_ms = task->path_ms;
    if (rc == 0)
        rc = finish(r, task);
    for (struct pingo__lab_task *joiner = task->joiners; rc == 0 && joiner;
         joiner = joiner->next_joiner) {
        joiner->joined = NULL; /* which goes with its submission */
        rc = finish(r, joiner);
    }
    return rc;
}
