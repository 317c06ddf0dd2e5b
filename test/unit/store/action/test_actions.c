/* test_actions.c - rows of actions: their way through hands, what is noted for the next try, and originals. */
#include "unit/store/rows.h"

#include "store/action/actions.h"

static struct pingo__arena arena;

static struct pingo__store_action_row get(struct box *b, int64_t id)
{
    struct pingo__store_action_row row;
    struct pingo_error err;

    well(pingo__store_action_get(&b->store->db, id, &arena, &row, &err), &err);
    return row;
}

static void leave(struct box *b)
{
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_actions__go_through_hands(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo__store_db *db = &b->store->db;
    struct pingo__store_action_row row = get(b, 1), late = row;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_action_hand(db, &row, PINGO_ACTION_PROCESSING, 7, &err), &err);
    assert_int_equal(row.state, PINGO_ACTION_PROCESSING);
    assert_int_equal(row.epoch, late.epoch + 1); /* a claim is a new epoch */
    assert_int_equal(get(b, 1).owner, 7);
    well(pingo__store_action_hand(db, &late, PINGO_ACTION_PROCESSING, 8, &err), &err);
    assert_int_equal(late.state, PINGO_ACTION_READY); /* another was faster */
    assert_int_equal(get(b, 1).owner, 7);
    well(pingo__store_action_refresh(db, &late, &err), &err);
    assert_int_equal(late.state, PINGO_ACTION_PROCESSING);
    assert_int_equal(late.epoch, row.epoch);
    assert_int_equal(late.owner, 7);
    well(pingo__store_action_move(db, &row, PINGO_ACTION_READY, 50, &err), &err);
    row = get(b, 1);
    assert_int_equal(row.state, PINGO_ACTION_READY);
    assert_int_equal(row.owner, 0); /* in nobody's hand */
    late.id = 4711;
    well(pingo__store_action_refresh(db, &late, &err), &err);
    assert_int_equal(late.id, 0);
    assert_int_equal(get(b, 4711).id, 0);
    leave(b);
}

static void test_actions__say_what_their_node_says(void **state)
{
    struct box *b = rows_new(W(A(1, ",'resources':{'cpus':3},'retries':2") "," A(2, P(FROM(1)))));
    struct pingo__store_action_row row = get(b, 1);

    UNUSED(state);
    assert_string_equal(row.name, "a1");
    assert_string_equal(row.type, "command-line");
    assert_int_equal(row.user_id, 1);
    assert_int_equal(row.position, 0);
    assert_int_equal(row.cpus, 3);
    assert_int_equal(row.retries, 2);
    assert_int_equal(row.waits, 0);
    assert_false(row.wanted);
    assert_null(row.executor);
    row = get(b, 2);
    assert_int_equal(row.waits, 1);
    assert_true(row.wanted);
    assert_int_equal(row.state, PINGO_ACTION_WAITING);
    leave(b);
}

static void test_actions__wait_for_fewer_and_fewer(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo_error err;
    int64_t waits = -1;

    UNUSED(state);
    well(pingo__store_action_wait_done(&b->store->db, 3, &waits, &err), &err);
    assert_int_equal(waits, 1);
    well(pingo__store_action_wait_done(&b->store->db, 3, &waits, &err), &err);
    assert_int_equal(waits, 0);
    assert_int_equal(pingo__store_action_wait_done(&b->store->db, 3, &waits, &err), PINGO_ESTORE);
    well(pingo__store_action_count_waits(&b->store->db, 3, &waits, &err), &err);
    assert_int_equal(waits, 2); /* its parents have not ended */
    assert_int_equal(get(b, 3).waits, 2);
    leave(b);
}

static void test_actions__are_tried_again(void **state)
{
    static const struct pingo__store_action_again again = {1, 2, 3, 4000, "busy"};
    struct pingo_hash lost = {{5}};
    struct box *b = rows_new(FAN);
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;

    UNUSED(state);
    int64_t rank = get(b, 1).rank;
    well(pingo__store_action_set_again(db, 1, &again, &err), &err);
    well(pingo__store_action_set_given(db, 1, 100, &err), &err);
    struct pingo__store_action_row row = get(b, 1);
    assert_int_equal(row.retries, 1);
    assert_int_equal(row.tries, 2);
    assert_int_equal(row.refusals, 3);
    assert_int_equal(row.not_before_ms, 4000);
    assert_string_equal(row.message, "busy");
    assert_int_equal(row.given_mb, 100);
    assert_int_equal(row.rank, rank);
    well(pingo__store_action_grow(db, 1, 200, &err), &err);
    row = get(b, 1);
    assert_int_equal(row.given_mb, 200);
    assert_int_equal(row.growths, 1);
    assert_true(row.rank > rank); /* before all that has not died of memory */
    well(pingo__store_action_set_lost(db, 1, &lost, &err), &err);
    well(pingo__store_action_set_lost(db, 2, &lost, &err), &err);
    assert_true(get(b, 1).has_lost);
    assert_int_equal(get(b, 1).lost.bytes[0], 5);
    rows_run(b, "INSERT INTO claim(dataset, action) VALUES(3, 2), (2, 1)");
    well(pingo__store_action_forgive_lost(db, 3, &err), &err);
    assert_true(get(b, 1).has_lost); /* it does not read 3 */
    assert_false(get(b, 2).has_lost);
    leave(b);
}

/* A position that was planned again has two rows. */
static void test_actions__the_row_before(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo__store_action_row row = get(b, 1);
    struct pingo_error err;
    int64_t before = -1;

    UNUSED(state);
    well(pingo__store_action_state_before(&b->store->db, &row, &before, &err), &err);
    assert_int_equal(before, 0);
    rows_run(b, "UPDATE action SET state = 7 WHERE id = 1");
    row.id = 9;
    row.reason = -1;
    well(pingo__store_action_insert(&b->store->db, &row, &err), &err);
    well(pingo__store_action_state_before(&b->store->db, &row, &before, &err), &err);
    assert_int_equal(before, PINGO_ACTION_FAILED);
    assert_int_equal(get(b, 9).state, PINGO_ACTION_READY);
    well(pingo__store_action_set_target(&b->store->db, 9, 0, 2, &err), &err);
    assert_int_equal(get(b, 9).dataset, 0);
    assert_int_equal(get(b, 9).joined, 2);
    leave(b);
}

static void test_actions__originals_in_their_order(void **state)
{
    const struct pingo__store_action_original tool = {.kind = 3, .name = "cc", .path = "/bin/cc"},
                                              file = {.kind = 1,
                                                      .name = "",
                                                      .path = "/in",
                                                      .hash = {{1}},
                                                      .stamp = {{2}},
                                                      .has_stamp = true};
    struct box *b = rows_new(FAN);
    struct pingo__store_action_original_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_action_original_insert(&b->store->db, 1, 1, &tool, &err), &err);
    well(pingo__store_action_original_insert(&b->store->db, 1, 0, &file, &err), &err);
    well(pingo__store_action_original_list(&b->store->db, 1, &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.rows[0].path, "/in");
    assert_true(list.rows[0].has_stamp);
    assert_int_equal(list.rows[0].stamp.bytes[0], 2);
    assert_string_equal(list.rows[1].name, "cc");
    assert_false(list.rows[1].has_stamp);
    well(pingo__store_action_original_list(&b->store->db, 2, &list, &err), &err);
    assert_int_equal(list.n, 0);
    leave(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions__go_through_hands),
        cmocka_unit_test(test_actions__say_what_their_node_says),
        cmocka_unit_test(test_actions__wait_for_fewer_and_fewer),
        cmocka_unit_test(test_actions__are_tried_again),
        cmocka_unit_test(test_actions__the_row_before),
        cmocka_unit_test(test_actions__originals_in_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
