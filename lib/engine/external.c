/* external.c - external actions: an embedder claims, starts and ends them itself.
 *
 * What always holds: the gate opens once, in the store, whichever process asks; the end of an attempt is
 * taken only if the gate was passed, or if the end says that it never was. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/scheduler.h"
#include "executor/external/external.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/job.h"

static int no_external(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINVAL,
                       "this scheduler was not opened with options.external for external actions");
}

static void fill(struct pingo_external_job *out, const struct pingo_job *job, bool started)
{
    *out = (struct pingo_external_job){.key = job->key,
                                       .workflow = job->workflow,
                                       .id = job->id,
                                       .name = job->name,
                                       .description = job->payload ? job->payload : "",
                                       .hash = job->hash,
                                       .inputs = job->links,
                                       .ninputs = job->nlinks,
                                       .output_path = job->staged_path,
                                       .cpus = job->cpus,
                                       .memory_bytes = job->memory_bytes,
                                       .time_limit_ms = job->time_limit_ms,
                                       .started = started,
                                       .attempt_dir = job->attempt_dir,
                                       .priority = job->priority,
                                       .attempt = job->attempt,
                                       .user = job->user,
                                       .executor_options = job->executor_options};
}

/* What processes that are gone had in hand is known to this scheduler. */
static int take_over(struct pingo_scheduler *s, struct pingo_error *err)
{
    size_t recovered = 0;
    int rc = pingo__engine_scheduler_register(s, err);
    return rc ? rc : pingo__manager_actions_recover(&s->actions, &recovered, err);
}

/* ---- taking -------------------------------------------------------------------------------- */

int pingo_external_take(struct pingo_scheduler *s, const struct pingo_external_job **jobs,
                        size_t max, size_t *n, struct pingo_error *err)
{
    int rc = 0;
    *n = 0;
    if (!s->external)
        return no_external(err);
    const struct pingo_job *next;
    while (*n < max && !rc && (next = pingo__executor_external_next(s->external))) {
        struct pingo__arena *arena = next->arena; /* lives as long as the job */
        struct pingo_external_job *out = pingo__arena_alloc(arena, sizeof *out);
        struct pingo__store_action_row a;
        rc = out ? pingo__store_action_get(&s->store->db, next->key.action, arena, &a, err)
                 : pingo__fail_memory(err);
        if (!rc && a.epoch == next->key.epoch && a.state == PINGO_ACTION_SUBMITTED) {
            fill(out, next, false);
            jobs[(*n)++] = out;
        }
        if (rc)
            pingo__executor_external_take_back(s->external, next->key);
    }
    return *n > 0 ? 0 : rc; /* the next call meets what is wrong again */
}

int pingo_external_next(struct pingo_scheduler *s, const struct pingo_external_job **job,
                        struct pingo_error *err)
{
    size_t n = 0;
    *job = NULL;
    return pingo_external_take(s, job, 1, &n, err);
}

/* ---- the gate -------------------------------------------------------------------------------- */

/* code: PINGO_ESTALE or PINGO_ESTATE. */
static int refuse(struct pingo_job_key key, int code, struct pingo_error *err)
{
    return code == PINGO_ESTALE
               ? pingo__fail(err, code, "the attempt was given up or killed; it must not be started")
               : pingo__fail(err, code,
                             "attempt %" PRId64 ".%" PRId64
                             " has started before: the gate opens once",
                             key.action, key.epoch);
}

/* A compare-and-set in the store, so that a kill anywhere is seen, and a start by whoever had it before. */
static int pass_gate(struct pingo_scheduler *s, struct pingo_job_key key, struct pingo_error *err)
{
    struct pingo__store_action_row a;
    int64_t now = pingo__manager_now_ms(&s->context);
    int rc = pingo__store_action_get(&s->store->db, key.action, NULL, &a, err);
    bool is_now;
    if (!rc && !pingo__executor_external_may_start(s->external, key)) {
        rc = refuse(key, PINGO_ESTALE, err);
    } else if (!rc && a.epoch == key.epoch && a.state == PINGO_ACTION_RUNNING) {
        rc = refuse(key, PINGO_ESTATE, err);
    } else if (!rc && (a.epoch != key.epoch || a.state != PINGO_ACTION_SUBMITTED)) {
        pingo__executor_external_give_up(s->external, key);
        rc = refuse(key, PINGO_ESTALE, err);
    }
    if (!rc)
        rc = pingo__store_action_hand(&s->store->db, &a, PINGO_ACTION_RUNNING, s->context.owner,
                                      err);
    if (!rc && a.state == PINGO_ACTION_RUNNING)
        rc = pingo__store_attempt_started(&s->store->db, key, now, &is_now, err);
    return rc;
}

/* Where its logs may be put.  It is a convenience: who cannot make it learns so when writing there. */
static void make_attempt_dir(struct pingo_scheduler *s, struct pingo_job_key key)
{
    struct pingo_error why;
    if (pingo__pool_make_attempt_dir(s->context.pool, key, &why))
        pingo__manager_log(&s->context, PINGO_LOG_WARNING, "%s", why.message);
}

int pingo_external_start_many(struct pingo_scheduler *s, const struct pingo_job_key *keys, size_t n,
                              int *results, struct pingo_error *err)
{
    if (!s->external)
        return no_external(err);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        if (!pingo__executor_external_knows(s->external, keys[i])) {
            rc = take_over(s, err);
            rc = rc ? rc : pingo__engine_external_learn(s, err);
            break;
        }
    if (!rc)
        rc = pingo__store_db_begin(&s->store->db, err);
    if (rc)
        return rc;
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo_error why;
        results[i] = pass_gate(s, keys[i], &why);
        if (results[i] && results[i] != PINGO_ESTALE && results[i] != PINGO_ESTATE)
            rc = pingo__fail(err, results[i], "%s", why.message);
        for (size_t k = 0; !results[i] && k < i; k++) /* the same one twice */
            if (memcmp(&keys[k], &keys[i], sizeof keys[i]) == 0)
                results[i] = PINGO_ESTATE;
    }
    rc = pingo__store_db_end(&s->store->db, rc, err);
    for (size_t i = 0; !rc && i < n; i++) {
        if (results[i])
            continue;
        pingo__executor_external_start(s->external, keys[i], pingo__manager_now_ms(&s->context));
        make_attempt_dir(s, keys[i]);
    }
    return rc;
}

int pingo_external_start(struct pingo_scheduler *s, struct pingo_job_key key,
                         struct pingo_error *err)
{
    int result = 0, rc = pingo_external_start_many(s, &key, 1, &result, err);
    return rc || !result ? rc : refuse(key, result, err);
}

/* ---- ends -------------------------------------------------------------------------------------- */

/* May it be told?  What is old is passed over by who collects it.  *began_ms: when it passed the gate; -1: never. */
static int check_end(struct pingo_scheduler *s, const struct pingo_job_end *end, int64_t *began_ms,
                     struct pingo_error *err)
{
    struct pingo__store_attempt_row attempt = {.state = 0};
    struct pingo_job_key key = end->key;
    char wrong[160];
    if (!pingo__manager_end_is_valid(end, wrong, sizeof wrong))
        return pingo__fail(err, PINGO_EINVAL, "the end of attempt %" PRId64 ".%" PRId64 ": %s",
                           key.action, key.epoch, wrong);
    if (end->output_kind != PINGO_OUTPUT_NONE && end->size_bytes < 0)
        return pingo__fail(err, PINGO_EINVAL,
                           "the end of attempt %" PRId64 ".%" PRId64 ": size_bytes is %" PRId64,
                           key.action, key.epoch, end->size_bytes);
    struct pingo__store_action_row a;
    int rc = pingo__store_action_get(&s->store->db, key.action, NULL, &a, err);
    if (!rc && (!a.id || key.epoch < 1 || key.epoch > a.epoch))
        rc = pingo__fail(err, PINGO_EINVAL,
                         "there was never an attempt %" PRId64 ".%" PRId64 " to end", key.action,
                         key.epoch);
    if (!rc)
        rc = pingo__store_attempt_get(&s->store->db, key, NULL, &attempt, err);
    if (!rc && attempt.state == PINGO__ATTEMPT_HANDED && end->reason != PINGO_END_NOT_STARTED &&
        end->reason != PINGO_END_LOST && end->reason != PINGO_END_KILLED)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "attempt %" PRId64 ".%" PRId64
                         " has ended without pingo_external_start(): what it did is not taken",
                         key.action, key.epoch);
    *began_ms = attempt.started_ms;
    bool is_open = a.epoch == key.epoch &&
                   (a.state == PINGO_ACTION_SUBMITTED || a.state == PINGO_ACTION_RUNNING);
    if (rc || !is_open || pingo__manager_flight_find(&s->actions, key))
        return rc;
    rc = take_over(s, err);
    if (!rc && !pingo__manager_flight_find(&s->actions, key))
        rc = pingo__fail(err, PINGO_ESTATE,
                         "attempt %" PRId64 ".%" PRId64
                         " is another process's, which lives: its end is told there",
                         key.action, key.epoch);
    return rc;
}

/* What was left 0: what took no time would be the first to be deleted. */
static void fill_times(struct pingo_job_end *end, int64_t began_ms, int64_t now_ms)
{
    if (!end->ended_ms)
        end->ended_ms = now_ms;
    if (!end->started_ms && end->wall_ms > 0)
        end->started_ms = end->ended_ms - end->wall_ms;
    else if (!end->started_ms)
        end->started_ms = began_ms > 0 && began_ms < end->ended_ms ? began_ms : end->ended_ms;
    if (!end->wall_ms && end->started_ms < end->ended_ms)
        end->wall_ms = end->ended_ms - end->started_ms;
}

int pingo_external_end(struct pingo_scheduler *s, const struct pingo_job_end *end,
                       struct pingo_error *err)
{
    int rc = pingo__growing_result_check(end, "pingo_job_end", err);
    if (!rc && !s->external)
        rc = no_external(err);
    if (rc)
        return rc;
    struct pingo_job_end full;
    pingo__growing_result_take(end, &full, sizeof full);
    full.size = end->size;
    int64_t began_ms = -1;
    rc = check_end(s, &full, &began_ms, err);
    if (rc)
        return rc;
    fill_times(&full, began_ms, pingo__manager_now_ms(&s->context));
    pingo__executor_external_end(s->external, &full);
    return 0;
}

int pingo_external_end_many(struct pingo_scheduler *s, const struct pingo_job_end *ends, size_t n,
                            int *results, struct pingo_error *err)
{
    if (!s->external)
        return no_external(err);
    for (size_t i = 0; i < n; i++) {
        /* They lie as far apart as they are long for who reports them. */
        results[i] = pingo_external_end(s, (const void *)((const char *)ends + i * ends->size), err);
        if (results[i] && results[i] != PINGO_EINVAL && results[i] != PINGO_ESTATE)
            return results[i];
    }
    return 0;
}

/* ---- kills --------------------------------------------------------------------------------------- */

/* Killed by somebody: the action has gone on without the attempt.  Else a scheduler was told to make room. */
static enum pingo_kill_reason reason_of(struct pingo_scheduler *s, struct pingo_job_key key)
{
    struct pingo__store_action_row a;
    bool interrupted = pingo__store_action_get(&s->store->db, key.action, NULL, &a, NULL) == 0 &&
                       a.epoch == key.epoch && !pingo_action_state_is_final(a.state);
    return interrupted ? PINGO_KILL_INTERRUPTED : PINGO_KILL_WANTED;
}

bool pingo_external_next_kill_why(struct pingo_scheduler *s, struct pingo_job_key *key,
                                  enum pingo_kill_reason *reason)
{
    int known = 0;
    if (!s->external || !pingo__executor_external_next_kill(s->external, key, &known))
        return false;
    *reason = known ? (enum pingo_kill_reason)known : reason_of(s, *key);
    return true;
}

bool pingo_external_next_kill(struct pingo_scheduler *s, struct pingo_job_key *key)
{
    enum pingo_kill_reason reason;
    return pingo_external_next_kill_why(s, key, &reason);
}

/* ---- what an earlier process had taken ----------------------------------------------------------- */

static int tell_adopted(struct pingo_scheduler *s, struct pingo_job_key key,
                        int (*fn)(void *context, const struct pingo_external_job *job),
                        void *context, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_action_row a;
    struct pingo__manager_prepared p = {.takes_places = true};
    struct pingo__manager_context c = s->context;
    c.asking = NULL; /* what it reads is here: no pool is asked for it */
    int rc = pingo__store_action_get(&s->store->db, key.action, &arena, &a, err);
    struct pingo__store_attempt_row attempt = {.key = {0, 0}};
    if (!rc &&
        a.epoch == key.epoch) /* else killed meanwhile: it comes out of pingo_external_next_kill() */
        rc = pingo__store_attempt_get(&s->store->db, key, &arena, &attempt, err);
    if (!rc && attempt.key.action) {
        rc = pingo__manager_prepare(&c, &a, &arena, &p, err);
        if (!rc) {
            struct pingo_external_job job;
            fill(&job, &p.job, attempt.state >= PINGO__ATTEMPT_STARTED);
            if (fn(context, &job))
                rc = pingo__engine_stopped(err);
        }
    }
    pingo__manager_prepared_clear(&p);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_external_adopted(struct pingo_scheduler *s,
                           int (*fn)(void *context, const struct pingo_external_job *job),
                           void *context, struct pingo_error *err)
{
    const void *at = NULL;
    if (!s->external)
        return no_external(err);
    int rc = take_over(s, err);
    struct pingo_job_key key;
    rc = rc ? rc : pingo__engine_external_learn(s, err);
    while (!rc && pingo__executor_external_adopted(s->external, &at, &key)) {
        const struct pingo__manager_flight *f = pingo__manager_flight_find(&s->actions, key);
        if (!f || !f->has_ended) /* what the earlier process had told of it is kept */
            rc = tell_adopted(s, key, fn, context, err);
    }
    return rc;
}
