/* test_mapreduce_submission.c - what JobClient has left tells the application; where it left nothing there is none. */
#include "unit/executor/hadoop/yarn.h"

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
    job->job.attempt_dir =
        pingo__arena_format(&job->arena, "%s/attempts/%lld.1", near_dir, (long long)action);
    assert_non_null(job->own = calloc(1, sizeof(struct pingo__executor_hadoop_mapreduce_own)));
    return job;
}

static void test_mapreduce_submission__a_staging_directory_tells_the_job(void **state)
{
    char application[PINGO__HADOOP_ID_SIZE] = "", *found;
    (void)state;
    job_of *job = job_at(1);
    WELL(pingo__executor_hadoop_mapreduce_staged(&h, job, application, &found, err));
    assert_null(found);
    put(h.hdfs, "attempts/1.1/staging/me/.staging/job_17_0003/job.xml", "x");
    WELL(pingo__executor_hadoop_mapreduce_staged(&h, job, application, &found, err));
    assert_string_equal(application, "application_17_0003");
    assert_string_equal(found, "/p/attempts/1.1/staging/me/.staging/job_17_0003");
}

/* By that it is found there, as a command's application is. */
static void test_mapreduce_submission__is_named_as_yarn_names_it(void **state)
{
    static const struct yarn_row rows[] = {
        {"GET /ws/v1/cluster/apps/application_17_0003", "200 OK",
         "{\"app\":{\"id\":\"application_17_0003\",\"state\":\"ACCEPTED\"}}"}};
    (void)state;
    yarn_open();
    yarn_says(rows, 1);
    put(h.hdfs, "attempts/1.1/staging/me/.staging/job_17_0003/job.xml", "");
    job_of *job = job_at(1);
    WELL(pingo__executor_hadoop_mapreduce_follow(&h, job, err));
    assert_string_equal(reported(), "named 1 0application_17_0003");
    yarn_close();
}

/* Nothing was ever armed here, and nobody submits: it is said that there is none, and what might come finds no way. */
static void test_mapreduce_submission__where_nothing_is_left_there_is_none(void **state)
{
    (void)state;
    job_of *job = job_at(2);
    WELL(pingo__executor_hadoop_mapreduce_follow(&h, job, err));
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    const char *said = reported();
    assert_int_equal(strncmp(said, "ended 2 ", 8), 0);
    assert_int_not_equal(atoi(said + 8), PINGO_END_EXITED);
}

static void test_mapreduce_submission__no_more_than_two_javas_submit(void **state)
{
    static char nowhere[] = "/nowhere";
    bool busy = true;
    (void)state;
    job_of *job = job_at(3);
    h.helper_dir = nowhere;
    FAILS(pingo__executor_hadoop_mapreduce_start(&h, job, &busy, err), PINGO_EIO,
          "/nowhere/pingo-runner: cannot be run");
    assert_false(busy);
    pid_t children[2]; /* for Javas */
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            pause();
            _exit(0);
        }
        ((struct pingo__executor_hadoop_mapreduce_own *)job_at(4 + i)->own)->pid = children[i];
    }
    WELL(pingo__executor_hadoop_mapreduce_start(&h, job, &busy, err));
    assert_true(busy);
    for (int i = 0; i < 2; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    FAILS(pingo__executor_hadoop_mapreduce_start(&h, job, &busy, err), PINGO_EIO, "cannot be run");
    assert_false(busy); /* they have ended */
    h.helper_dir = NULL;
}

/* It tells the end of its command before its own. */
static void test_mapreduce_submission__a_runner_that_outlives_its_job_is_waited_for(void **state)
{
    bool busy;
    (void)state;
    job_of *job = job_at(6);
    struct pingo__executor_hadoop_mapreduce_own *own = job->own;
    own->may_be_armed = true;
    pid_t child = own->pid = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    job->kind->forget(&h, job);
    free(job->own);
    pingo__arena_clear(&job->arena);
    pingo_jobs_remove(h.jobs, ATTEMPT(6));
    kill(child, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    h.helper_dir = path; /* where nothing is */
    FAILS(pingo__executor_hadoop_mapreduce_start(&h, job_at(7), &busy, err), PINGO_EIO,
          "cannot be run");
    h.helper_dir = NULL;
    assert_int_equal(waitpid(child, NULL, WNOHANG), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mapreduce_submission__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_staging_directory_tells_the_job),
        TEST(is_named_as_yarn_names_it),
        TEST(where_nothing_is_left_there_is_none),
        TEST(no_more_than_two_javas_submit),
        TEST(a_runner_that_outlives_its_job_is_waited_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
