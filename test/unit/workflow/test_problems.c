/* test_problems.c - the list of what is wrong: very many, in the order of the text, and with an end. */
#include "unit/workflow/many.h"

enum { MANY = SHARE(100000, 20000) };

static void test_problems__many_errors_in_as_many_actions(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    struct pingo_problems *problems;
    size_t line = 0;

    (void)state;
    begin(&t);
    for (int i = 0; i < MANY; i++)
        add(&t, i, ",\"keep\":false,\"retries\":1.5}\n");
    assert_int_equal(parse(&t, &w, &problems), PINGO_EWORKFLOW);
    assert_int_equal(pingo_problems_count(problems), 2 * MANY);
    for (size_t i = 0; i < 2 * MANY; i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);

        assert_true(p->line >= line);
        assert_int_equal(p->line, i / 2 + 1);
        line = p->line;
    }
    pingo_problems_free(problems);
}

static void test_problems__many_errors_in_one_action(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    struct pingo_problems *problems;

    (void)state;
    begin(&t);
    add(&t, 1, ",\"x\":1,\"parentActions\":[");
    for (int i = 0; i < MANY; i++)
        fprintf(t.out, "%s{\"id\":%s,\"as\":\"r%d\"}", i == 0 ? "" : ",\n",
                i % 2 == 0 ? "2" : "2.0", i % (MANY / 2));
    fputs("]}", t.out);
    assert_int_equal(parse(&t, &w, &problems), PINGO_EWORKFLOW);
    /* Half of the ids are not defined, the other half misspelled, half of the roles stand twice. */
    assert_int_equal(pingo_problems_count(problems), 1 + MANY + MANY / 2);
    assert_int_equal(pingo_problems_at(problems, MANY + MANY / 2)->line, MANY);
    pingo_problems_free(problems);
}

static void test_problems__every_problem_has_an_end(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    struct pingo_problems *problems;

    (void)state;
    begin(&t);
    for (int i = 0; i < 1100000; i++)
        fputs(i == 0 ? "0" : ",0", t.out);
    assert_int_equal(parse(&t, &w, &problems), PINGO_EWORKFLOW);
    assert_int_equal(pingo_problems_count(problems), 1000000);
    pingo_problems_free(problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems__many_errors_in_as_many_actions),
        cmocka_unit_test(test_problems__many_errors_in_one_action),
        cmocka_unit_test(test_problems__every_problem_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
