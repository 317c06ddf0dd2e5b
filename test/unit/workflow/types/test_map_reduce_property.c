/* test_map_reduce_property.c - whose a property of Hadoop is: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"

#define ACTION(version, rest)                                                                      \
    "{'name':'w','actions':[\n{'id':1,'name':'a','type':'map-reduce-" version "'," rest "}]}"

static const struct row rows[] = {
    {"test_map_reduce_property__of_others",
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
    {"test_map_reduce_property__by_their_oldest_names",
     ACTION("2", "'mapper':'a','configuration':{'mapreduce.map.class':'b'}"),
     "2:72 /actions/0/configuration/mapreduce.map.class mapreduce.map.class is what the action's "
     "'mapper' says: leave it out here",
     NULL},
    {"test_map_reduce_property__that_xml_cannot_hold",
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
