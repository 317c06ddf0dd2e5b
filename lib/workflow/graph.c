/* graph.c - the rules that concern the whole: ids, parents, order, leaves.
 *
 * What always holds: every walk is a loop over arrays, in time linear in the
 * number of actions and of parents, whatever the shape of the graph. */
#include <stdlib.h>

#include "workflow/draft.h"

#define UNKNOWN SIZE_MAX /* a parent that is not defined, or was reported */

/* ---- ids ------------------------------------------------------------------------- */

static bool ids_are_contiguous(const struct pingo_workflow *w)
{
    for (size_t i = 0; i < w->nactions; i++)
        if (w->actions[i].id != w->actions[0].id + (int64_t)i)
            return false;
    return w->nactions > 0 && w->actions[0].id >= 0;
}

/* Two actions have one id; spare: one that nobody has, or PINGO__NO_ID. */
static void report_taken(struct pingo_problem_sink *sink, size_t before, int64_t spare)
{
    struct pingo__workflow_draft *d = sink->draft;
    const struct pingo_action *other = &d->workflow->actions[before];
    const char *such_as = "";
    if (spare != PINGO__NO_ID)
        such_as = pingo__workflow_pointer(d, ", such as %lld", (long long)spare);
    pingo__workflow_report(
        sink, "/id",
        "the id %lld belongs to the action \"%.*s\" (/actions/%zu): give each an id of "
        "its own%s",
        (long long)other->id, pingo__workflow_quoted(other->name), other->name, before, such_as);
}

static void check_ids(struct pingo__workflow_draft *d)
{
    struct pingo_workflow *w = d->workflow;
    int64_t largest = -1;
    w->ids_are_contiguous = ids_are_contiguous(w);
    if (w->ids_are_contiguous)
        return;
    if (!pingo__map_reserve(&w->ids, w->nactions)) {
        d->no_memory = true;
        return;
    }
    for (size_t i = 0; i < w->nactions; i++)
        if (w->actions[i].id > largest)
            largest = w->actions[i].id;
    for (size_t i = 0; i < w->nactions && !d->no_memory; i++) {
        struct pingo_problem_sink sink = {d, i};
        const struct pingo_action *action = &w->actions[i];
        uint32_t before;
        if (action->id == PINGO__NO_ID)
            continue;
        if (!pingo__map_insert(&w->ids, &action->id, sizeof action->id, (uint32_t)i, &before)) {
            d->no_memory = true;
        } else if (before != PINGO__MAP_NONE) {
            report_taken(&sink, before, largest < PINGO_ID_MAX ? ++largest : PINGO__NO_ID);
        }
    }
}

size_t pingo_workflow_find(const struct pingo_workflow *workflow, int64_t id)
{
    if (workflow->nactions == 0 || id < 0)
        return SIZE_MAX;
    if (workflow->ids_are_contiguous) {
        int64_t first = workflow->actions[0].id;
        return id < first || id - first >= (int64_t)workflow->nactions ? SIZE_MAX
                                                                       : (size_t)(id - first);
    }
    uint32_t found = pingo__map_get(&workflow->ids, &id, sizeof id);
    return found == PINGO__MAP_NONE ? SIZE_MAX : found;
}

/* ---- parents and children ----------------------------------------------------------- */

static void report_undefined(struct pingo_problem_sink *sink, const char *pointer, int64_t id)
{
    const struct pingo_workflow *w = sink->draft->workflow;
    if (w->nactions == 1 && w->ids_are_contiguous)
        pingo__workflow_report(sink, pointer, "no action has the id %lld: the only id here is %lld",
                               (long long)id, (long long)w->actions[0].id);
    else if (w->ids_are_contiguous)
        pingo__workflow_report(
            sink, pointer, "no action has the id %lld: the ids here are %lld to %lld",
            (long long)id, (long long)w->actions[0].id, (long long)w->actions[w->nactions - 1].id);
    else
        pingo__workflow_report(sink, pointer, "no action has the id %lld: name one that is defined",
                               (long long)id);
}

/* From ids to indexes. */
static void resolve_parents(struct pingo__workflow_draft *d)
{
    struct pingo_workflow *w = d->workflow;
    for (size_t i = 0; i < w->nactions && !d->no_memory; i++) {
        struct pingo_problem_sink sink = {d, i};
        /* The draft made the array; it is constant for those who read a workflow. */
        struct pingo_parent *parents = (struct pingo_parent *)w->actions[i].parents;
        for (size_t k = 0; k < w->actions[i].nparents; k++) {
            int64_t id = (int64_t)parents[k].index;
            if (parents[k].index == UNKNOWN)
                continue;
            parents[k].index = pingo_workflow_find(w, id);
            if (parents[k].index == UNKNOWN)
                report_undefined(&sink, pingo__workflow_pointer(d, "/parentActions/%zu/id", k), id);
        }
    }
}

/* Writes down the parents of each action, each once; UNKNOWN ones are left out.  newest: zeros. */
static void list_parents(const struct pingo_workflow *w, uint32_t *first, uint32_t *parents,
                         uint32_t *newest)
{
    uint32_t n = 0;
    for (size_t i = 0; i < w->nactions; i++) {
        first[i] = n;
        for (size_t k = 0; k < w->actions[i].nparents; k++) {
            size_t p = w->actions[i].parents[k].index;
            if (p == UNKNOWN || newest[p] == i + 1)
                continue;
            newest[p] = (uint32_t)i + 1;
            parents[n++] = (uint32_t)p;
        }
    }
    first[w->nactions] = n;
}

const uint32_t *pingo_workflow_children(const struct pingo_workflow *workflow, size_t i, size_t *n)
{
    if (i >= workflow->nactions) {
        *n = 0;
        return NULL;
    }
    *n = workflow->graph.first_child[i + 1] - workflow->graph.first_child[i];
    return workflow->graph.children + workflow->graph.first_child[i];
}

/* ---- order ----------------------------------------------------------------------------- */

/* The other way round: counts the children of each, then writes them down. */
static bool find_children(struct pingo__workflow_graph *g, struct pingo__arena *arena)
{
    const uint32_t *first = g->first;
    size_t n = g->n;
    uint32_t *at = pingo__arena_array(arena, n + 2, sizeof *at);
    g->children = pingo__arena_array(arena, (size_t)first[n] + 1, sizeof *g->children);
    if (!at || !g->children)
        return false;
    /* at[i] is where the next child of i goes, and in the end where those of i + 1 begin. */
    g->first_child = at++;
    for (size_t e = 0; e < first[n]; e++)
        at[g->parents[e] + 1]++;
    for (size_t i = 0; i < n; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < n; i++)
        for (size_t e = first[i]; e < first[i + 1]; e++)
            g->children[at[g->parents[e]]++] = (uint32_t)i;
    return true;
}

/* Kahn's algorithm. */
bool pingo__workflow_graph_sort(struct pingo__workflow_graph *g, struct pingo__arena *arena,
                                uint32_t *waiting)
{
    size_t placed = 0;
    g->order = pingo__arena_array(arena, g->n + 1, sizeof *g->order);
    if (!g->order || !find_children(g, arena))
        return false;
    for (size_t i = 0; i < g->n; i++) {
        waiting[i] = g->first[i + 1] - g->first[i];
        if (waiting[i] == 0)
            g->order[placed++] = (uint32_t)i;
    }
    for (size_t next = 0; next < placed; next++) {
        uint32_t i = g->order[next];
        for (uint32_t k = g->first_child[i]; k < g->first_child[i + 1]; k++)
            if (--waiting[g->children[k]] == 0)
                g->order[placed++] = g->children[k];
    }
    g->nplaced = placed;
    return true;
}

bool pingo__workflow_sort(struct pingo_workflow *w, uint32_t *waiting)
{
    struct pingo__workflow_graph *g = &w->graph;
    bool ok = pingo__workflow_graph_sort(g, &w->arena, waiting);
    for (size_t i = 0; ok && i < w->nactions; i++)
        w->actions[i].is_leaf = g->first_child[i] == g->first_child[i + 1];
    g->first = g->parents = NULL;
    return ok;
}

static void check_leaves(struct pingo__workflow_draft *d)
{
    struct pingo_workflow *w = d->workflow;
    for (size_t i = 0; i < w->nactions; i++) {
        struct pingo_problem_sink sink = {d, i};
        if (w->actions[i].is_leaf && w->actions[i].keep == PINGO_KEEP_NEVER)
            pingo__workflow_report(
                &sink, "/keep",
                "%s on an action without children: its output is a result that you ask "
                "for, leave %s out",
                pingo__workflow_words(d, "\"keep\": false", "PINGO_KEEP_NEVER"),
                pingo__workflow_words(d, "\"keep\"", "it"));
    }
}

/* ---- start and end ---------------------------------------------------------------------- */

static size_t resolve_mark(struct pingo__workflow_draft *d, const char *pointer, int64_t id)
{
    if (id == PINGO__NO_ID)
        return UNKNOWN;
    size_t index = pingo_workflow_find(d->workflow, id);
    if (index == UNKNOWN)
        report_undefined(&d->document, pointer, id);
    return index;
}

/* Is the action `above` an ancestor of `start`?  queue and seen: nactions each, seen zeros. */
static bool is_ancestor(const struct pingo_workflow *w, size_t start, size_t above, uint32_t *queue,
                        uint32_t *seen)
{
    size_t length = 0;
    queue[length++] = (uint32_t)start;
    for (size_t next = 0; next < length; next++) {
        const struct pingo_action *a = &w->actions[queue[next]];
        for (size_t k = 0; k < a->nparents; k++) {
            size_t p = a->parents[k].index;
            if (p == above)
                return true;
            if (p == UNKNOWN || seen[p] != 0)
                continue;
            seen[p] = 1;
            if (p != start)
                queue[length++] = (uint32_t)p;
        }
    }
    return false;
}

/* queue: nactions. */
static void check_start_and_end(struct pingo__workflow_draft *d, uint32_t *queue)
{
    struct pingo_workflow *w = d->workflow;
    size_t start = resolve_mark(d, "/startActionId", w->start_id);
    size_t end = resolve_mark(d, "/endActionId", w->end_id);
    bool is_parent = false;
    if (start == UNKNOWN || end == UNKNOWN || start == end)
        return;
    uint32_t *seen = calloc(w->nactions, sizeof *seen);
    d->no_memory = d->no_memory || !seen;
    bool is_wrong = seen && is_ancestor(w, start, end, queue, seen);
    free(seen);
    if (!is_wrong)
        return;
    const struct pingo_action *s = &w->actions[start];
    const struct pingo_action *e = &w->actions[end];
    for (size_t k = 0; k < s->nparents; k++)
        is_parent = is_parent || s->parents[k].index == end;
    pingo__workflow_report(
        &d->document, "/endActionId",
        "the end action %lld \"%.*s\" is %s of the start action %lld \"%.*s\": it must "
        "come after it",
        (long long)e->id, pingo__workflow_quoted(e->name), e->name,
        is_parent ? "a parent" : "an ancestor", (long long)s->id, pingo__workflow_quoted(s->name),
        s->name);
}

/* From indexes of parents to children, order and leaves.  waiting: a zero for each action. */
static bool link_actions(struct pingo__workflow_draft *d, uint32_t *waiting)
{
    struct pingo_workflow *w = d->workflow;
    uint32_t *first = calloc(w->nactions + 1, sizeof *first), *parents = NULL;
    size_t total = 0;
    for (size_t i = 0; i < w->nactions; i++)
        total += w->actions[i].nparents;
    if (first && total < UINT32_MAX)
        parents = calloc(total + 1, sizeof *parents);
    bool ok = parents;
    if (ok) {
        list_parents(w, first, parents, waiting);
        w->graph =
            (struct pingo__workflow_graph){.n = w->nactions, .first = first, .parents = parents};
        ok = pingo__workflow_sort(w, waiting);
    }
    free(first);
    free(parents);
    if (ok && w->graph.nplaced < w->nactions)
        pingo__workflow_report_cycles(d, waiting);
    return ok;
}

void pingo__workflow_draft_connect(struct pingo__workflow_draft *d)
{
    struct pingo_workflow *w = d->workflow;
    size_t n = w->nactions > 0 ? w->nactions : 1;
    if (w->nactions == 0 && !d->actions_reported)
        pingo__workflow_report(&d->document, "/actions",
                               "\"actions\" is empty: a workflow needs at least one");
    check_ids(d);
    resolve_parents(d);
    if (d->no_memory)
        return; /* some parents still have ids for indexes */
    uint32_t *waiting = calloc(n, sizeof *waiting);
    if (!waiting || !link_actions(d, waiting)) {
        d->no_memory = true;
    } else {
        check_leaves(d);
        check_start_and_end(d, waiting);
    }
    free(waiting);
}
