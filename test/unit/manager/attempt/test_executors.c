/* test_executors.c - an executor that is away is waited for. */
#include "unit/engine/box.h"

/* Ticks until an action is in this state: it is asked again after a pause. */
static void wait_for_state(struct box *b, int64_t id, int state)
{
    for (int i = 0; box_state(b, 1, id) != state; i++) {
        assert_true(i < 3000);
        usleep(10000);
        box_tick(b);
    }
}

static void test_executors__who_is_away_is_waited_for(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1)))));
    box_tick(b);
    b->fake.is_away = true;
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    for (int i = 0; i < 5; i++)
        box_tick(b); /* nothing fails */
    assert_non_null(strstr(b->log, "executor \"fake\": the controller does not answer"));
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    /* Neither is anything given up that it cannot be asked about. */
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, "2"}, NULL, &err), &err);
    well(pingo_scheduler_pause(b->s, &err), &err);
    box_tick(b);
    assert_false(fake_job(&b->fake, "a2")->killed);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 2);
    /* Nor by those who come after us. */
    box_reopen(b);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 2);
    b->fake.is_away = false;
    wait_for_state(b, 1, PINGO_ACTION_FINISHED);
    assert_null(fake_job(&b->fake, "a2")); /* it was revoked */
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 1);
    box_tick(b);
    box_finish(b, "a3");
    assert_int_equal(box_int(b, "SELECT sum(tries) + sum(refusals) FROM action"), 0);
    box_clean(b);
    box_close(b);
}

static bool cannot_find;

static int find_none(void *executor, const struct pingo_job_key *keys, size_t n, bool *found,
                     struct pingo_error *err)
{
    UNUSED(executor);
    UNUSED(keys);
    UNUSED(n);
    UNUSED(found);
    UNUSED(err);
    return cannot_find ? PINGO_EAWAY : 0;
}

static int tell_nothing(void *executor, const struct pingo_executor_reports *reports,
                        struct pingo_error *err)
{
    UNUSED(executor);
    UNUSED(reports);
    UNUSED(err);
    return 0;
}

static void count(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(level);
    UNUSED(message);
    ++*(int *)context;
}

/* That it answers to something else does not end what it cannot say. */
static void test_executors__who_is_away_is_told_of_once(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_context c = b->s->context;
    struct pingo__manager_executor e = {
        .type = {.name = "x", .adopt = find_none, .collect = tell_nothing}, .c = &c};
    int n = 0;

    UNUSED(state);
    c.log = count;
    c.log_context = &n;
    for (int round = 1; round < 3; round++) {
        cannot_find = true;
        for (int i = 0; i < 3; i++) {
            e.ask_again_ms = 0;
            assert_int_equal(pingo__manager_executor_adopt(&e, NULL, 0, NULL, NULL), PINGO_EAWAY);
            e.ask_again_ms = 0;
            assert_int_equal(pingo__manager_executor_collect(&e, NULL, NULL), 0);
        }
        assert_int_equal(n, round);
        cannot_find = false;
        assert_int_equal(pingo__manager_executor_adopt(&e, NULL, 0, NULL, NULL), 0);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executors__who_is_away_is_waited_for),
        cmocka_unit_test(test_executors__who_is_away_is_told_of_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
