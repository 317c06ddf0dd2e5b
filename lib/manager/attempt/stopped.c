/* stopped.c - owners that live but do not answer, because they are stopped (SIGSTOP, ctrl-z).
 *
 * What always holds: only what its executor has is taken from them.  It is on its way, and whoever settles it first
 * wins.  An attempt that the executor does not know may still lie in the hands of the stopped process, which would
 * start it when it goes on: it stays there.  What was claimed and not handed out is READY again; the epoch has changed
 * by the time at which the stopped process looks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/process.h"
#include "manager/attempt/action_manager.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/owner.h"
#include "store/actions.h"

#define STOPPED_MS 5000 /* who is stopped for so long loses what can be taken */

/* Since when was it seen stopped?  0: just now. */
static int stopped_for(struct pingo__manager_actions *m, int64_t owner, int64_t now_ms, int64_t *ms,
                       struct pingo_error *err)
{
    *ms = 0;
    for (size_t i = 0; i < m->nstopped; i++)
        if (m->stopped[i].owner == owner) {
            *ms = now_ms - m->stopped[i].since_ms;
            return 0;
        }
    if (!pingo__array_room((void **)&m->stopped, &m->cstopped, m->nstopped, 1, sizeof *m->stopped))
        return pingo__fail_memory(err);
    m->stopped[m->nstopped++] = (struct pingo__manager_stopped){owner, now_ms};
    return 0;
}

static void goes_on(struct pingo__manager_actions *m, int64_t owner)
{
    for (size_t i = 0; i < m->nstopped; i++)
        if (m->stopped[i].owner == owner)
            m->stopped[i--] = m->stopped[--m->nstopped];
}

/* Attempts of a stopped owner that one executor has. */
struct taken {
    int64_t from;
    size_t executor;
    struct pingo_job_key *keys;
    bool *found;
    size_t n, nfound;
};

static int move_attempts(struct pingo__manager_actions *m, const struct taken *t,
                         struct pingo_error *err)
{
    int rc = pingo__store_db_begin(m->c->db, err);
    if (rc)
        return rc;
    for (size_t i = 0; rc >= 0 && i < t->n; i++) {
        rc = t->found[i] ? pingo__store_attempt_take(m->c->db, t->keys[i], t->from, m->c->owner, err)
                         : 0;
        if (rc == 1)
            rc = pingo__store_action_set_owner(m->c->db, t->keys[i].action, m->c->owner, err);
    }
    rc = pingo__store_db_end(m->c->db, rc < 0 ? rc : 0, err);
    for (size_t i = 0; !rc && i < t->n; i++)
        if (t->found[i])
            rc = pingo__manager_flight_add(m, t->keys[i], t->executor, err);
    return rc;
}

/* t: from and executor; the rest is found. */
static int take_with(struct pingo__manager_actions *m, struct taken *t,
                     const struct pingo__store_attempt_row *rows, size_t n, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[t->executor];
    t->keys = calloc(n + 1, sizeof *t->keys);
    t->found = calloc(n + 1, sizeof *t->found);
    int rc = t->keys && t->found ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        if (strcmp(rows[i].executor, e->type.name) == 0)
            t->keys[t->n++] = rows[i].key;
    if (!rc && t->n)
        rc = e->type.adopt(e->handle, t->keys, t->n, t->found, err);
    for (size_t i = 0; i < t->n; i++)
        t->nfound += t->found[i];
    if (!rc && t->nfound)
        rc = move_attempts(m, t, err);
    free(t->keys);
    free(t->found);
    return rc;
}

/* Claimed, and not handed out. */
static int release_claimed(struct pingo__manager_actions *m, int64_t from, size_t *taken,
                           struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    int rc = pingo__store_db_begin(m->c->db, err);
    if (rc)
        return rc;
    rc = pingo__store_action_list_owned(m->c->db, from, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        if (list.rows[i].state != PINGO_ACTION_PROCESSING)
            continue;
        rc = pingo__store_action_move(m->c->db, &list.rows[i], PINGO_ACTION_READY,
                                      pingo__manager_now_ms(m->c), err);
        *taken += !rc;
    }
    return pingo__store_db_end(m->c->db, rc, err);
}

static int take(struct pingo__manager_actions *m, const struct pingo__store_owner_row *owner,
                size_t *taken, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__store_attempt_row *rows;
    struct pingo__store_action_list list = {.arena = &arena};
    size_t n = 0, before = *taken;
    bool claimed = false;
    pingo__arena_init(&arena);
    int rc = pingo__store_attempt_list_open(m->c->db, owner->id, false, &arena, &rows, &n, err);
    for (size_t i = 0; !rc && n && i < m->nexecutors; i++) {
        struct taken t = {.from = owner->id, .executor = i};
        if (!m->executors[i].type.in_process)
            rc = take_with(m, &t, rows, n, err);
        *taken += t.nfound;
    }
    if (!rc)
        rc = pingo__store_action_list_owned(m->c->db, owner->id, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        claimed = claimed || list.rows[i].state == PINGO_ACTION_PROCESSING;
    if (!rc && claimed)
        rc = release_claimed(m, owner->id, taken, &arena, err);
    if (!rc && *taken > before) {
        m->look_at_held = true;
        pingo__manager_log(m->c, PINGO_LOG_WARNING,
                           "process %" PRId64
                           " is stopped: %zu of the actions that it had in hand were"
                           " taken over",
                           owner->pid, *taken - before);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__manager_actions_look_at_stopped(struct pingo__manager_actions *m, size_t *taken,
                                           struct pingo_error *err)
{
    int64_t now = m->c->world->monotonic_ns(m->c->world->context) / 1000000;
    struct pingo__arena arena;
    struct pingo__store_owner_row *owners;
    size_t n = 0;
    pingo__arena_init(&arena);
    int rc = pingo__store_owner_rows(m->c->db, &arena, &owners, &n, err);
    for (size_t i = 0; !rc && i < n; i++) {
        int64_t ms = 0;
        if (owners[i].id == m->c->owner)
            continue;
        if (!pingo__process_is_stopped((long)owners[i].pid)) {
            goes_on(m, owners[i].id);
            continue;
        }
        rc = stopped_for(m, owners[i].id, now, &ms, err);
        if (!rc && ms >= STOPPED_MS)
            rc = take(m, &owners[i], taken, err);
    }
    pingo__arena_clear(&arena);
    return rc;
}
