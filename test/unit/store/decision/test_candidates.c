/* test_candidates.c - which datasets a decision may not take, and which leaves have become old. */
#include "unit/engine/box.h"

#include "store/decision/candidates.h"

static int count(void *context, const void *row, struct pingo_error *err)
{
    int64_t *sum = context;

    UNUSED(err);
    *sum = *sum * 10 + ((const struct pingo__store_candidate *)row)->dataset;
    return 0;
}

/* The datasets, one digit each. */
static int64_t held(struct box *b)
{
    struct pingo_error err;
    int64_t sum = 0;

    well(pingo__store_candidate_each_held(&b->store->db, count, &sum, &err), &err);
    return sum;
}

static int64_t old_leaves(struct box *b, int64_t before_ms)
{
    struct pingo_error err;
    int64_t sum = 0;

    well(pingo__store_candidate_each_old_leaf(&b->store->db, before_ms, count, &sum, &err), &err);
    return sum;
}

static void test_candidates__pins_and_claims_hold(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t n = -1;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    box_finish_all(b);
    assert_int_equal(held(b), 0); /* 1 and 2 are STORED, and free */
    box_int(b, "UPDATE dataset SET pinned = 1 WHERE id = 2 RETURNING 1");
    assert_int_equal(held(b), 2);
    box_submit(b, W(A(1, "") "," A(4, P(FROM(1)))));
    assert_int_equal(held(b), 21); /* the claim of action 4, too */
    well(pingo__store_candidate_count_claims(&b->store->db, &n, &err), &err);
    assert_int_equal(n, 1);
    box_finish_all(b);
    assert_int_equal(held(b), 2);
    box_close(b);
}

static void test_candidates__bytes_that_another_keeps(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    bool kept = true;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2)))));
    box_finish_all(b);
    well(pingo__store_candidate_is_kept(&b->store->db, 1, &kept, &err), &err);
    assert_false(kept);
    box_int(b, "UPDATE dataset SET object = 3, shared = 1 WHERE id IN (1, 3) RETURNING 1");
    well(pingo__store_candidate_is_kept(&b->store->db, 1, &kept, &err), &err);
    assert_true(kept); /* by the leaf 3 */
    assert_int_equal(held(b), 1);
    box_close(b);
}

static void test_candidates__leaves_become_old(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_finish_all(b);
    box_int(b, "UPDATE dataset SET last_used_ms = 100 * (3 - id) RETURNING 1");
    assert_int_equal(old_leaves(b, 100), 0);
    assert_int_equal(old_leaves(b, 101), 2);
    assert_int_equal(old_leaves(b, 201), 21); /* the oldest first */
    box_int(b, "UPDATE dataset SET pinned = 1 WHERE id = 2 RETURNING 1");
    assert_int_equal(old_leaves(b, 201), 1);
    box_close(b);
}

static void test_candidates__what_is_on_its_way_out(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t bytes = -1, size;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    well(pingo__store_candidate_leaving(&b->store->db, &bytes, &err), &err);
    assert_int_equal(bytes, 0);
    box_int(b, "UPDATE dataset SET state = 6 WHERE id = 1 RETURNING 1");
    size = box_int(b, "SELECT size_bytes FROM object WHERE id = 1");
    well(pingo__store_candidate_leaving(&b->store->db, &bytes, &err), &err);
    assert_int_equal(bytes, size);
    assert_true(size > 0);
    box_int(b,
            "INSERT INTO undeletable(dataset, tries, not_before_ms, message) VALUES(1, 1, 0, 'x')"
            " RETURNING 1");
    well(pingo__store_candidate_leaving(&b->store->db, &bytes, &err), &err);
    assert_int_equal(bytes, 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates__pins_and_claims_hold),
        cmocka_unit_test(test_candidates__bytes_that_another_keeps),
        cmocka_unit_test(test_candidates__leaves_become_old),
        cmocka_unit_test(test_candidates__what_is_on_its_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
