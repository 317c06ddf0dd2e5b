/* test_apply.c - a plan becomes rows: states, waits, claims, joins, rescue, generations, retention. */
#include "unit/engine/box.h"

#define DIAMOND                                                                                    \
    W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1))) "," A(4, P(FROM(2) "," FROM(3))))

static void test_apply__rows_wait_for_their_parents(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = box_submit(b, DIAMOND);

    UNUSED(state);
    assert_int_equal(s.workflow, 1);
    assert_int_equal(s.state, PINGO_WORKFLOW_RUNNING);
    assert_int_equal(s.summary.compute, 4);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(box_state(b, 1, 4), PINGO_ACTION_WAITING);
    assert_int_equal(box_int(b, "SELECT waits FROM action WHERE position = 3"), 2);
    assert_int_equal(box_int(b, "SELECT unfinished FROM workflow"), 4);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dependency WHERE data = 1"), 4);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim"), 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_TO_STORE);
    assert_int_equal(box_dataset(b, 4), PINGO_DATASET_TO_LEAF);
    /* The longest way to the end goes first. */
    assert_true(box_int(b, "SELECT rank FROM action WHERE position = 0") >
                box_int(b, "SELECT rank FROM action WHERE position = 3"));
    box_clean(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim"), 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    assert_int_equal(box_dataset(b, 4), PINGO_DATASET_LEAF);
    box_clean(b);
    box_close(b);
}

/* Their indexes are in the order of hashes, and what runs in the order of actions. */
static void test_apply__datasets_are_inserted_by_hash_and_numbered_by_action(void **state)
{
    struct box *b = box_new();
    struct pingo_hash last = {{0}};
    size_t n = 0;

    UNUSED(state);
    box_submit(b, DIAMOND);
    for (size_t i = 0; i < b->nevents; i++) {
        if (b->events[i].kind != PINGO_EVENT_DATASET)
            continue;
        assert_true(memcmp(&last, &b->events[i].hash, sizeof last) < 0);
        last = b->events[i].hash;
        n++;
    }
    assert_int_equal(n, 4);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE dataset = id"), 4);
    box_close(b);
}

static void test_apply__claims_are_made_with_the_state_they_depend_on(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, DIAMOND);
    box_tick(b);
    box_finish(b, "a1");
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim c JOIN dataset d ON d.id = c.dataset"
                                " WHERE d.action = 1"),
                     2);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_SUBMITTED);
    box_finish(b, "a2");
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim WHERE action = 2"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim WHERE action = 4"), 1);
    assert_int_equal(box_state(b, 1, 4), PINGO_ACTION_WAITING);
    box_finish(b, "a3");
    assert_int_equal(box_state(b, 1, 4), PINGO_ACTION_SUBMITTED);
    box_clean(b);
    box_close(b);
}

static void test_apply__what_is_reused_is_claimed_by_who_computes(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(1, "") "," A(3, P(FROM(1)))));
    assert_int_equal(box_state(b, 2, 1), 0); /* no row of its own */
    assert_int_equal(box_state(b, 2, 3), PINGO_ACTION_READY);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim c JOIN dataset d ON d.id = c.dataset"
                                " WHERE d.action = 1 AND c.action = 3"),
                     1);
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM claim"), 0);
    box_clean(b);
    box_close(b);
}

static void test_apply__retention_only_grows(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, ",'keep':false") "," A(2, P(FROM(1)))));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_TO_DELETE);
    box_submit(b, W(A(1, "") "," A(3, P(FROM(1)))));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_TO_STORE);
    box_submit(b, W(A(1, "")));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_TO_LEAF);
    box_submit(b, W(A(1, ",'keep':false") "," A(4, P(FROM(1)))));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_TO_LEAF);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset d WHERE d.hash ="
                                " (SELECT hash FROM action WHERE id = 1)"),
                     1);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    box_submit(b, W(A(1, ",'keep':true") "," A(5, P(FROM(1)))));
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

static void test_apply__joins_what_runs(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    struct pingo_submission s = box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    assert_int_equal(s.summary.join, 1);
    assert_int_equal(s.summary.compute, 1);
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_WAITING);
    assert_int_equal(box_int(b, "SELECT joined FROM action WHERE workflow = 2 AND position = 0"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset"), 2);
    box_clean(b);
    box_finish(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_state(b, 2, 1), PINGO_ACTION_FINISHED); /* in the same transaction */
    assert_int_equal(box_state(b, 2, 2), PINGO_ACTION_SUBMITTED);
    box_finish(b, "a2");
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(b->fake.n, 2);
    box_clean(b);
    box_close(b);
}

/* It is not needed, but asked to stay. */
static void test_apply__what_is_skipped_is_pinned_where_it_is_to_be_kept(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(1, ",'keep':true") "," A(2, P(FROM(1)))));
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 2"), 0);
    box_run(b, "UPDATE dataset SET pinned = 0, state = 6 WHERE id = 1"); /* on its way out */
    box_submit(b, W(A(1, ",'keep':true") "," A(2, P(FROM(1)))));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    box_close(b);
}

/* Whichever of them stands for the others: no retention is lowered. */
static void test_apply__equal_actions_are_kept_as_any_of_them_asks(void **state)
{
    struct box *b = box_new();
    const char *text = W("{'id':1,'name':'a1','type':'command-line','command':['x'],'keep':false},"
                         "{'id':2,'name':'a2','type':'command-line','command':['x'],'keep':true},"
                         "{'id':3,'name':'a3','type':'command-line','command':['x']},"
                         "{'id':4,'name':'a4','type':'command-line','command':['y']" P(
                             FROM(1) "," FROM(2) "," FROM(3)) "}");

    UNUSED(state);
    box_submit(b, text);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_TO_STORE);
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    box_finish_all(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_run(b, "UPDATE dataset SET pinned = 0");
    box_submit(b, W("{'id':1,'name':'a1','type':'command-line','command':['x']},"
                    "{'id':2,'name':'a2','type':'command-line','command':['x'],'keep':true},"
                    "{'id':4,'name':'a4','type':'command-line','command':['z']" P(
                        FROM(1) "," FROM(2)) "}"));
    assert_int_equal(box_int(b, "SELECT pinned FROM dataset WHERE id = 1"), 1);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* Equal hashes in one workflow are one computation, by the lowest id. */
static void test_apply__equal_actions_are_one_computation(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s =
        box_submit(b, W("{'id':7,'name':'a7','type':'command-line','command':['x']},"
                        "{'id':3,'name':'a3','type':'command-line','command':['x']},"
                        "{'id':9,'name':'a9','type':'command-line','command':['y']" P(FROM(7)) "}"));

    UNUSED(state);
    assert_int_equal(s.summary.compute, 2);
    assert_int_equal(s.summary.join, 1);
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "a3"));
    assert_null(fake_job(&b->fake, "a7"));
    box_finish(b, "a3");
    assert_int_equal(box_state(b, 1, 7), PINGO_ACTION_FINISHED);
    box_finish(b, "a9");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_apply__rescues_what_is_on_its_way_out(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(pingo_store_resolve_dataset(b->store, "1", "a1", &hash, &err), 0);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    assert_int_equal(box_submit(b, W(A(1, "") "," A(2, P(FROM(1))))).summary.reuse, 1);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_finish_all(b);
    /* Also when a deletor that died had it in hand. */
    well(pingo_store_remove(b->store, &hash, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err,
                                 "UPDATE dataset SET state = 7, owner = 999 WHERE id = 1", NONE),
                     1);
    assert_true(box_changed(&b->store->db, &err, BOX_COUNT, NONE) > 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(box_submit(b, W(A(1, "") "," A(3, P(FROM(1))))).summary.reuse, 1);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

static void test_apply__a_forced_action_makes_a_generation_of_its_own(void **state)
{
    struct box *b = box_new();
    const char *forced[] = {"1"};
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .forced = forced, .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    well(box_try_submit(b, W(A(1, "") "," A(2, P(FROM(1)))), &options, &s, &err), &err);
    assert_int_equal(s.summary.compute, 2);
    assert_int_equal(box_int(b, "SELECT max(generation) FROM dataset"), 2);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE current = 1"), 2);
    assert_int_equal(box_dataset(b, 2),
                     PINGO_DATASET_LEAF); /* the former is current until the new one is there */
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT min(generation) FROM dataset WHERE current = 1"), 2);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state = 9"), 2);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply__rows_wait_for_their_parents),
        cmocka_unit_test(test_apply__datasets_are_inserted_by_hash_and_numbered_by_action),
        cmocka_unit_test(test_apply__claims_are_made_with_the_state_they_depend_on),
        cmocka_unit_test(test_apply__what_is_reused_is_claimed_by_who_computes),
        cmocka_unit_test(test_apply__retention_only_grows),
        cmocka_unit_test(test_apply__joins_what_runs),
        cmocka_unit_test(test_apply__what_is_skipped_is_pinned_where_it_is_to_be_kept),
        cmocka_unit_test(test_apply__equal_actions_are_kept_as_any_of_them_asks),
        cmocka_unit_test(test_apply__equal_actions_are_one_computation),
        cmocka_unit_test(test_apply__rescues_what_is_on_its_way_out),
        cmocka_unit_test(test_apply__a_forced_action_makes_a_generation_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
