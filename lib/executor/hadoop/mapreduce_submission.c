/* mapreduce_submission.c - JobClient, run by pingo-runner in the near directory; see mapreduce.h.
 *
 * What always holds: a runner passes the gate of the near directory once, and what it runs dies with it; that there is
 * no application is said only when nobody submits any more, and a job that might still be on its way to the
 * ResourceManager finds its staging directory gone. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/process.h"
#include "executor/hadoop/mapreduce.h"
#include "hdfs/hdfs.h"

#define PROGRAM "pingo-runner"
#define AT_ONCE 2 /* Javas that submit */
#define RUNNERS_MOST 5
#define LOOK_MS 300
#define WAIT_MS 20 /* so soon is seen that a runner has ended */

typedef struct pingo__executor_hadoop hadoop;
typedef struct pingo__executor_hadoop_job job_of;
typedef struct pingo__executor_hadoop_mapreduce_own own_of;

/* ---- the runner --------------------------------------------------------------------------------------- */

struct runner {
    struct pingo__executor_hadoop_aside aside;
    pid_t pid;
};

/* It goes on when we leave. */
static int wait_for(hadoop *h, struct pingo__executor_hadoop_aside *aside, struct pingo_error *err)
{
    pid_t pid = ((struct runner *)aside)->pid;
    (void)err;
    while (!h->is_leaving && waitpid(pid, NULL, WNOHANG) == 0)
        poll(NULL, 0, WAIT_MS);
    return 0;
}

int pingo__executor_hadoop_mapreduce_start(hadoop *h, job_of *job, struct pingo_error *err)
{
    own_of *own = job->own;
    if (!pingo__executor_hadoop_aside_has_room(h, job, wait_for, AT_ONCE))
        return 0;
    char *program = pingo__path_child(h->helper_dir ? h->helper_dir : PINGO_LIBEXECDIR, PROGRAM);
    struct runner *r = calloc(1, sizeof *r);
    const char *const argv[] = {PROGRAM, job->job.attempt_dir, NULL};
    static const char *const env[] = {"PATH=" PINGO__PATH_OF_COMMANDS, NULL};
    int rc = program && r ? 0 : pingo__fail_memory(err);
    int failed = rc ? 0
                    : pingo__process_start(
                          &(struct pingo__process_start){
                              .path = program,
                              .argv = argv,
                              .env = env,
                              .fds = {PINGO__PROCESS_NULL, PINGO__PROCESS_NULL, PINGO__PROCESS_NULL},
                              .nfds = 3,
                              .in_group = true,
                              .at_root = true},
                          &r->pid);
    if (failed)
        rc = pingo__fail(err, PINGO_EIO, "%s: cannot be run: %s", program, strerror(-failed));
    free(program);
    own->tries += !rc;
    if (rc) {
        free(r);
        return rc;
    }
    r->aside.run = wait_for;
    job->is_known = true; /* the runner goes on without us */
    return pingo__executor_hadoop_aside_start(h, job, &r->aside, err);
}

/* In another container (PID namespace) than where it was started its number is somebody else's. */
static bool is_runner(int64_t pid, const char *attempt_dir)
{
    static const char name[] = PROGRAM;
    char path[64], *line;
    size_t n, length = strlen(attempt_dir) + 1;
    snprintf(path, sizeof path, "/proc/%lld/cmdline", (long long)pid);
    if (pid <= 0 || pingo__file_read_whole(AT_FDCWD, path, sizeof name + length, &line, &n) != 0)
        return false;
    bool is = n == sizeof name + length && memcmp(line, name, sizeof name) == 0 &&
              memcmp(line + sizeof name, attempt_dir, length) == 0;
    free(line);
    return is;
}

void pingo__executor_hadoop_mapreduce_interrupt(job_of *job)
{
    struct pingo_runner_report report = {.size = sizeof report};
    if (pingo_runner_look(job->job.attempt_dir, &report, NULL) == 0 &&
        report.state == PINGO_RUNNER_STARTED && report.held &&
        is_runner(report.pid, job->job.attempt_dir))
        kill((pid_t)report.pid, SIGTERM);
}

/* ---- what it has left ------------------------------------------------------------------------------------ */

struct found {
    char name[256];
    const char *begin;
};

static int take_name(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    struct found *f = context;
    (void)status;
    (void)err;
    if (strncmp(name, f->begin, strlen(f->begin)) == 0)
        snprintf(f->name, sizeof f->name, "%s", name);
    return 0;
}

/* The last entry that begins so; "": there is none, or no such directory. */
static int find_entry(hadoop *h, const char *path, struct found *f, struct pingo_error *err)
{
    f->name[0] = '\0';
    int rc = path ? pingo__hdfs_list(h->hdfs, path, take_name, f, err) : pingo__fail_memory(err);
    return rc == PINGO_ENOTFOUND ? 0 : rc;
}

int pingo__executor_hadoop_mapreduce_staged(hadoop *h, job_of *job,
                                            char application[PINGO__HADOOP_ID_SIZE], char **path,
                                            struct pingo_error *err)
{
    struct found user = {.begin = ""}, id = {.begin = "job_"};
    char *staging = pingo__executor_hadoop_far(h, job, "staging");
    *path = NULL;
    int rc = find_entry(h, staging, &user, err);
    if (rc || !*user.name)
        return rc;
    char *jobs = pingo__arena_format(&job->arena, "%s/%s/.staging", staging, user.name);
    rc = find_entry(h, jobs, &id, err);
    if (!rc && *id.name && pingo__executor_hadoop_find_job(id.name, application))
        *path = pingo__arena_format(&job->arena, "%s/%s", jobs, id.name);
    return rc;
}

/* By whatever says it; "": nobody does. */
static int find_application(hadoop *h, job_of *job, struct pingo_error *err)
{
    static const char *const files[] = {"submitted", "stdout", "stderr"};
    char *path;
    bool found = false;
    for (size_t i = 0; !found && i < sizeof files / sizeof *files; i++) {
        char *text = pingo__executor_hadoop_near_text(job, files[i]);
        found = text && pingo__executor_hadoop_find_job(text, job->application);
        free(text);
    }
    return found ? 0 : pingo__executor_hadoop_mapreduce_staged(h, job, job->application, &path, err);
}

/* From now on a job of this attempt that the ResourceManager hears of cannot start: what it would read is gone, and can
 * come back under no name.  Nobody submits any more. */
static int close_gate(hadoop *h, job_of *job, struct pingo_error *err)
{
    char *staging = pingo__executor_hadoop_far(h, job, "staging"),
         *revoked = pingo__executor_hadoop_far(h, job, "staging.revoked");
    if (!staging || !revoked)
        return pingo__fail_memory(err);
    int rc = pingo__hdfs_rename(h->hdfs, staging, revoked, err);
    if (rc == 0 || rc == PINGO_ENOTFOUND || rc == PINGO_EEXISTS)
        rc = pingo__hdfs_put_bytes(h->hdfs, staging, "revoked\n", 8, err);
    return rc == PINGO_EEXISTS ? 0 : rc;
}

/* ---- there is none -------------------------------------------------------------------------------------------- */

static void tell_refused(hadoop *h, job_of *job, const struct pingo_job_end *runner)
{
    char *text = pingo__executor_hadoop_near_text(job, "stderr"), why[200] = "";
    if (text)
        pingo__executor_hadoop_exception(text, why, sizeof why);
    if (!*why && text) { /* what stands in its last line */
        size_t n = strlen(text);
        while (n > 0 && text[n - 1] == '\n')
            text[--n] = '\0';
        const char *line = strrchr(text, '\n');
        snprintf(why, sizeof why, "%.190s", line ? line + 1 : text);
    }
    free(text);
    bool was_ended = runner->reason == PINGO_END_SIGNALED || runner->reason == PINGO_END_LOST ||
                     runner->reason == PINGO_END_KILLED;
    if (was_ended)
        snprintf(why, sizeof why, "Hadoop's client was ended before it had submitted it");
    else if (!*why)
        snprintf(why, sizeof why, "%s", *runner->message ? runner->message : "it was not submitted");
    if (job->is_killed)
        pingo__executor_hadoop_mapreduce_fail(h, job, PINGO_END_KILLED, "");
    else if (runner->reason == PINGO_END_EXITED && !pingo__executor_hadoop_exception_is_away(why))
        pingo__executor_hadoop_mapreduce_fail(h, job, PINGO_END_EXITED, why);
    else
        pingo__executor_hadoop_mapreduce_fail(h, job, PINGO_END_NOT_STARTED, why);
}

/* Nobody submits any more: is there one? */
static int settle(hadoop *h, job_of *job, const struct pingo_job_end *runner,
                  struct pingo_error *err)
{
    own_of *own = job->own;
    struct pingo__executor_hadoop_app app;
    int rc = *job->application ? 0 : find_application(h, job, err);
    if (rc)
        return rc;
    for (int i = 0; i < 2 && *job->application; i++) {
        rc = pingo__executor_hadoop_ask(h, job->application, &app, err);
        if (rc)
            return rc;
        if (app.state != PINGO__HADOOP_GONE) {
            pingo__executor_hadoop_named(h, job, job->application);
            own->is_submitted = true;
            return 0;
        }
        if (runner->reason == PINGO_END_EXITED && runner->exit_code == 0) {
            own->is_submitted = true; /* it was there, and the ResourceManager has forgotten it */
            return 0;
        }
        if (i == 0 && (rc = close_gate(h, job, err)) != 0)
            return rc;
    }
    tell_refused(h, job, runner);
    return 0;
}

int pingo__executor_hadoop_mapreduce_follow(hadoop *h, job_of *job, struct pingo_error *err)
{
    own_of *own = job->own;
    struct pingo_runner_report report = {.size = sizeof report};
    struct pingo_job_end lost = {.reason = PINGO_END_LOST};
    if (job->aside)
        pingo__executor_hadoop_aside_free(pingo__executor_hadoop_aside_take(h, job, NULL));
    int rc = pingo_runner_look(job->job.attempt_dir, &report, err);
    if (rc)
        return rc;
    job->look_at_ms = pingo__world_monotonic_ms() + LOOK_MS;
    switch (report.state) {
    case PINGO_RUNNER_ARMED:
        if (own->tries < RUNNERS_MOST)
            return pingo__executor_hadoop_mapreduce_start(h, job, err);
        pingo__executor_hadoop_mapreduce_fail(h, job, PINGO_END_NOT_STARTED,
                                              "pingo-runner ends before it has begun");
        return 0;
    case PINGO_RUNNER_STARTED:
        return report.held ? 0 : settle(h, job, &lost, err);
    case PINGO_RUNNER_ENDED:
        return settle(h, job, &report.end, err);
    default:
        return settle(h, job, &lost, err);
    }
}
