/* test_attempts.c - every attempt of a submission or of an action, whose run an action was, and where its logs are. */
#include "unit/engine/look/told.h"

static int on_attempt(void *context, const struct pingo_attempt *a)
{
    assert_true(a->has_ended ? a->reason >= 0 : a->reason == -1);
    assert_non_null(a->executor);
    add(context, "%s.%lld:%lld ", a->name, (long long)a->epoch, (long long)a->exit_code);
    return 0;
}

static void test_attempts__every_attempt(void **state)
{
    struct box *b = box_new();
    char cursor[PINGO_CURSOR_SIZE] = "";
    struct pingo_attempt_query q = {.version = 1, .workflow = 1};
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':2") "," A(2, "")));
    for (int code = 3; code < 5; code++) {
        box_tick(b);
        box_report(b, "a1", PINGO_END_EXITED, code, NULL);
        box_tick(b);
        box_try_again(b);
    }
    box_finish_all(b);
    well(pingo_store_attempts(b->store, &q, on_attempt, &t, &err), &err);
    assert_string_equal(t.text, "a1.1:3 a1.2:4 a1.3:0 a2.1:0 ");
    t = (struct told){.n = 0};
    q.limit = 1;
    q.after = q.next = cursor;
    do
        well(pingo_store_attempts(b->store, &q, on_attempt, &t, &err), &err);
    while (*cursor && t.n < 50);
    assert_string_equal(t.text, "a1.1:3 a1.2:4 a1.3:0 a2.1:0 ");
    t = (struct told){.n = 0};
    q.action = "a1";
    q.limit = 2;
    well(pingo_store_attempts(b->store, &q, on_attempt, &t, &err), &err);
    assert_string_equal(t.text, "a1.1:3 a1.2:4 ");
    well(pingo_store_attempts(b->store, &q, on_attempt, &t, &err), &err);
    assert_string_equal(t.text, "a1.1:3 a1.2:4 a1.3:0 ");
    q.action = "none";
    assert_int_equal(pingo_store_attempts(b->store, &q, on_attempt, &t, &err), PINGO_ENOTFOUND);
    box_close(b);
}

/* An id may be 0. */
static void test_attempts__where_nothing_ran_there_is_no_id(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .targets = (const char *const[]){"a1"}, .ntargets = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    int64_t workflow = 7, id = 7;

    UNUSED(state);
    well(box_try_submit(b, W(A(0, "") "," A(1, "")), &o, &s, &err), &err);
    well(pingo_store_ran(b->store, &(struct pingo_action_name){1, "a0"}, &workflow, &id, &err),
         &err);
    assert_int_equal(workflow, 0);
    assert_int_equal(id, -1);
    well(pingo_store_ran(b->store, &(struct pingo_action_name){1, "a1"}, &workflow, &id, &err),
         &err);
    assert_int_equal(workflow, 1);
    assert_int_equal(id, 1);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempts__every_attempt),
        cmocka_unit_test(test_attempts__where_nothing_ran_there_is_no_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
