/* test_runner.c - one attempt through the runner's own interface, without a supervisor: the gate and who passes it, what
 * an end says, orders, limits, and what becomes of the directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/runner.h"

struct box {
    char root[64], dir[128], staged[128];
    enum pingo_end_reason order; /* what it is told once the command has made the file "up" */
    struct pingo__runner_master master;
    struct pingo__runner_state runner;
    struct pingo__runner_job job;
    const char *argv[4];
    struct pingo_job_end end;
};

static enum pingo_end_reason take(struct pingo__runner_master *master, struct pingo_job_key key)
{
    struct box *b = master->context;
    char path[256];

    assert_int_equal(key.action, b->job.key.action);
    snprintf(path, sizeof path, "%s/work/up", b->dir);
    return b->order != PINGO_END_EXITED && access(path, F_OK) == 0 ? b->order : PINGO_END_EXITED;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void make_dir(const struct box *b, const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static void box_open(struct box *b)
{
    memset(b, 0, sizeof *b);
    snprintf(b->root, sizeof b->root, "/tmp/pingo-runner.XXXXXX");
    assert_non_null(mkdtemp(b->root));
    make_dir(b, "attempts");
    make_dir(b, "staged");
    b->master = (struct pingo__runner_master){-1, take, b};
    assert_true(pingo__runner_open(&b->runner, b->root, &b->master));
    pingo__runner_scratch_prepare(&b->runner.scratch);
    b->runner.log_bytes = 65536;
    b->runner.grace_ms = 200;
}

static void box_close(struct box *b)
{
    pingo__runner_close(&b->runner);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* nobody is left */
    nftw(b->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void prepare(struct box *b, int64_t action, const char *script)
{
    static const char *env[] = {"PATH=/usr/bin:/bin", NULL}, *none[] = {NULL};

    snprintf(b->dir, sizeof b->dir, "%s/attempts/%d.1", b->root, (int)action);
    snprintf(b->staged, sizeof b->staged, "%s/staged/%d.1", b->root, (int)action);
    memcpy(b->argv, (const char *[]){"sh", "-c", script, NULL}, sizeof b->argv);
    b->job = (struct pingo__runner_job){.key = {action, 1},
                                        .cpus = 1,
                                        .attempt_dir = b->dir,
                                        .staged_path = b->staged,
                                        .output = "output",
                                        .argv = b->argv,
                                        .nargv = 3,
                                        .env = env,
                                        .nenv = 1,
                                        .readable = none};
}

/* 1: it was given up. */
static int claim(struct box *b)
{
    bool given_up;
    int rc = pingo__runner_claim(&b->runner, b->dir, &given_up);
    return given_up ? 1 : rc;
}

/* From the gate to the directory's way back. */
static void go(struct box *b)
{
    assert_int_equal(claim(b), 0);
    pingo__runner_run(&b->runner, &b->job, 1, &b->end);
    pingo__runner_settle(&b->runner, &b->job, &b->end);
    pingo__runner_scratch_prepare(&b->runner.scratch);
}

static void test_runner__a_success_is_whole_and_its_directory_goes(void **state)
{
    struct pingo_hash content;
    struct box b;
    struct stat st;

    (void)state;
    box_open(&b);
    prepare(&b, 1, "echo $PINGO_CPUS > output");
    go(&b);
    if (!pingo_job_end_is_success(&b.end))
        fail_msg("%d: %s", b.end.reason, b.end.message);
    assert_int_equal(b.end.key.action, 1);
    assert_true(b.end.started_ms > 0 && b.end.ended_ms >= b.end.started_ms);
    assert_int_equal(b.end.size_bytes, 2);
    assert_int_equal(stat(b.staged, &st), 0);
    assert_int_equal(st.st_mode & 0222, 0);
    assert_int_equal(pingo_content_hash(b.staged, &content, NULL), 0);
    assert_memory_equal(&content, &b.end.content, sizeof content);
    assert_int_equal(stat(b.dir, &st), -1);
    prepare(&b, 2, "echo why >&2; exit 3");
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_EXITED);
    assert_int_equal(b.end.exit_code, 3);
    assert_int_equal(stat(b.dir, &st), 0); /* for people */
    box_close(&b);
}

static void test_runner__who_was_given_up_does_not_start(void **state)
{
    struct box b;
    int fd;

    (void)state;
    box_open(&b);
    prepare(&b, 1, "echo x > output");
    fd = open(b.dir, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(claim(&b), 1);
    prepare(&b, 2, "echo x > output"); /* a directory there is none of this attempt's */
    assert_int_equal(mkdir(b.dir, 0755), 0);
    assert_int_equal(claim(&b), -EEXIST);
    prepare(&b, 3, "echo x > output"); /* and the one that is ready still serves */
    go(&b);
    assert_true(pingo_job_end_is_success(&b.end));
    box_close(&b);
}

static void test_runner__orders_and_limits(void **state)
{
    static const char *const stubborn = "trap '' TERM; : > up; while :; do sleep 0.05; done";
    struct box b;

    (void)state;
    box_open(&b);
    prepare(&b, 1, ": > up; setsid sleep 1000 & sleep 1000");
    b.order = PINGO_END_KILLED;
    b.master.fd =
        open("/dev/zero", O_RDONLY | O_CLOEXEC); /* always readable: it asks all the time */
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_KILLED);
    prepare(&b, 2, stubborn);
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_KILLED);
    prepare(&b, 3, stubborn);
    b.order = PINGO_END_LOST;
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_LOST);
    close(b.master.fd);
    b.master.fd = -1;
    b.order = PINGO_END_EXITED;
    prepare(&b, 4, "sleep 1000");
    b.job.time_limit_ms = 100;
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_TIME_LIMIT);
    prepare(&b, 5, "true");
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_NO_OUTPUT);
    prepare(&b, 6, "kill -SEGV $$");
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_SIGNALED);
    assert_int_equal(b.end.signal, SIGSEGV);
    box_close(&b);
}

static size_t count_open(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* /proc is not there: what else is wrong is told all the same. */
static bool is_proc_away;

int open(const char *name, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!is_proc_away || strncmp(name, "/proc/", 6) != 0)
        return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
    errno = EACCES;
    return -1;
}

static void test_runner__leaves_no_descriptor_open(void **state)
{
    struct box b;
    (void)state;
    size_t before = count_open();
    box_open(&b);
    prepare(&b, 1, "echo x > output");
    go(&b);
    box_close(&b);
    assert_int_equal(count_open(), before);
    struct pingo__runner_master master = {-1, take, &b};
    struct pingo__runner_state runner;
    is_proc_away = true;
    assert_false(pingo__runner_open(&runner, "/nowhere", &master));
    assert_int_equal(errno, ENOENT);
    is_proc_away = false;
    assert_true(runner.scratch.dir < 0); /* so that nobody tidies up standard input */
    assert_int_equal(count_open(), before);
}

/* Another attempt met it, and has made room since. */
static void test_runner__a_disk_that_was_full_a_moment_ago(void **state)
{
    static const char *const scripts[] = {"sleep 0.02; touch ../../../pingo-pool; exit 1",
                                          "touch -d '-1 minute' ../../../pingo-pool; exit 1"};
    struct box b;

    (void)state;
    box_open(&b);
    make_dir(&b, "pingo-pool"); /* any file will do */
    prepare(&b, 1, scripts[0]);
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_NO_SPACE);
    usleep(20000);
    prepare(&b, 2, "exit 1"); /* it began later */
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_EXITED);
    prepare(&b, 3, scripts[1]);
    go(&b);
    assert_int_equal(b.end.reason, PINGO_END_EXITED);
    box_close(&b);
}

static int pool_error;

int futimens(int fd, const struct timespec times[2])
{
    errno = pool_error;
    return pool_error ? -1 : (int)syscall(SYS_utimensat, fd, NULL, times, 0);
}

/* Its disk had an error; the command cannot write, and says so in its own way. */
static void test_runner__a_pool_that_became_read_only(void **state)
{
    static const struct {
        int error;
        const char *script;
        enum pingo_end_reason reason;
    } rows[] = {{EROFS, "exit 2", PINGO_END_LOST},
                {EIO, "kill -BUS $$", PINGO_END_LOST},
                {EPERM, "exit 2", PINGO_END_EXITED},
                {0, "exit 2", PINGO_END_EXITED},
                {EROFS, "echo x > output", PINGO_END_EXITED}};
    struct box b;
    (void)state;
    box_open(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        prepare(&b, (int64_t)i + 1, rows[i].script);
        pool_error = rows[i].error;
        go(&b);
        pool_error = 0;
        assert_int_equal(b.end.reason, rows[i].reason);
        assert_int_equal(rows[i].reason == PINGO_END_LOST,
                         strstr(b.end.message, "it failed while the pool could not be written: ") !=
                             NULL);
    }
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runner__a_success_is_whole_and_its_directory_goes),
        cmocka_unit_test(test_runner__a_disk_that_was_full_a_moment_ago),
        cmocka_unit_test(test_runner__a_pool_that_became_read_only),
        cmocka_unit_test(test_runner__who_was_given_up_does_not_start),
        cmocka_unit_test(test_runner__orders_and_limits),
        cmocka_unit_test(test_runner__leaves_no_descriptor_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
