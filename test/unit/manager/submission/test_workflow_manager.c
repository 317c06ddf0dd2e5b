/* test_workflow_manager.c - what is submitted again, and what a bad submission leaves (nothing). */
#include "unit/engine/box.h"

#define DIAMOND                                                                                    \
    W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1))) "," A(4, P(FROM(2) "," FROM(3))))

static void test_workflow_manager__a_known_graph_costs_one_row(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, DIAMOND);
    box_finish_all(b);
    struct pingo_submission s = box_submit(b, DIAMOND);
    assert_int_equal(s.workflow, 2);
    assert_int_equal(s.state, PINGO_WORKFLOW_FINISHED);
    assert_int_equal(s.summary.reuse, 1);
    assert_int_equal(s.summary.skip, 3);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action"), 4);
    assert_int_equal(box_int(b, "SELECT count(*) FROM graph"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM document"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 2);
    box_clean(b);
    box_close(b);
}

static void test_workflow_manager__a_bad_one_leaves_nothing(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err = {0};
    static const char *const bad[] = {
        "{'name':'w','actions':[]}",
        "{'name':'w'",
        W(A(1, P(FROM(2))) "," A(2, P(FROM(1)))),
        W(A(1, ",'inputs':[{'name':'i','path':'/nonexistent/file'}]")),
        W(A(1, "") "," A(2,
                         ",'inputs':[{'name':'i','path':'/nonexistent/file','sha256':"
                         "'0000000000000000000000000000000000000000000000000000000000000000'}]")),
        W(A(1, ",'tools':['there-is-no-such-tool']")),
    };

    UNUSED(state);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(box_try_submit(b, bad[i], NULL, &s, &err) < 0);
        assert_true(*err.message);
        assert_false(b->store->db.writing);
    }
    assert_int_equal(
        box_int(b, "SELECT (SELECT count(*) FROM workflow) + (SELECT count(*) FROM action) +"
                   " (SELECT count(*) FROM dataset) + (SELECT count(*) FROM document) +"
                   " (SELECT count(*) FROM graph) + (SELECT count(*) FROM definition)"),
        0);
    assert_int_equal(b->nevents, 0);
    assert_int_equal(box_submit(b, W(A(1, ""))).workflow, 1); /* not even a number is used up */
    box_clean(b);
    box_close(b);
}

/* A hash with another description behind it is never reused. */
static void test_workflow_manager__a_collision_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err = {0};

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(
        box_changed(&b->store->db, &err, "UPDATE definition SET description = zeroblob(40)", NONE),
        1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(box_try_submit(b, W(A(1, "") "," A(2, P(FROM(1)))), NULL, &s, &err),
                     PINGO_ECOLLISION);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 1);
    box_close(b);
}

static void test_workflow_manager__targets_and_nothing_else(void **state)
{
    struct box *b = box_new();
    const char *targets[] = {"a2"}, *unknown[] = {"zz"};
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .targets = targets, .ntargets = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    well(box_try_submit(b, DIAMOND, &options, &s, &err), &err);
    assert_int_equal(s.summary.compute, 2);
    assert_int_equal(s.summary.skip, 2);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_LEAF);
    options.targets = unknown;
    assert_int_equal(box_try_submit(b, DIAMOND, &options, &s, &err), PINGO_ENOTFOUND);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workflow_manager__a_known_graph_costs_one_row),
        cmocka_unit_test(test_workflow_manager__a_bad_one_leaves_nothing),
        cmocka_unit_test(test_workflow_manager__a_collision_is_told),
        cmocka_unit_test(test_workflow_manager__targets_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
