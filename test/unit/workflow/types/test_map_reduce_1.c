/* test_map_reduce_1.c - the rules of the old interface: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

#define ACTION(version, rest)                                                                      \
    "{'name':'w','actions':[\n{'id':1,'name':'a','type':'map-reduce-" version "'," rest "}]}"

static const struct row rows[] = {
    {"test_map_reduce_1__links", ACTION("1", "'mapper':'a','jar':'a.jar','libs':['b'],'input':['c']"),
     "2:61 /actions/0/jar 'a.jar' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'\n"
     "2:77 /actions/0/libs/0 'b' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'\n"
     "2:91 /actions/0/input/0 'c' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'",
     NULL},
    {"test_map_reduce_1__commands_without_streaming", ACTION("1", "'mapper':['wc']"),
     "2:51 /actions/0/mapper 'mapper' must be the whole name of a Java class: a command goes with "
     "'streaming': true",
     NULL},
    {"test_map_reduce_1__mixed_in_the_old",
     ACTION("1", "'mapper':'a','outputFormat':'org.apache.hadoop.mapreduce.lib.output.X'"),
     "2:70 /actions/0/outputFormat org.apache.hadoop.mapreduce.lib.output.X is of the other "
     "interface, and Hadoop runs no job of both: take one of org.apache.hadoop.mapred, or make all "
     "of it map-reduce-2",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
