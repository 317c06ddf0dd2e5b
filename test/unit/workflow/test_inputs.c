/* test_inputs.c - the rules of original datasets: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_inputs__inputs_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':{}}]}",
     "1:91 /actions/0/inputs 'inputs' must be an array such as [{'name': 'text', 'path': "
     "'a.txt'}], not an object",
     NULL},
    {"test_inputs__entries_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':['a.txt',2]}]}",
     "1:92 /actions/0/inputs/0 element 0 must be an object such as {'name': 'text', 'path"
     "': 'a.txt'}, not a string\n"
     "1:100 /actions/0/inputs/1 element 1 must be an object such as {'name': 'text', 'pat"
     "h': 'a.txt'}, not a number",
     NULL},
    {"test_inputs__nothing_given",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{}]}]}",
     "1:92 /actions/0/inputs/0 'name' is missing: the command finds the input as in/NAME\n"
     "1:92 /actions/0/inputs/0 an input needs 'path', or 'uri' and 'version'",
     NULL},
    {"test_inputs__folders",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'cat "
     "in/*','inputs':[{'name':'a/b','path':'p'},{'name':'a','path':'p'},{'name':'c/"
     "','path':'p'},{'name':'/c','path':'p'},{'name':'c//d','path':'p'},{'name':'1/2/3/4/5/6/7/8/"
     "9','path':'p'},{'name':'1/2/3/4/5/6/7/8','path':'p'}]}]}",
     "1:104 /actions/0/inputs/0/name the input name 'a/b' lies in in/a, which is a role or"
     " an input of this action itself: no name may be a folder of another\n"
     "1:154 /actions/0/inputs/2/name the input name 'c/' must be a letter, a digit or _, t"
     "hen up to 63 letters, digits, _ . -; up to 8 such words may be joined by /\n"
     "1:179 /actions/0/inputs/3/name the input name '/c' must be a letter, a digit or _, t"
     "hen up to 63 letters, digits, _ . -; up to 8 such words may be joined by /\n"
     "1:204 /actions/0/inputs/4/name the input name 'c//d' must be a letter, a digit or _,"
     " then up to 63 letters, digits, _ . -; up to 8 such words may be joined by /\n"
     "1:231 /actions/0/inputs/5/name the input name '1/2/3/4/5/6/7/8/9' must be a letter, "
     "a digit or _, then up to 63 letters, digits, _ . -; up to 8 such words may be joined"
     " by /",
     NULL},
    {"test_inputs__below_a_role",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'d'},{'id':2,'name'"
     ":'b','type':'external','description':'d','parentActions':[{'id':1,'as':'r'}],'inputs':[{'"
     "name':'r/x','path':'p'},{'name':'rr/x','path':'p'}]}]}",
     "1:189 /actions/1/inputs/0/name the input name 'r/x' lies in in/r, which is a role or"
     " an input of this action itself: no name may be a folder of another",
     NULL},
    {"test_inputs__names",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'a b','path':'p'},{'name':'','path':'p'},{'name':3,'path':'p'},{'pa"
     "th':'p'}]}]}",
     "1:100 /actions/0/inputs/0/name the input name 'a b' must be a letter, a digit or _, "
     "then up to 63 letters, digits, _ . -; up to 8 such words may be joined by /\n"
     "1:126 /actions/0/inputs/1/name the input name '' must be a letter, a digit or _, the"
     "n up to 63 letters, digits, _ . -; up to 8 such words may be joined by /\n"
     "1:149 /actions/0/inputs/2/name 'name' must be a string, not a number\n"
     "1:163 /actions/0/inputs/3 'name' is missing: the command finds the input as in/NAME",
     NULL},
    {"test_inputs__path_and_uri",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','uri':'u','version':'1'}]}]}",
     "1:92 /actions/0/inputs/0 an input has 'path' or 'uri', not both: leave one out\n"
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x",
     NULL},
    {"test_inputs__path_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':''},{'name':'y','path':1}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:111 /actions/0/inputs/0/path 'path' is empty: write the path of a file or directo"
     "ry\n"
     "W 1:115 /actions/0/inputs/1 the command never mentions the input 'y': it would be i"
     "n/y\n"
     "1:134 /actions/0/inputs/1/path 'path' must be a string, not a number",
     NULL},
    {"test_inputs__uri_without_version",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','uri':'u'},{'name':'y','uri':'','version':''},{'name':'z','uri'"
     ":1,'version':2}]}]}",
     "1:92 /actions/0/inputs/0 'version' is missing: it goes with 'uri' and says which co"
     "ntent is meant\n"
     "1:133 /actions/0/inputs/1/uri 'uri' is empty: write a URI\n"
     "1:146 /actions/0/inputs/1/version 'version' is empty: say which content of the uri "
     "is meant\n"
     "W 1:150 /actions/0/inputs/2 the command never mentions the input 'z': it would be i"
     "n/z\n"
     "1:168 /actions/0/inputs/2/uri 'uri' must be a string, not a number\n"
     "1:180 /actions/0/inputs/2/version 'version' must be a string, not a number",
     NULL},
    {"test_inputs__uri_with_what_belongs_to_a_path",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','uri':'u','version':'1','sha256':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','identity':'stat'}]}]}",
     "1:137 /actions/0/inputs/0/sha256 'sha256' goes with 'path'; a 'uri' has 'version'\n"
     "1:215 /actions/0/inputs/0/identity 'identity' goes with 'path'; a 'uri' has 'versio"
     "n'",
     NULL},
    {"test_inputs__path_with_version",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','version':'1'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:125 /actions/0/inputs/0/version 'version' goes with 'uri'; a 'path' is known by i"
     "ts content: leave it out",
     NULL},
    {"test_inputs__sha256",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','sha256':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaa'},{'name':'y','path':'p','sha256':'AAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'},{'name':'z','path':'p','sha256':'0a0a0a0a0"
     "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a'},{'name':'v','path':'p','s"
     "ha256':7}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:124 /actions/0/inputs/0/sha256 'sha256' must be 64 lower-case hexadecimal digits\n"
     "W 1:191 /actions/0/inputs/1 the command never mentions the input 'y': it would be i"
     "n/y\n"
     "1:223 /actions/0/inputs/1/sha256 'sha256' must be 64 lower-case hexadecimal digits\n"
     "W 1:291 /actions/0/inputs/2 the command never mentions the input 'z': it would be i"
     "n/z\n"
     "W 1:391 /actions/0/inputs/3 the command never mentions the input 'v': it would be i"
     "n/v\n"
     "1:423 /actions/0/inputs/3/sha256 'sha256' must be a string, not a number",
     NULL},
    {"test_inputs__sha256_and_stat",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','sha256':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaa','identity':'stat'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:202 /actions/0/inputs/0/identity 'identity': 'stat' and 'sha256' exclude each oth"
     "er: leave one out",
     NULL},
    {"test_inputs__identity",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','identity':'hash'},{'name':'y','path':'p','identity'"
     ":true},{'name':'z','path':'p','identity':'content'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:126 /actions/0/inputs/0/identity 'identity' must be 'content' or 'stat', not 'has"
     "h'\n"
     "W 1:134 /actions/0/inputs/1 the command never mentions the input 'y': it would be i"
     "n/y\n"
     "1:168 /actions/0/inputs/1/identity 'identity' must be a string, not a boolean\n"
     "W 1:174 /actions/0/inputs/2 the command never mentions the input 'z': it would be i"
     "n/z",
     NULL},
    {"test_inputs__unknown_keys",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','Path':'p','path':'p','urn':'p','x-':1}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:104 /actions/0/inputs/0/Path unknown key 'Path': did you mean 'path'?\n"
     "1:126 /actions/0/inputs/0/urn unknown key 'urn': did you mean 'uri'?",
     NULL},
    {"test_inputs__path_without_base",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p'},{'name':'y','path':'/p'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:111 /actions/0/inputs/0/path the path 'p' is relative and there is no directory t"
     "hat it starts at: write an absolute path\n"
     "W 1:116 /actions/0/inputs/1 the command never mentions the input 'y': it would be i"
     "n/y",
     "b"},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
