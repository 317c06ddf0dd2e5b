/* test_commands.c - commands as a kind of job: given up, ended and found again by what lies in HDFS. */
#include "unit/executor/hadoop/before.h"

#include "executor/hadoop/bundle.h"
#include "runner/record/outcome.h"

#define KIND pingo__executor_hadoop_commands
#define STARTED "started.container_1_0001_01_000002.node1.45454.8042"

static job_of *adopted(int64_t action)
{
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    assert_non_null(job);
    job->kind = &KIND;
    job->job.key = ATTEMPT(action);
    job->is_adopted = true;
    return job;
}

static void test_commands__what_nobody_has_armed_never_starts(void **state)
{
    bool revoked = false, found = true;
    (void)state;
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(1));
    job->kind = &KIND;
    job->job.key = ATTEMPT(1);
    order("/clear");
    WELL(KIND.revoke(&h, job, &revoked, err));
    assert_true(revoked);
    assert_int_equal(order("/count/-"), 0); /* of one that is ours nobody need be asked */
    WELL(KIND.adopt(&h, adopted(2), &found, err));
    assert_false(found);
}

static void test_commands__what_has_begun_is_found_again(void **state)
{
    bool revoked = true, found = false;
    (void)state;
    put(h.hdfs, "attempts/3.1/" STARTED, "x");
    job_of *job = adopted(3);
    WELL(KIND.adopt(&h, job, &found, err));
    assert_true(found);
    WELL(KIND.revoke(&h, job, &revoked, err));
    assert_false(revoked);
    job->phase = PINGO__HADOOP_SUBMITTED;
    job->is_killed = true;
    WELL(KIND.kill(&h, job, err));
    assert_true(is_there(h.hdfs, "attempts/3.1/kill")); /* who runs it looks for that */
}

static void test_commands__an_outcome_is_its_end(void **state)
{
    struct pingo_job_end end = {.size = sizeof end, .key = {4, 1}, .exit_code = 3};
    char record[PINGO__RUNNER_OUTCOME_SIZE], text[64];
    bool found = false;
    (void)state;
    put(h.hdfs, "attempts/4.1/" STARTED, "x");
    pingo__runner_outcome_encode(&end, record);
    WELL(pingo__hdfs_put_bytes(h.hdfs, "attempts/4.1/outcome", record, sizeof record, err));
    job_of *job = adopted(4);
    WELL(KIND.adopt(&h, job, &found, err));
    assert_true(found);
    job->phase = PINGO__HADOOP_SUBMITTED;
    WELL(KIND.look(&h, job, err));
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    /* Its container tells the application. */
    snprintf(text, sizeof text, "named 4 0application_1_0001; ended 4 %d", (int)PINGO_END_EXITED);
    assert_string_equal(reported(), text);
    KIND.forget(&h, job);
    assert_null(job->own);
    assert_true(is_there(h.hdfs, "attempts/4.1/outcome")); /* it failed: its directory is kept */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_commands__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(what_nobody_has_armed_never_starts),
        TEST(what_has_begun_is_found_again),
        TEST(an_outcome_is_its_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
