/* test_command_links.c - which links a command mentions: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_command_links__folders_by_option",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cc -Iin/include "
     "x.c','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/deep/"
     "x.h','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_by_option_of_all",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cc -Iin "
     "x.c','inputs':[{'name':'lua.h','path':'/exists/x'},{'name':'a/b.h','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_in_an_array",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':['cc','-Iin','x.c']"
     ",'inputs':[{'name':'lua.h','path':'/exists/x'},{'name':'a/b.h','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_by_name",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cp -r in/include "
     ".','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/deep/x.h','path':'/"
     "exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_by_pattern",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat "
     "in/include/*.h','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/deep/"
     "x.h','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_by_cd",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cd in && cc "
     "-Iinclude "
     "x.c','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/deep/"
     "x.h','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_each",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat "
     "in/include/lua.h "
     "in/include/deep/x.h','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/"
     "deep/x.h','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_one_missing",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat "
     "in/include/lua.h','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/"
     "deep/x.h','path':'/exists/x'}]}]}",
     "W 1:152 /actions/0/inputs/1 the command never mentions the input 'include/deep/x.h':"
     " it would be in/include/deep/x.h",
     NULL},
    {"test_command_links__folders_below_one",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat "
     "in/include/deep/*','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/"
     "deep/x.h','path':'/exists/x'}]}]}",
     "W 1:109 /actions/0/inputs/0 the command never mentions the input 'include/lua.h': it"
     " would be in/include/lua.h",
     NULL},
    {"test_command_links__folders_of_none",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat "
     "in/include/lua.h in/include/deep/y.h "
     "in/include/deep','inputs':[{'name':'include/lua.h','path':'/exists/x'},{'name':'include/deep/"
     "x.h','path':'/exists/x'}]}]}",
     "W 1:75 /actions/0/command in/include/deep/y.h: no parent has the role and no input t"
     "he name 'include/deep/y.h'",
     NULL},
    {"test_command_links__folders_many",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cc -Iin/d "
     "x.c','inputs':[{'name':'d/a','path':'/exists/x'},{'name':'d/b','path':'/exists/"
     "x'},{'name':'d/c','path':'/exists/x'},{'name':'d/d','path':'/exists/x'},{'name':'d/"
     "e','path':'/exists/x'},{'name':'d/f','path':'/exists/x'},{'name':'d/g','path':'/exists/"
     "x'},{'name':'d/h','path':'/exists/x'},{'name':'d/i','path':'/exists/x'},{'name':'d/"
     "j','path':'/exists/x'},{'name':'d/k','path':'/exists/x'},{'name':'d/l','path':'/exists/"
     "x'},{'name':'d/m','path':'/exists/x'},{'name':'d/n','path':'/exists/x'},{'name':'d/"
     "o','path':'/exists/x'},{'name':'d/p','path':'/exists/x'}]}]}",
     "", NULL},
    {"test_command_links__folders_many_one",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/d/"
     "a/below in/d/zz in/d/b in/d/c in/d/d in/d/e in/d/f in/d/g in/d/h in/d/i in/d/j in/d/"
     "k in/d/l','inputs':[{'name':'d/a','path':'/exists/x'},{'name':'d/b','path':'/exists/"
     "x'},{'name':'d/c','path':'/exists/x'},{'name':'d/d','path':'/exists/x'},{'name':'d/e"
     "','path':'/exists/x'},{'name':'d/f','path':'/exists/x'},{'name':'d/g','path':'/exist"
     "s/x'},{'name':'d/h','path':'/exists/x'},{'name':'d/i','path':'/exists/x'},{'name':'d"
     "/j','path':'/exists/x'},{'name':'d/k','path':'/exists/x'},{'name':'d/l','path':'/exi"
     "sts/x'},{'name':'d/m','path':'/exists/x'}]}]}",
     "W 1:75 /actions/0/command in/d/zz: no parent has the role and no input the name 'd/z"
     "z'\n"
     "W 1:597 /actions/0/inputs/12 the command never mentions the input 'd/m': it would be"
     " in/d/m",
     NULL},
    {"test_command_links__all_mentioned",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'sort in/words.txt in/text','"
     "parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists"
     "/text'}]}]}",
     "", NULL},
    {"test_command_links__mentioned_by_name",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cd in && cat words.txt text'"
     ",'parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exis"
     "ts/text'}]}]}",
     "", NULL},
    {"test_command_links__mentioned_by_pattern",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]}",
     "", NULL},
    {"test_command_links__mentioned_by_another_pattern",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/w* ','parentActions':"
     "[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]}",
     "", NULL},
    {"test_command_links__mentioned_by_the_directory",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'ls in','parentActions':[{'id"
     "':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]}",
     "", NULL},
    {"test_command_links__mentioned_by_the_directory_with_a_slash",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['ls','in/'],'parentActions':"
     "[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]}",
     "", NULL},
    {"test_command_links__mentioned_by_a_variable",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'for f in a b; do cat in/$f; "
     "done','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'"
     "/exists/text'}]}]}",
     "", NULL},
    {"test_command_links__a_loop_is_no_mention",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'for f in a b; do echo $f; do"
     "ne','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/e"
     "xists/text'}]}]}",
     "W 1:188 /actions/1/parentActions/0 the command never mentions the role 'words.txt':"
     " it would be in/words.txt\n"
     "W 1:225 /actions/1/inputs/0 the command never mentions the input 'text': it would b"
     "e in/text",
     NULL},
    {"test_command_links__a_case_is_no_mention",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'case $x in esac','parentActi"
     "ons':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]"
     "}",
     "W 1:173 /actions/1/parentActions/0 the command never mentions the role 'words.txt':"
     " it would be in/words.txt\n"
     "W 1:210 /actions/1/inputs/0 the command never mentions the input 'text': it would b"
     "e in/text",
     NULL},
    {"test_command_links__one_not_mentioned",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'sort in/words.txt','parentAc"
     "tions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]"
     "}]}",
     "W 1:212 /actions/1/inputs/0 the command never mentions the input 'text': it would b"
     "e in/text",
     NULL},
    {"test_command_links__none_mentioned",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['date'],'parentActions':[{'i"
     "d':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}]}]}",
     "W 1:164 /actions/1/parentActions/0 the command never mentions the role 'words.txt':"
     " it would be in/words.txt\n"
     "W 1:201 /actions/1/inputs/0 the command never mentions the input 'text': it would b"
     "e in/text",
     NULL},
    {"test_command_links__mentioned_in_env",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/text $W','parentActio"
     "ns':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exists/text'}],'e"
     "nv':{'W':'in/words.txt'}}]}",
     "", NULL},
    {"test_command_links__what_is_no_file_has_no_link",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'psql','i"
     "nputs':[{'name':'t','uri':'db:t','version':'1'}]},{'id':2,'name':'b','type':'comman"
     "d-line','command':'cat in/t','inputs':[{'name':'t','uri':'db:t','version':'1'}]}]}",
     "W 1:185 /actions/1/command in/t: the input 't' is a URI, which the command has to fetch", NULL},
    {"test_command_links__unknown_link",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/words.txt in/text in/"
     "word in/word ./in/nothing','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'"
     "name':'text','path':'/exists/text'}]}]}",
     "W 1:138 /actions/1/command in/word: no parent has the role and no input the name 'w"
     "ord'\n"
     "W 1:138 /actions/1/command in/nothing: no parent has the role and no input the name"
     " 'nothing'",
     NULL},
    {"test_command_links__unknown_link_in_an_array",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':['cat','in/words.txt','in/tex"
     "t','in/word','--from=in/texts'],'parentActions':[{'id':1,'as':'words.txt'}],'inputs"
     "':[{'name':'text','path':'/exists/text'}]}]}",
     "W 1:170 /actions/1/command/3 in/word: no parent has the role and no input the name "
     "'word'\n"
     "W 1:180 /actions/1/command/4 in/texts: no parent has the role and no input the name"
     " 'texts'",
     NULL},
    {"test_command_links__not_the_directory_in",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/words.txt in/text /us"
     "r/in/a b/in/c login/x','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name"
     "':'text','path':'/exists/text'}]}]}",
     "", NULL},
    {"test_command_links__end_of_a_sentence",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'echo in/words.txt. in/text.'"
     ",'parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path':'/exis"
     "ts/text'}]}]}",
     "", NULL},
    {"test_command_links__below_a_link",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'b','type':'command-line','command':'cat in/words.txt/part/1 in/t"
     "ext/..','parentActions':[{'id':1,'as':'words.txt'}],'inputs':[{'name':'text','path'"
     ":'/exists/text'}]}]}",
     "", NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
