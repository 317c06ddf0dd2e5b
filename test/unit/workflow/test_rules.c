/* test_rules.c - the rules of the document, of ids, names, types and parents:
 * one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    /* document */
    {"test_rules__not_an_object", "[]",
     "1:1  a workflow must be an object with 'name' and 'actions', not an array", NULL},
    {"test_rules__not_an_object_but_a_number", " 3",
     "1:2  a workflow must be an object with 'name' and 'actions', not a number", NULL},
    {"test_rules__nothing_in_it", "{}",
     "1:1  'name' is missing: a workflow needs a name\n"
     "1:1  'actions' is missing: a workflow needs an array with at least one",
     NULL},
    {"test_rules__name_of_another_kind",
     "{'name':3,'actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*'}"
     "]}",
     "1:9 /name 'name' must be a string, not a number", NULL},
    {"test_rules__empty_name",
     "{'name':'','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*'"
     "}]}",
     "1:9 /name 'name' is empty: a workflow needs a name", NULL},
    {"test_rules__actions_of_another_kind", "{'name':'w','actions':{}}",
     "1:23 /actions 'actions' must be an array of objects, not an object", NULL},
    {"test_rules__no_action", "{'name':'w','actions':[]}",
     "1:23 /actions 'actions' is empty: a workflow needs at least one", NULL},
    {"test_rules__actions_that_are_none",
     "{'name':'w','actions':[3,'x',null,{'id':1,'name':'b','type':'command-line','command"
     "':'cat in/*'}]}",
     "1:24 /actions/0 an action must be an object, not a number\n"
     "1:26 /actions/1 an action must be an object, not a string\n"
     "1:30 /actions/2 an action must be an object, not null",
     NULL},
    {"test_rules__unknown_keys",
     "{'name':'w','Actions':[],'envs':{},'x-note':1,'x':2,'actions':[{'id':1,'name':'b','"
     "type':'command-line','command':'cat in/*'}]}",
     "1:13 /Actions unknown key 'Actions': did you mean 'actions'?\n"
     "1:26 /envs unknown key 'envs': did you mean 'env'?\n"
     "1:47 /x unknown key 'x': the keys here are name, actions, env, startActionId, endAct"
     "ionId, labels, shell, executorOptions, and x-... for annotations",
     NULL},
    {"test_rules__env_of_another_kind",
     "{'name':'w','env':[],'actions':[{'id':1,'name':'b','type':'command-line','command':"
     "'cat in/*'}]}",
     "1:19 /env 'env' must be an object of strings, not an array", NULL},
    {"test_rules__env_values",
     "{'name':'w','env':{'A':'1','B':2,'a/b~c':null},'actions':[{'id':1,'name':'b','type'"
     ":'command-line','command':'cat in/*'}]}",
     "1:32 /env/B 'B' must be a string, not a number\n"
     "1:42 /env/a~1b~0c 'a/b~c' must be a string, not null",
     NULL},
    {"test_rules__env_names",
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
    {"test_rules__start_and_end_undefined",
     "{'name':'w','startActionId':1,'endActionId':4,'actions':[{'id':3,'name':'d','type':"
     "'command-line','command':'cat in/*'}]}",
     "1:29 /startActionId no action has the id 1: the only id here is 3\n"
     "1:45 /endActionId no action has the id 4: the only id here is 3",
     NULL},
    {"test_rules__start_and_end_of_another_kind",
     "{'name':'w','startActionId':'3','endActionId':3.0,'actions':[{'id':3,'name':'d','ty"
     "pe':'command-line','command':'cat in/*'}]}",
     "1:29 /startActionId 'startActionId' must be an integer from 0 to 9007199254740991, "
     "not the string '3': write 3\n"
     "1:47 /endActionId 'endActionId' must be an integer from 0 to 9007199254740991, not "
     "3.0: write 3",
     NULL},
    {"test_rules__end_is_parent_of_start",
     "{'name':'w','startActionId':2,'endActionId':1,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':1}]}]}",
     "1:45 /endActionId the end action 1 'b' is a parent of the start action 2 'c': it mu"
     "st come after it",
     NULL},
    {"test_rules__end_is_ancestor_of_start",
     "{'name':'w','startActionId':3,'endActionId':1,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':1}]},{'id':3,'name':'d','type':'command-line"
     "','command':'cat in/*','parentActions':[{'id':2}]}]}",
     "1:45 /endActionId the end action 1 'b' is an ancestor of the start action 3 'd': it"
     " must come after it",
     NULL},
    {"test_rules__end_is_start",
     "{'name':'w','startActionId':1,'endActionId':1,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'}]}",
     "", NULL},
    {"test_rules__end_after_start",
     "{'name':'w','startActionId':1,'endActionId':2,'actions':[{'id':1,'name':'b','type':"
     "'command-line','command':'cat in/*'},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':1}]}]}",
     "", NULL},
    /* ids */
    {"test_rules__id_with_fraction",
     "{'name':'w','actions':[{'id':1.0,'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1.0: wri"
     "te 1",
     NULL},
    {"test_rules__id_with_half",
     "{'name':'w','actions':[{'id':1.5,'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1.5", NULL},
    {"test_rules__id_a_string",
     "{'name':'w','actions':[{'id':'1','name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not the stri"
     "ng '1': write 1",
     NULL},
    {"test_rules__id_another_string",
     "{'name':'w','actions':[{'id':'one','name':'a','type':'command-line','command':'true"
     "'}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not the stri"
     "ng 'one'",
     NULL},
    {"test_rules__id_two_to_the_53",
     "{'name':'w','actions':[{'id':9007199254740992,'name':'a','type':'command-line','com"
     "mand':'true'}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 90071992"
     "54740992",
     NULL},
    {"test_rules__id_negative",
     "{'name':'w','actions':[{'id':-1,'name':'a','type':'command-line','command':'true'}]"
     "}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not -1", NULL},
    {"test_rules__id_negative_zero",
     "{'name':'w','actions':[{'id':-0,'name':'a','type':'command-line','command':'true'}]"
     "}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not -0: writ"
     "e 0",
     NULL},
    {"test_rules__id_with_exponent",
     "{'name':'w','actions':[{'id':1e3,'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1e3: wri"
     "te 1000",
     NULL},
    {"test_rules__id_huge",
     "{'name':'w','actions':[{'id':1e300,'name':'a','type':'command-line','command':'true"
     "'}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1e300", NULL},
    {"test_rules__id_a_boolean",
     "{'name':'w','actions':[{'id':true,'name':'a','type':'command-line','command':'true'"
     "}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not a boolea"
     "n",
     NULL},
    {"test_rules__id_null",
     "{'name':'w','actions':[{'id':null,'name':'a','type':'command-line','command':'true'"
     "}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not null", NULL},
    {"test_rules__id_an_array",
     "{'name':'w','actions':[{'id':[1],'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not an array", NULL},
    {"test_rules__id_zero",
     "{'name':'w','actions':[{'id':0,'name':'a','type':'command-line','command':'cat in/*"
     "'}]}",
     "", NULL},
    {"test_rules__id_largest",
     "{'name':'w','actions':[{'id':9007199254740991,'name':'a','type':'command-line','com"
     "mand':'true'}]}",
     "", NULL},
    {"test_rules__id_missing",
     "{'name':'w','actions':[{'name':'a','type':'command-line','command':'true'}]}",
     "1:24 /actions/0 'id' is missing: an action needs an integer of its own", NULL},
    {"test_rules__id_twice",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*'},{'id':1,'name':'b"
     "','type':'command-line','command':'cat in/*'},{'id':1,'name':'b','type':'command-li"
     "ne','command':'cat in/*'}]}",
     "1:156 /actions/2/id the id 1 belongs to the action 'b' (/actions/0): give each an i"
     "d of its own, such as 3\n"
     "1:219 /actions/3/id the id 1 belongs to the action 'b' (/actions/0): give each an i"
     "d of its own, such as 4",
     NULL},
    {"test_rules__id_twice_at_the_end_of_the_range",
     "{'name':'w','actions':[{'id':9007199254740991,'name':'a','type':'command-line','com"
     "mand':'true'},{'id':9007199254740991,'name':'b','type':'command-line','command':'tr"
     "ue'}]}",
     "1:104 /actions/1/id the id 9007199254740991 belongs to the action 'a' (/actions/0):"
     " give each an id of its own",
     NULL},
    /* names and types */
    {"test_rules__name_missing",
     "{'name':'w','actions':[{'id':1,'type':'command-line','command':'true'}]}",
     "1:24 /actions/0 'name' is missing: an action needs a name", NULL},
    {"test_rules__name_empty",
     "{'name':'w','actions':[{'id':1,'name':'','type':'command-line','command':'true'}]}",
     "1:39 /actions/0/name 'name' is empty: an action needs a name", NULL},
    {"test_rules__name_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':null,'type':'command-line','command':'true'}]"
     "}",
     "1:39 /actions/0/name 'name' must be a string, not null", NULL},
    {"test_rules__type_missing", "{'name':'w','actions':[{'id':1,'name':'a','command':'true'}]}",
     "1:24 /actions/0 'type' is missing: the known types are 'command-line', 'external', "
     "'map-reduce-1', 'map-reduce-2'",
     NULL},
    {"test_rules__type_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':['x'],'command':'true'}]}",
     "1:50 /actions/0/type 'type' must be a string, not an array", NULL},
    {"test_rules__type_unknown",
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
    {"test_rules__unknown_keys",
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
    {"test_rules__key_of_another_type",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','d"
     "escription':'x'}]}",
     "1:82 /actions/0/description the key 'description' belongs to actions of type 'exter"
     "nal': this one is of type 'command-line'",
     NULL},
    /* parents */
    {"test_rules__parents_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','p"
     "arentActions':{}}]}",
     "1:98 /actions/0/parentActions 'parentActions' must be an array such as [{'id': 1, '"
     "as': 'words.txt'}], not an object",
     NULL},
    {"test_rules__entries_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','p"
     "arentActions':[1,'x',null]}]}",
     "1:99 /actions/0/parentActions/0 element 0 must be an object such as {'id': 1, 'as':"
     " 'words.txt'}, not a number\n"
     "1:101 /actions/0/parentActions/1 element 1 must be an object such as {'id': 1, 'as'"
     ": 'words.txt'}, not a string\n"
     "1:105 /actions/0/parentActions/2 element 2 must be an object such as {'id': 1, 'as'"
     ": 'words.txt'}, not null",
     NULL},
    {"test_rules__entry_without_id",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','p"
     "arentActions':[{'as':'x'}]}]}",
     "1:99 /actions/0/parentActions/0 'id' is missing: say which action is the parent\n"
     "W 1:99 /actions/0/parentActions/0 the command never mentions the role 'x': it would"
     " be in/x",
     NULL},
    {"test_rules__entry_ids",
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
    {"test_rules__entry_with_unknown_keys",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'As':'x','role':'y','x-z':0}]}]}",
     "1:174 /actions/1/parentActions/0/As unknown key 'As': did you mean 'as'?\n"
     "1:183 /actions/1/parentActions/0/role unknown key 'role': the keys here are id, as,"
     " and x-... for annotations",
     NULL},
    {"test_rules__undefined_parents",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1},{'id':3},{'id':0}]}]}",
     "1:181 /actions/1/parentActions/1/id no action has the id 3: the ids here are 1 to 2"
     "\n"
     "1:190 /actions/1/parentActions/2/id no action has the id 0: the ids here are 1 to 2",
     NULL},
    {"test_rules__undefined_parent_among_scattered_ids",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':5,'name':'f','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':3}]}]}",
     "1:172 /actions/1/parentActions/0/id no action has the id 3: name one that is define"
     "d",
     NULL},
    {"test_rules__roles_that_do_not_match",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':''},{'id':1,'as':'.a'},{'id':1,'as':'a/b'},{'id':1,'as':'rrrrrrrrrrrrrr"
     "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr'},{'id':1,'as':'\303\251'},{'id"
     "':1,'as':3}]}]}",
     "1:179 /actions/1/parentActions/0/as the role '' must be a letter, a digit or _, the"
     "n up to 63 letters, digits, _ . -\n"
     "1:196 /actions/1/parentActions/1/as the role '.a' must be a letter, a digit or _, t"
     "hen up to 63 letters, digits, _ . -\n"
     "1:215 /actions/1/parentActions/2/as the role 'a/b' must be a letter, a digit or _, "
     "then up to 63 letters, digits, _ . -\n"
     "1:235 /actions/1/parentActions/3/as the role 'rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
     "rrrrrrrrrrrrrrrrrrrrrrr' must be a letter, a digit or _, then up to 63 letters, dig"
     "its, _ . -\n"
     "1:317 /actions/1/parentActions/4/as the role '\303\251' must be a letter, a digit o"
     "r _, then up to 63 letters, digits, _ . -\n"
     "1:336 /actions/1/parentActions/5/as 'as' must be a string, not a number",
     NULL},
    {"test_rules__roles_that_match",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr'},{'i"
     "d':1,'as':'_'},{'id':1,'as':'0.-'}]}]}",
     "", NULL},
    {"test_rules__role_twice",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'x'},{'id':1,'as':'x'}]}]}",
     "1:197 /actions/1/parentActions/1/as the role 'x' is a role of this action already: "
     "all become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_rules__role_that_is_a_position",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'2'},{'id':1}]}]}",
     "1:184 /actions/1/parentActions/1 the role '2' is a role of this action already: all"
     " become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_rules__role_and_input_name",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'x'}],'inputs':[{'name':'x','path':'p'},{'name':'y','path':'p'},{'name'"
     ":'y','path':'q'}]}]}",
     "1:203 /actions/1/inputs/0/name the input name 'x' is a role of this action already:"
     " all become links in the directory in/, so each needs a name of its own\n"
     "1:251 /actions/1/inputs/2/name the input name 'y' is an input name of this action a"
     "lready: all become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_rules__many_roles",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'r0'},{'id':1,'as':'r1'},{'id':1,'as':'r2'},{'id':1,'as':'r3'},{'id':1,"
     "'as':'r4'},{'id':1,'as':'r5'},{'id':1,'as':'r6'},{'id':1,'as':'r7'},{'id':1,'as':'r"
     "8'},{'id':1,'as':'r9'},{'id':1,'as':'r10'},{'id':1,'as':'r11'},{'id':1,'as':'r12'},"
     "{'id':1,'as':'r0'},{'id':1,'as':'r1'}]}]}",
     "1:429 /actions/1/parentActions/13/as the role 'r0' is a role of this action already"
     ": all become links in the directory in/, so each needs a name of its own\n"
     "1:448 /actions/1/parentActions/14/as the role 'r1' is a role of this action already"
     ": all become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_rules__own_parent",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','parentActions':[{'id':1}]}]}",
     "1:103 /actions/0/parentActions/0 the action is its own parent: 1 'b' needs 1 'b'", NULL},
    {"test_rules__cycle_of_two",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','parentActions':[{'id':2}]},{'id':2,'name':'c','type':'command-line','command':'c"
     "at in/*','parentActions':[{'id':1}]}]}",
     "1:103 /actions/0/parentActions/0 a cycle: 1 'b' needs 2 'c' needs 1 'b': remove one"
     " of these parents",
     NULL},
    {"test_rules__cycle_of_three_with_a_tail",
     "{'name':'w','actions':[{'id':9,'name':'j','type':'command-line','command':'cat in/*"
     "'},{'id':3,'name':'d','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':9},{'id':1}]},{'id':1,'name':'b','type':'command-line','command':'cat in/*','p"
     "arentActions':[{'id':2}]},{'id':2,'name':'c','type':'command-line','command':'cat i"
     "n/*','parentActions':[{'id':9},{'id':3}]},{'id':4,'name':'e','type':'command-line',"
     "'command':'cat in/*','parentActions':[{'id':3}]}]}",
     "1:175 /actions/1/parentActions/1 a cycle: 3 'd' needs 1 'b' needs 2 'c' needs 3 'd'"
     ": remove one of these parents",
     NULL},
    {"test_rules__two_cycles",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','parentActions':[{'id':2}]},{'id':2,'name':'c','type':'command-line','command':'c"
     "at in/*','parentActions':[{'id':1}]},{'id':3,'name':'d','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':4}]},{'id':4,'name':'e','type':'command-line"
     "','command':'cat in/*','parentActions':[{'id':3}]}]}",
     "1:103 /actions/0/parentActions/0 a cycle: 1 'b' needs 2 'c' needs 1 'b': remove one"
     " of these parents\n"
     "1:283 /actions/2/parentActions/0 a cycle: 3 'd' needs 4 'e' needs 3 'd': remove one"
     " of these parents",
     NULL},
    {"test_rules__long_cycle",
     "{'name':'w','actions':[{'id':0,'name':'a','type':'command-line','command':'cat in/*"
     "','parentActions':[{'id':1}]},{'id':1,'name':'b','type':'command-line','command':'c"
     "at in/*','parentActions':[{'id':2}]},{'id':2,'name':'c','type':'command-line','comm"
     "and':'cat in/*','parentActions':[{'id':3}]},{'id':3,'name':'d','type':'command-line"
     "','command':'cat in/*','parentActions':[{'id':4}]},{'id':4,'name':'e','type':'comma"
     "nd-line','command':'cat in/*','parentActions':[{'id':5}]},{'id':5,'name':'f','type'"
     ":'command-line','command':'cat in/*','parentActions':[{'id':6}]},{'id':6,'name':'g'"
     ",'type':'command-line','command':'cat in/*','parentActions':[{'id':7}]},{'id':7,'na"
     "me':'h','type':'command-line','command':'cat in/*','parentActions':[{'id':8}]},{'id"
     "':8,'name':'i','type':'command-line','command':'cat in/*','parentActions':[{'id':9}"
     "]},{'id':9,'name':'j','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':10}]},{'id':10,'name':'k','type':'command-line','command':'cat in/*','parentAc"
     "tions':[{'id':11}]},{'id':11,'name':'l','type':'command-line','command':'cat in/*',"
     "'parentActions':[{'id':12}]},{'id':12,'name':'m','type':'command-line','command':'c"
     "at in/*','parentActions':[{'id':13}]},{'id':13,'name':'n','type':'command-line','co"
     "mmand':'cat in/*','parentActions':[{'id':14}]},{'id':14,'name':'o','type':'command-"
     "line','command':'cat in/*','parentActions':[{'id':0}]}]}",
     "1:103 /actions/0/parentActions/0 a cycle: 0 'a' needs 1 'b' needs 2 'c' needs 3 'd'"
     " needs 4 'e' needs 5 'f' needs 6 'g' needs 7 'h' needs 8 'i' needs 9 'j' needs 10 '"
     "k' needs 11 'l' needs ... needs 0 'a' (15 actions): remove one of these parents",
     NULL},
    {"test_rules__long_names_are_cut",
     "{'name':'w','actions':[{'id':1,'name':'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
     "nnnnnnnnnnnnnnnnnnnnnnnnnn','type':'command-line','command':'cat in/*','parentActio"
     "ns':[{'id':2}]},{'id':2,'name':'\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "','type':'command-line','command':'cat in/*','parentActions':[{'id':1}]}]}",
     "1:172 /actions/0/parentActions/0 a cycle: 1 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
     "nnnnnnnnnnnnnnnnnnnnnn' needs 2 '\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251"
     "\303\251' needs 1 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn': r"
     "emove one of these parents",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
