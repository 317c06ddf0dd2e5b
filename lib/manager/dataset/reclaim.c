/* reclaim.c - see reclaim.h. */
#include "manager/dataset/reclaim.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "manager/asking.h"
#include "manager/attempt/owner.h"
#include "store/action/actions.h"
#include "store/dataset/objects.h"

#define LOOK_EVERY_MS 60000 /* for what those left who died */
#define LOOK_AT_ONCE 1024   /* entries */
#define MEASURE_AT_ONCE 64
#define MOST_STUCK 256
#define FIRST_WAIT_MS 10000
#define LONGEST_WAIT_MS 3600000

struct pingo__manager_stuck {
    char *name;
    int64_t not_before_ms, wait_ms;
};

struct look {
    struct pingo__manager_chore chore;
    struct pingo__manager_reclaimer *r;
    struct pingo__buffer names;
    bool more;
    int rc;
    struct pingo_error why;
};

struct emptying {
    struct pingo__manager_chore chore;
    struct pingo__manager_reclaimer *r;
    int64_t owner, wait_ms; /* wait_ms: how long it had to wait; 0: not */
    int64_t bytes;          /* that stay */
    struct pingo__pool_removal removal;
    char name[];
};

struct measuring {
    struct pingo__manager_chore chore;
    struct pingo__manager_reclaimer *r;
    struct pingo_job_key key;
    int64_t bytes; /* -1: it is not there */
};

/* ---- on the threads of the deletors ------------------------------------------------------ */

static void run_look(struct pingo__manager_chore *chore)
{
    struct look *x = (struct look *)chore;
    x->rc = pingo__pool_list_trash(x->r->c->patient, LOOK_AT_ONCE, &x->names, &x->more, &x->why);
}

static void run_emptying(struct pingo__manager_chore *chore)
{
    struct emptying *x = (struct emptying *)chore;
    pingo__pool_remove_trash(x->r->c->patient, x->name, x->owner, &x->removal);
    if (x->removal.failed)
        x->bytes = pingo__pool_held_bytes(x->r->c->patient, x->removal.name);
}

static void run_measuring(struct pingo__manager_chore *chore)
{
    struct measuring *x = (struct measuring *)chore;
    char name[PINGO__NAME_SIZE];
    struct pingo__pool_state st;
    pingo__name_attempt(name, x->key.action, x->key.epoch);
    x->bytes = pingo__pool_state(x->r->c->patient, name, &st, NULL) == 0 && st.exists
                   ? pingo__pool_held_bytes(x->r->c->patient, name)
                   : -1;
}

/* ---- life ------------------------------------------------------------------------------------ */

void pingo__manager_reclaimer_clear(struct pingo__manager_reclaimer *r)
{
    struct pingo__manager_chore *chore;
    while ((chore = pingo__manager_chores_take(&r->measured)) ||
           (chore = pingo__manager_chores_take(&r->failed)))
        free(chore);
    for (size_t i = 0; i < r->nstuck; i++)
        free(r->stuck[i].name);
    free(r->stuck);
    memset(r, 0, sizeof *r);
}

bool pingo__manager_reclaimer_is_idle(const struct pingo__manager_reclaimer *r)
{
    return !r->nhand && !r->measured.n && !r->failed.n;
}

/* ---- the trash ----------------------------------------------------------------------------------- */

/* May whoever sees it remove this entry of the trash? */
static int is_free(struct pingo__manager_context *c, const char *name, bool *yes,
                   struct pingo_error *err)
{
    struct pingo__store_dataset_row row = {.state = 0};
    struct pingo__name parsed;
    int rc = 0;
    pingo__name_parse(name, &parsed);
    *yes = !parsed.owner ||
           (parsed.owner != c->owner && !pingo__manager_owner_is_alive(c, parsed.owner));
    if (parsed.dataset) {
        rc = pingo__store_dataset_get(c->db, parsed.dataset, NULL, &row, err);
        *yes = row.state != PINGO_DATASET_DELETING; /* or there is no such row */
    }
    return rc;
}

static void tell_stuck(struct pingo__manager_context *c, const struct pingo__pool_removal *m)
{
    if (!pingo__manager_asking_note(c, m->rest.read_only ? PINGO_EAWAY : 0, m->rest.why))
        pingo__manager_log(c, PINGO_LOG_WARNING, "%s/%s%s%s: cannot be deleted: %s", c->pool->place,
                           m->name, *m->rest.what ? "/" : "", m->rest.what, m->rest.why);
}

int pingo__manager_trash_empty(struct pingo__manager_context *c, struct pingo_error *err)
{
    struct pingo__buffer names = {0};
    bool more, yes = false;
    int rc = pingo__pool_list_trash(c->pool, SIZE_MAX, &names, &more, err);
    for (size_t at = 0; !rc && at < names.length; at += strlen(names.data + at) + 1) {
        struct pingo__pool_removal removal = {.serial = c->pool->serial++};
        rc = is_free(c, names.data + at, &yes, err);
        if (!rc && yes)
            pingo__pool_remove_trash(c->pool, names.data + at, c->owner, &removal);
        if (removal.failed)
            tell_stuck(c, &removal);
    }
    pingo__buffer_clear(&names);
    return rc;
}

static int end_emptying(struct pingo__manager_chore *chore, struct pingo_error *err);

static int empty_one(struct pingo__manager_reclaimer *r, const char *name, int64_t wait_ms,
                     struct pingo_error *err)
{
    struct emptying *x = calloc(1, sizeof *x + strlen(name) + 1);
    if (!x)
        return pingo__fail_memory(err);
    x->r = r;
    x->owner = r->c->owner;
    x->wait_ms = wait_ms;
    x->removal.serial = r->c->pool->serial++;
    strcpy(x->name, name);
    x->chore = (struct pingo__manager_chore){PINGO__DELETING, run_emptying, end_emptying, NULL};
    r->nhand++;
    pingo__manager_workers_give(r->c->workers, &x->chore);
    return 0;
}

/* What was found there.  After an error the rest is found by the next look. */
static int empty_all(struct pingo__manager_reclaimer *r, const struct look *x,
                     struct pingo_error *err)
{
    bool yes = false;
    int rc = x->rc == PINGO_ENOMEM ? pingo__fail_memory(err) : 0;
    if (x->rc && !rc && !pingo__manager_asking_note(r->c, x->rc, x->why.message))
        pingo__manager_log(r->c, PINGO_LOG_WARNING, "%s: the trash cannot be read: %s",
                           r->c->pool->place, x->why.message);
    for (size_t at = 0; !rc && at < x->names.length; at += strlen(x->names.data + at) + 1) {
        rc = is_free(r->c, x->names.data + at, &yes, err);
        if (!rc && yes)
            rc = empty_one(r, x->names.data + at, 0, err);
    }
    r->must_look = r->must_look || x->more || rc;
    r->must_count = true;
    return rc;
}

static int end_look(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct look *x = (struct look *)chore;
    x->r->looking = false;
    x->r->nhand--;
    int rc = empty_all(x->r, x, err);
    pingo__buffer_clear(&x->names);
    free(x);
    return rc;
}

static int look(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    if (r->looking || (!r->must_look && r->trashed == r->c->pool->trashed &&
                       pingo__manager_elapsed_ms(r->c) - r->looked_ms < LOOK_EVERY_MS))
        return 0;
    struct look *x = calloc(1, sizeof *x);
    if (!x)
        return pingo__fail_memory(err);
    x->r = r;
    r->looking = true;
    r->must_look = false;
    r->trashed = r->c->pool->trashed;
    r->looked_ms = pingo__manager_elapsed_ms(r->c);
    x->chore = (struct pingo__manager_chore){PINGO__DELETING, run_look, end_look, NULL};
    r->nhand++;
    pingo__manager_workers_give(r->c->workers, &x->chore);
    return 0;
}

/* It is tried again, later and later, as long as we live.  Whoever comes after us finds it there. */
static void remember_stuck(struct pingo__manager_reclaimer *r, const struct emptying *x)
{
    const struct pingo__pool_removal *m = &x->removal;
    int64_t wait_ms = x->wait_ms ? x->wait_ms * 2 : FIRST_WAIT_MS;
    char *name = strdup(m->name);
    wait_ms = wait_ms > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : wait_ms;
    tell_stuck(r->c, m);
    if (!r->stuck)
        r->stuck = calloc(MOST_STUCK, sizeof *r->stuck);
    if (!name || !r->stuck || r->nstuck == MOST_STUCK) {
        free(name);
        return;
    }
    struct pingo__manager_stuck *s = &r->stuck[r->nstuck++];
    s->name = name;
    s->not_before_ms = pingo__manager_elapsed_ms(r->c) + wait_ms;
    s->wait_ms = wait_ms;
}

static int end_emptying(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct emptying *x = (struct emptying *)chore;
    (void)err;
    x->r->nhand--;
    x->r->must_count = true;
    if (x->removal.failed) {
        remember_stuck(x->r, x);
        pingo__manager_chores_add(&x->r->failed, chore);
    } else {
        free(x);
    }
    return 0;
}

static int try_stuck(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    int64_t now = r->nstuck ? pingo__manager_elapsed_ms(r->c) : 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < r->nstuck;) {
        struct pingo__manager_stuck *s = &r->stuck[i];
        if (s->not_before_ms > now) {
            i++;
            continue;
        }
        rc = empty_one(r, s->name, s->wait_ms, err);
        if (!rc) {
            free(s->name);
            *s = r->stuck[--r->nstuck];
        }
    }
    return rc;
}

static int tell_failed(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    if (!r->failed.n)
        return 0;
    int rc = pingo__store_db_begin(r->c->db, err);
    for (struct pingo__manager_chore *i = r->failed.first; !rc && i; i = i->next) {
        const struct emptying *x = (struct emptying *)i;
        rc = pingo__store_orphan_note(r->c->db, x->removal.name, x->bytes, err);
    }
    rc = pingo__store_db_end(r->c->db, rc, err);
    while (!rc && r->failed.n)
        free(pingo__manager_chores_take(&r->failed));
    r->must_count = true; /* it had another name before */
    return rc;
}

static int forget_if_gone(struct pingo__manager_reclaimer *r, const char *name,
                          struct pingo_error *err)
{
    struct pingo__pool_state st;
    int rc = pingo__pool_state(r->c->pool, name, &st, err);
    if (pingo__pool_is_shut(r->c->pool, rc))
        return 0; /* it may be there */
    if (rc || st.exists || (rc = pingo__store_db_begin(r->c->db, err)) != 0)
        return rc;
    return pingo__store_db_end(r->c->db, pingo__store_orphan_forget(r->c->db, name, err), err);
}

static int forget_those_gone(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_text_list names = {.arena = &arena};
    int rc = pingo__store_orphan_list(r->c->db, &names, err), later = 0;
    for (size_t i = 0; !rc && i < names.n; i++) {
        rc = forget_if_gone(r, names.rows[i], err);
        later = rc == PINGO__POOL_LATER ? rc : later; /* all are asked for together */
        rc = rc == PINGO__POOL_LATER ? 0 : rc;
    }
    pingo__arena_clear(&arena);
    return rc ? rc : later;
}

/* What could not be removed counts as long as it is there, whoever removes it. */
static int count_orphans(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    bool waits = false;
    int rc = r->must_count ? pingo__manager_ask_begin(r->c, PINGO__ASK_ORPHANS, &waits, err) : 0;
    if (rc || waits || !r->must_count)
        return rc;
    rc = pingo__manager_ask_end(r->c, PINGO__ASK_ORPHANS, forget_those_gone(r, err), &waits);
    r->must_count = rc || waits;
    if (!r->must_count)
        pingo__manager_ask_forget(r->c, PINGO__ASK_ORPHANS);
    return rc;
}

/* ---- what failed attempts hold ------------------------------------------------------------------------ */

static int end_measuring(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct pingo__manager_reclaimer *r = ((struct measuring *)chore)->r;
    (void)err;
    r->nhand--;
    r->nmeasuring--;
    pingo__manager_chores_add(&r->measured, chore);
    return 0;
}

static int measure(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_key_list list = {.arena = &arena};
    if (r->nmeasuring || r->measured.n)
        return 0;
    int rc = pingo__store_attempt_list_scratch(r->c->db, true, MEASURE_AT_ONCE, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct measuring *x = calloc(1, sizeof *x);
        if (!x) {
            rc = pingo__fail_memory(err);
            break;
        }
        x->r = r;
        x->key = list.rows[i];
        x->chore =
            (struct pingo__manager_chore){PINGO__DELETING, run_measuring, end_measuring, NULL};
        r->nhand++;
        r->nmeasuring++;
        pingo__manager_workers_give(r->c->workers, &x->chore);
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* An empty one counts as a byte: 0 stands for what is to be measured. */
static int tell_measured(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    if (!r->measured.n)
        return 0;
    int rc = pingo__store_db_begin(r->c->db, err);
    for (struct pingo__manager_chore *i = r->measured.first; !rc && i; i = i->next) {
        struct measuring *x = (struct measuring *)i;
        int64_t bytes = x->bytes ? x->bytes : 1;
        rc = pingo__store_attempt_set_scratch(r->c->db, x->key, bytes, err);
    }
    rc = pingo__store_db_end(r->c->db, rc, err);
    while (!rc && r->measured.n)
        free(pingo__manager_chores_take(&r->measured));
    return rc;
}

/* ---- a tick -------------------------------------------------------------------------------------------- */

int pingo__manager_reclaimer_tick(struct pingo__manager_reclaimer *r, struct pingo_error *err)
{
    int rc = tell_measured(r, err);
    if (!rc)
        rc = tell_failed(r, err);
    if (!rc)
        rc = try_stuck(r, err);
    if (!rc)
        rc = count_orphans(r, err);
    if (!rc)
        rc = look(r, err);
    return rc ? rc : measure(r, err);
}
