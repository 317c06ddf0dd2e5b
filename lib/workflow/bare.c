/* bare.c - a graph -> a workflow, by the same rules as any other. */
#include "workflow/bare.h"

#include <pingo/action_type.h>

#include "base/error.h"
#include "workflow/draft.h"

static void fill(struct pingo__draft *d, size_t n, const size_t *first, const uint32_t *parents)
{
    struct pingo_workflow *w = d->workflow;
    struct pingo_parent *all = pingo__draft_array(d, &w->arena, first[n], sizeof *all);
    if (all == NULL)
        return;
    for (size_t i = 0; i < first[n]; i++)
        all[i] = (struct pingo_parent){parents[i], ""};
    for (size_t i = 0; i < n; i++)
        w->actions[i] = (struct pingo_action){.id = (int64_t)i,
                                              .name = "",
                                              .type = pingo_action_type_external(),
                                              .parents = all + first[i],
                                              .nparents = first[i + 1] - first[i],
                                              .is_managed = true,
                                              .cpus = 1};
    w->nactions = n;
}

int pingo__workflow_bare(size_t n, const size_t *first, const uint32_t *parents,
                         struct pingo_workflow **workflow, struct pingo_error *err)
{
    struct pingo__draft d;
    int rc = pingo__draft_init(&d, NULL, err);
    *workflow = NULL;
    if (rc == 0) {
        d.workflow->name = "";
        if (pingo__draft_reserve(&d, n))
            fill(&d, n, first, parents);
        rc = pingo__draft_finish(&d, workflow, NULL, err);
    }
    pingo__draft_clear(&d);
    return rc;
}
