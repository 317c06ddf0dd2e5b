/* test_shape.c - a whole submission in few queries: each row once, in its order, and of no other submission. */
#include "unit/store/rows.h"

#include "store/submission/shape.h"

/* What was told: of nodes "POSITION NAME(PARENT BYTES)", of states "POSITION STATE". */
struct told {
    char text[256];
    int n, stop_at;
};

static void tell(struct told *t, const char *text)
{
    size_t at = strlen(t->text);
    snprintf(t->text + at, sizeof t->text - at, "%s;", text);
    t->n++;
}

static int on_node(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_shape_node *node = row;
    char text[64];
    UNUSED(err);
    snprintf(text, sizeof text, "%d %s %s %d %d", (int)node->parents.position, node->name,
             node->type, (int)node->user_id, (int)node->parents.n);
    tell(context, text);
    return ((struct told *)context)->n == ((struct told *)context)->stop_at ? 7 : 0;
}

static int on_state(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_shape_state *s = row;
    char text[32];
    UNUSED(err);
    snprintf(text, sizeof text, "%d %d", (int)s->position, (int)s->state);
    tell(context, text);
    return 0;
}

static int on_attempt(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_shape_attempt *a = row;
    char text[96];
    UNUSED(err);
    snprintf(text, sizeof text, "%d %d %d %d", (int)a->position, (int)a->wall_ms,
             (int)a->started_ms, (int)a->ended_ms);
    tell(context, text);
    return 0;
}

#define EACH(told, fn)                                                                             \
    &(struct pingo__store_each)                                                                    \
    {                                                                                              \
        NULL, fn, told                                                                             \
    }

/* FAN and a4, and FAN again with a5: a1 to a3 are the same datasets. */
static struct box *two(void)
{
    struct box *b = box_new();
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2))) "," A(4, "")));
    box_finish_all(b);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2))) "," A(5, P(FROM(3)))));
    return rows_begin(b);
}

static void test_shape__nodes_come_in_their_order(void **state)
{
    struct box *b = two();
    struct told t = {.n = 0}, first = {.stop_at = 2}, none = {.n = 0};
    struct pingo_error err;
    UNUSED(state);
    well(pingo__store_shape_nodes(&b->store->db, 1, EACH(&t, on_node), &err), &err);
    assert_string_equal(t.text, "0 a1 command-line 1 0;1 a2 command-line 2 0;"
                                "2 a3 command-line 3 2;3 a4 command-line 4 0;");
    assert_int_equal(pingo__store_shape_nodes(&b->store->db, 1, EACH(&first, on_node), &err), 7);
    assert_int_equal(first.n, 2); /* who has seen enough is told no more */
    well(pingo__store_shape_nodes(&b->store->db, 99, EACH(&none, on_node), &err), &err);
    assert_int_equal(none.n, 0);
    rows_close(b);
}

/* Of a position that was planned again, the newest state comes last. */
static void test_shape__states_and_decisions_are_told(void **state)
{
    struct box *b = two();
    struct told one = {.n = 0}, other = {.n = 0}, decided = {.n = 0}, all = {.n = 0};
    struct pingo_error err;
    UNUSED(state);
    rows_run(b, "INSERT INTO action(workflow, position, hash, state, waits, priority, rank, forced,"
                " retries, wanted) SELECT workflow, position, hash, 2, 0, 0, 0, 0, 0, 1 FROM action"
                " WHERE id = 1");
    well(pingo__store_shape_states(&b->store->db, 1, EACH(&one, on_state), &err), &err);
    assert_string_equal(one.text, "0 6;0 2;1 6;2 6;3 6;");
    well(pingo__store_shape_states(&b->store->db, 2, EACH(&other, on_state), &err), &err);
    assert_string_equal(other.text, "3 2;");
    /* What has a row is no decision, and what is not needed is not written. */
    well(pingo__store_shape_decided(&b->store->db, 1, EACH(&decided, on_state), &err), &err);
    assert_int_equal(decided.n, 0);
    well(pingo__store_shape_decided(&b->store->db, 2, EACH(&all, on_state), &err), &err);
    assert_string_equal(all.text, "2 1;");
    rows_close(b);
}

static void test_shape__what_has_started_is_told(void **state)
{
    struct box *b = two();
    struct told t = {.n = 0}, none = {.n = 0};
    struct pingo_error err;
    UNUSED(state);
    rows_run(b, "UPDATE attempt SET started_ms = NULL WHERE action = 1");
    rows_run(b, "UPDATE attempt SET ended_ms = NULL, wall_ms = NULL WHERE action = 2");
    well(pingo__store_shape_attempts(&b->store->db, 1, EACH(&t, on_attempt), &err), &err);
    assert_string_equal(t.text, "1 -1 1000 -1;2 10 1000 2000;3 10 1000 2000;");
    well(pingo__store_shape_attempts(&b->store->db, 2, EACH(&none, on_attempt), &err), &err);
    assert_int_equal(none.n, 0);
    rows_close(b);
}

/* Each hash once, however often it is in the text; nothing of what has a row, and nothing that was never computed. */
static void test_shape__what_was_saved_is_counted_once(void **state)
{
    struct box *b = two();
    struct pingo__store_shape_saved saved;
    struct pingo_error err;
    UNUSED(state);
    rows_run(b, "UPDATE dataset SET compute_ms = 100 * id WHERE id <= 3");
    well(pingo__store_shape_saved(&b->store->db, 2, 2, &saved, &err), &err);
    assert_int_equal(saved.n, 3);
    assert_int_equal(saved.ms, 600);
    assert_int_equal(saved.bytes, 6);
    well(pingo__store_shape_saved(&b->store->db, 1, 1, &saved, &err), &err);
    assert_int_equal(saved.n, 0);
    assert_int_equal(saved.ms, 0);
    assert_int_equal(saved.bytes, 0);
    pingo__store_db_rollback(&b->store->db);
    box_submit(b, W(A(1, "") ",{'id':6,'name':'a6','type':'command-line','command':['x1']}"));
    rows_begin(b);
    rows_run(b, "UPDATE dataset SET compute_ms = 100 * id WHERE id <= 3");
    well(pingo__store_shape_saved(&b->store->db, 3, 3, &saved, &err), &err);
    assert_int_equal(saved.n, 1);
    assert_int_equal(saved.ms, 100);
    rows_run(b, "UPDATE dataset SET compute_ms = NULL WHERE id = 1");
    rows_run(b, "UPDATE dataset SET current = 0 WHERE id = 2");
    well(pingo__store_shape_saved(&b->store->db, 2, 2, &saved, &err), &err);
    assert_int_equal(saved.n, 1);
    assert_int_equal(saved.ms, 300);
    rows_close(b);
}

static void test_shape__targets_are_those_of_the_submission(void **state)
{
    struct box *b = two();
    struct pingo__arena arena = {0};
    struct pingo__store_position_list list = {.arena = &arena};
    struct pingo_error err;
    UNUSED(state);
    well(pingo__store_shape_targets(&b->store->db, 2, &list, &err), &err);
    assert_int_equal(list.n, 0); /* it named none: its leaves are wanted */
    rows_run(b, "INSERT INTO target(workflow, position, hash) VALUES(2, 3, zeroblob(32)),"
                " (2, 0, zeroblob(32)), (1, 1, zeroblob(32))");
    well(pingo__store_shape_targets(&b->store->db, 2, &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.rows[0] + list.rows[1], 3);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape__nodes_come_in_their_order),
        cmocka_unit_test(test_shape__states_and_decisions_are_told),
        cmocka_unit_test(test_shape__what_has_started_is_told),
        cmocka_unit_test(test_shape__what_was_saved_is_counted_once),
        cmocka_unit_test(test_shape__targets_are_those_of_the_submission),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
