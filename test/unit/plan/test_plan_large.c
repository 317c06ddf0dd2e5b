/* Shapes that a recursive or quadratic planner does not survive. */
#include "graph.h"
#include "unit/share.h"

enum { MANY = SHARE(100000, 20000) };

static void make_chain(struct graph *g, int64_t n)
{
    graph_init(g);
    for (int64_t i = 0; i < n; i++) {
        int64_t parent = i - 1;
        struct graph_node node = {.id = i, .same = i, .parents = &parent, .nparents = i > 0};
        graph_add(g, &node);
    }
    graph_finish(g);
}

static void test_plan__plans_a_long_chain(void **state)
{
    (void)state;
    struct graph g;
    make_chain(&g, MANY);
    assert_int_equal(graph_plan(&g, NULL), 0);
    assert_int_equal(g.summary.compute, MANY);
    g.known[MANY / 2] = PINGO_KNOWN_STORED;
    assert_int_equal(graph_plan(&g, NULL), 0);
    assert_int_equal(g.summary.skip, MANY / 2);
    assert_int_equal(g.summary.reuse, 1);
    assert_int_equal(g.summary.compute, MANY / 2 - 1);
    graph_clear(&g);
}

static void test_plan__forces_a_whole_chain_from_its_head(void **state)
{
    (void)state;
    struct graph g;
    make_chain(&g, MANY);
    for (size_t i = 0; i < g.count; i++)
        g.known[i] = PINGO_KNOWN_STORED;
    size_t head = 0;
    struct pingo_plan_options options = {.version = 1, .forced = &head, .nforced = 1};
    assert_int_equal(graph_plan(&g, &options), 0);
    assert_int_equal(g.summary.compute, MANY);
    assert_int_equal(g.entries[MANY - 1].reason, PINGO_REASON_DESCENDS_FORCED);
    for (size_t i = 0; i < g.count; i++)
        assert_int_equal(g.lookups[i], 0);
    graph_clear(&g);
}

static void make_fan(struct graph *g, int64_t n, bool equal)
{
    int64_t *parents = calloc((size_t)n, sizeof *parents);
    assert_non_null(parents);
    graph_init(g);
    for (int64_t i = 0; i < n; i++) {
        struct graph_node node = {.id = i, .same = equal ? 0 : i};
        parents[i] = i;
        graph_add(g, &node);
    }
    struct graph_node last = {.id = n, .same = n, .parents = parents, .nparents = (size_t)n};
    graph_add(g, &last);
    graph_finish(g);
    free(parents);
}

static void test_plan__plans_many_parents(void **state)
{
    (void)state;
    struct graph g;
    make_fan(&g, MANY, false);
    for (size_t i = 0; i < MANY; i += 2)
        g.known[i] = PINGO_KNOWN_STORED;
    assert_int_equal(graph_plan(&g, NULL), 0);
    assert_int_equal(g.summary.compute, MANY / 2 + 1);
    assert_int_equal(g.summary.reuse, MANY / 2);
    graph_clear(&g);
}

static void test_plan__joins_many_equal_parents(void **state)
{
    (void)state;
    struct graph g;
    make_fan(&g, MANY, true);
    assert_int_equal(graph_plan(&g, NULL), 0);
    assert_int_equal(g.summary.compute, 2);
    assert_int_equal(g.summary.join, MANY - 1);
    assert_int_equal(g.lookups[0], 1);
    graph_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__plans_a_long_chain),
        cmocka_unit_test(test_plan__forces_a_whole_chain_from_its_head),
        cmocka_unit_test(test_plan__plans_many_parents),
        cmocka_unit_test(test_plan__joins_many_equal_parents),
    };
    return cmocka_run_group_tests_name("plan_large", tests, NULL, NULL);
}
