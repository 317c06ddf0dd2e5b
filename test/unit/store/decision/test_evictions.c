/* test_evictions.c - the ledger of what was let go: a row ends at most once, and lists go on where they ended. */
#include "unit/engine/box.h"

#include "store/decision/evictions.h"

/* a1 and a2 are STORED, and a3 is a LEAF; four evictions, at 1000 to 4000: of a1, a2, a1 and a2. */
static struct box *evicted(struct pingo_hash hashes[2])
{
    struct box *b = box_new();
    struct pingo_error err;

    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2)))));
    box_finish_all(b);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    for (int64_t i = 0; i < 4; i++) {
        hashes[i % 2] = box_hash(b, 1, 1 + i % 2);
        struct pingo__store_eviction_row row = {.dataset = 1 + i % 2,
                                                .told = {.hash = hashes[i % 2],
                                                         .evicted_ms = 1000 * (i + 1),
                                                         .algorithm = "lru",
                                                         .score = 0.5,
                                                         .size_bytes = 100 + i,
                                                         .remake_ms = 10,
                                                         .reason = "old"}};
        well(pingo__store_eviction_insert(&b->store->db, &row, &err), &err);
        if (i == 1) /* the generation is stored again: its eviction is rescued, and no other */
            well(pingo__store_eviction_rescue(&b->store->db, 1, 1500, &err), &err);
    }
    return b;
}

static void leave(struct box *b)
{
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

static struct pingo__store_eviction_row last_of(struct box *b, const struct pingo_hash *hash,
                                                int64_t at_ms, struct pingo__arena *arena)
{
    struct pingo__store_eviction_row row;
    struct pingo_error err;

    well(pingo__store_eviction_last(&b->store->db, &(struct pingo__store_missing){hash, at_ms},
                                    arena, &row, &err),
         &err);
    return row;
}

static void test_evictions__end_at_most_once(void **state)
{
    struct pingo__arena arena = {0};
    struct pingo_hash hashes[2], nobody = {{1}};
    struct box *b = evicted(hashes);
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_eviction_regret(&b->store->db, &hashes[0], 77, 5000, &err), &err);
    well(pingo__store_eviction_rescue(&b->store->db, 1, 6000, &err), &err); /* has ended */
    struct pingo__store_eviction_row row = last_of(b, &hashes[0], 5000, &arena);
    assert_int_equal(row.id, 3);
    assert_int_equal(row.told.regretted_ms, 5000);
    assert_int_equal(row.told.regret_ms, 77);
    assert_int_equal(row.told.rescued_ms, -1);
    assert_int_equal(row.told.size_bytes, 102);
    assert_string_equal(row.told.algorithm, "lru");
    /* It was not missing before, nor after it was made again. */
    assert_int_equal(last_of(b, &hashes[0], 2999, &arena).id, 0);
    assert_int_equal(last_of(b, &hashes[0], 5001, &arena).id, 0);
    /* What was rescued is not the last: nothing went. */
    well(pingo__store_eviction_rescue(&b->store->db, 2, 7000, &err), &err);
    assert_int_equal(last_of(b, &hashes[1], 7000, &arena).id, 0);
    assert_int_equal(last_of(b, &nobody, 7000, &arena).id, 0);
    assert_int_equal(box_int_of(b, "SELECT count(*) FROM eviction WHERE rescued_ms = 1500"), 1);
    pingo__arena_clear(&arena);
    leave(b);
}

static void test_evictions__are_listed(void **state)
{
    static const struct {
        struct pingo__store_eviction_query query;
        bool of_second;
        int64_t ids[4];
    } rows[] = {
        {{.limit = 9}, false, {1, 2, 3, 4}},
        {{.limit = 2}, false, {1, 2}},
        {{.limit = 2, .at = 2}, false, {3, 4}},
        {{.limit = 9, .at = 4}, false, {0}},
        {{.limit = 2, .newest_first = true}, false, {4, 3}},
        {{.limit = 9, .newest_first = true, .at = 3}, false, {2, 1}},
        {{.limit = 9, .since_ms = 2000, .until_ms = 4000}, false, {2, 3}},
        {{.limit = 9}, true, {2, 4}},
        {{.limit = 9, .newest_first = true, .until_ms = 4000}, true, {2}},
    };
    struct pingo_hash hashes[2];
    struct box *b = evicted(hashes);
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_eviction_list list = {.arena = &arena};
        struct pingo__store_eviction_query query = rows[i].query;
        size_t n = 0;
        query.hash = rows[i].of_second ? &hashes[1] : NULL;
        well(pingo__store_eviction_list(&b->store->db, &query, &list, &err), &err);
        while (n < 4 && rows[i].ids[n])
            n++;
        assert_int_equal(list.n, n);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(list.rows[k].id, rows[i].ids[k]);
            assert_string_equal(list.rows[k].told.name, rows[i].ids[k] % 2 ? "a1" : "a2");
        }
        pingo__arena_clear(&arena);
    }
    leave(b);
}

static int add_id(void *context, const void *row, struct pingo_error *err)
{
    int64_t *ids = context;

    UNUSED(err);
    *ids = *ids * 10 + ((const struct pingo__store_eviction_row *)row)->id;
    return 0;
}

static void test_evictions__are_told_one_after_the_other(void **state)
{
    struct pingo_hash hashes[2];
    struct box *b = evicted(hashes);
    struct pingo_error err;
    int64_t ids = 0;

    UNUSED(state);
    well(pingo__store_eviction_each(&b->store->db, add_id, &ids, &err), &err);
    assert_int_equal(ids, 1234);
    leave(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evictions__end_at_most_once),
        cmocka_unit_test(test_evictions__are_listed),
        cmocka_unit_test(test_evictions__are_told_one_after_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
