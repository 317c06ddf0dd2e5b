/* test_attempt.c - one attempt that a container has claimed: whatever becomes of it, there is an outcome. */
#include "unit/executor/hadoop/node/fake.h"

/* The job of attempt 1 is ours by now. */
static void claim(struct pingo__executor_node *n)
{
    assert_int_equal(pingo__hdfs_rename(n->fs, "attempts/1.1/job", "attempts/1.1/" STARTED, NULL),
                     0);
    hdfs_put("bundles/" APPLICATION, NULL);
}

static struct pingo_job_end run(struct pingo__executor_node *n)
{
    assert_true(pingo__executor_node_attempt(n, KEY(1)));
    return hdfs_outcome(1);
}

static void test_attempt__the_whole_way(void **state)
{
    struct pingo__executor_node *n = *state;
    static const struct pingo_hash none;
    char path[96];
    hdfs_put("objects/words", "some words\n");
    hdfs_put_job(1, "cat in/words in/words >out; echo told >&2", "objects/words");
    claim(n);
    const struct pingo_job_end end = run(n);
    assert_true(pingo_job_end_is_success(&end));
    assert_int_equal(end.size_bytes, 22);
    assert_true(end.inputs_same && !end.output_mark);
    assert_memory_equal(&end.content, &none, sizeof none); /* HDFS has hashes of another kind */
    assert_true(end.started_ms > 0 && end.ended_ms >= end.started_ms);
    hdfs_expect("staged/1.1", "some words\nsome words\n");
    hdfs_expect("attempts/1.1/stderr", "told\n");
    assert_false(hdfs_has("attempts/1.1/stdout"));
    /* The bell, and the outcome that was ready before. */
    assert_int_equal(hdfs_count("MKDIRS /p/bundles/" APPLICATION "/started.1.1"), 1);
    assert_true(hdfs_has("bundles/" APPLICATION "/ended.1.1"));
    assert_false(hdfs_has("bundles/" APPLICATION "/started.1.1"));
    assert_int_equal(hdfs_count("RENAME /p/attempts/1.1/outcome.copy\n"), 1);
    assert_false(hdfs_has("attempts/1.1/outcome.copy"));
    /* Nothing of it stays on the node but what others may read. */
    snprintf(path, sizeof path, "%s/attempts/1.1", n->root);
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof path, "%s/staged/1.1", n->root);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(n->inputs.n, 1);
}

static void test_attempt__a_command_that_fails(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put_job(1, "echo x >out; echo no >&2; exit 3", NULL);
    claim(n);
    const struct pingo_job_end end = run(n);
    assert_int_equal(end.reason, PINGO_END_EXITED);
    assert_int_equal(end.exit_code, 3);
    hdfs_expect("attempts/1.1/stderr", "no\n");
    assert_false(hdfs_has("staged/1.1"));
}

/* What was ready is not what came of it: the output did not arrive. */
static void test_attempt__an_outcome_that_was_too_good(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put_job(1, "echo x >out", NULL);
    claim(n);
    hdfs_refuse("CREATE", "staged", "DSQuotaExceededException", 100);
    assert_int_equal(run(n).reason, PINGO_END_NO_SPACE);
    assert_false(hdfs_has("attempts/1.1/outcome.copy"));
}

/* A job as somebody else has written it. */
static void spoil(char *bytes, size_t n, size_t at, char byte)
{
    bytes[at] = byte;
    uint64_t sum = pingo__runner_checksum(bytes, n - 8);
    for (size_t i = 0; i < 8; i++)
        bytes[n - 8 + i] = (char)(sum >> (8 * i));
}

static void test_attempt__a_job_that_cannot_be_run(void **state)
{
    static const struct {
        const char *lies; /* NULL: a job, of which: */
        size_t at;        /* this byte, if any, */
        char byte;        /* is so; */
        const char *message;
    } rows[] = {
        {"these are no bytes of a job", 0, 0, "its job does not read back"},
        {"", 0, 0, "its job does not read back"},
        {NULL, 8, 99, "its job is written by another version of Pingo than the runner's"},
        {NULL, 36, 2, "its job does not read back"}, /* the key of another */
        {NULL, 0, 0, "its job cannot be read: attempts/1.1/" STARTED ": is not there"},
    };
    struct pingo__executor_node *n = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(pingo__hdfs_remove(n->fs, "attempts/1.1", NULL), 0);
        if (rows[i].lies)
            hdfs_put("attempts/1.1/" STARTED, rows[i].lies);
        else if (rows[i].at) {
            hdfs_put_job(1, "true", NULL);
            struct hdfs_entry *e = hdfs_find("/p/attempts/1.1/job");
            spoil(e->bytes, e->n, rows[i].at, rows[i].byte);
            claim(n);
        }
        const struct pingo_job_end end = run(n);
        assert_int_equal(end.reason, PINGO_END_NOT_STARTED);
        if (strncmp(end.message, rows[i].message, strlen(end.message)) != 0 || !*end.message)
            fail_msg("row %zu: %s", i, end.message);
        assert_false(hdfs_has("staged/1.1"));
    }
}

static void test_attempt__an_input_that_is_gone(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put_job(1, "echo x >out", "objects/gone");
    claim(n);
    const struct pingo_job_end end = run(n);
    assert_int_equal(end.reason, PINGO_END_NOT_STARTED);
    assert_memory_equal(end.message, "in/words cannot be fetched: ", 28);
    assert_non_null(strstr(end.message, "objects/gone"));
    assert_false(hdfs_has("staged/1.1"));
}

/* Bytes of an input are asked for, and the container is told to end before they come. */
static void end_it(const char *op, const char *path)
{
    struct pingo__executor_node_watch *w = &container.n.watch;
    bool is_stopped = false;
    if (strcmp(op, "OPEN") != 0 || !strstr(path, "words"))
        return;
    kill(getpid(), SIGTERM);
    while (!is_stopped) {
        poll(NULL, 0, 1);
        pthread_mutex_lock(&w->mutex);
        is_stopped = w->is_stopped;
        pthread_mutex_unlock(&w->mutex);
    }
}

static void test_attempt__ended_while_it_fetches(void **state)
{
    struct pingo__executor_node *n = *state;
    assert_int_equal(pingo__executor_node_watch_start(&n->watch, pingo__executor_node_open(n, NULL),
                                                      n->alone.signals),
                     0);
    hdfs_put("objects/words", "some words\n");
    hdfs_put_job(1, "echo x >out", "objects/words");
    claim(n);
    hdfs.on_question = end_it;
    const struct pingo_job_end end = run(n);
    assert_int_equal(end.reason, PINGO_END_KILLED);
    assert_string_equal(end.message, "it was ended while its inputs were fetched");
}

/* Only an outcome that HDFS does not take at all is none; room may come. */
static void test_attempt__an_outcome_that_is_not_taken(void **state)
{
    static const struct {
        const char *op, *exception;
        int times;
        bool is_left;
    } rows[] = {
        {"CREATE", "DSQuotaExceededException", 5, true},
        {"CREATE", "AccessControlException", 3, true},
        {"CREATE", "AccessControlException", 100, false},
        {"RENAME", NULL, 1, true},
    };
    struct pingo__executor_node *n = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(pingo__hdfs_remove(n->fs, "attempts/1.1", NULL), 0);
        assert_int_equal(pingo__hdfs_remove(n->fs, "bundles/" APPLICATION, NULL), 0);
        hdfs_put("attempts/1.1/" STARTED, "no job");
        hdfs_refuse(rows[i].op, "outcome", rows[i].exception, rows[i].times);
        *said = '\0';
        assert_int_equal(pingo__executor_node_attempt(n, KEY(1)), rows[i].is_left);
        assert_int_equal(hdfs_has("attempts/1.1/outcome"), rows[i].is_left);
        assert_int_equal(hdfs_has("bundles/" APPLICATION "/ended.1.1"), rows[i].is_left);
        if (!rows[i].is_left)
            assert_memory_equal(said, "attempts/1.1: the outcome cannot be left: ", 42);
    }
}

/* One that is there was left by a try of ours. */
static void test_attempt__an_outcome_that_is_there(void **state)
{
    struct pingo__executor_node *n = *state;
    const struct pingo_job_end end = {.size = sizeof end, .key = KEY(1)};
    hdfs_put("attempts/1.1/outcome", "it is over");
    assert_int_equal(pingo__executor_node_leave(n, &end, NULL), 0);
    hdfs_expect("attempts/1.1/outcome", "it is over");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_attempt__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_whole_way),
        TEST(a_command_that_fails),
        TEST(an_outcome_that_was_too_good),
        TEST(a_job_that_cannot_be_run),
        TEST(an_input_that_is_gone),
        TEST(ended_while_it_fetches),
        TEST(an_outcome_that_is_not_taken),
        TEST(an_outcome_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
