/* test_draft.c - the rules of the document: names, env, where it starts and ends: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_draft__not_an_object", "[]",
     "1:1  a workflow must be an object with 'name' and 'actions', not an array", NULL},
    {"test_draft__not_an_object_but_a_number", " 3",
     "1:2  a workflow must be an object with 'name' and 'actions', not a number", NULL},
    {"test_draft__nothing_in_it", "{}",
     "1:1  'name' is missing: a workflow needs a name\n"
     "1:1  'actions' is missing: a workflow needs an array with at least one",
     NULL},
    {"test_draft__name_of_another_kind",
     "{'name':3,'actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*'}"
     "]}",
     "1:9 /name 'name' must be a string, not a number", NULL},
    {"test_draft__empty_name",
     "{'name':'','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*'"
     "}]}",
     "1:9 /name 'name' is empty: a workflow needs a name", NULL},
    {"test_draft__actions_of_another_kind", "{'name':'w','actions':{}}",
     "1:23 /actions 'actions' must be an array of objects, not an object", NULL},
    {"test_draft__no_action", "{'name':'w','actions':[]}",
     "1:23 /actions 'actions' is empty: a workflow needs at least one", NULL},
    {"test_draft__actions_that_are_none",
     "{'name':'w','actions':[3,'x',null,{'id':1,'name':'b','type':'command-line','command"
     "':'cat in/*'}]}",
     "1:24 /actions/0 an action must be an object, not a number\n"
     "1:26 /actions/1 an action must be an object, not a string\n"
     "1:30 /actions/2 an action must be an object, not null",
     NULL},
    {"test_draft__unknown_keys",
     "{'name':'w','Actions':[],'envs':{},'x-note':1,'x':2,'actions':[{'id':1,'name':'b','"
     "type':'command-line','command':'cat in/*'}]}",
     "1:13 /Actions unknown key 'Actions': did you mean 'actions'?\n"
     "1:26 /envs unknown key 'envs': did you mean 'env'?\n"
     "1:47 /x unknown key 'x': the keys here are name, actions, env, startActionId, endAct"
     "ionId, labels, shell, executorOptions, and x-... for annotations",
     NULL},
    {"test_draft__env_of_another_kind",
     "{'name':'w','env':[],'actions':[{'id':1,'name':'b','type':'command-line','command':"
     "'cat in/*'}]}",
     "1:19 /env 'env' must be an object of strings, not an array", NULL},
    {"test_draft__env_values",
     "{'name':'w','env':{'A':'1','B':2,'a/b~c':null},'actions':[{'id':1,'name':'b','type'"
     ":'command-line','command':'cat in/*'}]}",
     "1:32 /env/B 'B' must be a string, not a number\n"
     "1:42 /env/a~1b~0c 'a/b~c' must be a string, not null",
     NULL},
    {"test_draft__env_names",
     "{'name':'w','env':{'':'x','A=B':'x','HOME':'x','PINGO_CPUS':'1','PINGO_MEMORY_MB':'"
     "1','PATH':'/bin'},'actions':[{'id':1,'name':'b','type':'command-line','command':'ca"
     "t in/*'}]}",
     "1:20 /env/ a variable of env has an empty name\n"
     "1:27 /env/A=B the variable 'A=B' has '=' in its name\n"
     "1:37 /env/HOME the variable HOME is set by Pingo for each run: leave it out\n"
     "1:48 /env/PINGO_CPUS the variable PINGO_CPUS is set by Pingo for each run: leave it"
     " out\n"
     "1:65 /env/PINGO_MEMORY_MB the variable PINGO_MEMORY_MB is set by Pingo for each run"
     ": leave it out",
     NULL},
    {"test_draft__start_and_end_undefined",
     "{'name':'w','startActionId':1,'endActionId':4,'actions':[{'id':3,'name':'d','type':"
     "'command-line','command':'cat in/*'}]}",
     "1:29 /startActionId no action has the id 1: the only id here is 3\n"
     "1:45 /endActionId no action has the id 4: the only id here is 3",
     NULL},
    {"test_draft__start_and_end_of_another_kind",
     "{'name':'w','startActionId':'3','endActionId':3.0,'actions':[{'id':3,'name':'d','ty"
     "pe':'command-line','command':'cat in/*'}]}",
     "1:29 /startActionId 'startActionId' must be an integer from 0 to 9007199254740991, "
     "not the string '3': write 3\n"
     "1:47 /endActionId 'endActionId' must be an integer from 0 to 9007199254740991, not "
     "3.0: write 3",
     NULL},
    {"test_draft__end_is_parent_of_start",
     "{'name':'w','startActionId':2,'endActionId':1,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':1}]}]}",
     "1:45 /endActionId the end action 1 'b' is a parent of the start action 2 'c': it mu"
     "st come after it",
     NULL},
    {"test_draft__end_is_ancestor_of_start",
     "{'name':'w','startActionId':3,'endActionId':1,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':1}]},{'id':3,'name':'d','type':'command-line"
     "','command':'cat in/*','parentActions':[{'id':2}]}]}",
     "1:45 /endActionId the end action 1 'b' is an ancestor of the start action 3 'd': it"
     " must come after it",
     NULL},
    {"test_draft__end_is_start",
     "{'name':'w','startActionId':1,'endActionId':1,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'}]}",
     "", NULL},
    {"test_draft__end_after_start",
     "{'name':'w','startActionId':1,'endActionId':2,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':1}]}]}",
     "", NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
