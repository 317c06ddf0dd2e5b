/* test_orders.c - what the scheduler wants of the thread is answered, where nothing is known of an attempt too. */
#include "unit/executor/hadoop/before.h"

#include "base/file.h"

typedef struct pingo__executor_hadoop_order order_row;

#define STARTED "started.container_1_0001_01_000002.n.1.2"

static order_row *post(enum pingo__executor_hadoop_order_kind kind, int64_t action)
{
    order_row *o = pingo__executor_hadoop_order_new(kind, ATTEMPT(action));
    assert_non_null(o);
    if (kind == PINGO__HADOOP_START)
        o->job = (struct pingo_job){.key = ATTEMPT(action), .type = "command-line"};
    pingo__executor_hadoop_box_post(h.box, o);
    return o;
}

static order_row *obeyed(enum pingo__executor_hadoop_order_kind kind, int64_t action)
{
    order_row *o = post(kind, action);
    pingo__executor_hadoop_take_orders(&h);
    return o;
}

static void test_orders__a_job_is_taken_in_hand_by_its_kind(void **state)
{
    (void)state;
    obeyed(PINGO__HADOOP_START, 1);
    job_of *job = pingo_jobs_find(h.jobs, ATTEMPT(1));
    assert_non_null(job);
    assert_int_equal(job->phase, PINGO__HADOOP_HANDED);
    assert_ptr_equal(job->kind, &pingo__executor_hadoop_commands);
    order_row *o = pingo__executor_hadoop_order_new(PINGO__HADOOP_START, ATTEMPT(2));
    o->job = (struct pingo_job){.key = ATTEMPT(2), .type = "map-reduce-1"};
    pingo__executor_hadoop_box_post(h.box, o);
    pingo__executor_hadoop_take_orders(&h);
    job = pingo_jobs_find(h.jobs, ATTEMPT(2));
    assert_ptr_equal(job->kind, &pingo__executor_hadoop_mapreduce);
    obeyed(PINGO__HADOOP_FORGET, 1);
    assert_null(pingo_jobs_find(h.jobs, ATTEMPT(1)));
    obeyed(PINGO__HADOOP_FORGET, 1); /* nobody knows it */
}

/* It never starts, whoever had armed it; and nothing of it is kept. */
static void test_orders__what_nobody_knows_is_given_up(void **state)
{
    (void)state;
    for (int armed = 0; armed < 2; armed++) {
        if (armed)
            put(h.hdfs, "attempts/9.1/job", "x");
        order_row *o = obeyed(PINGO__HADOOP_REVOKE, 9);
        assert_true(o->is_answered && o->revoked);
        assert_int_equal(o->rc, 0);
        pingo__executor_hadoop_box_drop(h.box, o);
        assert_null(pingo_jobs_find(h.jobs, ATTEMPT(9)));
        assert_false(is_there(h.hdfs, "attempts/9.1"));
    }
}

static void test_orders__what_has_started_is_not(void **state)
{
    (void)state;
    put(h.hdfs, "attempts/9.1/" STARTED, "x");
    order_row *o = obeyed(PINGO__HADOOP_REVOKE, 9);
    assert_true(o->is_answered && !o->revoked && o->rc == 0);
    pingo__executor_hadoop_box_drop(h.box, o);
}

/* A cluster that is away answers no order, and changes nothing. */
static void test_orders__where_hdfs_is_away_nothing_has_changed(void **state)
{
    (void)state;
    fault(0, "denied", "-", 100);
    order_row *o = obeyed(PINGO__HADOOP_REVOKE, 9);
    assert_true(o->is_answered);
    assert_int_not_equal(o->rc, 0);
    pingo__executor_hadoop_box_drop(h.box, o);
    assert_null(pingo_jobs_find(h.jobs, ATTEMPT(9)));
    order("/clear");
    assert_false(is_there(h.hdfs, "attempts/9.1/revoked"));
}

/* Whatever kept it from answering, it is asked again. */
static void test_orders__who_was_not_answered_hears_of_trouble(void **state)
{
    (void)state;
    pingo__hdfs_stop(h.hdfs);
    order_row *o = obeyed(PINGO__HADOOP_REVOKE, 9);
    assert_int_equal(o->rc, PINGO_EAWAY);
    assert_string_equal(h.trouble, "stopped");
    pingo__executor_hadoop_box_drop(h.box, o);
}

static void test_orders__who_is_adopted_is_there_or_never_will_be(void **state)
{
    struct pingo_job_key keys[] = {ATTEMPT(3), ATTEMPT(4)};
    bool found[2] = {true, true};
    (void)state;
    obeyed(PINGO__HADOOP_START, 4);
    order_row *o = pingo__executor_hadoop_order_new(PINGO__HADOOP_ADOPT, ATTEMPT(0));
    o->keys = keys;
    o->found = found;
    o->nkeys = 2;
    pingo__executor_hadoop_box_post(h.box, o);
    pingo__executor_hadoop_take_orders(&h);
    assert_int_equal(o->rc, 0);
    assert_false(found[0]);
    assert_true(found[1]); /* it is in hand */
    assert_null(pingo_jobs_find(h.jobs, ATTEMPT(3)));
    pingo__executor_hadoop_box_drop(h.box, o);
}

static order_row *adopt_both(const struct pingo_job_key keys[2], bool found[2])
{
    order_row *o = pingo__executor_hadoop_order_new(PINGO__HADOOP_ADOPT, ATTEMPT(0));
    o->keys = (struct pingo_job_key *)(uintptr_t)keys;
    o->found = found;
    o->nkeys = 2;
    pingo__executor_hadoop_box_post(h.box, o);
    pingo__executor_hadoop_take_orders(&h);
    return o;
}

/* One that cannot be read holds nobody up, is neither taken for gone nor forgotten, and may still be given up. */
static void test_orders__who_cannot_be_read_keeps_no_others_from_being_adopted(void **state)
{
    const struct pingo_job_key keys[] = {ATTEMPT(3), ATTEMPT(4)};
    (void)state;
    put(h.hdfs, "attempts/4.1/" STARTED, "x");
    for (int begun = 0; begun < 2; begun++) {
        bool found[2] = {false, false}, again = false;
        if (begun)
            put(h.hdfs, "attempts/3.1/" STARTED, "x");
        fault(0, "denied", "-", 1);
        order_row *o = adopt_both(keys, found);
        assert_int_equal(o->rc, 0);
        assert_true(found[0] && found[1]);
        pingo__executor_hadoop_box_drop(h.box, o);
        job_of *job = pingo_jobs_find(h.jobs, keys[0]);
        assert_true(job && job->is_unread && job->stuck_until_ms > 0);
        fault(0, "denied", "-", 1);
        o = obeyed(PINGO__HADOOP_REVOKE, 3);
        assert_int_not_equal(o->rc, 0);
        pingo__executor_hadoop_box_drop(h.box, o);
        assert_ptr_equal(pingo_jobs_find(h.jobs, keys[0]), job);
        o = obeyed(PINGO__HADOOP_REVOKE, 3);
        assert_true(o->rc == 0 && o->revoked == !begun);
        pingo__executor_hadoop_box_drop(h.box, o);
        if (!begun) {
            assert_null(pingo_jobs_find(h.jobs, keys[0]));
            obeyed(PINGO__HADOOP_FORGET, 4);
            continue;
        }
        WELL(pingo__executor_hadoop_recognize(&h, job, &again, err));
        assert_true(again && !job->is_unread && job->phase == PINGO__HADOOP_SUBMITTED);
        assert_ptr_equal(job->kind, &pingo__executor_hadoop_commands);
    }
}

/* A server that looked long ago, and a scheduler that came after it and was killed. */
static void test_orders__who_is_adopted_waits_in_its_own_application(void **state)
{
    struct pingo_job_key key = ATTEMPT(7);
    struct pingo__executor_hadoop_bundle theirs = {.id = "application_17_0003", .keys = &key, .n = 1};
    bool found = false;
    (void)state;
    assert_null(pingo__executor_hadoop_bundle_of(&h, key));
    WELL(pingo__executor_hadoop_bundle_keep(&h, &theirs, err));
    put(h.hdfs, "attempts/7.1/job", "x");
    order_row *o = pingo__executor_hadoop_order_new(PINGO__HADOOP_ADOPT, ATTEMPT(0));
    o->keys = &key;
    o->found = &found;
    o->nkeys = 1;
    pingo__executor_hadoop_box_post(h.box, o);
    pingo__executor_hadoop_take_orders(&h);
    const job_of *job = pingo_jobs_find(h.jobs, key);
    assert_true(found && job);
    assert_string_equal(job->application, theirs.id);
    pingo__executor_hadoop_box_drop(h.box, o);
}

/* Of a list that cannot be read nobody knows whose it is: who may be in it waits, and nobody else. */
static void test_orders__a_list_that_cannot_be_read_holds_up_who_may_be_in_it(void **state)
{
    const struct pingo_job_key keys[] = {ATTEMPT(3), ATTEMPT(4)}, more[] = {ATTEMPT(5), ATTEMPT(4)};
    bool found[2] = {false, false};
    char path[160], text[32];
    (void)state;
    put(h.hdfs, "attempts/3.1/job", "x");
    put(h.hdfs, "attempts/5.1/job", "x");
    put(h.hdfs, "attempts/4.1/" STARTED, "x");
    for (const char *name = "/attempts/.bundles\0/attempts/.bundles/n\0/attempts/.bundles/n/list\0";
         *name; name += strlen(name) + 1) {
        snprintf(path, sizeof path, "%s%s", near_dir, name);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    order_row *o = adopt_both(keys, found);
    assert_int_equal(o->rc, 0);
    assert_true(found[0] && found[1]);
    pingo__executor_hadoop_box_drop(h.box, o);
    pingo__executor_hadoop_box_drop(h.box, adopt_both(more, found));
    job_of *job = pingo_jobs_find(h.jobs, keys[0]), *begun = pingo_jobs_find(h.jobs, keys[1]);
    assert_true(job->is_unread && !begun->is_unread);
    assert_int_not_equal(pingo__executor_hadoop_recognize(&h, job, found, NULL), 0);
    reported();
    obeyed(PINGO__HADOOP_KILL, 5);
    snprintf(text, sizeof text, "ended 5 %d", (int)PINGO_END_KILLED);
    assert_string_equal(reported(), text);
    assert_int_equal(rmdir(path), 0);
    struct pingo__executor_hadoop_bundle theirs = {
        .id = "application_17_0003", .keys = (struct pingo_job_key *)(uintptr_t)keys, .n = 1};
    WELL(pingo__executor_hadoop_bundle_keep(&h, &theirs, err));
    WELL(pingo__executor_hadoop_recognize(&h, job, found, err));
    assert_true(found[0] && !job->is_unread);
    assert_string_equal(job->application, theirs.id);
}

static void test_orders__what_was_not_submitted_is_killed_at_once(void **state)
{
    char text[32];
    (void)state;
    obeyed(PINGO__HADOOP_START, 5);
    obeyed(PINGO__HADOOP_KILL, 5);
    snprintf(text, sizeof text, "ended 5 %d", (int)PINGO_END_KILLED);
    assert_string_equal(reported(), text);
    obeyed(PINGO__HADOOP_KILL, 5); /* again: nothing more is told */
    obeyed(PINGO__HADOOP_KILL, 6); /* nobody knows it */
    assert_string_equal(reported(), "");
    order_row *o = obeyed(PINGO__HADOOP_REVOKE, 5); /* its end was told: it is not revoked as well */
    assert_false(o->revoked);
    pingo__executor_hadoop_box_drop(h.box, o);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_orders__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_job_is_taken_in_hand_by_its_kind),
        TEST(what_nobody_knows_is_given_up),
        TEST(what_has_started_is_not),
        TEST(where_hdfs_is_away_nothing_has_changed),
        TEST(who_was_not_answered_hears_of_trouble),
        TEST(who_is_adopted_is_there_or_never_will_be),
        TEST(who_cannot_be_read_keeps_no_others_from_being_adopted),
        TEST(who_is_adopted_waits_in_its_own_application),
        TEST(a_list_that_cannot_be_read_holds_up_who_may_be_in_it),
        TEST(what_was_not_submitted_is_killed_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
