/* test_types.c - what the built-in action types hand to an executor. */
#include "unit/workflow/said.h"

#include <pingo/action_type.h>

#include "base/arena.h"
#include "workflow/types/map_reduce.h"

static struct pingo__arena arena;

static int setup(void **state)
{
    (void)state;
    pingo__arena_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pingo__arena_clear(&arena);
    return 0;
}

/* Renders the only action of a text. */
static void render(const char *row, struct pingo_job *job)
{
    char *text = with_quotes(row);
    struct pingo_workflow *w;
    const struct pingo_action *a;
    struct pingo_error err;

    memset(job, 0, sizeof *job);
    job->arena = &arena;
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL}, NULL, &w, &err), 0);
    a = pingo_workflow_action(w, 0);
    assert_int_equal(a->type->render(a->fields, a->nfields, job, &err), 0);
    /* The job stands alone. */
    pingo_workflow_free(w);
    free(text);
}

static void check_list(const char *const *list, const char *const *expected)
{
    for (; *expected != NULL; list++, expected++)
        assert_string_equal(*list, *expected);
    assert_null(*list);
}

static void test_types__a_string_goes_to_the_shell(void **state)
{
    static const char *const argv[] = {"/bin/bash", "-euo", "pipefail", "-c", "a | b", NULL};
    static const char *const sh[] = {"/bin/sh", "-c", "a", NULL};
    static const char *const words[] = {"python3", "-c", "a", NULL};
    static const char *const env[] = {"LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "TZ=UTC",
                                      NULL};
    struct pingo_job job;

    (void)state;
    render("{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a | b'}]}",
           &job);
    check_list(job.argv, argv);
    check_list(job.env, env);
    assert_string_equal(job.output, "output");
    assert_null(job.payload);
    render("{'name':'w','shell':'sh','actions':[{'id':1,'name':'a','type':'command-line',"
           "'command':'a'}]}",
           &job);
    check_list(job.argv, sh);
    render("{'name':'w','shell':'sh','actions':[{'id':1,'name':'a','type':'command-line',"
           "'command':'a','shell':['python3','-c']}]}",
           &job);
    check_list(job.argv, words);
}

/* What Pingo 0.1 described runs as it did. */
static void test_types__a_description_without_shell_goes_to_sh(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "a | b", NULL};
    static const char *const command = "a | b", *const output = "output", *const no = "false";
    static const struct pingo_field fields[] = {{"command", PINGO_FIELD_TEXT, &command, 1},
                                                {"output", PINGO_FIELD_TEXT, &output, 1},
                                                {"stdout", PINGO_FIELD_FLAG, &no, 1}};
    struct pingo_job job = {.arena = &arena};

    (void)state;
    assert_int_equal(pingo_action_type_command_line()->render(fields, 3, &job, NULL), 0);
    check_list(job.argv, argv);
}

static void test_types__an_array_is_executed(void **state)
{
    static const char *const argv[] = {"cat", "", "x y", NULL};
    static const char *const env[] = {"A=1=2", "LANG=C", "PATH=/p", "TZ=UTC", "Z=", NULL};
    struct pingo_job job;

    (void)state;
    render("{'name':'w','env':{'Z':'','LANG':'C','A':'0'},'actions':[{'id':1,'name':'a',"
           "'type':'command-line','command':['cat','','x y'],'env':{'PATH':'/p','A':'1=2'},"
           "'stdout':true,'output':'unused'}]}",
           &job);
    check_list(job.argv, argv);
    check_list(job.env, env);
    assert_null(job.output);
}

static void test_types__external_hands_over_its_description(void **state)
{
    struct pingo_job job;

    (void)state;
    render("{'name':'w','env':{'A':'1'},'actions':[{'id':1,'name':'a','type':'external',"
           "'description':'do it'}]}",
           &job);
    assert_string_equal(job.payload, "do it");
    assert_string_equal(job.output, "output");
    assert_null(job.argv[0]);
    assert_null(job.env[0]);
}

static void test_types__map_reduce_speaks_hadoops_words(void **state)
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
static void test_types__commands_of_streaming_are_words_for_bash(void **state)
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

static void test_types__map_reduce_refuses_what_it_never_described(void **state)
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

static void test_types__refuse_fields_that_they_never_described(void **state)
{
    static const char *const text[] = {"x", "y"};
    static const struct pingo_field sound[] = {{"command", PINGO_FIELD_TEXT, text, 1},
                                               {"env", PINGO_FIELD_PAIRS, text, 2},
                                               {"output", PINGO_FIELD_TEXT, text, 1},
                                               {"stdout", PINGO_FIELD_FLAG, text, 1}};
    const struct pingo_action_type *command_line = pingo_action_type_command_line();
    const struct pingo_action_type *external = pingo_action_type_external();
    struct pingo_job job = {.arena = &arena};
    struct pingo_error err;

    (void)state;
    assert_int_equal(command_line->render(sound, 4, &job, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        struct pingo_field broken[4];

        memcpy(broken, sound, sizeof broken);
        broken[i].nvalues += i == 1 ? 1 : 2;
        assert_int_equal(command_line->render(broken, 4, &job, &err), PINGO_ECORRUPT);
        memcpy(broken, sound, sizeof broken);
        broken[i].kind = i == 1 ? PINGO_FIELD_TEXTS : PINGO_FIELD_PAIRS;
        assert_int_equal(command_line->render(broken, 4, &job, &err), PINGO_ECORRUPT);
    }
    assert_int_equal(command_line->render(sound + 1, 3, &job, &err), PINGO_ECORRUPT);
    assert_int_equal(external->render(sound, 4, &job, &err), PINGO_ECORRUPT);
    assert_int_equal(external->render(NULL, 0, &job, &err), PINGO_ECORRUPT);
    job.arena = NULL;
    assert_int_equal(command_line->render(sound, 4, &job, &err), PINGO_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types__a_string_goes_to_the_shell),
        cmocka_unit_test(test_types__a_description_without_shell_goes_to_sh),
        cmocka_unit_test(test_types__an_array_is_executed),
        cmocka_unit_test(test_types__external_hands_over_its_description),
        cmocka_unit_test(test_types__map_reduce_speaks_hadoops_words),
        cmocka_unit_test(test_types__commands_of_streaming_are_words_for_bash),
        cmocka_unit_test(test_types__map_reduce_refuses_what_it_never_described),
        cmocka_unit_test(test_types__refuse_fields_that_they_never_described),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
