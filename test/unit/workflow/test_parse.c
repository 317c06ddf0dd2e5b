/* test_parse.c - a workflow that keeps every rule: each key arrives, defaults are
 * filled in; what options do; how errors are told. */
#include "unit/workflow/said.h"

#include <pingo/action_type.h>

/* Parses a text in which ' stands for "; nothing may be wrong with it. */
static struct pingo_workflow *parse(const char *row, const char *base_dir)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = base_dir};
    struct pingo_workflow *workflow;
    struct pingo_problems *problems;
    struct pingo_error err = {0};
    char *text = with_quotes(row), *said;
    int r = pingo_workflow_parse(&(struct pingo_document){text, strlen(text), &problems}, &options,
                                 &workflow, &err);

    said = described(problems);
    assert_string_equal(said, "");
    assert_string_equal(err.message, "");
    assert_int_equal(r, 0);
    assert_null(problems);
    free(said);
    free(text);
    return workflow;
}

static void test_parse__fills_in_defaults(void **state)
{
    struct pingo_workflow *w =
        parse("{'name':'small','actions':[{'id':7,'name':'a','type':'command-line',"
              "'command':'date'}]}",
              NULL);
    const struct pingo_action *a = pingo_workflow_action(w, 0);
    const struct pingo_field *f;

    (void)state;
    assert_string_equal(pingo_workflow_name(w), "small");
    assert_int_equal(pingo_workflow_count(w), 1);
    assert_null(pingo_workflow_action(w, 1));
    assert_int_equal(a->id, 7);
    assert_string_equal(a->name, "a");
    assert_ptr_equal(a->type, pingo_action_type_command_line());
    assert_string_equal(pingo_action_type_name(a), "command-line");
    assert_int_equal(a->nparents + a->ninputs + a->ntools, 0);
    assert_null(a->salt);
    assert_null(a->output_path);
    assert_int_equal(a->keep, PINGO_KEEP_DEFAULT);
    assert_false(a->force_computation);
    assert_true(a->is_managed);
    assert_true(a->is_leaf);
    assert_int_equal(a->retries, 0);
    assert_int_equal(a->cpus, 1);
    assert_int_equal(a->memory_mb, 0);
    assert_int_equal(a->time_limit_seconds, 0);
    assert_int_equal(a->more->nversions + a->more->nlabels, 0);
    assert_null(a->more->executor);
    assert_null(a->more->executor_options);
    assert_int_equal(a->more->sandbox, PINGO_SANDBOX_DEFAULT);
    assert_int_equal(a->nfields, 5);
    f = pingo_action_field(a, "shell");
    assert_int_equal(f->kind, PINGO_FIELD_TEXT);
    assert_string_equal(f->values[0], "bash");
    f = pingo_action_field(a, "command");
    assert_int_equal(f->kind, PINGO_FIELD_TEXT);
    assert_string_equal(f->values[0], "date");
    f = pingo_action_field(a, "env");
    assert_int_equal(f->kind, PINGO_FIELD_PAIRS);
    assert_int_equal(f->nvalues, 0);
    f = pingo_action_field(a, "output");
    assert_int_equal(f->kind, PINGO_FIELD_TEXT);
    assert_string_equal(f->values[0], "output");
    f = pingo_action_field(a, "stdout");
    assert_int_equal(f->kind, PINGO_FIELD_FLAG);
    assert_string_equal(f->values[0], "false");
    assert_null(pingo_action_field(a, "description"));
    pingo_workflow_free(w);
}

static const char whole[] =
    "{'x-who':['me',1.5],'name':'whole','startActionId':1,'endActionId':2,"
    "'env':{'B':'workflow','A':'1','PATH':'/opt/bin'},"
    "'actions':["
    "{'id':1,'name':'first','type':'external','description':'by hand','keep':false,'x-':{}},"
    "{'command':['cat','in/words.txt','in/2','in/text','site','in/sum'],"
    "'stdout':true,'output':'out','env':{'C':'3','B':'own'},"
    "'retries':3,'resources':{'cpus':2,'memoryMB':500,'timeLimitSeconds':60,'x-why':0},"
    "'salt':'s','forceComputation':true,'isManaged':false,'outputPath':'results/out',"
    "'tools':['sort','/bin/cat'],'keep':true,"
    "'parentActions':[{'as':'words.txt','id':1,'x-':0},{'id':1}],"
    "'inputs':[{'name':'text','path':'../a.txt','identity':'stat'},"
    "{'version':'3','uri':'http://x','name':'site'},"
    "{'name':'sum','path':'/b/./c','identity':'content','sha256':"
    "'0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}],"
    "'type':'command-line','name':'sec\\u00f6nd','id':2}]}";

static void check_second(const struct pingo_action *a)
{
    assert_int_equal(a->id, 2);
    assert_string_equal(a->name, "sec\xc3\xb6nd");
    assert_int_equal(a->nparents, 2);
    assert_int_equal(a->parents[0].index, 0);
    assert_string_equal(a->parents[0].role, "words.txt");
    assert_int_equal(a->parents[1].index, 0);
    assert_string_equal(a->parents[1].role, "2");
    assert_int_equal(a->ntools, 2);
    assert_string_equal(a->tools[0], "sort");
    assert_string_equal(a->tools[1], "/bin/cat");
    assert_string_equal(a->salt, "s");
    assert_string_equal(a->output_path, "/base/dir/results/out");
    assert_int_equal(a->keep, PINGO_KEEP_ALWAYS);
    assert_true(a->force_computation);
    assert_false(a->is_managed);
    assert_int_equal(a->retries, 3);
    assert_int_equal(a->cpus, 2);
    assert_int_equal(a->memory_mb, 500);
    assert_int_equal(a->time_limit_seconds, 60);
}

static void check_inputs(const struct pingo_action *a)
{
    assert_int_equal(a->ninputs, 3);
    assert_string_equal(a->inputs[0].name, "text");
    assert_string_equal(a->inputs[0].path, "/base/a.txt");
    assert_int_equal(a->inputs[0].identity, PINGO_IDENTITY_STAT);
    assert_null(a->inputs[0].sha256);
    assert_string_equal(a->inputs[1].uri, "http://x");
    assert_string_equal(a->inputs[1].version, "3");
    assert_null(a->inputs[1].path);
    assert_string_equal(a->inputs[2].path, "/b/c");
    assert_string_equal(a->inputs[2].sha256,
                        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
}

static void test_parse__reads_every_key(void **state)
{
    static const char *const env[] = {"A", "1", "B", "own", "C", "3", "PATH", "/opt/bin"};
    static const char *const command[] = {"cat",     "in/words.txt", "in/2",
                                          "in/text", "site",         "in/sum"};
    struct pingo_workflow *w = parse(whole, "/base/dir");
    const struct pingo_action *first = pingo_workflow_action(w, 0);
    const struct pingo_action *second = pingo_workflow_action(w, 1);
    const struct pingo_field *f;

    (void)state;
    assert_string_equal(pingo_action_type_name(first), "external");
    assert_int_equal(first->keep, PINGO_KEEP_NEVER);
    assert_int_equal(first->nfields, 1);
    assert_string_equal(pingo_action_field(first, "description")->values[0], "by hand");
    assert_false(first->is_leaf);
    assert_true(second->is_leaf);
    check_second(second);
    check_inputs(second);
    f = pingo_action_field(second, "command");
    assert_int_equal(f->kind, PINGO_FIELD_TEXTS);
    assert_int_equal(f->nvalues, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(f->values[i], command[i]);
    f = pingo_action_field(second, "env");
    assert_int_equal(f->nvalues, 8);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(f->values[i], env[i]);
    assert_string_equal(pingo_action_field(second, "output")->values[0], "out");
    assert_string_equal(pingo_action_field(second, "stdout")->values[0], "true");
    for (size_t i = 1; i < second->nfields; i++)
        assert_true(strcmp(second->fields[i - 1].key, second->fields[i].key) < 0);
    pingo_workflow_free(w);
}

static void test_parse__pads_positions(void **state)
{
    char text[4000] = "{'name':'w','actions':[{'id':1,'name':'a','type':'external',"
                      "'description':'d'},{'id':2,'name':'b','type':'external',"
                      "'description':'d','parentActions':[";
    struct pingo_workflow *w;
    const struct pingo_action *a;

    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(text, i == 0 ? "{'id':1}" : ",{'id':1}");
    strcat(text, "]}]}");
    w = parse(text, NULL);
    a = pingo_workflow_action(w, 1);
    assert_int_equal(a->nparents, 100);
    assert_string_equal(a->parents[0].role, "001");
    assert_string_equal(a->parents[41].role, "042");
    assert_string_equal(a->parents[99].role, "100");
    pingo_workflow_free(w);
}

static void test_parse__what_all_actions_have_is_bounded(void **state)
{
    struct pingo_workflow *w;
    struct pingo_error err;
    struct pingo_workflow_options options = {.version = 1};
    char text[1000];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "{\"name\":\"w\",\"env\":{\"A\":\"%0100d\"},\"actions\":[", 0);

    (void)state;
    for (int i = 0; i < 8; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "%s{\"id\":%d,\"name\":\"a\",\"type\":\"external\",\"description\":\"x\"}",
            i ? "," : "", i);
    strcpy(text + n, "]}");
    options.max_bytes = 8 * (2 * sizeof(char *) + 101);
    assert_true(strlen(text) < options.max_bytes);
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL},
                                          &options, &w, &err),
                     0);
    pingo_workflow_free(w);
    options.max_bytes--;
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL},
                                          &options, &w, &err),
                     PINGO_EWORKFLOW);
    assert_non_null(strstr(err.message, "gives to each of its 8 actions"));
}

static void test_parse__tells_the_first_error(void **state)
{
    static const char text[] = "{\n  \"name\": \"\",\n  \"actions\": [],\n  \"y\": 1}";
    struct pingo_workflow *w;
    struct pingo_problems *problems;
    struct pingo_error err;
    struct pingo_workflow_options options = {.version = 1, .max_bytes = 10};

    (void)state;
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){text, sizeof text - 1, &problems},
                                          NULL, &w, &err),
                     PINGO_EWORKFLOW);
    assert_string_equal(err.message,
                        "2:11: /name: \"name\" is empty: a workflow needs a name (and 2 more)");
    assert_int_equal(pingo_problems_count(problems), 3);
    assert_null(pingo_problems_at(problems, 3));
    assert_int_equal(pingo_problems_at(problems, 2)->line, 4);
    pingo_problems_free(problems);
    /* Nobody need ask for the problems. */
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){text, sizeof text - 1, NULL}, NULL, &w, NULL),
        PINGO_EWORKFLOW);
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){"{", 1, NULL}, NULL, &w, NULL),
                     PINGO_EWORKFLOW);
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){"[x]", 3, &problems}, NULL, &w, &err),
        PINGO_EWORKFLOW);
    assert_string_equal(err.message, "1:2: /0: expected a value, found 'x'");
    assert_int_equal(pingo_problems_count(problems), 1);
    pingo_problems_free(problems);
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){text, sizeof text - 1, &problems},
                                          &options, &w, &err),
                     PINGO_ELIMIT);
    assert_null(problems);
    assert_null(w);
    assert_int_equal(pingo_problems_count(NULL), 0);
    pingo_problems_free(NULL);
    pingo_workflow_free(NULL);
}

static void test_parse__refuses_options_that_cannot_be(void **state)
{
    static const struct pingo_action_type other = {.abi_version = 99, .name = "other"};
    static const struct pingo_action_type twin = {.abi_version = PINGO_ACTION_TYPE_ABI,
                                                  .name = "external"};
    static const struct pingo_action_type nameless = {.abi_version = PINGO_ACTION_TYPE_ABI};
    const struct pingo_action_type *type = &other;
    struct pingo_workflow *w;
    struct pingo_error err;
    struct pingo_workflow_options options = {.version = 2};

    (void)state;
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){"{}", 2, NULL}, &options, &w, &err),
        PINGO_EINVAL);
    options = (struct pingo_workflow_options){.version = 1, .base_dir = "here"};
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){"{}", 2, NULL}, &options, &w, &err),
        PINGO_EINVAL);
    options = (struct pingo_workflow_options){.version = 1, .types = &type, .ntypes = 1};
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){"{}", 2, NULL}, &options, &w, &err),
        PINGO_EVERSION);
    type = &twin;
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){"{}", 2, NULL}, &options, &w, &err),
        PINGO_EINVAL);
    type = &nameless;
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){"{}", 2, NULL}, &options, &w, &err),
        PINGO_EINVAL);
}

/* ---- a type from outside -------------------------------------------------------------- */

static void validate_tape(const struct pingo_action *action, struct pingo_problem_sink *sink,
                          const struct pingo_workflow_options *options)
{
    const struct pingo_field *reel = pingo_action_field(action, "reel");

    assert_non_null(options);
    if (reel != NULL && strcmp(reel->values[0], "B") == 0)
        pingo_problem_add(sink, PINGO_SEVERITY_WARNING, "/reel", "reel %s is worn", "B");
}

static const struct pingo_key tape_keys[] = {
    {.key = "reel", .kinds = PINGO_KEY_TEXT, .required = true},
    {.key = "loud", .kinds = PINGO_KEY_FLAG, .default_text = "true"},
    {.key = "marks", .kinds = PINGO_KEY_TEXTS},
    {.key = "also", .kinds = PINGO_KEY_PAIRS},
};
static const struct pingo_action_type tape = {.abi_version = PINGO_ACTION_TYPE_ABI,
                                              .name = "tape",
                                              .keys = tape_keys,
                                              .nkeys = 4,
                                              .validate = validate_tape};

static void test_parse__knows_types_from_outside(void **state)
{
    static const struct pingo_action_type *const types[] = {&tape};
    struct pingo_workflow_options options = {.version = 1, .types = types, .ntypes = 1};
    char *text = with_quotes("{'name':'w','env':{'E':'1'},'actions':["
                             "{'id':1,'name':'a','type':'tape','reel':'A','marks':['x','y']},"
                             "{'id':2,'name':'b','type':'tape','reel':'B','loud':false,"
                             "'also':{'k':'v'}}]}");
    struct pingo_workflow *w;
    struct pingo_problems *problems;
    const struct pingo_action *a;
    char *said;

    (void)state;
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){text, strlen(text), &problems},
                                          &options, &w, NULL),
                     0);
    said = described(problems);
    assert_string_equal(said, "W 1:143 /actions/1/reel reel B is worn");
    a = pingo_workflow_action(w, 0);
    assert_int_equal(a->nfields, 4);
    assert_string_equal(a->fields[0].key, "also");
    assert_int_equal(a->fields[0].nvalues, 0); /* no env is merged into what is none */
    assert_string_equal(a->fields[1].values[0], "true");
    assert_int_equal(a->fields[2].nvalues, 2);
    assert_string_equal(pingo_action_field(pingo_workflow_action(w, 1), "loud")->values[0],
                        "false");
    free(said);
    free(text);
    pingo_problems_free(problems);
    pingo_workflow_free(w);
}

/* What is said of the whole workflow, and what of one action. */
static void test_parse__labels_and_options_of_the_workflow(void **state)
{
    struct pingo_workflow *w =
        parse("{'name':'w','labels':{'p':'x','s':'0'},'executorOptions':{'q':'long','n':1.50},"
              "'actions':[{'id':1,'name':'a','type':'command-line','command':'a','labels':{'s':'3',"
              "'b':''},'executorOptions':{'n':2,'a':'\\t'},'sandbox':false},"
              "{'id':2,'name':'b','type':'external','description':'d'},"
              "{'id':3,'name':'c','type':'external','description':'e'}]}",
              NULL);
    const struct pingo_action *a = pingo_workflow_action(w, 0), *b = pingo_workflow_action(w, 1);
    const char *const *labels;
    size_t n;

    (void)state;
    labels = pingo_workflow_labels(w, &n);
    assert_int_equal(n, 4);
    assert_string_equal(labels[0], "p");
    assert_string_equal(labels[3], "0");
    assert_int_equal(a->more->nlabels, 6);
    assert_string_equal(a->more->labels[0], "b");
    assert_string_equal(a->more->labels[2], "p");
    assert_string_equal(a->more->labels[5], "3");
    assert_string_equal(a->more->executor_options, "{\"a\": \"\\t\", \"n\": 2, \"q\": \"long\"}");
    assert_int_equal(a->more->sandbox, PINGO_SANDBOX_OFF);
    assert_int_equal(b->more->nlabels, 4);
    assert_string_equal(b->more->executor_options, "{\"n\": 1.50, \"q\": \"long\"}");
    assert_int_equal(b->more->sandbox, PINGO_SANDBOX_DEFAULT);
    assert_null(pingo_action_field(b, "shell"));
    assert_ptr_equal(pingo_workflow_action(w, 2)->more, b->more); /* it has the same */
    pingo_workflow_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__fills_in_defaults),
        cmocka_unit_test(test_parse__labels_and_options_of_the_workflow),
        cmocka_unit_test(test_parse__reads_every_key),
        cmocka_unit_test(test_parse__pads_positions),
        cmocka_unit_test(test_parse__what_all_actions_have_is_bounded),
        cmocka_unit_test(test_parse__tells_the_first_error),
        cmocka_unit_test(test_parse__refuses_options_that_cannot_be),
        cmocka_unit_test(test_parse__knows_types_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
