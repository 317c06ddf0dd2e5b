/* alone.c - see runner.h. */
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "rules/effects.h"

/* An engine's signal to us may come so much later than the same one to the command. */
#define LATE_MS 300

/* ---- what an engine tells us ------------------------------------------------------------------- */

static void take_signals(struct pingo__runner_alone *alone)
{
    struct signalfd_siginfo info;
    while (read(alone->signals, &info, sizeof info) == (ssize_t)sizeof info)
        alone->signal = alone->signal ? alone->signal : (int)info.ssi_signo;
}

static bool is_readable(int fd, int wait_ms)
{
    struct pollfd polled = {fd, POLLIN, 0};
    return poll(&polled, 1, wait_ms) > 0;
}

bool pingo__runner_alone_told(struct pingo__runner_alone *alone, int wait_ms)
{
    if (!alone->signal && is_readable(alone->signals, wait_ms))
        take_signals(alone);
    return alone->signal != 0;
}

static enum pingo_end_reason take(struct pingo__runner_master *master, struct pingo_job_key key)
{
    struct pingo__runner_alone *alone = master->context;
    (void)key;
    take_signals(alone);
    if (alone->signal)
        return alone->is_hurried ? PINGO_END_LOST : PINGO_END_KILLED;
    return alone->also >= 0 && is_readable(alone->also, 0) ? PINGO_END_KILLED : PINGO_END_EXITED;
}

/* The signals, and what comes besides, are one descriptor to who waits. */
int pingo__runner_alone_listen(struct pingo__runner_alone *alone, int also)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};
    struct epoll_event readable = {.events = EPOLLIN};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&set, signals[i]);
    *alone = (struct pingo__runner_alone){.also = also, .runner.scratch.dir = -1};
    alone->signals = sigprocmask(SIG_BLOCK, &set, NULL) != 0
                         ? -1
                         : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    alone->master = (struct pingo__runner_master){alone->signals, take, alone};
    if (alone->signals >= 0 && also >= 0) {
        int both = epoll_create1(EPOLL_CLOEXEC);
        if (both < 0 || epoll_ctl(both, EPOLL_CTL_ADD, alone->signals, &readable) != 0 ||
            epoll_ctl(both, EPOLL_CTL_ADD, also, &readable) != 0)
            return -errno;
        alone->master.fd = both;
    }
    return alone->signals < 0 ? -errno : 0;
}

/* Engines signal everybody of a job at once, so the command may be gone before we know why. */
static void judge_signals(struct pingo__runner_alone *alone, struct pingo_job_end *end)
{
    int by = pingo__rules_end_signal(end);
    if ((by == SIGTERM || by == SIGXCPU) && pingo__runner_alone_told(alone, LATE_MS))
        end->reason = PINGO_END_KILLED;
    if (end->reason == PINGO_END_LOST && alone->signal && alone->is_hurried)
        end->reason = PINGO_END_KILLED;
    if (end->reason != PINGO_END_KILLED || !alone->signal)
        return;
    if (alone->signal == SIGXCPU)
        end->reason = PINGO_END_TIME_LIMIT;
    snprintf(end->message, sizeof end->message, "the runner was told to end by SIG%s",
             sigabbrev_np(alone->signal));
}

/* ---- an attempt -------------------------------------------------------------------------------- */

/* Which GPUs are its own the batch system says in our environment: the command hears it, unless it says so itself. */
static void pass_devices(struct pingo__runner_job *job)
{
    static const char name[] = "CUDA_VISIBLE_DEVICES=";
    const char *given = getenv("CUDA_VISIBLE_DEVICES");
    for (size_t i = 0; given && i < job->nenv; i++)
        if (strncmp(job->env[i], name, sizeof name - 1) == 0)
            given = NULL;
    const char **env = given ? realloc(job->env, (job->nenv + 2) * sizeof *env) : NULL;
    if (!env)
        return;
    job->env = env;
    /* It is a part of NAME=VALUE, which is there until the end. */
    env[job->nenv++] = given - (sizeof name - 1);
    env[job->nenv] = NULL;
}

void pingo__runner_alone_run(struct pingo__runner_alone *alone, int dir,
                             struct pingo__runner_errand *errand, struct pingo_job_end *end)
{
    struct pingo__runner_state *runner = &alone->runner;
    char *pool = pingo__name_beside_attempt(errand->job.attempt_dir, "");
    int rc;
    if (!pool || (!runner->master && !pingo__runner_open(runner, pool, &alone->master)))
        pingo__runner_not_started(end, errno, "the pool cannot be opened");
    else if ((rc = pingo__runner_scratch_enter(&runner->scratch, dir)) != 0)
        pingo__runner_not_started(end, -rc, "the scratch directory cannot be made");
    else {
        if (runner->killings < 0) /* the group is the batch system's job */
            runner->killings = pingo__runner_memory_killings();
        runner->log_bytes = errand->options.log_bytes;
        runner->grace_ms = errand->options.grace_ms;
        runner->is_alone = true;
        pass_devices(&errand->job);
        pingo__runner_run(runner, &errand->job, errand->options.cpus, end);
        judge_signals(alone, end);
    }
    free(pool);
}

void pingo__runner_alone_leave(struct pingo__runner_alone *alone, const struct pingo_job_end *end)
{
    if (alone->runner.scratch.dir >= 0 && pingo_job_end_is_success(end))
        pingo__runner_scratch_finish(&alone->runner.scratch);
    else if (alone->runner.scratch.dir >= 0)
        pingo__runner_scratch_leave(&alone->runner.scratch);
}

/* ---- the ground -------------------------------------------------------------------------------- */

static void tidy_descriptors(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 1; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            dup2(null, fd);
    dup2(null, 0);
    closefrom(3);
}

void pingo__runner_alone_ground(void)
{
    pingo__runner_ground_of_signals();
    tidy_descriptors();
    umask(022);
    pingo__runner_ground_of_commands();
}
