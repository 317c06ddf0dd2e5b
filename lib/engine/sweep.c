/* sweep.c - what no row knows is reclaimed; scratch directories and logs that are too old go.
 *
 * What always holds: only names of Pingo's own form are touched, and only when the
 * store says, within one read, that nothing refers to them. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/scheduler.h"
#include "manager/asking.h"
#include "manager/dataset/orphans.h"
#include "store/meta.h"
#include "store/dataset/objects.h"

#define SWEEP_EVERY_MS (INT64_C(60) * 60 * 1000)
#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)

struct sweep {
    struct pingo__manager_context *c;
    int64_t now_ms, failed_ms, log_ms;
    struct pingo__arena arena;
    struct pingo_job_key *kept; /* attempts whose scratch directories stay and do not count yet */
    size_t nkept, ckept;
};

/* Of an attempt's directory. */
static bool key_of(const char *name, struct pingo_job_key *key)
{
    struct pingo__name parsed;
    bool is = pingo__name_parse(name, &parsed) && parsed.part == PINGO__ATTEMPTS &&
              !parsed.is_copy && parsed.action > 0 && parsed.epoch > 0;
    *key = (struct pingo_job_key){parsed.action, parsed.epoch};
    return is;
}

/* What stays of an attempt that failed counts as used, though it ended in another way than by the callback of
 * its action: it was killed, or an older Pingo ended it. */
static int count_kept(struct sweep *s, const struct pingo__store_attempt_row *row,
                      struct pingo_error *err)
{
    if (row->scratch_bytes >= 0)
        return 0;
    if (!PINGO__ARENA_ROOM(&s->arena, s->kept, s->nkept, s->ckept))
        return pingo__fail_memory(err);
    s->kept[s->nkept++] = row->key;
    return 0;
}

/* On its way out.  What cannot be moved counts as long as it is there; it is tried again with the next sweep. */
static int reclaim(struct sweep *s, const char *name, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = pingo__name_is_in(PINGO__ATTEMPTS, name)
                 ? pingo__pool_trash_attempt(s->c->pool, name, &why)
                 : pingo__pool_trash(s->c->pool, name, &why);
    if (!rc || rc == PINGO_ENOMEM)
        return rc ? pingo__fail_memory(err) : 0;
    pingo__manager_log(s->c, PINGO_LOG_WARNING, "%s/%s: is no dataset's, and stays: %s",
                       s->c->pool->place, name, why.message);
    if (pingo__pool_is_shut(s->c->pool, rc)) /* nor can it be measured */
        return 0;
    int64_t bytes = pingo__pool_held_bytes(s->c->pool, name);
    rc = pingo__store_db_begin(s->c->db, err);
    if (!rc)
        rc = pingo__store_orphan_note(s->c->db, name, bytes, err);
    struct pingo_job_key key;
    if (!rc && key_of(name, &key)) /* not twice */
        rc = pingo__store_attempt_set_scratch(s->c->db, key, -1, err);
    return pingo__store_db_end(s->c->db, rc, err);
}

/* *wanted: the attempt is open, or ended less than its time ago; else what it left behind may go.
 * *succeeded: of what is wanted only the logs are. */
static int is_wanted(struct sweep *s, struct pingo_job_key key, bool *wanted, bool *succeeded,
                     struct pingo_error *err)
{
    struct pingo__store_attempt_row row;
    int rc = pingo__store_attempt_find(s->c->db, key, &row, err);
    bool is_lost =
        rc == PINGO_ECORRUPT; /* the file of the archive that knows it: nothing goes then */
    bool has_ended = !rc && row.state == PINGO__ATTEMPT_ENDED;
    *wanted = is_lost || (!rc && row.key.action != 0);
    rc = is_lost ? 0 : rc;
    if (!has_ended)
        return rc;
    *succeeded = row.reason == PINGO_END_EXITED && row.exit_code == 0;
    *wanted = s->now_ms - row.ended_ms < (*succeeded ? s->log_ms : s->failed_ms);
    return *wanted && !*succeeded ? count_kept(s, &row, err) : 0;
}

/* Whoever was to clear up was killed, or is at it still, and does not mind.  A runner of a cluster tells how
 * it went when that is done. */
static int keep_logs(struct sweep *s, const char *name, struct pingo_error *err)
{
    static const char *const others[] = {"work", "tmp"};
    char path[PINGO__NAME_SIZE + 8];
    int rc = 0;
    for (size_t i = 0; !rc && i < 2 && !pingo__pool_is_remote(s->c->pool); i++) {
        snprintf(path, sizeof path, "%s/%s", name, others[i]);
        rc = reclaim(s, path, err);
    }
    return rc;
}

/* A file of that name is how an attempt was given up: while it is there a job that is still on its way cannot
 * start.  The executor removes it when nothing can be on its way. */
static int on_attempt(void *context, const char *name, struct pingo_error *err)
{
    struct sweep *s = context;
    struct pingo_job_key key;
    bool wanted = true, succeeded = false;
    int rc = key_of(name, &key) ? is_wanted(s, key, &wanted, &succeeded, err) : 0;
    if (rc || (wanted && !succeeded))
        return rc;
    return wanted ? keep_logs(s, name, err) : reclaim(s, name, err);
}

/* In objects/ and staged/: what no row knows, and no open attempt will publish. */
static int on_file(void *context, const char *name, struct pingo_error *err)
{
    struct sweep *s = context;
    struct pingo__name parsed;
    bool orphan = false;
    int rc =
        pingo__name_parse(name, &parsed) ? pingo__manager_is_orphan(s->c, name, &orphan, err) : 0;
    return !rc && orphan ? reclaim(s, name, err) : rc;
}

/* Those whose scratch directory is there no more, brought to the front. */
static int find_gone(struct sweep *s, struct pingo_job_key *keys, size_t n, size_t *ngone,
                     struct pingo_error *err)
{
    int rc = 0, later = 0;
    *ngone = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__pool_state st = {.exists = true};
        char name[PINGO__NAME_SIZE];
        pingo__name_attempt(name, keys[i].action, keys[i].epoch);
        rc = pingo__pool_state(s->c->pool, name, &st, err);
        if (rc == PINGO__POOL_LATER) { /* all are asked for together */
            later = rc;
            rc = 0;
        }
        if (!rc && !st.exists)
            keys[(*ngone)++] = keys[i];
    }
    return rc ? rc : later;
}

/* What is gone counts no longer; what was found to stay does. */
static int count_scratch(struct sweep *s, struct pingo_error *err)
{
    struct pingo__store_key_list list = {.arena = &s->arena};
    size_t ngone = 0;
    int rc = pingo__store_attempt_list_scratch(s->c->db, false, (size_t)INT64_MAX, &list, err);
    if (!rc)
        rc = find_gone(s, list.rows, list.n, &ngone, err);
    if (rc || !(s->nkept || ngone) || (rc = pingo__store_db_begin(s->c->db, err)) != 0)
        return rc;
    for (size_t i = 0; !rc && i < ngone; i++)
        rc = pingo__store_attempt_set_scratch(s->c->db, list.rows[i], -1, err);
    for (size_t i = 0; !rc && i < s->nkept; i++)
        rc = pingo__store_attempt_set_scratch(s->c->db, s->kept[i], 0, err);
    return pingo__store_db_end(s->c->db, rc, err);
}

/* The time of the last sweep is the store's, so that a store with a million files is not read by every
 * short command.  *due: it is time, and ours to do. */
static int is_due(struct pingo__manager_context *c, int64_t now_ms, bool *due,
                  struct pingo_error *err)
{
    int64_t last = 0;
    int rc = pingo__store_meta_number(c->db, "sweep.at", &last, err);
    if (rc || (now_ms >= last && now_ms - last < SWEEP_EVERY_MS))
        return rc;
    char now[32];
    snprintf(now, sizeof now, "%" PRId64, now_ms);
    rc = pingo__store_db_begin(c->db, err);
    if (!rc)
        rc = pingo__store_db_end(c->db, pingo__store_meta_set(c->db, "sweep.at", now, err), err);
    *due = c->must_trim = !rc;
    return rc;
}

/* A place that cannot be looked at is left to the next sweep. */
static int sweep(struct sweep *s, struct pingo_error *err)
{
    const struct pingo__pool *pool = s->c->pool;
    struct pingo_error why = {0};
    int rc = pingo__pool_each(pool, PINGO__ATTEMPTS, on_attempt, s, &why);
    if (!rc)
        rc = count_scratch(s, &why);
    pingo__arena_clear(&s->arena);
    if (!rc)
        rc = pingo__pool_each(pool, PINGO__STAGED, on_file, s, &why);
    if (!rc)
        rc = pingo__pool_each(pool, PINGO__OBJECTS, on_file, s, &why);
    if (!pingo__pool_is_shut(pool, rc))
        return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
    pingo__manager_log(s->c, PINGO_LOG_WARNING, "the pool is not swept: %s", why.message);
    return 0;
}

int pingo__engine_sweep_tick(struct pingo__manager_context *c, struct pingo_store *store,
                             bool *must, struct pingo_error *err)
{
    struct sweep s = {.c = c, .now_ms = pingo__manager_now_ms(c)};
    bool due = *must;
    int rc = due ? 0 : is_due(c, s.now_ms, &due, err);
    if (!rc && due)
        rc = pingo__manager_ask_begin(c, PINGO__ASK_SWEEP, must, err);
    if (rc || !due || *must)
        return rc;
    int64_t failed_days = 0, log_days = 0;
    rc = pingo__engine_setting_number(store, "pool.failedDays", &failed_days, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "pool.logDays", &log_days, err);
    s.failed_ms = failed_days * DAY_MS;
    s.log_ms = log_days * DAY_MS;
    rc = pingo__manager_ask_end(c, PINGO__ASK_SWEEP, rc ? rc : sweep(&s, err), must);
    if (!rc && !*must)
        pingo__manager_ask_forget(c, PINGO__ASK_SWEEP);
    return rc;
}

void pingo__engine_sweep_finish(struct pingo_scheduler *s)
{
    bool away = false;
    int rc = 0;
    while (!rc && !away && s->must_sweep) {
        rc = pingo__manager_asking_wait(&s->context, &away, NULL);
        if (!rc && !away)
            rc = pingo__manager_asking_tick(&s->context, NULL);
        if (!rc && !away)
            rc = pingo__engine_sweep_tick(&s->context, s->store, &s->must_sweep, NULL);
    }
    if (s->must_sweep && pingo__store_db_begin(s->context.db, NULL) == 0)
        pingo__store_db_end(s->context.db,
                            pingo__store_meta_set(s->context.db, "sweep.at", "0", NULL), NULL);
}
