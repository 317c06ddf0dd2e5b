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

/* Few of very many are found wherever they stand, over pages, too. */
static void test_lists__few_actions_of_many(void **state)
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

/* ---- callbacks that call back ------------------------------------------------------------------- */

struct caller {
    struct box *b;
    size_t n;
};

/* Writes, in a transaction of its own, and reads: where the function that calls it has one open, that fails. */
static int call_back(void *context)
{
    struct caller *c = context;
    struct pingo_hash hash;
    struct pingo_error err;
    int64_t workflow;

    assert_false(c->b->store->db.writing);
    assert_true(sqlite3_get_autocommit(c->b->store->db.sqlite));
    well(pingo_store_set(c->b->store, "pool.logDays", c->n++ % 2 ? "7" : "8", &err), &err);
    well(pingo_store_resolve_workflow(c->b->store, "last", &workflow, &err), &err);
    well(pingo_store_resolve_dataset(c->b->store, "1", "a1", &hash, &err), &err);
    return 0;
}

#define CALLER(name, type)                                                                         \
    static int name(void *context, const struct type *told)                                        \
    {                                                                                              \
        UNUSED(told);                                                                              \
        return call_back(context);                                                                 \
    }
CALLER(at_workflow, pingo_workflow_status)
CALLER(at_action, pingo_action_status)
CALLER(at_attempt, pingo_attempt)
CALLER(at_selected, pingo_selected)
CALLER(at_provenance, pingo_provenance)
CALLER(at_why, pingo_why)
CALLER(at_driver, pingo_driver)
CALLER(at_dataset, pingo_dataset_status)
CALLER(at_decided, pingo_decided)
CALLER(at_planned, pingo_planned)
CALLER(at_finding, pingo_finding)

static int at_setting(void *context, const char *key, const char *value, const char *usual,
                      const char *meaning)
{
    UNUSED(key);
    UNUSED(value);
    UNUSED(usual);
    UNUSED(meaning);
    return call_back(context);
}

static int at_exported(void *context, int64_t id, const char *name, const char *path, int64_t size)
{
    UNUSED(id);
    UNUSED(name);
    UNUSED(path);
    UNUSED(size);
    return call_back(context);
}

static int at_progress(void *context, uint64_t done, uint64_t total)
{
    UNUSED(done);
    UNUSED(total);
    return call_back(context);
}

static void test_lists__every_callback_may_call_back(void **state)
{
    struct box *b = box_new();
    struct caller c = {b, 0};
    struct pingo_selection all = {.version = 1, .workflow = 1};
    struct pingo_action_query actions = {.version = 1, .workflow = 1};
    struct pingo_attempt_query attempts = {.version = 1, .workflow = 1};
    struct pingo_provenance_query from = {.version = 1};
    struct pingo_decide_options decide = {
        .version = 1, .free_bytes = 1, .decided = at_decided, .context = &c};
    struct pingo_submit_options submit = {
        .version = 1, .base_dir = b->root, .planned = at_planned, .context = &c};
    struct pingo_fsck_options fsck = {
        .version = 1, .repair = true, .progress = at_progress, .finding = at_finding, .context = &c};
    char path[300], *json = json_of(W(A(1, "") "," A(7, P(FROM(1)))));
    struct pingo_error err;
    bool clean = false;
    size_t n = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(3, "")));
    box_tick(b);
    well(pingo_store_resolve_dataset(b->store, "1", "a2", &from.hash, &err), &err);
    snprintf(path, sizeof path, "%s/out", b->root);
    struct pingo_store *s = b->store;
#define CALLS(call)                                                                                \
    do {                                                                                           \
        well(call, &err);                                                                          \
        if (c.n == n)                                                                              \
            fail_msg("%s called nothing", #call);                                                  \
        n = c.n;                                                                                   \
    } while (0)
    CALLS(pingo_store_workflows(s, NULL, at_workflow, &c, &err));
    CALLS(pingo_store_workflow(s, 1, at_workflow, &c, &err));
    CALLS(pingo_store_actions(s, &actions, at_action, &c, &err));
    CALLS(pingo_store_action(s, &(struct pingo_action_name){1, "a1"}, at_action, &c, &err));
    CALLS(pingo_store_attempts(s, &attempts, at_attempt, &c, &err));
    CALLS(pingo_store_select(s, &all, at_selected, &c, &err));
    CALLS(pingo_store_provenance(s, &from, at_provenance, &c, &err));
    CALLS(pingo_store_why(s, &(struct pingo_action_name){1, NULL}, at_why, &c, &err));
    CALLS(pingo_store_why(s, &(struct pingo_action_name){1, "a1"}, at_why, &c, &err));
    CALLS(pingo_store_drivers(s, 2, at_driver, &c, &err));
    CALLS(pingo_store_datasets(s, NULL, at_dataset, &c, &err));
    CALLS(pingo_store_dataset(s, &from.hash, at_dataset, &c, &err));
    CALLS(pingo_store_decide(s, &decide, NULL, &err));
    CALLS(pingo_store_settings(s, at_setting, &c, &err));
    CALLS(pingo_store_export(
        s, &(struct pingo_action_name){1, NULL}, path,
        &(struct pingo_export_options){.version = 1, .exported = at_exported, .context = &c}, &err));
    CALLS(pingo_store_plan(s, &(struct pingo_document){json, strlen(json), NULL}, &submit, NULL,
                           &err));
    CALLS(pingo_store_hash(s, &(struct pingo_document){json, strlen(json), NULL}, &submit, &err));
    CALLS(pingo_store_fsck(s, &fsck, &clean, &err));
    assert_true(clean);
    /* Something to find, and to mend. */
    snprintf(path, sizeof path, "%s/objects/00", b->store->pool_dir);
    mkdir(path, 0755);
    box_int(b, "UPDATE workflow SET unfinished = 5 WHERE id = 1 RETURNING 1");
    fsck.progress = NULL;
    CALLS(pingo_store_fsck(s, &fsck, &clean, &err));
    free(json);
    box_close(b);
}

/* ---- what others did ------------------------------------------------------------------------------ */

static int64_t changes_of(struct pingo_store *store)
{
    struct pingo_error err;
    int64_t n = -1;

    well(pingo_store_changes(store, &n, &err), &err);
    return n;
}

static void test_lists__changes_of_others_are_seen(void **state)
{
    struct box *b = box_new();
    struct pingo_store *other = NULL;
    struct pingo_error err;
    int64_t before;

    UNUSED(state);
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    before = changes_of(other);
    box_submit(b, W(A(1, "")));
    assert_true(changes_of(other) > before);
    assert_int_equal(changes_of(other), changes_of(b->store));
    before = changes_of(other);
    box_tick(b);
    assert_true(changes_of(other) > before); /* it was handed out */
    before = changes_of(other);
    box_tick(b);
    well(pingo_store_set(b->store, "pool.logDays", "8", &err), &err);
    assert_int_equal(changes_of(other), before); /* nothing changed its state */
    box_finish(b, "a1");
    assert_true(changes_of(other) > before);
    before = changes_of(other);
    well(pingo_store_pause_workflow(other, 1, NULL, &err) == PINGO_ESTATE ? 0 : PINGO_EIO, &err);
    assert_int_equal(changes_of(b->store), before); /* what was refused */
    pingo_store_close(other);
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    assert_int_equal(changes_of(other), before);
    pingo_store_close(other);
    box_close(b);
}

/* ---- ancestors, the nearest first ----------------------------------------------------------------- */

static int on_ancestor(void *context, const struct pingo_provenance *p)
{
    add(context, "%s/%zu ", p->name, p->depth);
    return 0;
}

static void test_lists__ancestors_as_far_as_asked_for(void **state)
{
    struct box *b = box_new();
    struct pingo_provenance_query q = {.version = 1};
    struct pingo_error err;
    bool more = true;

    UNUSED(state);
    box_submit(
        b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, P(FROM(3) "," FROM(1)))));
    well(pingo_store_resolve_dataset(b->store, "1", "a4", &q.hash, &err), &err);
    q.more = &more;
    static const struct {
        bool is_bounded;
        size_t depth, limit;
        const char *text;
        bool more;
    } rows[] = {
        {false, 0, 0, "a4/0 a1/1 a3/1 a2/2 ", false}, {true, 0, 0, "a4/0 ", true},
        {true, 1, 0, "a4/0 a1/1 a3/1 ", true},        {true, 2, 0, "a4/0 a1/1 a3/1 a2/2 ", false},
        {true, 9, 0, "a4/0 a1/1 a3/1 a2/2 ", false},  {false, 0, 3, "a4/0 a1/1 a3/1 ", true},
        {false, 0, 4, "a4/0 a1/1 a3/1 a2/2 ", false}, {false, 0, 1, "a4/0 ", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t = {.n = 0};

        q.is_bounded = rows[i].is_bounded;
        q.depth = rows[i].depth;
        q.limit = rows[i].limit;
        well(pingo_store_provenance(b->store, &q, on_ancestor, &t, &err), &err);
        if (strcmp(t.text, rows[i].text) != 0 || more != rows[i].more)
            fail_msg("row %zu: %s %d", i, t.text, more);
    }
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
        cmocka_unit_test(test_lists__few_actions_of_many),
        cmocka_unit_test(test_lists__every_attempt),
        cmocka_unit_test(test_lists__every_callback_may_call_back),
        cmocka_unit_test(test_lists__changes_of_others_are_seen),
        cmocka_unit_test(test_lists__ancestors_as_far_as_asked_for),
        cmocka_unit_test(test_lists__a_cursor_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
