/* test_lost.c - datasets whose bytes are gone are noted until their readers are planned again; who has not started reads
 * them. */
#include "unit/engine/box.h"

#include "store/dataset/datasets.h"

static void test_lost__is_noted_until_it_is_forgotten(void **state)
{
    struct box *b = box_new();
    struct pingo__store_lost lost;
    struct pingo_error err;
    bool is = true;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    well(pingo__store_lost_next(&b->store->db, &lost, &err), &err);
    assert_int_equal(lost.dataset, 0);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_lost_note(&b->store->db, 1, &err), &err); /* nobody is to read it */
    well(pingo__store_lost_is_noted(&b->store->db, 1, &is, &err), &err);
    assert_false(is);
    well(pingo__store_claim_insert(&b->store->db, 1, 2, &err), &err);
    well(pingo__store_lost_note(&b->store->db, 1, &err), &err);
    well(pingo__store_lost_note(&b->store->db, 1, &err), &err); /* once is enough */
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    well(pingo__store_lost_is_noted(&b->store->db, 1, &is, &err), &err);
    assert_true(is);
    well(pingo__store_lost_is_noted(&b->store->db, 2, &is, &err), &err);
    assert_false(is);
    well(pingo__store_lost_next(&b->store->db, &lost, &err), &err);
    assert_int_equal(lost.dataset, 1);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_lost_forget(&b->store->db, 1, &err), &err);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    well(pingo__store_lost_next(&b->store->db, &lost, &err), &err);
    assert_int_equal(lost.dataset, 0);
    box_close(b);
}

/* Each tick asks, and a store has very many datasets. */
static void test_lost__are_found_without_reading_datasets(void **state)
{
    struct pingo__buffer text = {0};
    struct box *b = box_new();
    struct pingo__store_lost lost;
    struct pingo_error err;

    UNUSED(state);
    pingo__buffer_format(&text, "{'name':'w','actions':[" A(1, ""));
    for (int i = 2; i <= 300; i++)
        pingo__buffer_format(&text, ",{'id':%d,'name':'a%d','type':'command-line','command':'%d'}",
                             i, i, i);
    pingo__buffer_format(&text, "]}");
    assert_false(text.failed);
    box_submit(b, text.data);
    pingo__buffer_clear(&text);
    well(pingo__store_lost_next(&b->store->db, &lost, &err), &err);
    int64_t before = box_steps(b);
    well(pingo__store_lost_next(&b->store->db, &lost, &err), &err);
    assert_true(box_steps(b) - before < 100);
    box_close(b);
}

/* Two read what was there; one of them has ended. */
static void test_lost__readers_are_those_that_have_not_started(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_action_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1)))));
    well(pingo__store_lost_readers(&b->store->db, 1, 10, &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.rows[0].user_id, 2);
    assert_int_equal(list.rows[1].user_id, 3);
    well(pingo__store_lost_readers(&b->store->db, 1, 1, &list, &err), &err);
    assert_int_equal(list.n, 1);
    box_finish_all(b);
    well(pingo__store_lost_readers(&b->store->db, 1, 10, &list, &err), &err);
    assert_int_equal(list.n, 0);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost__is_noted_until_it_is_forgotten),
        cmocka_unit_test(test_lost__are_found_without_reading_datasets),
        cmocka_unit_test(test_lost__readers_are_those_that_have_not_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
