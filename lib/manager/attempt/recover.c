/* recover.c - taking over what dead owners left.
 *
 * What always holds: an owner is dead only when nobody holds its file; an
 * attempt of a dead owner is adopted if its executor still has it, and lost, so
 * that it may be tried again, only when the executor says that it never will run.
 * Only what our own executors can speak for is taken over. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "manager/attempt/action_manager.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/inspect.h"
#include "manager/attempt/owner.h"
#include "store/actions.h"
#include "store/datasets.h"
#include "store/meta.h"
#include "store/transition.h"

/* An action that was claimed but not handed out is READY again. */
static int release_actions(struct pingo__manager_actions *m, int64_t dead,
                           struct pingo__arena *arena, size_t *recovered, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    int rc = pingo__store_action_list_owned(m->c->db, dead, &list, err);
    for (size_t i = 0; rc >= 0 && i < list.n; i++) {
        struct pingo__store_action_row *a = &list.rows[i];
        struct pingo__store_attempt_row attempt;
        if (a->state == PINGO_ACTION_PROCESSING) {
            rc = pingo__store_action_move(m->c->db, a, PINGO_ACTION_READY,
                                          pingo__manager_now_ms(m->c), err);
            *recovered += !rc;
            continue;
        }
        /* The executor that has it says what became of it; where that is none of ours, hands off. */
        rc = pingo__store_attempt_get(m->c->db, (struct pingo_job_key){a->id, a->epoch}, arena,
                                      &attempt, err);
        if (rc == 1 && pingo__manager_executor_find(m, attempt.executor) != SIZE_MAX) {
            rc = pingo__store_action_set_owner(m->c->db, a->id, m->c->owner, err);
            *recovered += rc == 0;
        }
    }
    return rc < 0 ? rc : 0;
}

/* Nobody has it: as if its attempt had been lost.  The database forbids that this comes to be; a damaged or an older
 * one may hold such a row. */
static int release_strays(struct pingo__manager_actions *m, size_t *recovered,
                          struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__store_action_list list = {.arena = &arena};
    pingo__arena_init(&arena);
    int rc = pingo__store_action_list_stray(m->c->db, &list, err);
    if (rc || !list.n || (rc = pingo__store_db_begin(m->c->db, err)) != 0)
        goto out;
    rc = pingo__store_action_list_stray(m->c->db, &list, err);
    for (size_t i = 0; rc >= 0 && i < list.n; i++) {
        pingo__manager_log(m->c, PINGO_LOG_WARNING,
                           "action %s was handed out, but nobody has it: tried again",
                           list.rows[i].name);
        rc = pingo__store_action_move(m->c->db, &list.rows[i], PINGO_ACTION_READY,
                                      pingo__manager_now_ms(m->c), err);
        *recovered += !rc;
    }
    rc = pingo__store_db_end(m->c->db, rc < 0 ? rc : 0, err);
out:
    pingo__arena_clear(&arena);
    return rc;
}

/* What waited for a deletor may be rescued again; what was being removed is nobody's, and the Dataset Manager
 * of whoever is first goes on with it. */
static int take_datasets(struct pingo__manager_actions *m, int64_t dead, struct pingo__arena *arena,
                         struct pingo_error *err)
{
    struct pingo__store_dataset_list list = {.arena = arena};
    int rc = pingo__store_dataset_list_leaving(m->c->db, dead, &list, err);
    for (size_t i = 0; rc >= 0 && i < list.n; i++) {
        struct pingo__store_dataset_row *d = &list.rows[i];
        if (d->state == PINGO_DATASET_PROCESSING)
            rc = pingo__store_dataset_move(m->c->db, d, PINGO_DATASET_STORED_TO_DELETE, err);
        else
            rc = pingo__store_dataset_set_owner(m->c->db, d->id, 0, err);
    }
    return rc < 0 ? rc : 0;
}

static int take_over(struct pingo__manager_actions *m, int64_t dead, size_t *recovered,
                     struct pingo_error *err)
{
    struct pingo__arena arena;
    int64_t left = 0;
    int rc = pingo__store_db_begin(m->c->db, err);
    if (rc)
        return rc;
    pingo__arena_init(&arena);
    rc = release_actions(m, dead, &arena, recovered, err);
    if (!rc)
        rc = take_datasets(m, dead, &arena, err);
    for (size_t i = 0; !rc && i < m->nexecutors; i++)
        rc = pingo__store_attempt_set_owner(m->c->db, dead, m->c->owner, m->executors[i].type.name,
                                            err);
    if (!rc)
        rc = pingo__store_attempt_count_owned(m->c->db, dead, &left, err);
    if (!rc && !left)
        rc = pingo__store_owner_delete(m->c->db, dead, err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    pingo__arena_clear(&arena);
    if (!rc && !left) {
        pingo__manager_owner_unlink(m->c, dead);
        m->found_dead = true;
    }
    if (!rc)
        m->must_adopt = true;
    return rc;
}

/* Attempts of ours that we have not in hand: ask their executor. */
static int adopt_with(struct pingo__manager_actions *m, size_t executor,
                      const struct pingo__store_attempt_row *rows, size_t n, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[executor];
    struct pingo_job_key *keys = calloc(n + 1, sizeof *keys);
    bool *found = calloc(n + 1, sizeof *found);
    size_t nkeys = 0;
    int rc = keys && found ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        if (strcmp(rows[i].executor, e->type.name) == 0 &&
            !pingo__manager_flight_find(m, rows[i].key))
            keys[nkeys++] = rows[i].key;
    if (!rc && nkeys)
        rc = pingo__manager_executor_adopt(e, keys, nkeys, found, err);
    for (size_t i = 0; !rc && i < nkeys; i++) {
        rc = pingo__manager_flight_add(m, keys[i], executor, err);
        if (!rc && !found[i])
            rc = pingo__manager_end_without_run(m, keys[i], PINGO_END_LOST,
                                                "whoever ran it is gone", err);
        else if (!rc)
            rc = pingo__manager_inspect_resume(m, keys[i], err);
    }
    free(keys);
    free(found);
    return rc;
}

/* Between two ticks nothing of ours is PROCESSING, unless one was cut short by an error. */
static int release_own(struct pingo__manager_actions *m, struct pingo__arena *arena,
                       struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    int rc = pingo__store_action_list_owned(m->c->db, m->c->owner, &list, err);
    bool any = false;
    for (size_t i = 0; !rc && i < list.n; i++)
        any = any || list.rows[i].state == PINGO_ACTION_PROCESSING;
    if (rc || !any || (rc = pingo__store_db_begin(m->c->db, err)) != 0)
        return rc;
    for (size_t i = 0; rc >= 0 && i < list.n; i++)
        if (list.rows[i].state == PINGO_ACTION_PROCESSING)
            rc = pingo__store_action_move(m->c->db, &list.rows[i], PINGO_ACTION_READY,
                                          pingo__manager_now_ms(m->c), err);
    return pingo__store_db_end(m->c->db, rc, err);
}

static int adopt(struct pingo__manager_actions *m, struct pingo_error *err)
{
    struct pingo__arena arena;
    size_t n = 0;
    pingo__arena_init(&arena);
    int rc = release_own(m, &arena, err);
    struct pingo__store_attempt_row *rows;
    if (!rc)
        rc = pingo__store_attempt_list_open(m->c->db, m->c->owner, false, &arena, &rows, &n, err);
    for (size_t i = 0; !rc && i < m->nexecutors; i++)
        rc = adopt_with(m, i, rows, n, err);
    pingo__arena_clear(&arena);
    if (!rc)
        m->must_adopt = false;
    m->look_at_held = true;
    return rc;
}

/* An executor answers behind what it was sent.  One that does not answer is asked by whoever comes next. */
void pingo__manager_actions_leave(struct pingo__manager_actions *m)
{
    struct pingo_job_key *keys = calloc(m->nflights + 1, sizeof *keys);
    bool *found = calloc(m->nflights + 1, sizeof *found);
    for (size_t i = 0; keys && found && i < m->nexecutors; i++) {
        size_t n = 0;
        for (size_t k = 0; k < m->nflights; k++)
            if (m->flights[k]->executor == i)
                keys[n++] = m->flights[k]->key;
        if (n)
            pingo__manager_executor_adopt(&m->executors[i], keys, n, found, NULL);
    }
    free(keys);
    free(found);
}

int pingo__manager_actions_recover(struct pingo__manager_actions *m, size_t *recovered,
                                   struct pingo_error *err)
{
    int64_t *owners = NULL;
    size_t n = 0;
    int rc = pingo__store_owner_list(m->c->db, &owners, &n, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (owners[i] != m->c->owner && !pingo__manager_owner_is_alive(m->c, owners[i]))
            rc = take_over(m, owners[i], recovered, err);
    free(owners);
    if (!rc)
        rc = release_strays(m, recovered, err);
    if (!rc)
        rc = pingo__manager_actions_look_at_stopped(m, recovered, err);
    if (!rc && m->must_adopt)
        rc = adopt(m, err);
    return rc;
}

bool pingo__manager_actions_is_free(struct pingo__manager_actions *m)
{
    struct pingo__arena arena;
    struct pingo__store_action_list actions = {.arena = &arena};
    struct pingo__store_dataset_list datasets = {.arena = &arena};
    int64_t attempts = 1;
    int rc = pingo__store_attempt_count_owned(m->c->db, m->c->owner, &attempts, NULL);
    pingo__arena_init(&arena);
    if (!rc)
        rc = pingo__store_action_list_owned(m->c->db, m->c->owner, &actions, NULL);
    if (!rc)
        rc = pingo__store_dataset_list_leaving(m->c->db, m->c->owner, &datasets, NULL);
    pingo__arena_clear(&arena);
    return rc == 0 && attempts == 0 && actions.n == 0 && datasets.n == 0;
}
