/* test_external.c - external actions: their rules, and what is handed over: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"
#include "unit/workflow/types/rendered.h"

static const struct row rows[] = {
    {"test_external__description_missing",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external'}]}",
     "1:24 /actions/0 'description' is missing: external actions need it, a string", NULL},
    {"test_external__description_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':''}]}",
     "1:75 /actions/0/description 'description' is empty: say what is to be done", NULL},
    {"test_external__description_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':['x']}]}",
     "1:75 /actions/0/description 'description' must be a string, not an array", NULL},
    {"test_external__keys_of_another_type",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'x','comm"
     "and':'x','env':{},'output':'x','stdout':true}]}",
     "1:79 /actions/0/command the key 'command' belongs to actions of type 'command-line'"
     ": this one is of type 'external'\n"
     "1:93 /actions/0/env the key 'env' belongs to actions of type 'command-line': this o"
     "ne is of type 'external'\n"
     "1:102 /actions/0/output the key 'output' belongs to actions of type 'command-line':"
     " this one is of type 'external'\n"
     "1:115 /actions/0/stdout the key 'stdout' belongs to actions of type 'command-line':"
     " this one is of type 'external'",
     NULL},
};

static void test_external__external_hands_over_its_description(void **state)
{
    struct pingo_job job;

    (void)state;
    render("{'name':'w','env':{'A':'1'},'actions':[{'id':1,'name':'a','type':'external',"
           "'description':'do it'}]}",
           &job);
    assert_string_equal(job.payload, "do it");
    assert_string_equal(job.output, "output");
    assert_null(job.argv[0]);
    assert_null(job.env[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_external__external_hands_over_its_description, teardown),
    };
    return run_rows_and(rows, sizeof rows / sizeof rows[0], tests, sizeof tests / sizeof tests[0]);
}
