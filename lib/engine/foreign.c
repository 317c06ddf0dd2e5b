/* foreign.c - is what is left waiting for an executor that nobody here has?
 *
 * What is READY and none of our executors runs, and what a dead owner handed to an executor that is none of ours:
 * nobody here can move it.  What a living scheduler has in hand is its own business. */
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

static int look_at_attempts(struct looking *l, int64_t workflow, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_group_list list = {.arena = &arena};
    int rc = pingo__store_attempt_list_groups(&l->s->store->db, workflow, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_attempt_group *g = &list.rows[i];
        if (pingo__manager_executor_find(&l->s->actions, g->executor) != SIZE_MAX ||
            g->owner == l->s->owner.id || pingo__manager_owner_is_alive(&l->s->context, g->owner)) {
            l->movable += g->n;
            continue;
        }
        l->foreign.n += g->n;
        snprintf(l->foreign.what, sizeof l->foreign.what, "executor \"%.64s\"", g->executor);
    }
    pingo__arena_clear(&arena);
    return rc;
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
    if (f.n && m->preferred && pingo__manager_executor_find(m, m->preferred) == SIZE_MAX)
        snprintf(f.what, sizeof f.what, "executor \"%.64s\"", m->preferred);
    if (f.n)
        memcpy(l->foreign.what, f.what, sizeof f.what);
    l->foreign.n += f.n;
    l->movable += counts[PINGO_ACTION_READY] - f.n + counts[PINGO_ACTION_PROCESSING];
    return 0;
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
    if (!l.foreign.n)
        return 0;
    return pingo__fail(err, PINGO_EUNSUPPORTED,
                       l.foreign.n == 1
                           ? "%lld action needs an executor that nobody here has (%s); a"
                             " scheduler that has it can go on with it"
                           : "%lld actions need an executor that nobody here has (%s); a"
                             " scheduler that has it can go on with them",
                       (long long)l.foreign.n, l.foreign.what);
}
