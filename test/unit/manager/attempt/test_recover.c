/* test_recover.c - what the dead left is adopted or lost; a tick that was cut short. */
#include "unit/engine/box.h"

#include "store/transition.h"

static void test_recover__what_the_dead_left_is_adopted_or_lost(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_tick(b);
    box_reopen(b);
    assert_int_equal(box_tick(b).recovered, 2);
    assert_true(b->fake.jobs[0].adopted);
    assert_int_equal(b->fake.n, 2);
    box_finish(b, "a1");
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    b->fake.knows_nothing = true; /* the machine was started anew */
    fake_job(&b->fake, "a2")->revoked = true;
    box_reopen(b);
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT reason FROM attempt WHERE action = 2 AND epoch = 1"),
                     PINGO_END_LOST);
    b->fake.knows_nothing = false;
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 1);
    box_clean(b);
    box_close(b);
}

/* What an error left claimed and not handed out is READY again at the next tick of the same scheduler. */
static void test_recover__a_tick_that_was_cut_short(void **state)
{
    struct box *b = box_new();
    struct pingo__store_action_row row = {
        .id = 1, .workflow = 1, .state = PINGO_ACTION_READY, .user = 1, .cpus = 1};
    struct pingo__store_action_change c = {
        .row = &row, .to = PINGO_ACTION_PROCESSING, .is_new_epoch = true};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_int_equal(pingo__engine_scheduler_register(b->s, &err), 0);
    c.owner = b->s->context.owner;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(pingo__store_action_change(&b->store->db, &c, NULL, &err), 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    b->s->actions.must_adopt = true; /* as the error left it */
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    assert_int_equal(b->fake.jobs[0].key.epoch, 2);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recover__what_the_dead_left_is_adopted_or_lost),
        cmocka_unit_test(test_recover__a_tick_that_was_cut_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
