/* test_report.c - what is said of what is wrong: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

static const struct row rows[] = {
    {"test_report__long_names_are_cut",
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
