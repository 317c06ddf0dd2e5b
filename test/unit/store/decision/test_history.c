/* test_history.c - what a history is read from: submissions, what was made, let go and held. */
#include "unit/store/rows.h"

#include "store/decision/history.h"

/* Notes of each row a number, in order. */
struct told {
    int64_t numbers[8], more[8];
    size_t n;
};

static int tell_workflow(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_history_workflow *w = row;
    struct told *t = context;

    UNUSED(err);
    assert_true(t->n < 8);
    assert_string_equal(w->name, "w");
    assert_string_equal(w->user, "tester");
    t->numbers[t->n++] = w->id;
    return 0;
}

static int tell_made(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_history_made *m = row;
    struct told *t = context;

    UNUSED(err);
    assert_true(t->n < 8);
    t->numbers[t->n] = m->compute_ms;
    t->more[t->n++] = m->size_bytes;
    return 0;
}

static int tell_evicted(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_history_evicted *e = row;
    struct told *t = context;

    UNUSED(err);
    assert_true(t->n < 8);
    t->numbers[t->n] = e->evicted_ms;
    t->more[t->n++] = e->workflow;
    return 0;
}

static int tell_held(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__store_history_held *h = row;
    struct told *t = context;

    UNUSED(err);
    assert_true(t->n < 8);
    t->numbers[t->n] = h->at_ms;
    t->more[t->n++] = h->bytes;
    return 0;
}

static void test_history__submissions_of_a_time(void **state)
{
    static const struct {
        struct pingo__store_history_range range;
        size_t n;
        int64_t first;
    } rows[] = {
        {{0, 0, 0}, 3, 1},    {{1, 0, 0}, 2, 2},       {{0, 2000, 0}, 2, 2},
        {{0, 0, 2000}, 1, 1}, {{0, 2000, 3000}, 1, 2}, {{3, 0, 0}, 0, 0},
    };
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    for (int i = 0; i < 3; i++)
        box_submit(b, FAN);
    rows_begin(b);
    rows_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t = {.n = 0};
        well(pingo__store_history_workflows(&b->store->db, &rows[i].range, tell_workflow, &t, &err),
             &err);
        assert_int_equal(t.n, rows[i].n);
        assert_int_equal(t.numbers[0], rows[i].first);
    }
    rows_close(b);
}

static void test_history__what_was_made_and_let_go(void **state)
{
    struct box *b = box_new();
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_finish_all(b);
    rows_begin(b);
    well(pingo__store_history_each_made(&b->store->db, tell_made, &t, &err), &err);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.numbers[0], 10);
    assert_int_equal(t.more[0], 2);
    t.n = 0;
    rows_run(b, "UPDATE dataset SET made_ms = NULL WHERE id = 2"); /* it never was */
    well(pingo__store_history_each_made(&b->store->db, tell_made, &t, &err), &err);
    assert_int_equal(t.n, 2);
    rows_run(
        b, "INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm, score,"
           " size_bytes, remake_ms, reason, rescued_ms) SELECT id, hash, 100 * id, 1, 'lru', 0, 2,"
           " 1, '', iif(id = 2, 5, NULL) FROM dataset ORDER BY id");
    t.n = 0;
    well(pingo__store_history_each_evicted(&b->store->db, tell_evicted, &t, &err), &err);
    assert_int_equal(t.n, 2); /* one was rescued */
    assert_int_equal(t.numbers[0], 100);
    assert_int_equal(t.numbers[1], 300);
    assert_int_equal(t.more[0], 1);
    rows_close(b);
}

/* a1 from 100 to 500, a2 from 200 on, a3 from 300 to 300: it went by a clock that was behind. */
static void test_history__what_was_held(void **state)
{
    static const int64_t at[] = {100, 200, 300, 500}, bytes[] = {2, 2, 0, -2};
    struct box *b = box_new();
    struct told t = {.n = 0};
    struct pingo_error err;
    struct pingo__store_history_period period;

    UNUSED(state);
    well(pingo__store_history_period(&b->store->db, &period, &err), &err);
    assert_int_equal(period.first_ms, -1);
    assert_int_equal(period.last_ms, -1);
    box_submit(b, FAN);
    box_finish_all(b);
    rows_begin(b);
    rows_run(b, "UPDATE dataset SET made_ms = 100 * id");
    rows_run(b, "UPDATE dataset SET state = 9, current = 0, deleted_ms = iif(id = 1, 500, 250) "
                "WHERE id <> 2");
    well(pingo__store_history_period(&b->store->db, &period, &err), &err);
    assert_int_equal(period.first_ms, 100);
    assert_int_equal(period.last_ms, 500);
    well(pingo__store_history_each_held(&b->store->db, tell_held, &t, &err), &err);
    assert_int_equal(t.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(t.numbers[i], at[i]);
        assert_int_equal(t.more[i], bytes[i]);
    }
    /* Nobody knows when it went: then it is left out. */
    rows_run(b, "UPDATE dataset SET deleted_ms = NULL WHERE id = 1");
    t.n = 0;
    well(pingo__store_history_each_held(&b->store->db, tell_held, &t, &err), &err);
    assert_int_equal(t.numbers[0], 200);
    /* Two generations with the same bytes hold them once, from the first to the last. */
    rows_run(
        b, "UPDATE dataset SET state = 5, current = 1, deleted_ms = NULL, shared = 1, object = 2");
    t.n = 0;
    well(pingo__store_history_each_held(&b->store->db, tell_held, &t, &err), &err);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.numbers[0], 100);
    assert_int_equal(t.more[0], 2);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history__submissions_of_a_time),
        cmocka_unit_test(test_history__what_was_made_and_let_go),
        cmocka_unit_test(test_history__what_was_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
