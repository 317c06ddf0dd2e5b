/* foreign.c - is what is left waiting for an executor that nobody here has?
 *
 * What is READY and none of our executors runs, and what a dead owner handed to an executor that is none of ours:
 * nobody here can move it.  What a living scheduler has in hand is its own business.  Of other workflows than are
 * driven, that counts which these wait for. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/scheduler.h"
#include "manager/attempt/flight.h"

struct looking {
    struct pingo_scheduler *s;
    int64_t movable; /* actions */
    struct pingo__store_foreign foreign;
};

/* Was it handed to an executor of ours, or by a scheduler that lives? */
static bool is_moved(struct looking *l, const char *executor, int64_t owner)
{
    return pingo__manager_executor_find(&l->s->actions, executor) != SIZE_MAX ||
           owner == l->s->context.owner || pingo__manager_owner_is_alive(&l->s->context, owner);
}

static int look_at_attempts(struct looking *l, int64_t workflow, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_group_list list = {.arena = &arena};
    int rc = pingo__store_attempt_list_groups(&l->s->store->db, workflow, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_attempt_group *g = &list.rows[i];
        if (is_moved(l, g->executor, g->owner)) {
            l->movable += g->n;
            continue;
        }
        l->foreign.n += g->n;
        snprintf(l->foreign.what, sizeof l->foreign.what, "executor \"%.64s\"", g->executor);
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* The executor of actions that name none, where it is none of ours. */
static const char *preferred(const struct looking *l)
{
    const struct pingo__manager_actions *m = &l->s->actions;
    bool is_ours = !m->preferred || pingo__manager_executor_find(m, m->preferred) != SIZE_MAX;
    return is_ours ? NULL : m->preferred;
}

/* Counts all actions of the workflow: asked where nothing is in hand that moves. */
static int look_at_ready(struct looking *l, int64_t workflow, struct pingo_error *err)
{
    const struct pingo__manager_actions *m = &l->s->actions;
    struct pingo__store_foreign f;
    int64_t counts[PINGO__ACTION_STATES];
    int rc = pingo__store_action_count_foreign(&l->s->store->db, workflow, m->types, &f, err);
    if (!rc)
        rc = pingo__store_action_count(&l->s->store->db, workflow, counts, err);
    if (rc)
        return rc;
    if (f.n && preferred(l))
        snprintf(f.what, sizeof f.what, "executor \"%.64s\"", preferred(l));
    if (f.n)
        memcpy(l->foreign.what, f.what, sizeof f.what);
    l->foreign.n += f.n;
    l->movable += f.others + counts[PINGO_ACTION_PROCESSING];
    return 0;
}

/* Can it move?  What waits, or has ended since it was needed, is neither here nor there. */
static int look_at_one(struct looking *l, int64_t action, struct pingo_error *err)
{
    const struct pingo__store_ready_query ours = {.types = l->s->actions.types, .now_ms = INT64_MAX};
    struct pingo__store_db *db = &l->s->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_action_row row = {.id = 0};
    struct pingo__store_attempt_row attempt = {.owner = 0};
    int rc = pingo__store_action_get(db, action, &arena, &row, err);
    bool is_handed = pingo__rules_action_is_handed(row.state);
    if (!rc && is_handed)
        rc = pingo__store_attempt_last(db, action, &arena, &attempt, err);
    bool is_foreign =
        is_handed ? attempt.executor && !is_moved(l, attempt.executor, attempt.owner)
                  : row.state == PINGO_ACTION_READY && !pingo__store_action_is_ready(&row, &ours);
    const char *name = is_handed ? attempt.executor : row.executor ? row.executor : preferred(l);
    if (!rc && is_foreign) {
        l->foreign.n++;
        snprintf(l->foreign.what, sizeof l->foreign.what,
                 name ? "executor \"%.64s\"" : "actions of type \"%.64s\"", name ? name : row.type);
    }
    l->movable += !rc && !is_foreign && row.state != PINGO_ACTION_WAITING &&
                  !pingo_action_state_is_final(row.state);
    pingo__arena_clear(&arena);
    return rc;
}

/* What those that are driven need of others.  These may have very many actions: where anything of them is in living
 * hands, that is waited for. */
static int look_at_needed(struct looking *l, struct pingo_error *err)
{
    struct pingo__manager_scope *scope = &l->s->actions.scope;
    struct looking whole = {.s = l->s};
    int rc = pingo__manager_scope_refresh(scope, NULL, err);
    for (size_t i = 0; !rc && !whole.movable && i < scope->nneeded; i++)
        if (!i || scope->needed[i].at.workflow != scope->needed[i - 1].at.workflow)
            rc = look_at_attempts(&whole, scope->needed[i].at.workflow, err);
    l->movable += whole.movable;
    for (size_t i = 0; !rc && !l->movable && i < scope->nneeded; i++)
        rc = look_at_one(l, scope->needed[i].action, err);
    return rc;
}

int pingo__engine_check_foreign(struct pingo_scheduler *s, const int64_t *workflows, size_t n,
                                struct pingo_error *err)
{
    static int (*const looks[])(struct looking *, int64_t,
                                struct pingo_error *) = {look_at_attempts, look_at_ready};
    struct looking l = {.s = s};
    int rc = 0;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        for (size_t k = 0; !rc && k < (n ? n : 1); k++)
            rc = looks[i](&l, n ? workflows[k] : 0, err);
        if (rc || l.movable > 0)
            return rc;
    }
    rc = look_at_needed(&l, err);
    if (rc || l.movable > 0 || !l.foreign.n)
        return rc;
    return pingo__fail(err, PINGO_EUNSUPPORTED,
                       l.foreign.n == 1
                           ? "%lld action needs an executor that nobody here has (%s); a"
                             " scheduler that has it can go on with it"
                           : "%lld actions need an executor that nobody here has (%s); a"
                             " scheduler that has it can go on with them",
                       (long long)l.foreign.n, l.foreign.what);
}
