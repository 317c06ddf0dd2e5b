/* test_shape.c - a submission of a history as the planner wants it: a graph, hashes, what is asked for and what is forced. */
#include "unit/lab/story.h"

#include <pingo/workflow.h>

#include "digest/digests.h"
#include "lab/simulate/workload.h"

/* "NAME[*][!][<POSITION,POSITION] ..." of all positions. */
static void tell(const struct pingo_history *h, const struct pingo__lab_shape *shape, char *text)
{
    size_t t = 0, f = 0;
    *text = '\0';
    assert_int_equal(pingo_workflow_count(shape->workflow), shape->n);
    for (size_t i = 0; i < shape->n; i++) {
        const struct pingo_action *a = pingo_workflow_action(shape->workflow, i);
        const struct pingo_hash *hash = pingo_history_hash(h, shape->datasets[i]);
        assert_memory_equal(pingo_digests_hash(shape->digests, i), hash, sizeof *hash);
        assert_int_equal(a->id, i);
        text += sprintf(text, "%s%s", i ? " " : "", (const char *)hash->bytes);
        if (t < shape->ntargets && shape->targets[t] == i) {
            text += sprintf(text, "*");
            t++;
        }
        if (f < shape->nforced && shape->forced[f] == i) {
            text += sprintf(text, "!");
            f++;
        }
        for (size_t k = 0; k < a->nparents; k++)
            text += sprintf(text, "%c%u", k ? ',' : '<', (unsigned)a->parents[k].index);
    }
    assert_true(t == shape->ntargets && f == shape->nforced);
}

/* One room for all of them, as a run has; and once more, for what is left of the others must not matter. */
static void test_shape__is_the_submission(void **state)
{
    static const struct {
        const char *line, *expected;
    } rows[] = {
        {"a/1/1 b/1/1<a c/1/1*<a,b", "a b<0 c*<0,1"},
        /* The parents that it always had, though nothing is said of them. */
        {"c! b a*", "c!<2,1 b<2 a*"},
        /* (2) What stands twice has its parents the first time, and is a parent where it stands first. */
        {"a b a! c b* d/1/1*<b,a", "a b<0 a! c<0,1 b* d*<0,1"},
        {"x/1/1", "x"},
        {"b a", "b<1 a"},
    };
    struct pingo_history *h;
    struct pingo__lab_shaper shaper;
    (void)state;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        story_submit(h, rows[i].line);
    assert_int_equal(pingo__lab_shaper_init(&shaper, h, NULL), 0);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct pingo__lab_shape shape;
            char text[128];
            assert_int_equal(pingo__lab_shape_make(&shaper, i, &shape, NULL), 0);
            tell(h, &shape, text);
            assert_string_equal(text, rows[i].expected);
            assert_int_equal(pingo__digest_digests_are_distinct(shape.digests), i != 2);
            pingo__lab_shape_clear(&shape);
            assert_null(shape.workflow);
        }
    pingo__lab_shaper_clear(&shaper);
    pingo_history_free(h);
}

static void test_shape__of_no_submission_is_refused(void **state)
{
    struct pingo_history *h;
    struct pingo__lab_shaper shaper;
    struct pingo__lab_shape shape = {.n = 7};
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    story_submit(h, "a/1/1");
    assert_int_equal(pingo__lab_shaper_init(&shaper, h, NULL), 0);
    assert_int_equal(pingo__lab_shape_make(&shaper, 1, &shape, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "the history has no submission 1");
    assert_int_equal(shape.n, 0);
    pingo__lab_shape_clear(&shape);
    pingo__lab_shaper_clear(&shaper);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape__is_the_submission),
        cmocka_unit_test(test_shape__of_no_submission_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
