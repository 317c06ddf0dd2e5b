/* test_datasets.c - lists of datasets: in any order, of what is asked for, in pages; one is looked at and checked. */
#include "unit/engine/look/pool.h"

static void expect_datasets(struct box *b, struct pingo_dataset_query query, const char *text)
{
    struct names names = {.n = 0};
    struct pingo_error err;

    char cursor[PINGO_CURSOR_SIZE] = "";

    query.version = 2;
    well(pingo_store_datasets(b->store, &query, add_name, &names, &err), &err);
    assert_string_equal(names.text, text);
    if (query.limit)
        return;
    /* The same in pages of one and of two. */
    query.after = query.next = cursor;
    for (query.limit = 1; query.limit < 3; query.limit++) {
        names = (struct names){.n = 0};
        do {
            size_t before = names.n;

            well(pingo_store_datasets(b->store, &query, add_name, &names, &err), &err);
            assert_true(names.n - before <= query.limit && names.n < 100);
        } while (*cursor);
        assert_string_equal(names.text, text);
    }
}

static void expect_none(struct box *b, struct pingo_dataset_query query, const char *message)
{
    struct names names = {.n = 0};
    struct pingo_error err;

    query.version = 1;
    assert_int_equal(pingo_store_datasets(b->store, &query, add_name, &names, &err),
                     PINGO_ENOTFOUND);
    assert_non_null(strstr(err.message, message));
    assert_int_equal(names.n, 0);
}

/* Four datasets of two workflows of two users. */
static struct box *four(void)
{
    struct box *b = box_new();

    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, "{'name':'other','actions':[" A(1, ) "," A(9, P(FROM(1))) "]}");
    box_finish_all(b);
    box_run(b, "UPDATE workflow SET user = iif(id = 1, 'zoe', 'ann')");
    box_run(b, "UPDATE dataset SET last_used_ms = 1000 * id");
    box_run(b, "UPDATE object SET size_bytes = 100 - 10 * id");
    return b;
}

static void test_datasets__in_any_order(void **state)
{
    struct box *b = four();
    struct pingo_dataset_query q = {.version = 1};
    struct pingo_error err;

    UNUSED(state);
    expect_datasets(b, q, "a9 a3 a2 a1");
    q.reverse = true;
    expect_datasets(b, q, "a1 a2 a3 a9");
    q.limit = 2;
    expect_datasets(b, q, "a1 a2");
    q = (struct pingo_dataset_query){.order = PINGO_DATASETS_BY_SIZE};
    expect_datasets(b, q, "a1 a2 a3 a9");
    q.order = PINGO_DATASETS_BY_STATE;
    expect_datasets(b, q, "a2 a1 a9 a3");
    q.order = PINGO_DATASETS_BY_USER;
    expect_datasets(b, q, "a9 a3 a2 a1");
    q.order = PINGO_DATASETS_BY_WORKFLOW;
    expect_datasets(b, q, "a9 a3 a2 a1");
    q.order = PINGO_DATASETS_BY_NAME;
    expect_datasets(b, q, "a1 a2 a3 a9");
    q.order = PINGO_DATASETS_BY_VALUE; /* a1 was reused */
    expect_datasets(b, q, "a1 a9 a3 a2");
    q.reverse = true;
    expect_datasets(b, q, "a2 a3 a9 a1");
    q.version = 1;
    q.order = (enum pingo_dataset_order)7;
    assert_int_equal(pingo_store_datasets(b->store, &q, add_name, NULL, &err), PINGO_EINVAL);
    q = (struct pingo_dataset_query){.version = 3};
    assert_int_equal(pingo_store_datasets(b->store, &q, add_name, NULL, &err), PINGO_EINVAL);
    box_close(b);
}

static void test_datasets__of_a_maker(void **state)
{
    struct box *b = four();
    char next[PINGO_CURSOR_SIZE];
    struct names names = {.n = 0};
    struct pingo_dataset_query q = {
        .version = 2, .limit = 1, .order = PINGO_DATASETS_BY_NAME, .next = next};
    struct pingo_error err;

    UNUSED(state);
    expect_datasets(b, (struct pingo_dataset_query){.maker = "zoe"}, "a3 a2 a1");
    expect_datasets(b, (struct pingo_dataset_query){.maker = "zoe", .order = q.order}, "a1 a2 a3");
    expect_datasets(b, (struct pingo_dataset_query){.maker = "ann"}, "a9");
    expect_datasets(b, (struct pingo_dataset_query){.user = "ann", .maker = "zoe"}, "a1");
    expect_datasets(b, (struct pingo_dataset_query){.maker = "eve"}, "");
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    q.after = next; /* zoe's: by it nobody finds how what others made is called */
    q.maker = "ann";
    assert_int_equal(pingo_store_datasets(b->store, &q, add_name, &names, &err), PINGO_EINVAL);
    box_close(b);
}

static void test_datasets__of_what_is_asked_for(void **state)
{
    static const char *const names_of[] = {"a[2-2]", "?9"};
    struct box *b = four();
    struct names names = {.n = 0};
    struct pingo_dataset_query q = {.version = 1, .limit = 1, .values = true, .reverse = true};
    struct pingo_error err;

    UNUSED(state);
    expect_datasets(b, (struct pingo_dataset_query){.states = 1u << PINGO_DATASET_LEAF}, "a9 a3");
    expect_datasets(b,
                    (struct pingo_dataset_query){.states = 1u << PINGO_DATASET_LEAF |
                                                           1u << PINGO_DATASET_STORED},
                    "a9 a3 a2 a1");
    expect_datasets(b, (struct pingo_dataset_query){.min_bytes = 80}, "a2 a1");
    expect_datasets(b, (struct pingo_dataset_query){.min_bytes = 70, .below_bytes = 80}, "a3");
    expect_datasets(b, (struct pingo_dataset_query){.since_ms = 2000, .until_ms = 4000}, "a3 a2");
    expect_datasets(b, (struct pingo_dataset_query){.min_value_ms = 10}, "a1");
    expect_datasets(b, (struct pingo_dataset_query){.min_value_ms = 11}, "");
    expect_datasets(b, (struct pingo_dataset_query){.user = "ann"}, "a9 a1");
    expect_none(b, (struct pingo_dataset_query){.user = "nobody"}, "user nobody");
    expect_datasets(b, (struct pingo_dataset_query){.names = names_of, .nnames = 2}, "a9 a2");
    expect_datasets(b, (struct pingo_dataset_query){.workflow = 1}, "a3 a2 a1");
    expect_none(b, (struct pingo_dataset_query){.workflow = 9}, "no workflow 9");
    expect_datasets(b, (struct pingo_dataset_query){.workflow_name = "other"}, "a9 a1");
    expect_none(b, (struct pingo_dataset_query){.workflow_name = "other", .user = "zoe"}, "by zoe");
    expect_none(b, (struct pingo_dataset_query){.workflow_name = "othre"}, "\"other\"?");
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.last.value_ms, 10);
    assert_int_equal(names.last.workflow, 1);
    assert_int_equal(names.last.compute_ms, 10);
    q.values = false;
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.last.value_ms, -1);
    well(pingo_store_datasets(b->store, NULL, add_name, &names, &err), &err);
    assert_int_equal(names.n, 6);
    box_close(b);
}

static void test_datasets__over_many_pages(void **state)
{
    struct box *b = box_new();
    struct names names = {.n = 0};
    struct pingo_dataset_query q = {.version = 1, .all = true};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, )));
    box_finish_all(b);
    box_run(b, "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 600)"
               " INSERT INTO dataset(hash, generation, state, current, managed, pinned, action)"
               " SELECT (SELECT hash FROM definition), i, 9, 0, 1, 0, 1 FROM n");
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.n, 600);
    q.all = false;
    names.n = 0;
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.n, 1); /* the others are DELETED */
    box_close(b);
}

/* Where a submission has most of what there is, no more of its datasets are looked at than are told; the same are told
 * where others have more. */
static void test_datasets__of_a_large_submission(void **state)
{
    enum { MANY = 2000 };
    const char *const name = "a7";
    struct pingo_dataset_query q = {.version = 1, .workflow = 1, .limit = 3},
                               named = {.version = 1, .workflow = 1, .names = &name, .nnames = 1};
    struct pingo__buffer text = {0};
    struct box *b = box_new();

    UNUSED(state);
    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 1; i <= MANY; i++)
        pingo__buffer_format(&text, "%s{'id':%d,'name':'a%d','type':'command-line','command':'%d'}",
                             i > 1 ? "," : "", i, i, i);
    pingo__buffer_text(&text, "]}");
    b->store->db.on_event = NULL; /* they are more than the box counts */
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    for (int round = 0; round < 2; round++) {
        int64_t before = box_steps(b);

        expect_datasets(b, q, "a2000 a1999 a1998");
        if (round == 0)
            assert_true(box_steps(b) - before < (int64_t)8 * MANY);
        expect_datasets(b, named, "a7");
        box_run(b, "INSERT INTO dataset(id, hash, generation, state, current, managed, pinned)"
                   " SELECT 1000000 + count(*), max(hash), count(*), 9, 0, 1, 0 FROM dataset");
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_datasets__in_any_order),
        cmocka_unit_test(test_datasets__of_a_maker),
        cmocka_unit_test(test_datasets__of_what_is_asked_for),
        cmocka_unit_test(test_datasets__over_many_pages),
        cmocka_unit_test(test_datasets__of_a_large_submission),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
