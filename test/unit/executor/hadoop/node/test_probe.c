/* test_probe.c - what a node answers in HDFS before it runs anything. */
#include "unit/executor/hadoop/node/fake.h"

#include <pingo/version.h>

#include "runner/record/probe.h"

static void test_probe__it_is_answered(void **state)
{
    struct pingo__executor_node *n = *state;
    struct pingo__runner_probe p;
    struct pingo__buffer text = {0};
    char own[PINGO__RUNNER_PROBE_SIZE] = "";
    hdfs_put("probes/1/question", "is anybody there");
    n->probe = "probes/1";
    assert_int_equal(pingo__executor_node_probe(n), PINGO__HADOOP_DONE);
    assert_string_equal(said, "");
    assert_int_equal(pingo__hdfs_get_bytes(n->fs, "probes/1/answer",
                                           (struct pingo__hdfs_range){0, sizeof own - 1}, &text,
                                           NULL),
                     0);
    memcpy(own, text.data, text.length);
    pingo__buffer_clear(&text);
    assert_true(pingo__runner_probe_parse(own, &p));
    assert_string_equal(p.question, "is anybody there");
    assert_string_equal(p.version, PINGO_VERSION);
    assert_int_equal(p.user, geteuid());
    assert_int_equal(hdfs_count("RENAME"), 1); /* it is whole when it is there */
}

/* What kept it from an answer is the exit status, and a line says it. */
static void test_probe__what_is_in_the_way(void **state)
{
    static const struct {
        const char *op, *part, *exception;
        int times, status;
        const char *said;
    } rows[] = {
        {"GETFILESTATUS", "question", "FileNotFoundException", 1, PINGO__HADOOP_NO_BUNDLE,
         "is not there"},
        {"GETFILESTATUS", "question", "AccessControlException", 9, PINGO__HADOOP_NO_HDFS,
         "it says no (AccessControlException)"},
        {"CREATE", "answer", "DSQuotaExceededException", 1, PINGO__HADOOP_NO_HDFS, "it says no"},
        {"GETFILESTATUS", "question", "StandbyException", 2, PINGO__HADOOP_DONE, ""}, /* for a while */
        {"GETFILESTATUS", "question", "AccessControlException", 3, PINGO__HADOOP_DONE, ""},
    };
    struct pingo__executor_node *n = *state;
    char probe[32], path[48];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(probe, sizeof probe, "probes/%zu", i);
        snprintf(path, sizeof path, "%s/question", probe);
        hdfs_put(path, "q");
        *said = '\0';
        n->probe = probe;
        hdfs_refuse(rows[i].op, rows[i].part, rows[i].exception, rows[i].times);
        if (pingo__executor_node_probe(n) != rows[i].status || !strstr(said, rows[i].said))
            fail_msg("row %zu: %s", i, said);
        assert_int_equal(*said != '\0', rows[i].status != PINGO__HADOOP_DONE);
        if (*said)
            assert_memory_equal(said, container.pool, strlen(container.pool));
    }
}

/* Who is told to end asks no more. */
static void test_probe__nobody_is_there(void **state)
{
    struct pingo__executor_node *n = *state;
    n->probe = "probes/1";
    hdfs_end();
    kill(getpid(), SIGTERM);
    assert_int_equal(pingo__executor_node_probe(n), PINGO__HADOOP_NO_HDFS);
    assert_non_null(strstr(said, "/p/probes/1: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_probe__it_is_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_probe__what_is_in_the_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_probe__nobody_is_there, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
