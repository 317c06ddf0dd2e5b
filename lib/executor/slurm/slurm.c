/* slurm.c - the executor slurm: the table of its functions; see slurm.h. */
#include "executor/slurm/slurm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/world.h"
#include "base/file.h"

#define POLL_FIRST_MS 150
#define TROUBLE_FIRST_MS 500
#define TROUBLE_MOST_MS 15000
#define ADOPT_MS 5000  /* an answer of Slurm's is waited for so long, */
#define LEAVE_MS 10000 /* and so long that all is submitted that is to be, */
#define SILENT_MS 5000 /* unless Slurm has not said a word for so long */

typedef struct pingo__executor_slurm_job job_of_slurm;

void pingo__executor_slurm_call_id(const struct pingo__executor_slurm_call *call, const char *open,
                                   const char *close, char *text, size_t size)
{
    long long id = (long long)call->id, first = (long long)call->task;
    if (call->ntasks > 1)
        snprintf(text, size, "%lld_%s%lld-%lld%s", id, open, first,
                 first + (long long)call->ntasks - 1, close);
    else if (call->ntasks)
        snprintf(text, size, "%lld_%lld", id, first);
    else
        snprintf(text, size, "%lld", id);
}

/* ---- life ------------------------------------------------------------------------------------- */

/* What has ended without an outcome is final a little later, and who ticks and goes begins anew each time. */
static bool is_pending(struct pingo__executor_slurm *s, bool submissions)
{
    if (submissions && (s->asked[PINGO__SLURM_CANCEL] || s->revoking))
        return true;
    for (const job_of_slurm *job = NULL; (job = pingo_jobs_next(s->jobs, job));)
        if (!pingo_jobs_has_ended(job) &&
            (job->phase == PINGO__SLURM_SEARCHED ||
             (!submissions && job->phase == PINGO__SLURM_ENDED) ||
             (submissions &&
              (job->phase <= PINGO__SLURM_ASKED ||
               (job->phase == PINGO__SLURM_SUBMITTED && job->is_killed && !job->cancel_asked)))))
            return true;
    return false;
}

static void wait_for_answers(struct pingo__executor_slurm *s, bool submissions, int64_t limit_ms)
{
    int64_t until = pingo__world_monotonic_ms() + limit_ms, now = 0;
    struct pollfd polled = {s->poll_fd, POLLIN, 0};
    pingo__executor_slurm_step(s);
    while (is_pending(s, submissions) && !s->in_trouble && !s->room_at_ms &&
           (now = pingo__world_monotonic_ms()) < until && now < s->heard_ms + SILENT_MS) {
        int64_t silent = s->heard_ms + SILENT_MS, most = (silent < until ? silent : until) - now;
        int64_t pause = pingo__executor_slurm_timeout_ms(s);
        poll(&polled, 1, (int)(pause < 0 || pause > most ? most : pause));
        pingo__executor_slurm_step(s);
    }
}

static void slurm_close(void *executor)
{
    struct pingo__executor_slurm *s = executor;
    if (s->handle && (s->asked[PINGO__SLURM_CANCEL] || s->revoking))
        wait_for_answers(s, true, LEAVE_MS);
    if (s->handle && pingo_jobs_next(s->jobs, NULL)) /* who ticks and goes would never tell it */
        pingo__executor_slurm_tell_trouble(s, 0);
    if (s->handle)
        s->way->close(s->handle);
    for (job_of_slurm *job = NULL; s->jobs && (job = pingo_jobs_next(s->jobs, job));)
        pingo__arena_clear(&job->arena);
    pingo_jobs_free(s->jobs);
    pingo__executor_slurm_bundles_forget(s, true);
    pingo__file_close(s->poll_fd);
    pingo__arena_clear(&s->texts);
    free(s->sizes.list);
    free(s);
}

/* What is not set, or wrong, is no error here: a store has other executors.  Who asks us to run something hears it. */
static void open_way(struct pingo__executor_slurm *s, const char *via)
{
    struct pingo_error why = {0};
    s->way = strcmp(via, "commands") == 0 ? &pingo__executor_slurm_commands
                                          : &pingo__executor_slurm_rest;
    if (pingo__executor_slurm_check_text("via", via, &why) ||
        pingo__executor_slurm_check_text("runner", s->runner, &why)) {
        snprintf(s->unset, sizeof s->unset, "%.250s", why.message);
    } else if (s->way == &pingo__executor_slurm_rest && !s->url) {
        snprintf(s->unset, sizeof s->unset,
                 "executor.slurm.url is not set: pingo config executor.slurm.url http://HOST:PORT");
    } else if ((s->poll_fd = epoll_create1(EPOLL_CLOEXEC)) < 0) {
        snprintf(s->unset, sizeof s->unset, "no descriptor to wait on: %s", strerror(errno));
    } else if (s->way->open(s, &s->handle, &why)) {
        snprintf(s->unset, sizeof s->unset, "%.250s", why.message);
        s->handle = NULL;
    }
}

static int slurm_open(const struct pingo_executor_context *context, void **executor,
                      struct pingo_error *err)
{
    struct pingo__executor_slurm *s = calloc(1, sizeof *s);
    if (!s)
        return pingo__fail_memory(err);
    s->poll_fd = -1;
    s->log = (struct pingo__executor_log){context->log, context->log_context};
    s->options = pingo__executor_context_runner(context);
    s->options.unsynced = true; /* after a power loss the runner finds nothing, and runs nothing */
    s->jobs = pingo_jobs_new(sizeof(job_of_slurm));
    int rc =
        s->jobs ? pingo__executor_slurm_read_settings(s, context, err) : pingo__fail_memory(err);
    if (rc) {
        slurm_close(s);
        return rc;
    }
    s->polls = (struct pingo_backoff){.first_ms = POLL_FIRST_MS, .most_ms = s->poll_ms};
    s->troubles = s->list_failures = s->room =
        (struct pingo_backoff){.first_ms = TROUBLE_FIRST_MS, .most_ms = TROUBLE_MOST_MS};
    open_way(s, pingo_executor_context_text(context, "via"));
    *executor = s;
    return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static int make_request(struct pingo__executor_slurm *s, const struct pingo_job *job,
                        job_of_slurm *own, struct pingo_error *err)
{
    struct pingo_job marked = *job;
    marked.store_id = s->mark;
    int rc = pingo__executor_slurm_request_make(&marked, s->runner, s->options.grace_ms,
                                                &own->arena, &own->request);
    if (rc)
        return pingo__fail_memory(err);
    rc = pingo__executor_slurm_request_options(s->defaults, &own->arena, &own->request, err);
    if (!rc && job->executor_options)
        rc = pingo__executor_slurm_request_options(job->executor_options, &own->arena,
                                                   &own->request, err);
    if (!rc && pingo__executor_slurm_request_counters(job, &own->arena, &own->request))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__executor_slurm_request_check(job, &own->request, err);
    return rc;
}

/* One job at a time tries whether trouble has passed. */
static bool is_in_the_way(const struct pingo__executor_slurm *s)
{
    return s->in_trouble &&
           (pingo__world_monotonic_ms() < s->again_at_ms || pingo_jobs_count(s->jobs, false) > 0);
}

static int slurm_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct pingo__executor_slurm *s = executor;
    struct pingo_error why = {0};
    if (!s->handle)
        return pingo__fail(err, PINGO_EEXECUTOR, "%s", s->unset);
    if (is_in_the_way(s))
        return pingo__fail(err, PINGO_EAWAY, "%s", s->trouble);
    job_of_slurm *own = pingo_jobs_add(s->jobs, job->key);
    int rc = own ? make_request(s, job, own, &why) : pingo__fail_memory(&why);
    if (own && rc == PINGO_EINVAL) { /* it can never be */
        struct pingo_job_end end = {.size = sizeof end, .key = job->key};
        pingo__executor_end(&end, PINGO_END_EXITED, why.message);
        pingo_jobs_end(s->jobs, &end);
        return 0;
    }
    if (rc && err)
        *err = why;
    else if (!rc)
        rc = pingo_runner_arm(job, &s->options, err);
    if (rc && own) {
        pingo__arena_clear(&own->arena);
        pingo_jobs_remove(s->jobs, job->key);
    }
    return rc;
}

/* Of an array all is asked for, once for all that are revoked together.  Where it cannot be asked the job finds the
 * gate closed. */
static void look_at_revoked(struct pingo__executor_slurm *s, const job_of_slurm *job)
{
    struct pingo__executor_slurm_call look = {.kind = PINGO__SLURM_LOOK,
                                              .key = pingo_jobs_key(job),
                                              .id = job->id,
                                              .number = 1,
                                              .bundle = job->bundle};
    if ((look.bundle && look.bundle->is_looked_at) || s->way->ask(s->handle, &look, NULL, NULL) != 0)
        return;
    s->asked[PINGO__SLURM_LOOK]++;
    s->revoking++;
    if (look.bundle) {
        look.bundle->is_looked_at = true;
        look.bundle->users++;
    }
}

static int slurm_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                        bool *revoked, struct pingo_error *err)
{
    struct pingo__executor_slurm *s = executor;
    job_of_slurm *job = pingo_jobs_find(s->jobs, key);
    int rc = pingo_runner_revoke(attempt_dir, revoked, err);
    if (rc || !*revoked)
        return rc;
    /* Whose its id is by now is asked before it is cancelled. */
    if (job && job->phase == PINGO__SLURM_SUBMITTED && !job->cancel_asked && !s->in_trouble)
        look_at_revoked(s, job);
    pingo__executor_slurm_drop(s, key);
    return 0;
}

static int slurm_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct pingo__executor_slurm *s = executor;
    job_of_slurm *job = pingo_jobs_find(s->jobs, key);
    (void)err;
    if (job && !job->is_killed) {
        job->is_killed = true;
        job->is_seen = false;
        s->poll_at_ms = 0;
        if (job->phase == PINGO__SLURM_SEARCHED) /* for long, where nobody can tell whose a task is */
            pingo__executor_slurm_close_gate(s, job, "");
    }
    return 0;
}

/* ---- those of others, and leaving --------------------------------------------------------------- */

/* Who closed its gate was gone before that was settled: nothing of it was lost. */
static void end_revoked(struct pingo__executor_slurm *s, struct pingo_job_key key)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key};
    pingo__executor_end(&end, PINGO_END_NOT_STARTED, "it was given up before it began");
    pingo_jobs_end(s->jobs, &end);
}

struct unread {
    size_t n;
    struct pingo_error why; /* of the first */
};

/* One that cannot be read keeps the others from nothing: once Slurm has told of it, it is looked at until it can. */
static int adopt_one(struct pingo__executor_slurm *s, struct pingo_job_key key, bool *found,
                     struct unread *unread, struct pingo_error *err)
{
    struct pingo_runner_report report = {.size = sizeof report};
    struct pingo_error *why = unread->n ? NULL : &unread->why;
    bool missing = false;
    char *dir = pingo__executor_slurm_dir(s, key);
    int rc = dir ? pingo_runner_look(dir, &report, why) : pingo__fail_memory(why);
    if (!rc && report.state == PINGO_RUNNER_NONE)
        rc = pingo_runner_revoke(dir, &missing, why);
    free(dir);
    unread->n += rc != 0;
    *found = rc || !missing;
    if (!*found) {
        pingo__executor_slurm_drop(s, key);
        return 0;
    }
    job_of_slurm *job = pingo_jobs_add(s->jobs, key);
    if (!job)
        return pingo__fail_memory(err);
    if (report.state == PINGO_RUNNER_REVOKED)
        end_revoked(s, key);
    job->phase = report.state == PINGO_RUNNER_ENDED ? PINGO__SLURM_ENDED : PINGO__SLURM_SEARCHED;
    job->state = PINGO__SLURM_GONE;
    job->since_list = s->lists;
    return 0;
}

/* Those that we have are on their way, and shall arrive before we leave. */
static int slurm_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys, bool *found,
                       struct pingo_error *err)
{
    struct pingo__executor_slurm *s = executor;
    struct unread unread = {0};
    bool leaving = false, adopting = false;
    int rc = 0;
    for (size_t i = 0; !rc && i < nkeys; i++) {
        bool here = pingo_jobs_find(s->jobs, keys[i]);
        found[i] = here;
        leaving = leaving || here;
        adopting = adopting || !here;
        if (!here)
            rc = adopt_one(s, keys[i], &found[i], &unread, err);
    }
    if (unread.n > 1)
        pingo__executor_say(&s->log, "slurm: %s; it and %zu more are looked at again",
                            unread.why.message, unread.n - 1);
    else if (unread.n)
        pingo__executor_say(&s->log, "slurm: %s; it is looked at again", unread.why.message);
    if (adopting)
        pingo__executor_slurm_bundles_load(s);
    if (!rc && s->handle)
        wait_for_answers(s, leaving, adopting ? ADOPT_MS : LEAVE_MS);
    else if (!s->handle && adopting && pingo_jobs_count(s->jobs, false))
        pingo__executor_say(&s->log, "slurm: nobody asks what became of its attempts: %s", s->unset);
    return rc;
}

/* ---- going on ------------------------------------------------------------------------------------ */

static void tell_name(job_of_slurm *job, const struct pingo_executor_reports *reports)
{
    struct pingo__executor_slurm_call call = {
        .id = job->id, .task = job->task, .ntasks = job->bundle ? 1 : 0};
    char name[32];
    pingo__executor_slurm_call_id(&call, "", "", name, sizeof name);
    reports->named(reports->context, pingo_jobs_key(job), name);
    job->is_named = true;
}

static int slurm_collect(void *executor, const struct pingo_executor_reports *reports,
                         struct pingo_error *err)
{
    struct pingo__executor_slurm *s = executor;
    (void)err;
    pingo__executor_slurm_step(s);
    for (job_of_slurm *job = NULL; (job = pingo_jobs_next(s->jobs, job));) {
        if (job->runs && !pingo_jobs_has_ended(job))
            reports->started(reports->context, pingo_jobs_key(job));
        job->runs = false;
        if (reports->named && job->id && !job->is_named)
            tell_name(job, reports);
    }
    pingo_jobs_tell(s->jobs, reports);
    return 0;
}

static int slurm_poll_fd(void *executor)
{
    return ((struct pingo__executor_slurm *)executor)->poll_fd;
}

static int64_t slurm_timeout_ms(void *executor)
{
    struct pingo__executor_slurm *s = executor;
    return pingo_jobs_count(s->jobs, true) ? PINGO__EXECUTOR_UNSETTLED_MS
                                           : pingo__executor_slurm_timeout_ms(s);
}

/* Where nobody has said how to reach it, it takes nothing from the others' share. */
static int64_t slurm_slots(void *executor)
{
    struct pingo__executor_slurm *s = executor;
    return s->handle ? s->max_jobs : 0;
}

static const char *const action_types[] = {"command-line", NULL};

const struct pingo_executor_type pingo__executor_slurm = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "slurm",
    .action_types = action_types,
    .open = slurm_open,
    .close = slurm_close,
    .start = slurm_start,
    .revoke = slurm_revoke,
    .kill = slurm_kill,
    .adopt = slurm_adopt,
    .collect = slurm_collect,
    .forget = pingo__executor_slurm_drop,
    .poll_fd = slurm_poll_fd,
    .timeout_ms = slurm_timeout_ms,
    .slots = slurm_slots,
    .trim = pingo__executor_slurm_bundles_trim,
    .check = pingo__executor_slurm_check,
    .check_text = pingo__executor_slurm_check_text,
    .memory_most = pingo__executor_slurm_memory_most,
    .settings = pingo__executor_slurm_settings,
    .nsettings = PINGO__SLURM_SETTINGS,
    .is_trusted = true, /* pingo-runner has read each output, and made it read-only */
};
