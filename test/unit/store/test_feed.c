/* test_feed.c - the ring of changes: a row a commit, one by one or, where they are many, of which submissions. */
#include "unit/store/rows.h"

#include "store/feed.h"

static struct pingo_event moved(int64_t workflow, int64_t action)
{
    return (struct pingo_event){.kind = PINGO_EVENT_ACTION,
                                .from = PINGO_ACTION_READY,
                                .to = PINGO_ACTION_PROCESSING,
                                .workflow = workflow,
                                .action = action,
                                .id = 7 * action,
                                .epoch = 3,
                                .hash = {{(uint8_t)action}}};
}

static int64_t last(struct box *b)
{
    struct pingo_error err;
    int64_t last = -1;

    well(pingo__store_feed_last(&b->store->db, &last, &err), &err);
    return last;
}

/* Notes n changes of a submission, and commits. */
static void commit(struct box *b, int64_t workflow, int n)
{
    struct pingo_error err;

    rows_begin(b);
    for (int i = 1; i <= n; i++) {
        struct pingo_event event = moved(workflow, i);
        well(pingo__store_db_note(&b->store->db, &event, &err), &err);
    }
    well(pingo__store_db_commit(&b->store->db, &err), &err);
}

/* The changes of the first row behind a change; of the arena. */
static struct pingo_event *read_row(struct box *b, int64_t after, struct pingo__arena *arena,
                                    size_t *n)
{
    struct pingo__store_feed_list list = {.arena = arena};
    struct pingo_event *events = NULL;
    struct pingo_error err;

    *n = 0;
    well(pingo__store_feed_list(&b->store->db, after, 1, &list, &err), &err);
    if (list.n)
        well(pingo__store_feed_read(&list.rows[0], arena, &events, n, &err), &err);
    return events;
}

static void test_feed__a_change_is_read_as_it_was_noted(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo_error err;
    size_t n = 0;
    int64_t before = last(b);

    UNUSED(state);
    rows_begin(b);
    struct pingo_event of_dataset = {.kind = PINGO_EVENT_DATASET,
                                     .from = PINGO_DATASET_STORED,
                                     .to = PINGO_DATASET_LEAF,
                                     .epoch = 2,
                                     .id = -1,
                                     .hash = {{9}}},
                       of_action = moved(4, 5);
    struct pingo_event of_workflow = {.kind = PINGO_EVENT_WORKFLOW,
                                      .from = PINGO_WORKFLOW_RUNNING,
                                      .to = PINGO_WORKFLOW_FINISHED,
                                      .workflow = 4,
                                      .id = -1};
    well(pingo__store_db_note(&b->store->db, &of_dataset, &err), &err);
    well(pingo__store_db_note(&b->store->db, &of_action, &err), &err);
    well(pingo__store_db_note(&b->store->db, &of_workflow, &err), &err);
    assert_int_equal(last(b), before); /* not before the commit */
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(last(b), before + 3);
    struct pingo_event *e = read_row(b, before, &arena, &n);
    assert_int_equal(n, 3);
    assert_int_equal(e[0].kind, PINGO_EVENT_DATASET);
    assert_int_equal(e[0].to, PINGO_DATASET_LEAF);
    assert_int_equal(e[0].epoch, 2);
    assert_int_equal(e[0].hash.bytes[0], 9);
    assert_int_equal(e[0].id, -1);
    assert_int_equal(e[1].workflow, 4);
    assert_int_equal(e[1].action, 5);
    assert_int_equal(e[1].id, 35);
    assert_int_equal(e[1].epoch, 3);
    assert_int_equal(e[2].kind, PINGO_EVENT_WORKFLOW);
    assert_int_equal(e[2].to, PINGO_WORKFLOW_FINISHED);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_feed__many_are_told_of_submissions(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo_error err;
    size_t n = 0;
    int64_t before = last(b);

    UNUSED(state);
    commit(b, 1, 256);
    read_row(b, before, &arena, &n);
    assert_int_equal(n, 256);
    before = last(b);
    commit(b, 1, 257); /* one more: of which submission, once */
    struct pingo_event *e = read_row(b, before, &arena, &n);
    assert_int_equal(n, 1);
    assert_int_equal(e[0].kind, PINGO_EVENT_MANY);
    assert_int_equal(e[0].workflow, 1);
    /* And of so many submissions, of all. */
    before = last(b);
    rows_begin(b);
    for (int i = 1; i <= 600; i++) {
        struct pingo_event event = moved(i, 1);
        well(pingo__store_db_note(&b->store->db, &event, &err), &err);
    }
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    e = read_row(b, before, &arena, &n);
    assert_int_equal(n, 1);
    assert_int_equal(e[0].workflow, -1);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_feed__what_is_rolled_back_is_not_told(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo_event event = moved(1, 1);
    struct pingo_error err;
    int64_t before = last(b);

    UNUSED(state);
    well(pingo__store_db_note(&b->store->db, &event, &err), &err);
    pingo__store_db_rollback(&b->store->db);
    commit(b, 1, 0);
    assert_int_equal(last(b), before);
    box_close(b);
}

static void test_feed__is_a_ring(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_feed_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    commit(b, 1, 1);
    commit(b, 1, 1);
    rows_begin(b);
    rows_run(b, "DELETE FROM feed");
    rows_run(b, "INSERT INTO feed VALUES(1, 0, x''), (204799, 0, x'')");
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    commit(b, 1, 1); /* change 204,800: those more than 200,000 before it go */
    assert_int_equal(last(b), 204800);
    well(pingo__store_feed_list(&b->store->db, 0, 9, &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.rows[0].id, 204799);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_feed__a_damaged_row_is_told(void **state)
{
    static const char bytes[] = {PINGO_EVENT_ACTION, 1, 2, 0, 0};
    const struct pingo__store_feed_row row = {.id = 1, .events = bytes, .size = sizeof bytes},
                                       empty = {.id = 1};
    struct pingo__arena arena = {0};
    struct pingo_event *events = NULL;
    struct pingo_error err;
    size_t n = 7;

    UNUSED(state);
    assert_int_equal(pingo__store_feed_read(&row, &arena, &events, &n, &err), PINGO_ECORRUPT);
    well(pingo__store_feed_read(&empty, &arena, &events, &n, &err), &err);
    assert_int_equal(n, 0);
    pingo__arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feed__a_change_is_read_as_it_was_noted),
        cmocka_unit_test(test_feed__many_are_told_of_submissions),
        cmocka_unit_test(test_feed__what_is_rolled_back_is_not_told),
        cmocka_unit_test(test_feed__is_a_ring),
        cmocka_unit_test(test_feed__a_damaged_row_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
