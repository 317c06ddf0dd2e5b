/* test_mapreduce.c - MapReduce jobs as a kind of job: what they need, and how one is given up or found again. */
#include "unit/executor/hadoop/before.h"

#define KIND pingo__executor_hadoop_mapreduce

static job_of *job_at(int64_t action)
{
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    assert_non_null(job);
    assert_true(pingo__executor_hadoop_show_to(job, &KIND));
    job->job.key = ATTEMPT(action);
    job->job.attempt_dir =
        pingo__arena_format(&job->arena, "%s/attempts/%lld.1", near_dir, (long long)action);
    return job;
}

static void arm(const job_of *job)
{
    static const char *const argv[] = {"true", NULL}, *const env[] = {NULL};
    struct pingo_job j = job->job;
    const struct pingo_runner_options options = {.version = 1, .log_bytes = 1000, .grace_ms = 1};
    j.cpus = 1;
    j.store_id = "s";
    j.name = "n";
    j.type = "map-reduce-1";
    j.argv = argv;
    j.env = env;
    j.output = "output";
    j.staged_path = "/nowhere";
    WELL(pingo_runner_arm(&j, &options, err));
}

static void put_xml(const job_of *job)
{
    char path[256];
    snprintf(path, sizeof path, "%s/job.xml", job->job.attempt_dir);
    write_file(path,
               "<configuration><property><name>mapreduce.job.tags</name><value>pingo</value>"
               "</property></configuration>",
               0644);
}

static void test_mapreduce__what_it_needs_is_told(void **state)
{
    static char set[] = "/x";
    (void)state;
    job_of *job = job_at(1);
    FAILS(KIND.arm(&h, job, err), PINGO_EUNSUPPORTED, "executor.hadoop.client is not set");
    h.client_classpath = set;
    FAILS(KIND.arm(&h, job, err), PINGO_EUNSUPPORTED, "executor.hadoop.conf is not set");
    h.client_classpath = NULL;
}

static void test_mapreduce__what_was_not_armed_never_starts(void **state)
{
    bool revoked = false, found = true;
    (void)state;
    job_of *job = job_at(2);
    WELL(KIND.revoke(&h, job, &revoked, err));
    assert_true(revoked);
    arm(job);
    revoked = false;
    WELL(KIND.revoke(&h, job, &revoked, err));
    assert_true(revoked);
    WELL(KIND.adopt(&h, job, &found, err));
    assert_false(found);
}

/* Armed with job.xml it may be submitted; without, its maker died before, and it never is. */
static void test_mapreduce__what_is_armed_is_found_again(void **state)
{
    struct pingo_runner_report report = {.size = sizeof report};
    bool found = false;
    (void)state;
    job_of *whole = job_at(3), *part = job_at(4);
    arm(whole);
    put_xml(whole);
    WELL(KIND.adopt(&h, whole, &found, err));
    assert_true(found);
    arm(part);
    WELL(KIND.adopt(&h, part, &found, err));
    assert_false(found);
    WELL(pingo_runner_look(part->job.attempt_dir, &report, err));
    assert_int_equal(report.state, PINGO_RUNNER_REVOKED);
    WELL(pingo_runner_look(whole->job.attempt_dir, &report, err));
    assert_int_equal(report.state, PINGO_RUNNER_ARMED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mapreduce__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(what_it_needs_is_told),
        TEST(what_was_not_armed_never_starts),
        TEST(what_is_armed_is_found_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
