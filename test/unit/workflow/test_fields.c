/* test_fields.c - the rules of shells: one row, one workflow, all that is said of it. */
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
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
