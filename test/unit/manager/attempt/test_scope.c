/* test_scope.c - for whom a scheduler claims: scope.c. */
#include "unit/engine/box.h"

#include "manager/attempt/scope.h"

/* What may be claimed, as "WORKFLOW.ID ...". */
static void claimable(struct box *b, struct pingo__manager_scope *scope, size_t limit,
                      const char *expected)
{
    static const char *const types[] = {"command-line", NULL};
    struct pingo__arena arena = {0};
    struct pingo__store_ready_query query = {.types = types,
                                             .queue = PINGO__QUEUE_ANY,
                                             .now_ms = pingo__manager_now_ms(&b->store->context),
                                             .limit = limit,
                                             .arena = &arena};
    struct pingo__store_action_list list;
    struct pingo_error err;
    char told[256] = "";

    well(pingo__manager_scope_list_ready(scope, &query, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++)
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s%d.%d", i ? " " : "",
                 (int)list.rows[i].workflow, (int)list.rows[i].user_id);
    assert_string_equal(told, expected);
    pingo__arena_clear(&arena);
}

static void submit_as(struct box *b, const char *user, const char *text, int64_t priority)
{
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .user = user, .priority = priority};
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err;

    well(box_try_submit(b, text, &o, &submission, &err), &err);
}

static void submit(struct box *b, const char *text, int64_t priority)
{
    submit_as(b, "tester", text, priority);
}

static void test_scope__all_in_order_of_priority(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_scope scope = {.db = &b->store->db, .all = true};
    struct pingo_error err;

    UNUSED(state);
    claimable(b, &scope, 9, "");
    submit(b, W(A(1, "")), 0);
    submit(b, W(A(2, "") "," A(3, P(FROM(2)))), 5);
    submit(b, W(A(4, "")), 0);
    claimable(b, &scope, 9, "2.2 1.1 3.4"); /* 3 waits for 2 */
    claimable(b, &scope, 2, "2.2 1.1");
    well(pingo_store_pause_workflow(b->store, 2, NULL, &err), &err);
    claimable(b, &scope, 9, "1.1 3.4");
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    claimable(b, &scope, 9, "3.4");
    well(pingo_store_resume_workflow(b->store, 2, NULL, &err), &err);
    claimable(b, &scope, 9, "2.2 3.4");
    pingo__manager_scope_clear(&scope);
    box_close(b);
}

static int needed_reads;

/* How often is all that is needed read while the store's lock is held? */
static int count_read(unsigned what, void *context, void *statement, void *text)
{
    struct box *b = context;

    UNUSED(what);
    UNUSED(statement);
    if (b->store->db.writing && strstr(text, "RECURSIVE above"))
        needed_reads++;
    return 0;
}

static void test_scope__what_is_needed_is_read_before_the_lock_is_taken(void **state)
{
    static const char chain[] = W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))));
    static const int64_t names[] = {2};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    submit(b, chain, 0);
    submit(b, chain, 0);
    well(pingo__manager_scope_set(&b->s->actions.scope, names, 1, &err), &err);
    box_tick(b);
    submit(b, W(A(4, "")), 0); /* it may need something, too */
    needed_reads = 0;
    sqlite3_trace_v2(b->store->db.sqlite, SQLITE_TRACE_STMT, count_read, b);
    box_finish(b, "a1");
    sqlite3_trace_v2(b->store->db.sqlite, 0, NULL, NULL);
    assert_int_equal(needed_reads, 0);
    box_finish(b, "a2");
    box_finish(b, "a3");
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_RUNNING);
    box_close(b);
}

/* What a named workflow has joined is driven with it, whoever submitted it, and what that waits for; the rest is not.
 * Of many names each way of looking gives the same. */
static void test_scope__what_is_named_and_what_it_needs(void **state)
{
    int64_t names[80] = {2};
    static const size_t many[] = {1, 80};

    UNUSED(state);
    for (size_t i = 1; i < 80; i++)
        names[i] = 1000 + (int64_t)i; /* nobody's */
    for (size_t k = 0; k < 2; k++) {
        struct box *b = box_new();
        struct pingo__manager_scope scope = {.db = &b->store->db, .all = true};
        struct pingo_error err;
        bool has = true, changed = true;
        submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(9, "")), 7);
        submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, "")), 0);
        well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
        well(pingo__manager_scope_set(&scope, names, many[k], &err), &err);
        claimable(b, &scope, 9, "1.1 2.4"); /* not 1.9 */
        well(pingo__manager_scope_refresh(&scope, &changed, &err), &err);
        assert_false(changed);
        well(pingo__manager_scope_has(&scope, 1, 1, &has, &err), &err);
        assert_true(has);
        well(pingo__manager_scope_has(&scope, 1, 3, &has, &err), &err);
        assert_false(has); /* the row of 1.9 */
        well(pingo_store_pause_workflow(b->store, 2, NULL, &err), &err);
        well(pingo__manager_scope_refresh(&scope, &changed, &err), &err);
        assert_true(changed);
        claimable(b, &scope, 9, "");
        well(pingo__manager_scope_set(&scope, names, 0, &err), &err); /* nobody */
        claimable(b, &scope, 9, "");
        well(pingo__manager_scope_set(&scope, NULL, 0, &err), &err);
        claimable(b, &scope, 9, "");
        pingo__manager_scope_clear(&scope);
        box_close(b);
    }
}

/* Each of those that it waits for is found, in whatever order they stand. */
static void test_scope__what_it_needs_of_several_workflows(void **state)
{
    int64_t names[80] = {3};
    static const size_t many[] = {1, 80};

    UNUSED(state);
    for (size_t i = 1; i < 80; i++)
        names[i] = 1000 + (int64_t)i; /* nobody's */
    for (size_t k = 0; k < 2; k++) {
        struct box *b = box_new();
        struct pingo__manager_scope scope = {.db = &b->store->db, .all = true};
        struct pingo_error err;
        submit(b, W(A(1, "")), 0);
        submit(b, W(A(2, "") "," A(9, "")), 0);
        submit(b, W(A(1, "") "," A(2, "")), 0);
        well(pingo__manager_scope_set(&scope, names, many[k], &err), &err);
        claimable(b, &scope, 9, "1.1 2.2");
        pingo__manager_scope_clear(&scope);
        box_close(b);
    }
}

/* What is needed of a workflow may stand in several queues: for each user who waits for it, and before all. */
static void test_scope__what_it_needs_in_several_queues(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_scope scope;
    struct pingo_error err;
    const char *chain = W(A(1, "") "," A(2, P(FROM(1))));
    int64_t second = 2;

    UNUSED(state);
    submit_as(b, "ada", chain, 0);
    submit_as(b, "bob", chain, 0);
    submit_as(b, "cat", W(A(1, "")), 1);
    assert_int_equal(box_int(b, "SELECT count(DISTINCT queue) FROM action WHERE workflow = 1"), 2);
    scope = (struct pingo__manager_scope){.db = &b->store->db, .all = true};
    well(pingo__manager_scope_set(&scope, &second, 1, &err), &err);
    claimable(b, &scope, 9, "1.1");
    pingo__manager_scope_clear(&scope);
    box_close(b);
}

/* Listed twice, what others wait for as well would be claimed for two users, and counted for the wrong one. */
static void test_scope__what_is_named_twice_is_listed_once(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_scope scope;
    struct pingo_error err;
    const int64_t twice[] = {1, 1};

    UNUSED(state);
    submit_as(b, "ada", W(A(1, "")), 0);
    submit_as(b, "bob", W(A(1, "")), 0);
    scope = (struct pingo__manager_scope){.db = &b->store->db, .all = true};
    well(pingo__manager_scope_set(&scope, twice, 2, &err), &err);
    claimable(b, &scope, 9, "1.1");
    pingo__manager_scope_clear(&scope);
    well(pingo_scheduler_scope(b->s, twice, 2, &err), &err);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT a.user = u.id FROM action a JOIN user u WHERE u.running = 1"
                                " AND a.state = 4"),
                     1);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scope__all_in_order_of_priority),
        cmocka_unit_test(test_scope__what_is_needed_is_read_before_the_lock_is_taken),
        cmocka_unit_test(test_scope__what_is_named_and_what_it_needs),
        cmocka_unit_test(test_scope__what_it_needs_of_several_workflows),
        cmocka_unit_test(test_scope__what_it_needs_in_several_queues),
        cmocka_unit_test(test_scope__what_is_named_twice_is_listed_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
