/* test_memory.c - every allocation fails once: no crash, no leak, PINGO_ENOMEM. */
#include "unit/memory.h"
#include "unit/workflow/said.h"

static const struct pingo_workflow_options options = {.version = 1, .base_dir = "/base"};

/* A workflow that takes every way there is, with many roles and an env that must be sorted. */
static const char *const texts[] = {
    "{'name':'w','startActionId':1,'endActionId':2,'env':{'B':'1','A':'\\u00e9'},'x-a':1.5,"
    "'actions':["
    "{'id':1,'name':'a','type':'external','description':'d','keep':false},"
    "{'id':2,'name':'b','type':'command-line','command':['cat','in/*','/exists/x','|'],"
    "'parentActions':[{'id':1},{'id':1},{'id':1},{'id':1},{'id':1},{'id':1},{'id':1},{'id':1},"
    "{'id':1},{'id':1},{'id':1},{'id':1},{'id':1,'as':'r'}],'env':{'Z':'1','C':'2'},"
    "'tools':['sort'],'salt':'s','isManaged':false,'outputPath':'o','resources':{'cpus':2,"
    "'memoryMB':[1,2],'gpus':1,'licences':{'a':1,'b':2}},"
    "'inputs':[{'name':'i','path':'p'},{'name':'j','uri':'u','version':'v'}]}]}",
    /* and one that breaks rules of every part */
    "{'name':'','foo':1,'startActionId':9,'env':{'HOME':'x','A':1},'actions':[5,"
    "{'id':1.0,'name':'a','type':'no-such','comand':'x','a~/b':1},"
    "{'id':2,'name':'b','type':'command-line','command':['cat','in/q','|'],'output':'a/b',"
    "'parentActions':[{'id':3},{'id':3},{'id':'7','as':'-'},{'id':8}],'inputs':[{}],"
    "'resources':{'cpu':1},'tools':['a/b'],'isManaged':false,'outputPath':'o'},"
    "{'id':3,'name':'c','type':'command-line','command':'x','parentActions':[{'id':2}],"
    "'isManaged':false,'outputPath':'o','keep':1},"
    "{'id':2,'name':'b','type':'external','description':'d','keep':false}]}",
    /* and one that is no JSON */
    "{'name':'w','a\\u00e9':{'b':[1,x]}}",
};

/* Parses, prints and parses again. */
static int parse_and_print(const char *text, size_t length)
{
    struct pingo_workflow *w = NULL, *again = NULL;
    struct pingo_problems *problems;
    struct pingo_error err;
    char *printed = NULL;
    size_t n;
    int r =
        pingo_workflow_parse(&(struct pingo_document){text, length, &problems}, &options, &w, &err);

    pingo_problems_free(problems);
    if (r == 0)
        r = pingo_workflow_print(w, &printed, &n, &err);
    if (r == 0)
        r = pingo_workflow_parse(&(struct pingo_document){printed, n, NULL}, &options, &again, &err);
    free(printed);
    pingo_workflow_free(w);
    pingo_workflow_free(again);
    return r;
}

static int build(const char *text, size_t length)
{
    static const char *const command[] = {"cat"}, *const env[] = {"B", "1", "A", "2"};
    static const struct pingo_field fields[] = {{"command", PINGO_FIELD_TEXTS, command, 1},
                                                {"env", PINGO_FIELD_PAIRS, env, 4}};
    static const struct pingo_parent_spec parents[] = {{4, "x"}, {4, NULL}};
    static const struct pingo_input input = {.name = "i", .path = "p"};
    static const char *const tools[] = {"sort"};
    struct pingo_action_spec spec = {.version = 1,
                                     .id = 4,
                                     .name = "a",
                                     .type = "command-line",
                                     .fields = fields,
                                     .nfields = 2,
                                     .tools = tools,
                                     .ntools = 1,
                                     .inputs = &input,
                                     .ninputs = 1,
                                     .salt = "s"};
    struct pingo_workflow_builder *b = NULL;
    struct pingo_workflow *w = NULL;
    struct pingo_problems *problems = NULL;
    struct pingo_error err;
    int r = pingo_workflow_builder_new("w", &options, &b, &err);

    (void)text;
    (void)length;
    for (int i = 0; i < 20 && r == 0; i++) {
        char name[16];

        snprintf(name, sizeof name, "V%d", 50 - i);
        r = pingo_workflow_builder_env(b, name, "v", &err);
        if (r == 0)
            r = pingo_workflow_builder_add(b, &spec, &err);
        spec.id += 2;
        spec.parents = parents;
        spec.nparents = 2;
    }
    if (r == 0)
        r = pingo_workflow_builder_finish(b, &w, &problems, &err);
    pingo_workflow_builder_free(b);
    pingo_workflow_free(w);
    pingo_problems_free(problems);
    return r;
}

/* Lets the n-th allocation fail, alone or with all after it.  Returns whether there was one. */
static bool fail_one(int (*work)(const char *, size_t), const char *text, long n, int expected)
{
    int r;

    arm(n);
    r = work(text, strlen(text));
    bool failed = disarm();
    assert_int_equal(r, failed ? PINGO_ENOMEM : expected);
    return failed;
}

/* Until none is left to fail. */
static void fail_each(int (*work)(const char *, size_t), const char *row, int expected)
{
    char *text = with_quotes(row);
    long n = 0;

    for_good = true;
    while (fail_one(work, text, n, expected)) {
        for_good = !for_good;
        n += for_good;
    }
    assert_true(n > 10);
    free(text);
}

static void test_memory__a_sound_workflow(void **state)
{
    (void)state;
    fail_each(parse_and_print, texts[0], 0);
}

static void test_memory__a_broken_workflow(void **state)
{
    (void)state;
    fail_each(parse_and_print, texts[1], PINGO_EWORKFLOW);
}

static void test_memory__a_text_that_is_no_json(void **state)
{
    (void)state;
    fail_each(parse_and_print, texts[2], PINGO_EWORKFLOW);
}

static void test_memory__a_builder(void **state)
{
    (void)state;
    fail_each(build, "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__a_sound_workflow),
        cmocka_unit_test(test_memory__a_broken_workflow),
        cmocka_unit_test(test_memory__a_text_that_is_no_json),
        cmocka_unit_test(test_memory__a_builder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
