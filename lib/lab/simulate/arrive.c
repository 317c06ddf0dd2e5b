/* arrive.c - a submission arrives: it is planned, and what it needs is claimed.
 *
 * The steps are those of lib/manager/submission/apply.c, in its order: reuse, compute, join,
 * then dependencies and claims. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "plan/rank.h"
#include "lab/simulate/turns.h"

/* ---- planning ---------------------------------------------------------------------- */

static int look_up(void *context, const struct pingo_hash *hash, size_t action,
                   enum pingo_known *known, struct pingo_error *err)
{
    struct pingo__lab_live *live = ((void **)context)[1];
    const struct pingo__lab_run *r = ((void **)context)[0];
    const struct pingo__lab_run_dataset *d = &r->datasets[live->shape->datasets[action]];
    (void)hash;
    (void)err;
    /* What is there comes before what is being made (a forced repeat), that before what was. */
    *known = d->presence == PINGO__LEAF     ? PINGO_KNOWN_LEAF
             : d->presence == PINGO__STORED ? PINGO_KNOWN_STORED
             : d->computing                 ? PINGO_KNOWN_COMPUTING
             : d->generation > 0            ? PINGO_KNOWN_DELETED
                                            : PINGO_KNOWN_NOTHING;
    return 0;
}

static int plan(struct pingo__lab_run *r, struct pingo__lab_live *live,
                struct pingo_plan_summary *summary)
{
    const struct pingo__lab_shape *shape = live->shape;
    void *context[] = {r, live};
    struct pingo_plan_options options = {.version = 1,
                                         .lookup = look_up,
                                         .context = context,
                                         .targets = shape->targets,
                                         .ntargets = shape->ntargets,
                                         .forced = shape->forced,
                                         .nforced = shape->nforced};
    int rc = pingo_plan(shape->workflow, shape->digests, &options, live->entries, r->err);
    if (!rc)
        *summary = pingo_plan_sum(live->entries, shape->n);
    return rc;
}

/* What it took before, on average, is what it is expected to take. */
static int rank(struct pingo__lab_run *r, struct pingo__lab_live *live)
{
    size_t n = live->shape->n;
    if (!PINGO__ARRAY_ROOM(r->times, r->times_capacity, 0, 2 * n))
        return pingo__fail_memory(r->err);
    int64_t *expected_ms = r->times, *rank_ms = r->times + n;
    for (size_t i = 0; i < n; i++) {
        const struct pingo__lab_run_dataset *d = &r->datasets[live->shape->datasets[i]];
        expected_ms[i] = live->entries[i].known != PINGO_KNOWN_NOTHING && d->generation > 0
                             ? d->sum_ms / d->generation
                             : -1;
    }
    pingo__plan_rank_paths(live->shape->workflow, live->entries, expected_ms, rank_ms);
    for (size_t i = 0; i < live->ntasks; i++)
        live->tasks[i].rank_ms = rank_ms[live->tasks[i].position];
    return 0;
}

/* ---- the workflow ------------------------------------------------------------------- */

static int open_live(struct pingo__lab_run *r, struct pingo__lab_live **opened)
{
    struct pingo__lab_live *live = calloc(1, sizeof *live);
    *opened = live;
    if (!live)
        return pingo__fail_memory(r->err);
    struct pingo_history_submission s = {.size = sizeof s};
    pingo_history_submission(r->workload->history, r->narrived, &s);
    live->submission = r->narrived;
    live->user = s.user_index;
    live->next = r->lives;
    if (r->lives)
        r->lives->previous = live;
    r->lives = live;
    live->shape = &live->own;
    if (r->workload->shapes) {
        live->shape = &r->workload->shapes[r->workload->shape_of[live->submission]];
    } else {
        int rc = pingo__lab_shape_make(&r->shaper, live->submission, &live->own, r->err);
        if (rc != 0)
            return rc;
    }
    live->entries = pingo__arena_array(&live->arena, live->shape->n, sizeof *live->entries);
    live->task_at = pingo__arena_array(&live->arena, live->shape->n, sizeof *live->task_at);
    return live->entries && live->task_at ? 0 : pingo__fail_memory(r->err);
}

/* Once it is planned: a task for what computes or joins, which is little of most submissions. */
static int open_tasks(struct pingo__lab_run *r, struct pingo__lab_live *live, size_t ntasks)
{
    live->tasks = pingo__arena_array(&live->arena, ntasks, sizeof *live->tasks);
    if (!live->tasks)
        return pingo__fail_memory(r->err);
    for (size_t i = 0; i < live->shape->n; i++) {
        const struct pingo_plan_entry *entry = &live->entries[i];
        if (entry->decision != PINGO_PLAN_COMPUTE && entry->decision != PINGO_PLAN_JOIN)
            continue;
        struct pingo__lab_task *task = &live->tasks[live->ntasks++];
        task->live = live;
        task->position = (uint32_t)i;
        task->computes = entry->decision == PINGO_PLAN_COMPUTE;
        task->wanted = entry->flags & PINGO_PLAN_WANTED;
        live->task_at[i] = task;
    }
    live->nunfinished = ntasks;
    return 0;
}

void pingo__lab_live_free(struct pingo__lab_run *r, struct pingo__lab_live *live)
{
    if (live->previous)
        live->previous->next = live->next;
    else
        r->lives = live->next;
    if (live->next)
        live->next->previous = live->previous;
    pingo__lab_shape_clear(&live->own);
    pingo__arena_clear(&live->arena);
    free(live);
}

/* ---- applying the plan ----------------------------------------------------------------- */

static int tell(struct pingo__lab_run *r, const struct pingo__lab_live *live, size_t i,
                enum pingo_simulation_event_kind kind)
{
    struct pingo_simulation_event event = {
        .kind = kind, .submission = live->submission, .action = live->shape->datasets[i]};
    return pingo__lab_run_tell(r, &event);
}

static int reuse(struct pingo__lab_run *r, struct pingo__lab_live *live, size_t i)
{
    if (live->entries[i].computes != i)
        return 0;
    if (live->entries[i].flags & PINGO_PLAN_WANTED)
        pingo__lab_run_present(r, live->shape->datasets[i], PINGO__LEAF);
    return tell(r, live, i, PINGO_SIMULATION_REUSE);
}

static void compute(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    struct pingo__lab_task **last = &r->datasets[pingo__lab_task_dataset(task)].computing;
    while (*last)
        last = &(*last)->next_computing;
    *last = task;
}

static int join(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    struct pingo__lab_live *live = task->live;
    uint32_t computes = live->entries[task->position].computes;
    struct pingo__lab_task *joined = live->entries[computes].decision == PINGO_PLAN_COMPUTE
                                         ? live->task_at[computes]
                                         : r->datasets[pingo__lab_task_dataset(task)].computing;
    joined->wanted = joined->wanted || task->wanted;
    task->next_joiner = joined->joiners;
    joined->joiners = task;
    task->joined = joined;
    int rc = r->turns ? pingo__lab_turns_join(r, joined, live->user) : 0;
    return rc ? rc : tell(r, live, task->position, PINGO_SIMULATION_JOIN);
}

/* Waits for what is pending, claims what is there; where that is all, it is ready. */
static int bind(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    struct pingo__lab_live *live = task->live;
    const struct pingo_action *action = pingo_workflow_action(live->shape->workflow, task->position);
    task->claims = pingo__arena_array(&live->arena, action->nparents, sizeof *task->claims);
    if (!task->claims)
        return pingo__fail_memory(r->err);
    for (size_t k = 0; k < action->nparents; k++) {
        size_t parent = action->parents[k].index;
        if (live->task_at[parent])
            task->waits++;
        else
            pingo__lab_run_claim(r, task, live->shape->datasets[parent]);
    }
    return task->waits ? 0 : pingo__lab_run_ready(r, task);
}

static int apply(struct pingo__lab_run *r, struct pingo__lab_live *live)
{
    struct pingo__lab_task *end = live->tasks + live->ntasks;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < live->shape->n; i++)
        if (live->entries[i].decision == PINGO_PLAN_REUSE)
            rc = reuse(r, live, i);
    for (struct pingo__lab_task *task = live->tasks; task < end; task++)
        if (task->computes)
            compute(r, task);
    for (struct pingo__lab_task *task = live->tasks; rc == 0 && task < end; task++)
        if (!task->computes)
            rc = join(r, task);
    for (struct pingo__lab_task *task = live->tasks; rc == 0 && task < end; task++)
        if (task->computes)
            rc = bind(r, task);
    return rc;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int note(struct pingo__lab_run *r, const struct pingo__lab_live *live,
                const struct pingo_plan_summary *summary)
{
    struct pingo_simulation_event event = {.kind = PINGO_SIMULATION_SUBMIT,
                                           .submission = live->submission,
                                           .action = PINGO_HISTORY_NONE,
                                           .ncomputed = (uint32_t)summary->compute,
                                           .nreused = (uint32_t)summary->reuse,
                                           .njoined = (uint32_t)summary->join,
                                           .nskipped = (uint32_t)summary->skip};
    r->result->ncomputed += summary->compute;
    r->result->nreused += summary->reuse;
    r->result->njoined += summary->join;
    r->result->nskipped += summary->skip;
    return pingo__lab_run_tell(r, &event);
}

/* What the algorithm learns of it: that it came, and what becomes of its actions. */
static int see(struct pingo__lab_run *r, struct pingo__lab_live *live)
{
    static const uint8_t outcomes[] = {PINGO_HISTORY_SKIPPED, PINGO_HISTORY_REUSED,
                                       PINGO_HISTORY_JOINED, PINGO_HISTORY_COMPUTED};
    struct pingo_history_submission s = {.size = sizeof s};
    pingo_history_submission(r->workload->history, live->submission, &s);
    uint8_t *flags = pingo__arena_array(&live->arena, s.nactions, sizeof *flags);
    if (!flags)
        return pingo__fail_memory(r->err);
    for (size_t i = 0; i < s.nactions; i++)
        flags[i] = (uint8_t)((s.flags[i] & (PINGO_HISTORY_LEAF | PINGO_HISTORY_FORCED)) |
                             outcomes[live->entries[i].decision]);
    return pingo_history_follow(r->seen, r->workload->history, flags, r->err);
}

int pingo__lab_run_arrive(struct pingo__lab_run *r)
{
    struct pingo__lab_live *live = NULL;
    struct pingo_plan_summary summary = {0};
    int rc = open_live(r, &live);
    if (rc == 0)
        rc = plan(r, live, &summary);
    if (rc == 0)
        rc = open_tasks(r, live, summary.compute + summary.join);
    if (rc == 0)
        rc = rank(r, live);
    if (rc == 0 && r->decider)
        rc = see(r, live);
    if (rc != 0)
        return rc;
    r->narrived++;
    rc = note(r, live, &summary);
    return rc == 0 ? apply(r, live) : rc;
}
