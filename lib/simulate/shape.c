/* shape.c - a submission of a history -> a workflow and its hashes, for the planner.
 *
 * What always holds: the parents of an action stand at the first positions of their
 * hashes, which are the lowest ids among equals; so they are what the planner lets
 * stand for them.  That a submission mentions the parents of what it mentions, the
 * history sees to. */
#include <stdlib.h>

#include "base/error.h"
#include "digest/digests.h"
#include "simulate/workload.h"
#include "workflow/bare.h"

int pingo__shaper_init(struct pingo__shaper *s, const struct pingo_history *history,
                       struct pingo_error *err)
{
    size_t n = (size_t)pingo_history_count_actions(history) + 1;
    *s = (struct pingo__shaper){.history = history};
    s->place = calloc(n, sizeof *s->place);
    s->stamp = calloc(n, sizeof *s->stamp);
    return s->place != NULL && s->stamp != NULL ? 0 : pingo__fail_memory(err);
}

void pingo__shaper_clear(struct pingo__shaper *s)
{
    free(s->place);
    free(s->stamp);
    *s = (struct pingo__shaper){0};
}

void pingo__shape_clear(struct pingo__shape *shape)
{
    pingo_workflow_free(shape->workflow);
    pingo_digests_free(shape->digests);
    free(shape->targets);
    free(shape->forced);
    *shape = (struct pingo__shape){0};
}

/* Where each dataset stands first. */
static void find_places(struct pingo__shaper *s, const struct pingo_history_submission *w)
{
    s->now++;
    for (size_t i = 0; i < w->nactions; i++) {
        uint32_t dataset = w->actions[i];
        if (s->stamp[dataset] == s->now)
            continue;
        s->stamp[dataset] = s->now;
        s->place[dataset] = (uint32_t)i;
    }
}

static int build_workflow(struct pingo__shaper *s, const struct pingo_history_submission *w,
                          struct pingo__shape *shape, struct pingo_error *err)
{
    size_t *first = malloc((w->nactions + 1) * sizeof *first), n = 0, nparents;
    uint32_t *parents = NULL;
    int rc;
    if (first == NULL)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < w->nactions; i++) {
        first[i] = n;
        pingo_history_parents(s->history, w->actions[i], &nparents);
        n += nparents;
    }
    first[w->nactions] = n;
    parents = malloc((n + 1) * sizeof *parents);
    for (size_t i = 0; parents != NULL && i < w->nactions; i++) {
        const uint32_t *known = pingo_history_parents(s->history, w->actions[i], &nparents);
        for (size_t k = 0; k < nparents; k++)
            parents[first[i] + k] = s->place[known[k]];
    }
    rc = parents == NULL ? pingo__fail_memory(err)
                         : pingo__workflow_bare(w->nactions, first, parents, &shape->workflow, err);
    free(first);
    free(parents);
    return rc;
}

static int copy_hashes(struct pingo__shaper *s, const struct pingo_history_submission *w,
                       struct pingo__shape *shape, struct pingo_error *err)
{
    struct pingo_hash *hashes = malloc((w->nactions + 1) * sizeof *hashes);
    int rc;
    if (hashes == NULL)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < w->nactions; i++)
        hashes[i] = *pingo_history_hash(s->history, w->actions[i]);
    rc = pingo__digests_restore(hashes, w->nactions, &shape->digests, err);
    free(hashes);
    return rc;
}

/* What was asked for, and what was forced. */
static int read_flags(const struct pingo_history_submission *w, struct pingo__shape *shape,
                      struct pingo_error *err)
{
    for (size_t i = 0; i < w->nactions; i++) {
        shape->ntargets += (w->flags[i] & PINGO_HISTORY_LEAF) != 0;
        shape->nforced += (w->flags[i] & PINGO_HISTORY_FORCED) != 0;
    }
    shape->targets = malloc((shape->ntargets + 1) * sizeof *shape->targets);
    shape->forced = malloc((shape->nforced + 1) * sizeof *shape->forced);
    if (shape->targets == NULL || shape->forced == NULL)
        return pingo__fail_memory(err);
    for (size_t i = 0, t = 0, f = 0; i < w->nactions; i++) {
        if (w->flags[i] & PINGO_HISTORY_LEAF)
            shape->targets[t++] = i;
        if (w->flags[i] & PINGO_HISTORY_FORCED)
            shape->forced[f++] = i;
    }
    return 0;
}

int pingo__shape_make(struct pingo__shaper *s, uint32_t submission, struct pingo__shape *shape,
                      struct pingo_error *err)
{
    struct pingo_history_submission w;
    int rc = 0;
    *shape = (struct pingo__shape){0};
    if (pingo_history_submission(s->history, submission, &w) != 0)
        return pingo__fail(err, PINGO_EINVAL, "the history has no submission %u", submission);
    find_places(s, &w);
    shape->n = w.nactions;
    shape->datasets = w.actions;
    rc = build_workflow(s, &w, shape, err);
    if (rc == 0)
        rc = copy_hashes(s, &w, shape, err);
    if (rc == 0)
        rc = read_flags(&w, shape, err);
    if (rc != 0)
        pingo__shape_clear(shape);
    return rc;
}
