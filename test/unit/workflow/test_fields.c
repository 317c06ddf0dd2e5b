/* test_fields.c - the rules of shells: one row, one workflow, all that is said of it. */
#include "unit/workflow/built.h"
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_fields__shell_unknown",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','shell':'zsh'}]"
     "}",
     "1:87 /actions/0/shell unknown shell 'zsh': write 'bash' (which is /bin/bash -euo pip"
     "efail -c), 'sh' (/bin/sh -c), or an array of a program and its arguments",
     NULL},
    {"test_fields__shell_of_nothing",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','shell':['']}]"
     "}",
     "1:87 /actions/0/shell 'shell' names no program: write a program and its arguments, s"
     "uch as ['/bin/sh', '-c']; the command comes behind them",
     NULL},
    {"test_fields__shell_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','shell':3}]}",
     "1:87 /actions/0/shell 'shell' must be a string or an array of strings, not a number", NULL},
    {"test_fields__shell_with_an_array",
     "{'name':'w','shell':'sh','actions':[{'id':1,'name':'a','type':'command-line','command':['a'],"
     "'shell':'sh'}]}",
     "1:102 /actions/0/shell 'shell' goes with a 'command' that is a string: an array is e"
     "xecuted as it is, leave 'shell' out",
     NULL},
    {"test_fields__shell_of_the_workflow",
     "{'name':'w','shell':'zsh','actions':[{'id':1,'name':'a','type':'command-line','command':'a'}]"
     "}",
     "1:21 /shell unknown shell 'zsh': write 'bash' (which is /bin/bash -euo pipefail -c),"
     " 'sh' (/bin/sh -c), or an array of a program and its arguments",
     NULL},
    {"test_fields__shell_of_the_workflow_of_another_kind",
     "{'name':'w','shell':{},'actions':[{'id':1,'name':'a','type':'command-line','command':'a'}]}",
     "1:21 /shell 'shell' must be a string or an array of strings, not an object", NULL},
    {"test_fields__shell_of_the_workflow_with_holes",
     "{'name':'w','shell':[3,null,'x'],'actions':[{'id':1,'name':'a','type':'command-line','"
     "command':'a'}]}",
     "1:22 /shell/0 element 0 must be a string, not a number\n"
     "1:24 /shell/1 element 1 must be a string, not null",
     NULL},
};

/* ---- what only programs can say ------------------------------------------------------- */

static void test_fields__of_a_program(void **state)
{
    static const char *const text[] = {"d", "e"};
    static const struct pingo_field twice[] = {{"description", PINGO_FIELD_TEXT, text, 1},
                                               {"description", PINGO_FIELD_TEXT, text + 1, 1}};
    static const struct pingo_field common[] = {{"description", PINGO_FIELD_TEXT, text, 1},
                                                {"retries", PINGO_FIELD_TEXT, text, 1},
                                                {"outputPath", PINGO_FIELD_TEXT, text, 1}};
    static const struct {
        const char *type;
        const struct pingo_field *fields;
        size_t n;
        const char *said;
    } cases[] = {
        {"external", twice, 1, ""},
        {"external", twice, 2,
         "0:0 /actions/0/description the key 'description' stands twice: remove one"},
        {"external", common, 3,
         "0:0 /actions/0/retries the key 'retries' is no field of a type: set it in the spec "
         "itself\n"
         "0:0 /actions/0/outputPath the key 'outputPath' is no field of a type: set it in the spec "
         "itself"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pingo_action_spec spec = {
            .type = cases[i].type, .fields = cases[i].fields, .nfields = cases[i].n};
        char *said = said_of(&spec);

        assert_string_equal(said, cases[i].said);
        free(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields__of_a_program)};
    return run_rows_and(rows, sizeof rows / sizeof rows[0], tests, 1);
}
