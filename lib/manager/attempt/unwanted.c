/* unwanted.c - attempts that nobody wants any more: killed, interrupted, taken back.
 *
 * What always holds: an attempt that was not heard to start is revoked first; exactly one
 * of starting and giving up wins, and only if starting did is it killed. */
#include "base/error.h"
#include "manager/attempt/flight.h"
#include "rules/states.h"
#include "store/actions.h"
#include "store/transition.h"

static int give_up(struct pingo__manager_actions *m, struct pingo__manager_flight *f, bool *revoked,
                   struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[f->executor];
    const char *dir;
    int rc = pingo__pool_attempt_dir(m->c->pool, arena, f->key, &dir, err);
    *revoked = false;
    return rc || f->started ? rc : pingo__manager_executor_revoke(e, f->key, dir, revoked, err);
}

/* Takes an attempt back: *revoked: it never starts; else it is being ended. */
static int stop(struct pingo__manager_actions *m, struct pingo__manager_flight *f, bool *revoked,
                struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[f->executor];
    *revoked = false;
    if (f->ending)
        return 0;
    int rc = give_up(m, f, revoked, arena, err);
    if (rc || *revoked)
        return rc;
    f->ending = true;
    return pingo__manager_executor_kill(e, f->key, err);
}

int pingo__manager_unwanted_end(struct pingo__manager_actions *m, struct pingo__arena *arena,
                                struct pingo_error *err)
{
    struct pingo__store_attempt_row *rows;
    size_t n = 0;
    int rc = pingo__store_attempt_list_open(m->c->db, m->c->owner, true, arena, &rows, &n, err);
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__manager_flight *f = pingo__manager_flight_find(m, rows[i].key);
        bool revoked = false;
        if (!f)
            continue;
        rc = stop(m, f, &revoked, arena, err);
        if (rc || !revoked)
            continue;
        rc = pingo__store_db_begin(m->c->db, err);
        if (!rc)
            rc = pingo__store_db_end(m->c->db, pingo__store_attempt_delete(m->c->db, f->key, err),
                                     err);
        if (!rc)
            pingo__manager_flight_remove(m, rows[i].key);
    }
    return rc;
}

/* READY again, and no trace of the attempt: it never started, whatever was said of it. */
static int take_back(struct pingo__manager_actions *m, struct pingo_job_key key,
                     struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_row a;
    int rc = pingo__store_db_begin(m->c->db, err);
    if (rc)
        return rc;
    rc = pingo__store_action_get(m->c->db, key.action, arena, &a, err);
    if (rc == 1 && a.epoch == key.epoch && pingo__rules_action_is_handed(a.state))
        rc = pingo__store_action_move(m->c->db, &a, PINGO_ACTION_READY, pingo__manager_now_ms(m->c),
                                      err);
    if (rc >= 0)
        rc = pingo__store_attempt_delete(m->c->db, key, err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    if (!rc)
        pingo__manager_flight_remove(m, key);
    return rc;
}

int pingo__manager_actions_pause(struct pingo__manager_actions *m, struct pingo_error *err)
{
    struct pingo__arena arena;
    int rc = 0;
    m->paused = true;
    pingo__arena_init(&arena);
    for (size_t i = m->nflights; !rc && i-- > 0;) {
        bool revoked = false;
        rc = give_up(m, m->flights[i], &revoked, &arena, err);
        if (!rc && revoked)
            rc = take_back(m, m->flights[i]->key, &arena, err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* Is it of a paused workflow, and nobody who is not paused needs it?  *a: its action, once more. */
static int is_held(struct pingo__manager_actions *m, struct pingo_job_key key,
                   struct pingo__store_action_row *a, bool *held, struct pingo_error *err)
{
    struct pingo__arena arena;
    bool has = true;
    pingo__arena_init(&arena);
    int rc = pingo__store_action_get(m->c->db, key.action, &arena, a, err);
    a->id = rc == 1 ? a->id : 0;
    if (rc == 1 && a->epoch == key.epoch) /* else killed: somebody else's matter */
        rc = pingo__manager_scope_has(&m->anyone, a->workflow, a->id, &has, err);
    *held = !has;
    pingo__arena_clear(&arena);
    return rc < 0 ? rc : 0;
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
    struct pingo__arena arena;
    pingo__arena_init(&arena);
    for (size_t i = m->nflights; !rc && i-- > 0;) {
        struct pingo__store_action_row a;
        bool revoked = false, held = false;
        rc = is_held(m, m->flights[i]->key, &a, &held, err);
        if (!rc && held)
            rc = give_up(m, m->flights[i], &revoked, &arena, err);
        if (!rc && revoked)
            rc = take_back(m, m->flights[i]->key, &arena, err);
    }
    pingo__arena_clear(&arena);
    m->look_at_held = rc != 0;
    return rc;
}

struct workflows {
    const int64_t *ids;
    size_t n;
};

static bool is_one_of(int64_t workflow, const struct workflows *of)
{
    for (size_t i = 0; i < of->n; i++)
        if (of->ids[i] == workflow)
            return true;
    return false;
}

/* Is an attempt for one of these workflows (none: of any), or for one that is paused, and no other live one? */
static int belongs(struct pingo__manager_actions *m, struct pingo_job_key key,
                   const struct workflows *of, bool *is, struct pingo_error *err)
{
    struct pingo__store_action_row a;
    int rc = is_held(m, key, &a, is, err);
    if (rc || !a.id)
        return rc;
    if (!of->n)
        *is = true;
    if (*is || !is_one_of(a.workflow, of))
        return 0;
    bool joined = true;
    rc = pingo__store_action_is_joined(m->c->db, a.id, a.workflow, &joined, err);
    *is = !joined;
    return rc;
}

int pingo__manager_actions_interrupt(struct pingo__manager_actions *m, const int64_t *workflows,
                                     size_t n, struct pingo_error *err)
{
    struct pingo__arena arena;
    int rc = pingo__manager_actions_pause(m, err);
    if (!rc)
        rc = pingo__manager_scope_refresh(&m->anyone, NULL, err);
    pingo__arena_init(&arena);
    for (size_t i = m->nflights; !rc && i-- > 0;) {
        bool revoked = false, is = false;
        rc = belongs(m, m->flights[i]->key, &(struct workflows){workflows, n}, &is, err);
        if (!rc && is)
            rc = stop(m, m->flights[i], &revoked, &arena, err);
        if (!rc && revoked)
            rc = take_back(m, m->flights[i]->key, &arena, err);
    }
    pingo__arena_clear(&arena);
    return rc;
}
