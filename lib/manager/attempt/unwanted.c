/* unwanted.c - attempts that nobody wants any more: killed, interrupted, taken back.
 *
 * What always holds: an attempt that was not heard to start is revoked first; exactly one of starting and giving up
 * wins, and only if starting did is it killed.  What an executor that is away has in hand stays there. */
#include "manager/attempt/flight.h"

#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "store/action/actions.h"

/* *revoked: it never starts.  Else, with kill, it is being ended. */
static int stop(struct pingo__manager_actions *m, struct pingo__manager_flight *f, bool kill,
                bool *revoked, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[f->executor];
    struct pingo__arena arena = {0};
    const char *dir;
    *revoked = false;
    if (f->ending || (f->started && !kill))
        return 0;
    int rc = pingo__pool_attempt_dir(m->c->pool, &arena, f->key, &dir, err);
    if (!rc && !f->started)
        rc = pingo__manager_executor_revoke(e, f->key, dir, revoked, err);
    pingo__arena_clear(&arena);
    if (!rc && !*revoked && kill) {
        rc = pingo__manager_executor_kill(e, f->key, err);
        f->ending = rc != PINGO_EAWAY;
    }
    return rc == PINGO_EAWAY ? 0 : rc;
}

/* No trace of the attempt is left, which never started, whatever was said of it; an action that is still in its epoch
 * is READY again. */
static int unhand(struct pingo__manager_actions *m, struct pingo_job_key key,
                  struct pingo_error *err)
{
    struct pingo__store_action_row a;
    int rc = pingo__store_action_get(m->c->db, key.action, NULL, &a, err);
    if (!rc && a.epoch == key.epoch && pingo__rules_action_is_handed(a.state))
        rc = pingo__store_action_move(m->c->db, &a, PINGO_ACTION_READY, pingo__manager_now_ms(m->c),
                                      err);
    if (!rc)
        rc = pingo__store_attempt_delete(m->c->db, key, err);
    return rc;
}

static int unhand_all(struct pingo__manager_actions *m, const struct pingo_job_key *keys, size_t n,
                      struct pingo_error *err)
{
    int rc = pingo__store_db_begin(m->c->db, err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = unhand(m, keys[i], err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    for (size_t i = 0; !rc && i < n; i++)
        pingo__manager_flight_remove(m, keys[i]);
    return rc;
}

static int end_one(struct pingo__manager_actions *m, struct pingo__manager_flight *f, bool kill,
                   struct pingo_error *err)
{
    bool revoked = false;
    int rc = stop(m, f, kill, &revoked, err);
    return rc || !revoked ? rc : unhand_all(m, &f->key, 1, err);
}

int pingo__manager_take_back(struct pingo__manager_actions *m, const struct pingo_job_key *keys,
                             size_t n, struct pingo_error *err)
{
    struct pingo_job_key *gone = calloc(n, sizeof *gone);
    size_t ngone = 0;
    int rc = gone ? 0 : pingo__fail_memory(err), back;
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__manager_flight *f = pingo__manager_flight_find(m, keys[i]);
        bool revoked = false;
        rc = f ? stop(m, f, false, &revoked, err) : 0;
        if (revoked)
            gone[ngone++] = keys[i];
    }
    back = ngone ? unhand_all(m, gone, ngone, rc ? NULL : err) : 0;
    free(gone);
    return rc ? rc : back;
}

int pingo__manager_unwanted_end(struct pingo__manager_actions *m, struct pingo__arena *arena,
                                struct pingo_error *err)
{
    struct pingo__store_attempt_list list = {.arena = arena};
    int rc = pingo__store_attempt_list_open(m->c->db, m->c->owner, true, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct pingo__manager_flight *f = pingo__manager_flight_find(m, list.rows[i].key);
        rc = f ? end_one(m, f, true, err) : 0;
    }
    return rc;
}

/* Of what is in hand: all, or what is for one of these workflows, or for paused ones, and for no other live one. */
struct whose {
    bool all;
    const int64_t *workflows;
    size_t n;
};

static int belongs(struct pingo__manager_actions *m, struct pingo_job_key key,
                   const struct whose *of, bool *is, struct pingo_error *err)
{
    struct pingo__store_action_row a = {.id = 0};
    bool may_go_on = true, joined = true;
    size_t n = of->n;
    *is = of->all;
    if (of->all)
        return 0;
    int rc = pingo__store_action_get(m->c->db, key.action, NULL, &a, err);
    if (!rc && a.id && a.epoch == key.epoch) /* else killed: somebody else's matter */
        rc = pingo__manager_scope_has(&m->anyone, a.workflow, a.id, &may_go_on, err);
    if (!rc && may_go_on &&
        lfind(&a.workflow, of->workflows, &n, sizeof a.workflow, pingo__array_by_id))
        rc = pingo__store_action_is_joined(m->c->db, a.id, a.workflow, &joined, err);
    *is = !rc && (!may_go_on || !joined);
    return rc;
}

static int end_those(struct pingo__manager_actions *m, const struct whose *of, bool kill,
                     struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = m->nflights; !rc && i-- > 0;) {
        bool is = false;
        rc = belongs(m, m->flights[i]->key, of, &is, err);
        if (!rc && is)
            rc = end_one(m, m->flights[i], kill, err);
    }
    return rc;
}

int pingo__manager_actions_pause(struct pingo__manager_actions *m, struct pingo_error *err)
{
    m->paused = true;
    return end_those(m, &(struct whose){.all = true}, false, err);
}

int pingo__manager_actions_obey_pauses(struct pingo__manager_actions *m, struct pingo_error *err)
{
    bool changed = false, any_held = false;
    int rc = m->nflights ? pingo__store_driving_any_held(m->c->db, &any_held, err) : 0;
    if (rc || !any_held)
        return rc;
    rc = pingo__manager_scope_refresh(&m->anyone, &changed, err);
    if (rc || (!changed && !m->look_at_held))
        return rc;
    rc = end_those(m, &(struct whose){.n = 0}, false, err);
    m->look_at_held = rc != 0;
    return rc;
}

int pingo__manager_actions_interrupt(struct pingo__manager_actions *m, const int64_t *workflows,
                                     size_t n, struct pingo_error *err)
{
    int rc = pingo__manager_actions_pause(m, err);
    if (!rc)
        rc = pingo__manager_scope_refresh(&m->anyone, NULL, err);
    return rc ? rc : end_those(m, &(struct whose){n == 0, workflows, n}, true, err);
}
