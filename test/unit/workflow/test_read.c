/* test_read.c - single values: what an id may be: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_read__id_with_fraction",
     "{'name':'w','actions':[{'id':1.0,'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1.0: wri"
     "te 1",
     NULL},
    {"test_read__id_with_half",
     "{'name':'w','actions':[{'id':1.5,'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1.5", NULL},
    {"test_read__id_a_string",
     "{'name':'w','actions':[{'id':'1','name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not the stri"
     "ng '1': write 1",
     NULL},
    {"test_read__id_another_string",
     "{'name':'w','actions':[{'id':'one','name':'a','type':'command-line','command':'true"
     "'}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not the stri"
     "ng 'one'",
     NULL},
    {"test_read__id_two_to_the_53",
     "{'name':'w','actions':[{'id':9007199254740992,'name':'a','type':'command-line','com"
     "mand':'true'}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 90071992"
     "54740992",
     NULL},
    {"test_read__id_negative",
     "{'name':'w','actions':[{'id':-1,'name':'a','type':'command-line','command':'true'}]"
     "}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not -1", NULL},
    {"test_read__id_negative_zero",
     "{'name':'w','actions':[{'id':-0,'name':'a','type':'command-line','command':'true'}]"
     "}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not -0: writ"
     "e 0",
     NULL},
    {"test_read__id_with_exponent",
     "{'name':'w','actions':[{'id':1e3,'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1e3: wri"
     "te 1000",
     NULL},
    {"test_read__id_huge",
     "{'name':'w','actions':[{'id':1e300,'name':'a','type':'command-line','command':'true"
     "'}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not 1e300", NULL},
    {"test_read__id_a_boolean",
     "{'name':'w','actions':[{'id':true,'name':'a','type':'command-line','command':'true'"
     "}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not a boolea"
     "n",
     NULL},
    {"test_read__id_null",
     "{'name':'w','actions':[{'id':null,'name':'a','type':'command-line','command':'true'"
     "}]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not null", NULL},
    {"test_read__id_an_array",
     "{'name':'w','actions':[{'id':[1],'name':'a','type':'command-line','command':'true'}"
     "]}",
     "1:30 /actions/0/id 'id' must be an integer from 0 to 9007199254740991, not an array", NULL},
    {"test_read__id_zero",
     "{'name':'w','actions':[{'id':0,'name':'a','type':'command-line','command':'cat in/*"
     "'}]}",
     "", NULL},
    {"test_read__id_largest",
     "{'name':'w','actions':[{'id':9007199254740991,'name':'a','type':'command-line','com"
     "mand':'true'}]}",
     "", NULL},
    {"test_read__id_missing",
     "{'name':'w','actions':[{'name':'a','type':'command-line','command':'true'}]}",
     "1:24 /actions/0 'id' is missing: an action needs an integer of its own", NULL},
    {"test_read__id_twice",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "'},{'id':2,'name':'c','type':'command-line','command':'cat in/*'},{'id':1,'name':'b"
     "','type':'command-line','command':'cat in/*'},{'id':1,'name':'b','type':'command-li"
     "ne','command':'cat in/*'}]}",
     "1:156 /actions/2/id the id 1 belongs to the action 'b' (/actions/0): give each an i"
     "d of its own, such as 3\n"
     "1:219 /actions/3/id the id 1 belongs to the action 'b' (/actions/0): give each an i"
     "d of its own, such as 4",
     NULL},
    {"test_read__id_twice_at_the_end_of_the_range",
     "{'name':'w','actions':[{'id':9007199254740991,'name':'a','type':'command-line','com"
     "mand':'true'},{'id':9007199254740991,'name':'b','type':'command-line','command':'tr"
     "ue'}]}",
     "1:104 /actions/1/id the id 9007199254740991 belongs to the action 'a' (/actions/0):"
     " give each an id of its own",
     NULL},
    {"test_read__keys_that_begin_with_digits",
     "{'name':'w','env':{'1A':3,'0':2},'labels':{'7':[]},'actions':[{'id':1,'name':'a','type':'"
     "external','description':'d','resources':{'licences':{'7zip':0}}}]}",
     "1:25 /env/1A '1A' must be a string, not a number\n"
     "1:31 /env/0 '0' must be a string, not a number\n"
     "1:48 /labels/7 '7' must be a string, not an array\n"
     "1:150 /actions/0/resources/licences/7zip '7zip' must be an integer from 1 to 65536, not 0",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
