/* test_failing.c - what an end that is no success does: retries, back-off, limits, and what goes on beside it. */
#include "unit/engine/box.h"

#include <time.h>

static void test_failing__a_retry_is_a_higher_epoch(void **state)
{
    struct box *b = box_new();
    struct pingo_job_key first;

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':2") "," A(2, P(FROM(1)))));
    box_tick(b);
    first = fake_job(&b->fake, "a1")->key;
    box_fail(b, "a1");
    assert_int_equal(fake_job(&b->fake, "a1")->key.epoch, first.epoch + 1);
    box_fail(b, "a1");
    box_fail(b, "a1");
    assert_int_equal(b->fake.n, 3);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state = 3 AND exit_code = 1"),
                     3);
    box_clean(b);
    box_close(b);
}

static void test_failing__independent_branches_go_on(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1))) "," A(
                      4, P(FROM(2) "," FROM(3))) "," A(5, P(FROM(3)))));
    box_tick(b);
    box_finish(b, "a1");
    box_fail(b, "a2");
    assert_int_equal(box_state(b, 1, 4), PINGO_ACTION_CANCELLED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_RUNNING);
    box_finish_all(b);
    assert_int_equal(box_state(b, 1, 5), PINGO_ACTION_FINISHED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim"), 0);
    box_clean(b);
    box_close(b);
}

/* Its wait is over. */
static void be_patient(struct box *b)
{
    struct pingo_error err;

    assert_true(box_changed(&b->store->db, &err, "UPDATE action SET not_before_ms = 0", NONE) >= 0);
}

static int64_t delay_of(struct box *b, int64_t before_ms)
{
    int64_t at = box_int(b, "SELECT not_before_ms FROM action");

    return at ? at - before_ms : 0;
}

static int64_t now_of(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* What is nobody's fault counts no retry, but not for ever, and not without a pause; so does a kill that nobody
 * asked for. */
static void lost_attempts(enum pingo_end_reason reason, const char *message)
{
    bool is = false;
    struct box *b = box_new();
    struct pingo_error err;
    int n = 0;

    well(pingo_store_set(b->store, "executor.maxStarts", "4", &err), &err);
    box_submit(b, W(A(1, "")));
    for (box_tick(b); box_state(b, 1, 1) == PINGO_ACTION_SUBMITTED; n++) {
        int64_t before = now_of();

        box_report(b, "a1", reason, 0, "");
        box_tick(b);
        if (n == 0)
            continue; /* the first time at once */
        if (box_state(b, 1, 1) == PINGO_ACTION_READY) {
            assert_true(delay_of(b, before) >= 100 << (n - 1));
            assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%lost%'"),
                             1);
        }
        be_patient(b);
        box_tick(b);
    }
    assert_int_equal(n, 4);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%maxStarts%'"), 1);
    well(pingo__db_exists(&b->store->db, &err, &is, "SELECT 1 FROM action WHERE message LIKE ?",
                          TEXT(message)),
         &err);
    assert_true(is);
    box_clean(b);
    box_close(b);
}

static void test_failing__lost_attempts_are_tried_again(void **state)
{
    UNUSED(state);
    lost_attempts(PINGO_END_LOST, "its attempt was lost 4 times%");
    lost_attempts(PINGO_END_KILLED, "%not by Pingo%");
    lost_attempts((enum pingo_end_reason)55,
                  "%executor \"fake\" told an end that cannot be: reason 55%");
}

static void test_failing__a_start_that_fails_backs_off(void **state)
{
    struct box *b = box_new();
    int64_t before, refusals, now;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    b->fake.start_error = PINGO_EEXECUTOR;
    before = now_of();
    box_tick(b);
    box_tick(b);
    bool is_late = now_of() - before >= 100; /* the machine slept, and it was tried again */
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT tries FROM action"), 0);
    refusals = box_int(b, "SELECT refusals FROM action");
    assert_in_range(refusals, 1, 1 + is_late);
    assert_true(box_int(b, "SELECT not_before_ms > 0 FROM action") == 1);
    assert_non_null(strstr(b->log, "does not start"));
    assert_int_equal(box_tick(b).started, 0); /* it is too early */
    /* A batch system that is down is waited for as long as it takes, and the action tells why. */
    for (int i = 2; i <= 40; i++) {
        before = now_of();
        be_patient(b);
        box_tick(b);
        box_tick(b);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
        is_late = now_of() - before >= 100;
        now = box_int(b, "SELECT refusals FROM action");
        assert_in_range(now, refusals + 1, refusals + 1 + is_late);
        refusals = now;
    }
    assert_in_range(delay_of(b, before), 102400, 110000);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE"
                                " 'could not be started: it does not start%'"),
                     1);
    assert_null(strstr(strstr(b->log, "does not start") + 1, "does not start")); /* told once */
    b->fake.start_error = 0;
    be_patient(b);
    b->fake.tells_started = true;
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message IS NOT NULL"), 0);
    box_finish(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* An engine's limits tell in its words, the action's in ours. */
static void test_failing__limits_are_told_apart(void **state)
{
    static const struct {
        enum pingo_end_reason reason;
        bool has_limits; /* of the action's own */
        const char *says, *message;
    } rows[] = {
        {PINGO_END_TIME_LIMIT, true, "", "took longer than its time limit of 60 s"},
        {PINGO_END_TIME_LIMIT, true, "TIMEOUT", "took longer than its time limit of 60 s"},
        {PINGO_END_TIME_LIMIT, false, "longer than the partition allows",
         "longer than the partition allows"},
        {PINGO_END_TIME_LIMIT, false, "", "took longer than its time limit"},
        {PINGO_END_MEMORY_LIMIT, true, "",
         "used more than its memory limit of 100 MB; it needs more than 100 MB, and executor "
         "\"fake\" does not say how much there is: set resources.maxMemoryMB"},
        {PINGO_END_MEMORY_LIMIT, true, "over the 2 GB of its node",
         "over the 2 GB of its node; it needs more than 100 MB, and executor \"fake\" does not say "
         "how much there is: set resources.maxMemoryMB"},
        {PINGO_END_MEMORY_LIMIT, false, "",
         "used more than its memory limit; how much it had is not known: set resources.memoryMB"}};

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = box_new();
        struct job *j;
        struct pingo_error err;
        bool is = false;

        box_submit(b, rows[i].has_limits
                          ? W(A(1, ",'resources':{'memoryMB':100,'timeLimitSeconds':60}"))
                          : W(A(1, "")));
        box_tick(b);
        j = fake_job(&b->fake, "a1");
        box_report(b, "a1", rows[i].reason, 0, "");
        snprintf(j->end.message, sizeof j->end.message, "%s", rows[i].says);
        box_tick(b);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
        assert_int_equal(box_int(b, "SELECT reason FROM attempt"), rows[i].reason);
        well(pingo__db_exists(&b->store->db, &err, &is, "SELECT 1 FROM action WHERE message = ?",
                              TEXT(rows[i].message)),
             &err);
        assert_true(is);
        box_close(b);
    }
}

/* Of a list the last try's number is told, not the first one's. */
static void test_failing__the_limits_of_the_try_are_told(void **state)
{
    static const struct {
        enum pingo_end_reason reason;
        const char *message;
    } rows[] = {{PINGO_END_TIME_LIMIT, "took longer than its time limit of 90 s"},
                {PINGO_END_MEMORY_LIMIT, "used more than its memory limit of 300 MB%"}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = box_new();
        struct pingo_error err;
        bool is = false;
        box_submit(b, W(A(1, ",'retries':1,'resources':{'timeLimitSeconds':[60,90],"
                             "'memoryMB':[100,300],'grow':false}")));
        for (int n = 0; n < 2; n++) {
            box_tick(b);
            box_report(b, "a1", rows[i].reason, 0, "");
            box_tick(b);
        }
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
        well(pingo__db_exists(&b->store->db, &err, &is, "SELECT 1 FROM action WHERE message LIKE ?",
                              TEXT(rows[i].message)),
             &err);
        assert_true(is);
        box_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing__a_retry_is_a_higher_epoch),
        cmocka_unit_test(test_failing__independent_branches_go_on),
        cmocka_unit_test(test_failing__lost_attempts_are_tried_again),
        cmocka_unit_test(test_failing__a_start_that_fails_backs_off),
        cmocka_unit_test(test_failing__limits_are_told_apart),
        cmocka_unit_test(test_failing__the_limits_of_the_try_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
