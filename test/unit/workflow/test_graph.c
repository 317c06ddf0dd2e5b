/* test_graph.c - children, order; shapes that are very long, wide or deep.
 * Nothing recurses by depth and nothing is quadratic: otherwise
 * these tests would overflow the stack or never end. */
#include "unit/workflow/many.h"

static void check_order(const struct pingo_workflow *w)
{
    size_t n = pingo_workflow_count(w);
    const uint32_t *order = pingo_workflow_order(w);
    uint32_t *place = malloc(n * sizeof *place);

    assert_non_null(place);
    memset(place, 0xff, n * sizeof *place);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(order[i] < n);
        assert_true(place[order[i]] == UINT32_MAX);
        place[order[i]] = i;
    }
    for (size_t i = 0; i < n; i++) {
        const struct pingo_action *a = pingo_workflow_action(w, i);
        size_t nchildren;
        const uint32_t *children = pingo_workflow_children(w, i, &nchildren);

        for (size_t k = 0; k < a->nparents; k++)
            assert_true(place[a->parents[k].index] < place[i]);
        for (size_t k = 0; k < nchildren; k++) {
            assert_true(place[i] < place[children[k]]);
            assert_true(k == 0 || children[k - 1] < children[k]);
        }
        assert_int_equal(a->is_leaf, nchildren == 0);
    }
    free(place);
}

static void test_graph__finds_children_and_order(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    const uint32_t *children;
    size_t n;

    (void)state;
    begin(&t);
    add(&t, 50, ",\"parentActions\":[{\"id\":7},{\"id\":9,\"as\":\"x\"},{\"id\":9}]}");
    add(&t, 7, ",\"parentActions\":[{\"id\":9}]}");
    add(&t, 9, "}");
    add(&t, 8, "}");
    assert_int_equal(parse(&t, &w, NULL), 0);
    check_order(w);
    children = pingo_workflow_children(w, 2, &n);
    assert_int_equal(n, 2);
    assert_int_equal(children[0], 0);
    assert_int_equal(children[1], 1);
    pingo_workflow_children(w, 3, &n);
    assert_int_equal(n, 0);
    assert_null(pingo_workflow_children(w, 4, &n));
    assert_int_equal(pingo_workflow_find(w, 50), 0);
    assert_int_equal(pingo_workflow_find(w, 8), 3);
    assert_true(pingo_workflow_find(w, 51) == SIZE_MAX);
    assert_true(pingo_workflow_find(w, -1) == SIZE_MAX);
    pingo_workflow_free(w);
}

enum { MANY = SHARE(100000, 20000) };

static void test_graph__a_long_chain(void **state)
{
    struct text t;
    struct pingo_workflow *w;

    (void)state;
    begin(&t);
    for (int i = 0; i < MANY; i++) {
        char more[64] = "}";

        /* Backwards, so that the last action of the text is the first of the chain. */
        if (i < MANY - 1)
            snprintf(more, sizeof more, ",\"parentActions\":[{\"id\":%d}]}", i + 1);
        add(&t, i, more);
    }
    assert_int_equal(parse(&t, &w, NULL), 0);
    assert_int_equal(pingo_workflow_order(w)[0], MANY - 1);
    assert_int_equal(pingo_workflow_order(w)[MANY - 1], 0);
    check_order(w);
    pingo_workflow_free(w);
}

static void test_graph__a_long_cycle(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    struct pingo_problems *problems;
    char expected[32];

    (void)state;
    begin(&t);
    for (int i = 0; i < MANY; i++) {
        char more[64];

        snprintf(more, sizeof more, ",\"parentActions\":[{\"id\":%d}]}", (i + 1) % MANY);
        add(&t, i, more);
    }
    assert_int_equal(parse(&t, &w, &problems), PINGO_EWORKFLOW);
    assert_int_equal(pingo_problems_count(problems), 1);
    snprintf(expected, sizeof expected, "(%d actions)", MANY);
    assert_non_null(strstr(pingo_problems_at(problems, 0)->message, expected));
    pingo_problems_free(problems);
}

static void test_graph__many_parents(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    const struct pingo_action *last;
    char role[16];

    (void)state;
    begin(&t);
    for (int i = 0; i < MANY; i++)
        add(&t, i, "}");
    add(&t, MANY, ",\"parentActions\":[");
    for (int i = 0; i < MANY; i++)
        fprintf(t.out, "%s{\"id\":%d}", i == 0 ? "" : ",", i);
    fputs("]}", t.out);
    assert_int_equal(parse(&t, &w, NULL), 0);
    last = pingo_workflow_action(w, MANY);
    assert_int_equal(last->nparents, MANY);
    snprintf(role, sizeof role, "%d", MANY);
    assert_string_equal(last->parents[MANY - 1].role, role);
    memset(role, '0', strlen(role) - 1);
    role[strlen(role) - 1] = '1';
    assert_string_equal(last->parents[0].role, role);
    assert_int_equal(pingo_workflow_order(w)[MANY], MANY);
    check_order(w);
    pingo_workflow_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph__finds_children_and_order),
        cmocka_unit_test(test_graph__a_long_chain),
        cmocka_unit_test(test_graph__a_long_cycle),
        cmocka_unit_test(test_graph__many_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
