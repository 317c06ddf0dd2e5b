/* test_alone.c - one attempt after the other for an engine of others: what comes by signals and by a descriptor, and what
 * an end is called then.  The program that does it: test_program.c. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "base/tree.h"
#include "runner/runner.h"

struct box {
    char root[64], dir[128], staged[128];
    int fd; /* of dir */
    struct pingo__runner_alone alone;
    struct pingo__runner_errand errand;
    const char *argv[4], **env;
    struct pingo_job_end end;
};

static void make_dir(const struct box *b, const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static void box_open(struct box *b, int also)
{
    memset(b, 0, sizeof *b);
    snprintf(b->root, sizeof b->root, "/tmp/pingo-alone-XXXXXX");
    assert_non_null(mkdtemp(b->root));
    make_dir(b, "attempts");
    make_dir(b, "staged");
    assert_int_equal(pingo__runner_alone_listen(&b->alone, also), 0);
}

static void box_close(struct box *b)
{
    static const int ours[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};
    sigset_t none;

    /* What came and was not asked for is not to end us. */
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        signal(ours[i], SIG_IGN);
        signal(ours[i], SIG_DFL);
    }
    if (b->alone.runner.master)
        pingo__runner_close(&b->alone.runner);
    close(b->alone.signals);
    if (b->alone.master.fd != b->alone.signals)
        close(b->alone.master.fd);
    sigemptyset(&none);
    assert_int_equal(sigprocmask(SIG_SETMASK, &none, NULL), 0);
    assert_int_equal(pingo__tree_remove(AT_FDCWD, b->root), 0);
}

/* Runs a script as an attempt, in a directory of its own. */
static void run(struct box *b, int64_t action, const char *script)
{
    static const char *none[] = {NULL};
    char name[32];

    snprintf(name, sizeof name, "attempts/%d.1", (int)action);
    make_dir(b, name);
    snprintf(b->dir, sizeof b->dir, "%s/%s", b->root, name);
    snprintf(b->staged, sizeof b->staged, "%s/staged/%d.1", b->root, (int)action);
    b->fd = open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(b->fd >= 0);
    memcpy(b->argv, (const char *[]){"sh", "-c", script, NULL}, sizeof b->argv);
    b->env = calloc(2, sizeof *b->env); /* it may become longer */
    assert_non_null(b->env);
    b->env[0] = "PATH=/usr/bin:/bin";
    b->errand = (struct pingo__runner_errand){.job = {.key = {action, 1},
                                                      .cpus = 1,
                                                      .attempt_dir = b->dir,
                                                      .staged_path = b->staged,
                                                      .output = "output",
                                                      .argv = b->argv,
                                                      .nargv = 3,
                                                      .env = b->env,
                                                      .nenv = 1,
                                                      .readable = none},
                                              .options = {.log_bytes = 65536, .grace_ms = 200}};
    b->end = (struct pingo_job_end){.size = sizeof b->end};
    pingo__runner_alone_run(&b->alone, b->fd, &b->errand, &b->end);
    pingo__runner_alone_leave(&b->alone, &b->end);
    free(b->errand.job.env);
    close(b->fd);
}

static bool is_there(const struct box *b, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", b->dir, name);
    return access(path, F_OK) == 0;
}

static void test_alone__attempts_one_after_the_other(void **state)
{
    struct box b;
    char text[8] = "";

    (void)state;
    box_open(&b, -1);
    run(&b, 1, "echo one > output; echo said");
    assert_true(pingo_job_end_is_success(&b.end));
    assert_false(is_there(&b, "work")); /* what a success needs no more goes */
    int fd = open(b.staged, O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) == 4);
    assert_string_equal(text, "one\n");
    close(fd);
    run(&b, 2, "echo half > part; exit 3");
    assert_int_equal(b.end.reason, PINGO_END_EXITED);
    assert_int_equal(b.end.exit_code, 3);
    assert_true(is_there(&b, "work/part")); /* and of a failure all stays */
    assert_int_equal(access(b.staged, F_OK), -1);
    run(&b, 3, ":");
    assert_false(pingo_job_end_is_success(&b.end)); /* it has left no output */
    run(&b, 4, "echo four > output");
    assert_true(pingo_job_end_is_success(&b.end));
    box_close(&b);
}

static void test_alone__is_told_by_signals(void **state)
{
    struct box b;

    (void)state;
    box_open(&b, -1);
    assert_false(pingo__runner_alone_told(&b.alone, 0));
    assert_int_equal(raise(SIGUSR1), 0);
    assert_true(pingo__runner_alone_told(&b.alone, 0));
    assert_int_equal(b.alone.signal, SIGUSR1);
    assert_int_equal(raise(SIGTERM), 0);
    assert_true(pingo__runner_alone_told(&b.alone, 0));
    assert_int_equal(b.alone.signal, SIGUSR1); /* the first counts */
    /* What was told before ends an attempt at once. */
    run(&b, 1, "sleep 60; echo x > output");
    assert_int_equal(b.end.reason, PINGO_END_KILLED);
    assert_non_null(strstr(b.end.message, "SIGUSR1"));
    assert_int_equal(access(b.staged, F_OK), -1);
    box_close(&b);
}

/* The engine's time limit has a signal of its own. */
static void test_alone__a_time_limit_is_called_so(void **state)
{
    struct box b;

    (void)state;
    box_open(&b, -1);
    assert_int_equal(raise(SIGXCPU), 0);
    run(&b, 1, "sleep 60");
    assert_int_equal(b.end.reason, PINGO_END_TIME_LIMIT);
    assert_non_null(strstr(b.end.message, "SIGXCPU"));
    box_close(&b);
}

/* Engines signal everybody at once: the command may have gone before we hear of it. */
static void test_alone__the_command_heard_it_first(void **state)
{
    struct box b;
    char script[64];

    (void)state;
    box_open(&b, -1);
    snprintf(script, sizeof script, "kill -TERM %ld; kill -TERM $$", (long)getpid());
    run(&b, 1, script);
    assert_int_equal(b.end.reason, PINGO_END_KILLED);
    assert_non_null(strstr(b.end.message, "SIGTERM"));
    box_close(&b);
    /* Without a signal of ours it was the command's own death. */
    box_open(&b, -1);
    run(&b, 1, "kill -TERM $$");
    assert_int_not_equal(b.end.reason, PINGO_END_KILLED);
    assert_false(pingo_job_end_is_success(&b.end));
    box_close(&b);
}

static void test_alone__a_descriptor_ends_it_too(void **state)
{
    struct box b;
    int pipes[2];

    (void)state;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    box_open(&b, pipes[0]);
    run(&b, 1, "echo one > output");
    assert_true(pingo_job_end_is_success(&b.end));
    close(pipes[1]); /* whoever holds the other end has gone */
    run(&b, 2, "sleep 60; echo two > output");
    assert_int_equal(b.end.reason, PINGO_END_KILLED);
    assert_int_equal(b.alone.signal, 0);
    box_close(&b);
    close(pipes[0]);
}

/* Which devices are its own the engine says in our environment, unless the job does. */
static void test_alone__devices_are_passed_on(void **state)
{
    struct box b;

    (void)state;
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "2,3", 1), 0);
    box_open(&b, -1);
    run(&b, 1, "test \"$CUDA_VISIBLE_DEVICES\" = 2,3 && echo > output");
    assert_true(pingo_job_end_is_success(&b.end));
    assert_int_equal(unsetenv("CUDA_VISIBLE_DEVICES"), 0);
    run(&b, 2, "test -z \"$CUDA_VISIBLE_DEVICES\" && echo > output");
    assert_true(pingo_job_end_is_success(&b.end));
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone__attempts_one_after_the_other),
        cmocka_unit_test(test_alone__is_told_by_signals),
        cmocka_unit_test(test_alone__a_time_limit_is_called_so),
        cmocka_unit_test(test_alone__the_command_heard_it_first),
        cmocka_unit_test(test_alone__a_descriptor_ends_it_too),
        cmocka_unit_test(test_alone__devices_are_passed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
