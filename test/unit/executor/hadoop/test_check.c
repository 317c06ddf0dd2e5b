/* test_check.c - what is wrong with the settings is told before anybody is asked, and who does not answer is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "executor/hadoop/follow.h"
#include "executor/registry.h"

static char told[2000];

static void on_found(void *context, enum pingo_check_result result, const char *what,
                     const char *message)
{
    (void)context;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%d %s: %s\n", (int)result, what,
             message);
}

static void check(const char *place, const char *rm)
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
                                                   .pool_place = place};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__what_is_not_set_is_told_alone),
        cmocka_unit_test(test_check__who_does_not_answer_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
