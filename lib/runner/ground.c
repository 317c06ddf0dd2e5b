/* ground.c - see runner.h.  One caller's `ulimit`, `nice` or `taskset` must not become another's. */
#include "runner/runner.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

#define FILES_HARD 524288         /* as systemd has it */
#define FILES_OF_COMMANDS 1024    /* select(2) knows no more */
#define STACK_OF_COMMANDS 8388608 /* unlimited would change where memory is mapped */

/* Both to what is wanted, or as near as we may. */
static void raise_limit(__rlimit_resource_t resource, rlim_t hard)
{
    struct rlimit now, wanted = {hard, hard};
    if (getrlimit(resource, &now) != 0)
        return;
    if (now.rlim_max != RLIM_INFINITY && (hard == RLIM_INFINITY || now.rlim_max < hard) &&
        setrlimit(resource, &wanted) == 0)
        return;
    now.rlim_cur = now.rlim_max;
    setrlimit(resource, &now);
}

static void soften(__rlimit_resource_t resource, rlim_t soft)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0 || now.rlim_cur == soft)
        return;
    now.rlim_cur = now.rlim_max == RLIM_INFINITY || soft < now.rlim_max ? soft : now.rlim_max;
    setrlimit(resource, &now);
}

static void reset_scheduling(void)
{
    const struct sched_param none = {0};
    cpu_set_t all;
    sched_setscheduler(0, SCHED_OTHER, &none);
    setpriority(PRIO_PROCESS, 0, 0);
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all); /* of those that the cgroup allows */
    syscall(SYS_ioprio_set, 1, 0, 0);       /* of this process: as the nice value says */
    pingo__file_put(AT_FDCWD, "/proc/self/oom_score_adj", "0");
    personality(PER_LINUX);
}

void pingo__runner_ground_reset(void)
{
    static const __rlimit_resource_t unlimited[] = {RLIMIT_CPU,   RLIMIT_FSIZE, RLIMIT_DATA,
                                                    RLIMIT_AS,    RLIMIT_RSS,   RLIMIT_LOCKS,
                                                    RLIMIT_STACK, RLIMIT_RTTIME};
    static const __rlimit_resource_t as_they_are[] = {RLIMIT_NPROC, RLIMIT_MEMLOCK,
                                                      RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE};
    for (size_t i = 0; i < sizeof unlimited / sizeof unlimited[0]; i++)
        raise_limit(unlimited[i], RLIM_INFINITY);
    for (size_t i = 0; i < sizeof as_they_are / sizeof as_they_are[0]; i++)
        raise_limit(as_they_are[i], 0);
    raise_limit(RLIMIT_NOFILE, FILES_HARD);
    reset_scheduling();
}

void pingo__runner_ground_of_commands(void)
{
    soften(RLIMIT_NOFILE, FILES_OF_COMMANDS);
    soften(RLIMIT_STACK, STACK_OF_COMMANDS);
    soften(RLIMIT_CORE, 0);
}

void pingo__runner_ground_of_signals(void)
{
    struct sigaction action;
    sigset_t none;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &action, NULL);      /* refused for some, which cannot be changed anyway */
    for (int i = 32; i < SIGRTMIN; i++) { /* the C library's own, which posix_spawn leaves ignored */
        static const char zeroes[64];     /* the kernel's structure: SIG_DFL, no flags */
        syscall(SYS_rt_sigaction, i, zeroes, NULL, (size_t)_NSIG / 8);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
