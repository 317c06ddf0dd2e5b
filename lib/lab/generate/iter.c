/* iter.c - users who change their pipelines, one stage at a time.
 *
 * A pipeline is a shape, who reads whom among its stages, which stays, and versions of
 * it: an action for each stage.  A version is submitted whole when it is made, or when
 * another user adopts it.  Changing a stage changes all stages below it, whose
 * actions are new ones. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "lab/generate/generate.h"

struct stage {
    uint32_t parents[2];
    uint32_t nparents;
    bool has_child;
};

struct shape {
    size_t first; /* of its stages */
    uint32_t nstages;
};

struct version {
    uint32_t shape;
    size_t first; /* of its actions */
};

struct user {
    uint32_t *versions; /* as he submitted them */
    size_t n, capacity;
    uint32_t place; /* among those who have one */
};

struct iter {
    struct pingo__lab_generator *g;
    struct user *users;
    uint32_t nusers;
    uint32_t *started; /* users who have a pipeline */
    uint32_t nstarted;
    struct stage *stages;
    size_t nstages, stages_capacity;
    struct shape *shapes;
    size_t nshapes, shapes_capacity;
    struct version *versions;
    size_t nversions, versions_capacity;
    uint32_t *actions;
    size_t nactions, actions_capacity;
    bool *changed; /* a stage of the version in the making */
};

static bool happens(struct iter *t, int parameter)
{
    return pingo__lab_random_unit(&t->g->shape) < t->g->values[parameter];
}

static uint32_t below(struct iter *t, size_t n)
{
    return (uint32_t)pingo__lab_random_below(&t->g->shape, n);
}

/* ---- shapes ------------------------------------------------------------------------------- */

static void draw_parents(struct iter *t, struct stage *stages, uint32_t j)
{
    uint32_t reach = pingo__lab_generate_count(t->g, PINGO__GENERATE_REACH);
    uint32_t n = reach < j ? reach : j; /* stages that can be read */
    struct stage *s = &stages[j];
    if (j == 0)
        return;
    s->nparents = happens(t, PINGO__GENERATE_ONE_PARENT) || n == 1 ? 1 : 2;
    s->parents[0] = j - n + below(t, n);
    if (s->nparents == 2) {
        s->parents[1] = j - n + below(t, n - 1);
        s->parents[1] += s->parents[1] >= s->parents[0];
    }
    for (uint32_t i = 0; i < s->nparents; i++)
        stages[s->parents[i]].has_child = true;
}

static int draw_shape(struct iter *t, uint32_t *shape)
{
    uint32_t least = pingo__lab_generate_count(t->g, PINGO__GENERATE_STAGES_MIN);
    uint32_t most = pingo__lab_generate_count(t->g, PINGO__GENERATE_STAGES_MAX);
    uint32_t n = least + below(t, most - least + 1);
    if (!PINGO__ARRAY_ROOM(t->shapes, t->shapes_capacity, t->nshapes, 1) ||
        !PINGO__ARRAY_ROOM(t->stages, t->stages_capacity, t->nstages, n))
        return pingo__fail_memory(t->g->err);
    for (uint32_t j = 0; j < n; j++)
        t->stages[t->nstages + j] = (struct stage){.nparents = 0};
    for (uint32_t j = 0; j < n; j++)
        draw_parents(t, t->stages + t->nstages, j);
    *shape = (uint32_t)t->nshapes;
    t->shapes[t->nshapes++] = (struct shape){t->nstages, n};
    t->nstages += n;
    return 0;
}

/* ---- versions ------------------------------------------------------------------------------- */

/* Mentions the stages of a version; those that changed as new actions.  old: the version that was
 * changed, or NULL where it is the first one. */
static int mention_stages(struct iter *t, const struct version *version, const uint32_t *old)
{
    const struct shape *shape = &t->shapes[version->shape];
    uint32_t *actions = t->actions + version->first;
    int rc = 0;
    for (uint32_t j = 0; rc == 0 && j < shape->nstages; j++) {
        const struct stage *s = &t->stages[shape->first + j];
        uint32_t parents[2];
        struct pingo__lab_generated action = {.parents = parents, .nparents = s->nparents};
        if (!t->changed[j]) {
            rc = pingo__lab_generate_mention(t->g, actions[j], !s->has_child);
            continue;
        }
        for (uint32_t i = 0; i < s->nparents; i++)
            parents[i] = actions[s->parents[i]];
        if (old)
            pingo__lab_generate_change(t->g, old[j], &action);
        else
            pingo__lab_generate_facts(t->g, &action);
        actions[j] = t->g->nknown + t->g->nnew;
        rc = pingo__lab_generate_new(t->g, &action, !s->has_child);
    }
    return rc;
}

/* Which stages change with one of them. */
static void spread(struct iter *t, const struct shape *shape, uint32_t from)
{
    for (uint32_t j = 0; j < shape->nstages; j++) {
        const struct stage *s = &t->stages[shape->first + j];
        t->changed[j] = j == from;
        for (uint32_t i = 0; i < s->nparents; i++)
            t->changed[j] = t->changed[j] || t->changed[s->parents[i]];
    }
}

/* A new version, still without actions of its own.  origin: the version that it is made of, or NULL. */
static int add_version(struct iter *t, uint32_t shape, const struct version *origin,
                       uint32_t *version)
{
    uint32_t n = t->shapes[shape].nstages;
    size_t from = origin ? origin->first : 0;
    if (t->nversions >= UINT32_MAX ||
        !PINGO__ARRAY_ROOM(t->versions, t->versions_capacity, t->nversions, 1) ||
        !PINGO__ARRAY_ROOM(t->actions, t->actions_capacity, t->nactions, n))
        return pingo__fail_memory(t->g->err);
    for (uint32_t j = 0; j < n; j++)
        t->actions[t->nactions + j] = origin ? t->actions[from + j] : 0;
    *version = (uint32_t)t->nversions;
    t->versions[t->nversions++] = (struct version){shape, t->nactions};
    t->nactions += n;
    return 0;
}

/* A pipeline of a new shape. */
static int make_first(struct iter *t, uint32_t *version)
{
    uint32_t shape = 0;
    int rc = draw_shape(t, &shape);
    if (rc == 0)
        rc = add_version(t, shape, NULL, version);
    if (rc != 0)
        return rc;
    for (uint32_t j = 0; j < t->shapes[shape].nstages; j++)
        t->changed[j] = true;
    return mention_stages(t, &t->versions[*version], NULL);
}

/* The user's latest pipeline, or an earlier one, with a change. */
static int make_change(struct iter *t, const struct user *user, uint32_t *version)
{
    bool latest = happens(t, PINGO__GENERATE_LATEST) || user->n == 1;
    struct version origin =
        t->versions[user->versions[latest ? user->n - 1 : below(t, user->n - 1)]];
    const struct shape *shape = &t->shapes[origin.shape];
    double at = pingo__lab_random_beta(&t->g->shape, t->g->values[PINGO__GENERATE_CHANGE_ALPHA],
                                       t->g->values[PINGO__GENERATE_CHANGE_BETA]);
    uint32_t stage = (uint32_t)(at * shape->nstages);
    int rc = add_version(t, origin.shape, &origin, version);
    if (rc != 0)
        return rc;
    spread(t, shape, stage < shape->nstages ? stage : shape->nstages - 1);
    return mention_stages(t, &t->versions[*version], t->actions + origin.first);
}

/* Another user's latest, as it is. */
static int adopt(struct iter *t, const struct user *user, uint32_t *version)
{
    uint32_t nothers = t->nstarted - (user->n > 0), place = below(t, nothers);
    if (user->n > 0 && place >= user->place)
        place++;
    const struct user *other = &t->users[t->started[place]];
    *version = other->versions[other->n - 1];
    for (uint32_t j = 0; j < t->shapes[t->versions[*version].shape].nstages; j++)
        t->changed[j] = false;
    return mention_stages(t, &t->versions[*version], NULL);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static int make_workflow(struct iter *t)
{
    uint32_t who = below(t, t->nusers), version = 0;
    struct user *user = &t->users[who];
    bool starts = user->n == 0 || happens(t, PINGO__GENERATE_FRESH);
    bool adopts = starts && t->nstarted > (user->n > 0) && happens(t, PINGO__GENERATE_ADOPT);
    int rc = adopts   ? adopt(t, user, &version)
             : starts ? make_first(t, &version)
                      : make_change(t, user, &version);
    if (rc == 0 && !PINGO__ARENA_ROOM(&t->g->arena, user->versions, user->n, user->capacity))
        rc = pingo__fail_memory(t->g->err);
    if (rc != 0)
        return rc;
    if (user->n == 0) {
        user->place = t->nstarted;
        t->started[t->nstarted++] = who;
    }
    user->versions[user->n++] = version;
    return pingo__lab_generate_submit(t->g, who, 'p', t->versions[version].shape);
}

int pingo__lab_generate_iter(struct pingo__lab_generator *g)
{
    struct iter t = {.g = g, .nusers = pingo__lab_generate_count(g, PINGO__GENERATE_USERS)};
    uint32_t n = pingo__lab_generate_count(g, PINGO__GENERATE_WORKFLOWS);
    uint32_t most = pingo__lab_generate_count(g, PINGO__GENERATE_STAGES_MAX);
    t.users = pingo__arena_array(&g->arena, t.nusers, sizeof *t.users);
    t.started = pingo__arena_array(&g->arena, t.nusers, sizeof *t.started);
    t.changed = pingo__arena_array(&g->arena, most, sizeof *t.changed);
    int rc = t.users && t.started && t.changed ? 0 : pingo__fail_memory(g->err);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        rc = make_workflow(&t);
    free(t.stages);
    free(t.shapes);
    free(t.versions);
    free(t.actions);
    return rc;
}
