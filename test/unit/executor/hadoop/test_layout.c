/* test_layout.c - names of what lies in HDFS for attempts that Hadoop runs, and names that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "executor/hadoop/layout.h"

#define CONTAINER "container_e17_1410450250506_0001_01_000002"

static void test_layout__the_owner_of_an_attempt_stands_in_a_name(void **state)
{
    struct pingo__executor_hadoop_owner out,
        in = {.container = CONTAINER, .node = "n1.example.org", .port = 8041, .web_port = 8042};
    char name[256], application[PINGO__HADOOP_ID_SIZE];
    (void)state;
    assert_true(pingo__executor_hadoop_owner_name(&in, name));
    assert_string_equal(name, "started." CONTAINER ".n1.example.org.8041.8042");
    assert_true(pingo__executor_hadoop_owner_parse(name, &out));
    assert_string_equal(out.container, CONTAINER);
    assert_string_equal(out.node, "n1.example.org");
    assert_int_equal(out.port, 8041);
    assert_int_equal(out.web_port, 8042);
    assert_true(pingo__executor_hadoop_application_of(out.container, application));
    assert_string_equal(application, "application_1410450250506_0001");
    assert_true(pingo__executor_hadoop_application_of("container_14_0001_01_000002", application));
    assert_string_equal(application, "application_14_0001");
}

static void test_layout__what_is_no_name_of_ours_is_refused(void **state)
{
    static const char *const names[] = {
        "",
        "started.",
        "started.17.3",
        "started." CONTAINER,
        "started." CONTAINER ".8041.8042",
        "started." CONTAINER ".n1.8041",
        "started." CONTAINER ".n1.8041.",
        "started." CONTAINER ".n1.0.8042",
        "started." CONTAINER ".n1.65536.8042",
        "started." CONTAINER ".n1.8041.-1",
        "started." CONTAINER ".n1 x.8041.8042",
        "started." CONTAINER ".n/1.8041.8042",
        "started.container_1_2_3.n1.8041.8042",
        "started.container_e_1_2_3_4.n1.8041.8042",
        "ended." CONTAINER ".n1.8041.8042",
        "started.container_99999999999999999999_0001_01_000002.n1.1.1",
    };
    struct pingo__executor_hadoop_owner owner,
        in = {.container = CONTAINER, .node = "a/b", .port = 1};
    char name[256];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pingo__executor_hadoop_owner_parse(names[i], &owner))
            fail_msg("%s", names[i]);
    assert_false(pingo__executor_hadoop_owner_name(&in, name));
    memset(in.node, 'n', sizeof in.node - 1);
    assert_false(pingo__executor_hadoop_owner_name(&in, name)); /* too long */
    in.node[sizeof in.node - 1] = 'n';
    assert_false(pingo__executor_hadoop_owner_name(&in, name));
}

static void test_layout__ids_of_applications(void **state)
{
    (void)state;
    assert_true(pingo__executor_hadoop_is_application("application_1404198295326_0003"));
    assert_false(pingo__executor_hadoop_is_application("application_1404198295326_"));
    assert_false(pingo__executor_hadoop_is_application("application_1404198295326"));
    assert_false(pingo__executor_hadoop_is_application("application_1_2/../x"));
    assert_false(pingo__executor_hadoop_is_application("job_1_2"));
    assert_false(pingo__executor_hadoop_is_application(""));
}

static void test_layout__bells(void **state)
{
    struct pingo_job_key key;
    bool ended;
    (void)state;
    assert_true(pingo__executor_hadoop_bell_parse("started.17.3", &key, &ended));
    assert_false(ended);
    assert_true(pingo__executor_hadoop_bell_parse("ended.17.3", &key, &ended));
    assert_true(ended);
    assert_int_equal(key.action, 17);
    assert_false(pingo__executor_hadoop_bell_parse("ended.17", &key, &ended));
    assert_false(pingo__executor_hadoop_bell_parse("ended.17.3.4", &key, &ended));
    assert_false(pingo__executor_hadoop_bell_parse("list", &key, &ended));
    assert_false(pingo__executor_hadoop_bell_parse("started.", &key, &ended));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout__the_owner_of_an_attempt_stands_in_a_name),
        cmocka_unit_test(test_layout__what_is_no_name_of_ours_is_refused),
        cmocka_unit_test(test_layout__ids_of_applications),
        cmocka_unit_test(test_layout__bells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
