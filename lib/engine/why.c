/* why.c - why was this not reused?  The nearest action known before, and the field that differs.
 *
 * Near is: the same name, submitted before, with the fewest differences; among equals the
 * one submitted last. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/engine.h"
#include "store/datasets.h"

#define CANDIDATES 20

struct differences {
    struct pingo__arena *arena;
    struct pingo_difference *list;
    size_t n, capacity, parents;
    bool failed;
};

static int count(void *context, const struct pingo_difference *d)
{
    (void)d;
    ++*(size_t *)context;
    return 0;
}

static int keep(void *context, const struct pingo_difference *d)
{
    struct differences *x = context;
    struct pingo_difference *more =
        pingo__arena_more(x->arena, x->list, x->n, &x->capacity, sizeof *more);

    if (!more) {
        x->failed = true;
        return 1;
    }
    x->list = more;
    x->list[x->n].field = pingo__text(x->arena, "%s", d->field);
    x->list[x->n].before = d->before ? pingo__text(x->arena, "%s", d->before) : NULL;
    x->list[x->n].after = d->after ? pingo__text(x->arena, "%s", d->after) : NULL;
    x->failed = x->failed || !x->list[x->n].field;
    x->parents += strncmp(d->field, "parent", 6) == 0;
    x->n++;
    return 0;
}

static int describe(struct pingo_store *store, const struct pingo_hash *hash,
                    struct pingo__arena *arena, struct pingo_description **description,
                    struct pingo_error *err)
{
    const void *bytes = NULL;
    size_t length = 0;
    int rc = pingo__definition_get(&store->db, hash, arena, &bytes, &length, err);

    *description = NULL;
    return rc == 1 ? pingo_description_decode(bytes, length, description, err) : rc;
}

/* The candidate with the fewest differences; 1 and *best, or 0. */
static int nearest(struct pingo_store *store, const char *name, const struct pingo_hash *hash,
                   int64_t before, const struct pingo_description *own, struct pingo__arena *arena,
                   struct pingo__action_row *best, struct pingo_error *err)
{
    struct pingo__action_list list;
    size_t fewest = SIZE_MAX;
    int rc = pingo__action_list_by_name(&store->db, name, before, CANDIDATES, arena, &list, err);

    for (size_t i = 0; !rc && i < list.n && fewest > 0; i++) {
        struct pingo_description *other = NULL;
        size_t n = 0;

        if (memcmp(&list.rows[i].hash, hash, sizeof *hash) == 0)
            continue;
        rc = describe(store, &list.rows[i].hash, arena, &other, err);
        if (rc || !other)
            continue;
        pingo_description_compare(other, own, count, &n);
        if (n < fewest) {
            fewest = n;
            *best = list.rows[i];
        }
        pingo_description_free(other);
    }
    return rc < 0 ? rc : fewest != SIZE_MAX;
}

static int find_difference(struct pingo_store *store, struct pingo_why *why, int64_t before,
                           struct differences *x, struct pingo_error *err)
{
    struct pingo_description *own = NULL, *other = NULL;
    struct pingo__action_row best;
    int rc = describe(store, &why->hash, x->arena, &own, err);

    if (!rc && own)
        rc = nearest(store, why->name, &why->hash, before, own, x->arena, &best, err);
    if (rc == 1) {
        why->has_nearest = true;
        why->nearest = best.hash;
        why->nearest_workflow = best.workflow;
        rc = describe(store, &best.hash, x->arena, &other, err);
        if (!rc && other && (pingo_description_compare(other, own, keep, x) < 0 || x->failed))
            rc = pingo__fail_memory(err);
    }
    pingo_description_free(own);
    pingo_description_free(other);
    why->differences = x->list;
    why->ndifferences = x->n;
    why->inherited = x->parents;
    return rc < 0 ? rc : 0;
}

static const char *reason_text(struct pingo_store *store, const struct pingo__loaded *l, size_t i,
                               const struct pingo__action_row *row, enum pingo_plan_reason reason,
                               struct pingo__arena *arena)
{
    struct pingo__action_row other;
    struct pingo__action_list same;
    char evicted[128];
    const char *text = NULL;

    if (reason == PINGO_REASON_DELETED) {
        if (pingo__evicted_text(store, &l->graph.hashes[i], l->row.submitted_ms, evicted,
                                sizeof evicted))
            text = pingo__text(arena, "%s", evicted);
    } else if (reason == PINGO_REASON_SAME_HASH || reason == PINGO_REASON_COMPUTING) {
        if (row && row->joined &&
            pingo__action_get(&store->db, row->joined, arena, &other, NULL) == 1)
            text = other.workflow == l->row.id
                       ? pingo__text(arena, "the same as action %" PRId64, other.user_id)
                       : pingo__text(arena, "workflow %" PRId64 " was computing it", other.workflow);
    } else if (reason == PINGO_REASON_NEVER_COMPUTED && row &&
               pingo__action_list_by_hash(&store->db, &row->hash, CANDIDATES, arena, &same, NULL) ==
                   0) {
        for (size_t k = 0; !text && k < same.n; k++)
            if (same.rows[k].id < row->id && same.rows[k].state > PINGO_ACTION_FINISHED)
                text =
                    pingo__text(arena, "it was %s in workflow %" PRId64 ", and so never made",
                                pingo_action_state_name(same.rows[k].state), same.rows[k].workflow);
    } else if (row && l->decisions && l->decisions[2 * i] < PINGO_PLAN_JOIN) {
        text = "planned again: its dataset vanished, or what it had joined failed";
    }
    return text ? text : pingo_plan_reason_text(reason);
}

/* all: leave out what is reused, skipped, or differs only through its parents. */
static int tell(struct pingo_store *store, const struct pingo__loaded *l, size_t i,
                const struct pingo__action_row *row, bool all, pingo_why_fn fn, void *context,
                struct pingo_error *err)
{
    const struct pingo_action *action = pingo_workflow_action(l->workflow, i);
    struct pingo__arena arena;
    struct differences x = {.arena = &arena};
    struct pingo_why why = {.id = action->id, .name = action->name, .hash = l->graph.hashes[i]};
    int rc = 0;

    pingo__loaded_decision(l, i, &why.decision, &why.reason);
    if (row)
        why.decision = row->joined ? PINGO_PLAN_JOIN : PINGO_PLAN_COMPUTE;
    if (all && why.decision != PINGO_PLAN_COMPUTE)
        return 0;
    pingo__arena_init(&arena);
    why.reason_text = reason_text(store, l, i, row, why.reason, &arena);
    if (why.decision == PINGO_PLAN_COMPUTE && why.reason == PINGO_REASON_NEVER_COMPUTED)
        rc = find_difference(store, &why, row ? row->id : INT64_MAX, &x, err);
    if (!rc && !(all && why.ndifferences && why.inherited == why.ndifferences) && fn(context, &why))
        rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_why(struct pingo_store *store, int64_t workflow, const char *action,
                    pingo_why_fn fn, void *context, struct pingo_error *err)
{
    struct pingo__loaded l;
    struct pingo__action_list rows;
    size_t at = 0, only = SIZE_MAX;
    int rc = pingo__loaded_open(store, workflow, &l, err);

    if (rc)
        return rc;
    if (action)
        rc = pingo_workflow_resolve(l.workflow, action, &only, err);
    if (!rc)
        rc = pingo__action_list_latest(&store->db, workflow, &l.arena, &rows, err);
    for (size_t i = 0; !rc && i < l.graph.nhashes; i++) {
        bool has_row = at < rows.n && (size_t)rows.rows[at].position == i;

        if (!action || i == only)
            rc = tell(store, &l, i, has_row ? &rows.rows[at] : NULL, !action, fn, context, err);
        at += has_row;
    }
    pingo__loaded_close(&l);
    return rc;
}
