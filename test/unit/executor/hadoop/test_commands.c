/* test_commands.c - commands as a kind of job: given up, ended and found again by what lies in HDFS. */
#include "unit/executor/hadoop/yarn.h"

#include "executor/hadoop/bundle.h"
#include "runner/record/job.h"

#define KIND pingo__executor_hadoop_commands
#define STARTED "started.container_1_0001_01_000002.node1.45454.8042"
#define OF_ITS_APPLICATION "started.container_7_0001_01_000002.node1.45454.8042"

static job_of *adopted(int64_t action)
{
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(action));
    assert_non_null(job);
    assert_true(pingo__executor_hadoop_show_to(job, &KIND));
    job->job.key = ATTEMPT(action);
    job->is_adopted = true;
    return job;
}

/* What is read for it is read aside, and settled then. */
static void look_twice(job_of *job)
{
    WELL(KIND.look(&h, job, err));
    wait_aside(job);
    WELL(KIND.look(&h, job, err));
}

static void test_commands__what_nobody_has_armed_never_starts(void **state)
{
    bool revoked = false, found = true;
    (void)state;
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(1));
    assert_true(pingo__executor_hadoop_show_to(job, &KIND));
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
    look_twice(job);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    /* Its container tells the application. */
    snprintf(text, sizeof text, "named 4 0application_1_0001; ended 4 %d", (int)PINGO_END_EXITED);
    assert_string_equal(reported(), text);
    KIND.forget(&h, job);
    assert_true(is_there(h.hdfs, "attempts/4.1/outcome")); /* it failed: its directory is kept */
}

/* Its only DataNode is away: the others are settled, and it is when that is back. */
static void test_commands__an_outcome_that_does_not_come_holds_nobody_up(void **state)
{
    const struct pingo_job_key keys[] = {ATTEMPT(6), ATTEMPT(7)};
    struct pingo_job_end end = {.size = sizeof end, .key = {6, 1}};
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    job_of *jobs[2];
    (void)state;
    struct pingo__executor_hadoop_bundle *b =
        pingo__executor_hadoop_bundle_know(&h, "application_7_1", keys, 2);
    for (int i = 0; i < 2; i++) {
        jobs[i] = adopted(6 + i);
        pingo__executor_hadoop_bundle_bind(&h, jobs[i], b);
        ((struct pingo__executor_hadoop_attempt *)jobs[i]->own)->is_heard = true;
        jobs[i]->phase = PINGO__HADOOP_SUBMITTED;
    }
    pingo__runner_outcome_encode(&end, record);
    WELL(pingo__hdfs_put_bytes(h.hdfs, "attempts/6.1/outcome", record, sizeof record, err));
    put(h.hdfs, "attempts/7.1/revoked", "");
    fault(0, "hang", "DATA-OPEN", 1);
    fault(0, "slam", "DATA-OPEN", 1000);
    WELL(KIND.look(&h, jobs[0], err));
    look_twice(jobs[1]);
    assert_int_equal(jobs[1]->phase, PINGO__HADOOP_OVER);
    assert_false(jobs[0]->aside->is_done);
    wait_aside(jobs[0]);
    FAILS(KIND.look(&h, jobs[0], err), PINGO_EIO, "its bytes do not come");
    order("/clear");
    look_twice(jobs[0]);
    assert_int_equal(jobs[0]->phase, PINGO__HADOOP_OVER);
}

/* One of its attempts could not be read when it was adopted: it may run there. */
static void test_commands__an_application_is_not_ended_under_one_that_cannot_be_read(void **state)
{
    const struct pingo_job_key keys[] = {ATTEMPT(8), ATTEMPT(9)};
    static const struct yarn_row rows[] = {
        {"PUT /ws/v1/cluster/apps/application_7_1", "200 OK", "{}"}};
    bool revoked = false;
    (void)state;
    yarn_open();
    yarn_says(rows, 1);
    yarn.text[0] = '\0';
    struct pingo__executor_hadoop_bundle *b =
        pingo__executor_hadoop_bundle_know(&h, "application_7_1", keys, 2);
    job_of *job = adopted(8), *unread = adopted(9);
    unread->is_unread = true;
    for (int i = 0; i < 3; i++) {
        pingo__executor_hadoop_bundle_bind(&h, job, b);
        job->phase = PINGO__HADOOP_SUBMITTED;
        job->is_killed = true;
        if (i == 0) {
            WELL(KIND.kill(&h, job, err));
        } else if (i == 1) {
            put(h.hdfs, "attempts/8.1/job", "x");
            WELL(KIND.revoke(&h, job, &revoked, err));
            assert_true(revoked);
        } else {
            KIND.forget(&h, job);
            b->look_at_ms = b->forgotten_ms = 1;
            pingo__executor_hadoop_bundles_step(&h);
            assert_ptr_equal(pingo__executor_hadoop_bundle_of(&h, keys[1]), b);
        }
        assert_string_equal(yarn.text, "");
    }
    unread->is_unread = false;
    pingo__executor_hadoop_bundle_bind(&h, job, b);
    WELL(KIND.kill(&h, job, err));
    assert_non_null(strstr(yarn.text, "KILLED"));
    yarn_close();
}

/* ---- killed ---------------------------------------------------------------------------------------------- */

static const struct yarn_row ends[] = {{"PUT /ws/v1/cluster/apps/application_7_1", "200 OK", "{}"}};

/* One that was started by an earlier process, and is alone in its application. */
static job_of *begun(int64_t action)
{
    const struct pingo_job_key keys[] = {ATTEMPT(action)};
    char path[100];
    bool found;
    h.runner.grace_ms = 10000;
    yarn_open();
    yarn_says(ends, 1);
    yarn.text[0] = '\0';
    pingo__executor_hadoop_bundle_know(&h, "application_7_1", keys, 1);
    snprintf(path, sizeof path, "attempts/%d.1/" OF_ITS_APPLICATION, (int)action);
    put(h.hdfs, path, "x");
    job_of *job = adopted(action);
    WELL(KIND.adopt(&h, job, &found, err));
    assert_true(found);
    return job;
}

static bool is_yarn_asked(void)
{
    bool is_asked = strstr(yarn.text, "KILLED") != NULL;
    yarn_close();
    return is_asked;
}

/* It is known to have begun before its application's marks are looked at. */
static void test_commands__what_has_begun_has_its_grace(void **state)
{
    bool revoked = true;
    (void)state;
    job_of *job = begun(10);
    WELL(KIND.revoke(&h, job, &revoked, err));
    assert_false(revoked);
    job->is_killed = true;
    WELL(pingo__executor_hadoop_end_job(&h, job, err));
    WELL(KIND.look(&h, job, err));
    assert_true(is_there(h.hdfs, "attempts/10.1/kill"));
    assert_false(is_yarn_asked());
}

/* A tick stays for a moment: that of an hour ago had asked the runner, which does not hear. */
static void test_commands__who_does_not_hear_is_ended_by_another_process(void **state)
{
    (void)state;
    job_of *job = begun(11);
    WELL(pingo__hdfs_make(h.hdfs, "attempts/11.1/kill", err));
    WELL(pingo__hdfs_touch(h.hdfs, "attempts/11.1/kill", pingo__world_wall_ms() - 3600000, err));
    job->is_killed = true;
    WELL(pingo__executor_hadoop_end_job(&h, job, err));
    WELL(KIND.look(&h, job, err));
    assert_true(is_yarn_asked());
}

/* A submission that nobody answered is made again where YARN does not know it; what it says of that is told. */
static void test_commands__what_is_refused_when_it_is_asked_again(void **state)
{
    static const struct yarn_row rows[] = {
        {"GET /ws/v1/cluster/apps/application_7_1", "404 x",
         "{\"RemoteException\":{\"exception\":\"NotFoundException\",\"message\":\"app with id: "
         "application_7_1 not found\"}}"},
        {"GET /ws/v1/cluster/info", "200 OK", "{\"clusterInfo\":{\"startedOn\":7}}"},
        {"POST /ws/v1/cluster/apps", "400 x",
         "{\"RemoteException\":{\"exception\":\"BadRequestException\",\"message\":"
         "\"no queue q\"}}"}};
    (void)state;
    yarn_open();
    yarn_says(rows, 3);
    put(h.hdfs, "attempts/5.1/job", "x");
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(5));
    struct pingo__executor_hadoop_bundle *b =
        pingo__executor_hadoop_bundle_know(&h, "application_7_1", &job->job.key, 1);
    assert_non_null(b);
    b->body = strdup("{}");
    assert_true(pingo__executor_hadoop_show_to(job, &KIND));
    job->job.key = ATTEMPT(5);
    pingo__executor_hadoop_bundle_bind(&h, job, b);
    job->phase = PINGO__HADOOP_SUBMITTED;
    for (int i = 0; i < 5 && job->phase != PINGO__HADOOP_OVER; i++)
        look_twice(job);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    struct pingo__executor_hadoop_report *r = pingo__executor_hadoop_box_reports(h.box);
    assert_int_equal(r->kind, PINGO__HADOOP_HAS_ENDED);
    assert_int_equal(r->end.reason, PINGO_END_NOT_STARTED);
    assert_non_null(strstr(r->end.message, "no queue q"));
    assert_null(r->next);
    pingo__executor_hadoop_report_free(r);
    yarn_close();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_commands__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(what_nobody_has_armed_never_starts),
        TEST(what_has_begun_is_found_again),
        TEST(an_outcome_is_its_end),
        TEST(an_outcome_that_does_not_come_holds_nobody_up),
        TEST(an_application_is_not_ended_under_one_that_cannot_be_read),
        TEST(what_has_begun_has_its_grace),
        TEST(who_does_not_hear_is_ended_by_another_process),
        TEST(what_is_refused_when_it_is_asked_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
