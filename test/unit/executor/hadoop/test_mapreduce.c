/* test_mapreduce.c - MapReduce jobs as a kind of job: what they need, and how one is given up or found again. */
#include "unit/executor/hadoop/yarn.h"

#include "executor/hadoop/mapreduce.h"

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

/* The time in which it waits in YARN's queue is none of its own, and YARN's clock need not be ours. */
static void test_mapreduce__a_time_limit_is_of_what_runs(void **state)
{
#define APP "GET /ws/v1/cluster/apps/application_17_0003"
#define RUNS(times) "{\"app\":{\"id\":\"application_17_0003\",\"state\":\"RUNNING\"," times "}}"
    static const struct {
        const char *body;
        bool is_ended;
    } rows[] = {
        {RUNS("\"startedTime\":5000,\"launchTime\":905000,\"elapsedTime\":901000"), false},
        {RUNS("\"startedTime\":5000,\"launchTime\":905000,\"elapsedTime\":961000"), true},
        {RUNS("\"startedTime\":5000,\"elapsedTime\":1000"), false}, /* an older YARN */
        {RUNS("\"startedTime\":5000,\"elapsedTime\":61000"), true},
    };
    (void)state;
    yarn_open();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct yarn_row says[] = {{APP, "200 OK", rows[i].body},
                                        {"PUT ", "202 Accepted", "{}"}};
        struct pingo__executor_hadoop_app app;
        char path[256];
        job_of *job = job_at(20 + (int64_t)i);
        struct pingo__executor_hadoop_mapreduce_own *own = job->own;
        own->is_submitted = own->is_seen = true;
        job->phase = PINGO__HADOOP_SUBMITTED;
        strcpy(job->application, "application_17_0003");
        assert_int_equal(mkdir(job->job.attempt_dir, 0755), 0);
        snprintf(path, sizeof path, "%s/job.xml", job->job.attempt_dir);
        write_file(path,
                   "<configuration><property><name>pingo.time.limit.ms</name><value>60000</value>"
                   "</property></configuration>",
                   0644);
        yarn_says(says, 2);
        WELL(pingo__executor_hadoop_ask(&h, job->application, &app, err));
        WELL(KIND.look(&h, job, err));
        if (own->is_overdue != rows[i].is_ended ||
            (strncmp(yarn.text, "PUT ", 4) == 0) != rows[i].is_ended)
            fail_msg("%s", rows[i].body);
    }
    yarn_close();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mapreduce__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(what_it_needs_is_told),
        TEST(what_was_not_armed_never_starts),
        TEST(what_is_armed_is_found_again),
        TEST(a_time_limit_is_of_what_runs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
