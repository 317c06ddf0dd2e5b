/* test_mapreduce_end.c - what a MapReduce job has left in HDFS becomes its end. */
#include "unit/executor/hadoop/before.h"

#include "base/file.h"
#include "executor/hadoop/mapreduce.h"

static char path[] = "/p";

static job_of *job_at(int64_t action)
{
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    assert_non_null(job);
    h.pool_path = path;
    job->kind = &pingo__executor_hadoop_mapreduce;
    job->phase = PINGO__HADOOP_SUBMITTED;
    job->job.key = ATTEMPT(action);
    strcpy(job->application, "application_17_0003");
    job->job.attempt_dir =
        pingo__arena_format(&job->arena, "%s/attempts/%lld.1", near_dir, (long long)action);
    job->job.staged_place =
        pingo__arena_format(&job->arena, "%s/staged/%lld.1", place, (long long)action);
    assert_int_equal(mkdir(job->job.attempt_dir, 0755), 0);
    assert_non_null(job->own = calloc(1, sizeof(struct pingo__executor_hadoop_mapreduce_own)));
    return job;
}

static struct pingo_job_end end_of(job_of *job, enum pingo__executor_hadoop_state as_yarn_says)
{
    struct pingo__executor_hadoop_app app = {
        .id = "application_17_0003", .state = as_yarn_says, .diagnostics = "as YARN says"};
    struct pingo_job_end end = {.size = 0}; /* none yet */
    WELL(pingo__executor_hadoop_mapreduce_conclude(&h, job, &app, err));
    wait_aside(job);
    WELL(pingo__executor_hadoop_mapreduce_conclude(&h, job, &app, err));
    struct pingo__executor_hadoop_report *all = pingo__executor_hadoop_box_reports(h.box);
    for (const struct pingo__executor_hadoop_report *r = all; r; r = r->next)
        if (r->kind == PINGO__HADOOP_HAS_ENDED)
            end = r->end;
    pingo__executor_hadoop_report_free(all);
    return end;
}

/* "job_T_N-SUBMIT-USER-NAME-FINISH-MAPS-REDUCES-STATE-QUEUE-START.jhist" */
#define HISTORY(state)                                                                             \
    "attempts/1.1/history/me/job_17_0003-1000-me-n-9000-1-1-" state "-default-2000.jhist"

static void test_mapreduce_end__one_that_succeeded_has_its_output_staged(void **state)
{
    (void)state;
    job_of *job = job_at(1);
    struct pingo__executor_hadoop_mapreduce_own *own = job->own;
    own->is_seen = own->is_kept = true; /* while it ran: nothing that counts was changed */
    put(h.hdfs, HISTORY("SUCCEEDED"), "");
    put(h.hdfs, "attempts/1.1/output/part-r-00000", "one 1\n");
    put(h.hdfs, "attempts/1.1/output/_SUCCESS", "");
    put(h.hdfs, "attempts/1.1/output/_temporary/0/x", "left");
    struct pingo_job_end end = end_of(job, PINGO__HADOOP_SUCCEEDED);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    if (!pingo_job_end_is_success(&end))
        fail_msg("%d %s", (int)end.reason, end.message);
    assert_true(holds(h.hdfs, "staged/1.1/part-r-00000", "one 1\n"));
    assert_int_equal(entries(h.hdfs, "staged/1.1"), 1); /* what says nothing any more is gone */
}

/* A cluster's configuration may have changed what is hashed: what nobody can tell is no result. */
static void test_mapreduce_end__by_what_it_was_run_must_be_known(void **state)
{
    (void)state;
    job_of *job = job_at(1);
    put(h.hdfs, HISTORY("SUCCEEDED"), "");
    put(h.hdfs, "attempts/1.1/output/part-r-00000", "one 1\n");
    struct pingo_job_end end = end_of(job, PINGO__HADOOP_SUCCEEDED);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    assert_false(pingo_job_end_is_success(&end));
    assert_non_null(strstr(end.message, "nothing tells with what configuration"));
    assert_false(is_there(h.hdfs, "staged/1.1"));
}

static void test_mapreduce_end__one_that_failed_says_so(void **state)
{
    (void)state;
    job_of *job = job_at(1);
    put(h.hdfs, HISTORY("FAILED"), "");
    struct pingo_job_end end = end_of(job, PINGO__HADOOP_FAILED);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    assert_int_equal(end.reason, PINGO_END_EXITED);
    assert_int_not_equal(end.exit_code, 0);
    assert_false(is_there(h.hdfs, "staged/1.1"));
}

/* That is no trouble of the cluster's, for which all others would wait. */
static void test_mapreduce_end__a_history_whose_data_node_is_away(void **state)
{
    const struct pingo__executor_hadoop_app app = {.state = PINGO__HADOOP_FAILED};
    (void)state;
    job_of *job = job_at(1);
    WELL(pingo__hdfs_put_bytes(h.hdfs, HISTORY("FAILED"), "x", 1, err));
    fault(0, "slam", "DATA-OPEN", 1000);
    WELL(pingo__executor_hadoop_mapreduce_conclude(&h, job, &app, err));
    wait_aside(job);
    FAILS(pingo__executor_hadoop_mapreduce_conclude(&h, job, &app, err), PINGO_EIO,
          "its bytes do not come");
    assert_int_equal(job->phase, PINGO__HADOOP_SUBMITTED);
    order("/clear");
    end_of(job, PINGO__HADOOP_FAILED);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
}

/* Of one that runs they are read aside, however long a DataNode takes: nobody else waits. */
static void test_mapreduce_end__its_properties_are_compared_aside(void **state)
{
#define A "<property><name>a</name><value>1</value></property>"
    static const char theirs[] = "<configuration>" A "</configuration>",
                      ours[] = "<configuration><property><name>pingo.asked</name><value>a </value>"
                               "</property>" A "</configuration>";
    (void)state;
    job_of *job = job_at(1);
    struct pingo__executor_hadoop_mapreduce_own *own = job->own;
    char *xml = pingo__executor_hadoop_near(job, "job.xml");
    assert_int_equal(pingo__file_keep(xml, ours, sizeof ours - 1), 0);
    put(h.hdfs, "attempts/1.1/staging/me/.staging/job_17_0003/job.xml", theirs);
    fault(0, "hang", "DATA-OPEN", 1);
    WELL(pingo__executor_hadoop_mapreduce_compare(&h, job, err));
    assert_false(own->is_seen || job->aside->is_done);
    order("/clear");
    wait_aside(job);
    if (pingo__executor_hadoop_mapreduce_compare(&h, job, NULL)) { /* it was given up: once more */
        WELL(pingo__executor_hadoop_mapreduce_compare(&h, job, err));
        wait_aside(job);
        WELL(pingo__executor_hadoop_mapreduce_compare(&h, job, err));
    }
    assert_true(own->is_seen && own->is_kept);
}

/* Its history comes a little later than YARN's word: it is waited for. */
static void test_mapreduce_end__a_history_is_waited_for(void **state)
{
    (void)state;
    job_of *job = job_at(1);
    struct pingo_job_end end = end_of(job, PINGO__HADOOP_SUCCEEDED);
    assert_int_equal(job->phase, PINGO__HADOOP_SUBMITTED);
    assert_int_equal(end.size, 0);
}

static void test_mapreduce_end__an_end_without_an_output(void **state)
{
    char text[32];
    (void)state;
    job_of *job = job_at(1);
    pingo__executor_hadoop_mapreduce_fail(&h, job, PINGO_END_LOST, "why");
    snprintf(text, sizeof text, "ended 1 %d", (int)PINGO_END_LOST);
    assert_string_equal(reported(), text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mapreduce_end__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(one_that_succeeded_has_its_output_staged),
        TEST(by_what_it_was_run_must_be_known),
        TEST(one_that_failed_says_so),
        TEST(a_history_whose_data_node_is_away),
        TEST(its_properties_are_compared_aside),
        TEST(a_history_is_waited_for),
        TEST(an_end_without_an_output),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
