/* commands.c - commands: attempts that are alike share an application of the distributed shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "executor/hadoop/bundle.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"

#define READS 8 /* directories at once: each waits for a NameNode and a DataNode in turn */
#define STUBBORN_MS                                                                                \
    15000 /* what does not end by the mark in its directory is ended by YARN, grace_ms later */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_bundle bundle_of;
typedef struct pingo__executor_hadoop_attempt attempt_of;

static bool is_ours(const job_of *job)
{
    return job->kind == &pingo__executor_hadoop_commands;
}

/* The next after this one (NULL: the first) that the bundle was submitted with, and whose end is not told. */
static job_of *next_of(const hadoop *h, const bundle_of *b, const job_of *job)
{
    job_of *next = pingo_jobs_next(h->jobs, job);
    while (next && (!is_ours(next) || next->phase != PINGO__HADOOP_SUBMITTED ||
                    ((attempt_of *)next->own)->bundle != b))
        next = pingo_jobs_next(h->jobs, next);
    return next;
}

/* ---- out ------------------------------------------------------------------------------------------ */

static int arm(hadoop *h, job_of *job, struct pingo_error *err)
{
    attempt_of *own = job->own;
    if (job->is_brought)
        return pingo__executor_hadoop_arm(h, job, err);
    if (!job->job.argv || !job->job.argv[0])
        return pingo__fail(err, PINGO_EINVAL, "it has no command");
    if (job->job.gpus > 0 || job->job.nlicences > 0)
        return pingo__fail(
            err, PINGO_EINVAL,
            "the executor hadoop counts no %s: leave it out, or choose another executor",
            job->job.gpus > 0 ? "GPUs" : "licences");
    int rc = pingo__executor_hadoop_options_read(job->job.executor_options, &job->arena,
                                                 &own->options, err);
    if (!rc)
        rc = pingo__executor_hadoop_bring(h, job, NULL, NULL, err);
    return rc || !job->is_brought ? rc : pingo__executor_hadoop_arm(h, job, err);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_like(const job_of *a, const job_of *b)
{
    const attempt_of *x = a->own, *y = b->own;
    return pingo__executor_hadoop_container_mb(&a->job) ==
               pingo__executor_hadoop_container_mb(&b->job) &&
           a->job.cpus == b->job.cpus && is_same(x->options.queue, y->options.queue) &&
           is_same(x->options.node_label, y->options.node_label) &&
           x->options.priority == y->options.priority;
}

static int submit(hadoop *h, job_of *job, struct pingo_error *err)
{
    struct pingo_error why = {0};
    job_of **jobs = NULL;
    size_t n = 0, capacity = 0;
    for (job_of *j = job; j && (int64_t)n < h->bundle; j = pingo_jobs_next(h->jobs, j)) {
        if (!is_ours(j) || j->phase != PINGO__HADOOP_ARMED || j->is_killed || !is_like(job, j))
            continue;
        if (!PINGO__ARRAY_ROOM(jobs, capacity, n, 1)) {
            free(jobs);
            return pingo__fail_memory(err);
        }
        jobs[n++] = j;
    }
    int rc = pingo__executor_hadoop_bundle_make(h, jobs, n, &why);
    /* Who was to be submitted together is refused together, and hears it once. */
    for (size_t i = 1; rc && rc != PINGO_EINVAL && !pingo__executor_hadoop_is_away(rc) && i < n; i++)
        pingo__executor_hadoop_refuse(h, jobs[i], &why, NULL);
    free(jobs);
    if (rc && err)
        *err = why;
    return rc;
}

/* ---- looking -------------------------------------------------------------------------------------- */

struct bells {
    hadoop *h;
    const bundle_of *b;
    bool is_new;
};

static int heard(void *context, const char *name, const struct pingo__hdfs_status *status,
                 struct pingo_error *err)
{
    struct bells *x = context;
    struct pingo_job_key key;
    bool ended;
    (void)status;
    (void)err;
    job_of *job = pingo__executor_hadoop_bell_parse(name, &key, &ended)
                      ? pingo_jobs_find(x->h->jobs, key)
                      : NULL;
    attempt_of *own = job && is_ours(job) ? job->own : NULL;
    if (!own || own->bundle != x->b || job->phase != PINGO__HADOOP_SUBMITTED)
        return 0;
    x->is_new = x->is_new || !job->is_started || (ended && !own->is_heard);
    own->is_heard = own->is_heard || ended;
    pingo__executor_hadoop_started(x->h, job);
    return 0;
}

/* An answer to the submission did not come: is it there?  If not, and this ResourceManager is the one that gave the id,
 * the same is submitted again; another one knows nothing of what was before, and might run it twice. */
static int make_sure(hadoop *h, bundle_of *b, struct pingo_error *err)
{
    struct pingo__executor_hadoop_app app;
    struct pingo__executor_hadoop_question q = {.method = "GET", .path = "/ws/v1/cluster/info"};
    struct pingo__executor_hadoop_reply a;
    struct pingo_error why = {0};
    char born[32];
    int rc = pingo__executor_hadoop_ask(h, b->id, &app, err);
    if (!rc && app.state == PINGO__HADOOP_GONE)
        rc = pingo__executor_hadoop_rm_ask(h->rm, &q, &a, err);
    if (rc)
        return rc;
    snprintf(born, sizeof born, "application_%lld_", (long long)a.started_ms);
    if (app.state == PINGO__HADOOP_GONE && strncmp(b->id, born, strlen(born)) == 0)
        rc = pingo__executor_hadoop_rm_submit(h->rm, b->body, &why);
    if (pingo__executor_hadoop_is_away(rc))
        return pingo__fail(err, rc, "%s", why.message);
    snprintf(b->refusal, sizeof b->refusal, "%.299s", why.message);
    free(b->body); /* it is there; or it is refused, and never will be */
    b->body = NULL;
    return rc ? 0 : pingo__executor_hadoop_ask(h, b->id, &app, err);
}

/* Those that were killed had their time, and nobody else runs in it. */
static bool is_stubborn(const hadoop *h, const bundle_of *b)
{
    int64_t now = pingo__world_monotonic_ms();
    bool any = false;
    for (job_of *job = NULL; (job = next_of(h, b, job)); any = true)
        if (!job->is_killed ||
            (job->is_started && now - job->killed_ms < h->runner.grace_ms + STUBBORN_MS))
            return false;
    return any && !pingo__executor_hadoop_bundle_has_unread(h, b);
}

static struct pingo__executor_hadoop_app app_of(const hadoop *h, const job_of *job)
{
    const attempt_of *own = job->own;
    const struct pingo__executor_hadoop_app *known = pingo__executor_hadoop_app(h, job->application);
    struct pingo__executor_hadoop_app app = {.state = *job->application ? PINGO__HADOOP_UNHEARD
                                                                        : PINGO__HADOOP_GONE};
    if (known)
        app = *known;
    if (own->bundle && app.state == PINGO__HADOOP_GONE)
        memcpy(app.diagnostics, own->bundle->refusal, sizeof own->bundle->refusal);
    return app;
}

static int look_at(hadoop *h, bundle_of *b, struct pingo_error *err)
{
    struct bells bells = {.h = h, .b = b};
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_bundle(path, b->id, "");
    int rc = b->body ? make_sure(h, b, err) : 0;
    if (!rc)
        rc = pingo__hdfs_list(h->hdfs, path, heard, &bells, err);
    rc = rc == PINGO_ENOTFOUND ? 0 : rc;
    const struct pingo__executor_hadoop_app *app = pingo__executor_hadoop_app(h, b->id);
    bool is_final = app && pingo__executor_hadoop_is_final(app->state);
    if (!rc && !is_final && !b->was_ended && is_stubborn(h, b)) {
        rc = pingo__executor_hadoop_rm_kill(h->rm, b->id, PINGO__HADOOP_GIVEN_UP, err);
        b->was_ended = !rc;
    }
    int64_t now = pingo__world_monotonic_ms();
    if (bells.is_new)
        b->news_ms = now;
    b->look_at_ms = now + pingo__executor_hadoop_pause_ms(h, b->news_ms);
    return rc;
}

struct reading {
    struct pingo__executor_hadoop_aside aside;
    struct pingo_job_key key;
    struct pingo__executor_hadoop_sight sight;
};

static int read_one(hadoop *h, struct pingo__executor_hadoop_aside *aside, struct pingo_error *err)
{
    struct reading *r = (struct reading *)aside;
    return pingo__executor_hadoop_read(h, r->key, &r->sight, err);
}

static int start_reading(hadoop *h, job_of *job, struct pingo_error *err)
{
    if (!pingo__executor_hadoop_aside_has_room(h, job, read_one, READS))
        return 0;
    struct reading *r = calloc(1, sizeof *r);
    if (!r)
        return pingo__fail_memory(err);
    r->aside.run = read_one;
    r->key = pingo_jobs_key(job);
    return pingo__executor_hadoop_aside_start(h, job, &r->aside, err);
}

static int settle(hadoop *h, job_of *job, struct pingo_error *err)
{
    struct pingo__executor_hadoop_app app = app_of(h, job);
    struct reading *r = (struct reading *)pingo__executor_hadoop_aside_take(h, job, err);
    int rc = r->aside.rc ? r->aside.rc : pingo__executor_hadoop_settle(h, job, &app, &r->sight, err);
    free(r);
    return rc;
}

/* Its directory is read where it may have ended: its bell has rung, or nothing more will come; of a scheduler that is
 * gone there is neither list nor bell. */
static int look(hadoop *h, job_of *job, struct pingo_error *err)
{
    const attempt_of *own = job->own;
    bundle_of *b = own->bundle;
    int64_t now = pingo__world_monotonic_ms();
    int rc = 0;
    bool is_final = pingo__executor_hadoop_is_final(app_of(h, job).state);
    if (b && (b->look_at_ms <= now || (is_final && b->look_at_ms > now + 300)))
        rc = look_at(h, b, err);
    if (b)
        job->look_at_ms = b->look_at_ms > now ? b->look_at_ms : now + 1;
    if (b && is_final && job->look_at_ms > now + 300)
        job->look_at_ms = now + 300;
    if (rc)
        return rc;
    if (job->aside)
        return settle(h, job, err);
    is_final = is_final || pingo__executor_hadoop_is_final(app_of(h, job).state);
    return !b || is_final || own->is_heard ? start_reading(h, job, err) : 0;
}

/* ---- ending --------------------------------------------------------------------------------------- */

/* Where nothing of it is wanted any more, and nothing has begun. */
static int end_bundle(hadoop *h, bundle_of *b, struct pingo_error *err)
{
    bool is_wanted = !b || b->was_ended || pingo__executor_hadoop_bundle_has_unread(h, b);
    for (job_of *job = NULL; !is_wanted && (job = next_of(h, b, job));)
        is_wanted = job->is_started || !job->is_killed;
    if (is_wanted)
        return 0;
    int rc = pingo__executor_hadoop_rm_kill(h->rm, b->id, PINGO__HADOOP_GIVEN_UP, err);
    b->was_ended = !rc;
    return pingo__executor_hadoop_is_away(rc) ? rc : 0;
}

static int revoke(hadoop *h, job_of *job, bool *revoked, struct pingo_error *err)
{
    attempt_of *own = job->own;
    *revoked = !job->is_adopted && !own->may_be_armed; /* then nobody has ever seen it */
    if (*revoked)
        return 0;
    int rc = pingo__executor_hadoop_close_gate(h, pingo_jobs_key(job), revoked, err);
    if (!rc && !*revoked)
        pingo__executor_hadoop_started(h, job);
    if (rc || !*revoked)
        return rc;
    own->can_go = true;
    enum pingo__executor_hadoop_phase phase = job->phase;
    job->phase = PINGO__HADOOP_OVER; /* it counts no more */
    end_bundle(h, own->bundle, NULL);
    job->phase = phase;
    return 0;
}

/* The mark remembers since when: a scheduler before this one, such as a tick, which stays for a moment, may have put it
 * there; a new one has all of its time, whatever the clocks say. */
static int kill_one(hadoop *h, job_of *job, struct pingo_error *err)
{
    attempt_of *own = job->own;
    struct pingo__hdfs_status mark;
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(path, pingo_jobs_key(job), "kill");
    int rc = pingo__hdfs_status(h->hdfs, path, &mark, err);
    int64_t age_ms = !rc && mark.exists ? pingo__world_wall_ms() - mark.mtime_ms : 0;
    if (!rc && !mark.exists)
        rc = pingo__hdfs_make(h->hdfs, path, err);
    if (own->bundle) {
        own->bundle->look_at_ms = 0;
        own->bundle->news_ms = pingo__world_monotonic_ms();
    }
    if (!rc)
        rc = end_bundle(h, own->bundle, err);
    if (!rc)
        job->killed_ms = pingo__world_monotonic_ms() - (age_ms > 0 ? age_ms : 0);
    return rc;
}

/* ---- those of others, and after ---------------------------------------------------------------------- */

static int adopt(hadoop *h, job_of *job, bool *found, struct pingo_error *err)
{
    struct pingo__executor_hadoop_sight sight;
    struct pingo_job_key key = pingo_jobs_key(job);
    bool revoked;
    *found = false;
    int rc = pingo__executor_hadoop_see(h, key, &sight, err);
    if (rc)
        return rc;
    attempt_of *own = job->own;
    bundle_of *b = pingo__executor_hadoop_bundle_of(h, key);
    if (!b && h->unlisted && sight.lies <= PINGO_RUNNER_ARMED)
        return pingo__fail_os(err, -h->unlisted, "reading attempts/.bundles in", h->pool_dir);
    if (sight.lies == PINGO_RUNNER_NONE)
        return b ? pingo__executor_hadoop_close_gate(h, key, &revoked, err) : 0;
    own->may_be_armed = *found = true;
    if (b)
        pingo__executor_hadoop_bundle_bind(h, job, b);
    else if (*sight.owner.container)
        pingo__executor_hadoop_application_of(sight.owner.container, job->application);
    if (*job->application)
        pingo__executor_hadoop_named(h, job, job->application);
    if (sight.lies == PINGO_RUNNER_STARTED)
        pingo__executor_hadoop_started(h, job);
    job->phase = PINGO__HADOOP_SUBMITTED;
    return 0;
}

static void forget(hadoop *h, job_of *job)
{
    const attempt_of *own = job->own;
    char path[PINGO__HADOOP_PATH_SIZE];
    pingo__executor_hadoop_in_attempt(path, pingo_jobs_key(job), "");
    if (own->can_go && !h->is_leaving)
        pingo__hdfs_remove(h->hdfs, path, NULL);
    pingo__executor_hadoop_bundle_bind(h, job, NULL);
}

const struct pingo__executor_hadoop_kind pingo__executor_hadoop_commands = {
    .own_size = sizeof(attempt_of),
    .arm = arm,
    .submit = submit,
    .look = look,
    .revoke = revoke,
    .kill = kill_one,
    .adopt = adopt,
    .forget = forget,
};
