/* test_problems.c - the list of what is wrong: very many, in the order of the text, and with an end. */
#include "unit/workflow/many.h"

enum { MANY = SHARE(100000, 20000), TOLD = 1000 };

/* The last of them stands for all that are not told. */
static void is_rest(const struct pingo_problem *p, enum pingo_severity severity, size_t times)
{
    assert_int_equal(p->severity, severity);
    assert_int_equal(p->times, times);
    assert_string_equal(p->pointer, "");
    assert_non_null(strstr(p->message, "more"));
}

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
    assert_int_equal(pingo_problems_count(problems), TOLD + 1);
    for (size_t i = 0; i < TOLD; i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);

        assert_true(p->line >= line);
        assert_true(p->line <= TOLD);
        line = p->line;
    }
    is_rest(pingo_problems_at(problems, TOLD), PINGO_SEVERITY_ERROR, 2 * MANY - TOLD);
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
    assert_int_equal(pingo_problems_count(problems), TOLD + 1);
    is_rest(pingo_problems_at(problems, TOLD), PINGO_SEVERITY_ERROR, 1 + MANY + MANY / 2 - TOLD);
    assert_int_equal(pingo_problems_at(problems, TOLD)->line, MANY);
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
    assert_int_equal(pingo_problems_count(problems), TOLD + 1);
    /* It ends where no more actions can stand in such a text. */
    assert_in_range(pingo_problems_at(problems, TOLD)->times, 50000, 1100000 - TOLD);
    assert_null(pingo_problems_at(problems, TOLD + 1));
    pingo_problems_free(problems);
}

/* However many warnings there are, they hide no error. */
static void test_problems__an_error_behind_many_warnings(void **state)
{
    struct text t;
    struct pingo_workflow *w;
    struct pingo_problems *problems;

    (void)state;
    for (int bad = 0; bad < 2; bad++) {
        begin(&t);
        for (int i = 0; i < 1500; i++) {
            fprintf(t.out,
                    "%s{\"id\":%d,\"name\":\"a\",\"type\":\"command-line\",\"command\":[\"touch\","
                    "\"output\"],\"parentActions\":[{\"id\":2000,\"as\":\"r%d\"}]}",
                    i ? "," : "", i, i);
        }
        add(&t, 2000, bad ? ",\"retries\":-1}" : "}");
        assert_int_equal(parse(&t, &w, &problems), bad ? PINGO_EWORKFLOW : 0);
        assert_int_equal(pingo_problems_count(problems), TOLD + 1 + (size_t)bad);
        is_rest(pingo_problems_at(problems, TOLD + (size_t)bad), PINGO_SEVERITY_WARNING, 500);
        pingo_problems_free(problems);
        pingo_workflow_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems__many_errors_in_as_many_actions),
        cmocka_unit_test(test_problems__many_errors_in_one_action),
        cmocka_unit_test(test_problems__every_problem_has_an_end),
        cmocka_unit_test(test_problems__an_error_behind_many_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
