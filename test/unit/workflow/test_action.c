/* test_action.c - the rules that concern one action alone: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_action__versions_kinds",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','versions':'a'}"
     "]}",
     "1:90 /actions/0/versions 'versions' must be an array of commands such as [['samtools"
     "', '--version']], not a string",
     NULL},
    {"test_action__versions_commands",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','versions':['a "
     "--version',[],[''],['a/b'],['a',3],[null]]}]}",
     "1:91 /actions/0/versions/0 element 0 must be an array of a program and its arguments"
     ", such as ['samtools', '--version'], not a string\n"
     "1:105 /actions/0/versions/1 a command of 'versions' is empty: write a program and it"
     "s arguments, such as ['samtools', '--version']\n"
     "1:109 /actions/0/versions/2/0 a program's name is empty: write the name of a program\n"
     "1:114 /actions/0/versions/3/0 the program 'a/b' is a relative path: write a name tha"
     "t is found on the command's PATH, or an absolute path; a program of your own can be "
     "an input\n"
     "1:126 /actions/0/versions/4/1 element 1 must be a string, not a number\n"
     "1:130 /actions/0/versions/5/0 element 0 must be a string, not null",
     NULL},
    {"test_action__tools",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','t"
     "ools':['sort','/bin/x','','bin/x','./x',3]}]}",
     "1:107 /actions/0/tools/2 a tool's name is empty: write the name of a program\n"
     "1:110 /actions/0/tools/3 the tool 'bin/x' is a relative path: write a name that is "
     "found on the command's PATH, or an absolute path; a program of your own can be an i"
     "nput\n"
     "1:118 /actions/0/tools/4 the tool './x' is a relative path: write a name that is fo"
     "und on the command's PATH, or an absolute path; a program of your own can be an inp"
     "ut\n"
     "1:124 /actions/0/tools/5 element 5 must be a string, not a number",
     NULL},
    {"test_action__tools_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','t"
     "ools':'sort'}]}",
     "1:90 /actions/0/tools 'tools' must be an array of strings, not a string", NULL},
    {"test_action__flags",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','f"
     "orceComputation':1,'isManaged':'no','keep':'yes'}]}",
     "1:101 /actions/0/forceComputation 'forceComputation' must be true or false, not a n"
     "umber\n"
     "1:115 /actions/0/isManaged 'isManaged' must be true or false, not a string\n"
     "1:127 /actions/0/keep 'keep' must be true or false, not a string",
     NULL},
    {"test_action__salt",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','s"
     "alt':5}]}",
     "1:89 /actions/0/salt 'salt' must be a string, not a number", NULL},
    {"test_action__keep_false_on_a_leaf",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','keep':false},{'id':2,'name':'c','type':'command-line','command':'cat in/*','pare"
     "ntActions':[{'id':1}],'keep':false}]}",
     "1:196 /actions/1/keep 'keep': false on an action without children: its output is a "
     "result that you ask for, leave 'keep' out",
     NULL},
    {"test_action__keep_true_on_a_leaf",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','k"
     "eep':true}]}",
     "", NULL},
    {"test_action__unmanaged_without_path",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false}]}",
     "1:94 /actions/0/isManaged 'isManaged': false needs 'outputPath': say where the outp"
     "ut goes",
     NULL},
    {"test_action__path_although_managed",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':true,'outputPath':'x'}]}",
     "1:112 /actions/0/outputPath 'outputPath' goes with 'isManaged': false: add that, or"
     " leave it out",
     NULL},
    {"test_action__path_of_an_unmanaged",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':3}]}",
     "1:113 /actions/0/outputPath 'outputPath' must be a string, not a number", NULL},
    {"test_action__path_without_base",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':'x'}]}",
     "1:113 /actions/0/outputPath the path 'x' is relative and there is no directory that"
     " it starts at: write an absolute path",
     "b"},
    {"test_action__path_that_is_no_file",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':'/a/..'}]}",
     "1:113 /actions/0/outputPath 'outputPath' must name a file or directory that can be "
     "made",
     NULL},
    {"test_action__path_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':''}]}",
     "1:113 /actions/0/outputPath 'outputPath' must name a file or directory that can be "
     "made",
     NULL},
    {"test_action__equal_paths",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','isManaged':false,'outputPath':'x'},{'id':2,'name':'c','type':'command-line','com"
     "mand':'cat in/*','isManaged':false,'outputPath':'./y/../x'},{'id':3,'name':'d','typ"
     "e':'command-line','command':'cat in/*','isManaged':false,'outputPath':'/base/x'}]}",
     "1:215 /actions/1/outputPath the action 1 'b' writes to /base/x too: give each actio"
     "n a path of its own\n"
     "1:320 /actions/2/outputPath the action 1 'b' writes to /base/x too: give each actio"
     "n a path of its own",
     NULL},
    {"test_action__nothing_wrong",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'x'}]}", "", NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
