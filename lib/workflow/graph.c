/* graph.c - the rules that concern the whole: ids, parents, order, leaves.
 *
 * What always holds: every walk is a loop over arrays, in time linear in the
 * number of actions and of parents, whatever the shape of the graph. */
#include <stdlib.h>
#include <string.h>

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
    struct pingo__draft *d = sink->draft;
    const struct pingo_action *other = &d->workflow->actions[before];
    const char *such_as = "";

    if (spare != PINGO__NO_ID)
        such_as = pingo__pointer(d, ", such as %lld", (long long)spare);
    pingo__report(sink, "/id",
                  "the id %lld belongs to the action \"%.*s\" (/actions/%zu): give each an id of "
                  "its own%s",
                  (long long)other->id, pingo__quoted(other->name), other->name, before, such_as);
}

static void check_ids(struct pingo__draft *d)
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
    uint32_t found;

    if (workflow->nactions == 0 || id < 0)
        return SIZE_MAX;
    if (workflow->ids_are_contiguous) {
        int64_t first = workflow->actions[0].id;
        return id < first || id - first >= (int64_t)workflow->nactions ? SIZE_MAX
                                                                       : (size_t)(id - first);
    }
    found = pingo__map_get(&workflow->ids, &id, sizeof id);
    return found == PINGO__MAP_NONE ? SIZE_MAX : found;
}

/* ---- parents and children ----------------------------------------------------------- */

static void report_undefined(struct pingo_problem_sink *sink, const char *pointer, int64_t id)
{
    const struct pingo_workflow *w = sink->draft->workflow;

    if (w->nactions == 1 && w->ids_are_contiguous)
        pingo__report(sink, pointer, "no action has the id %lld: the only id here is %lld",
                      (long long)id, (long long)w->actions[0].id);
    else if (w->ids_are_contiguous)
        pingo__report(sink, pointer, "no action has the id %lld: the ids here are %lld to %lld",
                      (long long)id, (long long)w->actions[0].id,
                      (long long)w->actions[w->nactions - 1].id);
    else
        pingo__report(sink, pointer, "no action has the id %lld: name one that is defined",
                      (long long)id);
}

/* From ids to indexes. */
static void resolve_parents(struct pingo__draft *d)
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
                report_undefined(&sink, pingo__pointer(d, "/parentActions/%zu/id", k), id);
        }
    }
}

/* Calls for each pair of child and parent, each once: counts, or writes children down.
 * newest[p]: the last child that p got, plus one. */
static void each_child(struct pingo_workflow *w, uint32_t *newest, uint32_t *at, bool write)
{
    memset(newest, 0, w->nactions * sizeof *newest);
    for (size_t i = 0; i < w->nactions; i++) {
        for (size_t k = 0; k < w->actions[i].nparents; k++) {
            size_t p = w->actions[i].parents[k].index;

            if (p == UNKNOWN || newest[p] == i + 1)
                continue;
            newest[p] = (uint32_t)i + 1;
            if (write)
                w->children[at[p]] = (uint32_t)i;
            at[p]++;
        }
    }
}

static bool find_children(struct pingo__draft *d, uint32_t *newest)
{
    struct pingo_workflow *w = d->workflow;
    size_t total = 0;
    uint32_t *first;

    first = pingo__draft_array(d, &w->arena, w->nactions + 1, sizeof *first);
    if (first == NULL)
        return false;
    each_child(w, newest, first, false);
    for (size_t i = 0; i <= w->nactions; i++) {
        size_t n = i < w->nactions ? first[i] : 0;

        first[i] = (uint32_t)total;
        total += n;
    }
    if (total > UINT32_MAX) {
        d->no_memory = true;
        return false;
    }
    w->children = pingo__draft_array(d, &w->arena, total, sizeof *w->children);
    if (w->children == NULL)
        return false;
    /* Writing moves each beginning to the next one's: afterwards all shift back by one. */
    each_child(w, newest, first, true);
    for (size_t i = w->nactions; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
    w->first_child = first;
    return true;
}

const uint32_t *pingo_workflow_children(const struct pingo_workflow *workflow, size_t i, size_t *n)
{
    if (i >= workflow->nactions) {
        *n = 0;
        return NULL;
    }
    *n = workflow->first_child[i + 1] - workflow->first_child[i];
    return workflow->children + workflow->first_child[i];
}

/* ---- order ----------------------------------------------------------------------------- */

/* Kahn's algorithm.  waiting[i] ends as 0 for every action that has a place in the order. */
static size_t find_order(struct pingo_workflow *w, uint32_t *waiting)
{
    size_t n = w->first_child[w->nactions], placed = 0;

    memset(waiting, 0, w->nactions * sizeof *waiting);
    for (size_t i = 0; i < n; i++)
        waiting[w->children[i]]++;
    for (size_t i = 0; i < w->nactions; i++)
        if (waiting[i] == 0)
            w->order[placed++] = (uint32_t)i;
    for (size_t next = 0; next < placed; next++) {
        size_t nchildren;
        const uint32_t *children = pingo_workflow_children(w, w->order[next], &nchildren);

        for (size_t i = 0; i < nchildren; i++)
            if (--waiting[children[i]] == 0)
                w->order[placed++] = children[i];
    }
    return placed;
}

static void check_leaves(struct pingo__draft *d)
{
    struct pingo_workflow *w = d->workflow;

    for (size_t i = 0; i < w->nactions; i++) {
        struct pingo_problem_sink sink = {d, i};

        w->actions[i].is_leaf = w->first_child[i] == w->first_child[i + 1];
        if (w->actions[i].is_leaf && w->actions[i].keep == PINGO_KEEP_NEVER)
            pingo__report(&sink, "/keep",
                          "\"keep\": false on an action without children: its output is a result "
                          "that you ask for, leave \"keep\" out");
    }
}

/* ---- start and end ---------------------------------------------------------------------- */

static size_t resolve_mark(struct pingo__draft *d, const char *pointer, int64_t id)
{
    struct pingo_problem_sink sink = {d, PINGO__NO_ACTION};
    size_t index;

    if (id == PINGO__NO_ID)
        return UNKNOWN;
    index = pingo_workflow_find(d->workflow, id);
    if (index == UNKNOWN)
        report_undefined(&sink, pointer, id);
    return index;
}

/* Is the action `above` an ancestor of `start`?  queue and seen: nactions each. */
static bool is_ancestor(const struct pingo_workflow *w, size_t start, size_t above, uint32_t *queue,
                        uint32_t *seen)
{
    size_t length = 0;

    memset(seen, 0, w->nactions * sizeof *seen);
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

static void check_start_and_end(struct pingo__draft *d, uint32_t *queue, uint32_t *seen)
{
    struct pingo_problem_sink sink = {d, PINGO__NO_ACTION};
    struct pingo_workflow *w = d->workflow;
    size_t start = resolve_mark(d, "/startActionId", w->start_id);
    size_t end = resolve_mark(d, "/endActionId", w->end_id);
    const struct pingo_action *s, *e;
    bool is_parent = false;

    if (start == UNKNOWN || end == UNKNOWN || start == end ||
        !is_ancestor(w, start, end, queue, seen))
        return;
    s = &w->actions[start];
    e = &w->actions[end];
    for (size_t k = 0; k < s->nparents; k++)
        is_parent = is_parent || s->parents[k].index == end;
    pingo__report(&sink, "/endActionId",
                  "the end action %lld \"%.*s\" is %s of the start action %lld \"%.*s\": it must "
                  "come after it",
                  (long long)e->id, pingo__quoted(e->name), e->name,
                  is_parent ? "a parent" : "an ancestor", (long long)s->id, pingo__quoted(s->name),
                  s->name);
}

void pingo__draft_connect(struct pingo__draft *d)
{
    struct pingo_problem_sink sink = {d, PINGO__NO_ACTION};
    struct pingo_workflow *w = d->workflow;
    uint32_t *waiting = NULL, *seen = NULL;
    size_t n = w->nactions > 0 ? w->nactions : 1;

    if (w->nactions == 0 && !d->actions_reported)
        pingo__report(&sink, "/actions", "\"actions\" is empty: a workflow needs at least one");
    check_ids(d);
    resolve_parents(d);
    if (d->no_memory)
        return; /* some parents still have ids for indexes */
    waiting = calloc(n, sizeof *waiting);
    seen = calloc(n, sizeof *seen);
    w->order = pingo__draft_array(d, &w->arena, n, sizeof *w->order);
    if (waiting == NULL || seen == NULL || w->order == NULL || !find_children(d, seen)) {
        d->no_memory = true;
        goto out;
    }
    if (find_order(w, waiting) < w->nactions)
        pingo__report_cycles(d, waiting);
    check_leaves(d);
    check_start_and_end(d, waiting, seen);
out:
    free(waiting);
    free(seen);
}
