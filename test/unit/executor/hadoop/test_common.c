/* test_common.c - what all kinds of jobs need of the thread: reports, each told once, pauses, and trouble in the log. */
#include "unit/executor/hadoop/yarn.h"

static void test_common__the_longer_without_news_the_longer_a_pause(void **state)
{
    int64_t now = pingo__world_monotonic_ms();
    (void)state;
    assert_int_equal(pingo__executor_hadoop_pause_ms(&h, now), 300);
    assert_in_range(pingo__executor_hadoop_pause_ms(&h, now - 16000), 2000, 9000);
    assert_int_equal(pingo__executor_hadoop_pause_ms(&h, now - 10000000), 10000);
    h.poll_at_ms = now + 10000;
    pingo__executor_hadoop_hurry(&h);
    assert_true(h.poll_at_ms < now + 10000 && h.news_ms >= now);
    h.poll_at_ms = 1;
    pingo__executor_hadoop_hurry(&h);
    assert_int_equal(h.poll_at_ms, 1); /* it is not put off */
}

static void test_common__what_is_away_is_no_end(void **state)
{
    (void)state;
    assert_true(pingo__executor_hadoop_is_away(PINGO_EAWAY));
    assert_true(pingo__executor_hadoop_is_away(PINGO_ESTATE));
    assert_true(pingo__executor_hadoop_is_away(PINGO_EINTERRUPTED));
    assert_false(pingo__executor_hadoop_is_away(0));
    assert_false(pingo__executor_hadoop_is_away(PINGO_EINVAL));
}

static void test_common__each_is_told_once(void **state)
{
    struct pingo_job_end end = {.reason = PINGO_END_LOST};
    char text[32];
    (void)state;
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(7));
    pingo__executor_hadoop_started(&h, job);
    pingo__executor_hadoop_started(&h, job);
    pingo__executor_hadoop_tells(&h, job, strdup("{}"));
    pingo__executor_hadoop_tells(&h, job, NULL); /* for want of memory */
    pingo__executor_hadoop_ended(&h, job, &end);
    pingo__executor_hadoop_ended(&h, job, &end);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
    assert_int_equal(end.key.action, 7);
    snprintf(text, sizeof text, "ended 7 %d", (int)PINGO_END_LOST);
    const char *said = reported();
    assert_int_equal(strncmp(said, "started 7 0; tells 7 {}0; ", 26), 0);
    assert_string_equal(said + 26, text);
}

/* A cluster that is away for a moment is nobody's business; one that stays so is told once. */
static void test_common__trouble_is_told_when_it_lasts(void **state)
{
    struct pingo_error why = {.message = "no answer"};
    (void)state;
    pingo__executor_hadoop_meet(&h, &why);
    assert_string_equal(h.trouble, "no answer");
    assert_true(h.again_at_ms > pingo__world_monotonic_ms());
    assert_string_equal(reported(), "");
    h.trouble_ms -= 3000;
    pingo__executor_hadoop_meet(&h, &why);
    pingo__executor_hadoop_meet(&h, &why);
    assert_string_equal(reported(),
                        "says 0 0hadoop: it does not answer, and its actions wait: no answer");
    h.is_leaving = true; /* that is our own doing */
    h.trouble[0] = '\0';
    pingo__executor_hadoop_meet(&h, &why);
    assert_string_equal(h.trouble, "");
}

static void test_common__one_that_is_stuck_is_told_once_a_minute(void **state)
{
    struct pingo_error why = {.message = "no room"};
    (void)state;
    job_of *one = pingo_jobs_add(h.jobs, ATTEMPT(1)), *two = pingo_jobs_add(h.jobs, ATTEMPT(2));
    pingo__executor_hadoop_stuck(&h, one, &why);
    pingo__executor_hadoop_stuck(&h, two, &why);
    assert_true(two->stuck_until_ms > pingo__world_monotonic_ms());
    assert_string_equal(reported(),
                        "says 0 0hadoop: attempt 1.1 cannot go on, and is tried again: no room");
}

static void test_common__who_is_away_says_nothing_of_applications(void **state)
{
    struct pingo__executor_hadoop_app app;
    struct pingo_error why = {0};
    (void)state;
    assert_null(pingo__executor_hadoop_app(&h, "application_1_1"));
    assert_int_equal(pingo__executor_hadoop_ask(&h, "application_1_1", &app, &why), PINGO_EAWAY);
    assert_int_equal(pingo__executor_hadoop_poll(&h, &why), PINGO_EAWAY);
    assert_int_equal(h.napps, 0);
    assert_true(h.poll_at_ms > pingo__world_monotonic_ms());
}

/* What nobody means is looked at as long as the ResourceManager lists it, and no longer. */
static void test_common__applications_are_known_as_long_as_they_are_meant(void **state)
{
    static const struct yarn_row both = {
        "GET /ws/v1/cluster/apps?", "200 OK",
        "{\"apps\":{\"app\":["
        "{\"id\":\"application_1_1\",\"state\":\"RUNNING\",\"finalStatus\":\"UNDEFINED\","
        "\"applicationTags\":\"pingo-mark\"},"
        "{\"id\":\"application_1_2\",\"state\":\"RUNNING\",\"finalStatus\":\"UNDEFINED\","
        "\"applicationTags\":\"pingo-mark\"}]}}"};
    static const struct yarn_row later[] = {
        {"GET /ws/v1/cluster/apps?", "200 OK", "{\"apps\":null}"},
        {"GET /ws/v1/cluster/apps/application_1_1", "200 OK",
         "{\"app\":{\"id\":\"application_1_1\",\"state\":\"FINISHED\",\"finalStatus\":"
         "\"SUCCEEDED\",\"applicationTags\":\"pingo-mark\"}}"}};
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(9));
    (void)state;
    yarn_open();
    job->phase = PINGO__HADOOP_SUBMITTED;
    strcpy(job->application, "application_1_1");
    yarn_says(&both, 1);
    WELL(pingo__executor_hadoop_poll(&h, err));
    WELL(pingo__executor_hadoop_poll(&h, err));
    assert_int_equal(h.napps, 2);
    usleep(2000); /* what is heard in one millisecond is as new */
    yarn_says(later, 2);
    WELL(pingo__executor_hadoop_poll(&h, err));
    assert_int_equal(h.napps, 1);
    assert_int_equal(pingo__executor_hadoop_app(&h, "application_1_1")->state,
                     PINGO__HADOOP_SUCCEEDED);
    job->phase = PINGO__HADOOP_OVER;
    WELL(pingo__executor_hadoop_poll(&h, err));
    assert_int_equal(h.napps, 0);
    yarn_close();
}

/* What is told to people has 31 bytes. */
static void test_common__long_names_lose_what_says_nothing(void **state)
{
    static const char *const rows[][2] = {
        {"application_1700000000000_10007", "named 8 0application_1700000000000_10007"},
        {"application_1700000000000_100007", "named 8 01700000000000_100007"},
    };
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(8));
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pingo__executor_hadoop_named(&h, job, rows[i][0]);
        assert_string_equal(reported(), rows[i][1]);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_common__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(the_longer_without_news_the_longer_a_pause),
        TEST(what_is_away_is_no_end),
        TEST(each_is_told_once),
        TEST(trouble_is_told_when_it_lasts),
        TEST(one_that_is_stuck_is_told_once_a_minute),
        TEST(who_is_away_says_nothing_of_applications),
        TEST(applications_are_known_as_long_as_they_are_meant),
        TEST(long_names_lose_what_says_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
