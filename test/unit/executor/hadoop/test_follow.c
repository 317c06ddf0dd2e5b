/* test_follow.c - the thread: it is made of settings, takes orders, and ends when it is told to. */
#include "unit/executor/hadoop/yarn.h"

#include <pthread.h>

#include "executor/hadoop/mailbox.h"
#include "executor/hadoop/mapreduce.h"
#include "executor/registry.h"

static int make(const char *rm, struct pingo__executor_hadoop_mailbox *box,
                struct pingo__executor_hadoop **out)
{
    char *texts[PINGO__HADOOP_SETTINGS] = {NULL};
    const struct pingo__executor_values values = {pingo__executor_hadoop_settings,
                                                  PINGO__HADOOP_SETTINGS, texts};
    const struct pingo_executor_context context = {.version = 3,
                                                   .store_dir = scratch,
                                                   .store_id = "s",
                                                   .pool_dir = near_dir,
                                                   .name = "hadoop",
                                                   .settings = &values,
                                                   .pool_place = place};
    for (size_t i = 0; i < PINGO__HADOOP_SETTINGS; i++)
        if (strcmp(values.rows[i].key, "rm") == 0)
            texts[i] = (char *)(uintptr_t)rm;
    return pingo__executor_hadoop_new(&context, box, out, NULL);
}

static void test_follow__what_cannot_be_set_is_heard_by_who_wants_something_run(void **state)
{
    struct pingo__executor_hadoop *one = NULL;
    (void)state;
    assert_int_equal(make(NULL, h.box, &one), 0);
    assert_non_null(strstr(one->unset, "executor.hadoop.rm is not set"));
    pingo__executor_hadoop_free(one);
    assert_int_equal(make("ftp://x", h.box, &one), 0);
    assert_true(*one->unset);
    pingo__executor_hadoop_free(one);
    pingo__executor_hadoop_free(NULL);
}

/* An order is answered by the thread, a round is said, and it ends soon. */
static void test_follow__obeys_until_it_is_stopped(void **state)
{
    struct pingo__executor_hadoop *one = NULL;
    struct pingo__executor_hadoop_mailbox *box;
    pthread_t thread;
    (void)state;
    WELL(pingo__executor_hadoop_box_new(&box, err));
    assert_int_equal(make("127.0.0.1:1", box, &one), 0);
    assert_string_equal(one->unset, "");
    assert_int_equal(pthread_create(&thread, NULL, pingo__executor_hadoop_follow, one), 0);
    struct pingo__executor_hadoop_order *o =
        pingo__executor_hadoop_order_new(PINGO__HADOOP_REVOKE, ATTEMPT(1));
    pingo__executor_hadoop_box_post(box, o);
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_ANSWERED, o, 60000));
    assert_true(o->revoked);
    pingo__executor_hadoop_box_drop(box, o);
    assert_true(pingo__executor_hadoop_box_await(box, PINGO__HADOOP_SETTLED, NULL, 60000));
    one->is_leaving = true;
    assert_true(pingo__executor_hadoop_box_stop(box, 60000));
    pthread_join(thread, NULL);
    pingo__executor_hadoop_free(one);
    pingo__executor_hadoop_box_leave(box);
}

/* Killed before it was handed to anybody. */
static void test_follow__what_was_not_submitted_is_revoked(void **state)
{
    char text[32];
    (void)state;
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(2));
    assert_true(pingo__executor_hadoop_show_to(job, &pingo__executor_hadoop_commands));
    job->job.key = ATTEMPT(2);
    WELL(pingo__executor_hadoop_end_job(&h, job, err));
    snprintf(text, sizeof text, "ended 2 %d", (int)PINGO_END_KILLED);
    assert_string_equal(reported(), text);
    assert_int_equal(job->phase, PINGO__HADOOP_OVER);
}

/* What the thread has left is as it was before it. */
static void stop_following(pthread_t thread)
{
    h.is_leaving = true;
    pingo__hdfs_stop(h.hdfs);
    assert_true(pingo__executor_hadoop_box_stop(h.box, 60000));
    pthread_join(thread, NULL);
    pingo__executor_hadoop_rm_close(h.rm);
    h.rm = NULL;
    pingo__executor_hadoop_box_leave(h.box);
    WELL(pingo__executor_hadoop_box_new(&h.box, err));
}

/* Adopted all the same, it is looked at again; then nobody has left anything. */
static void test_follow__who_could_not_be_read_is_looked_at_again(void **state)
{
    static const struct yarn_row rows[] = {{"GET /ws/v1/cluster/apps", "200 OK", "{\"apps\":null}"}};
    struct pingo_job_key key = ATTEMPT(3);
    bool found = false;
    pthread_t thread;
    const char *said = "";
    (void)state;
    yarn_open();
    yarn_says(rows, 1);
    assert_int_equal(pthread_create(&thread, NULL, pingo__executor_hadoop_follow, &h), 0);
    struct pingo__executor_hadoop_order *o =
        pingo__executor_hadoop_order_new(PINGO__HADOOP_ADOPT, ATTEMPT(0));
    o->keys = &key;
    o->found = &found;
    o->nkeys = 1;
    fault(0, "denied", "-", 1);
    pingo__executor_hadoop_box_post(h.box, o);
    assert_true(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_ANSWERED, o, 60000));
    assert_true(found);
    pingo__executor_hadoop_box_drop(h.box, o);
    for (int i = 0; i < 600 && !strstr(said, "ended"); i++) {
        usleep(100000);
        said = reported();
    }
    char text[32];
    snprintf(text, sizeof text, "ended 3 %d", (int)PINGO_END_LOST);
    assert_non_null(strstr(said, text));
    stop_following(thread);
    yarn_close();
}

static struct pingo__executor_hadoop_order *start_of(int64_t action,
                                                     const struct pingo_job_link *link)
{
    static const char *const argv[] = {"true", NULL}, *const env[] = {NULL};
    struct pingo__executor_hadoop_order *o =
        pingo__executor_hadoop_order_new(PINGO__HADOOP_START, ATTEMPT(action));
    o->job = (struct pingo_job){.key = ATTEMPT(action),
                                .store_id = "s",
                                .name = "a",
                                .type = "command-line",
                                .argv = argv,
                                .env = env,
                                .links = link,
                                .nlinks = 1,
                                .attempt_dir = "/near",
                                .staged_path = "/near",
                                .attempt_place = place,
                                .staged_place = place,
                                .cpus = 1};
    return o;
}

/* Whatever it is that lies on this machine, and however long HDFS takes for it. */
static void test_follow__an_upload_that_takes_long_holds_up_nobody_else(void **state)
{
    static const struct yarn_row rows[] = {
        {"POST /ws/v1/cluster/apps/new-application", "200 OK",
         "{\"application-id\":\"application_17_0001\",\"maximum-resource-capability\":"
         "{\"memory\":4096,\"vCores\":4}}"},
        {"GET /ws/v1/cluster/apps", "200 OK", "{\"apps\":null}"}};
    struct pingo_job_link link = {.name = "x", .target = at("%s/%s", "original")};
    pthread_t thread;
    (void)state;
    write_file(link.target, "x", 0644);
    yarn_open();
    yarn_says(rows, 2);
    assert_int_equal(pthread_create(&thread, NULL, pingo__executor_hadoop_follow, &h), 0);
    fault(0, "hang", "DATA-CREATE", 1);
    pingo__executor_hadoop_box_post(h.box, start_of(1, &link));
    while (!order("/count/DATA-CREATE"))
        usleep(1000);
    struct pingo__executor_hadoop_order *o =
        pingo__executor_hadoop_order_new(PINGO__HADOOP_REVOKE, ATTEMPT(5));
    pingo__executor_hadoop_box_post(h.box, o);
    assert_true(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_ANSWERED, o, 2000));
    pingo__executor_hadoop_box_drop(h.box, o);
    /* It is itself ended at once. */
    pingo__executor_hadoop_box_post(
        h.box, pingo__executor_hadoop_order_new(PINGO__HADOOP_KILL, ATTEMPT(1)));
    char text[32];
    snprintf(text, sizeof text, "ended 1 %d", (int)PINGO_END_KILLED);
    assert_true(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_OBEYED, NULL, 2000));
    assert_string_equal(reported(), text);
    stop_following(thread);
    yarn_close();
}

/* Who leaves waits for the first word of what others have left, or a tick after the other would learn nothing of it. */
static void test_follow__what_was_adopted_is_heard_of(void **state)
{
#define A17 "GET /ws/v1/cluster/apps/application_17_0003"
    static const struct yarn_row rows[] = {
        {A17, "200 OK", "{\"app\":{\"id\":\"application_17_0003\",\"state\":\"FAILED\"}}"},
        {"GET /ws/v1/cluster/apps", "200 OK", "{\"apps\":null}"}};
    static char pool_path[] = "/p";
    pthread_t thread;
    char text[32];
    const char *said = "";
    (void)state;
    yarn_open();
    yarn_says(rows, 2);
    job_of *job = pingo_jobs_add(h.jobs, ATTEMPT(6));
    assert_true(pingo__executor_hadoop_show_to(job, &pingo__executor_hadoop_mapreduce));
    struct pingo__executor_hadoop_mapreduce_own *own = job->own;
    own->is_submitted = own->is_seen = own->is_kept = true;
    job->phase = PINGO__HADOOP_SUBMITTED;
    job->is_adopted = true;
    job->job.key = ATTEMPT(6);
    job->job.attempt_dir = near_dir;
    h.pool_path = pool_path;
    strcpy(job->application, "application_17_0003");
    WELL(pingo__hdfs_put_bytes(
        h.hdfs, "attempts/6.1/history/me/job_17_0003-1000-me-n-9000-1-1-FAILED-default-2000.jhist",
        "x", 1, err));
    fault(0, "hang", "DATA-OPEN", 1);
    assert_int_equal(pthread_create(&thread, NULL, pingo__executor_hadoop_follow, &h), 0);
    for (int i = 0; i < 60000 && !order("/count/DATA-OPEN"); i++)
        usleep(1000);
    assert_false(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_SETTLED, NULL, 300));
    order("/clear");
    snprintf(text, sizeof text, "ended 6 %d", (int)PINGO_END_EXITED);
    for (int i = 0; i < 600 && !strstr(said, text); i++) {
        usleep(100000);
        said = reported();
    }
    assert_non_null(strstr(said, text));
    assert_true(pingo__executor_hadoop_box_await(h.box, PINGO__HADOOP_SETTLED, NULL, 60000));
    stop_following(thread);
    yarn_close();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_follow__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_set_is_heard_by_who_wants_something_run),
        TEST(obeys_until_it_is_stopped),
        TEST(what_was_not_submitted_is_revoked),
        TEST(who_could_not_be_read_is_looked_at_again),
        TEST(an_upload_that_takes_long_holds_up_nobody_else),
        TEST(what_was_adopted_is_heard_of),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
