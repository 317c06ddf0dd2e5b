/* test_links.c - parents that are there, and names in the directory in/: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_links__undefined_parents",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1},{'id':3},{'id':0}]}]}",
     "1:181 /actions/1/parentActions/1/id no action has the id 3: the ids here are 1 to 2"
     "\n"
     "1:190 /actions/1/parentActions/2/id no action has the id 0: the ids here are 1 to 2",
     NULL},
    {"test_links__undefined_parent_among_scattered_ids",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':5,'name':'f','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':3}]}]}",
     "1:172 /actions/1/parentActions/0/id no action has the id 3: name one that is define"
     "d",
     NULL},
    {"test_links__roles_that_do_not_match",
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
    {"test_links__roles_that_match",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr'},{'i"
     "d':1,'as':'_'},{'id':1,'as':'0.-'}]}]}",
     "", NULL},
    {"test_links__role_twice",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'x'},{'id':1,'as':'x'}]}]}",
     "1:197 /actions/1/parentActions/1/as the role 'x' is a role of this action already: "
     "all become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_links__role_that_is_a_position",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'2'},{'id':1}]}]}",
     "1:184 /actions/1/parentActions/1 the role '2' is a role of this action already: all"
     " become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_links__role_and_input_name",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':1,'as':'x'}],'inputs':[{'name':'x','path':'p'},{'name':'y','path':'p'},{'name'"
     ":'y','path':'q'}]}]}",
     "1:203 /actions/1/inputs/0/name the input name 'x' is a role of this action already:"
     " all become links in the directory in/, so each needs a name of its own\n"
     "1:251 /actions/1/inputs/2/name the input name 'y' is an input name of this action a"
     "lready: all become links in the directory in/, so each needs a name of its own",
     NULL},
    {"test_links__many_roles",
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
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
