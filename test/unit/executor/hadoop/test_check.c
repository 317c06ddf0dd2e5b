/* test_check.c - what is wrong with the settings is told before anybody is asked, and who does not answer is named. */
#include "unit/executor/hadoop/yarn.h"

#include "executor/registry.h"

static char told[2000];

static void on_found(void *context, enum pingo_check_result result, const char *what,
                     const char *message)
{
    (void)context;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%d %s: %s\n", (int)result, what,
             message);
}

static void check(const char *pool, const char *rm)
{
    char *texts[PINGO__HADOOP_SETTINGS] = {NULL};
    const struct pingo__executor_values values = {pingo__executor_hadoop_settings,
                                                  PINGO__HADOOP_SETTINGS, texts};
    const struct pingo_executor_context context = {.version = 3,
                                                   .store_dir = "/s",
                                                   .store_id = "s",
                                                   .pool_dir = "/s/near",
                                                   .name = "hadoop",
                                                   .settings = &values,
                                                   .pool_place = pool};
    const struct pingo_check_options options = {.version = 1, .found = on_found, .limit_ms = 20000};
    for (size_t i = 0; i < PINGO__HADOOP_SETTINGS; i++)
        if (strcmp(values.rows[i].key, "rm") == 0)
            texts[i] = (char *)(uintptr_t)rm;
    told[0] = '\0';
    assert_int_equal(pingo__executor_hadoop_check(&context, &options, NULL), 0);
}

static void test_check__what_is_not_set_is_told_alone(void **state)
{
    (void)state;
    check("webhdfs://127.0.0.1:1/p", NULL);
    assert_non_null(strstr(told, "2 settings: executor.hadoop.rm is not set"));
    assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
    check("/a/directory", "127.0.0.1:1");
    assert_non_null(strstr(told, "2 settings: the pool is not in HDFS"));
}

/* Nothing else can be seen then; it may be there tomorrow. */
static void test_check__who_does_not_answer_is_named(void **state)
{
    (void)state;
    check("webhdfs://127.0.0.1:1/p", "127.0.0.1:1");
    assert_non_null(strstr(told, "3 reach: "));
    assert_non_null(strstr(told, "127.0.0.1:1"));
    assert_non_null(strstr(told, "is executor.hadoop.rm wrong?"));
    assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
}

/* That nodes are not told is no word of theirs. */
static void test_check__nodes_that_are_not_told(void **state)
{
    static const struct yarn_row rows[] = {
        {"GET /ws/v1/cluster/info", "200 x",
         "{\"clusterInfo\":{\"startedOn\":1,\"hadoopVersion\":\"3\"}}"},
        {"GET /ws/v1/cluster/nodes", "403 x", "{}"},
    };
    char rm[32];
    (void)state;
    yarn_open();
    yarn_says(rows, 2);
    snprintf(rm, sizeof rm, "%s", strstr(pingo__executor_hadoop_rm_name(h.rm), "127."));
    check(place, rm);
    yarn_close();
    assert_non_null(strstr(told, "0 reach: "));
    assert_non_null(strstr(told, "1 nodes: "));
    assert_non_null(strstr(told, "does not tell of its nodes (status 403)"));
    assert_non_null(strstr(told, "submission: ")); /* it goes on */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__what_is_not_set_is_told_alone),
        cmocka_unit_test(test_check__who_does_not_answer_is_named),
        cmocka_unit_test_setup_teardown(test_check__nodes_that_are_not_told, begin, finish),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
