/* settle.c - what became of an attempt: its directory tells, and Slurm explains. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/names.h"
#include "base/path.h"
#include "base/text.h"
#include "base/world.h"
#include "base/file.h"
#include "executor/slurm/slurm.h"

#define SETTLE_MS                                                                                  \
    2000 /* a file system that is shared shows so late what another machine has written */
#define LOOK_MS 250    /* between two looks at a directory */
#define SAID_MOST 2048 /* bytes at the end of the job's own log that are looked at */

char *pingo__executor_slurm_dir(const struct pingo__executor_slurm *s, struct pingo_job_key key)
{
    char name[PINGO__NAME_SIZE];
    pingo__name_attempt(name, key.action, key.epoch);
    return pingo__path_child(s->pool, name);
}

bool pingo__executor_slurm_is_in_sight(const struct pingo__executor_slurm *s)
{
    char *attempts = pingo__path_child(s->pool, pingo__name_parts[PINGO__ATTEMPTS]);
    bool there = attempts && access(attempts, X_OK) == 0;
    free(attempts);
    return there;
}

/* Where Slurm puts what the job says beside its command's logs. */
static char *log_of(const struct pingo__executor_slurm *s,
                    const struct pingo__executor_slurm_job *job, const char *dir)
{
    char name[32];
    if (!job || !job->bundle)
        return pingo__path_child(dir, PINGO__SLURM_LOG);
    snprintf(name, sizeof name, "%lld.log", (long long)job->task);
    return pingo__executor_bundle_path(s->pool, job->bundle->name, name);
}

/* Such as why it was ended; fit to be shown. */
static void read_log(char *path, char *said, size_t size)
{
    char bytes[SAID_MOST + 1] = "";
    if (path)
        pingo__file_read_end(AT_FDCWD, path, bytes, sizeof bytes);
    for (char *c = bytes; *c; c++)
        if (*c == '\n')
            *c = c[1] ? ' ' : '\0';
    pingo__text_clean_to(said, size, bytes);
    free(path);
}

static void finish(struct pingo__executor_slurm *s, struct pingo__executor_slurm_job *job,
                   struct pingo_job_end *end)
{
    end->size = sizeof *end;
    end->key = pingo_jobs_key(job);
    if (*job->node) /* as Slurm calls it: by that name people find it there */
        memcpy(end->node, job->node, sizeof end->node);
    if (job->requeued) /* it would find the gate closed, if it is not held for ever */
        pingo__executor_slurm_cancel_job(s, job);
    pingo_jobs_end(s->jobs, end);
    s->news_ms = pingo__world_monotonic_ms();
}

/* It started, and nothing says how it ended: is that all that we shall ever hear? */
static bool is_final(struct pingo__executor_slurm *s, struct pingo__executor_slurm_job *job,
                     const struct pingo_runner_report *report)
{
    int64_t now = pingo__world_monotonic_ms();
    job->look_at_ms = now + LOOK_MS;
    if (report->held || now - job->over_ms < SETTLE_MS)
        return false;
    if (!job->confirmed) /* another job of Slurm's may have it */
        s->list_wanted = true;
    return job->confirmed;
}

static void tell(struct pingo__executor_slurm *s, struct pingo__executor_slurm_job *job,
                 struct pingo_job_end *end)
{
    if (end->reason == PINGO_END_MEMORY_LIMIT && pingo__executor_slurm_sizes_are_awaited(s))
        job->look_at_ms = pingo__world_monotonic_ms() + LOOK_MS;
    else
        finish(s, job, end);
}

void pingo__executor_slurm_settle_early(struct pingo__executor_slurm *s,
                                        struct pingo__executor_slurm_job *job)
{
    struct pingo_runner_report report = {.size = sizeof report};
    char *dir = pingo__executor_slurm_dir(s, pingo_jobs_key(job));
    if (dir && pingo_runner_look(dir, &report, NULL) == 0 && report.state == PINGO_RUNNER_ENDED &&
        !pingo__executor_slurm_was_ended(&report.end))
        tell(s, job, &report.end);
    free(dir);
}

void pingo__executor_slurm_settle(struct pingo__executor_slurm *s,
                                  struct pingo__executor_slurm_job *job)
{
    struct pingo_runner_report report = {.size = sizeof report};
    struct pingo_error why = {0};
    char said[SAID_MOST + 1];
    char *dir = pingo__executor_slurm_dir(s, pingo_jobs_key(job));
    bool revoked = false;
    int rc = dir ? pingo_runner_look(dir, &report, &why) : pingo__fail_memory(&why);
    if (!rc && report.state == PINGO_RUNNER_ARMED && job->requeued) {
        job->requeued = false; /* it had not come so far: it still may */
        job->phase = PINGO__SLURM_SUBMITTED;
        free(dir);
        return;
    }
    if (!rc && report.state == PINGO_RUNNER_ARMED)
        rc = pingo_runner_revoke(dir, &revoked, &why);
    if (rc || (report.state == PINGO_RUNNER_ARMED && !revoked) ||
        (report.state == PINGO_RUNNER_NONE && !pingo__executor_slurm_is_in_sight(s))) {
        job->look_at_ms = pingo__world_monotonic_ms() + LOOK_MS;
        free(dir);
        return;
    }
    read_log(log_of(s, job, dir), said, sizeof said);
    struct pingo__executor_slurm_over over = {job->state, job->wait_status, job->reason,
                                              said,       job->is_killed,   s->runner};
    if (report.state == PINGO_RUNNER_ENDED) {
        pingo__executor_slurm_judge(&over, &report.end);
        tell(s, job, &report.end);
    } else if (report.state == PINGO_RUNNER_STARTED) {
        if (is_final(s, job, &report)) {
            memcpy(report.end.node, report.node, sizeof report.end.node);
            pingo__executor_slurm_lost(&over, &report.end);
            tell(s, job, &report.end);
        }
    } else {
        pingo__executor_slurm_not_started(&over, &report.end);
        finish(s, job, &report.end);
    }
    free(dir);
}

void pingo__executor_slurm_close_gate(struct pingo__executor_slurm *s,
                                      struct pingo__executor_slurm_job *job, const char *message)
{
    struct pingo_job_end end = {.size = sizeof end};
    char *dir = pingo__executor_slurm_dir(s, pingo_jobs_key(job));
    bool revoked = false;
    if (dir && pingo_runner_revoke(dir, &revoked, NULL) == 0 && revoked) {
        pingo__executor_end(&end, job->is_killed ? PINGO_END_KILLED : PINGO_END_NOT_STARTED,
                            message);
        finish(s, job, &end);
    }
    free(dir);
}

void pingo__executor_slurm_refuse(struct pingo__executor_slurm *s,
                                  struct pingo__executor_slurm_job *job, const char *message)
{
    job->phase = PINGO__SLURM_ENDED;
    job->state = PINGO__SLURM_GONE;
    job->over_ms = pingo__world_monotonic_ms();
    pingo__executor_slurm_close_gate(s, job, message); /* or the directory will tell */
}

void pingo__executor_slurm_bind(struct pingo__executor_slurm_job *job,
                                struct pingo__executor_slurm_bundle *bundle, int64_t task)
{
    if (job->bundle)
        job->bundle->users--;
    if (bundle)
        bundle->users++;
    job->bundle = bundle;
    job->task = task;
}

/* What the job has said stays beside its command's logs. */
static void keep_log(char *log, const char *dir)
{
    char *kept = pingo__path_child(dir, PINGO__SLURM_LOG);
    struct stat st;
    if (log && kept && lstat(log, &st) == 0 && (st.st_size == 0 || rename(log, kept) != 0))
        unlink(log);
    free(kept);
    free(log);
}

void pingo__executor_slurm_drop(void *executor, struct pingo_job_key key)
{
    struct pingo__executor_slurm *s = executor;
    struct pingo__executor_slurm_job *job = pingo_jobs_find(s->jobs, key);
    char *dir = pingo__executor_slurm_dir(s, key);
    if (dir) {
        keep_log(log_of(s, job, dir), dir);
        pingo_runner_forget(dir);
    }
    free(dir);
    if (!job)
        return;
    if (job->bundle && --job->bundle->left == 0)
        pingo__executor_bundle_remove(s->pool, job->bundle->name);
    pingo__executor_slurm_bind(job, NULL, 0);
    pingo__arena_clear(&job->arena);
    pingo_jobs_remove(s->jobs, key);
}
