/* test_mapreduce_submission.c - what JobClient has left tells the application; where it left nothing there is none. */
#include "unit/executor/hadoop/yarn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/process.h"
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

/* A pingo-runner that runs as long as its attempt has a directory. */
static job_of *started(int64_t action)
{
    static char bin[64];
    job_of *job = job_at(action);
    snprintf(bin, sizeof bin, "%s", scratch);
    h.helper_dir = bin;
    if (access(at("%s/%s", "pingo-runner"), X_OK) != 0) /* else one that starts may be reading it */
        write_file(at("%s/%s", "pingo-runner"),
                   "#!/bin/sh\nwhile [ -e \"$1\" ]; do sleep 0.01; done\n", 0755);
    assert_int_equal(mkdir(job->job.attempt_dir, 0755), 0);
    WELL(pingo__executor_hadoop_mapreduce_start(&h, job, err));
    return job;
}

static void test_mapreduce_submission__no_more_than_two_javas_submit(void **state)
{
    static char nowhere[] = "/nowhere";
    (void)state;
    job_of *jobs[] = {started(3), started(4)}, *third = started(5);
    assert_true(jobs[0]->aside && jobs[1]->aside && !third->aside && third->waits_aside);
    assert_int_equal(rmdir(jobs[0]->job.attempt_dir), 0);
    wait_aside(jobs[0]);
    h.helper_dir = nowhere;
    FAILS(pingo__executor_hadoop_mapreduce_start(&h, third, err), PINGO_EIO,
          "/nowhere/pingo-runner: cannot be run");
    assert_false(third->waits_aside);
    assert_int_equal(rmdir(jobs[1]->job.attempt_dir), 0);
    wait_aside(jobs[1]);
    h.helper_dir = NULL;
}

/* It tells the end of its command before its own. */
static void test_mapreduce_submission__a_runner_that_outlives_its_job_is_waited_for(void **state)
{
    (void)state;
    job_of *job = started(6);
    pingo__executor_hadoop_aside_drop(job);
    pingo__executor_hadoop_asides_free(&h, false);
    assert_non_null(h.asides);
    assert_int_equal(rmdir(job->job.attempt_dir), 0);
    for (int i = 0; i < 6000 && h.asides; i++) {
        poll(NULL, 0, 10);
        pingo__executor_hadoop_asides_free(&h, false);
    }
    assert_null(h.asides);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* the server alone */
    h.helper_dir = NULL;
}

/* One that is said to have started, under the number of this process. */
static void starts(const job_of *job, pid_t pid, int *lock)
{
    char name[300];
    snprintf(name, sizeof name, "%s/attempts", near_dir);
    mkdir(name, 0755);
    mkdir(job->job.attempt_dir, 0755);
    snprintf(name, sizeof name, "%s/started.here.%ld", job->job.attempt_dir, (long)pid);
    *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(flock(*lock, LOCK_EX), 0);
}

/* Its number may be one of another PID namespace. */
static void test_mapreduce_submission__the_runner_alone_is_interrupted(void **state)
{
    int lock, ends[2];
    (void)state;
    for (int64_t i = 0; i < 2; i++) {
        job_of *job = job_at(20 + i);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        const char *const argv[] = {i ? "pingo-runner" : "somebody", job->job.attempt_dir, NULL};
        pid_t pid;
        const struct pingo__process_start yes = {
            .path = "yes",
            .argv = argv,
            .fds = {PINGO__PROCESS_NULL, ends[1], PINGO__PROCESS_NULL},
            .nfds = 3};
        assert_int_equal(pingo__process_start(&yes, &pid), 0);
        char byte; /* it is that program by now */
        assert_int_equal(read(ends[0], &byte, 1), 1);
        starts(job, pid, &lock);
        pingo__executor_hadoop_mapreduce_interrupt(job);
        if (i == 0)
            kill(pid, SIGKILL);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(WTERMSIG(status), i ? SIGTERM : SIGKILL);
        close(lock);
        close(ends[0]);
        close(ends[1]);
    }
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
        TEST(the_runner_alone_is_interrupted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
