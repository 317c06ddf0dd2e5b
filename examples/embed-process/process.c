/* process.c - an executor for command-line actions: each job is a process that goes on without its scheduler.
 *
 * Nothing is kept in memory that matters: an attempt is what its directory says (launcher.c), so a scheduler
 * that comes after one that was killed finds every job.  The gate is a rename by the launcher against the
 * creation of a file of the same name by revoke(): exactly one of them succeeds. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attempt.h"
#include "process.h"

enum { SLOTS = 4, LOOK_MS = 50 };

static void process_close(void *executor)
{
    struct processes *p = executor;
    while (p->jobs != NULL)
        job_drop(&p->jobs);
    free(p->attempts);
    free(p->staged);
    free(p);
}

static int process_open(const struct pingo_executor_context *context, void **executor,
                        struct pingo_error *err)
{
    struct processes *p = calloc(1, sizeof *p);
    (void)err;
    if (p == NULL)
        return PINGO_ENOMEM;
    if (asprintf(&p->attempts, "%s/attempts", context->pool_dir) < 0)
        p->attempts = NULL;
    if (asprintf(&p->staged, "%s/staged", context->pool_dir) < 0)
        p->staged = NULL;
    if (p->attempts == NULL || p->staged == NULL) {
        process_close(p);
        return PINGO_ENOMEM;
    }
    signal(SIGCHLD,
           SIG_IGN); /* launchers are nobody's children: a program of one's own may do this */
    *executor = p;
    return 0;
}

static int process_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    size_t nargv = 0, n = 0;
    struct job *mine;
    char **argv;
    int rc;

    while (job->argv[nargv] != NULL)
        nargv++;
    argv = calloc(7 + 2 * job->nlinks + nargv, sizeof *argv);
    mine = argv == NULL ? NULL : job_add(executor, job->key);
    if (mine == NULL) {
        free(argv);
        return PINGO_ENOMEM;
    }
    argv[n++] = (char *)"launcher";
    argv[n++] = (char *)"--launch";
    argv[n++] = (char *)job->attempt_dir;
    argv[n++] = (char *)job->staged_path;
    argv[n++] = (char *)(job->output ? job->output : "");
    for (size_t i = 0; i < job->nlinks; i++) {
        argv[n++] = (char *)job->links[i].name;
        argv[n++] = (char *)job->links[i].target;
    }
    argv[n++] = (char *)"--";
    memcpy(argv + n, job->argv, nargv * sizeof *argv);
    rc = posix_spawn(&mine->launcher, "/proc/self/exe", NULL, NULL, argv, (char *const *)job->env);
    free(argv);
    if (rc == 0)
        return 0;
    job_drop(job_find(executor, job->key));
    if (err != NULL)
        snprintf(err->message, sizeof err->message, "cannot start a process: %s", strerror(rc));
    return PINGO_EEXECUTOR; /* the action waits, and tells why */
}

/* The end is in the store.  Its logs stay in the directory, which Pingo removes when it is time. */
static void process_forget(void *executor, struct pingo_job_key key)
{
    if (*job_find(executor, key) != NULL)
        job_drop(job_find(executor, key));
}

/* Who makes the file has won: the launcher's rename finds it and gives up. */
static int process_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                          bool *revoked, struct pingo_error *err)
{
    int fd = open(attempt_dir, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct stat st;

    (void)err;
    *revoked = fd >= 0 || (lstat(attempt_dir, &st) == 0 && S_ISREG(st.st_mode));
    if (fd >= 0)
        close(fd);
    if (*revoked)
        process_forget(executor, key);
    return 0;
}

static int process_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct job *job = *job_find(executor, key);
    char *name = NULL;
    FILE *f = NULL;
    int pid = 0;

    (void)err;
    if (job == NULL)
        return 0;
    job->kill_asked = true; /* its end is told when it has been seen to be gone */
    if (asprintf(&name, "%s/pid", job->dir) > 0)
        f = fopen(name, "r");
    if (f != NULL && fscanf(f, "%d", &pid) == 1 && pid > 1)
        kill(-pid, SIGKILL); /* the launcher lives, and writes the end */
    if (f != NULL)
        fclose(f);
    free(name);
    return 0;
}

/* Of a scheduler that is gone: a launcher that has not passed the gate is given up, so that the answer stays true. */
static int process_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys,
                         bool *found, struct pingo_error *err)
{
    struct processes *p = executor;
    for (size_t i = 0; i < nkeys; i++) {
        struct job *job = *job_find(p, keys[i]);
        bool revoked = false;

        if (job == NULL && (job = job_add(p, keys[i])) == NULL)
            return PINGO_ENOMEM;
        process_revoke(p, keys[i], job->dir, &revoked, err);
        found[i] = !revoked;
    }
    return 0;
}

static int process_collect(void *executor, const struct pingo_executor_reports *reports,
                           struct pingo_error *err)
{
    struct processes *p = executor;
    (void)err;
    for (struct job *job = p->jobs, *next; job != NULL; job = next) {
        struct pingo_job_end end = {.size = sizeof end};
        struct stat st;

        next = job->next; /* ended() may call forget() */
        if (lstat(job->dir, &st) == 0 && S_ISDIR(st.st_mode))
            reports->started(reports->context, job->key);
        if (job_read_end(job, &end) || job_never_began(job, &end))
            reports->ended(reports->context, &end);
    }
    return 0;
}

static int process_poll_fd(void *executor)
{
    (void)executor;
    return -1;
}

/* As one asks a batch system: now and then. */
static int64_t process_timeout_ms(void *executor)
{
    return ((struct processes *)executor)->jobs == NULL ? -1 : LOOK_MS;
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
};
