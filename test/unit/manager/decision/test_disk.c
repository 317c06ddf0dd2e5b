/* test_disk.c - whose fault it is that a command fails while the disk is full. */
#include "unit/engine/box.h"

/* Who looks at the disk after the command sees what was deleted while it ran as free. */
static void test_disk__what_goes_meanwhile_was_not_free(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, ",'keep':false") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    box_tick(b);
    box_finish(b, "a1");
    box_finish(b, "a2"); /* 1 goes, 3 begins */
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_true(b->s->context.removed_bytes > 0 && b->s->context.removing_bytes == 0);
    b->s->context.removed_bytes += INT64_C(1) << 59; /* as if that had been all the disk */
    b->s->context.removing_bytes = INT64_C(1) << 60; /* and what is going just now */
    box_report(b, "a3", PINGO_END_EXITED, 1, "");
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT state FROM action WHERE position = 2"), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT tries FROM action WHERE position = 2"), 0);
    b->s->context.removing_bytes = 0;
    box_try_again(b);
    box_report(b, "a3", PINGO_END_EXITED, 1, ""); /* now nothing went */
    box_tick(b);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_FAILED);
    box_close(b);
}

/* Others may make room, so it is tried again where there is some; but a quota does not show in the file system. */
static void test_disk__a_quota_is_tried_a_few_times(void **state)
{
    struct box *b = box_new();
    struct pingo_tick_result r = {.size = sizeof r, .stuck_for_space = false};
    int n = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    for (box_tick(b); n < 10 && !r.stuck_for_space; n++) {
        r = box_disk_full(b, "a1", 1000);
        if (!r.stuck_for_space)
            box_try_again(b);
    }
    assert_in_range(n, 2, 6);
    assert_non_null(strstr(r.space_message, "quota"));
    box_close(b);
}

/* Who has written most of what is there is none that runs away while there is more room than it has left. */
static void test_disk__what_filled_it_with_others_is_tried_again(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_disk_full(b, "a1", 3 * pingo__pool_space(b->s->context.pool).taken_bytes);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk__what_goes_meanwhile_was_not_free),
        cmocka_unit_test(test_disk__a_quota_is_tried_a_few_times),
        cmocka_unit_test(test_disk__what_filled_it_with_others_is_tried_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
