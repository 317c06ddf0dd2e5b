/* bare.c - a workflow that is nothing but its graph. */
#include <stdlib.h>

#include <pingo/action_type.h>

#include "base/error.h"
#include "workflow/workflow.h"

static bool fill(struct pingo_workflow *w, size_t n, const uint32_t *first, const uint32_t *parents)
{
    struct pingo_parent *all = pingo__arena_array(&w->arena, first[n] + (size_t)1, sizeof *all);
    w->actions = calloc(n, sizeof *w->actions);
    if (!all || !w->actions)
        return false;
    for (size_t i = 0; i < first[n]; i++)
        all[i] = (struct pingo_parent){parents[i], ""};
    for (size_t i = 0; i < n; i++) {
        struct pingo_action *action = &w->actions[i];
        action->id = (int64_t)i;
        action->name = "";
        action->type = pingo_action_type_external();
        action->parents = all + first[i];
        action->nparents = first[i + 1] - first[i];
        action->is_managed = true;
        action->cpus = 1;
        action->more = &pingo__workflow_nothing_more;
    }
    w->nactions = n;
    w->graph = (struct pingo__workflow_graph){.n = n, .first = first, .parents = parents};
    return true;
}

int pingo__workflow_bare(size_t n, const uint32_t *first, const uint32_t *parents,
                         struct pingo_workflow **workflow, struct pingo_error *err)
{
    struct pingo_workflow *w = calloc(1, sizeof *w);
    uint32_t *waiting = malloc((n + 1) * sizeof *waiting);
    int rc = 0;
    *workflow = NULL;
    if (!w || !waiting) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    w->name = "";
    w->start_id = w->end_id = PINGO__NO_ID;
    w->ids_are_contiguous = true;
    if (n == 0)
        rc = pingo__fail(err, PINGO_EWORKFLOW, "a workflow needs at least one action");
    else if (!fill(w, n, first, parents) || !pingo__workflow_sort(w, waiting))
        rc = pingo__fail_memory(err);
    else if (w->graph.nplaced < n)
        rc = pingo__fail(err, PINGO_EWORKFLOW, "the parents of actions make a cycle");
    if (rc == 0) {
        *workflow = w;
        w = NULL;
    }
out:
    pingo_workflow_free(w);
    free(waiting);
    return rc;
}
