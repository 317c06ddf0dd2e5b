/* cycles.c - naming the cycles of parentActions.
 *
 * Each action that found no place in the order has a parent that found none.
 * Going from each to the first such parent leads into a cycle; every cycle of
 * these steps is told once, in linear time. */
#include <stdlib.h>

#include "base/buffer.h"
#include "workflow/draft.h"

#define NAMED_MAX 12 /* actions of a cycle that a message names */

/* Which entry of parentActions leads on. */
static size_t step(const struct pingo_workflow *w, const uint32_t *waiting, size_t i)
{
    const struct pingo_action *a = &w->actions[i];
    size_t k = 0;
    while (k + 1 < a->nparents &&
           (a->parents[k].index == SIZE_MAX || waiting[a->parents[k].index] == 0))
        k++;
    return k;
}

static void name_action(struct pingo__buffer *b, const struct pingo_action *a)
{
    pingo__buffer_format(b, "%lld \"%.*s\"", (long long)a->id, pingo__workflow_quoted(a->name),
                         a->name);
}

/* first: the cycle's action that comes first in the workflow; next[i]: the entry that leads on. */
static void report_cycle(struct pingo__workflow_draft *d, size_t first, const uint32_t *next)
{
    const struct pingo_workflow *w = d->workflow;
    struct pingo_problem_sink sink = {d, first};
    struct pingo__buffer text = {0};
    size_t i = first, n = 0;
    name_action(&text, &w->actions[first]);
    do {
        i = w->actions[i].parents[next[i]].index;
        n++;
        if (n < NAMED_MAX || i == first) {
            pingo__buffer_text(&text, n > NAMED_MAX ? " needs ... needs " : " needs ");
            name_action(&text, &w->actions[i]);
        }
    } while (i != first);
    if (n > NAMED_MAX)
        pingo__buffer_format(&text, " (%zu actions)", n);
    if (!pingo__buffer_cstr(&text))
        d->no_memory = true;
    else if (n == 1)
        pingo__workflow_report(&sink, pingo__workflow_pointer(d, "/parentActions/%u", next[first]),
                               "the action is its own parent: %s", text.data);
    else
        pingo__workflow_report(&sink, pingo__workflow_pointer(d, "/parentActions/%u", next[first]),
                               "a cycle: %s: remove one of these parents", text.data);
    pingo__buffer_clear(&text);
}

void pingo__workflow_report_cycles(struct pingo__workflow_draft *d, const uint32_t *waiting)
{
    const struct pingo_workflow *w = d->workflow;
    uint32_t *next = calloc(w->nactions, sizeof *next);
    uint32_t *walk = calloc(w->nactions, sizeof *walk); /* which walk came by; 0: none */
    if (!next || !walk) {
        d->no_memory = true;
        goto out;
    }
    for (size_t start = 0; start < w->nactions; start++) {
        size_t i = start;
        if (waiting[start] == 0 || walk[start] != 0)
            continue;
        while (walk[i] == 0) {
            walk[i] = (uint32_t)start + 1;
            next[i] = (uint32_t)step(w, waiting, i);
            i = w->actions[i].parents[next[i]].index;
        }
        if (walk[i] != (uint32_t)start + 1)
            continue; /* into what an earlier walk saw */
        size_t first = i;
        for (size_t j = w->actions[i].parents[next[i]].index; j != i;
             j = w->actions[j].parents[next[j]].index)
            if (j < first)
                first = j;
        report_cycle(d, first, next);
    }
out:
    free(next);
    free(walk);
}
