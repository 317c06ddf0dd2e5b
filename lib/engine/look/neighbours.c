/* neighbours.c - the actions around one, and where to draw them; and the chain of actions that took longest.
 *
 * What always holds: no more than MOST are told, whatever the graph; an edge leads to a lower layer. */
#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/look/shape.h"

enum { MOST = 200, HOPS = 2, SWEEPS = 8 };

struct near {
    uint32_t position, layer, place;
    double middle; /* of its neighbours, while they are put in order */
    struct pingo_neighbour told;
    uint32_t *parents, nparents; /* among them: indices */
};
struct looking {
    struct pingo__engine_shape shape;
    size_t limit, hops;
    uint32_t *index; /* of each action: in list, + 1; 0: it is not among them */
    struct near *list;
    size_t n;
};

/* ---- which -------------------------------------------------------------------------------- */

struct candidate {
    int rank;
    uint32_t position;
};

static int rank_of(unsigned state)
{
    return state == PINGO_ACTION_FAILED || state == PINGO_ACTION_KILLED ? 0
           : pingo__rules_action_is_handed(state)                       ? 1
           : state < PINGO_STATE_PLANNED                                ? 2
                                                                        : 3;
}

static int by_rank(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->position > y->position) - (x->position < y->position);
}

static void take(struct looking *l, uint32_t position, size_t hops)
{
    l->list[l->n] = (struct near){.position = position, .told.hops = hops};
    l->index[position] = (uint32_t)++l->n;
}

struct candidates {
    struct candidate *list;
    size_t n, capacity;
};

static int offer(struct looking *l, struct candidates *c, uint32_t position, struct pingo_error *err)
{
    if (l->index[position])
        return 0;
    if (!PINGO__ARENA_ROOM(&l->shape.arena, c->list, c->n, c->capacity))
        return pingo__fail_memory(err);
    c->list[c->n++] = (struct candidate){rank_of(l->shape.states[position]), position};
    return 0;
}

/* Those one hop beyond list[from...], each perhaps several times. */
static int gather(struct looking *l, size_t from, struct candidates *c, struct pingo_error *err)
{
    const struct pingo__engine_shape *s = &l->shape;
    int rc = 0;
    c->n = 0;
    for (size_t i = from; !rc && i < l->n; i++) {
        uint32_t at = l->list[i].position;
        for (uint32_t k = s->parents.first[at]; !rc && k < s->parents.first[at + 1]; k++)
            rc = offer(l, c, s->parents.parents[k], err);
        for (uint32_t k = s->graph.first_child[at]; !rc && k < s->graph.first_child[at + 1]; k++)
            rc = offer(l, c, s->graph.children[k], err);
    }
    if (!rc && c->n)
        qsort(c->list, c->n, sizeof *c->list, by_rank);
    return rc;
}

static int choose(struct looking *l, uint32_t around, struct pingo_error *err)
{
    struct candidates c = {.n = 0};
    int rc = 0;
    take(l, around, 0);
    for (size_t hops = 1, from = 0; !rc && hops <= l->hops && from < l->n && l->n < l->limit;
         hops++) {
        size_t before = l->n;
        rc = gather(l, from, &c, err);
        for (size_t i = 0; !rc && i < c.n && l->n < l->limit; i++)
            if (!l->index[c.list[i].position])
                take(l, c.list[i].position, hops);
        from = before;
    }
    return rc;
}

/* ---- where -------------------------------------------------------------------------------- */

static int find_parents(struct looking *l, struct near *x, struct pingo_error *err)
{
    const struct pingo__engine_shape *s = &l->shape;
    uint32_t first = s->parents.first[x->position], end = s->parents.first[x->position + 1];
    x->parents = pingo__arena_array(&l->shape.arena, end - first + 1, sizeof *x->parents);
    if (!x->parents)
        return pingo__fail_memory(err);
    for (uint32_t k = first; k < end; k++) {
        uint32_t parent = l->index[s->parents.parents[k]];
        if (parent)
            x->parents[x->nparents++] = parent - 1;
        else
            x->told.hidden++;
    }
    for (uint32_t k = s->graph.first_child[x->position]; k < s->graph.first_child[x->position + 1];
         k++)
        x->told.hidden += !l->index[s->graph.children[k]];
    return 0;
}

/* Parents come before children in the order of the whole. */
static int set_layers(struct looking *l, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < l->n; i++)
        rc = find_parents(l, &l->list[i], err);
    for (size_t at = 0; !rc && at < l->shape.n; at++) {
        uint32_t i = l->index[l->shape.graph.order[at]];
        struct near *x = i ? &l->list[i - 1] : NULL;
        for (uint32_t k = 0; x && k < x->nparents; k++)
            if (x->layer <= l->list[x->parents[k]].layer)
                x->layer = l->list[x->parents[k]].layer + 1;
    }
    return rc;
}

static int by_layer_and_middle(const void *a, const void *b)
{
    const struct near *x = *(struct near *const *)a, *y = *(struct near *const *)b;
    return x->layer != y->layer     ? (x->layer > y->layer) - (x->layer < y->layer)
           : x->middle != y->middle ? (x->middle > y->middle) - (x->middle < y->middle)
                                    : (x->position > y->position) - (x->position < y->position);
}

static void number(struct near **sorted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sorted[i]->place =
            i && sorted[i]->layer == sorted[i - 1]->layer ? sorted[i - 1]->place + 1 : 0;
}

/* Each goes to the middle of its parents, or the other way of its children, and so to and fro. */
static void sweep(struct looking *l, struct near **sorted, bool down)
{
    for (size_t i = 0; i < l->n; i++)
        l->list[i].middle = l->list[i].place;
    for (size_t step = 0; step < l->n; step++) {
        struct near *x = sorted[down ? step : l->n - 1 - step];
        double sum = 0;
        size_t n = 0;
        for (size_t i = 0; i < l->n && !down; i++)
            for (uint32_t k = 0; k < l->list[i].nparents; k++)
                if (&l->list[l->list[i].parents[k]] == x) {
                    sum += l->list[i].middle;
                    n++;
                }
        for (uint32_t k = 0; k < x->nparents && down; k++, n++)
            sum += l->list[x->parents[k]].middle;
        x->middle = n ? sum / (double)n : x->middle;
    }
    qsort(sorted, l->n, sizeof *sorted, by_layer_and_middle);
    number(sorted, l->n);
}

/* ---- what --------------------------------------------------------------------------------- */

static int name_one(struct looking *l, struct near *x, struct pingo_error *err)
{
    struct pingo__store_node node;
    struct pingo__store_at at = {l->shape.workflow.graph, x->position};
    int rc = pingo__store_node_get(&l->shape.store->db, &at, &l->shape.arena, &node, err);
    if (!rc && !node.name)
        rc = pingo__fail(err, PINGO_ECORRUPT, "an action of a graph is not there");
    if (rc)
        return rc;
    x->told.id = node.user_id;
    x->told.name = node.name;
    x->told.type = node.type;
    x->told.state = l->shape.states[x->position];
    x->told.layer = x->layer;
    x->told.place = x->place;
    return 0;
}

static int name_all(struct looking *l, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < l->n; i++)
        rc = name_one(l, &l->list[i], err);
    for (size_t i = 0; !rc && i < l->n; i++) {
        struct near *x = &l->list[i];
        int64_t *ids = pingo__arena_array(&l->shape.arena, x->nparents + 1, sizeof *ids);
        if (!ids)
            return pingo__fail_memory(err);
        for (uint32_t k = 0; k < x->nparents; k++)
            ids[k] = l->list[x->parents[k]].told.id;
        x->told.parents = ids;
        x->told.nparents = x->nparents;
    }
    return rc;
}

static int find(struct looking *l, const char *action, struct near ***sorted,
                struct pingo_error *err)
{
    struct pingo__arena *arena = &l->shape.arena;
    int64_t around = 0;
    int rc = pingo__store_node_resolve(&l->shape.store->db, l->shape.workflow.graph, action,
                                       &around, err);
    l->index = pingo__arena_array(arena, l->shape.n + 1, sizeof *l->index);
    l->list = pingo__arena_array(arena, l->limit, sizeof *l->list);
    *sorted = pingo__arena_array(arena, l->limit, sizeof **sorted);
    if (!rc && (!l->index || !l->list || !*sorted))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = choose(l, (uint32_t)around, err);
    if (!rc)
        rc = set_layers(l, err);
    for (size_t i = 0; !rc && i < l->n; i++)
        (*sorted)[i] = &l->list[i];
    if (!rc)
        qsort(*sorted, l->n, sizeof **sorted, by_layer_and_middle);
    number(*sorted, rc ? 0 : l->n);
    for (int i = 0; !rc && i < SWEEPS; i++)
        sweep(l, *sorted, i % 2 == 0);
    return rc ? rc : name_all(l, err);
}

int pingo_store_neighbours(struct pingo_store *store, const struct pingo_neighbour_query *query,
                           pingo_neighbour_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_neighbour_query q;
    struct looking l = {.n = 0};
    struct near **sorted = NULL;
    int rc = PINGO__OPTIONS_TAKE(pingo_neighbour_query, query, &q, err);
    if (!rc && !q.action)
        rc = pingo__fail(err, PINGO_EINVAL, "around which action?");
    if (rc)
        return rc;
    l.limit = q.limit && q.limit < MOST ? q.limit : MOST;
    l.hops = q.hops ? q.hops : HOPS;
    rc = pingo__engine_shape_open(&l.shape, store, q.workflow, PINGO__SHAPE_EDGES, err);
    if (!rc)
        rc = find(&l, q.action, &sorted, err);
    pingo__engine_shape_seen(&l.shape);
    for (size_t i = 0; !rc && i < l.n; i++)
        rc = fn(context, &sorted[i]->told) ? pingo__engine_stopped(err) : 0;
    pingo__engine_shape_close(&l.shape);
    return rc;
}

/* ---- the chain that took longest ------------------------------------------------------------ */

static int read_chain(struct pingo__engine_shape *s, const struct pingo__engine_ways *ways,
                      struct pingo_critical **chain, size_t *n, struct pingo_error *err)
{
    for (uint32_t i = ways->last; i != UINT32_MAX; i = ways->from[i])
        ++*n;
    *chain = pingo__arena_array(&s->arena, *n + 1, sizeof **chain);
    if (!*chain)
        return pingo__fail_memory(err);
    size_t at = *n;
    int rc = 0;
    for (uint32_t i = ways->last; !rc && i != UINT32_MAX; i = ways->from[i]) {
        struct pingo__store_node node;
        rc = pingo__store_node_get(&s->store->db, &(struct pingo__store_at){s->workflow.graph, i},
                                   &s->arena, &node, err);
        const struct pingo__engine_times *t = pingo__engine_shape_times(s, i);
        (*chain)[--at] = (struct pingo_critical){node.user_id, node.name, t->wall_ms, t->started_ms,
                                                 t->ended_ms};
    }
    return rc;
}

int pingo_store_critical_path(struct pingo_store *store, int64_t workflow, pingo_critical_fn fn,
                              void *context, struct pingo_error *err)
{
    struct pingo__engine_shape s = {.n = 0};
    struct pingo__engine_ways ways;
    struct pingo_critical *chain = NULL;
    size_t n = 0;
    int rc =
        pingo__engine_shape_open(&s, store, workflow, PINGO__SHAPE_EDGES | PINGO__SHAPE_TIMES, err);
    if (!rc)
        rc = pingo__engine_shape_ways(&s, &ways, err);
    if (!rc)
        rc = read_chain(&s, &ways, &chain, &n, err);
    pingo__engine_shape_seen(&s);
    for (size_t i = 0; !rc && i < n; i++)
        rc = fn(context, &chain[i]) ? pingo__engine_stopped(err) : 0;
    pingo__engine_shape_close(&s);
    return rc;
}
