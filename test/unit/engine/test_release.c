/* test_release.c - being a result is a wish of a submission: who else wants it keeps it. */
#include "unit/engine/box.h"

static struct pingo_released release(struct box *b, int64_t workflow)
{
    struct pingo_released r = {.size = sizeof r};
    struct pingo_error err;

    well(pingo_store_release_workflow(b->store, workflow, &r, &err), &err);
    return r;
}

static struct pingo_released release_one(struct box *b, int64_t workflow,
                                         const struct pingo_hash *hash)
{
    struct pingo_released r = {.size = sizeof r};
    struct pingo_error err;

    well(pingo_store_release_dataset(b->store, workflow, hash, &r, &err), &err);
    return r;
}

#define CHAIN W(A(1, "") "," A(2, P(FROM(1))))
/* Another text with the same second action as a leaf, and one more. */
#define MORE W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1))))
#define LEAF PINGO_DATASET_LEAF
#define STORED PINGO_DATASET_STORED

static void test_release__what_others_want_stays(void **state)
{
    struct box *b = box_new();
    struct pingo_released r = {.size = sizeof r};

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, MORE);
    box_finish_all(b);
    r = release(b, 1);
    assert_int_equal(r.released, 0);
    assert_int_equal(r.wanted, 1);
    assert_int_equal(r.wanted_by, 2);
    assert_false(r.wanted_by_others);
    assert_int_equal(box_dataset(b, 2), LEAF);
    r = release(b, 2);
    assert_int_equal(r.released, 2);
    assert_int_equal(r.wanted, 0);
    assert_int_equal(box_dataset(b, 2), STORED);
    assert_int_equal(box_dataset(b, 3), STORED);
    r = release(b, 2);
    assert_int_equal(r.released + r.wanted, 0);
    box_clean(b);
    box_close(b);
}

/* Submissions of a known graph cost a row each, and wish all the same. */
static void test_release__null_runs_wish(void **state)
{
    struct box *b = box_new();
    struct pingo_released r = {.size = sizeof r};
    int64_t before;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    before = pingo__store_db_changes(&b->store->db);
    box_submit(b, CHAIN);
    /* Its row, that its leaf is used, and that something has changed. */
    assert_true(pingo__store_db_changes(&b->store->db) - before <= 3);
    box_submit(b, CHAIN);
    assert_int_equal(release(b, 1).wanted_by, 3);
    assert_int_equal(release(b, 3).wanted_by, 2);
    assert_int_equal(box_dataset(b, 2), LEAF);
    r = release(b, 2);
    assert_int_equal(r.released, 1);
    assert_int_equal(box_dataset(b, 2), STORED);
    box_submit(b, CHAIN); /* and again it is wanted */
    assert_int_equal(box_dataset(b, 2), LEAF);
    assert_int_equal(release(b, 1).wanted_by, 4);
    box_close(b);
}

static void test_release__one_result_of_a_submission(void **state)
{
    struct box *b = box_new();
    struct pingo_hash inner, leaf, other;
    struct pingo_released r = {.size = sizeof r};
    struct pingo_error err;
    bool changed = false;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, MORE);
    inner = box_hash(b, 1, 1);
    leaf = box_hash(b, 1, 2);
    other = box_hash(b, 2, 3);
    r = release_one(b, 1, &leaf);
    assert_int_equal(r.wanted_by, 2);
    assert_int_equal(box_dataset(b, 2), LEAF);
    assert_int_equal(release_one(b, 1, &inner).released, 0); /* no result of it, and not pinned */
    assert_int_equal(pingo_store_release_dataset(b->store, 1, &other, NULL, &err), PINGO_ESTATE);
    assert_int_equal(pingo_store_release_dataset(b->store, 9, &leaf, NULL, &err), PINGO_ENOTFOUND);
    well(pingo_store_keep(b->store, &leaf, &changed, &err), &err);
    r = release_one(b, 0, &leaf); /* the pin alone */
    assert_int_equal(r.released, 1);
    assert_int_equal(r.wanted_by, 2);
    assert_int_equal(release_one(b, 0, &leaf).released, 0);
    assert_int_equal(box_dataset(b, 2), LEAF);
    r = release_one(b, 2, &leaf);
    assert_int_equal(r.released, 1);
    assert_int_equal(box_dataset(b, 2), STORED);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 3), LEAF); /* the other wish of the second is untouched */
    box_submit(b, CHAIN);
    box_submit(b, MORE);
    assert_int_equal(box_dataset(b, 2), LEAF);
    well(pingo_store_release(b->store, &leaf, &changed, &err), &err); /* for all of them */
    assert_true(changed);
    assert_int_equal(box_dataset(b, 2), STORED);
    assert_int_equal(release(b, 3).released, 0);
    box_clean(b);
    box_close(b);
}

static void test_release__what_is_not_made_yet_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo_released r = {.size = sizeof r};

    UNUSED(state);
    box_submit(b, CHAIN);
    box_submit(b, MORE);
    r = release(b, 1);
    assert_int_equal(r.wanted, 1);
    assert_int_equal(r.wanted_by, 2);
    assert_int_equal(r.unmade, 0);
    r = release(b, 2);
    assert_int_equal(r.released, 0);
    assert_int_equal(r.wanted, 0);
    assert_int_equal(r.unmade, 2);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 2), STORED);
    assert_int_equal(box_dataset(b, 3), STORED);
    box_close(b);
}

/* Nor what is being made again beside a dataset that is there. */
static void test_release__what_is_not_made_yet_is_not_pinned_then(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, ",'keep':true")));
    struct pingo_released r = release(b, 1);
    assert_int_equal(r.released, 0);
    assert_int_equal(r.unmade, 1);
    box_finish_all(b);
    struct pingo_hash kept = box_hash(b, 1, 1);
    assert_int_equal(release_one(b, 0, &kept).released, 0);
    box_submit(b, W(A(1, ",'keep':true,'forceComputation':true")));
    assert_int_equal(release(b, 2).released, 0);
    box_finish_all(b);
    assert_int_equal(release_one(b, 0, &kept).released, 0);
    box_close(b);
}

static void test_release__targets_are_what_is_wanted(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .targets = (const char *const[]){"a1"}, .ntargets = 1};
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err;

    UNUSED(state);
    well(box_try_submit(b, CHAIN, &options, &submission, &err), &err);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 1), LEAF);
    box_submit(b, CHAIN);
    box_finish_all(b);
    assert_int_equal(release(b, 2).released, 1);
    assert_int_equal(box_dataset(b, 1), LEAF);
    assert_int_equal(release(b, 1).released, 1);
    assert_int_equal(box_dataset(b, 1), STORED);
    box_close(b);
}

/* Released while it was made: it is published as what nobody asked for. */
static void test_release__before_it_is_made(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, MORE);
    box_tick(b);
    assert_int_equal(release(b, 1).released, 0);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 2), STORED);
    assert_int_equal(box_dataset(b, 3), STORED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_release__what_is_superseded(void **state)
{
    struct box *b = box_new();
    struct pingo_released r = {.size = sizeof r};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(4, P(FROM(1)))));
    assert_int_equal(pingo_store_release_superseded(b->store, "w", &r, &err), PINGO_ESTATE);
    assert_non_null(strstr(err.message, "workflow 1"));
    box_finish_all(b);
    box_submit(b, W(A(1, "") "," A(5, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, "{'name':'other','actions':[" A(1, "") "," A(5, P(FROM(1))) "]}");
    box_submit(b, MORE);
    box_finish_all(b);
    assert_int_equal(pingo_store_release_superseded(b->store, "x", &r, &err), PINGO_ENOTFOUND);
    well(pingo_store_release_superseded(b->store, "w", &r, &err), &err);
    assert_int_equal(r.released, 1); /* a4: what the newest asks for, and others, stays */
    assert_int_equal(r.wanted, 1);
    assert_int_equal(r.wanted_by, 3);
    assert_int_equal(box_dataset(b, 4), STORED);
    for (int64_t id = 2; id <= 5; id++)
        if (id != 4)
            assert_int_equal(box_dataset(b, id), LEAF);
    assert_int_equal(release(b, 4).released, 2); /* the older ones want nothing any more */
    assert_int_equal(box_dataset(b, 2), STORED);
    assert_int_equal(release(b, 3).released, 1);
    box_clean(b);
    box_close(b);
}

/* One that runs or failed supersedes nothing, and keeps what it wants; the last good one does. */
static void test_release__a_newest_that_has_not_finished_is_in_nobodys_way(void **state)
{
    struct box *b = box_new();
    struct pingo_released r = {.size = sizeof r};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(1, "") "," A(4, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(1, "") "," A(5, P(FROM(1)))));
    box_tick(b);
    well(pingo_store_release_superseded(b->store, "w", &r, &err), &err);
    assert_int_equal(r.released, 1);
    assert_int_equal(box_dataset(b, 2), STORED);
    assert_int_equal(box_dataset(b, 4), LEAF);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 5), LEAF);
    box_clean(b);
    box_close(b);
}

static void test_release__what_was_removed_is_nobodys_result(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    struct pingo_hash leaf;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    leaf = box_hash(b, 1, 2);
    well(pingo_store_remove(b->store, &leaf, &err), &err);
    box_tick(b);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 2), STORED);
    box_submit(b, CHAIN);
    assert_int_equal(box_dataset(b, 2), LEAF);
    assert_int_equal(release(b, 3).released, 1);
    assert_int_equal(box_dataset(b, 2), STORED);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_release__what_others_want_stays),
        cmocka_unit_test(test_release__null_runs_wish),
        cmocka_unit_test(test_release__one_result_of_a_submission),
        cmocka_unit_test(test_release__what_is_not_made_yet_is_told),
        cmocka_unit_test(test_release__what_is_not_made_yet_is_not_pinned_then),
        cmocka_unit_test(test_release__targets_are_what_is_wanted),
        cmocka_unit_test(test_release__before_it_is_made),
        cmocka_unit_test(test_release__what_is_superseded),
        cmocka_unit_test(test_release__a_newest_that_has_not_finished_is_in_nobodys_way),
        cmocka_unit_test(test_release__what_was_removed_is_nobodys_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
