/* test_read_action.c - the keys of an action, and of its parents, as text has them: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_read_action__name_missing",
     "{'name':'w','actions':[{'id':1,'type':'command-line','command':'true'}]}",
     "1:24 /actions/0 'name' is missing: an action needs a name", NULL},
    {"test_read_action__name_empty",
     "{'name':'w','actions':[{'id':1,'name':'','type':'command-line','command':'true'}]}",
     "1:39 /actions/0/name 'name' is empty: an action needs a name", NULL},
    {"test_read_action__name_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':null,'type':'command-line','command':'true'}]"
     "}",
     "1:39 /actions/0/name 'name' must be a string, not null", NULL},
    {"test_read_action__type_missing",
     "{'name':'w','actions':[{'id':1,'name':'a','command':'true'}]}",
     "1:24 /actions/0 'type' is missing: the known types are 'command-line', 'external', "
     "'map-reduce-1', 'map-reduce-2'",
     NULL},
    {"test_read_action__type_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':['x'],'command':'true'}]}",
     "1:50 /actions/0/type 'type' must be a string, not an array", NULL},
    {"test_read_action__type_unknown",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'map-reduce-3','zip':'x','comand':"
     "'true'}]}",
     "1:50 /actions/0/type unknown type 'map-reduce-3': the known types are 'command-line'"
     ", 'external', 'map-reduce-1', 'map-reduce-2'\n"
     "1:65 /actions/0/zip unknown key 'zip': the keys here are id, name, type, parentActio"
     "ns, inputs, tools, forceComputation, isManaged, outputPath, salt, resources, retries"
     ", keep, versions, executor, executorOptions, sandbox, labels, command, env, output, "
     "shell, stdout, description, configuration, input, inputFormat, jar, libs, mapOutputK"
     "ey, mapOutputValue, outputFormat, outputKey, outputValue, partitioner, reduces, comb"
     "iner, mapper, reducer, streaming, and x-... for annotations\n"
     "1:75 /actions/0/comand unknown key 'comand': did you mean 'command'?",
     NULL},
    {"test_read_action__unknown_keys",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','c"
     "omand':'x','retry':1,'parents':[],'x-y':1,'a~b/c':1,'x':2}]}",
     "1:82 /actions/0/comand unknown key 'comand': did you mean 'command'?\n"
     "1:95 /actions/0/retry unknown key 'retry': did you mean 'retries'?\n"
     "1:105 /actions/0/parents unknown key 'parents': did you mean 'parentActions'?\n"
     "1:126 /actions/0/a~0b~1c unknown key 'a~b/c': the keys here are id, name, type, pare"
     "ntActions, inputs, tools, forceComputation, isManaged, outputPath, salt, resources, "
     "retries, keep, versions, executor, executorOptions, sandbox, labels, command, env, o"
     "utput, shell, stdout, and x-... for annotations\n"
     "1:136 /actions/0/x unknown key 'x': the keys here are id, name, type, parentActions,"
     " inputs, tools, forceComputation, isManaged, outputPath, salt, resources, retries, k"
     "eep, versions, executor, executorOptions, sandbox, labels, command, env, output, she"
     "ll, stdout, and x-... for annotations",
     NULL},
    {"test_read_action__key_of_another_type",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','d"
     "escription':'x'}]}",
     "1:82 /actions/0/description the key 'description' belongs to actions of type 'exter"
     "nal': this one is of type 'command-line'",
     NULL},
    {"test_read_action__parents_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','p"
     "arentActions':{}}]}",
     "1:98 /actions/0/parentActions 'parentActions' must be an array such as [{'id': 1, '"
     "as': 'words.txt'}], not an object",
     NULL},
    {"test_read_action__entries_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','p"
     "arentActions':[1,'x',null]}]}",
     "1:99 /actions/0/parentActions/0 element 0 must be an object such as {'id': 1, 'as':"
     " 'words.txt'}, not a number\n"
     "1:101 /actions/0/parentActions/1 element 1 must be an object such as {'id': 1, 'as'"
     ": 'words.txt'}, not a string\n"
     "1:105 /actions/0/parentActions/2 element 2 must be an object such as {'id': 1, 'as'"
     ": 'words.txt'}, not null",
     NULL},
    {"test_read_action__entry_without_id",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','p"
     "arentActions':[{'as':'x'}]}]}",
     "1:99 /actions/0/parentActions/0 'id' is missing: say which action is the parent\n"
     "W 1:99 /actions/0/parentActions/0 the command never mentions the role 'x': it would"
     " be in/x",
     NULL},
    {"test_read_action__entry_ids",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':'1'},{'id':1.0},{'id':-1},{'id':[]}]}]}",
     "1:172 /actions/1/parentActions/0/id 'id' must be an integer from 0 to 9007199254740"
     "991, not the string '1': write 1\n"
     "1:183 /actions/1/parentActions/1/id 'id' must be an integer from 0 to 9007199254740"
     "991, not 1.0: write 1\n"
     "1:194 /actions/1/parentActions/2/id 'id' must be an integer from 0 to 9007199254740"
     "991, not -1\n"
     "1:204 /actions/1/parentActions/3/id 'id' must be an integer from 0 to 9007199254740"
     "991, not an array",
     NULL},
    {"test_read_action__entry_with_unknown_keys",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'As':'x','role':'y','x-z':0}]}]}",
     "1:174 /actions/1/parentActions/0/As unknown key 'As': did you mean 'as'?\n"
     "1:183 /actions/1/parentActions/0/role unknown key 'role': the keys here are id, as,"
     " and x-... for annotations",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
