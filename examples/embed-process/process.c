/* process.c - an executor that has pingo-runner(8) run each attempt: here as a process of this machine, on a batch system
 * by a submission in its place.
 *
 * What always holds: the attempt's directory says what became of it, to this process and to whoever comes after it; an
 * attempt that was given up there cannot start; a runner holds its lock as long as it lives. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "attempt.h"
#include "process.h"

enum { SLOTS = 4, LOOK_FIRST_MS = 10, LOOK_MOST_MS = 100 };

static void process_close(void *executor)
{
    struct processes *p = executor;
    pingo_jobs_free(p->jobs);
    free(p->attempts);
    free(p->runner);
    free(p);
}

static int process_open(const struct pingo_executor_context *context, void **executor,
                        struct pingo_error *err)
{
    struct processes *p = calloc(1, sizeof *p);
    (void)err;
    if (!p)
        return PINGO_ENOMEM;
    if (asprintf(&p->attempts, "%s/attempts", context->pool_dir) < 0)
        p->attempts = NULL;
    p->runner = pingo_executor_context_program(context, "pingo-runner");
    p->jobs = pingo_jobs_new(sizeof(struct process));
    p->looks = (struct pingo_backoff){.first_ms = LOOK_FIRST_MS, .most_ms = LOOK_MOST_MS};
    p->options = (struct pingo_runner_options){
        .version = 1, .log_bytes = context->log_bytes, .grace_ms = context->grace_ms};
    if (!p->attempts || !p->runner || !p->jobs) {
        process_close(p);
        return PINGO_ENOMEM;
    }
    *executor = p;
    return 0;
}

static int process_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct processes *p = executor;
    char *argv[] = {p->runner, (char *)job->attempt_dir, NULL}, *env[] = {NULL};
    struct process *process = pingo_jobs_add(p->jobs, job->key);
    int rc = process ? pingo_runner_arm(job, &p->options, err) : PINGO_ENOMEM;
    if (rc == 0) {
        int refused = posix_spawn(&process->pid, p->runner, NULL, NULL, argv, env);
        if (refused != 0 && err)
            snprintf(err->message, sizeof err->message, "%s: %s", p->runner, strerror(refused));
        rc = refused == 0 ? 0 : PINGO_EEXECUTOR; /* the action waits, and tells why */
    }
    p->looks.next_ms = 0;
    if (rc != 0)
        pingo_jobs_remove(p->jobs, job->key);
    return rc;
}

/* Its runner has nothing more to do, and ends. */
static void let_go(struct processes *p, struct pingo_job_key key)
{
    const struct process *process = pingo_jobs_find(p->jobs, key);
    if (process && process->pid > 0 && !process->gone)
        waitpid(process->pid, NULL, 0);
    pingo_jobs_remove(p->jobs, key);
}

static int process_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                          bool *revoked, struct pingo_error *err)
{
    struct processes *p = executor;
    int rc = pingo_runner_revoke(attempt_dir, revoked, err);
    if (*revoked)
        let_go(p, key);
    return rc;
}

/* The end is in the store. */
static void process_forget(void *executor, struct pingo_job_key key)
{
    struct processes *p = executor;
    char *dir = process_dir(p, key);
    if (dir)
        pingo_runner_forget(dir);
    free(dir);
    let_go(p, key);
}

static int process_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct processes *p = executor;
    struct process *process = pingo_jobs_find(p->jobs, key);
    char *dir = process_dir(p, key);
    struct pingo_runner_report report = {.size = sizeof report};
    int rc = dir ? pingo_runner_look(dir, &report, err) : PINGO_ENOMEM;
    if (rc == 0 && process)
        process->kill_asked = true; /* its end is told when it has been seen to be gone */
    if (rc == 0 && report.held)
        kill((pid_t)report.pid, SIGTERM);
    free(dir);
    return rc;
}

/* Of a scheduler that is gone: what has not started is given up, so that the answer stays true. */
static int process_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys,
                         bool *found, struct pingo_error *err)
{
    struct processes *p = executor;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < nkeys; i++) {
        char *dir = process_dir(p, keys[i]);
        bool revoked = false;
        rc = dir && pingo_jobs_add(p->jobs, keys[i]) ? process_revoke(p, keys[i], dir, &revoked, err)
                                                     : PINGO_ENOMEM;
        found[i] = !revoked;
        free(dir);
    }
    return rc;
}

static int process_collect(void *executor, const struct pingo_executor_reports *reports,
                           struct pingo_error *err)
{
    struct processes *p = executor;
    int rc = 0;
    for (struct process *job = NULL; rc == 0 && (job = pingo_jobs_next(p->jobs, job)) != NULL;) {
        struct pingo_runner_report report = {.size = sizeof report};
        if (pingo_jobs_has_ended(job))
            continue;
        rc = process_look(p, job, &report, err);
        if (rc == 0 && report.state == PINGO_RUNNER_STARTED)
            reports->started(reports->context, pingo_jobs_key(job));
    }
    pingo_jobs_tell(p->jobs, reports);
    return rc;
}

static int process_poll_fd(void *executor)
{
    (void)executor;
    return -1;
}

/* As one asks a batch system: often while there is news, else now and then. */
static int64_t process_timeout_ms(void *executor)
{
    struct processes *p = executor;
    return pingo_jobs_next(p->jobs, NULL) ? pingo_backoff_next(&p->looks) : -1;
}

static int64_t process_slots(void *executor)
{
    return executor ? SLOTS : 0;
}

static const char *const action_types[] = {"command-line", NULL};

const struct pingo_executor_type process_executor = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "process",
    .action_types = action_types,
    .open = process_open,
    .close = process_close,
    .start = process_start,
    .revoke = process_revoke,
    .kill = process_kill,
    .adopt = process_adopt,
    .collect = process_collect,
    .forget = process_forget,
    .poll_fd = process_poll_fd,
    .timeout_ms = process_timeout_ms,
    .slots = process_slots,
    .is_trusted = true, /* the runner has read each output, and made it read-only */
};
