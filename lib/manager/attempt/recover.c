/* recover.c - taking over what owners left that are dead, or stopped (SIGSTOP, ctrl-z).
 *
 * What always holds: an owner is dead only when nobody holds its file; an attempt of a dead owner is adopted if its
 * executor still has it, and lost, so that it may be tried again, only when the executor says that it never will run.
 * From a stopped owner only what its executor has is taken: whoever settles it first wins.  An attempt that the
 * executor does not know may still lie in the hands of the stopped process, which would start it when it goes on.
 * What was claimed and not handed out is READY again, in another epoch than the one that its owner knows.
 * Only what our own executors can speak for is taken over. */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/process.h"
#include "manager/attempt/action_manager.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/owner.h"
#include "store/action/actions.h"
#include "store/dataset/datasets.h"
#include "store/meta.h"
#include "store/transition.h"

#define STOPPED_MS 5000 /* who is stopped for so long loses what can be taken */

/* ---- what was claimed and not handed out -------------------------------------------------------- */

/* list: actions that nobody works on.  In a transaction of its own; *released: so many more. */
static int release(struct pingo__manager_actions *m, struct pingo__store_action_list *list,
                   size_t *released, struct pingo_error *err)
{
    int rc = list->n ? pingo__store_db_begin(m->c->db, err) : 0;
    if (rc || !list->n)
        return rc;
    for (size_t i = 0; !rc && i < list->n; i++)
        rc = pingo__store_action_move(m->c->db, &list->rows[i], PINGO_ACTION_READY,
                                      pingo__manager_now_ms(m->c), err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    *released += rc ? 0 : list->n;
    return rc;
}

/* Of an owner that does not work on them: of ours only between two ticks, where one was cut short by an error. */
static int release_claimed(struct pingo__manager_actions *m, int64_t owner, size_t *released,
                           struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    size_t n = 0;
    int rc = pingo__store_action_list(m->c->db, PINGO__ACTIONS_OWNED, owner, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        if (list.rows[i].state == PINGO_ACTION_PROCESSING)
            list.rows[n++] = list.rows[i];
    list.n = n;
    return rc ? rc : release(m, &list, released, err);
}

int pingo__manager_actions_release(struct pingo__manager_actions *m, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    size_t released = 0;
    int rc = release_claimed(m, m->c->owner, &released, &arena, err);
    pingo__arena_clear(&arena);
    return rc;
}

/* Nobody has it: as if its attempt had been lost.  The database forbids that this comes to be; a damaged or an older
 * one may hold such a row. */
static int release_strays(struct pingo__manager_actions *m, size_t *released,
                          struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    int rc = pingo__store_action_list(m->c->db, PINGO__ACTIONS_STRAY, 0, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        pingo__manager_log(m->c, PINGO_LOG_WARNING,
                           "action %s was handed out, but nobody has it: tried again",
                           list.rows[i].name);
    return rc ? rc : release(m, &list, released, err);
}

/* ---- attempts ----------------------------------------------------------------------------------- */

/* Those of one executor, and which of them it has. */
struct asked {
    size_t executor;
    bool in_hand; /* those that are in our hands, or those that are not */
    struct pingo_job_key *keys;
    bool *found;
    size_t n;
};

/* a: executor and in_hand; the rest is found.  n 0: it has none of them, or it is away. */
static int ask(struct pingo__manager_actions *m, const struct pingo__store_attempt_list *open,
               struct asked *a, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[a->executor];
    a->keys = pingo__arena_array(open->arena, open->n + 1, sizeof *a->keys);
    a->found = pingo__arena_array(open->arena, open->n + 1, sizeof *a->found);
    if (!a->keys || !a->found)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < open->n; i++)
        if (strcmp(open->rows[i].executor, e->type.name) == 0 &&
            !!pingo__manager_flight_find(m, open->rows[i].key) == a->in_hand)
            a->keys[a->n++] = open->rows[i].key;
    int rc = a->n ? pingo__manager_executor_adopt(e, a->keys, a->n, a->found, err) : 0;
    if (rc == PINGO_EAWAY) {
        a->n = 0;
        m->must_ask = true;
    }
    return rc == PINGO_EAWAY ? 0 : rc;
}

/* One in flight: as if its executor told the end that an earlier process had kept, where one had. */
static int resume(struct pingo__manager_actions *m, struct pingo_job_key key,
                  struct pingo_error *err)
{
    struct pingo_job_end end = {.size = sizeof end};
    int rc = pingo__store_attempt_told(m->c->db, key, &end, err);
    if (rc || !end.key.action)
        return rc;
    pingo__manager_flight_find(m, key)->has_ended = true;
    return pingo__manager_end_add(m, &end, err);
}

/* Attempts of ours that we have not in hand. */
static int adopt_with(struct pingo__manager_actions *m, size_t executor,
                      const struct pingo__store_attempt_list *open, struct pingo_error *err)
{
    struct asked a = {.executor = executor};
    int rc = ask(m, open, &a, err);
    for (size_t i = 0; !rc && i < a.n; i++) {
        struct pingo__store_action_row row = {.id = 0};
        rc = pingo__manager_flight_add(m, a.keys[i], executor, err);
        if (!rc)
            rc = pingo__store_action_get(m->c->db, a.keys[i].action, NULL, &row, err);
        if (!rc && row.epoch == a.keys[i].epoch)
            pingo__manager_turns_note(m, &row);
        if (!rc && !a.found[i])
            rc = pingo__manager_end_without_run(m, a.keys[i], PINGO_END_LOST,
                                                "whoever ran it is gone", err);
        else if (!rc)
            rc = resume(m, a.keys[i], err);
    }
    return rc;
}

static int adopt(struct pingo__manager_actions *m, struct pingo__arena *arena,
                 struct pingo_error *err)
{
    struct pingo__store_attempt_list ours = {.arena = arena};
    size_t released = 0;
    int rc = m->must_adopt ? release_claimed(m, m->c->owner, &released, arena, err) : 0;
    if (!rc)
        rc = pingo__store_attempt_list_open(m->c->db, m->c->owner, false, &ours, err);
    m->must_ask = false;
    for (size_t i = 0; !rc && i < m->nexecutors; i++)
        rc = adopt_with(m, i, &ours, err);
    m->must_adopt = rc != 0;
    m->look_at_held = true;
    return rc;
}

/* An executor answers behind what it was sent.  One that does not answer is asked by whoever comes next; but what is to
 * be given up is asked for once more, whatever it said last: known now it leaves no trace, later it would be lost. */
void pingo__manager_actions_leave(struct pingo__manager_actions *m)
{
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_list ours = {.arena = &arena};
    int rc = pingo__store_attempt_list_open(m->c->db, m->c->owner, false, &ours, NULL);
    for (size_t i = 0; !rc && i < m->nexecutors; i++)
        ask(m, &ours, &(struct asked){.executor = i, .in_hand = true}, NULL);
    for (size_t i = 0; i < m->nexecutors; i++)
        m->executors[i].ask_again_ms = 0;
    if (!rc)
        pingo__manager_unwanted_end(m, &arena, NULL);
    pingo__arena_clear(&arena);
}

/* Inside a write transaction: an attempt is ours, and so is its action. */
static int take_one(struct pingo__manager_actions *m, struct pingo_job_key key, int64_t from,
                    size_t *taken, struct pingo_error *err)
{
    int rc = pingo__store_attempt_take(m->c->db, key, from, m->c->owner, err);
    *taken += !rc && pingo__store_db_has_changed(m->c->db);
    return rc;
}

/* ---- the dead ------------------------------------------------------------------------------------ */

/* What waited for a deletor may be rescued again; what was being removed is nobody's, and the Dataset Manager
 * of whoever is first goes on with it. */
static int take_datasets(struct pingo__manager_actions *m, int64_t dead, struct pingo__arena *arena,
                         struct pingo_error *err)
{
    struct pingo__store_dataset_list list = {.arena = arena};
    int rc = pingo__store_dataset_list_leaving(m->c->db, dead, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct pingo__store_dataset_row *d = &list.rows[i];
        if (d->state == PINGO_DATASET_PROCESSING)
            rc = pingo__store_dataset_move(m->c->db, d, PINGO_DATASET_STORED_TO_DELETE, err);
        else
            rc = pingo__store_dataset_let_go(m->c->db, d->id, err);
    }
    return rc;
}

/* Inside a write transaction: attempts whose executor is one of ours, and what the Dataset Manager had. */
static int take_all(struct pingo__manager_actions *m, int64_t dead,
                    const struct pingo__store_attempt_list *open, size_t *taken,
                    struct pingo_error *err)
{
    int rc = take_datasets(m, dead, open->arena, err);
    for (size_t i = 0; !rc && i < open->n; i++)
        if (pingo__manager_executor_find(m, open->rows[i].executor) != SIZE_MAX)
            rc = take_one(m, open->rows[i].key, dead, taken, err);
    return rc;
}

static int take_over(struct pingo__manager_actions *m, int64_t dead, size_t *recovered,
                     struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_attempt_list open = {.arena = arena};
    bool is_gone = false;
    int rc = release_claimed(m, dead, recovered, arena, err);
    if (!rc)
        rc = pingo__store_attempt_list_open(m->c->db, dead, false, &open, err);
    if (!rc)
        rc = pingo__store_db_begin(m->c->db, err);
    if (!rc)
        rc = take_all(m, dead, &open, recovered, err);
    if (!rc)
        rc = pingo__manager_owner_delete(m->c, dead, &is_gone, err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    m->found_dead = m->found_dead || (!rc && is_gone);
    m->must_ask = true;
    return rc;
}

/* ---- the stopped --------------------------------------------------------------------------------- */

/* Since when was it seen stopped?  0: just now, or it is not. */
static int stopped_for(struct pingo__manager_actions *m, const struct pingo__store_owner_row *owner,
                       int64_t *ms, struct pingo_error *err)
{
    int64_t now_ms = pingo__manager_elapsed_ms(m->c);
    bool is = pingo__process_is_stopped((long)owner->pid);
    size_t i = 0;
    while (i < m->nstopped && m->stopped[i].owner != owner->id)
        i++;
    *ms = is && i < m->nstopped ? now_ms - m->stopped[i].since_ms : 0;
    if (!is && i < m->nstopped)
        m->stopped[i] = m->stopped[--m->nstopped];
    if (!is || i < m->nstopped)
        return 0;
    if (!PINGO__ARRAY_ROOM(m->stopped, m->cstopped, m->nstopped, 1))
        return pingo__fail_memory(err);
    m->stopped[m->nstopped++] = (struct pingo__manager_stopped){owner->id, now_ms};
    return 0;
}

static int take_found(struct pingo__manager_actions *m, int64_t from, const struct asked *a,
                      size_t *taken, struct pingo_error *err)
{
    bool any = false;
    for (size_t i = 0; i < a->n; i++)
        any = any || a->found[i];
    int rc = any ? pingo__store_db_begin(m->c->db, err) : 0;
    if (rc || !any)
        return rc;
    for (size_t i = 0; !rc && i < a->n; i++)
        rc = a->found[i] ? take_one(m, a->keys[i], from, taken, err) : 0;
    return pingo__store_db_end(m->c->db, rc, err);
}

static int take_from(struct pingo__manager_actions *m, const struct pingo__store_owner_row *owner,
                     size_t *recovered, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_attempt_list open = {.arena = arena};
    size_t taken = 0;
    int rc = pingo__store_attempt_list_open(m->c->db, owner->id, false, &open, err);
    for (size_t i = 0; !rc && i < m->nexecutors; i++) {
        struct asked a = {.executor = i};
        if (!m->executors[i].type.in_process)
            rc = ask(m, &open, &a, err);
        if (!rc)
            rc = take_found(m, owner->id, &a, &taken, err);
    }
    m->must_ask = m->must_ask || taken;
    if (!rc)
        rc = release_claimed(m, owner->id, &taken, arena, err);
    *recovered += taken;
    if (!rc && taken)
        pingo__manager_log(m->c, PINGO_LOG_WARNING,
                           "process %" PRId64
                           " is stopped: %zu of the actions that it had in hand were taken over",
                           owner->pid, taken);
    return rc;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static int look_at(struct pingo__manager_actions *m, const struct pingo__store_owner_row *owner,
                   size_t *recovered, struct pingo__arena *arena, struct pingo_error *err)
{
    int64_t ms = 0;
    if (owner->id == m->c->owner)
        return 0;
    if (!pingo__manager_owner_is_alive(m->c, owner->id))
        return take_over(m, owner->id, recovered, arena, err);
    int rc = stopped_for(m, owner, &ms, err);
    return rc || ms < STOPPED_MS ? rc : take_from(m, owner, recovered, arena, err);
}

int pingo__manager_actions_recover(struct pingo__manager_actions *m, size_t *recovered,
                                   struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_owner_list owners = {.arena = &arena};
    int rc = pingo__store_owner_rows(m->c->db, &owners, err);
    for (size_t i = 0; !rc && i < owners.n; i++)
        rc = look_at(m, &owners.rows[i], recovered, &arena, err);
    if (!rc)
        rc = release_strays(m, recovered, &arena, err);
    if (!rc && (m->must_adopt || m->must_ask))
        rc = adopt(m, &arena, err);
    pingo__arena_clear(&arena);
    return rc;
}
