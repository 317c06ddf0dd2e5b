/* test_full.c - actions whose last attempt met a full disk. */
#include "unit/store/rows.h"

#include "store/action/full.h"

static int64_t bytes_of(struct box *b, int64_t action)
{
    struct pingo_error err;
    int64_t bytes = 7;

    well(pingo__store_full_get(&b->store->db, action, &bytes, &err), &err);
    return bytes;
}

static struct pingo__store_full_summary summary(struct box *b, int64_t workflow)
{
    struct pingo__store_full_summary s;
    struct pingo_error err;

    well(pingo__store_full_summary(&b->store->db, workflow, &s, &err), &err);
    return s;
}

static void test_full__the_last_attempt_counts(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(bytes_of(b, 1), -1);
    well(pingo__store_full_note(&b->store->db, 1, 0, &err), &err);
    assert_int_equal(bytes_of(b, 1), 0); /* nobody knows how much */
    well(pingo__store_full_note(&b->store->db, 1, 500, &err), &err);
    assert_int_equal(bytes_of(b, 1), 500);
    assert_int_equal(bytes_of(b, 2), -1);
    well(pingo__store_full_clear(&b->store->db, 1, &err), &err);
    well(pingo__store_full_clear(&b->store->db, 1, &err), &err);
    assert_int_equal(bytes_of(b, 1), -1);
    rows_close(b);
}

/* a1 and a2 are READY, a3 waits; and a4 of a second submission is READY. */
static void test_full__those_that_are_ready_again_are_summed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_submit(b, W(A(4, "")));
    rows_begin(b);
    assert_int_equal(summary(b, 0).n, 0);
    assert_int_equal(summary(b, 0).workflow, 0);
    well(pingo__store_full_note(&b->store->db, 1, 10, &err), &err);
    well(pingo__store_full_note(&b->store->db, 2, 30, &err), &err);
    well(pingo__store_full_note(&b->store->db, 3, 90, &err), &err);
    well(pingo__store_full_note(&b->store->db, 4, 20, &err), &err);
    struct pingo__store_full_summary s = summary(b, 0);
    assert_int_equal(s.n, 3); /* not the one that waits */
    assert_int_equal(s.workflow, 1);
    assert_int_equal(s.user_id, 2);
    assert_int_equal(s.bytes, 30);
    s = summary(b, 2);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.user_id, 4);
    assert_int_equal(s.bytes, 20);
    assert_int_equal(summary(b, 3).n, 0);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full__the_last_attempt_counts),
        cmocka_unit_test(test_full__those_that_are_ready_again_are_summed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
