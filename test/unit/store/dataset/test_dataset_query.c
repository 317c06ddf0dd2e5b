/* test_dataset_query.c - which datasets, in which order, and what else there is to tell of one. */
#include "unit/engine/box.h"

#include "store/dataset/dataset_query.h"

static int count(void *context, const void *row, struct pingo_error *err)
{
    int64_t *sum = context;

    UNUSED(err);
    *sum = *sum * 10 + ((const struct pingo__store_dataset_found *)row)->id;
    return 0;
}

/* The datasets, one digit each, in the query's order, from one on. */
static int64_t found_from(struct box *b, const struct pingo_dataset_query *q, const int64_t *from)
{
    struct pingo_error err;
    int64_t sum = 0;

    well(pingo__store_dataset_each_found(&b->store->db, q, from,
                                         &(struct pingo__store_each){.fn = count, .context = &sum},
                                         &err),
         &err);
    return sum;
}

static int64_t found(struct box *b, const struct pingo_dataset_query *q)
{
    return found_from(b, q, NULL);
}

static struct box *three(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)) ",'labels':{'k':'v'}")));
    box_finish_all(b);
    box_int(b, "UPDATE dataset SET last_used_ms = 100 * id RETURNING 1");
    box_int(b, "UPDATE object SET size_bytes = 1000 - 100 * id RETURNING 1");
    return b;
}

/* That were used a while ago, of which no action is known. */
static void add_a_thousand(struct box *b)
{
    box_run(b,
            "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 1000)"
            " INSERT INTO definition(hash, description) SELECT randomblob(32), x'' FROM i;"
            "INSERT INTO dataset(hash, generation, state, current, managed, pinned, last_used_ms)"
            " SELECT hash, 1, 1, 1, 1, 0, 300 FROM definition WHERE description = x''");
}

static void test_dataset_query__orders_and_limits(void **state)
{
    struct box *b = three();

    UNUSED(state);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.order = PINGO_DATASETS_BY_AGE}), 321);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.order = PINGO_DATASETS_BY_SIZE}), 123);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.order = PINGO_DATASETS_BY_NAME}), 123);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.order = PINGO_DATASETS_BY_STATE}), 213);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.states = 1u << PINGO_DATASET_LEAF}), 3);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.min_bytes = 800}), 21);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.below_bytes = 800}), 3);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.since_ms = 200, .until_ms = 300}), 2);
    box_int(b, "UPDATE dataset SET state = 9 WHERE id = 2 RETURNING 1");
    assert_int_equal(found(b, &(struct pingo_dataset_query){.order = PINGO_DATASETS_BY_AGE}), 31);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.all = true}), 321);
    box_close(b);
}

static void test_dataset_query__tells_who_made_it(void **state)
{
    struct box *b = three();
    struct pingo__arena arena = {0};
    struct pingo_dataset_status more;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_dataset_status(&b->store->db, 3, &arena, &more, &err), &err);
    assert_string_equal(more.name, "a3");
    assert_string_equal(more.user, "tester");
    assert_int_equal(more.workflow, 1);
    assert_int_equal(more.nlabels, 2);
    assert_string_equal(more.labels[0], "k");
    assert_int_equal(more.claims, 0);
    well(pingo__store_dataset_status(&b->store->db, 99, &arena, &more, &err), &err);
    assert_int_equal(more.generation, 0);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_dataset_query__tells_of_all_generations(void **state)
{
    struct box *b = three();
    struct pingo__arena arena = {0};
    struct pingo_dataset_status more;
    struct pingo_error err;

    UNUSED(state);
    box_int(b, "UPDATE dataset SET compute_ms = 10 * id RETURNING 1");
    box_int(b, "UPDATE object SET content = zeroblob(32) RETURNING 1");
    box_int(b, "UPDATE dataset SET generation = 2 WHERE id = 3 RETURNING 1");
    box_int(b, "UPDATE dataset SET hash = (SELECT hash FROM dataset WHERE id = 3), generation = 1,"
               " current = 0 WHERE id = 2 RETURNING 1");
    well(pingo__store_dataset_status(&b->store->db, 3, &arena, &more, &err), &err);
    assert_int_equal(more.compute_ms, 25);
    assert_false(more.was_different);
    assert_string_equal(more.name, "a3");
    box_int(b, "UPDATE object SET content = randomblob(32) WHERE id ="
               " (SELECT object FROM dataset WHERE id = 2) RETURNING 1");
    well(pingo__store_dataset_status(&b->store->db, 3, &arena, &more, &err), &err);
    assert_true(more.was_different);
    assert_string_equal(more.name, "a3");
    well(pingo__store_dataset_status(&b->store->db, 2, &arena, &more, &err), &err);
    assert_false(more.was_different); /* it was the first */
    assert_string_equal(more.name, "a2");
    assert_int_equal(more.nlabels, 0);
    box_int(b, "UPDATE dataset SET made_ms = NULL WHERE id = 2 RETURNING 1");
    well(pingo__store_dataset_status(&b->store->db, 3, &arena, &more, &err), &err);
    assert_false(more.was_different);
    pingo__arena_clear(&arena);
    box_close(b);
}

static bool is_any(struct box *b, const struct pingo_dataset_query *q)
{
    struct pingo_error err;
    bool is;

    well(pingo__store_workflow_is_any(&b->store->db, q, &is, &err), &err);
    return is;
}

static void test_dataset_query__of_submissions(void **state)
{
    static const struct {
        struct pingo_dataset_query query;
        int64_t found;
        bool is_any;
    } rows[] = {
        {{.workflow = 1}, 321, true},
        {{.workflow = 2}, 1, true},
        {{.workflow_name = "w"}, 321, true},
        {{.workflow_name = "w", .workflow = 2}, 1, true},
        {{.user = "tester"}, 321, true},
        {{.user = "nobody"}, 0, false},
        {{.user = "tester", .workflow_name = "v"}, 0, false},
        {{.workflow = 3}, 0, false},
    };
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    box_finish_all(b);
    box_submit(b, W(A(1, "")));
    box_int(b, "UPDATE dataset SET last_used_ms = 100 * id RETURNING 1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(found(b, &rows[i].query), rows[i].found);
        assert_int_equal(is_any(b, &rows[i].query), rows[i].is_any);
    }
    box_close(b);
}

static int add_one(void *context, const void *row, struct pingo_error *err)
{
    UNUSED(row);
    UNUSED(err);
    ++*(int *)context;
    return 0;
}

static bool is_of_many(struct box *b, const struct pingo_dataset_query *q, int nhashes)
{
    struct pingo_error err;
    bool is;
    int n = 0;

    well(pingo__store_dataset_of_many(&b->store->db, q, &is, &err), &err);
    well(pingo__store_dataset_each_hash(
             &b->store->db, q, &(struct pingo__store_each){.fn = add_one, .context = &n}, &err),
         &err);
    assert_int_equal(n, nhashes);
    return is;
}

static void test_dataset_query__of_many(void **state)
{
    static const struct pingo_dataset_query of_one = {.workflow = 1}, of_any = {.user = "tester"},
                                            of_none = {.user = "nobody"};
    struct box *b = three();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    assert_true(is_of_many(b, &of_one, 3));
    assert_true(is_of_many(b, &of_any, 4));
    assert_false(is_of_many(b, &of_none, 0));
    add_a_thousand(b);
    assert_false(is_of_many(b, &of_one, 3));
    assert_false(is_of_many(b, &of_any, 4));
    box_close(b);
}

static int64_t steps_to_find(struct box *b, const struct pingo_dataset_query *q)
{
    int64_t before = box_steps(b);

    assert_int_equal(found(b, q), 321);
    assert_true(is_any(b, q));
    return box_steps(b) - before;
}

/* Datasets that are gone and submissions of others are not looked at. */
static void test_dataset_query__costs_the_same_among_many(void **state)
{
    static const struct pingo_dataset_query queries[] = {
        {.workflow = 1}, {.order = PINGO_DATASETS_BY_AGE}, {.order = PINGO_DATASETS_BY_WORKFLOW}};
    int64_t few[sizeof queries / sizeof *queries];
    struct box *b = three();

    UNUSED(state);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        few[i] = steps_to_find(b, &queries[i]);
    box_run(b, "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 1000)"
               " INSERT INTO definition(hash, description) SELECT randomblob(32), x'' FROM i;"
               "INSERT INTO dataset(hash, generation, state, current, managed, pinned)"
               " SELECT hash, 1, 9, 1, 1, 0 FROM definition WHERE description = x'';"
               "INSERT INTO workflow(graph, state, user, priority, submitted_ms, unfinished,"
               " ncompute, nreuse, njoin, nskip) SELECT 1, 2, '', 0, 0, 0, 0, 0, 0, 0"
               " FROM definition");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_true(steps_to_find(b, &queries[i]) <= few[i] + 10);
    box_close(b);
}

static int take_five(void *context, const void *row, struct pingo_error *err)
{
    int64_t *last = context;
    int64_t id = ((const struct pingo__store_dataset_found *)row)->id;

    UNUSED(err);
    assert_true(!last[0] || id == last[1] - 1);
    last[1] = id;
    return ++last[0] == 5;
}

/* The newest come first, and the rest is not looked at. */
static void test_dataset_query__of_one_age(void **state)
{
    const struct pingo_dataset_query q = {.order = PINGO_DATASETS_BY_AGE};
    struct box *b = three();
    struct pingo_error err;
    int64_t taken[2] = {0, 0}, before;

    UNUSED(state);
    add_a_thousand(b);
    before = box_steps(b);
    assert_int_equal(pingo__store_dataset_each_found(
                         &b->store->db, &q, NULL,
                         &(struct pingo__store_each){.fn = take_five, .context = taken}, &err),
                     1);
    assert_true(box_steps(b) - before < 500);
    box_close(b);
}

/* In the order of age, a page costs the same however many come before it. */
static void test_dataset_query__begins_where_a_page_does(void **state)
{
    const struct pingo_dataset_query q = {.order = PINGO_DATASETS_BY_AGE}, all = {.all = true};
    struct box *b = three();
    int64_t before, few;

    UNUSED(state);
    assert_int_equal(found_from(b, &q, &(int64_t){300}), 321);
    assert_int_equal(found_from(b, &q, &(int64_t){299}), 21);
    assert_int_equal(found_from(b, &q, &(int64_t){-1}), 0);
    box_int(b, "UPDATE dataset SET last_used_ms = NULL WHERE id = 3 RETURNING 1");
    assert_int_equal(found_from(b, &q, &(int64_t){299}), 213);
    assert_int_equal(found_from(b, &q, &(int64_t){-1}), 3);
    box_int(b, "UPDATE dataset SET state = 9 WHERE id = 2 RETURNING 1");
    assert_int_equal(found_from(b, &q, &(int64_t){299}), 13);
    assert_int_equal(found_from(b, &all, &(int64_t){299}), 213);
    before = box_steps(b);
    assert_int_equal(found_from(b, &q, &(int64_t){299}), 13);
    few = box_steps(b) - before;
    add_a_thousand(b);
    before = box_steps(b);
    assert_int_equal(found_from(b, &q, &(int64_t){299}), 13);
    assert_true(box_steps(b) - before <= few + 10);
    box_close(b);
}

/* What many have is found among all, and who asks looks at names. */
static void test_dataset_query__a_rare_name_is_found_among_many(void **state)
{
    const char *const a2 = "a2", *const nobody = "a", *const glob = "a*";
    const struct pingo_dataset_query q = {.names = &a2, .nnames = 1},
                                     all = {.names = &a2, .nnames = 1, .all = true};
    struct box *b = three();
    int64_t before = box_steps(b), few;

    UNUSED(state);
    assert_int_equal(found(b, &q), 2);
    few = box_steps(b) - before;
    assert_int_equal(found(b, &(struct pingo_dataset_query){.names = &nobody, .nnames = 1}), 0);
    assert_int_equal(found(b, &(struct pingo_dataset_query){.names = &glob, .nnames = 1}), 321);
    assert_int_equal(found_from(b, &q, &(int64_t){100}), 2); /* who asks knows what is told */
    add_a_thousand(b);
    before = box_steps(b);
    assert_int_equal(found(b, &q), 2);
    assert_true(box_steps(b) - before <= few + 10);
    for (int order = 0; order <= PINGO_DATASETS_BY_NAME; order++)
        assert_int_equal(found(b, &(struct pingo_dataset_query){.names = &a2,
                                                                .nnames = 1,
                                                                .order = (unsigned)order}),
                         2);
    box_int(b, "UPDATE dataset SET state = 9 WHERE id = 2 RETURNING 1");
    assert_int_equal(found(b, &q), 0);
    assert_int_equal(found(b, &all), 2);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataset_query__orders_and_limits),
        cmocka_unit_test(test_dataset_query__tells_who_made_it),
        cmocka_unit_test(test_dataset_query__tells_of_all_generations),
        cmocka_unit_test(test_dataset_query__of_submissions),
        cmocka_unit_test(test_dataset_query__of_many),
        cmocka_unit_test(test_dataset_query__costs_the_same_among_many),
        cmocka_unit_test(test_dataset_query__of_one_age),
        cmocka_unit_test(test_dataset_query__begins_where_a_page_does),
        cmocka_unit_test(test_dataset_query__a_rare_name_is_found_among_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
