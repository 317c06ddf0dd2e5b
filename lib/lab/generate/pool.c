/* pool.c - the workflow generator of the thesis: new actions, and picks among the known ones.
 *
 * The algorithm of appendix B, with its last condition completed ("no such edge yet,
 * and no path from the tentative action to this one"), and closed under ancestors: a
 * known action has in each workflow the parents that it always had.  Picks that got no
 * child are no ancestors of anything new, and so are not in the workflow.
 *
 * An action takes children from a random permutation of the new actions, skipping those
 * that want no more parents: which is a random permutation of those that want some, drawn
 * only as far as it is needed.
 * New actions are drawn under places; they get their numbers when their graph is
 * known, parents first.  Until then the one at place i goes by the number nknown + i. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "lab/generate/generate.h"

#define NONE UINT32_MAX
#define DEGREE_MAX 1000000 /* children or parents of an action */

struct edge {
    uint32_t parent;      /* a number; nknown or more: the place of a new one behind that */
    uint32_t child;       /* a place */
    uint32_t next_parent; /* an edge to another parent of the child; NONE */
    uint32_t next_child;  /* where the parent is new: an edge to another child of it; NONE */
};

struct new_action {
    uint32_t children;                  /* how many it takes */
    uint32_t wants;                     /* how many more parents it wants */
    uint32_t first_parent, first_child; /* edges; NONE */
    uint32_t nwaits;                    /* parents that have no number of their own yet */
    uint32_t number;
    uint32_t seen; /* place + 1 of the giver that it was last found to be an ancestor of */
};

struct pool {
    struct pingo__lab_generator *g;
    struct pingo__lab_chooser chooser;
    uint32_t *drawn; /* the numbers of the known actions, in the order in which they were drawn */
    uint32_t *picks, *children; /* numbers, and how many children each takes */
    uint32_t npicks;
    struct new_action *new;
    uint32_t nnew;
    uint32_t *wanting; /* places of those that want parents */
    uint32_t nwanting;
    uint32_t *places; /* the stack of a search; the order of the new ones */
    struct edge *edges;
    uint32_t nedges;
    size_t edges_capacity;
    uint64_t *member; /* a bit a number: it is an ancestor in this workflow */
    uint32_t lowest;  /* of them */
    uint32_t *stack;
    size_t depth, stack_capacity;
    uint32_t *parents; /* of one action */
    size_t parents_capacity;
};

/* ---- drawing --------------------------------------------------------------------------------- */

/* int |N(mean, sd)|. */
static uint32_t draw_degree(struct pingo__lab_generator *g, int mean, int sd)
{
    double x = g->values[mean] + g->values[sd] * pingo__lab_random_normal(&g->shape);
    if (x < 0)
        x = -x;
    return x < DEGREE_MAX ? (uint32_t)x : DEGREE_MAX;
}

static void draw_actions(struct pool *p)
{
    struct pingo__lab_generator *g = p->g;
    uint32_t npicks = pingo__lab_generate_count(g, PINGO__GENERATE_PREVIOUS);
    p->npicks = npicks < p->chooser.nknown ? npicks : p->chooser.nknown;
    pingo__lab_chooser_pick(&p->chooser, p->picks, p->npicks);
    for (uint32_t i = 0; i < p->npicks; i++) {
        p->picks[i] = p->drawn[p->picks[i]];
        p->children[i] = draw_degree(g, PINGO__GENERATE_CHILDREN_MEAN, PINGO__GENERATE_CHILDREN_SD);
    }
    p->nwanting = 0;
    p->nedges = 0;
    for (uint32_t i = 0; i < p->nnew; i++) {
        struct new_action *a = &p->new[i];
        *a = (struct new_action){.first_parent = NONE, .first_child = NONE};
        a->children = draw_degree(g, PINGO__GENERATE_CHILDREN_MEAN, PINGO__GENERATE_CHILDREN_SD);
        a->wants = draw_degree(g, PINGO__GENERATE_PARENTS_MEAN, PINGO__GENERATE_PARENTS_SD);
        if (a->wants > 0)
            p->wanting[p->nwanting++] = i;
    }
}

/* ---- edges -------------------------------------------------------------------------------------- */

static bool add_edge(struct pool *p, uint32_t giver, uint32_t child)
{
    struct edge *e;
    if (p->nedges >= NONE - 1 || !PINGO__ARRAY_ROOM(p->edges, p->edges_capacity, p->nedges, 1))
        return false;
    e = &p->edges[p->nedges];
    *e = (struct edge){.parent = giver,
                       .child = child,
                       .next_parent = p->new[child].first_parent,
                       .next_child = NONE};
    p->new[child].first_parent = p->nedges;
    if (giver >= p->g->nknown) {
        struct new_action *parent = &p->new[giver - p->g->nknown];
        e->next_child = parent->first_child;
        parent->first_child = p->nedges;
        p->new[child].nwaits++;
    }
    p->nedges++;
    return true;
}

/* Marks a new action and its new ancestors, of which none can be its child. */
static void mark_ancestors(struct pool *p, uint32_t giver)
{
    uint32_t depth = 0, nknown = p->g->nknown;
    p->new[giver].seen = giver + 1;
    p->places[depth++] = giver;
    while (depth > 0) {
        uint32_t e = p->new[p->places[--depth]].first_parent;
        for (; e != NONE; e = p->edges[e].next_parent) {
            uint32_t parent = p->edges[e].parent;
            if (parent < nknown || p->new[parent - nknown].seen == giver + 1)
                continue;
            p->new[parent - nknown].seen = giver + 1;
            p->places[depth++] = parent - nknown;
        }
    }
}

/* An action, by its number, takes up to so many children.  false: no memory. */
static bool give_children(struct pool *p, uint32_t giver, uint32_t nchildren)
{
    uint32_t at = 0, self = giver >= p->g->nknown ? giver - p->g->nknown + 1 : 0;
    if (nchildren == 0 || p->nwanting == 0)
        return true;
    if (self > 0)
        mark_ancestors(p, self - 1);
    while (nchildren > 0 && at < p->nwanting) {
        uint32_t other = at + (uint32_t)pingo__lab_random_below(&p->g->shape, p->nwanting - at);
        uint32_t child = p->wanting[other];
        p->wanting[other] = p->wanting[at];
        p->wanting[at] = child;
        if (self > 0 && p->new[child].seen == self) {
            at++;
            continue;
        }
        if (!add_edge(p, giver, child))
            return false;
        nchildren--;
        if (--p->new[child].wants == 0)
            p->wanting[at] = p->wanting[--p->nwanting];
        else
            at++;
    }
    return true;
}

static bool connect(struct pool *p)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->npicks; i++)
        ok = give_children(p, p->picks[i], p->children[i]);
    for (uint32_t i = 0; ok && i < p->nnew; i++)
        ok = give_children(p, p->g->nknown + i, p->new[i].children);
    return ok;
}

/* Gives the new actions their numbers; places is then their order (Kahn 1962). */
static void number_new(struct pool *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nnew; i++)
        if (p->new[i].nwaits == 0)
            p->places[n++] = i;
    for (uint32_t i = 0; i < n; i++) {
        struct new_action *a = &p->new[p->places[i]];
        a->number = p->g->nknown + i;
        for (uint32_t e = a->first_child; e != NONE; e = p->edges[e].next_child)
            if (--p->new[p->edges[e].child].nwaits == 0)
                p->places[n++] = p->edges[e].child;
    }
}

/* ---- ancestors ------------------------------------------------------------------------------------- */

static bool push_member(struct pool *p, uint32_t number)
{
    uint64_t bit = UINT64_C(1) << (number % 64);
    if (p->member[number / 64] & bit)
        return true;
    if (!PINGO__ARRAY_ROOM(p->stack, p->stack_capacity, p->depth, 1))
        return false;
    p->member[number / 64] |= bit;
    p->stack[p->depth++] = number;
    if (number < p->lowest)
        p->lowest = number;
    return true;
}

/* Marks the known parents of new actions, and all their ancestors. */
static bool find_members(struct pool *p)
{
    bool ok = true;
    p->lowest = p->g->nknown;
    p->depth = 0;
    for (uint32_t e = 0; ok && e < p->nedges; e++)
        if (p->edges[e].parent < p->g->nknown)
            ok = push_member(p, p->edges[e].parent);
    while (ok && p->depth > 0) {
        size_t n;
        const uint32_t *parents = pingo_history_parents(p->g->history, p->stack[--p->depth], &n);
        for (size_t i = 0; ok && i < n; i++)
            ok = push_member(p, parents[i]);
    }
    return ok;
}

static int mention_members(struct pool *p)
{
    int rc = 0;
    for (uint32_t word = p->lowest / 64; word <= p->g->nknown / 64; word++) {
        uint64_t bits = p->member[word];
        p->member[word] = 0;
        for (uint32_t i = word * 64; rc == 0 && bits != 0; i++, bits >>= 1)
            if (bits & 1)
                rc = pingo__lab_generate_mention(p->g, i, false);
    }
    return rc;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static int mention_new(struct pool *p)
{
    uint32_t nknown = p->g->nknown;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < p->nnew; i++) {
        struct new_action *a = &p->new[p->places[i]];
        struct pingo__lab_generated action = {.nparents = 0};
        for (uint32_t e = a->first_parent; e != NONE; e = p->edges[e].next_parent) {
            uint32_t parent = p->edges[e].parent;
            if (!PINGO__ARRAY_ROOM(p->parents, p->parents_capacity, action.nparents, 1))
                return pingo__fail_memory(p->g->err);
            p->parents[action.nparents++] =
                parent < nknown ? parent : p->new[parent - nknown].number;
        }
        action.parents = p->parents;
        pingo__lab_generate_facts(p->g, &action);
        rc = pingo__lab_generate_new(p->g, &action, a->first_child == NONE);
    }
    return rc;
}

static int make_workflow(struct pool *p, uint32_t number)
{
    draw_actions(p);
    if (!connect(p) || !find_members(p))
        return pingo__fail_memory(p->g->err);
    number_new(p);
    int rc = mention_members(p);
    if (rc == 0)
        rc = mention_new(p);
    for (uint32_t i = 0; rc == 0 && i < p->nnew; i++)
        p->drawn[p->g->nknown + i] = p->new[i].number;
    if (rc == 0)
        rc = pingo__lab_generate_submit(
            p->g, number % pingo__lab_generate_count(p->g, PINGO__GENERATE_USERS), 'w', number);
    if (rc == 0)
        pingo__lab_chooser_grow(&p->chooser, p->nnew);
    return rc;
}

static bool open_pool(struct pool *p, uint32_t nactions, uint32_t nnew)
{
    size_t npicks = pingo__lab_generate_count(p->g, PINGO__GENERATE_PREVIOUS);
    struct pingo__arena *arena = &p->g->arena;
    p->drawn = pingo__arena_array(arena, nactions, sizeof *p->drawn);
    p->picks = pingo__arena_array(arena, npicks, sizeof *p->picks);
    p->children = pingo__arena_array(arena, npicks, sizeof *p->children);
    p->new = pingo__arena_array(arena, nnew, sizeof *p->new);
    p->wanting = pingo__arena_array(arena, nnew, sizeof *p->wanting);
    p->places = pingo__arena_array(arena, nnew, sizeof *p->places);
    p->member = pingo__arena_array(arena, (size_t)nactions / 64 + 1, sizeof *p->member);
    return p->drawn && p->picks && p->children && p->new && p->wanting && p->places && p->member;
}

int pingo__lab_generate_pool(struct pingo__lab_generator *g)
{
    struct pool p = {.g = g};
    uint32_t nactions = pingo__lab_generate_count(g, PINGO__GENERATE_ACTIONS);
    uint32_t nnew = pingo__lab_generate_count(g, PINGO__GENERATE_NEW);
    int rc = pingo__lab_chooser_init(&p.chooser, g, nactions);
    if (nnew > nactions)
        nnew = nactions;
    if (rc == 0 && !open_pool(&p, nactions, nnew))
        rc = pingo__fail_memory(g->err);
    for (uint32_t number = 0; rc == 0 && g->nknown < nactions; number++) {
        p.nnew = nactions - g->nknown < nnew ? nactions - g->nknown : nnew;
        rc = make_workflow(&p, number);
    }
    free(p.edges);
    free(p.stack);
    free(p.parents);
    return rc;
}
