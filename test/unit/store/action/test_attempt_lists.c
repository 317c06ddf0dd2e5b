/* test_attempt_lists.c - attempts of a submission, and those that failed, page by page. */
#include "unit/store/rows.h"

#include "store/action/actions.h"

/* The keys of a list of attempts, as "row.epoch ". */
static void keys(const struct pingo__store_attempt_told_list *list, char text[64])
{
    *text = '\0';
    for (size_t i = 0; i < list->n; i++)
        snprintf(text + strlen(text), 64 - strlen(text), "%d.%d ",
                 (int)list->rows[i].told.attempt.row, (int)list->rows[i].told.attempt.epoch);
}

static void test_attempt_lists__are_listed_of_a_submission(void **state)
{
    static const struct {
        struct pingo__store_attempt_range range;
        const char *keys;
    } rows[] = {
        {{1, -1, {0, 0, 0}, 9}, "1.1 1.2 2.1 3.1 "},
        {{1, 0, {0, 0, 0}, 9}, "1.1 1.2 "},
        {{1, -1, {0, 0, 0}, 3}, "1.1 1.2 2.1 "},
        {{1, -1, {0, 1, 2}, 9}, "2.1 3.1 "},
        {{1, 0, {0, 1, 1}, 9}, "1.2 "},
        {{2, -1, {0, 0, 0}, 9}, ""},
        {{1, 2, {0, 0, 0}, 9}, "3.1 "},
    };
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':1") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2)))));
    box_tick(b);
    box_fail(b, "a1");
    box_try_again(b);
    box_finish_all(b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_attempt_told_list list = {.arena = &arena};
        char text[64];
        well(pingo__store_attempt_list_of(&b->store->db, &rows[i].range, &list, &err), &err);
        keys(&list, text);
        assert_string_equal(text, rows[i].keys);
        if (list.n)
            assert_int_equal(list.rows[0].told.attempt.name[0], 'a');
        pingo__arena_clear(&arena);
    }
    int64_t n = -1;
    well(pingo__store_attempt_count_before(&b->store->db, (struct pingo_job_key){1, 1}, &n, &err),
         &err);
    assert_int_equal(n, 0);
    box_close(b);
}

static void test_attempt_lists__that_failed_are_listed(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_attempt_told_list list = {.arena = &arena};
    struct pingo__store_failed_query q = {.at = {INT64_MAX, INT64_MAX, INT64_MAX}, .limit = 9};
    struct pingo_error err;
    char text[64];

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")));
    box_tick(b);
    box_fail(b, "a1");
    box_fail(b, "a3");
    box_finish(b, "a2");
    rows_begin(b);
    rows_run(b, "UPDATE attempt SET ended_ms = 1000 * action");
    well(pingo__store_attempt_list_failed(&b->store->db, &q, &list, &err), &err);
    keys(&list, text);
    assert_string_equal(text, "3.1 1.1 ");
    assert_string_equal(list.rows[0].told.user, "tester");
    assert_int_equal(list.rows[0].told.workflow, 1);
    q.of.name = "a1";
    well(pingo__store_attempt_list_failed(&b->store->db, &q, &list, &err), &err);
    keys(&list, text);
    assert_string_equal(text, "1.1 ");
    q.of.name = NULL;
    q.of.until_ms = 3000;
    well(pingo__store_attempt_list_failed(&b->store->db, &q, &list, &err), &err);
    keys(&list, text);
    assert_string_equal(text, "1.1 ");
    q.of.user = "nobody";
    well(pingo__store_attempt_list_failed(&b->store->db, &q, &list, &err), &err);
    assert_int_equal(list.n, 0);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempt_lists__are_listed_of_a_submission),
        cmocka_unit_test(test_attempt_lists__that_failed_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
