/* test_guard.c - the process that YARN sees and the one below it: each ends what is left when the other is gone.  Below the
 * guard is this program again, which then plays a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/hadoop/node/node.h"

/* ---- the parts ----------------------------------------------------------------------------------- */

static void say(int fd)
{
    if (write(fd, "x", 1) != 1)
        _exit(99);
}

/* Its exit status is the number of the signal that came. */
static int hear_a_signal(int fd)
{
    sigset_t set;
    int signal;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (!pingo__executor_node_guarded())
        return 98;
    say(fd);
    sigwait(&set, &signal);
    say(fd);
    return signal;
}

/* A process in a session of its own, that hears nothing, stays behind. */
static int leave_somebody(void)
{
    int ends[2];
    char byte;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 97;
    if (fork() == 0) {
        signal(SIGTERM, SIG_IGN);
        setsid();
        say(ends[1]);
        for (;;)
            pause();
    }
    return read(ends[0], &byte, 1) == 1 ? 5 : 96;
}

static int look_around(void)
{
    sigset_t set;
    const char *guard = getenv("PINGO_GUARD");
    sigprocmask(SIG_BLOCK, NULL, &set);
    return getsid(0) != getpid()                      ? 1
           : sigismember(&set, SIGTERM)               ? 2
           : !guard || atol(guard) != (long)getppid() ? 3
           : !pingo__executor_node_guarded()          ? 4
                                                      : 0;
}

static int play(const char *part, int fd)
{
    if (strcmp(part, "killed") == 0)
        raise(SIGKILL);
    return strcmp(part, "look") == 0     ? look_around()
           : strcmp(part, "signal") == 0 ? hear_a_signal(fd)
           : strcmp(part, "leave") == 0  ? leave_somebody()
                                         : atoi(part);
}

/* ---- the tests ----------------------------------------------------------------------------------- */

struct guarded {
    pid_t pid; /* of the guard */
    int said;  /* what those below say; at its end when all are gone */
};

static struct guarded start(const char *part)
{
    char fd[16], name[] = "guarded", *argv[] = {name, fd, (char *)(uintptr_t)part, NULL};
    struct guarded g;
    int ends[2];
    alarm(120); /* who is left behind says no end */
    assert_int_equal(pipe(ends), 0);
    snprintf(fd, sizeof fd, "%d", ends[1]);
    g.said = ends[0];
    g.pid = fork();
    if (g.pid == 0) {
        close(ends[0]);
        int status = pingo__executor_node_guard(argv);
        _exit(status < 0 ? 100 : status);
    }
    close(ends[1]);
    return g;
}

static bool hears(const struct guarded *g)
{
    char byte;
    return read(g->said, &byte, 1) == 1;
}

/* Its exit status, when nobody of it is left. */
static int finish(struct guarded *g)
{
    int status;
    assert_int_equal(waitpid(g->pid, &status, 0), g->pid);
    while (hears(g))
        continue;
    close(g->said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void test_guard__its_status_is_the_childs(void **state)
{
    static const struct {
        const char *part;
        int status;
    } rows[] = {{"0", 0}, {"3", 3}, {"92", 92}, {"killed", 128 + SIGKILL}, {"look", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guarded g = start(rows[i].part);
        assert_int_equal(finish(&g), rows[i].status);
    }
}

static void test_guard__signals_are_handed_on(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct guarded g = start("signal");
        assert_true(hears(&g));
        kill(g.pid, signals[i]);
        assert_int_equal(finish(&g), signals[i]);
    }
}

/* What a child has left behind is killed, whatever it ignores. */
static void test_guard__nobody_is_left_behind(void **state)
{
    struct guarded g = start("leave");
    (void)state;
    assert_int_equal(finish(&g), 5);
}

static void test_guard__the_child_hears_that_it_is_gone(void **state)
{
    struct guarded g = start("signal");
    (void)state;
    assert_true(hears(&g));
    kill(g.pid, SIGKILL);
    assert_true(hears(&g)); /* a signal has come */
    assert_int_equal(finish(&g), 1000 + SIGKILL);
}

/* Who was started by hand has none. */
static void test_guard__whose_child_it_is(void **state)
{
    char own[32], above[32];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    snprintf(above, sizeof above, "%ld", (long)getppid());
    const struct {
        const char *guard;
        bool is;
    } rows[] = {{NULL, true}, {"", true}, {"0", true}, {"x", true}, {own, false}, {above, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(
            rows[i].guard ? setenv("PINGO_GUARD", rows[i].guard, 1) : unsetenv("PINGO_GUARD"), 0);
        assert_int_equal(pingo__executor_node_guarded(), rows[i].is);
    }
    assert_int_equal(unsetenv("PINGO_GUARD"), 0);
    assert_int_equal(prctl(PR_SET_PDEATHSIG, 0), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard__its_status_is_the_childs),
        cmocka_unit_test(test_guard__signals_are_handed_on),
        cmocka_unit_test(test_guard__nobody_is_left_behind),
        cmocka_unit_test(test_guard__the_child_hears_that_it_is_gone),
        cmocka_unit_test(test_guard__whose_child_it_is),
    };
    if (argc == 3)
        _exit(play(argv[2], atoi(argv[1])));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
