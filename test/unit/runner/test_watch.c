/* test_watch.c - a runner waits for its job: who ends it, how, and that nobody is left: watch.c. */
#include "unit/runner/ground.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include "runner/steps.h"

static int signals; /* a signalfd of SIGCHLD */
static int told[2]; /* the master is readable as soon as a command has written here */

static struct pingo__runner_watch watch(struct ground *g, const char *script, int64_t limit_ms)
{
    struct pingo__runner_logs logs;
    struct pingo__runner_watch watch = {.master = &g->master,
                                        .signals = signals,
                                        .key = g->job.key,
                                        .time_limit_ms = limit_ms,
                                        .memory_bytes = g->job.memory_bytes,
                                        .grace_ms = 150,
                                        .logs = &logs};
    assert_int_equal(pingo__runner_logs_open(&logs, g->scratch.dir, 4096, false), 0);
    watch.leader = fork();
    if (watch.leader == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (setsid() < 0 || dup2(logs.fds[0], 1) < 0 || dup2(logs.fds[1], 2) < 0 ||
            dup2(told[1], 7) < 0)
            _exit(126);
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    pingo__runner_watch_run(&watch);
    pingo__runner_logs_close(&logs);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* nobody is left */
    return watch;
}

/* Orders come once the command has said that it is up. */
static enum pingo_end_reason take_when_told(struct pingo__runner_master *master,
                                            struct pingo_job_key key)
{
    struct ground *g = master->context;
    char byte;
    (void)key;
    if (read(told[0], &byte, 1) == 1)
        g->asked++;
    return g->asked > 0 ? g->order : PINGO_END_EXITED;
}

static struct ground *watched(enum pingo_end_reason order)
{
    struct ground *g = ground_new();
    g->order = order;
    g->master = (struct pingo__runner_master){told[0], take_when_told, g};
    return g;
}

static void test_watch__an_end_of_its_own(void **state)
{
    struct ground *g = watched(PINGO_END_EXITED);
    (void)state;
    struct pingo__runner_watch w = watch(g, "exit 3", 0);
    assert_int_equal(w.why, PINGO_END_EXITED);
    assert_int_equal(WEXITSTATUS(w.status), 3);
    assert_true(w.max_rss_bytes > 0);
    w = watch(g, "kill -SEGV $$", 0);
    assert_int_equal(w.why, PINGO_END_EXITED);
    assert_int_equal(WTERMSIG(w.status), SIGSEGV);
    ground_free(g);
}

/* What the leader leaves behind ends with it, in whatever session, and what it used is counted. */
static void test_watch__nobody_outlives_the_leader(void **state)
{
    struct ground *g = watched(PINGO_END_EXITED);
    (void)state;
    char up[300];
    snprintf(up, sizeof up, "%s/up", g->pool.dir);
    setenv("UP", up, 1);
    struct pingo__runner_watch w =
        watch(g,
              "sleep 600 & setsid sh -c 'trap \"\" TERM; i=0; while [ $i -lt 99999 ]; do "
              "i=$((i+1)); done;"
              "echo > $UP; sleep 600' & while [ ! -e $UP ]; do sleep 0.01; done",
              0);
    assert_int_equal(w.why, PINGO_END_EXITED);
    assert_int_equal(w.status, 0);
    assert_true(w.user_us > 0);
    ground_free(g);
}

static void test_watch__killed(void **state)
{
    struct ground *g = watched(PINGO_END_KILLED);
    (void)state;
    struct pingo__runner_watch w =
        watch(g, "trap 'exit 9' TERM; echo >&7; while :; do sleep 0.01; done", 0);
    assert_int_equal(w.why, PINGO_END_KILLED);
    assert_int_equal(WEXITSTATUS(w.status), 9); /* it had time to tidy up */
    g->asked = 0;
    w = watch(g, "trap '' TERM; echo >&7; while :; do sleep 0.01; done", 0);
    assert_int_equal(w.why, PINGO_END_KILLED);
    assert_int_equal(WTERMSIG(w.status), SIGKILL); /* after its grace */
    g->asked = 0;
    w = watch(g, "echo >&7; kill -STOP $$", 0); /* one that is stopped goes too */
    assert_int_equal(w.why, PINGO_END_KILLED);
    ground_free(g);
}

static void test_watch__nobody_wants_it_any_more(void **state)
{
    struct ground *g = watched(PINGO_END_LOST);
    (void)state;
    struct pingo__runner_watch w = watch(g, "trap 'exit 9' TERM; echo >&7; sleep 600", 0);
    assert_int_equal(w.why, PINGO_END_LOST);
    assert_int_equal(WTERMSIG(w.status), SIGKILL);
    ground_free(g);
}

static void test_watch__limits(void **state)
{
    struct ground *g = watched(PINGO_END_EXITED);
    (void)state;
    struct pingo__runner_watch w = watch(g, "exec sleep 600", 50);
    assert_int_equal(w.why, PINGO_END_TIME_LIMIT);
    assert_int_equal(WTERMSIG(w.status), SIGTERM);
    g->job.memory_bytes = 20 << 20;
    w = watch(g, "head -c 90000000 /dev/zero | { tail -c 90000000; sleep 600; }", 0);
    assert_int_equal(w.why, PINGO_END_MEMORY_LIMIT);
    assert_true(w.max_rss_bytes > 20 << 20);
    ground_free(g);
}

/* A job that is suspended for longer than its limit has as much time as before. */
static void test_watch__what_is_stopped_does_not_count(void **state)
{
    struct ground *g = watched(PINGO_END_EXITED);
    int status = 0;
    char script[300];
    (void)state;
    snprintf(script, sizeof script, ": >%s/up; sleep 3; exit 3", g->pool.dir);
    pid_t runner = fork();
    if (runner == 0) {
        struct pingo__runner_watch w = watch(g, script, 2000);
        _exit(w.why == PINGO_END_EXITED && w.stood_ms > 1500 ? WEXITSTATUS(w.status) : 99);
    }
    await(&g->pool, "up");
    poll(NULL, 0, 300);
    kill(runner, SIGSTOP);
    poll(NULL, 0, 2200);
    kill(runner, SIGCONT);
    assert_int_equal(waitpid(runner, &status, 0), runner);
    assert_int_equal(WEXITSTATUS(status), 3);
    ground_free(g);
}

/* While it runs, a log is cut to its head. */
static void test_watch__logs_are_cut(void **state)
{
    struct ground *g = watched(PINGO_END_EXITED);
    char path[300];
    struct stat st;
    (void)state;
    snprintf(path, sizeof path, "%s/stdout", g->pool.dir);
    setenv("LOG", path, 1);
    struct pingo__runner_watch w = watch(
        g, "echo head; head -c 100000 /dev/zero; while [ $(stat -c %s $LOG) -gt 4096 ]; do sleep 0.01; done",
        60000);
    assert_int_equal(w.why, PINGO_END_EXITED);
    assert_int_equal(w.status, 0);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 4096 && st.st_size < 4200); /* and says so at its end */
    ground_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watch__an_end_of_its_own),
        cmocka_unit_test(test_watch__nobody_outlives_the_leader),
        cmocka_unit_test(test_watch__killed),
        cmocka_unit_test(test_watch__nobody_wants_it_any_more),
        cmocka_unit_test(test_watch__limits),
        cmocka_unit_test(test_watch__what_is_stopped_does_not_count),
        cmocka_unit_test(test_watch__logs_are_cut),
    };
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &child, NULL) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        pipe2(told, O_CLOEXEC | O_NONBLOCK) != 0)
        return 1;
    signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
