/* test_command_warn.c - what is probably a mistake in a command, and what is not: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_command_warn__operators_in_an_array",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['cat','in/*','|','sort','>',"
     "'x','>>','||'],'parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text'"
     ",'path':'/exists/text'}]}]}",
     "W 1:152 /actions/1/command/2 '|' is handed to the program as an argument: write the "
     "command as a string, and a shell will interpret it\n"
     "W 1:163 /actions/1/command/4 '>' is handed to the program as an argument: write the "
     "command as a string, and a shell will interpret it",
     NULL},
    {"test_command_warn__operators_in_a_string",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/* | sort > x','parent"
     "Actions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'"
     "}]}]}",
     "", NULL},
    {"test_command_warn__undeclared_file",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/* /exists/other; cat "
     "< /exists/./other --x=/exists/third','parentActions':[{'id':1,'as':'words.txt'}],'i"
     "nputs':[{'name':'text','path':'/exists/text'}]}]}",
     "W 1:138 /actions/1/command the file /exists/other exists and nothing declares it, s"
     "o its content is no part of the hash: add it to 'inputs', or a program to 'tools'\n"
     "W 1:138 /actions/1/command the file /exists/third exists and nothing declares it, s"
     "o its content is no part of the hash: add it to 'inputs', or a program to 'tools'",
     NULL},
    {"test_command_warn__undeclared_file_in_an_array",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['/exists/bin/sort','in/*','/"
     "exists/with space','--f=/exists/x'],'parentActions':[{'id':1,'as':'words.txt'}],'in"
     "puts':[{'name':'text','path':'/exists/text'}]}]}",
     "W 1:139 /actions/1/command/0 the file /exists/bin/sort exists and nothing declares "
     "it, so its content is no part of the hash: add it to 'inputs', or a program to 'too"
     "ls'\n"
     "W 1:165 /actions/1/command/2 the file /exists/with space exists and nothing declare"
     "s it, so its content is no part of the hash: add it to 'inputs', or a program to 't"
     "ools'\n"
     "W 1:186 /actions/1/command/3 the file /exists/x exists and nothing declares it, so "
     "its content is no part of the hash: add it to 'inputs', or a program to 'tools'",
     NULL},
    {"test_command_warn__declared_file",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/* /exists/text /exist"
     "s/text/below','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text',"
     "'path':'/exists/text'}]}]}",
     "", NULL},
    {"test_command_warn__declared_tool",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['/exists/bin/sort','/exists/"
     "bin/x','in/*'],'parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text'"
     ",'path':'/exists/text'}],'tools':['sort','/exists/bin/x']}]}",
     "", NULL},
    {"test_command_warn__file_that_is_not_there",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/* /absent/file /dev/n"
     "ull','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/"
     "exists/text'}]}]}",
     "", NULL},
    {"test_command_warn__path_with_a_pattern",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/* /exists/*.txt /exis"
     "ts/$x','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':"
     "'/exists/text'}]}]}",
     "", NULL},
    {"test_command_warn__strict",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['date','|'],'parentActions':"
     "[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]}",
     "1:146 /actions/1/command/1 '|' is handed to the program as an argument: write the co"
     "mmand as a string, and a shell will interpret it\n"
     "1:168 /actions/1/parentActions/0 the command never mentions the role 'words.txt': it"
     " would be in/words.txt\n"
     "1:205 /actions/1/inputs/0 the command never mentions the input 'text': it would be i"
     "n/text",
     "s"},
    {"test_command_warn__what_a_script_reads_is_not_known",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'python3 -u "
     "in/a.py',"
     "'inputs':[{'name':'a.py','path':'/exists/a.py'},{'name':'data','path':'/exists/data'}]},"
     "{'id':2,'name':'b','type':'command-line','command':'cat in/data','inputs':["
     "{'name':'a.py','path':'/exists/a.py'},{'name':'data','path':'/exists/data'}]}]}",
     "W 1:259 /actions/1/inputs/0 the command never mentions the input 'a.py': it would be in/a.py",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
