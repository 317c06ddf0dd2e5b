/* test_usage.c - the sums of the pool: they move with the states, count an object once, and scale; what a
 * decision may not take, and which leaves have become old. */
#include "unit/store/rows.h"

#include "store/decision/usage.h"

static struct pingo__store_usage read_usage(struct box *b, struct pingo__store_held *held)
{
    struct pingo__store_usage u;
    struct pingo_error err;

    well(pingo__store_usage_read(&b->store->db, &u, held, &err), &err);
    return u;
}

/* a1 and a2 are STORED, two bytes each, a3 is a LEAF of two bytes. */
static struct box *made(void)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_finish_all(b);
    return rows_begin(b);
}

static void test_usage__sums_move_with_the_state(void **state)
{
    struct box *b = made();
    struct pingo__store_usage u = read_usage(b, NULL);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(u.ndatasets[PINGO_DATASET_STORED], 2);
    assert_int_equal(u.bytes[PINGO_DATASET_STORED], 4);
    assert_int_equal(u.ndatasets[PINGO_DATASET_LEAF], 1);
    assert_int_equal(u.bytes[PINGO_DATASET_LEAF], 2);
    assert_int_equal(pingo__store_usage_used(&u), 6);
    rows_run(b, "UPDATE dataset SET state = 6 WHERE id = 1");
    well(pingo__store_usage_move(&b->store->db, 1, PINGO_DATASET_STORED,
                                 PINGO_DATASET_STORED_TO_DELETE, &err),
         &err);
    u = read_usage(b, NULL);
    assert_int_equal(u.bytes[PINGO_DATASET_STORED], 2);
    assert_int_equal(u.bytes[PINGO_DATASET_STORED_TO_DELETE], 2);
    assert_int_equal(u.ndatasets[PINGO_DATASET_STORED_TO_DELETE], 1);
    assert_int_equal(pingo__store_usage_used(&u), 4); /* what is on its way out counts as freed */
    rows_close(b);
}

static void test_usage__tells_what_is_held(void **state)
{
    struct box *b = made();
    struct pingo__store_held held;

    UNUSED(state);
    read_usage(b, &held);
    assert_int_equal(held.kept_bytes, 0);
    assert_int_equal(held.claimed_bytes, 0);
    rows_run(b, "UPDATE dataset SET pinned = 1 WHERE id = 1");
    rows_run(b, "INSERT INTO claim(dataset, action) VALUES(1, 3), (2, 3), (3, 3)");
    read_usage(b, &held);
    assert_int_equal(held.kept_bytes, 2);    /* a1, and a claim adds nothing */
    assert_int_equal(held.claimed_bytes, 2); /* a2; a3 is no STORED one */
    /* The bytes of both are the same: they are held once, and kept before they are claimed. */
    rows_run(b, "UPDATE dataset SET object = 1, shared = 1 WHERE id IN (1, 2)");
    read_usage(b, &held);
    assert_int_equal(held.kept_bytes, 2);
    assert_int_equal(held.claimed_bytes, 0);
    rows_run(b, "UPDATE dataset SET pinned = 1 WHERE id = 2");
    read_usage(b, &held);
    assert_int_equal(held.kept_bytes, 2);
    rows_run(b, "UPDATE dataset SET pinned = 0");
    read_usage(b, &held);
    assert_int_equal(held.kept_bytes, 0);
    assert_int_equal(held.claimed_bytes, 2);
    rows_run(b, "UPDATE dataset SET object = 1, shared = 1 WHERE id = 3"); /* those of a leaf, too */
    rows_run(b, "UPDATE dataset SET pinned = 1 WHERE id = 1");
    read_usage(b, &held);
    assert_int_equal(held.kept_bytes, 0);
    assert_int_equal(held.claimed_bytes, 0);
    rows_close(b);
}

static void test_usage__what_is_unmanaged_keeps_no_bytes(void **state)
{
    struct box *b = made();
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "UPDATE dataset SET object = 1, shared = 1, managed = id = 1 WHERE id IN (1, 2)");
    int64_t before = read_usage(b, NULL).bytes[PINGO_DATASET_STORED];
    rows_run(b, "UPDATE dataset SET state = 6 WHERE id = 1");
    well(pingo__store_usage_move(&b->store->db, 1, PINGO_DATASET_STORED,
                                 PINGO_DATASET_STORED_TO_DELETE, &err),
         &err);
    assert_int_equal(read_usage(b, NULL).bytes[PINGO_DATASET_STORED], before - 2);
    rows_close(b);
}

static void test_usage__counts_what_cannot_go(void **state)
{
    struct box *b = made();
    struct pingo__store_usage u;

    UNUSED(state);
    rows_run(b, "INSERT INTO undeletable(dataset, tries, not_before_ms, message)"
                " VALUES(1, 1, 0, 'x'), (2, 1, 0, 'x'), (3, 1, 0, 'x')");
    rows_run(b, "UPDATE dataset SET state = 6 WHERE id = 1");
    rows_run(b, "UPDATE dataset SET state = 7 WHERE id = 1");
    rows_run(b, "UPDATE dataset SET state = 8 WHERE id = 1"); /* the others stay */
    assert_int_equal(read_usage(b, NULL).undeletable_bytes, 2);
    rows_run(b, "INSERT INTO orphan(name, bytes) VALUES('x', 100), ('y', 11)");
    rows_run(b, "UPDATE attempt SET scratch_bytes = 50 WHERE action = 1");
    u = read_usage(b, NULL);
    assert_int_equal(u.orphan_bytes, 111);
    assert_int_equal(u.failed_bytes, 50);
    assert_int_equal(pingo__store_usage_used(&u), 6 + 2 + 111 + 50);
    rows_close(b);
}

static void test_usage__parts_of_it_are_scaled(void **state)
{
    static const struct {
        int64_t bytes, thousandths, part;
    } rows[] = {
        {1000, 0, 1000},    {1000, 500, 500},
        {1000, 1000, 1000}, {0, 300, 0},
        {999, 1, 0},        {INT64_C(9000000000000000000), 500, INT64_C(4500000000000000000)},
    };
    struct pingo__store_usage u = {.orphan_bytes = 10, .failed_bytes = 20};
    struct pingo__store_held held = {.kept_bytes = 30, .claimed_bytes = 40};

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__store_usage_part(rows[i].bytes, rows[i].thousandths), rows[i].part);
    u.bytes[PINGO_DATASET_STORED] = 100;
    u.ndatasets[PINGO_DATASET_STORED] = 7;
    pingo__store_usage_scale(&u, &held, 500);
    assert_int_equal(u.bytes[PINGO_DATASET_STORED], 50);
    assert_int_equal(u.ndatasets[PINGO_DATASET_STORED], 7);
    assert_int_equal(held.kept_bytes, 15);
    assert_int_equal(held.claimed_bytes, 20);
    pingo__store_usage_scale(&u, NULL, 500);
    assert_int_equal(u.bytes[PINGO_DATASET_STORED], 25);
}

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

static void test_usage__pins_and_claims_hold(void **state)
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

static void test_usage__bytes_that_another_keeps(void **state)
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

static void test_usage__leaves_become_old(void **state)
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

static void test_usage__what_is_on_its_way_out(void **state)
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
        cmocka_unit_test(test_usage__sums_move_with_the_state),
        cmocka_unit_test(test_usage__tells_what_is_held),
        cmocka_unit_test(test_usage__what_is_unmanaged_keeps_no_bytes),
        cmocka_unit_test(test_usage__counts_what_cannot_go),
        cmocka_unit_test(test_usage__parts_of_it_are_scaled),
        cmocka_unit_test(test_usage__pins_and_claims_hold),
        cmocka_unit_test(test_usage__bytes_that_another_keeps),
        cmocka_unit_test(test_usage__leaves_become_old),
        cmocka_unit_test(test_usage__what_is_on_its_way_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
