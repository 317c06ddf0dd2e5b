/* test_resources.c - the rules of resources and retries: one row, one workflow, all that is said of it. */
#include "unit/workflow/built.h"
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_resources__of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':3}]}",
     "1:94 /actions/0/resources 'resources' must be an object such as {'cpus': 2, 'memory"
     "MB': 500}, not a number",
     NULL},
    {"test_resources__resources",
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
    {"test_resources__too_large",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':{'cpus':65537,'memoryMB':1000000001,'timeLimitSeconds':1000000001}}]}",
     "1:102 /actions/0/resources/cpus 'cpus' must be an integer from 1 to 65536, not 6553"
     "7\n"
     "1:119 /actions/0/resources/memoryMB 'memoryMB' must be an integer from 1 to 1000000"
     "000, not 1000000001\n"
     "1:149 /actions/0/resources/timeLimitSeconds 'timeLimitSeconds' must be an integer f"
     "rom 1 to 1000000000, not 1000000001",
     NULL},
    {"test_resources__at_their_ends",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "esources':{'cpus':65536,'memoryMB':1000000000,'timeLimitSeconds':1}}]}",
     "", NULL},
    {"test_resources__of_all_kinds",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'cpus':[1,2],'memoryMB':[1],'timeLimitSeconds':[5,5,5],'gpus':[0,1],'maxMe"
     "moryMB':1,'grow':true,'licences':{'matlab':1,'ansys@host.x':65536}}}]}",
     "", NULL},
    {"test_resources__lists",
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
    {"test_resources__licences",
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
    {"test_resources__licences_numbers",
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
    {"test_resources__licences_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'licences':['matlab']}}]}",
     "1:106 /actions/0/resources/licences 'licences' must be an object of numbers such as "
     "{'matlab': 1}, not an array",
     NULL},
    {"test_resources__memory_over_its_maximum",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'memoryMB':[10,30,20],'maxMemoryMB':25}}]}",
     "1:131 /actions/0/resources/maxMemoryMB 'maxMemoryMB' is 25, but 'memoryMB' asks for "
     "30 already",
     NULL},
    {"test_resources__maximum_without_growth",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'memoryMB':10,'maxMemoryMB':20,'grow':false}}]}",
     "1:123 /actions/0/resources/maxMemoryMB 'maxMemoryMB' says how far memory may grow, a"
     "nd 'grow': false that it may not: leave one of them out",
     NULL},
    {"test_resources__a_list_too_long",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','re"
     "sources':{'gpus':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}}]}",
     "1:102 /actions/0/resources/gpus 'gpus' has 101 elements: up to 100 tries can differ", NULL},
    {"test_resources__retries",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "etries':-1}]}",
     "1:92 /actions/0/retries 'retries' must be an integer from 0 to 1000, not -1", NULL},
    {"test_resources__retries_too_many",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "etries':1001}]}",
     "1:92 /actions/0/retries 'retries' must be an integer from 0 to 1000, not 1001", NULL},
    {"test_resources__retries_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','r"
     "etries':'3'}]}",
     "1:92 /actions/0/retries 'retries' must be an integer from 0 to 1000, not the string"
     " '3': write 3",
     NULL},
};

/* ---- what only programs can say ------------------------------------------------------- */

static void test_resources__licences_of_a_program(void **state)
{
    static const struct pingo_counter licences[] = {{"7zip", 0}, {"b", 1}, {"a@s", 65537}, {"b", 2}};
    char *said = said_of(&(struct pingo_action_spec){.licences = licences, .nlicences = 4});

    (void)state;
    assert_string_equal(
        said,
        "0:0 /actions/0/resources/licences/7zip '7zip' must be an integer from 1 to 65536; it is "
        "0\n"
        "0:0 /actions/0/resources/licences/a@s 'a@s' must be an integer from 1 to 65536; it is "
        "65537\n"
        "0:0 /actions/0/resources/licences the licence 'b' stands twice: remove one");
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resources__licences_of_a_program)};
    return run_rows_and(rows, sizeof rows / sizeof rows[0], tests, 1);
}
