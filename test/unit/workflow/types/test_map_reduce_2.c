/* test_map_reduce_2.c - the rules of the new interface: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

#define ACTION(version, rest)                                                                      \
    "{'name':'w','actions':[\n{'id':1,'name':'a','type':'map-reduce-" version "'," rest "}]}"

static const struct row rows[] = {
    {"test_map_reduce_2__streaming_is_old", ACTION("2", "'streaming':true,'mapper':['a']"),
     "2:42 /actions/0/streaming the key 'streaming' belongs to actions of type 'map-reduce-1': "
     "this one is of type 'map-reduce-2'\n"
     "2:68 /actions/0/mapper 'mapper' must be a string, not an array",
     NULL},
    {"test_map_reduce_2__mixed_in_the_new",
     ACTION("2", "'mapper':'org.apache.hadoop.mapred.lib.TokenCountMapper'"),
     "2:51 /actions/0/mapper org.apache.hadoop.mapred.lib.TokenCountMapper is of the other "
     "interface, and Hadoop runs no job of both: take one of org.apache.hadoop.mapreduce, or make "
     "all of it map-reduce-1",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
