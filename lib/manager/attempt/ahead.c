/* ahead.c - what has ended, or is to start, waits for other threads: they read what is large (reading.c), or ask a pool
 * that lies elsewhere (asking.h).  What has ended waits, too, as long as a place that it reads, or is put to, is
 * closed.
 *
 * What always holds: an end that waits is in the store, or will be told again; an action that waits is PROCESSING and
 * ours, and READY again when there are answers: then it is claimed anew, as far as it may be, and they are used. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "manager/asking.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"
#include "store/submission/users.h"

#define CLOSED_MS 2000

/* Nobody's failure, and what was made is there: its end is tried again, and all else goes on. */
static int wait_for_place(struct pingo__manager_actions *m, const struct pingo__manager_settling *s,
                          struct pingo_error *err)
{
    struct pingo__manager_flight *f = pingo__manager_flight_find(m, s->end.key);
    if (!PINGO__ARRAY_ROOM(m->closed, m->cclosed, m->nclosed, 1))
        return pingo__fail_memory(err);
    if (!m->nclosed)
        m->closed_ms = pingo__manager_elapsed_ms(m->c) + CLOSED_MS;
    m->closed[m->nclosed++] = s->end.key;
    if (!f || f->was_closed)
        return 0;
    f->was_closed = m->has_news = true;
    f->news.closed = strdup(s->closed); /* only for people: it may fail */
    if (pingo__manager_trouble_is_new(m->c, s->closed))
        pingo__manager_log(m->c, PINGO_LOG_WARNING, "action %s has ended, and waits: %s",
                           s->p.action.name, s->closed);
    return 0;
}

static void try_places(struct pingo__manager_actions *m)
{
    if (pingo__manager_elapsed_ms(m->c) >= m->closed_ms)
        while (m->nclosed)
            pingo__manager_end_take_back(m, m->closed[--m->nclosed], NULL);
}

static int set_aside(struct pingo__manager_actions *m, const struct pingo_job_end *end,
                     const struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo__manager_flight *f = pingo__manager_flight_find(m, end->key);
    if (!PINGO__ARRAY_ROOM(m->waiting, m->cwaiting, m->nwaiting, 1))
        return pingo__fail_memory(err);
    int rc = s->is_read ? pingo__manager_reading_output(m, end, err) : 0;
    if (!rc && s->closed)
        rc = wait_for_place(m, s, err);
    else if (f)
        f->was_closed = false;
    if (rc)
        return rc;
    m->waiting[m->nwaiting++] = *end;
    if (f && !f->was_told)
        f->was_told = f->news.ended = m->has_news = true;
    return 0;
}

/* What is known of who ran it. */
static void look_at_executor(struct pingo__manager_actions *m, struct pingo__manager_settling *s)
{
    const struct pingo__store_action_row *a = &s->p.action;
    const struct pingo__manager_flight *f = pingo__manager_flight_find(m, s->end.key);
    size_t i = f ? f->executor : pingo__manager_executor_for(m, a->type, a->executor);
    s->slots = pingo__store_slots_of(a->cpus);
    if (i >= m->nexecutors)
        return;
    s->slots = pingo__manager_executor_granted(&m->executors[i], s->slots);
    if (s->end.reason == PINGO_END_MEMORY_LIMIT)
        s->largest_mb = pingo__manager_executor_memory_mb(&m->executors[i], a->executor_options);
}

static int prepare_end(struct pingo__manager_actions *m, struct pingo__manager_settling *s,
                       struct pingo_error *err)
{
    s->waits = s->is_read;
    int rc = s->waits ? 0 : pingo__manager_ask_begin(m->c, s->end.key, &s->waits, err);
    if (rc || s->waits)
        return rc;
    struct pingo_error why = {0};
    rc = pingo__manager_callback_prepare(s, &why);
    rc = pingo__manager_ask_end(m->c, s->end.key, rc, &s->waits);
    if (rc && rc != PINGO_EAWAY)
        return pingo__fail(err, rc, "%s", why.message);
    if (rc)
        s->closed = pingo__arena_format(s->arena, "%s", why.message);
    s->waits = s->waits || s->closed;
    return rc && !s->closed ? pingo__fail_memory(err) : 0;
}

/* A success that may have lost what it wrote is none. */
static void lose(struct pingo_job_end *end, enum pingo_end_reason reason)
{
    if (end->reason != PINGO_END_EXITED || end->exit_code != 0)
        return;
    end->reason = reason;
    snprintf(end->message, sizeof end->message, "the pool's disk did not keep what was written");
}

/* The kernel tells once, and not of which file, that it could not write out what a process took for written; when it
 * is asked again, all is well.  So nothing is kept that was under way. */
static void distrust(struct pingo__manager_actions *m, const struct pingo_error *why)
{
    bool full = why->code == PINGO_ENOSPACE; /* which is told by who waits for room */
    enum pingo_end_reason reason = full ? PINGO_END_NO_SPACE : PINGO_END_LOST;
    for (size_t i = 0; i < m->nflights; i++) {
        struct pingo__manager_flight *f = m->flights[i];
        f->doubt = reason;
        f->doubt_ms = f->started ? INT64_MAX : pingo__manager_now_ms(m->c);
    }
    for (size_t i = 0; i < m->nends; i++)
        lose(&m->ends[i], reason);
    if (!full)
        pingo__manager_log(m->c, PINGO_LOG_WARNING, "what was made is made again: %s", why->message);
}

static int prepare_ends(struct pingo__manager_actions *m, struct pingo__manager_settling *s,
                        size_t n, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_error why = {0};
    bool published = false;
    int rc = pingo__store_db_begin_read(m->c->db, err);
    for (size_t i = 0; !rc && i < n; i++) {
        const struct pingo__manager_flight *f = pingo__manager_flight_find(m, m->ends[i].key);
        bool checked = f && (f->was_inspected || m->executors[f->executor].type.is_trusted);
        s[i] = (struct pingo__manager_settling){.c = m->c,
                                                .arena = arena,
                                                .end = m->ends[i],
                                                .checked = checked,
                                                .was_asked = f && f->ending};
        if (f && f->doubt && s[i].end.started_ms <= f->doubt_ms)
            lose(&s[i].end, f->doubt);
        s[i].is_read = !checked && f && !f->was_told && pingo__manager_reading_is_long(m, &s[i].end);
        rc = prepare_end(m, &s[i], err);
        if (!s[i].waits && s[i].p.action.id)
            look_at_executor(m, &s[i]);
        published = published || s[i].object;
    }
    pingo__store_db_rollback(m->c->db);
    if (rc || !published || !pingo__pool_sync(m->c->pool, &why))
        return rc;
    if (why.code != PINGO_EIO && why.code != PINGO_ENOSPACE)
        return pingo__fail(err, why.code, "%s", why.message);
    distrust(m, &why);
    for (size_t i = 0; i < n; i++)
        pingo__manager_prepared_clear(&s[i].p);
    return prepare_ends(m, s, n, arena, err); /* which publishes nothing now */
}

int pingo__manager_ahead_prepare(struct pingo__manager_actions *m, struct pingo__manager_settling *s,
                                 size_t *n, struct pingo__arena *arena, struct pingo_error *err)
{
    size_t all = *n, kept = 0;
    int rc = prepare_ends(m, s, all, arena, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < all; i++) {
        if (!rc && s[i].waits) {
            rc = set_aside(m, &m->ends[i], &s[i], err);
            pingo__manager_prepared_clear(&s[i].p);
            if (!rc)
                continue;
        }
        s[kept] = s[i];
        m->ends[kept++] = m->ends[i];
    }
    if (kept < all)
        memmove(m->ends + kept, m->ends + all, (m->nends - all) * sizeof *m->ends);
    m->nends -= all - kept;
    *n = kept;
    return rc;
}

int pingo__manager_ahead_go_on(struct pingo__manager_actions *m, struct pingo_error *err)
{
    struct pingo_job_key key;
    bool has_begun = false;
    int rc = pingo__manager_asking_tick(m->c, err);
    try_places(m);
    while (!rc && (pingo__manager_ask_next(m->c, &key), key.action)) {
        if (key.epoch) {
            pingo__manager_end_take_back(m, key, NULL);
            continue;
        }
        rc = has_begun ? 0 : pingo__store_db_begin(m->c->db, err);
        has_begun = true;
        if (!rc)
            rc = pingo__manager_unclaim(m, key.action, err);
    }
    if (has_begun)
        rc = pingo__store_db_end(m->c->db, rc, err);
    if (rc)
        m->must_adopt = true; /* what is PROCESSING is released by the next tick */
    return rc;
}

int pingo__manager_ahead_wait(struct pingo__manager_actions *m, bool *more, struct pingo_error *err)
{
    bool away = false;
    int rc = 0;
    while (!rc && m->nwaiting > m->nclosed && !m->nends && !away) {
        rc = pingo__manager_reading_finish(m, err);
        if (!rc)
            rc = pingo__manager_asking_wait(m->c, &away, err);
        if (!rc)
            rc = pingo__manager_ahead_go_on(m, err);
    }
    *more = m->nends > 0;
    return rc || *more || !m->c->asking ? rc : pingo__manager_actions_release(m, err);
}
