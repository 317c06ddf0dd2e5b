/* What the supervisor stands on: a directory of its own, names of its own, one more try to start; and
 * nothing of who started it. */
#include <sched.h>
#include <sys/resource.h>

#include "unit/executor/harness.h"

static void make_file(const struct box *b, const char *part, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", b->pool, part);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_local_ground__what_is_foreign_stays(void **state)
{
    static const char *const foreign[] = {"attempts/keep", "attempts/7.1x", "attempts/.ready.mine",
                                          "attempts/.ready.12", "attempts/8.1"};
    char path[160];
    struct box b;
    (void)state;
    box_init(&b);
    snprintf(path, sizeof path, "%s/attempts/.ready.99999999.1", b.pool);
    assert_int_equal(mkdir(path, 0755), 0);
    make_file(&b, "attempts/9.1", ""); /* a scheduler gave it up */
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        make_file(&b, foreign[i], "mine\n");
    b.executor = box_open_executor(&b);
    box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        box_expect_text(&b, foreign[i], "mine\n");
    assert_int_equal(access(path, F_OK), -1);
    assert_null(box_read(&b, "attempts/9.1"));
    box_close(&b);
}

static void test_local_ground__attempts_as_a_link_are_refused(void **state)
{
    const struct spec spec = {.action = 1, .script = "echo x > output"};
    struct pingo_error err = {0};
    char path[200], elsewhere[160];
    struct box b;
    (void)state;
    box_init(&b);
    snprintf(path, sizeof path, "%s/attempts", b.pool);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", b.root);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    make_file(&b, "attempts/5.1", "");
    b.executor = box_open_executor(&b);
    int rc = box_try_start(&b, &spec, &err);
    for (int64_t until = now_ms() + PATIENCE_MS; rc == 0 && now_ms() < until;) {
        struct pingo_executor_reports reports = {
            .context = &b, .started = box_on_started, .ended = box_on_ended};
        rc = b.type->collect(b.executor, &reports, &err);
        nap(5);
    }
    assert_int_equal(rc, PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, "is a link"));
    snprintf(path, sizeof path, "%s/5.1", elsewhere);
    assert_int_equal(access(path, F_OK), 0);
    box_close(&b);
}

/* A helper that is killed the first time that it starts. */
static void test_local_ground__a_supervisor_that_dies_starting(void **state)
{
    char real[4096], path[256], script[9000];
    struct box b;
    (void)state;
    box_init(&b);
    snprintf(real, sizeof real, "%s", b.helper);
    snprintf(b.helper, sizeof b.helper, "%s/helper", b.root);
    assert_int_equal(mkdir(b.helper, 0755), 0);
    snprintf(path, sizeof path, "%s/helper/pingo-supervisor", b.root);
    snprintf(script, sizeof script,
             "#!/bin/sh\n[ -e %s/died ] || { : >%s/died; kill -9 $$; }\n"
             "exec %s/pingo-supervisor \"$@\"\n",
             b.root, b.root, real);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(script, file);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
    b.executor = box_open_executor(&b);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"})));
    snprintf(path, sizeof path, "%s/died", b.root);
    assert_int_equal(access(path, F_OK), 0);
    box_close(&b);
}

/* Both callers' commands see the same, whoever started the supervisor. */
static void test_local_ground__nothing_of_the_caller_reaches_an_action(void **state)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    static const char look[] =
        "{ ulimit -S -a; nice; umask; grep -a Cpus_allowed: /proc/self/status; cat "
        "/proc/self/oom_score_adj; } | grep -v pending >output; "
        "tr '\\0' '\\n' </proc/$PPID/environ | grep -v '^[AU]B*SAN_OPTIONS=' >../../../environ";
    struct rlimit files, stack, size, core;
    struct box b, other;
    char *first, *second;
    cpu_set_t all, one;
    (void)state;
    box_open(&other);
    assert_true(pingo_job_end_is_success(
        box_run(&other, &(struct spec){.action = 1, .env = env, .script = look})));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files) | getrlimit(RLIMIT_STACK, &stack) |
                         getrlimit(RLIMIT_FSIZE, &size) | getrlimit(RLIMIT_CORE, &core),
                     0);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    const struct rlimit low_files = {200, files.rlim_max}, low_stack = {1 << 20, stack.rlim_max},
                        low_size = {1 << 26, size.rlim_max}, cores = {core.rlim_max, core.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low_files);
    setrlimit(RLIMIT_STACK, &low_stack);
    setrlimit(RLIMIT_FSIZE, &low_size);
    setrlimit(RLIMIT_CORE, &cores);
    sched_setaffinity(0, sizeof one, &one);
    setenv("MY_SECRET", "hunter2", 1);
    mode_t mask = umask(077);
    int niceness = geteuid() == 0 ? setpriority(PRIO_PROCESS, 0, 7) : 0; /* only root can go back */
    box_open(&b);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 1, .env = env, .script = look})));
    setrlimit(RLIMIT_NOFILE, &files);
    setrlimit(RLIMIT_STACK, &stack);
    setrlimit(RLIMIT_FSIZE, &size);
    setrlimit(RLIMIT_CORE, &core);
    sched_setaffinity(0, sizeof all, &all);
    umask(mask);
    if (niceness == 0 && geteuid() == 0)
        setpriority(PRIO_PROCESS, 0, 0);
    first = box_read(&other, "staged/1.1");
    second = box_read(&b, "staged/1.1");
    assert_string_equal(first, second);
    free(first);
    free(second);
    box_expect_text(&b, "environ", "PATH=/usr/local/bin:/usr/bin:/bin\n");
    box_close(&b);
    box_close(&other);
}

static char told[400];

static void on_log(void *context, const char *message)
{
    (void)context;
    if (strstr(message, "is stopped") != NULL)
        snprintf(told, sizeof told, "%s", message);
}

static void test_local_ground__a_stopped_supervisor_is_told(void **state)
{
    const struct pingo_job_key key = {2, 1};
    struct pingo_error err = {0};
    char expected[64];
    bool found = false;
    struct box b;
    (void)state;
    box_init(&b);
    b.log = on_log;
    b.executor = box_open_executor(&b);
    box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    pid_t pid = box_supervisor(&b);
    snprintf(expected, sizeof expected, "kill -CONT %ld", (long)pid);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    told[0] = '\0';
    box_start(&b, &(struct spec){.action = 2, .script = "echo x > output"});
    for (int64_t until = now_ms() + PATIENCE_MS; told[0] == '\0' && now_ms() < until;)
        box_turn(&b, 100);
    assert_non_null(strstr(told, expected));
    /* Who must ask it something is told soon, not after half a minute. */
    void *another = box_open_executor(&b);
    int64_t began = now_ms();
    assert_int_equal(b.type->adopt(another, &key, 1, &found, &err), PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, expected));
    assert_in_range(now_ms() - began, 0, 25000);
    b.type->close(another);
    assert_int_equal(kill(pid, SIGCONT), 0);
    assert_true(pingo_job_end_is_success(box_wait(&b, 2, 1)));
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_ground__what_is_foreign_stays),
        cmocka_unit_test(test_local_ground__attempts_as_a_link_are_refused),
        cmocka_unit_test(test_local_ground__a_supervisor_that_dies_starting),
        cmocka_unit_test(test_local_ground__a_stopped_supervisor_is_told),
        cmocka_unit_test(test_local_ground__nothing_of_the_caller_reaches_an_action),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
