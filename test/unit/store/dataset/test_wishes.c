/* test_wishes.c - who wants which results kept, and until when. */
#include "unit/store/rows.h"

#include "store/dataset/wishes.h"

static int64_t wishing(struct box *b, const struct pingo_hash *hash)
{
    struct pingo_error err;
    int64_t workflow = -1;

    well(pingo__store_wish_find(&b->store->db, hash, &workflow, &err), &err);
    return workflow;
}

static bool has(struct box *b, int64_t workflow, const struct pingo_hash *hash)
{
    struct pingo_error err;
    bool has = false;

    well(pingo__store_wish_has(&b->store->db, workflow, hash, &has, &err), &err);
    return has;
}

/* Of one that it had. */
static bool stays(struct box *b, int64_t workflow, const struct pingo_hash *hash)
{
    struct pingo_error err;
    bool stays = false;

    well(pingo__store_wish_stays(&b->store->db, workflow, hash, &stays, &err), &err);
    return stays;
}

/* Two submissions of one graph, of which a3 is the leaf, and one that wants a1 alone. */
static struct box *three(struct pingo_hash *inner, struct pingo_hash *leaf)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_submit(b, FAN);
    box_submit(b, W(A(1, "")));
    *inner = box_hash(b, 1, 1);
    *leaf = box_hash(b, 1, 3);
    return rows_begin(b);
}

static void test_wishes__are_the_leaves_of_the_graph(void **state)
{
    struct pingo_hash inner, leaf, nobody = {{1}};
    struct box *b = three(&inner, &leaf);

    UNUSED(state);
    assert_int_equal(wishing(b, &leaf), 2);  /* the newest */
    assert_int_equal(wishing(b, &inner), 3); /* no leaf of the others */
    assert_int_equal(wishing(b, &nobody), 0);
    assert_true(has(b, 1, &leaf));
    assert_false(has(b, 1, &inner));
    assert_true(has(b, 3, &inner));
    assert_false(has(b, 3, &leaf));
    assert_false(has(b, 4, &leaf)); /* there is no such submission */
    rows_close(b);
}

static size_t listed(struct box *b, int64_t workflow, struct pingo_hash *first)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hash_list list = {.arena = &arena};
    struct pingo_error err;

    well(pingo__store_wish_list(&b->store->db, workflow, &list, &err), &err);
    if (list.n)
        *first = list.rows[0];
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_wishes__are_listed_also_when_they_are_over(void **state)
{
    struct pingo_hash inner, leaf, first;
    struct box *b = three(&inner, &leaf);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(listed(b, 1, &first), 1);
    assert_memory_equal(&first, &leaf, sizeof leaf);
    well(pingo__store_wish_release_workflow(&b->store->db, 1, &err), &err);
    assert_int_equal(listed(b, 1, &first), 1);
    well(pingo__store_wish_insert_target(&b->store->db, 1, 0, &inner, &err), &err);
    assert_int_equal(listed(b, 1, &first), 1); /* instead of the leaf */
    assert_memory_equal(&first, &inner, sizeof inner);
    assert_int_equal(listed(b, 4, &first), 0);
    rows_close(b);
}

static void test_wishes__are_targets_instead(void **state)
{
    struct pingo_hash inner, leaf;
    struct box *b = three(&inner, &leaf);
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_wish_insert_target(&b->store->db, 1, 0, &inner, &err), &err);
    well(pingo__store_wish_insert_target(&b->store->db, 1, 0, &inner, &err),
         &err); /* twice is once */
    assert_true(has(b, 1, &inner));
    assert_false(has(b, 1, &leaf));
    rows_close(b);
}

static void test_wishes__are_released(void **state)
{
    struct pingo_hash inner, leaf;
    struct box *b = three(&inner, &leaf);
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_wish_release_one(&b->store->db, 2, &leaf, &err), &err);
    well(pingo__store_wish_release_one(&b->store->db, 2, &leaf, &err), &err);
    assert_false(has(b, 2, &leaf));
    assert_false(stays(b, 2, &leaf));
    assert_true(stays(b, 1, &leaf));
    assert_int_equal(wishing(b, &leaf), 1); /* the other submission of the graph still does */
    well(pingo__store_wish_release_workflow(&b->store->db, 1, &err), &err);
    assert_false(has(b, 1, &leaf));
    assert_false(stays(b, 1, &leaf));
    assert_int_equal(wishing(b, &leaf), 0);
    assert_int_equal(wishing(b, &inner), 3);
    /* Of a hash as a whole: of all submissions so far, and not of those that follow. */
    assert_true(stays(b, 3, &inner));
    well(pingo__store_wish_release_hash(&b->store->db, &inner, &err), &err);
    assert_int_equal(wishing(b, &inner), 0);
    assert_false(has(b, 3, &inner));
    assert_false(stays(b, 3, &inner));
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    box_submit(b, W(A(1, "")));
    assert_int_equal(wishing(b, &inner), 4);
    assert_true(stays(b, 4, &inner));
    box_close(b);
}

static void test_wishes__older_ones_of_a_name_go(void **state)
{
    struct pingo_hash inner, leaf;
    struct box *b = three(&inner, &leaf);
    struct pingo__arena arena = {0};
    struct pingo__store_hash_list hashes = {.arena = &arena};
    int64_t newest = -1, finished = -1;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_wish_newest(&b->store->db, "nobody", &newest, &finished, &err), &err);
    assert_int_equal(newest, 0);
    assert_int_equal(finished, 0);
    well(pingo__store_wish_newest(&b->store->db, "w", &newest, &finished, &err), &err);
    assert_int_equal(newest, 3);
    assert_int_equal(finished, 0);
    rows_run(b, "UPDATE workflow SET state = 2, ended_ms = 9 WHERE id = 1");
    rows_run(b, "UPDATE workflow SET state = 3, ended_ms = 9 WHERE id = 3");
    well(pingo__store_wish_newest(&b->store->db, "w", &newest, &finished, &err), &err);
    assert_int_equal(finished, 1); /* 3 has failed */
    /* Before 3 the first alone has ended: its leaf. */
    well(pingo__store_wish_list_older(&b->store->db, "w", 3, &hashes, &err), &err);
    assert_int_equal(hashes.n, 1);
    assert_memory_equal(hashes.rows, &leaf, sizeof leaf);
    well(pingo__store_wish_insert_target(&b->store->db, 3, 0, &inner, &err), &err);
    well(pingo__store_wish_list_older(&b->store->db, "w", 4, &hashes, &err), &err);
    assert_int_equal(hashes.n, 2); /* and the target of 3 */
    pingo__arena_clear(&arena);
    well(pingo__store_wish_release_older(&b->store->db, "w", 3, &err), &err);
    assert_false(has(b, 1, &leaf));
    assert_true(has(b, 2, &leaf)); /* it runs */
    assert_true(has(b, 3, &inner));
    well(pingo__store_wish_release_older(&b->store->db, "v", 9, &err), &err); /* another name */
    assert_true(has(b, 3, &inner));
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wishes__are_the_leaves_of_the_graph),
        cmocka_unit_test(test_wishes__are_listed_also_when_they_are_over),
        cmocka_unit_test(test_wishes__are_targets_instead),
        cmocka_unit_test(test_wishes__are_released),
        cmocka_unit_test(test_wishes__older_ones_of_a_name_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
