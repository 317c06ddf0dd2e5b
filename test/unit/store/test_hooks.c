/* test_hooks.c - the outbox of ends: a row a hook that is set, in one hand at a time, until it is over. */
#include "unit/store/rows.h"

#include "store/hooks.h"

/* A submission has ended while both hooks were set. */
static struct box *noted(void)
{
    struct box *b = rows_new(W(A(1, "")));
    struct pingo_error err;

    rows_run(b, "INSERT INTO setting(key, value) VALUES('hook.command', '/bin/true'),"
                " ('hook.url', 'http://h/')");
    well(pingo__store_hook_note(&b->store->db, 1, 1000, &err), &err);
    return b;
}

static bool is_due(struct box *b, int64_t now_ms)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hook_list list = {.arena = &arena};
    struct pingo_error err;

    well(pingo__store_hook_list_due(&b->store->db, now_ms, 1, &list, &err), &err);
    pingo__arena_clear(&arena);
    return list.n > 0;
}

/* The first that is due; the texts are gone. */
static struct pingo__store_hook_row due(struct box *b, int64_t now_ms, size_t n)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hook_list list = {.arena = &arena};
    struct pingo__store_hook_row row = {0};
    struct pingo_error err;

    well(pingo__store_hook_list_due(&b->store->db, now_ms, 9, &list, &err), &err);
    assert_int_equal(list.n, n);
    if (n)
        row = list.rows[0];
    row.told.target = row.told.message = "";
    pingo__arena_clear(&arena);
    return row;
}

static bool take(struct box *b, struct pingo__store_hook_row *row, int64_t owner, int64_t due_ms)
{
    struct pingo_error err;
    bool is_ours = false;

    row->owner = owner;
    row->told.due_ms = due_ms;
    well(pingo__store_hook_take(&b->store->db, row, &is_ours, &err), &err);
    return is_ours;
}

static void test_hooks__each_that_is_set_has_a_row(void **state)
{
    struct box *b = rows_new(W(A(1, "")));
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_hook_note(&b->store->db, 1, 1000, &err), &err);
    rows_run(b, "INSERT INTO setting(key, value) VALUES('hook.command', 'none')");
    well(pingo__store_hook_note(&b->store->db, 1, 1000, &err), &err);
    assert_false(is_due(b, INT64_MAX));
    rows_run(b, "UPDATE setting SET value = '/bin/true' WHERE key = 'hook.command'");
    well(pingo__store_hook_note(&b->store->db, 1, 1000, &err), &err);
    assert_true(is_due(b, 1000));
    struct pingo__store_hook_row row = due(b, 1000, 1);
    assert_int_equal(row.told.workflow, 1);
    assert_int_equal(row.told.way, PINGO_HOOK_COMMAND);
    assert_int_equal(row.told.state, PINGO_HOOK_PENDING);
    assert_int_equal(row.told.tries, 0);
    assert_int_equal(row.told.made_ms, 1000);
    assert_int_equal(row.told.done_ms, -1);
    rows_close(b);
}

/* Who was not told yet does not wait until it is as late again, nor does who was told when it was said to be years later. */
static void test_hooks__a_clock_that_goes_back_delays_none(void **state)
{
    const int64_t day_ms = INT64_C(86400000), now_ms = 20000 * day_ms;
    struct box *b = rows_new(W(A(1, "")));
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "INSERT INTO setting(key, value) VALUES('hook.command', '/bin/true')");
    rows_run(b, "INSERT INTO owner(id, boot_id, pid, started_ms) VALUES(500, 'boot', 1, 1)");
    well(pingo__store_hook_note(&b->store->db, 1, now_ms, &err), &err);
    assert_true(is_due(b, now_ms - day_ms));
    struct pingo__store_hook_row row = due(b, now_ms, 1);
    assert_true(take(b, &row, 500, now_ms + 8 * day_ms));
    assert_false(is_due(b, now_ms)); /* it may be as long as that */
    assert_true(is_due(b, now_ms - day_ms));
    assert_true(is_due(b, now_ms + 8 * day_ms));
    rows_close(b);
}

static void test_hooks__one_hand_has_it(void **state)
{
    struct box *b = noted();
    struct pingo__store_hook_row row = due(b, 1000, 2), late = row;

    UNUSED(state);
    rows_run(b, "INSERT INTO owner(id, boot_id, pid, started_ms) VALUES(500, 'boot', 1, 1)");
    assert_true(take(b, &row, 500, 5000));
    assert_false(take(b, &late, 501, 5000)); /* who read it before was too slow */
    due(b, 1000, 1);                         /* the other one */
    assert_int_equal(due(b, 5000, 2).told.tries, 0);
    /* Who has it dies: then it is due at once. */
    rows_run(b, "DELETE FROM owner WHERE id = 500");
    row = due(b, 1000, 2);
    rows_run(b, "UPDATE hook SET due_ms = 9000, tries = 1 WHERE owner = 0");
    row = due(b, 1000, 1);
    assert_int_equal(row.told.tries, 1);
    assert_true(take(b, &row, 502, 6000));
    rows_close(b);
}

static void test_hooks__what_became_of_a_try_is_of_who_has_it(void **state)
{
    struct box *b = noted();
    struct pingo__store_hook_row row = due(b, 1000, 2);
    struct pingo_error err;

    UNUSED(state);
    assert_true(take(b, &row, 7, 5000));
    row.told.tries++;
    struct pingo__store_hook_row others = row;
    others.owner = 8;
    others.told.state = PINGO_HOOK_DELIVERED;
    well(pingo__store_hook_settle(&b->store->db, &others, 1, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM hook WHERE state = 1"), 2);
    row.told.due_ms = 8000; /* it failed, and is tried later */
    row.told.message = "no answer";
    well(pingo__store_hook_settle(&b->store->db, &row, 1, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM hook WHERE due_ms = 8000 AND owner = 0 AND "
                                "message = 'no answer'"),
                     1);
    row.told.tries = 1;
    assert_true(take(b, &row, 7, 9000));
    row.told.tries = 2;
    row.told.state = PINGO_HOOK_DELIVERED;
    row.told.done_ms = 8500;
    well(pingo__store_hook_settle(&b->store->db, &row, 2, &err), &err);
    due(b, INT64_MAX, 1);
    assert_false(take(b, &row, 7, 9999)); /* it is over */
    rows_close(b);
}

static void test_hooks__are_listed(void **state)
{
    static const struct {
        struct pingo__store_hook_range range;
        int64_t ids[3];
    } rows[] = {
        {{.limit = 9}, {3, 2, 1}},
        {{.limit = 2}, {3, 2}},
        {{.limit = 9, .below = 3}, {2, 1}},
        {{.limit = 9, .states = 1u << PINGO_HOOK_PENDING}, {2}},
        {{.limit = 9, .states = 1u << PINGO_HOOK_DELIVERED | 1u << PINGO_HOOK_GIVEN_UP}, {3, 1}},
    };
    struct box *b = noted();
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "DELETE FROM setting WHERE key = 'hook.url'");
    well(pingo__store_hook_note(&b->store->db, 1, 2000, &err), &err);
    rows_run(b, "UPDATE hook SET state = 2 WHERE id = 1");
    rows_run(b, "UPDATE hook SET state = 3 WHERE id = 3");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_hook_list list = {.arena = &arena};
        size_t n = 0;
        while (n < 3 && rows[i].ids[n])
            n++;
        well(pingo__store_hook_list_of(&b->store->db, &rows[i].range, &list, &err), &err);
        assert_int_equal(list.n, n);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(list.rows[k].told.number, rows[i].ids[k]);
        pingo__arena_clear(&arena);
    }
    /* Of those that are over the newest thousand stay, and what is due. */
    rows_run(b, "UPDATE sqlite_sequence SET seq = 2000 WHERE name = 'hook'");
    well(pingo__store_hook_note(&b->store->db, 1, 3000, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM hook"), 2);
    assert_int_equal(box_int(b, "SELECT min(id) FROM hook"), 2);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooks__each_that_is_set_has_a_row),
        cmocka_unit_test(test_hooks__a_clock_that_goes_back_delays_none),
        cmocka_unit_test(test_hooks__one_hand_has_it),
        cmocka_unit_test(test_hooks__what_became_of_a_try_is_of_who_has_it),
        cmocka_unit_test(test_hooks__are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
