/* test_source.c - where in the text a value stands, however deep. */
#include "unit/workflow/many.h"

static void test_source__deep_values_are_read(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    struct pingo_problems *problems;

    (void)state;
    for (int depth = 61; depth <= 62; depth++) {
        begin(&t);
        add(&t, 1, ",\"x-deep\":");
        for (int i = 0; i < depth; i++)
            fputc('[', t.out);
        for (int i = 0; i < depth; i++)
            fputc(']', t.out);
        fputs("}", t.out);
        /* The document, its actions and the action are three of 64. */
        assert_int_equal(parse(&t, &w, &problems), depth == 61 ? 0 : PINGO_EWORKFLOW);
        pingo_workflow_free(w);
        pingo_problems_free(problems);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source__deep_values_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
