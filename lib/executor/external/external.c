/* external.c - see external.h.
 *
 * What always holds: a job is in the list from start (or adopt) until forget; a job
 * that was revoked is gone from the list or marked, and so cannot be started.  What was
 * given up goes with the collect after the embedder was told. */
#include "executor/external/external.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/growing.h"
#include "executor/context.h"

struct entry {
    struct pingo__arena arena; /* of job */
    struct pingo_job job;      /* empty when adopted */
    bool adopted, given, started, kill, kill_told;
    bool is_unread;  /* adopted, and its limit is not known yet */
    bool revoked;    /* after it was given: who has it may still look at it */
    bool done_with;  /* revoked or about to be, and who has it knows */
    bool is_overdue; /* the kill is for its time limit */
    int64_t started_ms;
};

struct pingo__external {
    struct pingo_jobs *jobs;
    struct entry *given; /* the last one that was given, if it is still there: all before it were */
};

static struct entry *next(const struct pingo__external *x, const struct entry *e)
{
    return pingo_jobs_next(x->jobs, e);
}

static struct entry *find(struct pingo__external *x, struct pingo_job_key key)
{
    return pingo_jobs_find(x->jobs, key);
}

static void external_forget(void *executor, struct pingo_job_key key)
{
    struct pingo__external *x = executor;
    struct entry *e = find(x, key);
    if (!e)
        return;
    if (x->given == e)
        x->given = NULL;
    pingo__arena_clear(&e->arena);
    pingo_jobs_remove(x->jobs, key);
}

/* ---- the table ------------------------------------------------------------------------------------ */

static int external_open(const struct pingo_executor_context *context, void **executor,
                         struct pingo_error *err)
{
    struct pingo__external *x = calloc(1, sizeof *x);
    (void)context;
    if (!x || !(x->jobs = pingo_jobs_new(sizeof(struct entry)))) {
        free(x);
        return pingo__fail_memory(err);
    }
    *executor = x;
    return 0;
}

static void external_close(void *executor)
{
    struct pingo__external *x = executor;
    for (struct entry *e = NULL; (e = next(x, e));)
        pingo__arena_clear(&e->arena);
    pingo_jobs_free(x->jobs);
    free(x);
}

static int external_take(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct pingo__external *x = executor;
    struct entry *e = pingo_jobs_add(x->jobs, job->key);
    if (!e)
        return pingo__fail_memory(err);
    int rc = pingo__executor_copy(&e->arena, job, &e->job, err);
    e->job.arena = &e->arena;
    if (rc)
        external_forget(x, job->key);
    return rc;
}

static int external_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                           bool *revoked, struct pingo_error *err)
{
    struct entry *e = find(executor, key);
    (void)attempt_dir;
    (void)err;
    *revoked = !e || (!e->started && !e->adopted && !pingo_jobs_has_ended(e));
    if (e && *revoked && e->given)
        e->revoked = true;
    else if (e && *revoked)
        external_forget(executor, key);
    return 0;
}

static int external_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct entry *e = find(executor, key);
    (void)err;
    if (e)
        e->kill = true;
    return 0;
}

/* The embedder alone knows what became of its jobs: all are here until it says otherwise. */
static int external_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys,
                          bool *found, struct pingo_error *err)
{
    for (size_t i = 0; i < nkeys; i++) {
        struct entry *e = pingo_jobs_add(((struct pingo__external *)executor)->jobs, keys[i]);
        if (!e)
            return pingo__fail_memory(err);
        e->is_unread = e->is_unread || !e->adopted;
        e->adopted = e->given = true;
        found[i] = true;
    }
    return 0;
}

static int external_collect(void *executor, const struct pingo_executor_reports *reports,
                            struct pingo_error *err)
{
    struct pingo__external *x = executor;
    (void)err;
    for (struct entry *e = next(x, NULL), *after; e; e = after) {
        after = next(x, e);
        if (e->done_with)
            external_forget(x, pingo_jobs_key(e));
        else if (e->started)
            reports->started(reports->context, pingo_jobs_key(e));
    }
    pingo_jobs_tell(x->jobs, reports);
    return 0;
}

static int external_poll_fd(void *executor)
{
    (void)executor;
    return -1;
}

static int64_t external_timeout_ms(void *executor)
{
    return pingo_jobs_count(((struct pingo__external *)executor)->jobs, true) > 0 ? 0 : -1;
}

/* The embedder decides how much runs at once: beside that, so many jobs are made ready. */
static int64_t external_slots(void *executor)
{
    const struct pingo__external *x = executor;
    int64_t n = 64;
    for (struct entry *e = NULL; (e = next(x, e));)
        n += e->started && !pingo_jobs_has_ended(e);
    return n;
}

static const char *const action_types[] = {"external", NULL};

const struct pingo_executor_type pingo__executor_external = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "external",
    .action_types = action_types,
    .open = external_open,
    .close = external_close,
    .start = external_take,
    .revoke = external_revoke,
    .kill = external_kill,
    .adopt = external_adopt,
    .collect = external_collect,
    .forget = external_forget,
    .poll_fd = external_poll_fd,
    .timeout_ms = external_timeout_ms,
    .slots = external_slots,
    .in_process = true,
};

/* ---- the embedder's side ------------------------------------------------------------------------------- */

const struct pingo_job *pingo__executor_external_next(struct pingo__external *x)
{
    struct entry *e = next(x, x->given);
    while (e && e->given)
        e = next(x, e);
    if (!e)
        return NULL;
    x->given = e;
    e->given = true;
    return &e->job;
}

void pingo__executor_external_take_back(struct pingo__external *x, struct pingo_job_key key)
{
    find(x, key)->given = false;
    x->given = NULL;
}

bool pingo__executor_external_may_start(struct pingo__external *x, struct pingo_job_key key)
{
    struct entry *e = find(x, key);
    if (e && e->revoked)
        e->done_with = true;
    return e && !e->kill && !pingo_jobs_has_ended(e) && !e->revoked;
}

bool pingo__executor_external_knows(const struct pingo__external *x, struct pingo_job_key key)
{
    const struct entry *e = pingo_jobs_find(x->jobs, key);
    return e && !e->is_unread;
}

void pingo__executor_external_limit(struct pingo__external *x, struct pingo_job_key key,
                                    int64_t limit_ms)
{
    struct entry *e = find(x, key);
    if (!e)
        return;
    e->job.time_limit_ms = limit_ms;
    e->is_unread = false;
}

void pingo__executor_external_start(struct pingo__external *x, struct pingo_job_key key,
                                    int64_t started_ms)
{
    struct entry *e = find(x, key);
    if (!e)
        return;
    e->started = true;
    e->started_ms = started_ms;
}

void pingo__executor_external_give_up(struct pingo__external *x, struct pingo_job_key key)
{
    struct entry *e = find(x, key);
    /* Refused before the tick that revokes it: who has it knows already.  What may have started stays: its end is
     * due. */
    if (e && (e->revoked || (!e->started && !e->adopted)))
        e->done_with = true;
}

void pingo__executor_external_end(struct pingo__external *x, const struct pingo_job_end *end)
{
    struct entry *e = find(x, end->key);
    struct pingo_job_end told;
    if (!e)
        return;
    if (e->revoked) { /* nobody waits for it */
        e->done_with = true;
        return;
    }
    pingo__growing_result_take(end, &told, sizeof told);
    told.message[sizeof told.message - 1] = '\0';
    if (e->is_overdue && told.reason == PINGO_END_KILLED)
        told.reason = PINGO_END_TIME_LIMIT;
    pingo_jobs_end(x->jobs, &told);
}

bool pingo__executor_external_next_kill(struct pingo__external *x, struct pingo_job_key *key,
                                        int *reason)
{
    for (struct entry *e = NULL; (e = next(x, e));) {
        if (pingo_jobs_has_ended(e) || e->kill_told || e->done_with || !(e->kill || e->revoked))
            continue;
        e->kill_told = true;
        e->done_with = e->revoked;
        *reason = e->revoked ? PINGO_KILL_REVOKED : e->is_overdue ? PINGO_KILL_TIME_LIMIT : 0;
        *key = pingo_jobs_key(e);
        return true;
    }
    return false;
}

void pingo__executor_external_look_at_limits(struct pingo__external *x, int64_t now_ms)
{
    for (struct entry *e = NULL; (e = next(x, e));)
        if (e->started && !pingo_jobs_has_ended(e) && !e->kill && e->job.time_limit_ms > 0 &&
            now_ms - e->started_ms >= e->job.time_limit_ms)
            e->kill = e->is_overdue = true;
}

bool pingo__executor_external_adopted(struct pingo__external *x, const void **at,
                                      struct pingo_job_key *key)
{
    for (const struct entry *e = *at; (e = next(x, e));) {
        if (!e->adopted || pingo_jobs_has_ended(e))
            continue;
        *at = e;
        *key = pingo_jobs_key(e);
        return true;
    }
    return false;
}
