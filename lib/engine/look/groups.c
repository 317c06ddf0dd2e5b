/* groups.c - the actions of a submission, folded: by type, and by names that differ in their digits alone. */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "engine/look/shape.h"

enum { MOST = 500 }; /* groups; those behind are one of each type */

struct folding {
    struct pingo__engine_shape shape;
    struct pingo__map known;  /* of type and name */
    struct pingo__buffer key; /* type, NUL, name; so the texts of its groups begin */
    uint32_t *of;             /* the group of each action */
    struct pingo_group *groups;
    size_t n, capacity;
};

static void put_key(struct folding *f, const char *type, const char *name)
{
    pingo__buffer_reset(&f->key);
    pingo__buffer_append(&f->key, type, strlen(type) + 1);
    for (; *name; name++)
        if (!isdigit((unsigned char)*name))
            pingo__buffer_char(&f->key, *name);
        else if (!isdigit((unsigned char)name[1]))
            pingo__buffer_char(&f->key, '#');
}

/* The group of f->key; a new one, unless there are too many. */
static int find_group(struct folding *f, const struct pingo__store_shape_node *node, bool may_add,
                      uint32_t *index, struct pingo_error *err)
{
    struct pingo__arena *arena = &f->shape.arena;
    if (f->key.failed)
        return pingo__fail_memory(err);
    *index = pingo__map_get(&f->known, f->key.data, f->key.length);
    if (*index != PINGO__MAP_NONE) { /* now it has several: their names, folded */
        struct pingo_group *g = &f->groups[*index];
        g->name = g->type + strlen(g->type) + 1;
    }
    if (*index != PINGO__MAP_NONE || !may_add)
        return 0;
    const char *key = pingo__arena_text(arena, f->key.data, f->key.length);
    const char *name = pingo__arena_text(arena, node->name, strlen(node->name));
    if (!key || !name || !PINGO__ARENA_ROOM(arena, f->groups, f->n, f->capacity) ||
        !pingo__map_insert(&f->known, key, f->key.length, (uint32_t)f->n, NULL))
        return pingo__fail_memory(err);
    f->groups[f->n] = (struct pingo_group){.index = f->n,
                                           .type = key,
                                           .name = name,
                                           .started_ms = -1,
                                           .ended_ms = -1,
                                           .depth = SIZE_MAX,
                                           .first_id = node->user_id};
    *index = (uint32_t)f->n++;
    return 0;
}

static void count(struct pingo_group *g, unsigned state)
{
    ++*(state == PINGO_STATE_PLANNED + PINGO_PLAN_REUSE ? &g->reused
        : state == PINGO_ACTION_READY                   ? &g->ready
        : pingo__rules_action_is_idle(state)            ? &g->waiting
        : pingo__rules_action_is_claimed(state)         ? &g->running
        : state == PINGO_ACTION_FINISHED                ? &g->finished
        : pingo_action_state_is_final(state)            ? &g->failed
                                                        : &g->skipped);
}

static int add_node(void *context, const void *row, struct pingo_error *err)
{
    struct folding *f = context;
    const struct pingo__store_shape_node *node = row;
    uint32_t i;
    if (!f->of && !(f->of = pingo__arena_array(&f->shape.arena, f->shape.n, sizeof *f->of)))
        return pingo__fail_memory(err);
    put_key(f, node->type, node->name);
    int rc = find_group(f, node, f->n < MOST, &i, err);
    if (!rc && i == PINGO__MAP_NONE) {
        put_key(f, node->type, "*");
        rc = find_group(f, node, true, &i, err);
    }
    if (!rc)
        f->of[node->parents.position] = i;
    return rc;
}

static void count_all(struct folding *f)
{
    const struct pingo__engine_shape *s = &f->shape;
    for (size_t i = 0; f->of && i < s->n; i++) {
        const struct pingo__engine_times *t = &s->times[i];
        struct pingo_group *g = &f->groups[f->of[i]];
        g->actions++;
        g->wall_ms += t->wall_ms;
        if (t->started_ms >= 0 && (g->started_ms < 0 || t->started_ms < g->started_ms))
            g->started_ms = t->started_ms;
        g->ended_ms = t->ended_ms > g->ended_ms ? t->ended_ms : g->ended_ms;
        g->depth = s->depths[i] < g->depth ? s->depths[i] : g->depth;
        count(g, s->states[i]);
    }
}

/* Each pair once. */
static int join_groups(struct folding *f, struct pingo_error *err)
{
    struct pingo__arena *arena = &f->shape.arena;
    const struct pingo__store_parents *p = &f->shape.parents;
    uint8_t *seen = pingo__arena_array(arena, f->n * f->n + 1, 1);
    if (!seen)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < f->shape.n; i++)
        for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++)
            seen[f->of[i] * f->n + f->of[p->parents[k]]] = 1;
    for (size_t i = 0; i < f->n; i++) {
        size_t *parents = NULL, n = 0, capacity = 0;
        for (size_t k = 0; k < f->n; k++) {
            if (!seen[i * f->n + k])
                continue;
            if (!PINGO__ARENA_ROOM(arena, parents, n, capacity))
                return pingo__fail_memory(err);
            parents[n++] = k;
        }
        f->groups[i].parents = parents;
        f->groups[i].nparents = n;
    }
    return 0;
}

int pingo_store_groups(struct pingo_store *store, int64_t workflow, pingo_group_fn fn,
                       void *context, struct pingo_error *err)
{
    struct folding f = {.shape.nodes = {.fn = add_node, .context = &f}};
    int rc = pingo__engine_shape_open(&f.shape, store, workflow,
                                      PINGO__SHAPE_EDGES | PINGO__SHAPE_TIMES, err);
    if (!rc)
        count_all(&f);
    if (!rc)
        rc = join_groups(&f, err);
    pingo__engine_shape_seen(&f.shape);
    for (size_t i = 0; !rc && i < f.n; i++)
        rc = fn(context, &f.groups[i]) ? pingo__engine_stopped(err) : 0;
    pingo__map_clear(&f.known);
    pingo__buffer_clear(&f.key);
    pingo__engine_shape_close(&f.shape);
    return rc;
}
