/* test_mapreduce_history.c - what MapReduce jobs leave of themselves, and what a Java says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "executor/hadoop/mapreduce.h"

static void test_mapreduce_history__the_name_of_a_history(void **state)
{
    static const char good[] =
        "job_17_0002-1795373269008-root-pingo%2Dstore_count-1795373280823-2-1-"
        "SUCCEEDED-root.default-1795373276655.jhist";
    static const char *const wrong[] = {"",
                                        ".jhist",
                                        "job_1_1.jhist",
                                        "job_17_0002.summary",
                                        "job_17_0002_conf.xml",
                                        "job_1-1-r-n-1-2-1-RUNNING-q-1.jhist",
                                        "job_1-1-r-n-1-2-1-SUCCEEDED-q-1.jhist_tmp",
                                        "job_1-1-r-n-1-2-1-SUCCEEDED-q-1-9.jhist"};
    struct pingo__executor_hadoop_history h;

    (void)state;
    pingo__executor_hadoop_history_name(good, &h);
    assert_int_equal(h.state, PINGO__HADOOP_SUCCEEDED);
    assert_int_equal(h.started_ms, 1795373276655);
    assert_int_equal(h.ended_ms, 1795373280823);
    pingo__executor_hadoop_history_name("job_1_1-1-r-n-1-2-1-FAILED-q-1.jhist", &h);
    assert_int_equal(h.state, PINGO__HADOOP_FAILED);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pingo__executor_hadoop_history_name(wrong[i], &h);
        assert_int_equal(h.state, PINGO__HADOOP_UNHEARD);
    }
}

#define EVENT(type, class, rest)                                                                   \
    "{\"type\":\"" type                                                                            \
    "\",\"event\":{\"org.apache.hadoop.mapreduce.jobhistory." class "\":{" rest "}}}\n\n"
static const char finished[] =
    "ut off\":1}}}\n" EVENT("TASK_FINISHED", "TaskFinished", "\"x\":1") EVENT(
        "JOB_FINISHED", "JobFinished",
        "\"finishedMaps\":2,\"failedMaps\":0,\"finishedReduces\":1,\"failedReduces\":0,"
        "\"totalCounters\":{\"name\":\"T\",\"groups\":[{\"name\":\"org.apache.hadoop.mapreduce."
        "TaskCounter\",\"displayName\":\"F\",\"counts\":[{\"name\":\"MAP_INPUT_RECORDS\",\"value\":"
        "214},{\"name\":\"CPU_MILLISECONDS\",\"value\":1500},{\"name\":\"NONE\",\"value\":0},"
        "{\"name\":\"MAP_PHYSICAL_MEMORY_BYTES_MAX\",\"value\":7},"
        "{\"name\":\"REDUCE_PHYSICAL_MEMORY_BYTES_MAX\",\"value\":5}]}]}");
#define TRY(id, container)                                                                         \
    EVENT("MAP_ATTEMPT_STARTED", "TaskAttemptStarted",                                             \
          "\"attemptId\":\"attempt_1_2_m_" id                                                      \
          "\",\"trackerName\":\"node1\",\"httpPort\":8042,\"containerId\":\"" container "\"")
static const char failed[] = TRY("0_0", "container_1_2_01_2") TRY("0_1", "container_1_2_01_3") EVENT(
    "TASK_FAILED", "TaskFailed",
    "\"failedDueToAttempt\":{\"string\":\"attempt_1_2_m_0_1\"},"
    "\"error\":\", java.lang.RuntimeException: java.lang.ClassNotFoundException: Class no.such.Map "
    "not found\\n\\tat org.apache.X(X.java:1)\\n\"")
    EVENT("JOB_FAILED", "JobUnsuccessfulCompletion",
          "\"diagnostics\":{\"string\":\"Task failed "
          "task_1\\nmore\"}");

static const char away[] = EVENT("JOB_FAILED", "JobUnsuccessfulCompletion",
                                 "\"diagnostics\":{\"string\":\"Job commit failed: "
                                 "java.io.IOException: Call From a to b:1 failed "
                                 "on local exception: x\\nmore\"}");

static void test_mapreduce_history__events_of_a_history(void **state)
{
    struct pingo__executor_hadoop_history h = {.state = PINGO__HADOOP_SUCCEEDED};
    struct pingo__buffer told = {0};

    (void)state;
    pingo__executor_hadoop_history_events(finished, strlen(finished), &h, &told);
    assert_int_equal(h.cpu_ms, 1500);
    assert_int_equal(h.memory_bytes, 7);
    assert_string_equal(
        pingo__buffer_cstr(&told),
        "{\"maps\":2,\"failedMaps\":0,\"reduces\":1,\"failedReduces\":0,\"counters\":{"
        "\"TaskCounter\":{"
        "\"MAP_INPUT_RECORDS\":214,\"CPU_MILLISECONDS\":1500,\"MAP_PHYSICAL_MEMORY_BYTES_MAX\":7,"
        "\"REDUCE_PHYSICAL_MEMORY_BYTES_MAX\":5}}}\n");
    h = (struct pingo__executor_hadoop_history){.state = PINGO__HADOOP_FAILED};
    pingo__executor_hadoop_history_events(failed, strlen(failed), &h, &told);
    assert_string_equal(h.message, "ClassNotFoundException: Class no.such.Map not found");
    assert_false(h.was_memory);
    assert_string_equal(h.container, "container_1_2_01_3");
    assert_string_equal(h.node, "node1:8042");
    assert_false(h.was_away);
    h = (struct pingo__executor_hadoop_history){.state = PINGO__HADOOP_FAILED};
    pingo__executor_hadoop_history_events(away, strlen(away), &h, &told);
    assert_true(h.was_away);
    assert_string_equal(h.message, "Job commit failed: java.io.IOException: Call From a to b:1 "
                                   "failed on local exception: x");
    for (size_t n = 0; n < strlen(finished); n++) /* cut anywhere */
        pingo__executor_hadoop_history_events(finished, n, &h, &told);
    pingo__buffer_clear(&told);
}

/* Its last attempt told only that it was ended; an attempt of another task died of memory, and was made again. */
static void test_mapreduce_history__memory_of_an_earlier_attempt(void **state)
{
#define ATTEMPT(id, said)                                                                          \
    EVENT("MAP_ATTEMPT_FAILED", "TaskAttemptUnsuccessfulCompletion",                               \
          "\"attemptId\":\"" id "\",\"error\":\"" said "\"")
#define MEMORY "Container [pid=1] is running 9B beyond the 'PHYSICAL' memory limit."
    static const char own[] = ATTEMPT("attempt_1_2_m_0_0", MEMORY),
                      other[] = ATTEMPT("attempt_1_2_m_1_0", MEMORY)
                          ATTEMPT("attempt_1_2_m_0_0", "subprocess failed with code 143");
    const char *const before[] = {own, other};
    struct pingo__buffer told = {0}, text = {0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pingo__executor_hadoop_history h = {.state = PINGO__HADOOP_FAILED};
        pingo__buffer_reset(&text);
        pingo__buffer_text(&text, before[i]);
        pingo__buffer_text(&text, failed);
        pingo__executor_hadoop_history_events(text.data, text.length, &h, &told);
        assert_int_equal(h.was_memory, i == 0);
    }
    pingo__buffer_clear(&text);
    pingo__buffer_clear(&told);
}

static void test_mapreduce_history__what_a_java_says(void **state)
{
    static const struct {
        const char *text, *said;
        bool away;
    } rows[] = {
        {"WARN x\nException in thread \"main\" java.io.IOException: a.b.YarnException: Failed to "
         "submit "
         "application_1_1 to YARN : unknown queue: nosuch\n\tat X\nCaused by: a.b.YarnException: "
         "Failed "
         "to submit application_1_1 to YARN : unknown queue: nosuch\n\tat Y\n",
         "YarnException: Failed to submit application_1_1 to YARN : unknown queue: nosuch", false},
        {"Exception in thread \"main\" java.lang.RuntimeException: "
         "java.lang.ClassNotFoundException: "
         "Class no.such.Format not found\n",
         "ClassNotFoundException: Class no.such.Format not found", false},
        {"Exception in thread \"main\" java.net.ConnectException: Call to nn:8020 failed\n",
         "ConnectException: Call to nn:8020 failed", true},
        {"Error: Could not find or load main class org.X\n",
         "Could not find or load main class org.X", false},
        {"all is well\n", "", false},
        {"", "", false},
        {"Caused by: x.Y", "Y", false},
        {"2026 INFO [uber] x.Listener: Diagnostics report from attempt_1_1_m_0_0: "
         "java.io.IOException: "
         "Type mismatch: a, b\n\tat x.Y\n2026 ERROR [uber] x.Launcher: CONTAINER_REMOTE_LAUNCH\n",
         "IOException: Type mismatch: a, b", false},
        {"Diagnostics report from attempt_1\nINFO: well\n", "", false},
    };
    char said[200];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pingo__executor_hadoop_exception(rows[i].text, said, sizeof said);
        assert_string_equal(said, rows[i].said);
        assert_int_equal(pingo__executor_hadoop_exception_is_away(said), rows[i].away);
    }
}

static void test_mapreduce_history__which_job_it_was(void **state)
{
    char id[PINGO__HADOOP_ID_SIZE] = "";

    (void)state;
    assert_true(pingo__executor_hadoop_find_job("job_1_2\nSubmitted application_17_0003\n", id));
    assert_string_equal(id, "application_17_0003");
    assert_true(pingo__executor_hadoop_find_job("Created job job_17_0004\n", id));
    assert_string_equal(id, "application_17_0004");
    assert_false(pingo__executor_hadoop_find_job("job_x application_ job_12", id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapreduce_history__the_name_of_a_history),
        cmocka_unit_test(test_mapreduce_history__events_of_a_history),
        cmocka_unit_test(test_mapreduce_history__memory_of_an_earlier_attempt),
        cmocka_unit_test(test_mapreduce_history__what_a_java_says),
        cmocka_unit_test(test_mapreduce_history__which_job_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
