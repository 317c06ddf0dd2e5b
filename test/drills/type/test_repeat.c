/* test_repeat.c - the action type "repeat": what is checked, and what is run. */
#include "unit/workflow/said.h"

#include <pingo/action_type.h>

#include "base/arena.h"

const struct pingo_action_type *pingo_action_type_repeat(void);

static void test_repeat__runs_a_loop(void **state)
{
    struct pingo__arena arena = {0};
    struct pingo_job job = {.arena = &arena};
    const char *values[] = {"so it is", "3"};
    const struct pingo_field fields[] = {
        {.key = "text", .kind = PINGO_FIELD_TEXT, .values = &values[0], .nvalues = 1},
        {.key = "times", .kind = PINGO_FIELD_NUMBER, .values = &values[1], .nvalues = 1}};
    const struct pingo_action_type *type = pingo_action_type_repeat();
    struct pingo_error err;
    (void)state;
    assert_int_equal(type->render(fields, 1, &job, &err), PINGO_ECORRUPT);
    assert_int_equal(type->render(fields, 2, &job, &err), 0);
    assert_string_equal(job.argv[4], "so it is");
    assert_string_equal(job.argv[5], "3");
    assert_null(job.argv[6]);
    pingo__arena_clear(&arena);
}

static void test_repeat__a_million_lines_are_too_many(void **state)
{
    char *text = with_quotes("{'name':'w','actions':[{'id':1,'name':'a','type':'repeat','text':'x',"
                             "'times':1000000}]}");
    struct pingo_workflow *w = NULL;
    struct pingo_error err = {0};
    const struct pingo_document document = {text, strlen(text), NULL};
    (void)state;
    assert_int_not_equal(pingo_workflow_parse(&document, NULL, &w, &err), 0);
    assert_null(w);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeat__runs_a_loop),
        cmocka_unit_test(test_repeat__a_million_lines_are_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
