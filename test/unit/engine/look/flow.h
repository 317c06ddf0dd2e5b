/* flow.h - a submission of five actions, and what is told of it as a whole: groups and neighbours. */
#ifndef TEST_ENGINE_LOOK_FLOW_H
#define TEST_ENGINE_LOOK_FLOW_H

#include "unit/engine/box.h"

#define N(id, name, more)                                                                          \
    "{'id':" #id ",'name':'" name "','type':'command-line','command':['x" #id "']" more "}"
/* 1, 2: map_1, map_2; 3: merge of both; 4: plot of 3; 5: alone. */
#define FLOW                                                                                       \
    W(N(1, "map_1", "") "," N(2, "map_22", "") "," N(4, "plot", P(FROM(3))) "," N(                 \
        3, "merge", P(FROM(1) "," FROM(2))) "," N(5, "alone7", ""))

struct groups {
    size_t n;
    struct {
        char name[64];
        struct pingo_group g;
        size_t parents[8];
    } of[600];
};

static inline int on_group(void *context, const struct pingo_group *group)
{
    struct groups *all = context;

    assert_true(all->n < 600);
    assert_int_equal(group->index, all->n);
    snprintf(all->of[all->n].name, sizeof all->of->name, "%s", group->name);
    all->of[all->n].g = *group;
    for (size_t i = 0; i < group->nparents && i < 8; i++)
        all->of[all->n].parents[i] = group->parents[i];
    assert_int_equal(group->actions, group->waiting + group->ready + group->running +
                                         group->finished + group->failed + group->reused +
                                         group->skipped);
    all->n++;
    return 0;
}

static inline struct groups *groups_of(struct box *b, int64_t workflow)
{
    static struct groups all;
    struct pingo_error err;

    all.n = 0;
    well(pingo_store_groups(b->store, workflow, on_group, &all, &err), &err);
    return &all;
}

struct near {
    size_t n, layers, failed, far;
    int64_t ids[256];
    size_t layer[256], place[256];
};

static inline int on_neighbour(void *context, const struct pingo_neighbour *x)
{
    struct near *near = context;

    assert_true(near->n < 200);
    near->ids[near->n] = x->id;
    near->layer[near->n] = x->layer;
    near->place[near->n] = x->place;
    for (size_t i = 0; i < x->nparents; i++) { /* told before, and above */
        size_t k = 0;
        while (k < near->n && near->ids[k] != x->parents[i])
            k++;
        assert_true(k < near->n);
        assert_true(near->layer[k] < x->layer);
    }
    if (near->n && near->layer[near->n - 1] == x->layer)
        assert_int_equal(x->place, near->place[near->n - 1] + 1);
    else
        assert_int_equal(x->place, 0);
    near->layers = x->layer + 1;
    near->failed += x->state == PINGO_ACTION_FAILED;
    near->far = x->hops > near->far ? x->hops : near->far;
    near->n++;
    return 0;
}

static inline struct near *near(struct box *b, int64_t workflow, const char *action, size_t hops)
{
    static struct near all;
    struct pingo_neighbour_query q = {
        .version = 1, .workflow = workflow, .action = action, .hops = hops};
    struct pingo_error err;

    all = (struct near){.n = 0};
    well(pingo_store_neighbours(b->store, &q, on_neighbour, &all, &err), &err);
    return &all;
}

#endif
