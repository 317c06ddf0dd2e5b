/* test_deliver.c - logs and the output of an attempt on their way to HDFS, and what is said where they do not arrive. */
#include "unit/executor/hadoop/node/fake.h"

static struct {
    char dir[128], staged[128];
    struct pingo__runner_job job;
    struct pingo_job_end end;
} attempt;

/* One that has ended well, and left this. */
static void write_to(const char *dir, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s%s", dir, *name ? "/" : "", name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void end_well(struct pingo__executor_node *n, int64_t action)
{
    snprintf(attempt.dir, sizeof attempt.dir, "%s/attempts/%d.1", n->root, (int)action);
    snprintf(attempt.staged, sizeof attempt.staged, "%s/staged/%d.1", n->root, (int)action);
    assert_int_equal(mkdir(attempt.dir, 0755), 0);
    attempt.job = (struct pingo__runner_job){.key = KEY(action),
                                             .attempt_dir = attempt.dir,
                                             .staged_path = attempt.staged,
                                             .output = "out"};
    attempt.end = (struct pingo_job_end){.size = sizeof attempt.end,
                                         .key = KEY(action),
                                         .output_kind = PINGO_OUTPUT_FILE,
                                         .size_bytes = 3};
}

static const struct pingo_job_end *deliver(struct pingo__executor_node *n)
{
    pingo__executor_node_deliver(n, &attempt.job, n->fs, &attempt.end);
    return &attempt.end;
}

static void test_deliver__all_of_it(void **state)
{
    struct pingo__executor_node *n = *state;
    end_well(n, 1);
    write_to(attempt.dir, "stdout", "said\n");
    write_to(attempt.dir, "stderr", "");
    write_to(attempt.staged, "", "abc");
    assert_true(pingo_job_end_is_success(deliver(n)));
    hdfs_expect("staged/1.1", "abc");
    hdfs_expect("attempts/1.1/stdout", "said\n");
    assert_false(hdfs_has("attempts/1.1/stderr")); /* an empty one is not kept */
    assert_int_equal(attempt.end.size_bytes, 3);
    assert_false(hdfs_has("staged/1.1.copy"));
    assert_int_equal(hdfs_count("RENAME /p/staged/1.1.copy"), 1); /* it is whole when it is there */
    /* The outcome, as it will be, was brought beside them. */
    assert_true(n->is_prepared && hdfs_has("attempts/1.1/outcome.copy"));
    /* Where standard output is the output it is no log. */
    end_well(n, 2);
    attempt.job.output = NULL;
    write_to(attempt.dir, "stdout", "xyz");
    write_to(attempt.dir, "stderr", "no\n");
    write_to(attempt.staged, "", "xyz");
    assert_true(pingo_job_end_is_success(deliver(n)));
    assert_false(hdfs_has("attempts/2.1/stdout"));
    hdfs_expect("attempts/2.1/stderr", "no\n");
    hdfs_expect("staged/2.1", "xyz");
}

/* Of a failure the logs are brought alone. */
static void test_deliver__a_failure(void **state)
{
    struct pingo__executor_node *n = *state;
    end_well(n, 1);
    write_to(attempt.dir, "stderr", "why\n");
    write_to(attempt.staged, "", "abc");
    attempt.end.exit_code = 3;
    deliver(n);
    assert_int_equal(attempt.end.reason, PINGO_END_EXITED);
    assert_int_equal(attempt.end.exit_code, 3);
    hdfs_expect("attempts/1.1/stderr", "why\n");
    assert_false(hdfs_has("staged/1.1"));
}

/* HDFS has no links: their copies count. */
static void test_deliver__a_directory_is_measured_there(void **state)
{
    struct pingo__executor_node *n = *state;
    char path[160];
    end_well(n, 1);
    attempt.end.output_kind = PINGO_OUTPUT_DIRECTORY;
    assert_int_equal(mkdir(attempt.staged, 0755), 0);
    write_to(attempt.staged, "a", "abcd");
    snprintf(path, sizeof path, "%s/b", attempt.staged);
    assert_int_equal(symlink("a", path), 0);
    assert_true(pingo_job_end_is_success(deliver(n)));
    hdfs_expect("staged/1.1/b", "abcd");
    assert_int_equal(attempt.end.size_bytes, 8);
}

static void test_deliver__why_it_is_not_there(void **state)
{
    static const struct {
        const char *op, *exception; /* when the output is brought; NULL: a link leads out of it */
        enum pingo_end_reason reason;
        const char *message;
    } rows[] = {
        {NULL, NULL, PINGO_END_BAD_OUTPUT, "b: is a link that leads out of the output"},
        {"CREATE", "DSQuotaExceededException", PINGO_END_NO_SPACE, "the output cannot be uploaded: "},
        {"CREATE", "AccessControlException", PINGO_END_LOST, "the output cannot be uploaded: "},
        {"GETCONTENTSUMMARY", "AccessControlException", PINGO_END_LOST,
         "the output cannot be uploaded: "},
    };
    struct pingo__executor_node *n = *state;
    char path[160];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        end_well(n, (int64_t)i + 1);
        attempt.end.output_kind = PINGO_OUTPUT_DIRECTORY;
        assert_int_equal(mkdir(attempt.staged, 0755), 0);
        write_to(attempt.staged, "a", "abcd");
        snprintf(path, sizeof path, "%s/b", attempt.staged);
        assert_int_equal(rows[i].op ? 0 : symlink("/etc", path), 0);
        hdfs_refuse(rows[i].op ? rows[i].op : "-", "staged", rows[i].exception, 100);
        deliver(n);
        assert_int_equal(attempt.end.reason, rows[i].reason);
        assert_false(pingo_job_end_is_success(&attempt.end));
        if (strncmp(attempt.end.message, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s", attempt.end.message);
        snprintf(path, sizeof path, "staged/%zu.1.copy", i + 1);
        assert_false(hdfs_has(path)); /* nothing half is left */
    }
}

/* Nobody hears of a log that cannot be kept. */
static void test_deliver__a_log_that_is_refused(void **state)
{
    struct pingo__executor_node *n = *state;
    end_well(n, 1);
    write_to(attempt.dir, "stderr", "why\n");
    write_to(attempt.staged, "", "abc");
    hdfs_refuse("CREATE", "stderr", "DSQuotaExceededException", 100);
    assert_true(pingo_job_end_is_success(deliver(n)));
    assert_false(hdfs_has("attempts/1.1/stderr"));
    hdfs_expect("staged/1.1", "abc");
}

/* What was refused for a while, or was done and not answered. */
static void test_deliver__it_is_tried_again(void **state)
{
    static const struct {
        const char *op, *exception;
        int times;
    } rows[] = {
        {"CREATE", "StandbyException", 3},
        {"CREATE", "AccessControlException", 2}, /* a DataNode dies */
        {"CREATE", NULL, 2},
        {"RENAME", NULL, 1},
    };
    struct pingo__executor_node *n = *state;
    char path[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        end_well(n, (int64_t)i + 1);
        write_to(attempt.staged, "", "abc");
        hdfs_refuse(rows[i].op, "staged", rows[i].exception, rows[i].times);
        if (!pingo_job_end_is_success(deliver(n)))
            fail_msg("row %zu: %s", i, attempt.end.message);
        snprintf(path, sizeof path, "staged/%zu.1", i + 1);
        hdfs_expect(path, "abc");
    }
}

/* The output has its name, and whether it has is not told once. */
static void refuse_one(const char *op, const char *path)
{
    if (strcmp(op, "GETFILESTATUS") != 0 || strcmp(path, "/p/staged/1.1") != 0)
        return;
    hdfs_refuse("GETFILESTATUS", "staged/1.1", "AccessControlException", 1);
    hdfs.on_question = NULL;
}

static void test_deliver__it_was_done_and_nobody_said_so(void **state)
{
    struct pingo__executor_node *n = *state;
    end_well(n, 1);
    write_to(attempt.staged, "", "abc");
    hdfs_refuse("RENAME", "staged", NULL, 1);
    hdfs.on_question = refuse_one;
    assert_true(pingo_job_end_is_success(deliver(n)));
    hdfs_expect("staged/1.1", "abc");
    assert_int_equal(hdfs_count("RENAME /p/staged/1.1.copy"), 2);
    assert_false(hdfs_has("staged/1.1.copy"));
}

static void test_deliver__who_is_told_to_end_waits_for_nobody(void **state)
{
    struct pingo__executor_node *n = *state;
    end_well(n, 1);
    write_to(attempt.staged, "", "abc");
    pingo__hdfs_stop(n->fs);
    deliver(n);
    assert_int_equal(attempt.end.reason, PINGO_END_KILLED);
    assert_string_equal(attempt.end.message, "it was ended while its output was uploaded");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_deliver__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_of_it),
        TEST(a_failure),
        TEST(a_directory_is_measured_there),
        TEST(why_it_is_not_there),
        TEST(a_log_that_is_refused),
        TEST(it_is_tried_again),
        TEST(it_was_done_and_nobody_said_so),
        TEST(who_is_told_to_end_waits_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
