/* action_manager.c - see action_manager.h.  Recovering is in recover.c. */
#include "manager/attempt/action_manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "manager/asking.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/job.h"
#include "manager/dataset/suspects.h"
#include "manager/submission/workflow_manager.h"
#include "manager/workers.h"
#include "store/action/memory.h"

/* ---- life --------------------------------------------------------------------------------- */

int pingo__manager_actions_init(struct pingo__manager_actions *m, struct pingo__manager_context *c,
                                struct pingo__manager_executor *executors, size_t nexecutors,
                                struct pingo_error *err)
{
    *m = (struct pingo__manager_actions){.c = c,
                                         .executors = executors,
                                         .nexecutors = nexecutors,
                                         .mean_wall_ms = 10,
                                         .scope = {.db = c->db, .all = true},
                                         .anyone = {.db = c->db, .all = true}};
    return pingo__manager_actions_prefer(m, NULL, err);
}

void pingo__manager_actions_clear(struct pingo__manager_actions *m)
{
    pingo__manager_reading_clear(m);
    pingo__manager_news_clear(m);
    for (size_t i = 0; i < m->nflights; i++)
        free(m->flights[i]);
    free(m->flights);
    free(m->ends);
    free(m->waiting);
    free(m->closed);
    free(m->stopped);
    free(m->types);
    free(m->means);
    pingo__arena_clear(&m->texts);
    pingo__map_clear(&m->by_key);
    pingo__manager_looked_clear(&m->looked);
    pingo__manager_scope_clear(&m->scope);
    pingo__manager_scope_clear(&m->anyone);
    memset(m, 0, sizeof *m);
}

/* ---- settle ------------------------------------------------------------------------------------ */

static int mark_running(struct pingo__manager_actions *m, struct pingo_job_key key,
                        struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_row a = {.id = 0};
    bool is_now = false;
    int rc = pingo__store_attempt_started(m->c->db, key, pingo__manager_now_ms(m->c), &is_now, err);
    if (is_now)
        rc = pingo__store_action_get(m->c->db, key.action, arena, &a, err);
    if (!rc && a.state == PINGO_ACTION_SUBMITTED && a.epoch == key.epoch)
        rc = pingo__store_action_hand(m->c->db, &a, PINGO_ACTION_RUNNING, m->c->owner, err);
    return rc;
}

/* What executors told; it is forgotten when that is committed. */
static int write_news(struct pingo__manager_actions *m, struct pingo__arena *arena,
                      struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && m->has_news && i < m->nflights; i++) {
        const struct pingo__manager_flight *f = m->flights[i];
        if (f->news.started)
            rc = mark_running(m, f->key, arena, err);
        if (!rc && *f->news.job)
            rc = pingo__store_attempt_set_job(m->c->db, f->key, f->news.job, err);
        if (!rc && f->news.progress)
            rc = pingo__store_attempt_set_progress(m->c->db, f->key, f->news.progress, err);
    }
    for (size_t i = 0; !rc && m->has_news && i < m->nwaiting; i++) {
        const struct pingo__manager_flight *f = pingo__manager_flight_find(m, m->waiting[i].key);
        if (f && f->news.ended)
            rc = pingo__store_attempt_set_told(m->c->db, &m->waiting[i], err);
        if (!rc && f && f->news.closed)
            rc = pingo__store_action_set_message(
                m->c->db, f->key,
                pingo__arena_format(arena, "has ended, and waits: %s", f->news.closed), err);
    }
    return rc;
}

static void finish(struct pingo__manager_actions *m, struct pingo__manager_settling *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct pingo__manager_flight *f = pingo__manager_flight_find(m, s[i].end.key);
        struct pingo_error why = {0};
        pingo__manager_ask_forget(m->c, s[i].end.key);
        if (pingo__manager_callback_finish(
                &s[i], &why)) /* what is left behind is found by a later sweep */
            pingo__manager_log(m->c, PINGO_LOG_WARNING, "%s", why.message);
        if (f) {
            struct pingo__manager_executor *e = &m->executors[f->executor];
            e->type.forget(e->handle, s[i].end.key);
            pingo__manager_flight_remove(m, s[i].end.key);
        }
        if (s[i].end.started_ms > 0 && s[i].end.reason != PINGO_END_NOT_STARTED)
            pingo__manager_turns_learn(m, &s[i]);
        pingo__manager_disk_learn(&m->disk, &s[i]);
    }
}

/* Ends and claims share one transaction: a commit waits for the disk. */
static int settle_and_claim(struct pingo__manager_actions *m, size_t nclaim,
                            struct pingo__store_action_list *claimed, struct pingo__arena *arena,
                            struct pingo_error *err)
{
    size_t n = pingo__manager_ends_next(m);
    struct pingo__manager_settling *s = pingo__arena_array(arena, n + 1, sizeof *s);
    bool any_held = false;
    int rc = s ? pingo__manager_ahead_prepare(m, s, &n, arena, err) : pingo__fail_memory(err);
    if (!rc && nclaim)
        rc = pingo__manager_scope_prepare(&m->scope, &any_held, err);
    if (!rc)
        rc = pingo__store_db_begin(m->c->db, err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo__manager_callback_apply(&s[i], err);
    if (!rc)
        rc = write_news(m, arena, err);
    if (!rc && nclaim)
        rc = pingo__manager_claim(m, nclaim, arena, claimed, err);
    rc = pingo__store_db_end(m->c->db, rc, err);
    if (rc)
        return rc;
    pingo__manager_news_clear(m);
    finish(m, s, n);
    m->nends -= n;
    if (m->nends)
        memmove(m->ends, m->ends + n, m->nends * sizeof *m->ends);
    return 0;
}

/* ---- submit: the submitter ---------------------------------------------------------------------------- */

struct submitting {
    struct pingo__manager_prepared p;
    size_t executor;
    bool remembers;                        /* the store, how much memory any action needed */
    const char *refused;                   /* fails without retry */
    uint64_t *stamps;                      /* of its originals, as they are now */
    const char *closed;                    /* waits: why an input cannot be looked at */
    struct pingo__store_dataset_row *lost; /* an input that is gone */
    bool waits;                            /* for another thread, which reads an original or asks */
    bool handed;
};

static int refuse(struct submitting *s, const char *why, struct pingo__arena *arena,
                  struct pingo_error *err)
{
    s->refused = pingo__arena_format(arena, "%s", why);
    return s->refused ? 0 : pingo__fail_memory(err);
}

static int check_originals(struct pingo__manager_actions *m, struct submitting *s,
                           struct pingo__arena *arena, struct pingo_error *err)
{
    s->stamps = pingo__arena_array(arena, s->p.originals.n + 1, sizeof *s->stamps);
    struct pingo__manager_originals_check check = {.p = &s->p, .arena = arena, .stamps = s->stamps};
    int rc = s->stamps ? pingo__manager_originals_check(m->c, &check, err) : pingo__fail_memory(err);
    s->refused = check.changed;
    return rc;
}

/* Outside the lock: is everything that it reads still there and unchanged?  That a place cannot be looked at is the
 * matter of who reads there alone. */
static int check_inputs(struct pingo__manager_actions *m, struct submitting *s,
                        struct pingo__arena *arena, struct pingo_error *err)
{
    int rc = 0;
    int later = 0;
    for (size_t i = 0; !rc && i < s->p.claimed.n; i++) {
        enum pingo__manager_presence is = PINGO__THERE;
        struct pingo_error why = {0};
        rc = pingo__manager_dataset_verify(m->c, &s->p.claimed.rows[i], &is, &why);
        if (rc == PINGO__POOL_LATER) { /* what is to be known of the others is asked with it */
            later = rc;
            rc = 0;
        }
        if (rc == PINGO_EAWAY) {
            s->closed = pingo__arena_format(arena, "%s", why.message);
            return s->closed ? 0 : pingo__fail_memory(err);
        }
        if (rc)
            return pingo__fail(err, rc, "%s", why.message);
        if (is != PINGO__THERE) {
            s->lost = &s->p.claimed.rows[i];
            return 0;
        }
    }
    return later ? later : check_originals(m, s, arena, err);
}

/* Does it ask for more than there is? */
static int check_counters(struct pingo__manager_actions *m, struct submitting *s,
                          struct pingo__arena *arena, struct pingo_error *err)
{
    const char *name = m->executors[s->executor].type.name;
    struct pingo__manager_counters counters = pingo__manager_counters_of(m, s->executor, arena);
    struct pingo__manager_ask ask;
    int rc = pingo__manager_counters_weigh(&counters, &s->p.action, PINGO__WEIGH_ASKS, &ask, err);
    if (rc || ask.fit != PINGO__NEVER_FITS)
        return rc;
    s->refused = pingo__arena_format(
        arena, "asks for %s, and the executor \"%s\" has %" PRId64 ": pingo config executor.%s.%s",
        pingo__manager_ask_text(arena, &ask), name, ask.counter->total, name,
        *ask.counter->name ? "licences" : "gpus");
    return s->refused ? 0 : pingo__fail_memory(err);
}

static int prepare_it(struct pingo__manager_actions *m, const struct pingo__store_action_row *a,
                      struct submitting *s, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_error why = {0};
    s->executor = pingo__manager_executor_for(m, a->type, a->executor);
    s->p.takes_places = m->executors[s->executor].type.takes_places;
    int rc = pingo__manager_prepare(m->c, a, arena, &s->p, &why);
    if (rc == PINGO_ENOTFOUND) { /* an input was found gone while an earlier attempt ran? */
        rc = check_inputs(m, s, arena, err);
        if (rc || s->lost || s->closed)
            return rc;
        rc = PINGO_ENOTFOUND;
    }
    if (rc == PINGO_ECORRUPT || rc == PINGO_EUNSUPPORTED || rc == PINGO_ENOTFOUND)
        return refuse(s, why.message, arena, err);
    if (rc)
        return pingo__fail(err, rc, "%s", why.message);
    rc = a->resources ? check_counters(m, s, arena, err) : 0;
    if (rc || s->refused)
        return rc;
    rc = pingo__manager_memory_give(m->c, &s->p, &m->executors[s->executor], s->remembers, err);
    if (!rc)
        rc = pingo__manager_reading_first(m, &s->p, &s->waits, err);
    return rc || s->waits ? rc : check_inputs(m, s, arena, err);
}

static int prepare_one(struct pingo__manager_actions *m, const struct pingo__store_action_row *a,
                       struct submitting *s, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_job_key key = {a->id, 0};
    bool waits = false;
    int rc = pingo__manager_ask_begin(m->c, key, &waits, err);
    if (!rc && !waits)
        rc = pingo__manager_ask_end(m->c, key, prepare_it(m, a, s, arena, err), &waits);
    if (!rc && !waits && s->waits) /* for its original; then all is asked anew */
        pingo__manager_ask_forget(m->c, key);
    s->waits = s->waits || waits;
    return rc;
}

static int submit_one(struct pingo__manager_actions *m, struct submitting *s,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_row now = s->p.action;
    int rc = pingo__store_action_refresh(m->c->db, &now, err);
    if (rc || !now.id || now.state != PINGO_ACTION_PROCESSING || now.epoch != s->p.action.epoch)
        return rc; /* killed, or planned again, in the meantime */
    if (s->refused)
        return pingo__manager_action_end(m->c, &now, PINGO_ACTION_FAILED, s->refused, err);
    if (s->closed) {
        struct pingo__manager_settling x = {.c = m->c, .arena = arena, .p.action = now};
        x.end.reason = PINGO_END_NOT_STARTED;
        snprintf(x.end.message, sizeof x.end.message, "%.190s", s->closed);
        return pingo__manager_callback_fail(&x, err);
    }
    if (s->lost) {
        struct pingo__store_dataset_row lost;
        rc = pingo__store_dataset_get(m->c->db, s->lost->id, arena, &lost, err);
        return !rc && lost.id ? pingo__manager_dataset_lost(m->c, &lost, err) : rc;
    }
    rc = pingo__store_attempt_insert(
        m->c->db,
        &(struct pingo__store_attempt_row){.key = s->p.job.key,
                                           .executor = m->executors[s->executor].type.name,
                                           .owner = m->c->owner,
                                           .memory_mb = s->p.job.memory_bytes >> 20,
                                           .memory_from = s->p.memory_from,
                                           .handed_ms = pingo__manager_now_ms(m->c)},
        err);
    if (!rc && s->p.originals.n)
        rc = pingo__store_attempt_set_touched(m->c->db, s->p.job.key, s->stamps,
                                              s->p.originals.n * sizeof *s->stamps, err);
    if (!rc)
        rc = pingo__manager_memory_given(m->c, &s->p, err);
    if (!rc) /* the attempt first: what is handed out has an open one */
        rc = pingo__store_action_hand(m->c->db, &now, PINGO_ACTION_SUBMITTED, m->c->owner, err);
    s->handed = now.state == PINGO_ACTION_SUBMITTED;
    return rc;
}

/* After the commit.  An error does not mean "not submitted": it is given up first, and tried again only if
 * it can never start. */
static int hand_out(struct pingo__manager_actions *m, struct submitting *s, struct pingo_error *err)
{
    struct pingo__manager_executor *e = &m->executors[s->executor];
    struct pingo_job *job = &s->p.job;
    struct pingo_error why = {0};
    bool revoked = false;
    int rc = pingo__manager_flight_add(m, job->key, s->executor, err);
    if (!rc)
        pingo__manager_turns_note(m, &s->p.action);
    if (rc || pingo__manager_executor_start(e, job, &why) == 0)
        return rc;
    pingo__manager_tell_waiting(m->c, s->p.action.name, why.message);
    if (pingo__manager_executor_revoke(e, job->key, job->attempt_dir, &revoked, NULL) != 0) {
        pingo__manager_flight_remove(m, job->key); /* the executor is asked what became of it */
        m->must_adopt = true;
    } else if (revoked) {
        return pingo__manager_end_without_run(m, job->key, PINGO_END_NOT_STARTED, why.message, err);
    }
    return 0;
}

static int submit(struct pingo__manager_actions *m, struct pingo__store_action_list *claimed,
                  struct pingo__arena *arena, size_t *nstarted, struct pingo_error *err)
{
    struct submitting *s = pingo__arena_array(arena, claimed->n, sizeof *s);
    bool remembers = false;
    int rc = s ? pingo__store_db_begin_read(m->c->db, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__store_memory_any(m->c->db, &remembers, err);
    for (size_t i = 0; !rc && i < claimed->n; i++) {
        s[i].remembers = remembers;
        rc = prepare_one(m, &claimed->rows[i], &s[i], arena, err);
    }
    pingo__store_db_rollback(m->c->db);
    if (!rc)
        rc = pingo__store_db_begin(m->c->db, err);
    if (!rc) {
        for (size_t i = 0; !rc && i < claimed->n; i++)
            rc = s[i].waits ? 0 : submit_one(m, &s[i], arena, err);
        rc = pingo__store_db_end(m->c->db, rc, err);
    }
    for (size_t i = 0; !rc && i < claimed->n; i++) {
        if (!s[i].waits)
            pingo__manager_ask_forget(m->c, (struct pingo_job_key){claimed->rows[i].id, 0});
        if (!s[i].handed)
            continue;
        rc = hand_out(m, &s[i], err);
        (*nstarted)++;
    }
    for (size_t i = 0; s && i < claimed->n; i++)
        pingo__manager_prepared_clear(&s[i].p);
    return rc;
}

/* ---- a tick ------------------------------------------------------------------------------------------------ */

static int one_round(struct pingo__manager_actions *m, struct pingo__manager_tick_counts *counts,
                     struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_action_list claimed = {.n = 0};
    size_t before = m->nends + m->nwaiting, nclaim = 0;
    bool any = false;
    int rc = pingo__manager_claim_look(m, &nclaim, &any, &arena, err);
    if (!rc && (any || m->nends || m->has_news))
        rc = settle_and_claim(m, nclaim, &claimed, &arena, err);
    counts->settled += before - m->nends - m->nwaiting + (rc ? 0 : m->ntaken);
    m->ntaken = 0;
    if (!rc && claimed.n)
        rc = submit(m, &claimed, &arena, &counts->started, err);
    if (rc)
        m->must_adopt = true; /* what was claimed and not handed out must not stay so */
    pingo__arena_clear(&arena);
    return rc;
}

void pingo__manager_actions_finish(struct pingo__manager_actions *m)
{
    struct pingo__manager_tick_counts counts = {0, 0};
    struct pingo_error why = {0};
    int rc = m->nflights ? pingo__manager_collect(m, &why) : 0;
    m->paused = true;
    int read = pingo__manager_reading_finish(m, rc ? NULL : &why);
    rc = rc ? rc : read;
    bool more = true;
    while (!rc && more) {
        while (!rc && m->nends)
            rc = one_round(m, &counts, &why);
        if (!rc)
            rc = pingo__manager_ahead_wait(m, &more, &why);
    }
    if (rc)
        pingo__manager_log(m->c, PINGO_LOG_WARNING, "ends that were told are not settled yet: %s",
                           why.message);
}

int pingo__manager_actions_tick(struct pingo__manager_actions *m,
                                struct pingo__manager_tick_counts *counts, struct pingo_error *err)
{
    int rc = pingo__manager_workers_collect(m->c->workers, PINGO__READING, err);
    if (!rc)
        rc = pingo__manager_ahead_go_on(m, err);
    if (!rc)
        rc = pingo__manager_collect(m, err);
    do {
        if (!rc)
            rc = one_round(m, counts, err);
    } while (!rc && m->nends);
    if (!rc) /* what was found lost just now */
        rc = pingo__manager_lost_go_on(m->c, err);
    struct pingo__arena arena = {0};
    if (!rc)
        rc = pingo__manager_unwanted_end(m, &arena, err);
    pingo__arena_clear(&arena);
    if (!rc)
        rc = pingo__manager_actions_obey_pauses(m, err);
    if (!rc)
        rc = pingo__manager_collect(m, err); /* sends what was handed out */
    return rc;
}
