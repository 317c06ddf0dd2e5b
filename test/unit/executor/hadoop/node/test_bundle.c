/* test_bundle.c - a list of attempts: which of them a container takes, and what it makes of an earlier start of itself. */
#include "unit/executor/hadoop/node/fake.h"

#define LIST "bundles/" APPLICATION "/list"

static void test_bundle__a_list_that_is_none(void **state)
{
    static const struct {
        const char *list, *exception; /* NULL: there is none */
        int status;
        const char *said;
    } rows[] = {
        {NULL, NULL, PINGO__HADOOP_NO_BUNDLE, "is not there"},
        {"1.1\nx\n", NULL, PINGO__HADOOP_NO_BUNDLE, "/p/" LIST},
        {"1.1\n", "AccessControlException", PINGO__HADOOP_NO_BUNDLE, "it says no"},
        {"", NULL, PINGO__HADOOP_DONE, ""},
    };
    struct pingo__executor_node *n = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pingo__hdfs_remove(n->fs, LIST, NULL);
        if (rows[i].list)
            hdfs_put(LIST, rows[i].list);
        hdfs_refuse("GETFILESTATUS", "list", rows[i].exception, rows[i].exception ? 9 : 0);
        *said = '\0';
        if (pingo__executor_node_bundle(n) != rows[i].status || !strstr(said, rows[i].said))
            fail_msg("row %zu: %s", i, said);
        pingo__executor_node_claims_clear(&n->claims);
    }
    hdfs_end();
    kill(getpid(), SIGTERM); /* else it is asked for two minutes */
    assert_int_equal(pingo__executor_node_bundle(n), PINGO__HADOOP_NO_HDFS);
}

/* One was given up, one another has as its bell tells, and one is ours. */
static void test_bundle__what_can_be_claimed(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put(LIST, "1.1\n2.1\n3.1\n");
    hdfs_put("attempts/1.1/revoked", "");
    hdfs_put("bundles/" APPLICATION "/started.2.1", NULL);
    hdfs_put_job(2, "exit 4", NULL); /* its claim was not seen yet */
    hdfs_put_job(3, "exit 3", NULL);
    assert_int_equal(pingo__executor_node_bundle(n), PINGO__HADOOP_DONE);
    assert_true(hdfs_has("attempts/3.1/" STARTED));
    assert_false(hdfs_has("attempts/3.1/job"));
    assert_int_equal(hdfs_outcome(3).exit_code, 3);
    assert_true(hdfs_has("bundles/" APPLICATION "/ended.3.1"));
    assert_int_equal(hdfs_count("attempts/2.1"), 0);
    assert_true(hdfs_has("attempts/2.1/job"));
    assert_false(hdfs_has("attempts/1.1/outcome"));
}

/* An answer that was lost does not run it twice, nor give it up. */
static void test_bundle__a_claim_whose_answer_is_lost(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put(LIST, "1.1\n");
    hdfs_put_job(1, "exit 3", NULL);
    hdfs_refuse("RENAME", "job", NULL, 1);
    assert_int_equal(pingo__executor_node_bundle(n), PINGO__HADOOP_DONE);
    assert_int_equal(hdfs_outcome(1).exit_code, 3);
    assert_int_equal(hdfs_count("RENAME /p/attempts/1.1/job"), 1);
}

static void test_bundle__a_claim_that_is_refused(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put(LIST, "1.1\n2.1\n");
    hdfs_put_job(1, "exit 3", NULL);
    hdfs_put_job(2, "exit 3", NULL);
    hdfs_refuse("RENAME", "job", "AccessControlException", 100);
    assert_int_equal(pingo__executor_node_bundle(n), PINGO__HADOOP_NO_HDFS);
    assert_non_null(strstr(said, "attempts/1.1/job: "));
    assert_int_equal(hdfs_count("RENAME /p/attempts/1.1/job"), 4); /* some times */
    assert_int_equal(hdfs_count("attempts/2.1"), 0);
}

static void test_bundle__who_is_told_to_end_claims_none(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put(LIST, "1.1\n");
    hdfs_put_job(1, "exit 3", NULL);
    kill(getpid(), SIGTERM);
    assert_int_equal(pingo__executor_node_bundle(n), PINGO__HADOOP_DONE);
    assert_true(hdfs_has("attempts/1.1/job"));
}

/* What an earlier start of this container had begun is lost, and said to be so by us alone. */
static void test_bundle__what_an_earlier_start_had_begun(void **state)
{
    struct pingo__executor_node *n = *state;
    hdfs_put(LIST, "1.1\n2.1\n3.1\n4.1\n");
    hdfs_put("attempts/1.1/" STARTED, "");
    hdfs_put("attempts/2.1/" STARTED, "");
    hdfs_put("attempts/2.1/outcome", "it is over");
    hdfs_put("attempts/3.1/started.container_1_0001_01_000003.node2.1.2", "");
    hdfs_put_job(4, "exit 3", NULL);
    n->is_again = true;
    assert_int_equal(pingo__executor_node_bundle(n), PINGO__HADOOP_DONE);
    const struct pingo_job_end end = hdfs_outcome(1);
    assert_int_equal(end.reason, PINGO_END_LOST);
    assert_string_equal(end.message, "its container was started anew while it ran");
    hdfs_expect("attempts/2.1/outcome", "it is over");
    assert_int_equal(hdfs_count("CREATE /p/attempts/2.1"), 0);
    assert_false(hdfs_has("attempts/3.1/outcome"));
    assert_int_equal(hdfs_outcome(4).exit_code, 3); /* what it had not is run */
}

static void test_bundle__what_is_asked_again(void **state)
{
    static const struct {
        int rc;
        bool again;
    } rows[] = {{PINGO_EAWAY, true},         {PINGO_ESTATE, true},        {PINGO_EIO, true},
                {PINGO_EIO, true},           {PINGO_EIO, true},           {PINGO_EIO, false},
                {PINGO_ENOTFOUND, false},    {PINGO_EEXISTS, false},      {PINGO_ENOMEM, false},
                {PINGO_EINTERRUPTED, false}, {PINGO_EUNSUPPORTED, false}, {PINGO_EAWAY, true}};
    struct pingo__executor_node *n = *state;
    struct pingo__executor_node_patience p = {.most_ms = 600000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__executor_node_again(n, rows[i].rc, &p), rows[i].again);
    assert_true(p.pause_ms > 500); /* it grows */
    p.begun_ms -= 600001;
    assert_false(pingo__executor_node_again(n, PINGO_EAWAY, &p));
    p = (struct pingo__executor_node_patience){.most_ms = 600000};
    kill(getpid(), SIGTERM);
    assert_false(pingo__executor_node_again(n, PINGO_EAWAY, &p));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_bundle__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_list_that_is_none),
        TEST(what_can_be_claimed),
        TEST(a_claim_whose_answer_is_lost),
        TEST(a_claim_that_is_refused),
        TEST(who_is_told_to_end_claims_none),
        TEST(what_an_earlier_start_had_begun),
        TEST(what_is_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
