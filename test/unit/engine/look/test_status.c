/* test_status.c - submissions and actions in pages: each once, whatever comes meanwhile; filters; what an action waits for. */
#include "unit/engine/look/told.h"

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
static void test_status__pages_of_workflows_stand_still(void **state)
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

static void test_status__workflows_by_what_they_are(void **state)
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

/* Few of very many are found wherever they stand, over pages, too. */
static void test_status__few_actions_of_many(void **state)
{
    enum { MANY = 700 };
    struct box *b = box_new();
    struct pingo__buffer text = {0};
    char cursor[PINGO_CURSOR_SIZE] = "";
    struct pingo_action_query q = {.version = 1,
                                   .workflow = 1,
                                   .limit = 1,
                                   .after = cursor,
                                   .next = cursor,
                                   .states = 1u << PINGO_ACTION_FAILED};
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 1; i <= MANY; i++)
        pingo__buffer_format(
            &text, "%s{'id':%d,'name':'a%d','type':'command-line','command':'echo %d >output'}",
            i > 1 ? "," : "", i, i, i);
    pingo__buffer_text(&text, "]}");
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "");
    assert_string_equal(cursor, "");
    box_int(b, "UPDATE action SET state = 7 WHERE position IN (2, 255, 256, 699) RETURNING 1");
    for (q.limit = 1; q.limit <= 5; q.limit++) {
        t = (struct told){.n = 0};
        do
            well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
        while (*cursor && t.n < 50);
        assert_string_equal(t.text, "a3 a256 a257 a700 ");
    }
    t = (struct told){.n = 0};
    q.after = q.next = NULL;
    q.limit = 3;
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a3 a256 a257 ");
    t = (struct told){.n = 0};
    q.name = "a2*";
    q.limit = 0;
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a256 a257 ");
    t = (struct told){.n = 0};
    q.name = "a257"; /* what has a name, and what lacks a row */
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    box_run(b,
            "DELETE FROM label; UPDATE node SET name = 'same' WHERE user_id IN (1, 256, 257, 700)");
    q.name = "same";
    for (q.states = 0; q.states < 255; q.states += 254)
        well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a257 same same same same same same same same ");
    t = (struct told){.n = 0};
    q = (struct pingo_action_query){.version = 1, .workflow = 1, .name = "a699"};
    int64_t before = box_steps(b);
    well(pingo_store_actions(b->store, &q, on_action, &t, &err), &err);
    assert_string_equal(t.text, "a699 ");
    assert_true(box_steps(b) - before < (int64_t)MANY);
    box_close(b);
}

static void test_status__actions_in_pages(void **state)
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

/* A submission is no action. */
static void test_status__an_action_is_named(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    const struct pingo_action_name all = {1, NULL};
    int64_t workflow, id;
    char *text = NULL;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_int_equal(pingo_store_action(b->store, &all, on_action, b, &err), PINGO_EINVAL);
    assert_int_equal(pingo_store_ran(b->store, &all, &workflow, &id, &err), PINGO_EINVAL);
    assert_int_equal(pingo_store_log_path(b->store, &all, PINGO_STREAM_STDOUT, &text, &err),
                     PINGO_EINVAL);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__pages_of_workflows_stand_still),
        cmocka_unit_test(test_status__workflows_by_what_they_are),
        cmocka_unit_test(test_status__few_actions_of_many),
        cmocka_unit_test(test_status__actions_in_pages),
        cmocka_unit_test(test_status__an_action_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
