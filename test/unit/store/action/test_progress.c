/* test_progress.c - how many actions of a submission are in each state, summed as they move. */
#include "unit/store/rows.h"

#include "store/action/actions.h"

static void count(struct box *b, int64_t workflow, int64_t by_state[PINGO__ACTION_STATES])
{
    struct pingo_error err;

    well(pingo__store_action_count(&b->store->db, workflow, by_state, &err), &err);
}

static void test_progress__moves_of_several_submissions(void **state)
{
    static const int64_t one_starts[PINGO__ACTION_STATES] = {
        [PINGO_ACTION_READY] = -1, [PINGO_ACTION_PROCESSING] = 1};
    int64_t n[PINGO__ACTION_STATES];
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_submit(b, W(A(7, "")));
    rows_begin(b);
    count(b, 1, n);
    assert_int_equal(n[PINGO_ACTION_READY], 2);
    assert_int_equal(n[PINGO_ACTION_WAITING], 1);
    for (int64_t workflow = 1; workflow <= 2; workflow++) /* in turns: each is told in time */
        well(pingo__store_progress_add(&b->store->db, workflow, one_starts, &err), &err);
    well(pingo__store_progress_add(&b->store->db, 1, one_starts, &err), &err);
    count(b, 1, n);
    assert_int_equal(n[PINGO_ACTION_READY], 0);
    assert_int_equal(n[PINGO_ACTION_PROCESSING], 2);
    count(b, 2, n);
    assert_int_equal(n[PINGO_ACTION_PROCESSING], 1);
    count(b, 0, n); /* of all */
    assert_int_equal(n[PINGO_ACTION_PROCESSING], 3);
    assert_int_equal(n[PINGO_ACTION_WAITING], 1);
    count(b, 9, n);
    assert_int_equal(n[PINGO_ACTION_READY], 0);
    rows_close(b);
}

static void test_progress__what_is_rolled_back_did_not_move(void **state)
{
    static const int64_t one_ends[PINGO__ACTION_STATES] = {
        [PINGO_ACTION_READY] = -1, [PINGO_ACTION_FINISHED] = 1};
    int64_t n[PINGO__ACTION_STATES];
    struct box *b = rows_new(FAN);
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_progress_add(&b->store->db, 1, one_ends, &err), &err);
    pingo__store_db_rollback(&b->store->db);
    rows_begin(b);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    rows_begin(b);
    count(b, 1, n);
    assert_int_equal(n[PINGO_ACTION_READY], 2);
    assert_int_equal(n[PINGO_ACTION_FINISHED], 0);
    rows_close(b);
}

/* What the sums say is what the rows say, whatever became of them; of what was planned again the newest counts. */
static void test_progress__is_what_the_rows_say(void **state)
{
    int64_t n[PINGO__ACTION_STATES];
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':1") "," A(2, "") "," A(3, P(FROM(1)))));
    box_tick(b);
    box_fail(b, "a1");
    box_try_again(b);
    box_fail(b, "a1");
    box_finish(b, "a2");
    rows_begin(b);
    count(b, 1, n);
    assert_int_equal(n[PINGO_ACTION_FAILED], 1);
    assert_int_equal(n[PINGO_ACTION_FINISHED], 1);
    assert_int_equal(n[PINGO_ACTION_CANCELLED], 1);
    assert_int_equal(n[PINGO_ACTION_READY] + n[PINGO_ACTION_WAITING], 0);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress__moves_of_several_submissions),
        cmocka_unit_test(test_progress__what_is_rolled_back_did_not_move),
        cmocka_unit_test(test_progress__is_what_the_rows_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
