/* test_why.c - why was this not reused?  What was decided, in words, for each of the reasons. */
#include "unit/engine/look/pool.h"
#include "unit/engine/look/told.h"

static int on_why(void *context, const struct pingo_why *why)
{
    static const char *const decisions[] = {"skip", "reuse", "join", "compute"};
    struct told *t = context;

    add(t, "%lld %s: %s", (long long)why->id, decisions[why->decision], why->reason_text);
    for (size_t i = 0; i < why->ndifferences; i++)
        add(t, ", %s", why->differences[i].field);
    if (why->memory_text)
        add(t, " (%s)", why->memory_text);
    add(t, "\n");
    return 0;
}

/* action NULL: all that have a reason of their own. */
static void expect(struct box *b, int64_t workflow, const char *action, const char *want)
{
    struct told t = {.n = 0};
    struct pingo_error err;

    well(pingo_store_why(b->store, &(struct pingo_action_name){workflow, action}, on_why, &t, &err),
         &err);
    assert_string_equal(t.text, want);
}

static void test_why__computed_reused_or_skipped(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    expect(b, 1, "a1", "1 compute: never computed\n");
    box_finish_all(b);
    box_submit(b, CHAIN);
    expect(b, 2, "a1", "1 skip: not needed\n");
    expect(b, 2, "3", "3 reuse: stored\n");
    expect(b, 2, NULL, "");
    box_submit(b, W(A(1, ",'salt':'s'") "," A(2, P(FROM(1))) "," A(4, ",'forceComputation':true")));
    expect(b, 3, "a1", "1 compute: never computed, salt\n");
    expect(b, 3, "a2", "2 compute: never computed, parent p1\n");
    expect(b, 3, "a4", "4 compute: forced\n");
    expect(b, 3, NULL,
           "1 compute: never computed, salt\n2 compute: never computed, parent p1\n"
           "4 compute: forced\n");
    assert_int_equal(
        pingo_store_why(b->store, &(struct pingo_action_name){3, "a9"}, on_why, NULL, &err),
        PINGO_ENOTFOUND);
    assert_int_equal(
        pingo_store_why(b->store, &(struct pingo_action_name){9, NULL}, on_why, NULL, &err),
        PINGO_ENOTFOUND);
    box_close(b);
}

static void test_why__the_same_as_another(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") ","
                             "{'id':2,'name':'b','type':'command-line','command':['x1']}"));
    expect(b, 1, "2", "2 join: the same as action 1\n");
    box_submit(b, W(A(1, "")));
    expect(b, 2, "1", "1 join: workflow 1 was computing it\n");
    expect(b, 2, NULL, ""); /* those are not computed */
    box_close(b);
}

/* What it was planned as is not what became of it. */
static void test_why__who_joined_computes_and_who_was_to_compute_has_joined(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_submit(b, W(A(1, "")));
    box_fail(b, "a1");
    expect(b, 2, "1",
           "1 compute: planned again: its dataset vanished, or what it had joined failed\n");
    box_finish_all(b);
    box_submit(b, W(A(2, "")));
    well(pingo_store_pause_workflow(b->store, 3, NULL, &err), &err);
    box_submit(b, W(A(2, ",'forceComputation':true")));
    box_finish_all(b);
    well(pingo_store_resume_workflow(b->store, 3, NULL, &err), &err);
    box_finish_all(b);
    expect(b, 3, "2", "2 join: workflow 4 was computing it\n");
    box_close(b);
}

static void test_why__it_was_not_made_or_is_gone(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_fail(b, "a1");
    box_submit(b, W(A(1, "")));
    expect(b, 2, "1", "1 compute: it was FAILED in workflow 1, and so never made\n");
    box_finish_all(b);
    well(pingo_store_release_workflow(b->store, 2, NULL, &err), &err);
    struct pingo_hash hash = box_hash(b, 2, 1);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    box_tick(b);
    box_submit(b, W(A(1, "")));
    expect(b, 3, "1", "1 compute: was deleted\n");
    box_finish_all(b);
    evict(b, 3, "a1", 86400000);
    box_tick(b);
    box_submit(b, W(A(1, "")));
    expect(b, 4, "1", "1 compute: evicted 1970-01-02 by lru\n");
    box_close(b);
}

static int unlink_dataset(void *context, const struct pingo_dataset_status *s)
{
    UNUSED(context);
    assert_int_equal(unlink(s->path), 0);
    return 0;
}

/* It was to be reused, but what it would have given its reader is gone. */
static void test_why__planned_again(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    hash = box_hash(b, 1, 1);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    expect(b, 2, "1", "1 reuse: stored\n");
    well(pingo_store_dataset(b->store, &hash, unlink_dataset, NULL, &err), &err);
    box_finish_all(b);
    expect(b, 2, "1",
           "1 compute: planned again: its dataset vanished, or what it had joined failed\n");
    box_close(b);
}

static void test_why__it_was_given_more_memory(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.memory_most = INT64_C(400) << 20;
    box_submit(b, W(A(1, ",'resources':{'memoryMB':100}")));
    box_tick(b);
    expect(b, 1, "1", "1 compute: never computed\n");
    for (int i = 1; i <= 2; i++) {
        struct job *j = fake_job(&b->fake, "a1");
        assert_non_null(j);
        box_report(b, "a1", PINGO_END_MEMORY_LIMIT, 0, "");
        j->end.max_rss_bytes = INT64_C(100) << 20;
        box_tick(b);
        box_tick(b);
        expect(b, 1, "1",
               i == 1 ? "1 compute: never computed (200 MB, for it had died of less (1 time): see"
                        " pingo status --attempts)\n"
                      : "1 compute: never computed (400 MB, for it had died of less (2 times): see"
                        " pingo status --attempts)\n");
    }
    box_close(b);
}

static int stop(void *context, const struct pingo_why *why)
{
    UNUSED(why);
    return ++*(int *)context == 2;
}

static void test_why__can_be_stopped(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int n = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")));
    assert_int_equal(pingo_store_why(b->store, &(struct pingo_action_name){1, NULL}, stop, &n, &err),
                     PINGO_EINTERRUPTED);
    assert_int_equal(n, 2);
    box_close(b);
}

static int on_number(void *context, const struct pingo_why *why)
{
    int64_t *last = context;

    assert_int_equal(why->id, *last + 1);
    assert_int_equal(why->reason, PINGO_REASON_FORCED);
    *last = why->id;
    return 0;
}

/* More than are read at once: each once, in the order of the definition. */
static void test_why__of_many(void **state)
{
    enum { MANY = 2100 };
    struct box *b = box_new();
    struct pingo__buffer text = {0};
    int64_t last = 0;
    struct pingo_error err;

    UNUSED(state);
    b->store->db.on_event = NULL; /* they are more than the box counts */
    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 1; i <= MANY; i++)
        pingo__buffer_format(&text,
                             "%s{'id':%d,'name':'n','type':'command-line','command':['%d'],"
                             "'forceComputation':true}",
                             i > 1 ? "," : "", i, i);
    pingo__buffer_text(&text, "]}");
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    well(pingo_store_why(b->store, &(struct pingo_action_name){1, NULL}, on_number, &last, &err),
         &err);
    assert_int_equal(last, MANY);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_why__computed_reused_or_skipped),
        cmocka_unit_test(test_why__the_same_as_another),
        cmocka_unit_test(test_why__who_joined_computes_and_who_was_to_compute_has_joined),
        cmocka_unit_test(test_why__it_was_not_made_or_is_gone),
        cmocka_unit_test(test_why__planned_again),
        cmocka_unit_test(test_why__it_was_given_more_memory),
        cmocka_unit_test(test_why__can_be_stopped),
        cmocka_unit_test(test_why__of_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
