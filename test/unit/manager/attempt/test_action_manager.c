/* test_action_manager.c - a round of attempts: what ended is settled, what is READY is claimed and handed out, and what cannot be
 * handed out is given up before it is tried again. */
#include "unit/engine/box.h"

#define PAIR W(A(1, "") "," A(2, P(FROM(1))))

static struct pingo__manager_tick_counts round_of(struct box *b)
{
    struct pingo__manager_tick_counts counts = {0, 0};
    struct pingo_error err;

    well(pingo__manager_actions_tick(&b->s->actions, &counts, &err), &err);
    return counts;
}

static void test_action_manager__an_end_starts_what_waited_for_it(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_tick_counts counts;

    UNUSED(state);
    box_submit(b, PAIR);
    counts = round_of(b);
    assert_true(counts.started == 1 && counts.settled == 0);
    counts = round_of(b);
    assert_true(counts.started == 0 && counts.settled == 0);
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    counts = round_of(b); /* both in one */
    assert_true(counts.started == 1 && counts.settled == 1);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_SUBMITTED);
    assert_int_equal(fake_job(&b->fake, "a2")->nlinks, 1);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* An error of start does not mean that it was not taken: it is revoked, and then tried again with another epoch. */
static void test_action_manager__what_is_not_taken_is_given_up_first(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.start_error = PINGO_EEXECUTOR;
    box_submit(b, PAIR);
    round_of(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT epoch FROM action WHERE position = 0"), 1);
    b->fake.start_error = 0;
    box_try_again(b);
    box_tick(b);
    assert_int_equal(fake_job(&b->fake, "a1")->key.epoch, 2);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Where it cannot be revoked it may have been taken: nobody starts it again before that is known. */
static void test_action_manager__what_may_have_been_taken_is_not_tried_again(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.start_error = PINGO_EEXECUTOR;
    b->fake.is_away = true;
    box_submit(b, PAIR);
    round_of(b);
    b->fake.start_error = 0;
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    assert_true(b->s->actions.must_adopt);
    assert_int_equal(b->fake.n, 0);
    round_of(b);
    assert_int_equal(b->fake.n, 0);
    box_close(b);
}

static void test_action_manager__before_it_goes_ends_are_settled(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, PAIR);
    round_of(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    pingo__manager_actions_finish(&b->s->actions);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_READY); /* nothing is begun any more */
    assert_int_equal(b->fake.n, 1);
    box_close(b);
}

/* ---- a commit that fails --------------------------------------------------------------------- */

static int refuse(void *context)
{
    UNUSED(context);
    return 1;
}

/* What the executor told once is not lost with the transaction that should have kept it. */
static void test_action_manager__what_is_told_is_kept_when_a_commit_fails(void **state)
{
    struct box *b = box_new();
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    b->fake.tells_started = true;
    sqlite3_commit_hook(b->store->db.sqlite, refuse, NULL);
    assert_int_not_equal(pingo_scheduler_tick(b->s, &r, &err), 0);
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    assert_int_equal(box_int(b, "SELECT count(started_ms) FROM attempt"), 1);
    box_finish(b, "a1");
    box_clean(b);
    box_close(b);
}

/* What reads at a place that cannot be looked at, the user's or in the pool, waits, before it starts or when it has ended;
 * all else goes on, and it too when it can be. */
static void a_place_is_closed(bool managed, bool starts)
{
    struct box *b = box_new();
    struct pingo_tick_result r = {.size = sizeof r};

    if (managed)
        box_submit(b, W(A(1, "") "," A(2, P(FROM(1) "," FROM(3))) "," A(3, "") "," A(
                          4, P(FROM(3))) "," A(5, P(FROM(4)))));
    else
        box_submit(
            b,
            W(A(1, ",'outputPath':'mine','isManaged':false") "," A(2, P(FROM(1) "," FROM(3))) "," A(
                3, "") "," A(4, P(FROM(3))) "," A(5, P(FROM(4)))));
    box_tick(b);
    box_finish(b, "a1");
    if (starts)
        box_finish(b, "a3");
    box_shut_place(b, managed ? ".1.1" : "/mine");
    box_report(b, starts ? "a2" : "a3", PINGO_END_EXITED, 0, "");
    assert_int_equal(pingo_scheduler_tick(b->s, &r, NULL), 0); /* who asks for no text */
    assert_int_equal(r.active, 1);
    assert_int_equal(box_state(b, 1, 2), starts ? PINGO_ACTION_SUBMITTED : PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE position = 1 AND message"
                                " LIKE '%: looking at: Permission denied; it is used again %'"),
                     1);
    b->s->actions.max_jobs = 1; /* what waits takes the place of nobody */
    box_finish(b, "a4");
    assert_int_equal(box_state(b, 1, 5), PINGO_ACTION_SUBMITTED);
    box_try_again(b);
    assert_int_equal(box_state(b, 1, 2), starts ? PINGO_ACTION_SUBMITTED : PINGO_ACTION_READY);
    box_shut_place(b, NULL);
    box_try_again(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(message) FROM action"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 5);
    box_clean(b);
    box_close(b);
}

static void test_action_manager__a_place_that_is_closed_holds_up_nobody_else(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 4; i++)
        a_place_is_closed(i & 1, i & 2);
}

/* An output that cannot be put into the pool stays where it is until it can be, whoever does it. */
static void test_action_manager__an_output_waits_for_its_place(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct box *b = box_new();
        bool killed = i & 1;
        struct pingo_error err;

        UNUSED(state);
        box_submit(b, W(A(1, "") "," A(2, "")));
        box_tick(b);
        box_shut_error = i & 2 ? EROFS : EACCES;
        box_shut_place(b, ".1.1");
        box_finish(b, "a1");
        box_finish(b, "a2");
        assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_FINISHED);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
        assert_non_null(strstr(b->log, "action a1 has ended, and waits: "));
        assert_non_null(strstr(b->log, strerror(box_shut_error)));
        assert_non_null(strstr(b->log, "; it goes there once this user can write there"));
        if (killed) {
            well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
            box_tick(b);
            box_try_again(b);
        } else {
            box_reopen(b);
            box_tick(b);
        }
        assert_int_equal(box_state(b, 1, 1), killed ? PINGO_ACTION_KILLED : PINGO_ACTION_FINISHED);
        assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE ended_ms > 0"), 2);
        assert_int_equal(b->fake.n, 2);
        box_shut_place(b, NULL);
        box_shut_error = EACCES;
        box_clean(b);
        box_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_action_manager__an_end_starts_what_waited_for_it),
        cmocka_unit_test(test_action_manager__what_is_not_taken_is_given_up_first),
        cmocka_unit_test(test_action_manager__what_may_have_been_taken_is_not_tried_again),
        cmocka_unit_test(test_action_manager__before_it_goes_ends_are_settled),
        cmocka_unit_test(test_action_manager__what_is_told_is_kept_when_a_commit_fails),
        cmocka_unit_test(test_action_manager__a_place_that_is_closed_holds_up_nobody_else),
        cmocka_unit_test(test_action_manager__an_output_waits_for_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
