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

static struct pingo__store_full_most most(struct box *b)
{
    struct pingo__store_full_most m;
    struct pingo_error err;

    well(pingo__store_full_most(&b->store->db, &m, &err), &err);
    return m;
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
static void test_full__of_those_that_are_ready_again_the_greatest(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_submit(b, W(A(4, "")));
    rows_begin(b);
    assert_int_equal(most(b).workflow, 0);
    well(pingo__store_full_note(&b->store->db, 1, 10, &err), &err);
    well(pingo__store_full_note(&b->store->db, 2, 30, &err), &err);
    well(pingo__store_full_note(&b->store->db, 3, 90, &err), &err);
    well(pingo__store_full_note(&b->store->db, 4, 20, &err), &err);
    struct pingo__store_full_most m = most(b); /* not the one that waits */
    assert_int_equal(m.workflow, 1);
    assert_int_equal(m.user_id, 2);
    assert_int_equal(m.bytes, 30);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full__the_last_attempt_counts),
        cmocka_unit_test(test_full__of_those_that_are_ready_again_the_greatest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
