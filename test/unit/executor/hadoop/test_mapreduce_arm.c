/* test_mapreduce_arm.c - what the submission of a MapReduce job needs is made, job.xml last; what can never be is refused. */
#include "unit/executor/hadoop/before.h"

#include "executor/hadoop/mapreduce.h"

static char fs[] = "hdfs://x:8020", path[] = "/p", set[] = "/x";

static job_of *job_with(int64_t action, const char *payload)
{
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    assert_non_null(job);
    h.fs = fs;
    h.pool_path = path;
    h.client_classpath = h.conf_dir = set;
    h.runner = (struct pingo_runner_options){.version = 1, .log_bytes = 1000, .grace_ms = 1};
    static const char *const argv[] = {NULL};
    job->job = (struct pingo_job){.key = ATTEMPT(action),
                                  .store_id = "s",
                                  .name = "count",
                                  .type = "map-reduce-2",
                                  .argv = argv,
                                  .payload = payload,
                                  .output = "output",
                                  .cpus = 1};
    job->job.attempt_dir =
        pingo__arena_format(&job->arena, "%s/attempts/%lld.1", near_dir, (long long)action);
    job->job.staged_path =
        pingo__arena_format(&job->arena, "%s/staged/%lld.1", near_dir, (long long)action);
    job->job.attempt_place =
        pingo__arena_format(&job->arena, "%s/attempts/%lld.1", place, (long long)action);
    job->job.staged_place =
        pingo__arena_format(&job->arena, "%s/staged/%lld.1", place, (long long)action);
    return job;
}

static void test_mapreduce_arm__job_xml_says_it(void **state)
{
    struct pingo__buffer value = {0};
    char expected[160];
    (void)state;
    job_of *job = job_with(1, "{\"configuration\":{\"mapreduce.job.map.class\":\"a.M\"},"
                              "\"input\":[],\"streaming\":false}");
    WELL(pingo__executor_hadoop_mapreduce_arm(&h, job, err));
    char *xml = pingo__executor_hadoop_near_text(job, "job.xml");
    assert_non_null(xml);
    assert_true(pingo__executor_hadoop_xml_find(xml, "mapreduce.job.map.class", &value));
    assert_string_equal(pingo__buffer_cstr(&value), "a.M");
    pingo__buffer_reset(&value);
    assert_true(pingo__executor_hadoop_xml_find(xml, "mapreduce.job.tags", &value));
    assert_non_null(strstr(pingo__buffer_cstr(&value), "pingo-mark-1.1"));
    pingo__buffer_clear(&value);
    free(xml);
    snprintf(expected, sizeof expected, "%s/attempts/1.1/job.xml", near_dir);
    assert_string_equal(pingo__executor_hadoop_near(job, "job.xml"), expected);
    assert_string_equal(pingo__executor_hadoop_far(&h, job, "output"), "/p/attempts/1.1/output");
    struct pingo_runner_report report = {.size = sizeof report};
    WELL(pingo_runner_look(job->job.attempt_dir, &report, err));
    assert_int_equal(report.state, PINGO_RUNNER_ARMED);
}

static void test_mapreduce_arm__what_is_no_plan_is_refused(void **state)
{
    (void)state;
    job_of *job = job_with(2, "{");
    assert_int_not_equal(pingo__executor_hadoop_mapreduce_arm(&h, job, NULL), 0);
    assert_null(pingo__executor_hadoop_near_text(job, "job.xml"));
}

/* Java passes over a jar that is none, and misses its classes an hour later. */
static void test_mapreduce_arm__a_jar_that_is_none(void **state)
{
    (void)state;
    job_of *job = job_with(3, "{\"configuration\":{},\"jar\":\"j\",\"streaming\":false}");
    struct pingo_job_link link = {.name = "j", .target = at("%s/%s", "j.jar")};
    write_file(link.target, "no archive", 0644);
    job->job.links = &link;
    job->job.nlinks = 1;
    FAILS(pingo__executor_hadoop_mapreduce_arm(&h, job, err), PINGO_EINVAL,
          "j is no jar: it is no archive of Java's");
    assert_null(pingo__executor_hadoop_near_text(job, "job.xml"));
}

/* Nothing is made before it is there; this one never can be. */
static void test_mapreduce_arm__an_input_that_hdfs_cannot_hold(void **state)
{
    char directory[128];
    struct pingo_job_link link = {.name = "in.gz", .target = directory};
    (void)state;
    snprintf(directory, sizeof directory, "%s", at("%s/%s", "colon"));
    assert_int_equal(mkdir(directory, 0755), 0);
    write_file(at("%s/%s", "colon/a:b"), "x", 0644);
    job_of *job = job_with(4, "{\"configuration\":{},\"input\":[\"in.gz\"],\"streaming\":false}");
    job->job.links = &link;
    job->job.nlinks = 1;
    WELL(pingo__executor_hadoop_mapreduce_arm(&h, job, err));
    wait_aside(job);
    FAILS(pingo__executor_hadoop_mapreduce_arm(&h, job, err), PINGO_EINVAL, "a:b");
    assert_null(pingo__executor_hadoop_near_text(job, "job.xml"));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, directory), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mapreduce_arm__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(job_xml_says_it),
        TEST(what_is_no_plan_is_refused),
        TEST(a_jar_that_is_none),
        TEST(an_input_that_hdfs_cannot_hold),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
