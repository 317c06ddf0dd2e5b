/* test_map_reduce.c - MapReduce actions: their rules, and the words of Hadoop: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"
#include "unit/workflow/types/rendered.h"

#include "workflow/types/map_reduce.h"

#define ACTION(version, rest)                                                                      \
    "{'name':'w','actions':[\n{'id':1,'name':'a','type':'map-reduce-" version "'," rest "}]}"

static const struct row rows[] = {
    {"test_map_reduce__what_is_never_a_command",
     ACTION("1", "'streaming':true,'mapper':'wc -l','partitioner':'a b','inputFormat':' '"),
     "2:90 /actions/0/partitioner 'partitioner' must be the whole name of a Java class, such as "
     "org.apache.hadoop.io.Text\n"
     "2:110 /actions/0/inputFormat 'inputFormat' must be the whole name of a Java class, such as "
     "org.apache.hadoop.io.Text",
     NULL},
    {"test_map_reduce__nothing_wrong",
     ACTION(
         "2",
         "'inputs':[{'name':'l/a.jar','path':'p'},{'name':'t','uri':'hdfs://n/t','version':'1'}],"
         "'jar':'l/a.jar','libs':['l/a.jar'],'input':['t'],'mapper':'a.B$C','reducer':'D',"
         "'outputKey':'org.apache.hadoop.mapred.K','reduces':2,"
         "'configuration':{'a':'$b{c}','x.y':'\\t'}"),
     "", NULL},
    {"test_map_reduce__commands",
     ACTION(
         "1",
         "'streaming':true,'mapper':'a | b','reducer':['a',''],'combiner':'c','inputFormat':'d.E'"),
     "", NULL},
    {"test_map_reduce__no_mapper", ACTION("1", "'reducer':'a'"),
     "2:1 /actions/0 'mapper' is missing: map-reduce-1 actions need it, a string or an array of "
     "strings",
     NULL},
    {"test_map_reduce__no_names_of_classes",
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
    {"test_map_reduce__empty_commands",
     ACTION("1", "'streaming':true,'mapper':[],'reducer':'','combiner':['','x']"),
     "2:68 /actions/0/mapper 'mapper' is empty: write a command for bash, or an array of a program "
     "and its arguments\n"
     "2:81 /actions/0/reducer 'reducer' is empty: write a command for bash, or an array of a "
     "program and its arguments\n"
     "2:95 /actions/0/combiner 'combiner' is empty: write a command for bash, or an array of a "
     "program and its arguments",
     NULL},
    {"test_map_reduce__what_never_runs",
     ACTION("1", "'mapper':'a','reducer':'b','combiner':'c','partitioner':'d','reduces':0"),
     "2:65 /actions/0/reducer 'reducer' never runs with 'reduces': 0: leave out one of them\n"
     "2:80 /actions/0/combiner 'combiner' never runs with 'reduces': 0: leave out one of them\n"
     "2:98 /actions/0/partitioner 'partitioner' never runs with 'reduces': 0: leave out one of "
     "them",
     NULL},
    {"test_map_reduce__too_many_reduces", ACTION("1", "'mapper':'a','reduces':1000001"),
     "2:65 /actions/0/reduces 'reduces' is more than 1000000", NULL},
    {"test_map_reduce__links", ACTION("1", "'mapper':'a','jar':'a.jar','libs':['b'],'input':['c']"),
     "2:61 /actions/0/jar 'a.jar' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'\n"
     "2:77 /actions/0/libs/0 'b' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'\n"
     "2:91 /actions/0/input/0 'c' is neither a role nor the name of an input: write the name, and "
     "the file into 'inputs'",
     NULL},
    {"test_map_reduce__commands_without_streaming", ACTION("1", "'mapper':['wc']"),
     "2:51 /actions/0/mapper 'mapper' must be the whole name of a Java class: a command goes with "
     "'streaming': true",
     NULL},
    {"test_map_reduce__mixed_in_the_old",
     ACTION("1", "'mapper':'a','outputFormat':'org.apache.hadoop.mapreduce.lib.output.X'"),
     "2:70 /actions/0/outputFormat org.apache.hadoop.mapreduce.lib.output.X is of the other "
     "interface, and Hadoop runs no job of both: take one of org.apache.hadoop.mapred, or make all "
     "of it map-reduce-2",
     NULL},
    {"test_map_reduce__streaming_is_old", ACTION("2", "'streaming':true,'mapper':['a']"),
     "2:42 /actions/0/streaming the key 'streaming' belongs to actions of type 'map-reduce-1': "
     "this one is of type 'map-reduce-2'\n"
     "2:68 /actions/0/mapper 'mapper' must be a string, not an array",
     NULL},
    {"test_map_reduce__mixed_in_the_new",
     ACTION("2", "'mapper':'org.apache.hadoop.mapred.lib.TokenCountMapper'"),
     "2:51 /actions/0/mapper org.apache.hadoop.mapred.lib.TokenCountMapper is of the other "
     "interface, and Hadoop runs no job of both: take one of org.apache.hadoop.mapreduce, or make "
     "all of it map-reduce-1",
     NULL},
};

static void test_map_reduce__map_reduce_speaks_hadoops_words(void **state)
{
    struct pingo_job job;

    (void)state;
    render(
        "{'name':'w','actions':[{'id':1,'name':'a','type':'map-reduce-2','inputs':[{'name':'t',"
        "'uri':'u','version':'1'},{'name':'j','uri':'u','version':'1'}],'mapper':'a.M','jar':'j',"
        "'input':['t'],'outputKey':'K','configuration':{'z':'1'}}]}",
        &job);
    assert_string_equal(
        job.payload,
        "{\"configuration\":{\"mapreduce.job.map.class\":\"a.M\","
        "\"mapreduce.job.output.key.class\":\"K\",\"mapred.mapper.new-api\":\"true\","
        "\"mapred.reducer.new-api\":\"true\",\"mapreduce.job.reduces\":\"1\",\"z\":\"1\"},"
        "\"input\":[\"t\"],\"jar\":\"j\",\"streaming\":false}\n");
    assert_null(job.argv[0]);
    assert_string_equal(job.output, "output");
    render(
        "{'name':'w','actions':[{'id':1,'name':'a','type':'map-reduce-1','mapper':'a.M','libs':[],"
        "'reduces':0,'inputFormat':'I'}]}",
        &job);
    assert_string_equal(job.payload,
                        "{\"configuration\":{\"mapred.mapper.class\":\"a.M\","
                        "\"mapred.input.format.class\":\"I\",\"mapred.mapper.new-api\":\"false\","
                        "\"mapred.reducer.new-api\":\"false\",\"mapreduce.job.reduces\":\"0\"},"
                        "\"libs\":[],\"streaming\":false}\n");
}

/* What bash makes of it again; Hadoop takes off the encoding and one pair of double quotes. */
static void test_map_reduce__commands_of_streaming_are_words_for_bash(void **state)
{
    static const char *const words[] = {"printf", "%s|", "a 'b' \"c\" \\ ${d} $(e) \xc3\xa9 %\n",
                                        ""};
    static const struct pingo_field array = {"mapper", PINGO_FIELD_TEXTS, words, 4},
                                    string = {"mapper", PINGO_FIELD_TEXT, words + 2, 1};
    struct pingo__buffer b = {0};
    char plain[600], said[200] = "";
    size_t n = 0;

    (void)state;
    pingo__workflow_streaming_command(&b, &array);
    for (const char *c = pingo__buffer_cstr(&b); *c; c += *c == '%' ? 3 : 1) {
        unsigned byte = (unsigned char)*c;
        if (*c == '%')
            assert_int_equal(sscanf(c, "%%%2X", &byte), 1);
        else
            assert_true(*c != '+' && *c != '$' && *c != '{');
        plain[n++] = (char)byte;
    }
    plain[n] = '\0';
    assert_int_equal(strncmp(plain, "/bin/bash -c \"", 14), 0);
    assert_ptr_equal(strchr(plain + 14, '"'), plain + n - 1);
    FILE *f = popen(plain, "r");
    assert_non_null(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    pclose(f);
    assert_string_equal(said, "a 'b' \"c\" \\ ${d} $(e) \xc3\xa9 %\n||");
    pingo__buffer_reset(&b);
    pingo__workflow_streaming_command(&b, &string);
    assert_non_null(
        strstr(pingo__buffer_cstr(&b), "%20%2Fbin%2Fbash%20%2Deuo%20pipefail%20%2Dc%20"));
    pingo__buffer_clear(&b);
}

static void test_map_reduce__map_reduce_refuses_what_it_never_described(void **state)
{
    static const char *const text[] = {"x", "y"}, *const one = "1", *const yes = "true";
    static const struct pingo_field sound[] = {{"configuration", PINGO_FIELD_PAIRS, text, 2},
                                               {"jar", PINGO_FIELD_TEXT, text, 1},
                                               {"mapper", PINGO_FIELD_TEXT, text, 1},
                                               {"reduces", PINGO_FIELD_NUMBER, &one, 1},
                                               {"streaming", PINGO_FIELD_FLAG, &yes, 1}};
    const struct pingo_action_type *type = pingo_action_type_map_reduce_1();
    struct pingo_job job = {.arena = &arena};

    (void)state;
    assert_int_equal(type->render(sound, 5, &job, NULL), 0);
    for (size_t i = 0; i < 5; i++) {
        struct pingo_field broken[5];

        memcpy(broken, sound, sizeof broken);
        broken[i].kind = i == 1 ? PINGO_FIELD_FLAG : PINGO_FIELD_NUMBER + 1;
        assert_int_equal(type->render(broken, 5, &job, NULL), PINGO_ECORRUPT);
        memcpy(broken, sound, sizeof broken);
        broken[i].nvalues = 0;
        assert_int_equal(type->render(broken, 5, &job, NULL), i == 0 ? 0 : PINGO_ECORRUPT);
    }
    assert_int_equal(type->render(sound, 2, &job, NULL), PINGO_ECORRUPT);
    assert_int_equal(type->render(NULL, 0, &job, NULL), PINGO_ECORRUPT);
    job.arena = NULL;
    assert_int_equal(type->render(sound, 5, &job, NULL), PINGO_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_map_reduce__map_reduce_speaks_hadoops_words, teardown),
        cmocka_unit_test_teardown(test_map_reduce__commands_of_streaming_are_words_for_bash,
                                  teardown),
        cmocka_unit_test_teardown(test_map_reduce__map_reduce_refuses_what_it_never_described,
                                  teardown),
    };
    return run_rows_and(rows, sizeof rows / sizeof rows[0], tests, sizeof tests / sizeof tests[0]);
}
