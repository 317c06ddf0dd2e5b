/* workload.c - see workload.h. */
#include "lab/simulate/workload.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/map.h"
#include "lab/bound/walk.h"

/* ---- what is known of the history ---------------------------------------------- */

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

/* ---- shapes ------------------------------------------------------------------------ */

struct key { /* submissions of equal content borrow equal pointers from the history */
    const uint32_t *actions;
    const uint8_t *flags;
};

/* Numbers the distinct contents; *nactions: how many actions their shapes have at least. */
static int number_shapes(struct pingo_workload *w, uint64_t *nactions, struct pingo_error *err)
{
    size_t n = w->facts.nsubmissions;
    struct key *keys = calloc(n + 1, sizeof *keys);
    struct pingo__map map = {0};
    int rc = 0;
    w->shape_of = malloc((n + 1) * sizeof *w->shape_of);
    if (!keys || !w->shape_of)
        rc = pingo__fail_memory(err);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        struct pingo_history_submission s = {.size = sizeof s};
        pingo_history_submission(w->history, i, &s);
        keys[i] = (struct key){s.actions, s.flags};
        uint32_t found;
        if (!pingo__map_insert(&map, &keys[i], sizeof keys[i], w->nshapes, &found))
            rc = pingo__fail_memory(err);
        w->shape_of[i] = found == PINGO__MAP_NONE ? w->nshapes++ : found;
        *nactions += found == PINGO__MAP_NONE ? s.nactions : 0;
    }
    pingo__map_clear(&map);
    free(keys);
    return rc;
}

static int make_shapes(struct pingo_workload *w, struct pingo_error *err)
{
    struct pingo__lab_shaper shaper;
    int rc = pingo__lab_shaper_init(&shaper, w->history, err);
    w->shapes = calloc((size_t)w->nshapes + 1, sizeof *w->shapes);
    if (rc == 0 && !w->shapes)
        rc = pingo__fail_memory(err);
    for (uint32_t i = 0, next = 0; rc == 0 && i < w->facts.nsubmissions; i++)
        if (w->shape_of[i] == next)
            rc = pingo__lab_shape_make(&shaper, i, &w->shapes[next++], err);
    pingo__lab_shaper_clear(&shaper);
    return rc;
}

int pingo__lab_workload_new(const struct pingo_history *history, size_t shared_bytes,
                            struct pingo_workload **workload, struct pingo_error *err)
{
    struct pingo_workload *w = calloc(1, sizeof *w);
    uint64_t nactions = 0;
    *workload = NULL;
    if (!w)
        return pingo__fail_memory(err);
    w->history = history;
    int rc = look(w, err);
    if (rc == 0)
        rc = number_shapes(w, &nactions, err);
    if (rc == 0 && nactions <= shared_bytes / PINGO__SHAPE_ACTION_BYTES)
        rc = make_shapes(w, err);
    if (rc == 0)
        *workload = w;
    else
        pingo_workload_free(w);
    return rc;
}

int pingo_workload_new(const struct pingo_history *history, struct pingo_workload **workload,
                       struct pingo_error *err)
{
    return pingo__lab_workload_new(history, PINGO__SHAPES_BYTES, workload, err);
}

void pingo_workload_free(struct pingo_workload *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; w->shapes && i < w->nshapes; i++)
        pingo__lab_shape_clear(&w->shapes[i]);
    free(w->shapes);
    free(w->shape_of);
    free(w);
}

void pingo_workload_look(const struct pingo_workload *w, struct pingo_workload_facts *facts)
{
    pingo__growing_result_put(facts, &w->facts, sizeof w->facts);
}
