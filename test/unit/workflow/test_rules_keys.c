/* test_rules_keys.c - the rules of an action's keys: inputs, tools, resources, the types' own:
 * one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    /* inputs */
    {"test_rules_keys__inputs_inputs_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':{}}]}",
     "1:91 /actions/0/inputs 'inputs' must be an array such as [{'name': 'text', 'path': "
     "'a.txt'}], not an object",
     NULL},
    {"test_rules_keys__inputs_entries_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':['a.txt',2]}]}",
     "1:92 /actions/0/inputs/0 element 0 must be an object such as {'name': 'text', 'path"
     "': 'a.txt'}, not a string\n"
     "1:100 /actions/0/inputs/1 element 1 must be an object such as {'name': 'text', 'pat"
     "h': 'a.txt'}, not a number",
     NULL},
    {"test_rules_keys__inputs_nothing_given",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{}]}]}",
     "1:92 /actions/0/inputs/0 'name' is missing: the command finds the input as in/NAME\n"
     "1:92 /actions/0/inputs/0 an input needs 'path', or 'uri' and 'version'",
     NULL},
    {"test_rules_keys__shell_unknown",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','shell':'zsh'}]"
     "}",
     "1:87 /actions/0/shell unknown shell 'zsh': write 'bash' (which is /bin/bash -euo pip"
     "efail -c), 'sh' (/bin/sh -c), or an array of a program and its arguments",
     NULL},
    {"test_rules_keys__shell_of_nothing",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','shell':['']}]"
     "}",
     "1:87 /actions/0/shell 'shell' names no program: write a program and its arguments, s"
     "uch as ['/bin/sh', '-c']; the command comes behind them",
     NULL},
    {"test_rules_keys__shell_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','shell':3}]}",
     "1:87 /actions/0/shell 'shell' must be a string or an array of strings, not a number", NULL},
    {"test_rules_keys__shell_with_an_array",
     "{'name':'w','shell':'sh','actions':[{'id':1,'name':'a','type':'command-line','command':['a'],"
     "'shell':'sh'}]}",
     "1:102 /actions/0/shell 'shell' goes with a 'command' that is a string: an array is e"
     "xecuted as it is, leave 'shell' out",
     NULL},
    {"test_rules_keys__shell_of_the_workflow",
     "{'name':'w','shell':'zsh','actions':[{'id':1,'name':'a','type':'command-line','command':'a'}]"
     "}",
     "1:21 /shell unknown shell 'zsh': write 'bash' (which is /bin/bash -euo pipefail -c),"
     " 'sh' (/bin/sh -c), or an array of a program and its arguments",
     NULL},
    {"test_rules_keys__shell_of_the_workflow_of_another_kind",
     "{'name':'w','shell':{},'actions':[{'id':1,'name':'a','type':'command-line','command':'a'}]}",
     "1:21 /shell 'shell' must be a string or an array of strings, not an object", NULL},
    {"test_rules_keys__versions_kinds",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','versions':'a'}"
     "]}",
     "1:90 /actions/0/versions 'versions' must be an array of commands such as [['samtools"
     "', '--version']], not a string",
     NULL},
    {"test_rules_keys__versions_commands",
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
    {"test_rules_keys__labels",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','labels':{'a "
     "b':'x','c':3,'':'y'}}]}",
     "1:89 /actions/0/labels/a b the label's name 'a b' must be a letter, a digit or _, th"
     "en up to 63 letters, digits, _ . -\n"
     "1:103 /actions/0/labels/c 'c' must be a string, not a number\n"
     "1:105 /actions/0/labels/ the label's name '' must be a letter, a digit or _, then up"
     " to 63 letters, digits, _ . -",
     NULL},
    {"test_rules_keys__labels_of_the_workflow",
     "{'name':'w','labels':{'a/"
     "b':'x','c':null},'actions':[{'id':1,'name':'a','type':'command-line','command':'a'}]}",
     "1:23 /labels/a~1b the label's name 'a/b' must be a letter, a digit or _, then up to "
     "63 letters, digits, _ . -\n"
     "1:37 /labels/c 'c' must be a string, not null",
     NULL},
    {"test_rules_keys__executor",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','executor':'a "
     "b'}]}",
     "1:90 /actions/0/executor the executor's name 'a b' must be a letter, a digit or _, t"
     "hen up to 63 letters, digits, _ . -, such as 'local'",
     NULL},
    {"test_rules_keys__executor_options",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','"
     "executorOptions':{'a':[],'b':true,'c':null,'d':{'e':1},'f':'x','g':1}}]}",
     "1:102 /actions/0/executorOptions/a 'a' must be a string or a number, not an array\n"
     "1:109 /actions/0/executorOptions/b 'b' must be a string or a number, not a boolean\n"
     "1:118 /actions/0/executorOptions/c 'c' must be a string or a number, not null\n"
     "1:127 /actions/0/executorOptions/d 'd' must be a string or a number, not an object",
     NULL},
    {"test_rules_keys__executor_options_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','"
     "executorOptions':'a'}]}",
     "1:97 /actions/0/executorOptions 'executorOptions' must be an object of strings and n"
     "umbers, not a string",
     NULL},
    {"test_rules_keys__executor_options_of_the_workflow",
     "{'name':'w','executorOptions':{'a':[]},'actions':[{'id':1,'name':'a','type':'command-line','"
     "command':'a'}]}",
     "1:36 /executorOptions/a 'a' must be a string or a number, not an array", NULL},
    {"test_rules_keys__sandbox",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a','sandbox':'off'"
     "}]}",
     "1:89 /actions/0/sandbox 'sandbox' must be true or false, not a string", NULL},
    {"test_rules_keys__inputs_folders",
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
    {"test_rules_keys__inputs_below_a_role",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'d'},{'id':2,'name'"
     ":'b','type':'external','description':'d','parentActions':[{'id':1,'as':'r'}],'inputs':[{'"
     "name':'r/x','path':'p'},{'name':'rr/x','path':'p'}]}]}",
     "1:189 /actions/1/inputs/0/name the input name 'r/x' lies in in/r, which is a role or"
     " an input of this action itself: no name may be a folder of another",
     NULL},
    {"test_rules_keys__inputs_names",
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
    {"test_rules_keys__inputs_path_and_uri",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','uri':'u','version':'1'}]}]}",
     "1:92 /actions/0/inputs/0 an input has 'path' or 'uri', not both: leave one out\n"
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x",
     NULL},
    {"test_rules_keys__inputs_path_empty",
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
    {"test_rules_keys__inputs_uri_without_version",
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
    {"test_rules_keys__inputs_uri_with_what_belongs_to_a_path",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','uri':'u','version':'1','sha256':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','identity':'stat'}]}]}",
     "1:137 /actions/0/inputs/0/sha256 'sha256' goes with 'path'; a 'uri' has 'version'\n"
     "1:215 /actions/0/inputs/0/identity 'identity' goes with 'path'; a 'uri' has 'versio"
     "n'",
     NULL},
    {"test_rules_keys__inputs_path_with_version",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','version':'1'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:125 /actions/0/inputs/0/version 'version' goes with 'uri'; a 'path' is known by i"
     "ts content: leave it out",
     NULL},
    {"test_rules_keys__inputs_sha256",
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
    {"test_rules_keys__inputs_sha256_and_stat",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p','sha256':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaa','identity':'stat'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:202 /actions/0/inputs/0/identity 'identity': 'stat' and 'sha256' exclude each oth"
     "er: leave one out",
     NULL},
    {"test_rules_keys__inputs_identity",
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
    {"test_rules_keys__inputs_unknown_keys",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','Path':'p','path':'p','urn':'p','x-':1}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:104 /actions/0/inputs/0/Path unknown key 'Path': did you mean 'path'?\n"
     "1:126 /actions/0/inputs/0/urn unknown key 'urn': did you mean 'uri'?",
     NULL},
    {"test_rules_keys__inputs_path_without_base",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "nputs':[{'name':'x','path':'p'},{'name':'y','path':'/p'}]}]}",
     "W 1:92 /actions/0/inputs/0 the command never mentions the input 'x': it would be in"
     "/x\n"
     "1:111 /actions/0/inputs/0/path the path 'p' is relative and there is no directory t"
     "hat it starts at: write an absolute path\n"
     "W 1:116 /actions/0/inputs/1 the command never mentions the input 'y': it would be i"
     "n/y",
     "b"},
    /* other keys */
    {"test_rules_keys__tools",
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
    {"test_rules_keys__tools_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','t"
     "ools':'sort'}]}",
     "1:90 /actions/0/tools 'tools' must be an array of strings, not a string", NULL},
    {"test_rules_keys__flags",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','f"
     "orceComputation':1,'isManaged':'no','keep':'yes'}]}",
     "1:101 /actions/0/forceComputation 'forceComputation' must be true or false, not a n"
     "umber\n"
     "1:115 /actions/0/isManaged 'isManaged' must be true or false, not a string\n"
     "1:127 /actions/0/keep 'keep' must be true or false, not a string",
     NULL},
    {"test_rules_keys__salt",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','s"
     "alt':5}]}",
     "1:89 /actions/0/salt 'salt' must be a string, not a number", NULL},
    {"test_rules_keys__keep_false_on_a_leaf",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','keep':false},{'id':2,'name':'c','type':'command-line','command':'cat in/*','pare"
     "ntActions':[{'id':1}],'keep':false}]}",
     "1:196 /actions/1/keep 'keep': false on an action without children: its output is a "
     "result that you ask for, leave 'keep' out",
     NULL},
    {"test_rules_keys__keep_true_on_a_leaf",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','k"
     "eep':true}]}",
     "", NULL},
    {"test_rules_keys__unmanaged_without_path",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false}]}",
     "1:94 /actions/0/isManaged 'isManaged': false needs 'outputPath': say where the outp"
     "ut goes",
     NULL},
    {"test_rules_keys__path_although_managed",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':true,'outputPath':'x'}]}",
     "1:112 /actions/0/outputPath 'outputPath' goes with 'isManaged': false: add that, or"
     " leave it out",
     NULL},
    {"test_rules_keys__path_of_an_unmanaged",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':3}]}",
     "1:113 /actions/0/outputPath 'outputPath' must be a string, not a number", NULL},
    {"test_rules_keys__path_without_base",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':'x'}]}",
     "1:113 /actions/0/outputPath the path 'x' is relative and there is no directory that"
     " it starts at: write an absolute path",
     "b"},
    {"test_rules_keys__path_that_is_no_file",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':'/a/..'}]}",
     "1:113 /actions/0/outputPath 'outputPath' must name a file or directory that can be "
     "made",
     NULL},
    {"test_rules_keys__path_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','i"
     "sManaged':false,'outputPath':''}]}",
     "1:113 /actions/0/outputPath 'outputPath' must name a file or directory that can be "
     "made",
     NULL},
    {"test_rules_keys__equal_paths",
     "{'name':'w','actions':[{'id':1,'name':'b','type':'command-line','command':'cat in/*"
     "','isManaged':false,'outputPath':'x'},{'id':2,'name':'c','type':'command-line','com"
     "mand':'cat in/*','isManaged':false,'outputPath':'./y/../x'},{'id':3,'name':'d','typ"
     "e':'command-line','command':'cat in/*','isManaged':false,'outputPath':'/base/x'}]}",
     "1:215 /actions/1/outputPath the action 1 'b' writes to /base/x too: give each actio"
     "n a path of its own\n"
     "1:320 /actions/2/outputPath the action 1 'b' writes to /base/x too: give each actio"
     "n a path of its own",
     NULL},
    {"test_rules_keys__resources_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':3}]}",
     "1:94 /actions/0/resources 'resources' must be an object such as {'cpus': 2, 'memory"
     "MB': 500}, not a number",
     NULL},
    {"test_rules_keys__resources",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':{'cpus':0,'memoryMB':-5,'timeLimitSeconds':1.5,'memory':3,'cpu':2}}]}",
     "1:102 /actions/0/resources/cpus 'cpus' must be an integer from 1 to 65536, not 0\n"
     "1:115 /actions/0/resources/memoryMB 'memoryMB' must be an integer from 1 to 1000000"
     "000, not -5\n"
     "1:137 /actions/0/resources/timeLimitSeconds 'timeLimitSeconds' must be an integer f"
     "rom 1 to 1000000000, not 1.5\n"
     "1:141 /actions/0/resources/memory unknown key 'memory': did you mean 'memoryMB'?\n"
     "1:152 /actions/0/resources/cpu unknown key 'cpu': did you mean 'cpus'?",
     NULL},
    {"test_rules_keys__resources_too_large",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':{'cpus':65537,'memoryMB':1000000001,'timeLimitSeconds':1000000001}}]}",
     "1:102 /actions/0/resources/cpus 'cpus' must be an integer from 1 to 65536, not 6553"
     "7\n"
     "1:119 /actions/0/resources/memoryMB 'memoryMB' must be an integer from 1 to 1000000"
     "000, not 1000000001\n"
     "1:149 /actions/0/resources/timeLimitSeconds 'timeLimitSeconds' must be an integer f"
     "rom 1 to 1000000000, not 1000000001",
     NULL},
    {"test_rules_keys__resources_at_their_ends",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':{'cpus':65536,'memoryMB':1000000000,'timeLimitSeconds':1}}]}",
     "", NULL},
    {"test_rules_keys__resources_of_all_kinds",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'cpus':[1,2],'memoryMB':[1],'timeLimitSeconds':[5,5,5],'gpus':[0,1],'maxMe"
     "moryMB':1,'grow':true,'licences':{'matlab':1,'ansys@host.x':65536}}}]}",
     "", NULL},
    {"test_rules_keys__resources_lists",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'cpus':[],'memoryMB':[1,0,'2'],'gpus':-1,'timeLimitSeconds':[1.0],'maxMemo"
     "ryMB':[1],'grow':1}}]}",
     "1:102 /actions/0/resources/cpus the list is empty: write what the first try gets, an"
     "d the next ones\n"
     "1:119 /actions/0/resources/memoryMB/1 element 1 must be an integer from 1 to 1000000"
     "000, not 0\n"
     "1:121 /actions/0/resources/memoryMB/2 element 2 must be an integer from 1 to 1000000"
     "000, not the string '2': write 2\n"
     "1:133 /actions/0/resources/gpus 'gpus' must be an integer from 0 to 65536, not -1\n"
     "1:156 /actions/0/resources/timeLimitSeconds/0 element 0 must be an integer from 1 to"
     " 1000000000, not 1.0: write 1\n"
     "1:175 /actions/0/resources/maxMemoryMB 'maxMemoryMB' must be an integer from 1 to 10"
     "00000000, not an array\n"
     "1:186 /actions/0/resources/grow 'grow' must be true or false, not a number",
     NULL},
    {"test_rules_keys__resources_licences",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'licences':{'a b':1,'':1,'a@':1,'@a':1,'a@b@c':1}}}]}",
     "1:107 /actions/0/resources/licences/a b the licence's name 'a b' must be a letter, a"
     " digit or _, then up to 63 letters, digits, _ . -; two such words may be joined by @\n"
     "1:115 /actions/0/resources/licences/ the licence's name '' must be a letter, a digit"
     " or _, then up to 63 letters, digits, _ . -; two such words may be joined by @\n"
     "1:120 /actions/0/resources/licences/a@ the licence's name 'a@' must be a letter, a d"
     "igit or _, then up to 63 letters, digits, _ . -; two such words may be joined by @\n"
     "1:127 /actions/0/resources/licences/@a the licence's name '@a' must be a letter, a d"
     "igit or _, then up to 63 letters, digits, _ . -; two such words may be joined by @\n"
     "1:134 /actions/0/resources/licences/a@b@c the licence's name 'a@b@c' must be a lette"
     "r, a digit or _, then up to 63 letters, digits, _ . -; two such words may be joined "
     "by @",
     NULL},
    {"test_rules_keys__resources_licences_numbers",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'licences':{'x/y':2,'matlab':0,'n':'1'}}}]}",
     "1:107 /actions/0/resources/licences/x~1y the licence's name 'x/y' must be a letter, "
     "a digit or _, then up to 63 letters, digits, _ . -; two such words may be joined by "
     "@\n"
     "1:124 /actions/0/resources/licences/matlab 'matlab' must be an integer from 1 to 655"
     "36, not 0\n"
     "1:130 /actions/0/resources/licences/n 'n' must be an integer from 1 to 65536, not th"
     "e string '1': write 1",
     NULL},
    {"test_rules_keys__resources_licences_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'licences':['matlab']}}]}",
     "1:106 /actions/0/resources/licences 'licences' must be an object of numbers such as "
     "{'matlab': 1}, not an array",
     NULL},
    {"test_rules_keys__resources_memory_over_its_maximum",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'memoryMB':[10,30,20],'maxMemoryMB':25}}]}",
     "1:131 /actions/0/resources/maxMemoryMB 'maxMemoryMB' is 25, but 'memoryMB' asks for "
     "30 already",
     NULL},
    {"test_rules_keys__resources_maximum_without_growth",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'memoryMB':10,'maxMemoryMB':20,'grow':false}}]}",
     "1:123 /actions/0/resources/maxMemoryMB 'maxMemoryMB' says how far memory may grow, a"
     "nd 'grow': false that it may not: leave one of them out",
     NULL},
    {"test_rules_keys__resources_a_list_too_long",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'gpus':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}}]}",
     "1:102 /actions/0/resources/gpus 'gpus' has 101 elements: up to 100 tries can differ", NULL},
    {"test_rules_keys__retries",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "etries':-1}]}",
     "1:92 /actions/0/retries 'retries' must be an integer from 0 to 1000, not -1", NULL},
    {"test_rules_keys__retries_too_many",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "etries':1001}]}",
     "1:92 /actions/0/retries 'retries' must be an integer from 0 to 1000, not 1001", NULL},
    {"test_rules_keys__retries_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "etries':'3'}]}",
     "1:92 /actions/0/retries 'retries' must be an integer from 0 to 1000, not the string"
     " '3': write 3",
     NULL},
    /* command line */
    {"test_rules_keys__command_missing",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line'}]}",
     "1:24 /actions/0 'command' is missing: command-line actions need it, a string or an "
     "array of strings",
     NULL},
    {"test_rules_keys__command_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':{}}]}",
     "1:75 /actions/0/command 'command' must be a string or an array of strings, not an o"
     "bject",
     NULL},
    {"test_rules_keys__command_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':''}]}",
     "1:75 /actions/0/command 'command' is empty: write a command for the shell, or an arr"
     "ay of a program and its arguments",
     NULL},
    {"test_rules_keys__command_empty_array",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':[]}]}",
     "1:75 /actions/0/command 'command' is empty: write a program and its arguments", NULL},
    {"test_rules_keys__command_empty_program",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':['','x']}"
     "]}",
     "1:76 /actions/0/command/0 the program's name is empty: write its name or path", NULL},
    {"test_rules_keys__command_empty_argument",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':['printf'"
     ",'']}]}",
     "", NULL},
    {"test_rules_keys__command_elements",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':['x',1,nu"
     "ll]}]}",
     "1:80 /actions/0/command/1 element 1 must be a string, not a number\n"
     "1:82 /actions/0/command/2 element 2 must be a string, not null",
     NULL},
    {"test_rules_keys__env_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','e"
     "nv':'A=1'}]}",
     "1:88 /actions/0/env 'env' must be an object of strings, not a string", NULL},
    {"test_rules_keys__env",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','e"
     "nv':{'A':1,'B=':'','':'x','HOME':'/','PINGO_CPUS':'2'}}]}",
     "1:93 /actions/0/env/A 'A' must be a string, not a number\n"
     "1:95 /actions/0/env/B= the variable 'B=' has '=' in its name\n"
     "1:103 /actions/0/env/ a variable of env has an empty name\n"
     "1:110 /actions/0/env/HOME the variable HOME is set by Pingo for each run: leave it "
     "out\n"
     "1:121 /actions/0/env/PINGO_CPUS the variable PINGO_CPUS is set by Pingo for each ru"
     "n: leave it out",
     NULL},
    {"test_rules_keys__output_with_a_slash",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'a/b'}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_rules_keys__output_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':''}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_rules_keys__output_dots",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'..'}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_rules_keys__output_in",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'in'}]}",
     "1:91 /actions/0/output 'output' may not be 'in': there lie the inputs", NULL},
    {"test_rules_keys__output_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':[]}]}",
     "1:91 /actions/0/output 'output' must be a string, not an array", NULL},
    {"test_rules_keys__output_too_long",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'ooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
     "ooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
     "ooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
     "ooooooooooooooo'}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_rules_keys__stdout_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','s"
     "tdout':'true'}]}",
     "1:91 /actions/0/stdout 'stdout' must be true or false, not a string", NULL},
    {"test_rules_keys__all_at_once",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','output':'a/b','std"
     "out':1,'command':''}]}",
     "1:74 /actions/0/output 'output' must be the plain name of a file or directory: witho"
     "ut a slash, not '.' or '..', at most 255 bytes\n"
     "1:89 /actions/0/stdout 'stdout' must be true or false, not a number\n"
     "1:101 /actions/0/command 'command' is empty: write a command for the shell, or an ar"
     "ray of a program and its arguments",
     NULL},
    /* external */
    {"test_rules_keys__description_missing",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external'}]}",
     "1:24 /actions/0 'description' is missing: external actions need it, a string", NULL},
    {"test_rules_keys__description_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':''}]}",
     "1:75 /actions/0/description 'description' is empty: say what is to be done", NULL},
    {"test_rules_keys__description_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':['x']}]}",
     "1:75 /actions/0/description 'description' must be a string, not an array", NULL},
    {"test_rules_keys__keys_of_another_type",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'x','comm"
     "and':'x','env':{},'output':'x','stdout':true}]}",
     "1:79 /actions/0/command the key 'command' belongs to actions of type 'command-line'"
     ": this one is of type 'external'\n"
     "1:93 /actions/0/env the key 'env' belongs to actions of type 'command-line': this o"
     "ne is of type 'external'\n"
     "1:102 /actions/0/output the key 'output' belongs to actions of type 'command-line':"
     " this one is of type 'external'\n"
     "1:115 /actions/0/stdout the key 'stdout' belongs to actions of type 'command-line':"
     " this one is of type 'external'",
     NULL},
    {"test_rules_keys__nothing_wrong",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'x'}]}", "", NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
