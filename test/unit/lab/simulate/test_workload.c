/* test_workload.c - what is known of a history before it is run, and which submissions share what. */
#include "unit/lab/story.h"

#include "lab/simulate/workload.h"

static struct pingo_history *history_of(const char *const *lines)
{
    struct pingo_history *h = NULL;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    for (; *lines; lines++)
        story_submit(h, *lines);
    return h;
}

static void test_workload__knows_the_facts(void **state)
{
    static const char *const nothing[] = {NULL};
    static const char *const lines[] = {
        "a/10/100 b/20/50<a c/30/10*<b", /* c is asked for */
        "a b d/-1/5<b e/7/-1<b",         /* nothing: then what has no child here */
        "a b",
        "a b d",
        "a* b c",
        NULL, /* b, d, a */
    };
    struct pingo_history *h = history_of(lines);
    struct pingo_workload *w = NULL;
    struct pingo_workload_facts facts = {.size = sizeof facts};
    (void)state;
    assert_int_equal(pingo_workload_new(h, &w, NULL), 0);
    pingo_workload_look(w, &facts);
    assert_int_equal(facts.nsubmissions, 5);
    assert_int_equal(facts.nactions, 5);
    assert_int_equal(facts.nunknown_sizes, 1);
    assert_int_equal(facts.nunknown_times, 1);
    assert_int_equal(facts.bytes, 165);
    assert_int_equal(facts.leaf_bytes, 165);
    assert_int_equal(facts.compute_ms, 67);
    pingo_workload_free(w);
    pingo_history_free(h);

    h = history_of((const char *const[]){lines[0], lines[1], NULL});
    assert_int_equal(pingo_workload_new(h, &w, NULL), 0);
    pingo_workload_look(w, &facts);
    assert_int_equal(facts.leaf_bytes, 15);
    pingo_workload_free(w);
    pingo_history_free(h);

    h = history_of((const char *const[]){"a/1/7 b/1/1<a a", NULL}); /* nobody reads the second a */
    assert_int_equal(pingo_workload_new(h, &w, NULL), 0);
    pingo_workload_look(w, &facts);
    assert_int_equal(facts.leaf_bytes, 8);
    pingo_workload_free(w);
    pingo_history_free(h);

    h = history_of(nothing);
    assert_int_equal(pingo_workload_new(h, &w, NULL), 0);
    pingo_workload_look(w, &facts);
    assert_int_equal(facts.nsubmissions + facts.nactions, 0);
    pingo_workload_free(w);
    pingo_workload_free(NULL);
    pingo_history_free(h);
}

/* Submissions that were submitted again share a shape, whoever asked; another flag makes another one. */
static void test_workload__shares_shapes_while_they_are_small(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50*<a", "a c/1/1*<a", "a b!*<a", NULL};
    struct pingo_history *h = history_of(lines);
    static const uint8_t flags[] = {0, PINGO_HISTORY_LEAF}, others[] = {PINGO_HISTORY_LEAF, 0};
    struct pingo_history_again again = {.earlier = 0, .at_ms = 9, .user = "v", .flags = flags};
    struct pingo_workload *w = NULL;
    /* Two mentions in each of the four. */
    size_t just = 8 * PINGO__SHAPE_ACTION_BYTES;
    (void)state;
    assert_int_equal(pingo_history_append_again(h, &again, NULL), 0);
    again.flags = others;
    assert_int_equal(pingo_history_append_again(h, &again, NULL), 0);
    assert_int_equal(pingo__lab_workload_new(h, just, &w, NULL), 0);
    assert_non_null(w->shapes);
    assert_int_equal(w->nshapes, 4);
    assert_int_equal(w->shape_of[0], 0);
    assert_int_equal(w->shape_of[1], 1);
    assert_int_equal(w->shape_of[2], 2);
    assert_int_equal(w->shape_of[3], 0);
    assert_int_equal(w->shape_of[4], 3);
    assert_int_equal(w->shapes[2].nforced, 1);
    assert_int_equal(w->shapes[3].targets[0], 0);
    assert_int_equal(w->shapes[1].datasets[1], 2);
    pingo_workload_free(w);
    assert_int_equal(pingo__lab_workload_new(h, just - 1, &w, NULL), 0);
    assert_null(w->shapes);
    pingo_workload_free(w);
    pingo_history_free(h);
}

/* Whether shapes are shared or made as they come makes no difference to a run. */
static void test_workload__runs_alike_with_and_without_shapes(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50*<a", "a c/1/1*<a b", "a b!*<a a c*", NULL};
    struct pingo_history *h = history_of(lines);
    struct pingo_simulation_result results[2] = {{.size = sizeof *results},
                                                 {.size = sizeof *results}};
    struct pingo_simulation_options o = {
        .version = 1, .algorithm = pingo_decision_find("lru"), .budget_bytes = 60, .slots = 2};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pingo_workload *w = NULL;
        assert_int_equal(pingo__lab_workload_new(h, i ? SIZE_MAX : 0, &w, NULL), 0);
        assert_int_equal(w->shapes != NULL, i);
        assert_int_equal(pingo_workload_simulate(w, &o, &results[i], NULL), 0);
        pingo_workload_free(w);
    }
    assert_memory_equal(&results[0], &results[1], sizeof results[0]);
    assert_true(results[0].nevictions > 0);
    pingo_history_free(h);
}

static void test_workload__refuses_more_than_a_number_holds(void **state)
{
    static const char *const bytes[] = {"a/1/9223372036854775807*", "b/1/1*", NULL};
    static const char *const times[] = {"a/9223372036854775807/1*", "b/1/1*", NULL};
    const char *const *rows[] = {bytes, times};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pingo_history *h = history_of(rows[i]);
        struct pingo_workload *w = (struct pingo_workload *)h;
        struct pingo_error err = {0};
        assert_int_equal(pingo_workload_new(h, &w, &err), PINGO_ELIMIT);
        assert_string_equal(err.message, "its sizes or times together are more than 2^63");
        assert_null(w);
        pingo_history_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workload__knows_the_facts),
        cmocka_unit_test(test_workload__shares_shapes_while_they_are_small),
        cmocka_unit_test(test_workload__runs_alike_with_and_without_shapes),
        cmocka_unit_test(test_workload__refuses_more_than_a_number_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
