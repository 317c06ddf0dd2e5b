/* test_mapreduce_plan.c - a MapReduce job as properties of Hadoop's, and what the cluster makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "executor/hadoop/mapreduce.h"

static void check_xml(const char *payload, const char *options, const char *expected)
{
    struct pingo__arena arena = {0};
    struct pingo__executor_hadoop_plan plan = {.arena = &arena};
    struct pingo__buffer xml = {0};

    assert_int_equal(pingo__executor_hadoop_plan_read(&plan, payload, NULL), 0);
    assert_int_equal(pingo__executor_hadoop_plan_options(&plan, options, NULL), 0);
    pingo__executor_hadoop_plan_xml(&plan, &xml);
    assert_string_equal(pingo__buffer_cstr(&xml), expected);
    pingo__buffer_clear(&xml);
    pingo__arena_clear(&arena);
}

#define XML(rest)                                                                                  \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n" rest "</configuration>\n"
#define P(name, value) "<property><name>" name "</name><value>" value "</value></property>\n"

static void test_mapreduce_plan__properties_become_xml(void **state)
{
    (void)state;
    check_xml("{\"configuration\":{\"a\":\"<&>\\t\\n\",\"b\":\"\"}}", NULL,
              XML(P("a", "&lt;&amp;&gt;&#9;&#10;") P("b", "")));
    check_xml("{}", "{\"queue\":\"q\",\"priority\":3,\"mapreduce.map.memory.mb\":512}",
              XML(P("mapreduce.job.queuename", "q") P("mapreduce.job.priority", "3")
                      P("mapreduce.map.memory.mb", "512")));
}

static void test_mapreduce_plan__properties_are_found_again(void **state)
{
    static const char xml[] = XML(P("ab", "1") P("a", "&lt;&amp;x&#9;") P(
        "c", "")) "<property><name>d</name><final>true</final></property><value>9</value>";
    struct pingo__buffer b = {0};

    (void)state;
    assert_true(pingo__executor_hadoop_xml_find(xml, "a", &b));
    assert_string_equal(pingo__buffer_cstr(&b), "<&x\t");
    pingo__buffer_reset(&b);
    assert_true(pingo__executor_hadoop_xml_find(xml, "c", &b));
    assert_string_equal(pingo__buffer_cstr(&b), "");
    assert_false(pingo__executor_hadoop_xml_find(xml, "d", &b));
    assert_false(pingo__executor_hadoop_xml_find(xml, "b", &b));
    pingo__buffer_clear(&b);
}

/* As Hadoop writes it. */
#define H(name, value, final, source)                                                              \
    "<property><name>" name "</name><value>" value "</value><final>" final                         \
    "</final><source>" source "</source></property>\n"
#define OURS "/tmp/p/attempts/1.1/job.xml"

static void test_mapreduce_plan__what_the_cluster_changes_is_seen(void **state)
{
    static const char ours[] =
        XML(P("x.map", "1") P("x.text", "a&#9;\xf0\x9f\x98\x80&lt;") P("x.empty", "")
                P("x.old", "true") P("x.other", "true") P("x.memory", "5")
                    P("pingo.asked", "x.map x.text x.empty x.old none "));
    static const char text[] = H("x.text", "a\t&#128512;&lt;", "true", OURS)
        H("x.empty", "", "true", OURS) H("x.memory", "7", "true", "mapred-site.xml");
    static const struct {
        const char *theirs, *why;
    } rows[] = {
        {H("x.map", "1", "false", OURS) H("x.new", "true", "false", OURS), ""},
        {H("x.map", "2", "false", "programmatically") H("x.new", "true", "false", OURS), ""},
        {H("x.map", "2", "true", "mapred-site.xml") H("x.new", "true", "false", OURS),
         "x.map is \"2\", and \"1\" was asked for: the cluster marks it final"},
        {"<property><name>x.map</name><value/><final>true</final></property>",
         "x.map is \"\", and \"1\" was asked for: the cluster marks it final"},
        {H("x.map", "1", "false", OURS) H("x.new", "true", "true", "mapred-site.xml")
             H("x.other", "true", "false", OURS),
         "x.old is \"something else\", and \"true\" was asked for: the cluster marks it final"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char theirs[2000], why[200] = "";
        snprintf(theirs, sizeof theirs, XML("%s%s"), text, rows[i].theirs);
        assert_int_equal(pingo__executor_hadoop_xml_is_kept(ours, theirs, "/1.1/job.xml<", why),
                         !*rows[i].why);
        assert_string_equal(why, rows[i].why);
    }
}

static void test_mapreduce_plan__options_that_are_none(void **state)
{
    static const char *const wrong[] = {"{\"pool\":\"x\"}", "{\"mapreduce.job.reduces\":2}",
                                        "{\"mapreduce.job.name\":\"x\"}", "{\"tmpjars\":\"x\"}",
                                        "{\"a.b\":\"c\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pingo__arena arena = {0};
        struct pingo__executor_hadoop_plan plan = {.arena = &arena};
        struct pingo_error err;

        assert_int_equal(
            pingo__executor_hadoop_plan_read(&plan, "{\"configuration\":{\"a.b\":\"c\"}}", NULL), 0);
        assert_int_equal(pingo__executor_hadoop_plan_options(&plan, wrong[i], &err), PINGO_EINVAL);
        assert_non_null(strstr(err.message, "executorOptions"));
        pingo__arena_clear(&arena);
    }
}

static void test_mapreduce_plan__what_a_link_is_for(void **state)
{
    struct pingo__arena arena = {0};
    struct pingo__executor_hadoop_plan plan = {.arena = &arena};

    (void)state;
    assert_int_equal(
        pingo__executor_hadoop_plan_read(&plan, "{\"jar\":\"j\",\"libs\":[\"k\",\"l\"]}", NULL), 0);
    assert_int_equal(pingo__executor_hadoop_plan_use(&plan, "j"), PINGO__HADOOP_IS_CLASSES);
    assert_int_equal(pingo__executor_hadoop_plan_use(&plan, "l"), PINGO__HADOOP_IS_CLASSES);
    assert_int_equal(pingo__executor_hadoop_plan_use(&plan, "x"), PINGO__HADOOP_IS_DATA);
    assert_int_equal(pingo__executor_hadoop_plan_read(&plan, "{\"input\":[\"x\",\"k\"]}", NULL), 0);
    assert_int_equal(pingo__executor_hadoop_plan_use(&plan, "x"), PINGO__HADOOP_IS_DATA);
    assert_int_equal(pingo__executor_hadoop_plan_use(&plan, "k"), PINGO__HADOOP_IS_DATA);
    assert_int_equal(pingo__executor_hadoop_plan_use(&plan, "y"), PINGO__HADOOP_IS_BESIDE);
    pingo__arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapreduce_plan__properties_become_xml),
        cmocka_unit_test(test_mapreduce_plan__properties_are_found_again),
        cmocka_unit_test(test_mapreduce_plan__what_the_cluster_changes_is_seen),
        cmocka_unit_test(test_mapreduce_plan__options_that_are_none),
        cmocka_unit_test(test_mapreduce_plan__what_a_link_is_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
