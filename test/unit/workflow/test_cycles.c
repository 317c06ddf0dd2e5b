/* test_cycles.c - cycles are named: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_cycles__own_parent",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','parentActions':[{'id':1}]}]}",
     "1:103 /actions/0/parentActions/0 the action is its own parent: 1 'b' needs 1 'b'", NULL},
    {"test_cycles__cycle_of_two",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','parentActions':[{'id':2}]},{'id':2,'name':'c','type':'command-line','command':'c"
     "at in/*','parentActions':[{'id':1}]}]}",
     "1:103 /actions/0/parentActions/0 a cycle: 1 'b' needs 2 'c' needs 1 'b': remove one"
     " of these parents",
     NULL},
    {"test_cycles__cycle_of_three_with_a_tail",
     "{'name':'w','actions':[{'id':9,'name':'j','type':'command-line','command':'cat in/*"
     "'},{'id':3,'name':'d','type':'command-line','command':'cat in/*','parentActions':[{"
     "'id':9},{'id':1}]},{'id':1,'name':'b','type':'command-line','command':'cat in/*','p"
     "arentActions':[{'id':2}]},{'id':2,'name':'c','type':'command-line','command':'cat i"
     "n/*','parentActions':[{'id':9},{'id':3}]},{'id':4,'name':'e','type':'command-line',"
     "'command':'cat in/*','parentActions':[{'id':3}]}]}",
     "1:175 /actions/1/parentActions/1 a cycle: 3 'd' needs 1 'b' needs 2 'c' needs 3 'd'"
     ": remove one of these parents",
     NULL},
    {"test_cycles__two_cycles",
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
    {"test_cycles__long_cycle",
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
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
