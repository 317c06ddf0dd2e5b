/* test_replies.c - what the ResourceManager says, in all its forms, and what it never should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/hadoop/rm.h"

#define ID "application_1404198295326_0003"

struct heard {
    struct pingo__executor_hadoop_app last;
    size_t apps;
};

static void on_app(void *context, const struct pingo__executor_hadoop_app *app)
{
    struct heard *heard = context;
    heard->last = *app;
    heard->apps++;
}

/* A copy that ends where the text does, so that a sanitizer sees who reads on. */
static struct pingo__executor_hadoop_reply said(const char *text, size_t n, struct heard *heard)
{
    struct pingo__executor_hadoop_on on = {.app = on_app, .context = heard, .node = "h:2"};
    struct pingo__executor_hadoop_reply reply;
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    memset(heard, 0, sizeof *heard);
    assert_int_equal(pingo__executor_hadoop_reply_read(copy, n, &on, &reply), 0);
    free(copy);
    return reply;
}

static const char list[] =
    "{\"apps\":{\"app\":[{\"id\":\"" ID "\",\"state\":\"FINISHED\",\"finalStatus\":\"SUCCEEDED\","
    "\"applicationTags\":\"z,PINGO-X,pingo-x-17.3,pingo-y\",\"diagnostics\":\"a\\n  "
    "b\\u001b[1m\",\"startedTime\":5,"
    "\"resourceSecondsMap\":{\"entry\":{\"key\":\"memory-mb\"},\"entry\":{\"key\":\"vcores\"}}},"
    "{\"id\":\"" ID "\",\"state\":7},{\"id\":\"../x\",\"state\":\"RUNNING\"},null,"
    "{\"id\":\"application_1_2\",\"state\":\"RUNNING\",\"applicationTags\":null}]}}";

static void test_replies__applications_are_told(void **state)
{
    struct heard heard;
    (void)state;
    assert_true(said(list, strlen(list), &heard).is_read);
    assert_int_equal(heard.apps, 2); /* what is none is passed over */
    assert_string_equal(heard.last.id, "application_1_2");
    assert_int_equal(heard.last.state, PINGO__HADOOP_RUNS);
    const char *one =
        "{\"app\":{\"id\":\"" ID "\",\"state\":\"FINISHED\",\"finalStatus\":\"KILLED\","
        "\"applicationTags\":\"z,PINGO-X,Pingo-x-17.3,pingo-xy\",\"diagnostics\":\"a\\n  "
        "b\\u001b[1m\"}}";
    said(one, strlen(one), &heard);
    assert_int_equal(heard.apps, 1);
    assert_int_equal(heard.last.state, PINGO__HADOOP_KILLED);
    assert_string_equal(heard.last.diagnostics, "a b?[1m");
}

static void test_replies__where_the_master_has_its_logs(void **state)
{
    static const struct {
        const char *logs, *container;
    } rows[] = {
        {"http://n:8042/node/containerlogs/container_e2_17_3_02_000001/u",
         "container_e2_17_3_02_000001"},
        {"https://n:8044/node/containerlogs/container_17_3_01_000001", "container_17_3_01_000001"},
        {"http://n:8042/node/containerlogs/container_17_4_01_000001/u", ""}, /* of another */
        {"http://n:8042/node/containerlogs/..%2f/u", ""},
        {"http://n:8042/node/containerlogs/", ""},
        {"N/A", ""},
    };
    char one[400];
    struct heard heard;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(
            one, sizeof one,
            "{\"app\":{\"id\":\"application_17_3\",\"state\":\"FAILED\",\"amContainerLogs\":\"%s\","
            "\"amHostHttpAddress\":\"n:8042\"}}",
            rows[i].logs);
        said(one, strlen(one), &heard);
        assert_int_equal(heard.apps, 1);
        assert_string_equal(heard.last.master, rows[i].container);
        assert_string_equal(heard.last.master_node, *rows[i].container ? "n:8042" : "");
    }
}

static void test_replies__an_empty_list_has_many_forms(void **state)
{
    static const char *const none[] = {"{\"apps\":null}", "{\"apps\":{}}",
                                       "{\"apps\":{\"app\":[]}}", "{\"apps\":{\"app\":null}}", "{}"};
    const char *one = "{\"apps\":{\"app\":{\"id\":\"" ID "\",\"state\":\"ACCEPTED\"}}}";
    struct heard heard;
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_true(said(none[i], strlen(none[i]), &heard).is_read);
        assert_int_equal(heard.apps, 0);
    }
    said(one, strlen(one), &heard);
    assert_int_equal(heard.apps, 1);
    assert_int_equal(heard.last.state, PINGO__HADOOP_WAITS);
}

static bool is_gone(int status, struct pingo__executor_hadoop_reply *reply, const char *id)
{
    reply->status = status;
    return pingo__executor_hadoop_is_gone(reply, id);
}

static void test_replies__only_who_is_named_is_gone(void **state)
{
    const char *gone = "{\"RemoteException\":{\"exception\":\"NotFoundException\",\"message\":"
                       "\"java.lang.Exception: app with id: " ID " not found\"}}";
    const char *other =
        "{\"RemoteException\":{\"exception\":\"FileNotFoundException\",\"message\":\"" ID
        " not found\"}}";
    struct heard heard;
    (void)state;
    struct pingo__executor_hadoop_reply reply = said(gone, strlen(gone), &heard);
    assert_true(is_gone(404, &reply, ID));
    assert_false(is_gone(500, &reply, ID));
    assert_false(is_gone(404, &reply, "application_1404198295326_0004"));
    reply = said(other, strlen(other), &heard);
    assert_false(is_gone(404, &reply, ID));
    reply = said("There is no active RM right now.", 32, &heard);
    assert_false(reply.is_read);
    assert_false(is_gone(404, &reply, ID));
}

static void test_replies__ids_nodes_and_the_cluster(void **state)
{
    const char *made = "{\"application-id\":\"" ID
                       "\",\"maximum-resource-capability\":{\"memory\":8192,\"vCores\":32}}";
    const char *nodes = "{\"nodes\":{\"node\":[{\"id\":\"h:1\",\"state\":\"LOST\"},{\"id\":\"h:2\","
                        "\"state\":\"RUNNING\"}]}}";
    const char *lost = "{\"nodes\":{\"node\":[{\"id\":\"h:2\",\"state\":\"LOST\"},{\"id\":\"h:1\","
                       "\"state\":\"RUNNING\"}]}}";
    const char *info =
        "{\"clusterInfo\":{\"startedOn\":1404198295326,\"hadoopVersion\":\"3.4.2\"}}";
    struct heard heard;
    (void)state;
    struct pingo__executor_hadoop_reply reply = said(made, strlen(made), &heard);
    assert_string_equal(reply.id, ID);
    assert_int_equal(reply.memory_mb, 8192);
    assert_int_equal(reply.vcores, 32);
    made = "{\"application-id\":\"../../"
           "x\",\"maximum-resource-capability\":{\"memory\":-1,\"vCores\":1.5}}";
    reply = said(made, strlen(made), &heard);
    assert_string_equal(reply.id, "");
    assert_int_equal(reply.memory_mb, 0);
    reply = said(nodes, strlen(nodes), &heard);
    assert_int_equal(reply.nodes, 1);
    assert_true(reply.has_node);
    reply = said(lost, strlen(lost), &heard);
    assert_true(reply.nodes == 1 && !reply.has_node);
    reply = said(info, strlen(info), &heard);
    assert_true(reply.started_ms == 1404198295326);
    assert_string_equal(reply.version, "3.4.2");
}

static void test_replies__what_is_cut_anywhere_does_no_harm(void **state)
{
    struct heard heard;
    (void)state;
    for (size_t n = 0; n < strlen(list); n++)
        assert_false(said(list, n, &heard).is_read);
    char text[sizeof list];
    for (size_t i = 0; i < strlen(list); i++) { /* another byte at each place */
        memcpy(text, list, sizeof list);
        text[i] = text[i] == '{' ? '[' : '{';
        said(text, strlen(list), &heard);
    }
}

static void test_replies__queues(void **state)
{
    const char *text =
        "{\"scheduler\":{\"schedulerInfo\":{\"queueName\":\"root\",\"queues\":{\"queue\":["
        "{\"queueName\":\"a\",\"queuePath\":\"root.a\",\"state\":\"STOPPED\"},"
        "{\"queueName\":\"b\",\"queuePath\":\"root.b\",\"queues\":{\"queue\":"
        "{\"queueName\":\"c\",\"queuePath\":\"root.b.c\",\"state\":\"RUNNING\"}}}]}}}}";
    static const struct {
        const char *name;
        enum pingo__executor_hadoop_queue found;
    } rows[] = {{"a", PINGO__HADOOP_QUEUE_STOPPED},   {"root.b.c", PINGO__HADOOP_QUEUE_FINE},
                {"c", PINGO__HADOOP_QUEUE_FINE},      {"b", PINGO__HADOOP_QUEUE_PARENT},
                {"root", PINGO__HADOOP_QUEUE_PARENT}, {"nope", PINGO__HADOOP_QUEUE_NONE}};
    struct pingo__executor_hadoop_reply reply;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pingo__executor_hadoop_on on = {.queue = rows[i].name};
        assert_int_equal(pingo__executor_hadoop_reply_read(text, strlen(text), &on, &reply), 0);
        assert_int_equal(reply.queue, rows[i].found);
        assert_string_equal(reply.queues, "a, c");
    }
    assert_int_equal(pingo__executor_hadoop_reply_read("{}", 2, NULL, &reply), 0);
    assert_string_equal(reply.queues, "");
}

static void test_replies__diagnostics(void **state)
{
    (void)state;
    assert_int_equal(pingo__executor_hadoop_exit_code("x Exit code: 90 y"), 90);
    assert_int_equal(pingo__executor_hadoop_exit_code("due to: exitCode: -104 due"), -104);
    assert_int_equal(pingo__executor_hadoop_exit_code("Exit code: x"), -1);
    assert_int_equal(pingo__executor_hadoop_exit_code(""), -1);
    assert_true(pingo__executor_hadoop_was_memory(
        "is running 76988416B beyond the 'PHYSICAL' memory limit. Current usage"));
    assert_false(pingo__executor_hadoop_was_memory("a memory limit"));
    static const char log[] =
        "Diagnostics report from attempt_1_2_m_0_0: Error: code 143\n"
        "Diagnostics report from attempt_1_2_m_0_0: [x]Container [pid=1] is running 9B beyond the "
        "'PHYSICAL' memory limit. More\n"
        "Diagnostics report from attempt_1_2_m_1_0: Container [pid=2] exited\nmemory limit beyond";
    const char *line = NULL;
    assert_true(pingo__executor_hadoop_task_was_memory(log, "attempt_1_2_m_0_1", &line));
    assert_ptr_equal(line, strstr(log, "Container [pid=1]"));
    static const char *const others[] = {"attempt_1_2_m_1_0", "attempt_1_2_m_00_0",
                                         "attempt_1_2_r_0_0", "attempt", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(pingo__executor_hadoop_task_was_memory(log, others[i], &line));
    static const char *const away[] = {
        "Error: java.net.ConnectException: Call From vm/127.0.0.1 to localhost:29709 failed on "
        "connection exception: "
        "java.net.ConnectException: Connection refused; For more details see:  "
        "http://wiki.apache.org/hadoop/ConnectionRefused",
        "Job commit failed: java.net.SocketTimeoutException: Call From a/1.2.3.4 to nn:8020 failed "
        "on socket timeout exception: x",
        "java.io.IOException: DestHost:destPort nn:8020 , LocalHost:localPort a/1.2.3.4:0. Failed "
        "on local exception: "
        "java.io.IOException: Connection reset by peer",
        "java.io.EOFException: End of File Exception between local host is: \"a/1.2.3.4\"; "
        "destination host is: \"nn\":8020;",
        "org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.hdfs.server.namenode."
        "SafeModeException): Cannot create file",
        "org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.ipc.StandbyException): Operation "
        "category READ is not supported",
    };
    for (size_t i = 0; i < sizeof away / sizeof *away; i++)
        assert_true(pingo__executor_hadoop_was_away(away[i]));
    /* Of a command's own servers, and of its own words. */
    static const char *const own[] = {
        "java.net.ConnectException: Connection refused", "Call From here\nto there failed on it",
        "psycopg2.OperationalError: could not connect: Connection refused", ""};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_false(pingo__executor_hadoop_was_away(own[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies__applications_are_told),
        cmocka_unit_test(test_replies__where_the_master_has_its_logs),
        cmocka_unit_test(test_replies__an_empty_list_has_many_forms),
        cmocka_unit_test(test_replies__only_who_is_named_is_gone),
        cmocka_unit_test(test_replies__ids_nodes_and_the_cluster),
        cmocka_unit_test(test_replies__what_is_cut_anywhere_does_no_harm),
        cmocka_unit_test(test_replies__queues),
        cmocka_unit_test(test_replies__diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
