/* test_driving.c - who drives what: pauses, what others need, what is ready, and for whom an owner claims. */
#include "unit/store/rows.h"

#include "store/action/actions.h"
#include "store/submission/driving.h"

/* The second submission joins the leaf of the first. */
static struct box *joined(void)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_submit(b, FAN);
    return rows_begin(b);
}

static bool pause_it(struct box *b, int64_t workflow, bool paused)
{
    struct pingo_error err;
    bool is_new = false;

    well(pingo__store_workflow_set_paused(&b->store->db, workflow, paused, &is_new, &err), &err);
    return is_new;
}

static bool any_held(struct box *b)
{
    struct pingo_error err;
    bool any = false;

    well(pingo__store_driving_any_held(&b->store->db, &any, &err), &err);
    return any;
}

/* How many are needed, and whether this one is. */
static size_t needed(struct box *b, int64_t workflow, int64_t action, bool *is)
{
    struct pingo__arena arena = {0};
    struct pingo__store_needed_list list = {.arena = &arena};
    struct pingo_error err;

    *is = false;
    well(pingo__store_driving_needed(&b->store->db, workflow, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++)
        *is = *is || list.rows[i].action == action;
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_driving__a_pause_is_told_once(void **state)
{
    struct box *b = joined();

    UNUSED(state);
    assert_false(any_held(b));
    assert_true(pause_it(b, 1, true));
    assert_int_equal(b->store->db.noted[b->store->db.nnoted - 1].to, PINGO_WORKFLOW_PAUSED);
    assert_int_equal(b->store->db.noted[b->store->db.nnoted - 1].id, -1);
    assert_false(pause_it(b, 1, true));
    assert_true(any_held(b));
    assert_true(pause_it(b, 1, false));
    assert_false(pause_it(b, 1, false));
    assert_false(pause_it(b, 9, true));                        /* there is no such submission */
    rows_run(b, "UPDATE workflow SET state = 4 WHERE id = 2"); /* killed, and not yet all of it */
    assert_false(pause_it(b, 2, true));
    assert_true(any_held(b));
    rows_run(b, "UPDATE workflow SET unfinished = 0 WHERE id = 2");
    assert_false(any_held(b));
    rows_close(b);
}

static void test_driving__what_others_need_is_found_upwards(void **state)
{
    struct box *b = joined();
    bool is = false;

    UNUSED(state);
    assert_int_equal(needed(b, 1, 0, &is), 0);
    assert_int_equal(needed(b, 2, 3, &is), 3); /* the joined one, and its parents */
    assert_true(is);
    assert_int_equal(needed(b, 0, 0, &is), 0); /* nobody is held */
    pause_it(b, 1, true);
    assert_int_equal(needed(b, 0, 1, &is), 3); /* by the second, which is not */
    assert_true(is);
    pause_it(b, 2, true);
    assert_int_equal(needed(b, 0, 0, &is), 0);
    pause_it(b, 2, false);
    rows_run(b, "UPDATE action SET state = 6 WHERE id = 1");
    assert_int_equal(needed(b, 0, 1, &is), 2); /* what has ended is not needed */
    assert_false(is);
    rows_close(b);
}

static void test_driving__a_mark_is_another_after_a_change(void **state)
{
    struct box *b = joined();
    struct pingo__store_driving_mark one, two;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_driving_mark(&b->store->db, &one, &err), &err);
    well(pingo__store_driving_mark(&b->store->db, &two, &err), &err);
    assert_memory_equal(&one, &two, sizeof one);
    well(pingo__store_driving_changed(&b->store->db, &err), &err);
    well(pingo__store_driving_mark(&b->store->db, &two, &err), &err);
    assert_int_not_equal(one.changes, two.changes);
    pause_it(b, 1, true);
    well(pingo__store_driving_mark(&b->store->db, &one, &err), &err);
    assert_int_not_equal(one.changes, two.changes);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    box_submit(b, W(A(7, "")));
    well(pingo__store_driving_mark(&b->store->db, &two, &err), &err);
    assert_int_not_equal(one.last_action, two.last_action);
    box_close(b);
}

static void test_driving__ready_ones_by_workflow(void **state)
{
    static const char *const types[] = {"command-line", NULL};
    struct box *b = box_new();
    struct pingo__store_ready at = {1, INT64_MAX, -1};
    struct pingo__arena arena = {0};
    struct pingo__store_ready_query q = {
        .types = types, .limit = 3, .arena = &arena, .queue = 1, .workflow = 1};
    struct pingo__store_action_row room[4];
    struct pingo__store_action_list list = {.arena = &arena, .rows = room};
    struct pingo_error err;
    bool found = false;

    UNUSED(state);
    for (int i = 0; i < 3; i++)
        box_submit(b, i == 0 ? FAN : i == 1 ? W(A(4, "")) : W(A(5, "")));
    rows_begin(b);
    rows_run(b, "UPDATE action SET queue = 1, priority = iif(workflow = 3, 5, 0)");
    static const int64_t order[] = {3, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        well(pingo__store_ready_next(&b->store->db, &at, &found, &err), &err);
        assert_true(found);
        assert_int_equal(at.workflow, order[i]);
    }
    well(pingo__store_ready_next(&b->store->db, &at, &found, &err), &err);
    assert_false(found);
    /* What is added goes behind what is there, up to the limit. */
    well(pingo__store_action_add_ready(&b->store->db, &q, &list, &err), &err);
    assert_int_equal(list.n, 2);
    q.workflow = 2;
    well(pingo__store_action_add_ready(&b->store->db, &q, &list, &err), &err);
    assert_int_equal(list.n, 3);
    q.workflow = 3;
    q.priority = 5;
    well(pingo__store_action_add_ready(&b->store->db, &q, &list, &err), &err);
    assert_int_equal(list.n, 3);
    assert_int_equal(list.rows[2].workflow, 2);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static bool names(struct box *b, int64_t owner, int64_t workflow)
{
    struct pingo_error err;
    struct pingo__arena arena = {0};
    struct pingo__store_number_list list = {.arena = &arena};
    bool names = false;

    well(pingo__store_owner_scope(&b->store->db, owner, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++)
        names = names || list.rows[i] == workflow;
    pingo__arena_clear(&arena);
    return names;
}

static void test_driving__an_owner_says_for_whom_it_claims(void **state)
{
    static const int64_t listed[] = {1, 3, 3};
    struct box *b = joined();
    struct pingo__store_owner_scoping s = {77, PINGO__OWNER_LISTED, listed, 3};
    struct pingo__arena arena = {0};
    struct pingo__store_owner_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "DELETE FROM owner");
    char sql[256]; /* the second is of another boot or PID namespace */
    snprintf(
        sql, sizeof sql,
        "INSERT INTO owner(id, boot_id, pid, started_ms) VALUES(77, '%s', 5, 1), (78, '', 6, 2)",
        b->store->db.space);
    rows_run(b, sql);
    well(pingo__store_owner_set_scope(&b->store->db, &s, &err), &err);
    assert_true(names(b, 77, 1) && names(b, 77, 3));
    assert_false(names(b, 77, 2) || names(b, 78, 1));
    well(pingo__store_owner_rows(&b->store->db, &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.rows[0].id, 77);
    assert_int_equal(list.rows[0].pid, 5);
    assert_int_equal(list.rows[1].pid, 0);
    assert_int_equal(list.rows[0].scope, PINGO__OWNER_LISTED);
    s.scope = PINGO__OWNER_ALL;
    well(pingo__store_owner_set_scope(&b->store->db, &s, &err), &err);
    assert_false(names(b, 77, 1)); /* none is named any more */
    pingo__arena_clear(&arena);
    rows_close(b);
}

static int64_t in_hand(struct box *b, int64_t owner, int64_t workflow)
{
    struct pingo_error err;
    int64_t n = -1;

    well(pingo__store_owner_in_hand(&b->store->db, owner, workflow, &n, &err), &err);
    return n;
}

static void test_driving__what_an_owner_has_in_hand(void **state)
{
    struct box *b = joined();
    struct pingo__arena arena = {0};
    struct pingo__store_needed_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "UPDATE action SET state = 3, owner = 77 WHERE id = 1");
    rows_run(b, "UPDATE action SET state = 3, owner = 78 WHERE id = 2");
    assert_int_equal(in_hand(b, 77, 1), 1);
    assert_int_equal(in_hand(b, 78, 1), 1);
    assert_int_equal(in_hand(b, 77, 2), 0);
    assert_int_equal(in_hand(b, 79, 1), 0);
    well(pingo__store_driving_needed(&b->store->db, 2, &list, &err), &err);
    assert_int_equal(list.n, 3);
    for (size_t i = 0; i < list.n; i++) {
        int64_t id = list.rows[i].action;
        assert_int_equal(list.rows[i].owner, id == 1 ? 77 : id == 2 ? 78 : 0);
    }
    pingo__arena_clear(&arena);
    rows_run(b, "UPDATE action SET state = 6 WHERE id = 1"); /* what has ended is in no hand */
    assert_int_equal(in_hand(b, 77, 1), 0);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driving__a_pause_is_told_once),
        cmocka_unit_test(test_driving__what_others_need_is_found_upwards),
        cmocka_unit_test(test_driving__a_mark_is_another_after_a_change),
        cmocka_unit_test(test_driving__ready_ones_by_workflow),
        cmocka_unit_test(test_driving__an_owner_says_for_whom_it_claims),
        cmocka_unit_test(test_driving__what_an_owner_has_in_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
