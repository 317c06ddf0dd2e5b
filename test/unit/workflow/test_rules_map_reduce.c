/* test_rules_map_reduce.c - the rules of MapReduce actions: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

#define ACTION(version, rest)                                                                      \
    "{'name':'w','actions':[\n{'id':1,'name':'a','type':'map-reduce-" version "'," rest "}]}"

static const struct row rows[] = {
    {"test_rules_map_reduce__nothing_wrong",
     ACTION(
         "2",
         "'inputs':[{'name':'l/a.jar','path':'p'},{'name':'t','uri':'hdfs://n/t','version':'1'}],"
         "'jar':'l/a.jar','libs':['l/a.jar'],'input':['t'],'mapper':'a.B$C','reducer':'D',"
         "'outputKey':'org.apache.hadoop.mapred.K','reduces':2,"
         "'configuration':{'a':'$b{c}','x.y':'\\t'}"),
     "", NULL},
    {"test_rules_map_reduce__commands",
     ACTION(
         "1",
         "'streaming':true,'mapper':'a | b','reducer':['a',''],'combiner':'c','inputFormat':'d.E'"),
     "", NULL},
    {"test_rules_map_reduce__no_mapper", ACTION("1", "'reducer':'a'"),
     "2:1 /actions/0 'mapper' is missing: map-reduce-1 actions need it, a string or an array of "
     "strings",
     NULL},
    {"test_rules_map_reduce__links",
     ACTION("1", "'mapper':'a','jar':'a.jar','libs':['b'],'input':['c']"),
     "2:61 /actions/0/jar 'a.jar' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'\n"
     "2:77 /actions/0/libs/0 'b' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'\n"
     "2:91 /actions/0/input/0 'c' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'",
     NULL},
    {"test_rules_map_reduce__no_names_of_classes",
     ACTION("2",
            "'mapper':'wc -l','reducer':'','combiner':'a.','outputKey':'1a','outputValue':'a..b'"),
     "2:51 /actions/0/mapper 'mapper' must be the whole name of a Java class: a command goes with "
     "'streaming': true\n"
     "2:69 /actions/0/reducer 'reducer' must be the whole name of a Java class, such as "
     "org.apache.hadoop.io.Text\n"
     "2:83 /actions/0/combiner 'combiner' must be the whole name of a Java class, such as "
     "org.apache.hadoop.io.Text\n"
     "2:100 /actions/0/outputKey 'outputKey' must be the whole name of a Java class, such as "
     "org.apache.hadoop.io.Text\n"
     "2:119 /actions/0/outputValue 'outputValue' must be the whole name of a Java class, such as "
     "org.apache.hadoop.io.Text",
     NULL},
    {"test_rules_map_reduce__commands_without_streaming", ACTION("1", "'mapper':['wc']"),
     "2:51 /actions/0/mapper 'mapper' must be the whole name of a Java class: a command goes with "
     "'streaming': true",
     NULL},
    {"test_rules_map_reduce__empty_commands",
     ACTION("1", "'streaming':true,'mapper':[],'reducer':'','combiner':['','x']"),
     "2:68 /actions/0/mapper 'mapper' is empty: write a command for bash, or an array of a program "
     "and its arguments\n"
     "2:81 /actions/0/reducer 'reducer' is empty: write a command for bash, or an array of a "
     "program and its arguments\n"
     "2:95 /actions/0/combiner 'combiner' is empty: write a command for bash, or an array of a "
     "program and its arguments",
     NULL},
    {"test_rules_map_reduce__streaming_is_old", ACTION("2", "'streaming':true,'mapper':['a']"),
     "2:42 /actions/0/streaming the key 'streaming' belongs to actions of type 'map-reduce-1': "
     "this one is of type 'map-reduce-2'\n"
     "2:68 /actions/0/mapper 'mapper' must be a string, not an array",
     NULL},
    {"test_rules_map_reduce__mixed_in_the_new",
     ACTION("2", "'mapper':'org.apache.hadoop.mapred.lib.TokenCountMapper'"),
     "2:51 /actions/0/mapper org.apache.hadoop.mapred.lib.TokenCountMapper is of the other "
     "interface, and Hadoop runs no job of both: take one of org.apache.hadoop.mapreduce, or make "
     "all of it map-reduce-1",
     NULL},
    {"test_rules_map_reduce__mixed_in_the_old",
     ACTION("1", "'mapper':'a','outputFormat':'org.apache.hadoop.mapreduce.lib.output.X'"),
     "2:70 /actions/0/outputFormat org.apache.hadoop.mapreduce.lib.output.X is of the other "
     "interface, and Hadoop runs no job of both: take one of org.apache.hadoop.mapred, or make all "
     "of it map-reduce-2",
     NULL},
    {"test_rules_map_reduce__what_never_runs",
     ACTION("1", "'mapper':'a','reducer':'b','combiner':'c','partitioner':'d','reduces':0"),
     "2:65 /actions/0/reducer 'reducer' never runs with 'reduces': 0: leave out one of them\n"
     "2:80 /actions/0/combiner 'combiner' never runs with 'reduces': 0: leave out one of them\n"
     "2:98 /actions/0/partitioner 'partitioner' never runs with 'reduces': 0: leave out one of "
     "them",
     NULL},
    {"test_rules_map_reduce__too_many_reduces", ACTION("1", "'mapper':'a','reduces':1000001"),
     "2:65 /actions/0/reduces 'reduces' is more than 1000000", NULL},
    {"test_rules_map_reduce__properties_of_others",
     ACTION("2", "'mapper':'a','configuration':{'mapred.reduce.tasks':'1','mapreduce.job.name':'1',"
                 "'mapreduce.job.cache.files':'1','mapreduce.map.memory.mb':'1','pingo.in.x':'1'}"),
     "2:72 /actions/0/configuration/mapred.reduce.tasks mapred.reduce.tasks is what the action's "
     "'reduces' says: leave it out here\n"
     "2:98 /actions/0/configuration/mapreduce.job.name mapreduce.job.name is set by Pingo for each "
     "run: leave it out\n"
     "2:123 /actions/0/configuration/mapreduce.job.cache.files mapreduce.job.cache.files is what "
     "the action's 'inputs' says: leave it out here\n"
     "2:155 /actions/0/configuration/mapreduce.map.memory.mb mapreduce.map.memory.mb should change "
     "no output, and what stands here is hashed: write it into 'executorOptions'\n"
     "2:185 /actions/0/configuration/pingo.in.x pingo.in.x is set by Pingo for each run: leave it "
     "out",
     NULL},
    {"test_rules_map_reduce__properties_by_their_oldest_names",
     ACTION("2", "'mapper':'a','configuration':{'mapreduce.map.class':'b'}"),
     "2:72 /actions/0/configuration/mapreduce.map.class mapreduce.map.class is what the action's "
     "'mapper' says: leave it out here",
     NULL},
    {"test_rules_map_reduce__properties_that_xml_cannot_hold",
     ACTION("2",
            "'mapper':'a','configuration':{'':'','a b':'','c':'\\u0001','d':'${e}','f':'\\uffff'}"),
     "2:72 /actions/0/configuration/ a property's name is a word of Hadoop's, such as "
     "mapreduce.output.fileoutputformat.compress\n"
     "2:78 /actions/0/configuration/a b a property's name is a word of Hadoop's, such as "
     "mapreduce.output.fileoutputformat.compress\n"
     "2:91 /actions/0/configuration/c the value holds a control character, which Hadoop's "
     "configuration, being XML, cannot hold\n"
     "2:104 /actions/0/configuration/d Hadoop puts something from its own configuration in the "
     "place of ${...}, and that would be no part of the hash: write the value\n"
     "2:115 /actions/0/configuration/f the value holds a control character, which Hadoop's "
     "configuration, being XML, cannot hold",
     NULL},
};

int main(void)
{
    return run_rows(rows, sizeof rows / sizeof rows[0]);
}
