/* test_memory.c - what memory actions needed, by what they are like. */
#include "unit/store/rows.h"

#include "store/action/memory.h"

static void test_memory__the_last_of_a_key_counts(void **state)
{
    struct pingo_hash one = {{1}}, other = {{2}};
    struct box *b = rows_new(NULL);
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    int64_t mb = -1;
    bool any = true;

    UNUSED(state);
    well(pingo__store_memory_any(db, &any, &err), &err);
    assert_false(any);
    well(pingo__store_memory_get(db, &one, &mb, &err), &err);
    assert_int_equal(mb, 0);
    well(pingo__store_memory_set(db, &one, 100, &err), &err);
    well(pingo__store_memory_set(db, &one, 50, &err), &err);
    well(pingo__store_memory_any(db, &any, &err), &err);
    assert_true(any);
    well(pingo__store_memory_get(db, &one, &mb, &err), &err);
    assert_int_equal(mb, 50);
    well(pingo__store_memory_get(db, &other, &mb, &err), &err);
    assert_int_equal(mb, 0);
    rows_close(b);
}

static void test_memory__goes_with_the_transaction(void **state)
{
    struct pingo_hash key = {{1}};
    struct box *b = rows_new(NULL);
    struct pingo_error err;
    int64_t mb = -1;

    UNUSED(state);
    well(pingo__store_memory_set(&b->store->db, &key, 100, &err), &err);
    pingo__store_db_rollback(&b->store->db);
    well(pingo__store_memory_get(&b->store->db, &key, &mb, &err), &err);
    assert_int_equal(mb, 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__the_last_of_a_key_counts),
        cmocka_unit_test(test_memory__goes_with_the_transaction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
