/* workload.c - what is known of a history before it is run; see workload.h. */
#include "lab/simulate/workload.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "lab/bound/walk.h"

static int count_action(struct pingo_workload *w, uint32_t action, struct pingo_error *err)
{
    int64_t bytes = pingo_history_size(w->history, action);
    int64_t ms = pingo_history_compute(w->history, action);
    struct pingo_workload_facts *f = &w->facts;
    f->nunknown_sizes += bytes < 0;
    f->nunknown_times += ms < 0;
    if (__builtin_add_overflow(f->bytes, bytes < 0 ? 0 : bytes, &f->bytes) ||
        __builtin_add_overflow(f->compute_ms, ms < 0 ? 0 : ms, &f->compute_ms))
        return pingo__fail(err, PINGO_ELIMIT, "its sizes or times together are more than 2^63");
    return 0;
}

/* What is asked for, some time, takes its room for good. */
static int add_leaves(struct pingo_workload *w, struct pingo_error *err)
{
    struct pingo__lab_bound_walk walk;
    int rc = pingo__lab_bound_walk_open(&walk, w->history, INT64_MAX, true, err);
    while (rc == 0 && walk.next < w->facts.nsubmissions) {
        rc = pingo__lab_bound_walk_look(&walk, err);
        pingo__lab_bound_walk_step(&walk);
    }
    w->facts.leaf_bytes = INT64_MAX - walk.capacity_bytes;
    pingo__lab_bound_walk_clear(&walk);
    return rc;
}

static int look(struct pingo_workload *w, struct pingo_error *err)
{
    int rc = 0;
    w->facts.nsubmissions = pingo_history_count_submissions(w->history);
    w->facts.nactions = pingo_history_count_actions(w->history);
    for (uint32_t i = 0; rc == 0 && i < w->facts.nactions; i++)
        rc = count_action(w, i, err);
    return rc == 0 ? add_leaves(w, err) : rc;
}

int pingo_workload_new(const struct pingo_history *history, struct pingo_workload **workload,
                       struct pingo_error *err)
{
    struct pingo_workload *w = calloc(1, sizeof *w);
    *workload = NULL;
    if (!w)
        return pingo__fail_memory(err);
    w->history = history;
    int rc = look(w, err);
    if (rc == 0)
        *workload = w;
    else
        free(w);
    return rc;
}

void pingo_workload_free(struct pingo_workload *w)
{
    free(w);
}

void pingo_workload_look(const struct pingo_workload *w, struct pingo_workload_facts *facts)
{
    pingo__growing_result_put(facts, &w->facts, sizeof w->facts);
}
