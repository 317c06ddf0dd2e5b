/* guard.c - see node.h. */
#include "executor/hadoop/node/node.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

#define SELF "/proc/self/exe"
#define GUARD "PINGO_GUARD" /* in the child's environment: the guard's pid */
#define PAUSE_MS 20

static void block(sigset_t *set)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2, SIGCHLD};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(set, signals[i]);
    sigprocmask(SIG_BLOCK, set, NULL);
}

static int start(char *const *argv, pid_t *child)
{
    const struct pingo__process_start self = {.path = SELF,
                                              .argv = (const char *const *)argv,
                                              .env = (const char *const *)environ,
                                              .in_session = true};
    return pingo__process_start(&self, child);
}

/* Whoever was below a child that is gone is below us. */
static void end_all(void)
{
    struct pingo__runner_family family = {0};
    const struct timespec pause = {0, PAUSE_MS * 1000000L};
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR) {
        if (pid != 0)
            continue;
        pingo__runner_family_find(&family, NULL, 0);
        pingo__runner_family_kill(&family);
        nanosleep(&pause, NULL);
    }
    pingo__runner_family_clear(&family);
}

int pingo__executor_node_guard(char *const *argv)
{
    sigset_t set;
    pid_t child;
    int status, signal = 0;
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    pingo__runner_ground_of_signals();
    block(&set);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int rc = setenv(GUARD, pid, 1) == 0 ? 0 : -errno;
    if (!rc)
        rc = start(argv, &child);
    if (rc) {
        errno = -rc;
        return -1;
    }
    while (waitpid(child, &status, WNOHANG) != child)
        if (sigwait(&set, &signal) == 0 && signal != SIGCHLD)
            kill(child, signal);
    end_all();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool pingo__executor_node_guarded(void)
{
    const char *text = getenv(GUARD);
    int64_t guard;
    if (!text || !pingo__text_to_int64(text, 1, INT32_MAX, &guard))
        return true; /* started by hand */
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == (pid_t)guard;
}
