/* test_lists.c - lists in pages: each row once, whatever comes meanwhile; filters; all attempts of an action. */
#include "unit/engine/box.h"

struct told {
    char text[2048];
    size_t n;
};

static void add(struct told *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct told *t, const char *format, ...)
{
    size_t length = strlen(t->text);
    va_list args;

    va_start(args, format);
    vsnprintf(t->text + length, sizeof t->text - length, format, args);
    va_end(args);
    t->n++;
}

static int on_workflow(void *context, const struct pingo_workflow_status *s)
{
    add(context, "%lld ", (long long)s->workflow);
    return 0;
}

static int on_action(void *context, const struct pingo_action_status *s)
{
    add(context, "%s ", s->name);
    return 0;
}

static int on_attempt(void *context, const struct pingo_attempt *a)
{
    assert_true(a->has_ended ? a->reason >= 0 : a->reason == -1);
    assert_non_null(a->executor);
    add(context, "%s.%lld:%lld ", a->name, (long long)a->epoch, (long long)a->exit_code);
    return 0;
}

static void expect_workflows(struct box *b, struct pingo_workflow_query q, const char *text)
{
    struct told t = {.n = 0};
    struct pingo_error err;

    q.version = 1;
    well(pingo_store_workflows(b->store, &q, on_workflow, &t, &err), &err);
    assert_string_equal(t.text, text);
}

/* Who pages through newest first sees what was there when it began; what is submitted meanwhile is not told, nor does it
 * push anything onto the next page. */
static void test_lists__pages_of_workflows_stand_still(void **state)
{
    struct box *b = box_new();
    char cursor[PINGO_CURSOR_SIZE] = "";
    struct pingo_workflow_query q = {.version = 1, .limit = 3, .after = cursor, .next = cursor};
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    for (int i = 0; i < 7; i++)
        box_submit(b, W(A(1, "")));
    do {
        size_t before = t.n;

        well(pingo_store_workflows(b->store, &q, on_workflow, &t, &err), &err);
        assert_true(t.n - before <= 3 && t.n < 50);
        box_submit(b, W(A(2, "")));
    } while (*cursor);
    assert_string_equal(t.text, "7 6 5 4 3 2 1 ");
    /* The oldest first: what comes meanwhile comes at the end. */
    t = (struct told){.n = 0};
    q.oldest_first = true;
    q.limit = 4;
    for (int more = 1; more || *cursor; more = 0) {
        well(pingo_store_workflows(b->store, &q, on_workflow, &t, &err), &err);
        if (more)
            box_submit(b, W(A(2, "")));
    }
    assert_string_equal(t.text, "1 2 3 4 5 6 7 8 9 10 11 ");
    box_close(b);
}

static void test_lists__workflows_by_what_they_are(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_submit_options options = {
        .version = 2, .base_dir = b->root, .user = "ada", .tag = "t"};
    struct pingo_workflow_query q = {.version = 1};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    box_submit(b, "{'name':'other','actions':[" A(2, "") "]}");
    well(box_try_submit(b, W(A(3, "")), &options, &s, &err), &err);
    well(pingo_store_pause_workflow(b->store, 3, NULL, &err), &err);
    expect_workflows(b, q, "3 2 1 ");
    q.states = 1u << PINGO_WORKFLOW_FINISHED;
    expect_workflows(b, q, "1 ");
    q.states = 1u << PINGO_WORKFLOW_RUNNING;
    expect_workflows(b, q, "2 ");
    q.states |= 1u << PINGO_WORKFLOW_PAUSED;
    expect_workflows(b, q, "3 2 ");
    expect_workflows(b, (struct pingo_workflow_query){.user = "ada"}, "3 ");
    expect_workflows(b, (struct pingo_workflow_query){.tag = "t"}, "3 ");
    expect_workflows(b, (struct pingo_workflow_query){.name = "other"}, "2 ");
    expect_workflows(b, (struct pingo_workflow_query){.name = "w", .oldest_first = true}, "1 3 ");
    expect_workflows(b, (struct pingo_workflow_query){.until_ms = 1}, "");
    expect_workflows(b, (struct pingo_workflow_query){.since_ms = 1, .limit = 2}, "3 2 ");
    box_close(b);
}

static void test_lists__actions_in_pages(void **state)
{
    struct box *b = box_new();
    char cursor[PINGO_CURSOR_SIZE] = "";
    struct pingo_action_query q = {
        .version = 1, .workflow = 1, .limit = 2, .after = cursor, .next = cursor};
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1))) "," A(4, "") "," A(5, "")));
    box_tick(b);
    box_fail(b, "a2");
    do
        well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    while (*cursor && t.n < 50);
    assert_string_equal(t.text, "a1 a2 a3 a4 a5 ");
    t = (struct told){.n = 0};
    q.states = 1u << PINGO_ACTION_FAILED | 1u << PINGO_ACTION_WAITING;
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a2 a3 ");
    assert_string_equal(cursor, "");
    t = (struct told){.n = 0};
    q.states = 0;
    q.name = "a[15]";
    q.limit = 1;
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a1 ");
    assert_string_not_equal(cursor, "");
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a1 a5 ");
    assert_string_equal(cursor, "");
    q.workflow = 9;
    assert_int_equal(pingo_store_actions(b->store, &q, on_action, &t, &err), PINGO_ENOTFOUND);
    box_close(b);
}

static void test_lists__every_attempt(void **state)
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

static void test_lists__a_cursor_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"x",          "w",           "w.1",
                                      "w.1.2.3",    "w.1.2.3.4.5", "w.1.2.3.x",
                                      "a.1.0.0.0",  "w.1.2.3.",    "w.99999999999999999999.0.0.0",
                                      "..........", "w.1.2.3.4 "};
    struct box *b = box_new();
    struct told t = {.n = 0};
    struct pingo_error err;
    char wide[300];

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    memset(wide, '1', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        struct pingo_workflow_query q = {.version = 1,
                                         .after = i < sizeof bad / sizeof *bad ? bad[i] : wide};
        struct pingo_dataset_query d = {.version = 1, .after = q.after};

        assert_int_equal(pingo_store_workflows(b->store, &q, on_workflow, &t, &err), PINGO_EINVAL);
        assert_non_null(strstr(err.message, "is no place in this list"));
        assert_int_equal(pingo_store_datasets(b->store, &d, NULL, NULL, &err), PINGO_EINVAL);
    }
    assert_int_equal(t.n, 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists__pages_of_workflows_stand_still),
        cmocka_unit_test(test_lists__workflows_by_what_they_are),
        cmocka_unit_test(test_lists__actions_in_pages),
        cmocka_unit_test(test_lists__every_attempt),
        cmocka_unit_test(test_lists__a_cursor_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
