/* Each way in which a job ends, and that nobody of it is left. */
#include "unit/executor/harness.h"

static void test_local_ends__exit_status(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(&b, &(struct spec){.action = 1, .script = "exit 255"});
    assert_int_equal(end->reason, PINGO_END_EXITED);
    assert_int_equal(end->exit_code, 255);
    box_close(&b);
}

static void test_local_ends__signal(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(&b, &(struct spec){.action = 1, .script = "kill -SEGV $$"});
    assert_int_equal(end->reason, PINGO_END_SIGNALED);
    assert_int_equal(end->signal, SIGSEGV);
    box_close(&b);
}

static void test_local_ends__command_that_is_not_there(void **state)
{
    static const char *const bare[] = {"no-such-command", NULL};
    static const char *const path[] = {"/no/such/command", NULL};
    static const char *const not_executable[] = {"/etc/passwd", NULL};
    static const char *const empty[] = {"", NULL};
    const char *const *const argvs[] = {bare, path, not_executable, empty};
    struct box b;
    (void)state;
    box_open(&b);
    for (size_t i = 0; i < 4; i++) {
        char log[64];
        struct pingo_job_end *end =
            box_run(&b, &(struct spec){.action = (int64_t)i + 1, .argv = argvs[i]});
        assert_int_equal(end->reason, PINGO_END_EXITED);
        assert_int_equal(end->exit_code, 127);
        snprintf(log, sizeof log, "attempts/%zu.1/stderr", i + 1);
        char *text = box_read(&b, log);
        assert_non_null(text);
        assert_memory_equal(text, "pingo: ", 7);
        assert_non_null(strstr(text, argvs[i][0]));
        free(text);
    }
    box_expect_text(&b, "attempts/1.1/stderr", "pingo: no-such-command: no such command on PATH\n");
    /* The worker is well. */
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 9, .script = "echo x > output"})));
    box_close(&b);
}

static void test_local_ends__output_of_a_wrong_kind(void **state)
{
    static const struct {
        const char *script, *said;
        enum pingo_end_reason reason;
    } rows[] = {
        {":", "made no 'output'", PINGO_END_NO_OUTPUT},
        {"ln -s /etc/passwd output", "symbolic link", PINGO_END_BAD_OUTPUT},
        {"mkfifo output", "named pipe", PINGO_END_BAD_OUTPUT},
        {"mkdir output; mkfifo output/x", "output/x: is neither", PINGO_END_BAD_OUTPUT},
        {"mkdir output; ln -s ../in/words output/x", "output/x: is a link out of the output",
         PINGO_END_BAD_OUTPUT},
        {"mkdir output; ln -s \"$PWD/in/a\" output/x", "work/in/a", PINGO_END_BAD_OUTPUT},
        {"mkdir output; ln -s /home/me output/x", "to /home/me", PINGO_END_BAD_OUTPUT},
    };
    struct box b;
    (void)state;
    box_open(&b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_job_end *end =
            box_run(&b, &(struct spec){.action = (int64_t)i + 1, .script = rows[i].script});
        assert_int_equal(end->reason, rows[i].reason);
        assert_int_equal(end->exit_code, 0);
        assert_false(pingo_job_end_is_success(end));
        if (strstr(end->message, rows[i].said) == NULL)
            fail_msg("'%s': %s", rows[i].script, end->message);
    }
    assert_int_equal(box_count(&b, "staged"), 0);
    box_close(&b);
}

/* A tree of processes of which one has a session, a group and a parent of its own. */
#define TREE                                                                                       \
    "setsid sh -c 'sleep 300 & echo $! > escaped.tmp; mv escaped.tmp escaped; wait' & "            \
    "(sleep 300 & echo $! > child.tmp; mv child.tmp child; wait) & "

static void test_local_ends__nobody_outlives_the_leader(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1,
                                   .script = TREE "while ! test -s escaped -a -s child; do "
                                                  "sleep 0.01; done; cat escaped child; exit 1"});
    assert_int_equal(end->reason, PINGO_END_EXITED);
    assert_int_equal(end->exit_code, 1);
    pid_t escaped = box_wait_pid(&b, "attempts/1.1/work/escaped");
    pid_t child = box_wait_pid(&b, "attempts/1.1/work/child");
    assert_true(is_gone(escaped));
    assert_true(is_gone(child));
    box_close(&b);
}

static void test_local_ends__kill_ends_the_whole_tree(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 1, .script = TREE "wait"});
    pid_t escaped = box_wait_pid(&b, "attempts/1.1/work/escaped");
    pid_t child = box_wait_pid(&b, "attempts/1.1/work/child");
    assert_false(is_gone(escaped));
    assert_int_equal(b.type->kill(b.executor, (struct pingo_job_key){1, 1}, NULL), 0);
    struct pingo_job_end *end = box_wait(&b, 1, 1);
    assert_int_equal(end->reason, PINGO_END_KILLED);
    assert_true(is_gone(escaped));
    assert_true(is_gone(child));
    assert_true(end->wall_ms < 200000); /* and not by themselves */
    box_close(&b);
}

static void test_local_ends__kill_lets_a_command_clean_up(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 1,
                                 .script = "trap 'echo bye > last; exit 0' TERM; "
                                           "echo $$ > up.tmp; mv up.tmp up; "
                                           "while :; do sleep 0.01; done"});
    box_wait_pid(&b, "attempts/1.1/work/up");
    assert_int_equal(b.type->kill(b.executor, (struct pingo_job_key){1, 1}, NULL), 0);
    assert_int_equal(box_wait(&b, 1, 1)->reason, PINGO_END_KILLED);
    box_expect_text(&b, "attempts/1.1/work/last", "bye\n");
    box_close(&b);
}

static void test_local_ends__kill_of_a_waiting_job(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= 3; i++)
        box_start(
            &b, &(struct spec){.action = i, .script = "echo $$ > up.tmp; mv up.tmp up; sleep 60"});
    box_wait_pid(&b, "attempts/1.1/work/up");
    for (int64_t i = 3; i >= 1; i--) {
        assert_int_equal(b.type->kill(b.executor, (struct pingo_job_key){i, 1}, NULL), 0);
        assert_int_equal(box_wait(&b, i, 1)->reason, PINGO_END_KILLED);
    }
    char *text = box_read(&b, "attempts/3.1/work/up");
    assert_null(text);
    box_close(&b);
}

static void test_local_ends__time_limit(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(&b, &(struct spec){.action = 1,
                                                           .time_limit_ms = 200,
                                                           .script = "trap '' TERM; sleep 60 & "
                                                                     "while :; do sleep 1; done"});
    assert_int_equal(end->reason, PINGO_END_TIME_LIMIT);
    assert_in_range(end->wall_ms, 200 + 300, 50000); /* limit and grace */
    assert_non_null(strstr(end->message, "0.200 s"));
    end = box_run(&b, &(struct spec){.action = 2, .time_limit_ms = 200, .script = "sleep 60"});
    assert_int_equal(end->reason, PINGO_END_TIME_LIMIT);
    end = box_run(&b,
                  &(struct spec){.action = 3, .time_limit_ms = 60000, .script = "echo x > output"});
    assert_true(pingo_job_end_is_success(end));
    box_close(&b);
}

/* tail keeps a long line in memory. */
#define HOG "head -c 100000000 /dev/zero | tail -c 100000000 | (sleep 2; wc -c > output)"

static void test_local_ends__memory_limit(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1, .memory_bytes = 30000000, .script = HOG});
    assert_int_equal(end->reason, PINGO_END_MEMORY_LIMIT);
    assert_true(end->max_rss_bytes > 30000000);
    assert_non_null(strstr(end->message, "28 MB"));
    end = box_run(&b, &(struct spec){.action = 2, .memory_bytes = 200000000, .script = HOG});
    assert_true(pingo_job_end_is_success(end));
    assert_in_range(end->max_rss_bytes, 90000000, 200000000);
    box_close(&b);
}

static void test_local_ends__times_are_those_of_the_whole_family(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(
        &b, &(struct spec){.action = 1,
                           .script = "(i=0; while test $i -lt 200000; do i=$((i+1)); done); "
                                     "sleep 0.2; echo x > output"});
    assert_true(pingo_job_end_is_success(end));
    assert_true(end->user_ms + end->system_ms >= 20);
    assert_true(end->wall_ms >= 200 && end->wall_ms >= (end->user_ms + end->system_ms) / 2);
    box_close(&b);
}

static void test_local_ends__logs_are_capped(void **state)
{
    struct box b;
    (void)state;
    box_init(&b);
    b.log_bytes = 1000;
    b.executor = box_open_executor(&b);
    /* The first writes for a while: its log is cut as it grows. */
    box_start(&b, &(struct spec){.action = 1, .time_limit_ms = 600, .script = "yes first"});
    struct pingo_job_end *end = box_wait(&b, 1, 1);
    assert_int_equal(end->reason, PINGO_END_TIME_LIMIT);
    end = box_run(&b, &(struct spec){.action = 2,
                                     .script = "head -c 5000 /dev/zero | tr '\\0' e >&2; "
                                               "echo x > output"});
    assert_true(pingo_job_end_is_success(end));
    for (int64_t i = 1; i <= 2; i++) {
        char part[40];
        snprintf(part, sizeof part, "attempts/%lld.1/%s", (long long)i,
                 i == 1 ? "stdout" : "stderr");
        char *text = box_read(&b, part);
        assert_non_null(text);
        assert_string_equal(text + 1000, "\npingo: log cut at 1000 bytes\n");
        assert_memory_equal(text, i == 1 ? "first\nfi" : "eeeeeeee", 8);
        free(text);
    }
    /* An output on standard output has no cap. */
    end = box_run(&b, &(struct spec){
                          .action = 3, .standard_output = true, .script = "head -c 5000 /dev/zero"});
    assert_true(pingo_job_end_is_success(end));
    assert_int_equal(end->size_bytes, 5000);
    box_close(&b);
}

static void test_local_ends__an_output_that_cannot_be_staged(void **state)
{
    struct box b;
    char path[160], away[160];
    (void)state;
    box_open(&b);
    /* The first worker is up and has a directory ready. */
    box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    snprintf(path, sizeof path, "%s/staged", b.pool);
    snprintf(away, sizeof away, "%s/away", b.root);
    assert_int_equal(rename(path, away), 0);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"});
    assert_int_equal(rename(away, path), 0);
    assert_int_equal(end->reason, PINGO_END_LOST);
    assert_non_null(strstr(end->message, "staged"));
    box_close(&b);
}

/* A store that was put back to an earlier state gives keys out again. */
static void test_local_ends__an_old_end_is_not_that_of_a_new_attempt(void **state)
{
    struct box b;
    char path[160], staged[160];
    (void)state;
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1, .script = "echo old > output"});
    box_run(&b, &(struct spec){.action = 2, .script = "exit 1"});
    b.type->close(b.executor);
    b.executor = box_open_executor(&b);
    b.nends = 0;
    box_paths(&b, (struct pingo_job_key){1, 1}, path, staged, sizeof path);
    assert_int_equal(unlink(staged), 0);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1, .script = "echo newer > output"});
    assert_int_equal(end->size_bytes, 6);
    box_expect_text(&b, "staged/1.1", "newer\n");
    end = box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"});
    assert_int_equal(end->reason, PINGO_END_NOT_STARTED); /* its directory is still there */
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_ends__exit_status),
        cmocka_unit_test(test_local_ends__signal),
        cmocka_unit_test(test_local_ends__command_that_is_not_there),
        cmocka_unit_test(test_local_ends__output_of_a_wrong_kind),
        cmocka_unit_test(test_local_ends__nobody_outlives_the_leader),
        cmocka_unit_test(test_local_ends__kill_ends_the_whole_tree),
        cmocka_unit_test(test_local_ends__kill_lets_a_command_clean_up),
        cmocka_unit_test(test_local_ends__kill_of_a_waiting_job),
        cmocka_unit_test(test_local_ends__time_limit),
        cmocka_unit_test(test_local_ends__memory_limit),
        cmocka_unit_test(test_local_ends__times_are_those_of_the_whole_family),
        cmocka_unit_test(test_local_ends__logs_are_capped),
        cmocka_unit_test(test_local_ends__an_old_end_is_not_that_of_a_new_attempt),
        cmocka_unit_test(test_local_ends__an_output_that_cannot_be_staged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
