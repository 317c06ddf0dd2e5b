/* The order in which ready actions run, and the longest remaining path behind it. */
#include "graph.h"

#include "plan/rank.h"

static void expect_ranks(const char *notation, const int64_t *expected_ms, const int64_t *ranks)
{
    struct graph g;
    int64_t got[8] = {0};
    graph_parse(&g, notation);
    assert_int_equal(graph_plan(&g, NULL), 0);
    pingo__plan_rank_paths(g.workflow, g.entries, expected_ms, got);
    for (size_t i = 0; i < g.count; i++)
        if (got[i] != ranks[i])
            fail_msg("%s: action %zu has rank %lld, not %lld", notation, i, (long long)got[i],
                     (long long)ranks[i]);
    graph_clear(&g);
}

static void test_rank__adds_up_the_longest_path_to_a_leaf(void **state)
{
    (void)state;
    expect_ranks("1 2<1 3<1 4<2,3", (const int64_t[]){1, 20, 300, 4000},
                 (const int64_t[]){4301, 4020, 4300, 4000});
    expect_ranks("4<2,3 3<1 2<1 1", (const int64_t[]){4000, 300, 20, 1},
                 (const int64_t[]){4000, 4300, 4020, 4301});
}

/* The lowest id computes: what waits for one of the others waits for it. */
static void test_rank__counts_what_reads_equal_actions(void **state)
{
    (void)state;
    expect_ranks("1 2=1 3<2", (const int64_t[]){10, 10, 100}, (const int64_t[]){110, 0, 100});
    expect_ranks("3<2 2=1 1", (const int64_t[]){100, 10, 10}, (const int64_t[]){100, 0, 110});
    expect_ranks("1 2=1 3<1 4=3<2 5<4", (const int64_t[]){1, 1, 20, 20, 300},
                 (const int64_t[]){321, 0, 320, 0, 300});
    expect_ranks("5<4 3<1 1 4=3<2 6<3 2=1", (const int64_t[]){300, 20, 1, 20, 4000, 1},
                 (const int64_t[]){300, 4020, 4021, 0, 4000, 0});
}

static void test_rank__takes_a_guess_for_what_is_unknown(void **state)
{
    (void)state;
    expect_ranks("1 2<1", (const int64_t[]){-1, 0}, (const int64_t[]){PINGO__RANK_UNKNOWN_MS, 0});
}

static void test_rank__stops_at_the_largest_number(void **state)
{
    (void)state;
    expect_ranks("1 2<1 3<2", (const int64_t[]){5, INT64_MAX, INT64_MAX - 1},
                 (const int64_t[]){INT64_MAX, INT64_MAX, INT64_MAX - 1});
}

static void test_rank__is_nothing_for_what_does_not_compute(void **state)
{
    (void)state;
    struct graph g;
    int64_t got[3];
    graph_parse(&g, "1 2<1 3<2");
    g.known[1] = PINGO_KNOWN_STORED;
    assert_int_equal(graph_plan(&g, NULL), 0);
    pingo__plan_rank_paths(g.workflow, g.entries, (const int64_t[]){7, 7, 7}, got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 0);
    assert_int_equal(got[2], 7);
    graph_clear(&g);
}

static void test_rank__orders_by_priority_workflow_path_and_hash(void **state)
{
    (void)state;
    const struct pingo_hash low = {.bytes = {1}}, high = {.bytes = {1, 0, 9}};
    /* Each runs before the next. */
    const struct pingo__plan_rank_key keys[] = {
        {.priority = 5, .workflow = 9, .rank_ms = 0, .hash = &high},
        {.priority = 0, .workflow = 1, .rank_ms = 8, .hash = &high},
        {.priority = 0, .workflow = 1, .rank_ms = 7, .hash = &low},
        {.priority = 0, .workflow = 1, .rank_ms = 7, .hash = &high},
        {.priority = 0, .workflow = 2, .rank_ms = 99, .hash = &low},
        {.priority = -1, .workflow = 0, .rank_ms = 99, .hash = &low},
    };
    size_t n = sizeof keys / sizeof *keys;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int order = pingo__plan_rank_compare(&keys[i], &keys[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank__adds_up_the_longest_path_to_a_leaf),
        cmocka_unit_test(test_rank__counts_what_reads_equal_actions),
        cmocka_unit_test(test_rank__takes_a_guess_for_what_is_unknown),
        cmocka_unit_test(test_rank__stops_at_the_largest_number),
        cmocka_unit_test(test_rank__is_nothing_for_what_does_not_compute),
        cmocka_unit_test(test_rank__orders_by_priority_workflow_path_and_hash),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
