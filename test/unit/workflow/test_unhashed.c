/* test_unhashed.c - the rules of what enters no hash: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_unhashed__labels",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','labels':{'a "
     "b':'x','c':3,'':'y'}}]}",
     "1:89 /actions/0/labels/a b the label's name 'a b' must be a letter, a digit or _, th"
     "en up to 63 letters, digits, _ . -\n"
     "1:103 /actions/0/labels/c 'c' must be a string, not a number\n"
     "1:105 /actions/0/labels/ the label's name '' must be a letter, a digit or _, then up"
     " to 63 letters, digits, _ . -",
     NULL},
    {"test_unhashed__labels_of_the_workflow",
     "{'name':'w','labels':{'a/"
     "b':'x','c':null},'actions':[{'id':1,'name':'a','type':'command-line','command':'a'}]}",
     "1:23 /labels/a~1b the label's name 'a/b' must be a letter, a digit or _, then up to "
     "63 letters, digits, _ . -\n"
     "1:37 /labels/c 'c' must be a string, not null",
     NULL},
    {"test_unhashed__executor",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','executor':'a "
     "b'}]}",
     "1:90 /actions/0/executor the executor's name 'a b' must be a letter, a digit or _, t"
     "hen up to 63 letters, digits, _ . -, such as 'local'",
     NULL},
    {"test_unhashed__executor_options",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','"
     "executorOptions':{'a':[],'b':true,'c':null,'d':{'e':1},'f':'x','g':1}}]}",
     "1:102 /actions/0/executorOptions/a 'a' must be a string or a number, not an array\n"
     "1:109 /actions/0/executorOptions/b 'b' must be a string or a number, not a boolean\n"
     "1:118 /actions/0/executorOptions/c 'c' must be a string or a number, not null\n"
     "1:127 /actions/0/executorOptions/d 'd' must be a string or a number, not an object",
     NULL},
    {"test_unhashed__executor_options_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','"
     "executorOptions':'a'}]}",
     "1:97 /actions/0/executorOptions 'executorOptions' must be an object of strings and n"
     "umbers, not a string",
     NULL},
    {"test_unhashed__executor_options_of_the_workflow",
     "{'name':'w','executorOptions':{'a':[]},'actions':[{'id':1,'name':'a','type':'command-line','"
     "command':'a'}]}",
     "1:36 /executorOptions/a 'a' must be a string or a number, not an array", NULL},
    {"test_unhashed__sandbox",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','sandbox':'off'"
     "}]}",
     "1:89 /actions/0/sandbox 'sandbox' must be true or false, not a string", NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
