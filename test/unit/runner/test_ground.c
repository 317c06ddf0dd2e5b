/* test_ground.c - what a process has from who started it is put back: ground.c.  Each case in a process of its own. */
#include "unit/runner/attempts.h"

#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "runner/runner.h"

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            _exit(__LINE__ % 200 + 1);                                                             \
    } while (0)

static void apart(void (*fn)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        fn();
        _exit(0);
    }
    int status = reap(pid);
    if (status != 0)
        fail_msg("what is checked in line %d of this file, modulo 200", status - 1);
}

static rlim_t soft(__rlimit_resource_t resource)
{
    struct rlimit limit;
    CHECK(getrlimit(resource, &limit) == 0);
    return limit.rlim_cur;
}

static void lower(__rlimit_resource_t resource, rlim_t to)
{
    struct rlimit limit;
    CHECK(getrlimit(resource, &limit) == 0);
    limit.rlim_cur = to;
    CHECK(setrlimit(resource, &limit) == 0);
}

static void signals(void)
{
    struct sigaction action;
    sigset_t set;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    sigfillset(&set);
    CHECK(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
    pingo__runner_ground_of_signals();
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(sigprocmask(SIG_SETMASK, NULL, &set) == 0);
    for (int i = 1; i < SIGRTMIN; i++)
        CHECK(!sigismember(&set, i));
}

static void inherited(void)
{
    cpu_set_t before, one, after;
    struct rlimit limit;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    lower(RLIMIT_FSIZE, 4096);
    lower(RLIMIT_NOFILE, 20);
    CHECK(personality(PER_LINUX | ADDR_NO_RANDOMIZE) >= 0);
    pingo__runner_ground_reset();
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == limit.rlim_max);
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == limit.rlim_max);
    CHECK(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_COUNT(&after) >= CPU_COUNT(&before));
    CHECK(personality(0xffffffff) == PER_LINUX);
}

/* A nice value comes back where this user may. */
static void niceness(void)
{
    struct rlimit limit;
    CHECK(setpriority(PRIO_PROCESS, 0, 7) == 0);
    CHECK(getrlimit(RLIMIT_NICE, &limit) == 0);
    pingo__runner_ground_reset();
    CHECK(getpriority(PRIO_PROCESS, 0) == (geteuid() == 0 || limit.rlim_cur >= 20 ? 0 : 7));
}

static void of_commands(void)
{
    struct rlimit files, stack;
    CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0 && getrlimit(RLIMIT_STACK, &stack) == 0);
    pingo__runner_ground_of_commands();
    CHECK(soft(RLIMIT_NOFILE) == (files.rlim_max < 1024 ? files.rlim_max : 1024));
    CHECK(soft(RLIMIT_STACK) == (stack.rlim_max < 8388608 ? stack.rlim_max : 8388608));
    CHECK(soft(RLIMIT_CORE) == 0);
    CHECK(getrlimit(RLIMIT_NOFILE, &stack) == 0 && stack.rlim_max == files.rlim_max);
}

static void test_ground__signals(void **state)
{
    (void)state;
    apart(signals);
}

static void test_ground__limits_and_processors_come_back(void **state)
{
    (void)state;
    apart(inherited);
    apart(niceness);
}

static void test_ground__commands_begin_with_soft_limits(void **state)
{
    (void)state;
    apart(of_commands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ground__signals),
        cmocka_unit_test(test_ground__limits_and_processors_come_back),
        cmocka_unit_test(test_ground__commands_begin_with_soft_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
