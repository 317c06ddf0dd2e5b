/* test_wake.c - children of what has finished: one less to wait for, and a claim on what they read. */
#include "unit/engine/box.h"

#include "manager/attempt/callback.h"

/* a3 reads both; in a transaction, with the arena of what is read. */
static struct box *waiting(struct pingo__arena *arena)
{
    struct box *b = box_new();
    struct pingo_error err;

    *arena = (struct pingo__arena){0};
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2)))));
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    return b;
}

static void done(struct box *b, struct pingo__arena *arena)
{
    pingo__store_db_rollback(&b->store->db);
    pingo__arena_clear(arena);
    box_close(b);
}

static void test_wake__the_last_one_makes_it_ready(void **state)
{
    struct pingo__arena arena;
    struct box *b = waiting(&arena);
    struct pingo__manager_context *c = &b->s->context;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__manager_wake_children(c, 1, 1, &arena, &err), &err);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_WAITING);
    assert_int_equal(box_int(b, "SELECT waits FROM action WHERE id = 3"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim WHERE dataset = 1 AND action = 3"), 1);
    well(pingo__manager_wake_children(c, 2, 2, &arena, &err), &err);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim WHERE action = 3"), 2);
    done(b, &arena);
}

/* One that waits for its turn alone gets no claim: it reads nothing of it. */
static void test_wake__an_order_is_no_claim(void **state)
{
    struct pingo__arena arena;
    struct box *b = waiting(&arena);
    struct pingo_error err;

    UNUSED(state);
    assert_true(box_int(b, "UPDATE dependency SET data = 0 WHERE parent = 1 RETURNING 1") == 1);
    well(pingo__manager_wake_children(&b->s->context, 1, 1, &arena, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim WHERE action = 3"), 0);
    assert_int_equal(box_int(b, "SELECT waits FROM action WHERE id = 3"), 1);
    done(b, &arena);
}

/* What was killed or cancelled meanwhile stays so. */
static void test_wake__only_who_waits_wakes(void **state)
{
    struct pingo__arena arena;
    struct box *b = waiting(&arena);
    struct pingo__store_action_row row;
    struct pingo_error err;

    UNUSED(state);
    assert_true(box_int(b, "UPDATE action SET waits = 1 WHERE id = 3 RETURNING 1") == 1);
    well(pingo__store_action_get(&b->store->db, 3, &arena, &row, &err), &err);
    row.state = PINGO_ACTION_CANCELLED;
    well(pingo__manager_action_wait_is_over(&b->s->context, &row, &err), &err);
    assert_int_equal(box_state(b, 1, 3), PINGO_ACTION_WAITING); /* its row was not moved */
    done(b, &arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wake__the_last_one_makes_it_ready),
        cmocka_unit_test(test_wake__an_order_is_no_claim),
        cmocka_unit_test(test_wake__only_who_waits_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
