/* test_retain.c - what is kept is pinned until it is released, and what is gone cannot be kept. */
#include "unit/engine/look/pool.h"

static void test_retain__pins_until_released(void **state)
{
    struct box *b = box_new();
    struct pingo_hash leaf, inner;
    struct pingo_error err;
    struct pingo_released released = {.size = sizeof released};
    bool changed = false;
    size_t n = 77;

    UNUSED(state);
    box_submit(b, CHAIN);
    leaf = hash_of(b, 1, "a3");
    inner = hash_of(b, 1, "a1");
    assert_int_equal(pingo_store_keep(b->store, &leaf, NULL, &err), PINGO_ESTATE);
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err);
    assert_int_equal(n, 0); /* not made yet */
    box_finish_all(b);
    well(pingo_store_keep(b->store, &inner, &changed, &err), &err);
    assert_true(changed);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 1);
    well(pingo_store_keep(b->store, &inner, &changed, &err), &err);
    assert_false(changed);
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_LEAF);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 2);
    well(pingo_store_release(b->store, &inner, &changed, &err), &err);
    assert_true(changed);
    well(pingo_store_release(b->store, &inner, &changed, &err), &err);
    assert_false(changed);
    well(pingo_store_release_workflow(b->store, 1, &released, &err), &err);
    assert_int_equal(released.released, 1);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_STORED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 0);
    memset(&inner, 7, sizeof inner);
    assert_int_equal(pingo_store_keep(b->store, &inner, NULL, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_keep_workflow(b->store, 9, NULL, &err), PINGO_ENOTFOUND);
    box_clean(b);
    box_close(b);
}

static void test_retain__rescues_what_is_on_its_way_out(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;
    bool changed = false;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    evict(b, 1, "a1", 5000);
    hash = hash_of(b, 1, "a1");
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    well(pingo_store_keep(b->store, &hash, &changed, &err), &err);
    assert_true(changed);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    assert_int_equal(box_int(b, "SELECT rescued_ms IS NOT NULL FROM eviction"), 1);
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_clean(b);
    /* What is deleted cannot be kept. */
    evict(b, 1, "a3", 5000);
    box_tick(b);
    hash = hash_of(b, 1, "a3");
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_DELETED);
    assert_int_equal(pingo_store_keep(b->store, &hash, NULL, &err), PINGO_ESTATE);
    box_close(b);
}

static void test_retain__refuses_what_is_gone_from_the_pool(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;
    char path[256], hex[PINGO_HASH_HEX_SIZE];

    UNUSED(state);
    box_submit(b, W(A(1, )));
    box_finish_all(b);
    hash = hash_of(b, 1, "a1");
    pingo_hash_to_hex(&hash, hex);
    snprintf(path, sizeof path, "%s/pool/objects/%.2s/%s.1.1", b->dir, hex, hex);
    assert_int_equal(remove(path), 0);
    assert_int_equal(pingo_store_keep(b->store, &hash, NULL, &err), PINGO_ESTATE);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 0);
    box_close(b);
}

/* What cannot be looked at is as the store says. */
static void test_retain__keeps_what_lies_in_a_closed_place(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    size_t n = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    box_finish_all(b);
    box_shut_place(b, ".1.1");
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err);
    assert_int_equal(n, 2);
    box_shut_place(b, NULL);
    box_clean(b);
    box_close(b);
}

static void test_retain__what_is_not_whole_is_told(void **state)
{
    static const struct {
        const char *action, *sql, *said;
    } rows[] = {
        {"a1", "UPDATE dataset SET managed = 0 WHERE id = ",
         "it is an unmanaged output; Pingo never deletes it anyway"},
        {"a1", "UPDATE dataset SET state = 8 WHERE id = ",
         "the dataset is being deleted already; the next tick removes its bytes"},
        {"a1", "UPDATE dataset SET state = 9 WHERE id = ", "the dataset is deleted already"},
        {"a2", NULL, "the dataset is not made yet: an unfinished action will make it"},
    };
    struct box *b = box_new();
    struct pingo_error err;
    bool changed = true;
    size_t n = 7;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    box_finish(b, "a1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_hash hash = hash_of(b, 1, rows[i].action);
        struct pingo__store_dataset_row row;
        struct pingo__arena arena = {0};
        char sql[200];

        well(pingo__store_dataset_newest(&b->store->db, &hash, &arena, &row, &err), &err);
        pingo__arena_clear(&arena);
        well(pingo__store_db_begin(&b->store->db, &err), &err);
        snprintf(sql, sizeof sql, "%s%d", rows[i].sql ? rows[i].sql : "SELECT ", (int)row.id);
        assert_int_equal(sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(pingo_store_keep(b->store, &hash, &changed, &err), PINGO_ESTATE);
        assert_string_equal(err.message, rows[i].said);
        pingo__store_db_rollback(&b->store->db);
    }
    assert_true(changed);                                         /* as it was */
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err); /* its result is not there yet */
    assert_int_equal(n, 0);
    box_finish(b, "a2");
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 0); /* no result */
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retain__pins_until_released),
        cmocka_unit_test(test_retain__rescues_what_is_on_its_way_out),
        cmocka_unit_test(test_retain__refuses_what_is_gone_from_the_pool),
        cmocka_unit_test(test_retain__keeps_what_lies_in_a_closed_place),
        cmocka_unit_test(test_retain__what_is_not_whole_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
