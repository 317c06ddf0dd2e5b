/* shape.c - a submission of a history -> a workflow and its hashes, for the planner.
 *
 * What always holds: the parents of an action stand at the first positions of their
 * hashes, which are the lowest ids among equals; so they are what the planner lets
 * stand for them.  That a submission mentions the parents of what it mentions, the
 * history sees to. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "digest/digests.h"
#include "lab/simulate/workload.h"
#include "workflow/workflow.h"

int pingo__lab_shaper_init(struct pingo__lab_shaper *s, const struct pingo_history *history,
                           struct pingo_error *err)
{
    size_t n = (size_t)pingo_history_count_actions(history) + 1;
    *s = (struct pingo__lab_shaper){.history = history};
    s->positions = calloc(n, sizeof *s->positions);
    return s->positions ? 0 : pingo__fail_memory(err);
}

void pingo__lab_shaper_clear(struct pingo__lab_shaper *s)
{
    free(s->positions);
    free(s->first);
    free(s->parents);
    free(s->hashes);
    *s = (struct pingo__lab_shaper){0};
}

void pingo__lab_shape_clear(struct pingo__lab_shape *shape)
{
    pingo_workflow_free(shape->workflow);
    pingo_digests_free(shape->digests);
    free(shape->targets);
    free(shape->forced);
    *shape = (struct pingo__lab_shape){0};
}

/* Where each dataset stands first.  Does each stand once? */
static bool find_places(struct pingo__lab_shaper *s, const struct pingo_history_submission *w)
{
    bool are_distinct = true;
    s->now++;
    for (size_t i = 0; i < w->nactions; i++) {
        struct pingo__lab_position *p = &s->positions[w->actions[i]];
        if (p->stamp == s->now)
            are_distinct = false;
        else
            *p = (struct pingo__lab_position){.stamp = s->now, .place = (uint32_t)i};
    }
    return are_distinct;
}

/* The graph and the hashes.  Where a dataset stands once more it needs no parents: what the planner decides
 * for the first position holds for all.  false: no memory. */
static bool look_up(struct pingo__lab_shaper *s, const struct pingo_history_submission *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->nactions; i++) {
        size_t nparents;
        const uint32_t *parents = pingo_history_parents(s->history, w->actions[i], &nparents);
        s->hashes[i] = *pingo_history_hash(s->history, w->actions[i]);
        s->first[i] = (uint32_t)n;
        if (s->positions[w->actions[i]].place != i)
            continue;
        if (!PINGO__ARRAY_ROOM(s->parents, s->parents_capacity, n, nparents))
            return false;
        for (size_t k = 0; k < nparents; k++)
            s->parents[n++] = s->positions[parents[k]].place;
    }
    s->first[w->nactions] = (uint32_t)n;
    return true;
}

static int build(struct pingo__lab_shaper *s, const struct pingo_history_submission *w,
                 struct pingo__lab_shape *shape, struct pingo_error *err)
{
    bool are_distinct = find_places(s, w);
    if (!PINGO__ARRAY_ROOM(s->first, s->first_capacity, 0, w->nactions + 1) ||
        !PINGO__ARRAY_ROOM(s->hashes, s->hashes_capacity, 0, w->nactions) || !look_up(s, w))
        return pingo__fail_memory(err);
    int rc = pingo__workflow_bare(w->nactions, s->first, s->parents, &shape->workflow, err);
    if (rc == 0)
        rc = pingo__digest_digests_restore(s->hashes, w->nactions, are_distinct, &shape->digests,
                                           err);
    return rc;
}

/* What was asked for, and what was forced. */
static int read_flags(const struct pingo_history_submission *w, struct pingo__lab_shape *shape,
                      struct pingo_error *err)
{
    shape->targets = malloc((w->nactions + 1) * sizeof *shape->targets);
    shape->forced = malloc((w->nactions + 1) * sizeof *shape->forced);
    if (!shape->targets || !shape->forced)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < w->nactions; i++) {
        if (w->flags[i] & PINGO_HISTORY_LEAF)
            shape->targets[shape->ntargets++] = i;
        if (w->flags[i] & PINGO_HISTORY_FORCED)
            shape->forced[shape->nforced++] = i;
    }
    return 0;
}

int pingo__lab_shape_make(struct pingo__lab_shaper *s, uint32_t submission,
                          struct pingo__lab_shape *shape, struct pingo_error *err)
{
    struct pingo_history_submission w = {.size = sizeof w};
    int rc = 0;
    *shape = (struct pingo__lab_shape){0};
    if (pingo_history_submission(s->history, submission, &w) != 0)
        return pingo__fail(err, PINGO_EINVAL, "the history has no submission %u", submission);
    shape->n = w.nactions;
    shape->datasets = w.actions;
    rc = build(s, &w, shape, err);
    if (rc == 0)
        rc = read_flags(&w, shape, err);
    if (rc != 0)
        pingo__lab_shape_clear(shape);
    return rc;
}
