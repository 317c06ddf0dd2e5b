/* test_program.c - the program pingo-runner: attempts, signals, and faults at each of its steps. */
#include "unit/runner/attempts.h"

#include <sys/mount.h>

#include "base/file.h"
#include "digest/sha256.h"
#include "unit/runner/cgroup.h"

static int run(const struct pool *p)
{
    return reap(launch(p, NULL));
}

static bool is_empty(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size == 0;
}

/* What pid is, if it is there, is not what was started here: nobody of the attempt is left. */
static bool is_gone(const struct pool *p, const char *name)
{
    char path[256];
    int pid = 0;
    snprintf(path, sizeof path, "%s/%s", p->root, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    fclose(f);
    for (int i = 0; i < 2000 && kill(pid, 0) == 0; i++)
        nap();
    return kill(pid, 0) != 0 && errno == ESRCH;
}

static void check_success(const struct pool *p)
{
    struct pingo_runner_report report = look(p);
    struct pingo_hash content;
    struct stat st;
    if (report.state != PINGO_RUNNER_ENDED || !pingo_job_end_is_success(&report.end))
        fail_msg("%d %d: %s", report.state, report.end.reason, report.end.message);
    assert_int_equal(stat(p->staged, &st), 0);
    assert_int_equal(st.st_mode & 0222, 0);
    assert_int_equal(report.end.size_bytes, st.st_size);
    assert_int_equal(pingo_content_hash(p->staged, &content, NULL), 0);
    assert_memory_equal(&content, &report.end.content, sizeof content);
}

/* A task of an array job: by its number in a list that is as it was written. */
static void test_program__attempts_are_found_in_a_list(void **state)
{
    static const char text[] = "1.1\n7.3\n";
    struct pool p;
    char hash[PINGO__DIGEST_SHORT_SIZE], dir[256], list[300];
    (void)state;
    pool_open(&p);
    assert_int_equal(arm(&p, 1, "echo 1 > output"), 0);
    pingo__digest_short(text, strlen(text), hash);
    snprintf(dir, sizeof dir, "%s/attempts/.bundles", p.root);
    assert_int_equal(mkdir(dir, 0755), 0);
    snprintf(dir, sizeof dir, "%s/attempts/.bundles/%s", p.root, hash);
    assert_int_equal(mkdir(dir, 0755), 0);
    snprintf(list, sizeof list, "%s/list", dir);
    const char *const words[] = {"--list", list, "0", NULL}, *const other[] = {"--list", list, "2",
                                                                               NULL};
    assert_int_equal(pingo__file_write(AT_FDCWD, list, "1.1\n1.1\n", 8, false), 0);
    assert_int_equal(reap(launch_with(&p, words)), 1); /* as a broken disk has it */
    assert_int_equal(look(&p).state, PINGO_RUNNER_ARMED);
    assert_int_equal(pingo__file_write(AT_FDCWD, list, text, strlen(text), false), 0);
    assert_int_equal(reap(launch_with(&p, other)), 1);
    assert_int_equal(reap(launch_with(&p, words)), 0);
    check_success(&p);
    pool_close(&p);
}

static void test_program__attempts_are_run(void **state)
{
    struct pool p;
    char path[256];
    (void)state;
    pool_open(&p);
    assert_int_equal(arm(&p, 1, "echo $PINGO_CPUS $(basename $HOME) $(basename $TMPDIR) > output"),
                     0);
    assert_int_equal(run(&p), 0);
    check_success(&p);
    assert_int_equal(look(&p).end.size_bytes, strlen("2 work tmp\n"));
    assert_int_equal(run(&p), 3);
    snprintf(path, sizeof path, "%s/work", p.dir);
    assert_int_equal(access(path, F_OK), -1);
    pingo_runner_forget(p.dir);
    assert_int_equal(access(p.dir, F_OK), -1);
    assert_int_equal(run(&p), 3);
    assert_int_equal(arm(&p, 2, "echo here; echo why >&2; cat; exit 7"), 0);
    assert_int_equal(run(&p), 0);
    assert_int_equal(look(&p).end.reason, PINGO_END_EXITED);
    assert_int_equal(look(&p).end.exit_code, 7);
    pingo_runner_forget(p.dir); /* what people read stays */
    snprintf(path, sizeof path, "%s/stderr", p.dir);
    assert_int_equal(access(path, F_OK), 0);
    assert_false(is_empty(path));
    assert_int_equal(reap(launch(&p, "--help")), 0);
    assert_int_equal(reap(launch(&p, "--version")), 0);
    assert_int_equal(reap(launch(&p, "--worse")), 2);
    assert_int_equal(reap(launch(&p, "attempts/1.1")), 2);
    assert_int_equal(reap(launch(&p, p.root)), 2);
    pool_close(&p);
}

/* What an engine does to a job that it ends; all of it goes, and it says so. */
static void test_program__signals_end_all_of_it(void **state)
{
    static const struct {
        int signal;
        enum pingo_end_reason reason;
    } rows[] = {{SIGTERM, PINGO_END_KILLED}, {SIGXCPU, PINGO_END_TIME_LIMIT}};
    struct pool p;
    char script[512];
    (void)state;
    pool_open(&p);
    for (int i = 0; i < 2; i++) {
        snprintf(script, sizeof script,
                 "setsid sh -c 'trap \"\" TERM; echo $$ > %s/other; while :; do sleep 0.1; done' & "
                 "while [ ! -s %s/other ]; do sleep 0.02; done; : > up; wait",
                 p.root, p.root);
        assert_int_equal(arm(&p, 1 + i, script), 0);
        pid_t pid = launch(&p, NULL);
        await(&p, "work/up");
        kill(pid, rows[i].signal);
        assert_int_equal(reap(pid), 0);
        assert_int_equal(look(&p).end.reason, rows[i].reason);
        assert_non_null(strstr(look(&p).end.message, rows[i].signal == SIGTERM ? "TERM" : "XCPU"));
        assert_true(is_gone(&p, "other"));
        snprintf(script, sizeof script, "%s/other", p.root);
        unlink(script);
    }
    /* The command gets it first. */
    snprintf(script, sizeof script, "kill -TERM $PPID $$; sleep 1000");
    assert_int_equal(arm(&p, 3, script), 0);
    assert_int_equal(run(&p), 0);
    assert_int_equal(look(&p).end.reason, PINGO_END_KILLED);
    assert_int_equal(arm(&p, 4, "kill -TERM $$; sleep 1000"), 0); /* and nobody else */
    assert_int_equal(run(&p), 0);
    assert_int_equal(look(&p).end.reason, PINGO_END_SIGNALED);
    pool_close(&p);
}

static void test_program__two_runners_and_one_that_is_killed(void **state)
{
    struct pool p;
    char script[256], path[256];
    (void)state;
    pool_open(&p);
    snprintf(script, sizeof script, "echo x >> %s/count; echo $$ > %s/pid; : > up; exec sleep 1000",
             p.root, p.root);
    assert_int_equal(arm(&p, 1, script), 0);
    pid_t first = launch(&p, NULL), second = launch(&p, NULL);
    await(&p, "work/up");
    pid_t runner = (pid_t)look(&p).pid;
    assert_true(runner == first || runner == second);
    assert_int_equal(reap(runner == first ? second : first), 3);
    assert_false(give_up(&p));
    assert_true(look(&p).held);
    kill(runner, SIGKILL);
    assert_int_equal(reap(runner), 128 + SIGKILL);
    assert_true(is_gone(&p, "pid"));
    assert_false(look(&p).held);
    assert_int_equal(look(&p).state, PINGO_RUNNER_STARTED); /* the engine knows that nobody runs it */
    assert_int_equal(run(&p), 3);
    struct stat st;
    snprintf(path, sizeof path, "%s/count", p.root);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 2);
    pool_close(&p);
}

static void test_program__given_up_while_it_starts(void **state)
{
    struct pool p;
    char script[256], path[256];
    int given_up = 0;
    (void)state;
    pool_open(&p);
    for (int i = 1; i <= 24; i++) {
        snprintf(script, sizeof script, "echo x > %s/ran%d; echo x > output", p.root, i);
        assert_int_equal(arm(&p, i, script), 0);
        pid_t pid = launch(&p, NULL);
        nanosleep(&(struct timespec){0, i * 200000L}, NULL);
        bool revoked = give_up(&p);
        assert_int_equal(reap(pid), revoked ? 3 : 0);
        snprintf(path, sizeof path, "%s/ran%d", p.root, i);
        assert_int_equal(access(path, F_OK) == 0, !revoked);
        if (!revoked)
            check_success(&p);
        given_up += revoked;
    }
    assert_in_range(given_up, 0, 24);
    pool_close(&p);
}

static void test_program__a_job_that_does_not_read_back(void **state)
{
    struct pool p;
    char path[256];
    (void)state;
    pool_open(&p);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(arm(&p, i, "true"), 0);
        snprintf(path, sizeof path, "%s/job", p.dir);
        int fd = open(path, O_WRONLY);
        if (i == 1)
            assert_int_equal(ftruncate(fd, 40), 0);
        else if (i == 2)
            assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, 60), 4);
        else if (i == 3)
            assert_int_equal(ftruncate(fd, 0), 0);
        close(fd);
        if (i == 4) { /* the job of another attempt */
            char other[256];
            snprintf(other, sizeof other, "%s/attempts/5.1", p.root);
            assert_int_equal(rename(p.dir, other), 0);
            name_attempt(&p, 5);
        }
        assert_int_equal(run(&p), 0);
        assert_int_equal(look(&p).end.reason, PINGO_END_NOT_STARTED);
        assert_true(look(&p).end.message[0] != '\0');
    }
    pool_close(&p);
}

/* ---- faults, by strace -------------------------------------------------------------------------- */

/* Did it come to that? */
static bool inject(const struct pool *p, const char *calls, const char *fault, int *status)
{
    char command[8192];
    snprintf(command, sizeof command,
             /* leaks are not looked for under ptrace */
             "ASAN_OPTIONS=detect_leaks=0 exec strace -qq -o %s/trace -e trace=%s -e "
             "'inject=%s:%s' %s %s 2>/dev/null",
             p->root, calls, calls, fault, p->program, p->dir);
    *status = system(command);
    snprintf(command, sizeof command, "grep -q INJECTED %s/trace", p->root);
    return WIFSIGNALED(*status) || WEXITSTATUS(*status) == 128 + SIGKILL || system(command) == 0;
}

static bool has_strace(void)
{
    return system("strace -qq -o /dev/null true 2>/dev/null") == 0;
}

/* Killed before the nth call of a kind: it never started, or it started and has no outcome, or it is whole.  false: there
 * are fewer. */
static bool kill_at(struct pool *p, int action, const char *call, int nth)
{
    char fault[64];
    int status = 0;
    assert_int_equal(arm(p, action, "echo right > output"), 0);
    snprintf(fault, sizeof fault, "signal=SIGKILL:when=%d", nth);
    bool killed = inject(p, call, fault, &status);
    enum pingo_runner_state there = look(p).state;
    if (there == PINGO_RUNNER_ARMED) { /* another one does it */
        assert_int_equal(run(p), 0);
        check_success(p);
    } else {
        assert_int_equal(run(p), 3);
    }
    if (there == PINGO_RUNNER_ENDED)
        check_success(p);
    else
        assert_true(killed && (there == PINGO_RUNNER_ARMED || there == PINGO_RUNNER_STARTED));
    assert_true(killed || status == 0);
    return killed;
}

static void test_program__killed_at_each_step(void **state)
{
    static const char *const calls[] = {"renameat", "renameat2", "mkdirat",  "fsync",   "syncfs",
                                        "vfork",    "ftruncate", "unlinkat", "fchmodat"};
    struct pool p;
    int action = 1;
    (void)state;
    if (!has_strace())
        skip();
    pool_open(&p);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int nth = 1; nth < 20 && kill_at(&p, action++, calls[i], nth); nth++)
            continue;
    assert_true(action > 15);
    pool_close(&p);
}

static void test_program__a_disk_that_is_full_for_a_while(void **state)
{
    struct pool p;
    int status = 0;
    (void)state;
    if (!has_strace())
        skip();
    pool_open(&p);
    assert_int_equal(arm(&p, 1, "echo right > output"), 0); /* at the outcome: it is tried again */
    assert_true(inject(&p, "fsync", "error=ENOSPC:when=1..3", &status));
    assert_int_equal(status, 0);
    check_success(&p);
    assert_int_equal(arm(&p, 2, "echo right > output"), 0); /* at the output */
    assert_true(inject(&p, "syncfs", "error=ENOSPC", &status));
    assert_int_equal(look(&p).end.reason, PINGO_END_NO_SPACE);
    assert_int_equal(look(&p).end.output_kind, PINGO_OUTPUT_NONE);
    assert_int_equal(arm(&p, 3, "echo right > output"), 0); /* at the room for the outcome */
    assert_true(inject(&p, "ftruncate", "error=ENOSPC:when=1", &status));
    assert_int_equal(look(&p).end.reason, PINGO_END_NO_SPACE);
    assert_int_equal(arm(&p, 4, "echo right > output"),
                     0); /* as the kernel tells of a quota on a server */
    assert_true(inject(&p, "syncfs",
                       "error=EIO' -e trace=syncfs,fallocate -e 'inject=fallocate:error=EDQUOT",
                       &status));
    assert_int_equal(look(&p).end.reason, PINGO_END_NO_SPACE);
    assert_int_equal(arm(&p, 5, "echo right > output"), 0); /* and of a disk that fails */
    assert_true(inject(&p, "syncfs", "error=EIO", &status));
    assert_int_equal(look(&p).end.reason, PINGO_END_LOST);
    pool_close(&p);
}

/* A real one; only root can mount it. */
static void test_program__a_command_that_fills_the_disk(void **state)
{
    struct pool p;
    char path[256];
    (void)state;
    pool_open(&p);
    snprintf(path, sizeof path, "%s", p.root);
    if (mount("tmpfs", path, "tmpfs", 0, "size=2m,nr_inodes=200") != 0) {
        pool_close(&p);
        skip();
    }
    snprintf(path, sizeof path, "%s/attempts", p.root);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(arm(&p, 1, "head -c 9000000 /dev/zero > output"), 0);
    assert_int_equal(run(&p), 0);
    assert_int_equal(look(&p).end.reason, PINGO_END_NO_SPACE);
    assert_true(look(&p).end.size_bytes > 1000000);
    assert_int_equal(umount2(p.root, MNT_DETACH), 0);
    pool_close(&p);
}

/* The engine's limit of memory, told apart from whatever the command makes of it. */
static void test_program__the_limit_of_the_engine(void **state)
{
    static const char *const scripts[] = {
        "head -c 200000000 /dev/zero | tail -c 200000000 > output", /* exit 137 */
        "head -c 200000000 /dev/zero | tail -c 200000000; exit 3",  /* an exit status of its own */
        "exec sh -c 'head -c 200000000 /dev/zero | tail -c 200000000; :'" /* and no output */
    };
    struct cgroup group;
    struct pool p;
    (void)state;
    if (!cgroup_new(&group, "33554432"))
        skip();
    pool_open(&p);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(arm(&p, i, i < 4 ? scripts[i - 1] : "exit 3"), 0);
        pid_t pid = fork();
        if (pid == 0) {
            cgroup_enter(&group);
            execl(p.program, "pingo-runner", p.dir, (char *)NULL);
            _exit(127);
        }
        assert_int_equal(reap(pid), 0);
        struct pingo_job_end end = look(&p).end;
        assert_int_equal(end.reason, i == 4 ? PINGO_END_EXITED : PINGO_END_MEMORY_LIMIT);
        if (end.reason == PINGO_END_MEMORY_LIMIT)
            assert_non_null(strstr(end.message, "batch system"));
    }
    cgroup_free(&group);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program__attempts_are_run),
        cmocka_unit_test(test_program__attempts_are_found_in_a_list),
        cmocka_unit_test(test_program__signals_end_all_of_it),
        cmocka_unit_test(test_program__two_runners_and_one_that_is_killed),
        cmocka_unit_test(test_program__given_up_while_it_starts),
        cmocka_unit_test(test_program__a_job_that_does_not_read_back),
        cmocka_unit_test(test_program__killed_at_each_step),
        cmocka_unit_test(test_program__a_disk_that_is_full_for_a_while),
        cmocka_unit_test(test_program__a_command_that_fills_the_disk),
        cmocka_unit_test(test_program__the_limit_of_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
