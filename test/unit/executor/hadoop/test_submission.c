/* test_submission.c - what YARN is asked to run, and the script that its containers do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/hadoop/hadoop.h"

#define ID "application_1404198295326_0003"

static void test_submission__the_body_is_what_yarn_reads(void **state)
{
    const struct pingo__executor_hadoop_submission s = {.id = ID,
                                                        .name = "a \"b\"\n",
                                                        .tag = "pingo-x",
                                                        .queue = "q",
                                                        .priority = -1,
                                                        .classpath = "/j/*",
                                                        .master_mb = 256,
                                                        .memory_mb = 192,
                                                        .vcores = 2,
                                                        .containers = 3,
                                                        .script = "hdfs://n:1/s",
                                                        .script_bytes = 7,
                                                        .script_mtime_ms = 1405459400754};
    struct pingo__buffer b = {0};
    (void)state;
    pingo__executor_hadoop_body(&b, &s);
    const char *text = pingo__buffer_cstr(&b);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"application-id\":\"" ID "\""));
    assert_non_null(strstr(text, "\"application-name\":\"a \\\"b\\\"\\n\""));
    assert_non_null(strstr(text, "\"max-app-attempts\":1"));
    assert_non_null(strstr(text, "\"tag\":[\"pingo-x\"]"));
    assert_non_null(strstr(text, "--container_memory 192 --container_vcores 2 --num_containers 3"));
    assert_non_null(
        strstr(text, "\"DISTRIBUTEDSHELLSCRIPTTIMESTAMP\",\"value\":\"1405459400754\""));
    assert_non_null(strstr(text, "-Xmx128m"));
    assert_null(strstr(text, "priority\":"));
    assert_null(strstr(text, "credentials"));
    pingo__buffer_clear(&b);
}

/* What the shell would run, run by one. */
static void test_submission__the_script_takes_the_runner_out_of_itself(void **state)
{
    static char runner[] =
        "#!/bin/sh\nprintf '%s|' \"$@\" \"$PINGO_HDFS_TOKEN\" \"$(cat " PINGO__HADOOP_LIBRARY
        ")\"\nexit 7\n",
                library[] = "a\nlibrary";
    const struct pingo__executor_hadoop_program program = {runner, library, strlen(runner),
                                                           strlen(library)};
    const char *const words[] = {"--bundle", "webhdfs://a'b/$(x)", ID, "3", NULL};
    char dir[] = "/tmp/pingo-script-XXXXXX", path[64], command[200], said_by[200] = "";
    struct pingo__buffer b = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    pingo__executor_hadoop_script(&b, words, "t'o;k", &program);
    assert_false(b.failed);
    snprintf(path, sizeof path, "%s/ExecScript.sh", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(b.data, 1, b.length, file), b.length);
    fclose(file);
    pingo__buffer_clear(&b);
    snprintf(command, sizeof command, "cd %s && /bin/bash ExecScript.sh", dir);
    file = popen(command, "r");
    assert_non_null(file);
    said_by[fread(said_by, 1, sizeof said_by - 1, file)] = '\0';
    assert_int_equal(pclose(file), 7 << 8);
    assert_string_equal(said_by, "--bundle|webhdfs://a'b/$(x)|" ID "|3|t'o;k|a\nlibrary|");
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static void test_submission__options(void **state)
{
    static const char *const wrong[] = {"{\"partition\":\"x\"}",   "{\"queue\":7}",
                                        "{\"queue\":\"a b\"}",     "{\"queue\":\"\"}",
                                        "{\"priority\":\"1\"}",    "[]",
                                        "{\"nodeLabel\":\"$(x)\"}"};
    struct pingo__executor_hadoop_options o;
    struct pingo__arena arena = {0};
    struct pingo_error err;
    (void)state;
    assert_int_equal(
        pingo__executor_hadoop_options_read(
            "{\"queue\":\"root.a\",\"nodeLabel\":\"gpu\",\"priority\":3}", &arena, &o, &err),
        0);
    assert_string_equal(o.queue, "root.a");
    assert_string_equal(o.node_label, "gpu");
    assert_int_equal(o.priority, 3);
    assert_int_equal(pingo__executor_hadoop_options_read(NULL, &arena, &o, &err), 0);
    assert_null(o.queue);
    assert_int_equal(o.priority, -1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (pingo__executor_hadoop_options_read(wrong[i], &arena, &o, &err) != PINGO_EINVAL)
            fail_msg("%s", wrong[i]);
    pingo__arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submission__the_body_is_what_yarn_reads),
        cmocka_unit_test(test_submission__the_script_takes_the_runner_out_of_itself),
        cmocka_unit_test(test_submission__options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
