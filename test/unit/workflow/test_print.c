/* test_print.c - what is printed parses to an equal workflow. */
#include "unit/workflow/said.h"

static struct pingo_workflow *parse(const char *text, size_t length)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = "/base"};
    struct pingo_workflow *w;
    struct pingo_error err = {0};

    pingo_workflow_parse(&(struct pingo_document){text, length, NULL}, &options, &w, &err);
    assert_string_equal(err.message, "");
    return w;
}

static void check_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

static void check_inputs(const struct pingo_action *a, const struct pingo_action *b)
{
    assert_int_equal(a->ninputs, b->ninputs);
    for (size_t i = 0; i < a->ninputs; i++) {
        check_text(a->inputs[i].name, b->inputs[i].name);
        check_text(a->inputs[i].path, b->inputs[i].path);
        check_text(a->inputs[i].uri, b->inputs[i].uri);
        check_text(a->inputs[i].version, b->inputs[i].version);
        check_text(a->inputs[i].sha256, b->inputs[i].sha256);
        assert_int_equal(a->inputs[i].identity, b->inputs[i].identity);
    }
}

static void check_lists(const struct pingo_action *a, const struct pingo_action *b)
{
    assert_int_equal(a->nparents, b->nparents);
    for (size_t i = 0; i < a->nparents; i++) {
        assert_int_equal(a->parents[i].index, b->parents[i].index);
        check_text(a->parents[i].role, b->parents[i].role);
    }
    assert_int_equal(a->ntools, b->ntools);
    for (size_t i = 0; i < a->ntools; i++)
        check_text(a->tools[i], b->tools[i]);
    assert_int_equal(a->nfields, b->nfields);
    for (size_t i = 0; i < a->nfields; i++) {
        check_text(a->fields[i].key, b->fields[i].key);
        assert_int_equal(a->fields[i].kind, b->fields[i].kind);
        assert_int_equal(a->fields[i].nvalues, b->fields[i].nvalues);
        for (size_t k = 0; k < a->fields[i].nvalues; k++)
            check_text(a->fields[i].values[k], b->fields[i].values[k]);
    }
}

static void check_texts(const char *const *a, size_t na, const char *const *b, size_t nb)
{
    assert_int_equal(na, nb);
    for (size_t i = 0; i < na; i++)
        check_text(a[i], b[i]);
}

static void check_by_try(const struct pingo_by_try *a, const struct pingo_by_try *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_int_equal(a->values[i], b->values[i]);
}

static void check_unhashed(const struct pingo_action *a, const struct pingo_action *b)
{
    assert_int_equal(a->more->nversions, b->more->nversions);
    for (size_t i = 0; i < a->more->nversions; i++)
        check_texts(a->more->versions[i].argv, a->more->versions[i].nargv,
                    b->more->versions[i].argv, b->more->versions[i].nargv);
    check_texts(a->more->labels, a->more->nlabels, b->more->labels, b->more->nlabels);
    check_text(a->more->executor, b->more->executor);
    check_text(a->more->executor_options, b->more->executor_options);
    assert_int_equal(a->more->sandbox, b->more->sandbox);
    assert_int_equal(a->more->gpus, b->more->gpus);
    assert_int_equal(a->more->max_memory_mb, b->more->max_memory_mb);
    assert_int_equal(a->more->no_growth, b->more->no_growth);
    assert_int_equal(a->more->nlicences, b->more->nlicences);
    for (size_t i = 0; i < a->more->nlicences; i++) {
        check_text(a->more->licences[i].name, b->more->licences[i].name);
        assert_int_equal(a->more->licences[i].n, b->more->licences[i].n);
    }
    check_by_try(&a->more->cpus_by_try, &b->more->cpus_by_try);
    check_by_try(&a->more->memory_mb_by_try, &b->more->memory_mb_by_try);
    check_by_try(&a->more->time_limit_seconds_by_try, &b->more->time_limit_seconds_by_try);
    check_by_try(&a->more->gpus_by_try, &b->more->gpus_by_try);
}

static void check_equal(const struct pingo_workflow *v, const struct pingo_workflow *w)
{
    check_text(pingo_workflow_name(v), pingo_workflow_name(w));
    assert_int_equal(pingo_workflow_count(v), pingo_workflow_count(w));
    for (size_t i = 0; i < pingo_workflow_count(v); i++) {
        const struct pingo_action *a = pingo_workflow_action(v, i);
        const struct pingo_action *b = pingo_workflow_action(w, i);

        assert_int_equal(a->id, b->id);
        check_text(a->name, b->name);
        assert_ptr_equal(a->type, b->type);
        check_lists(a, b);
        check_inputs(a, b);
        check_text(a->salt, b->salt);
        check_text(a->output_path, b->output_path);
        assert_int_equal(a->keep, b->keep);
        assert_int_equal(a->force_computation, b->force_computation);
        assert_int_equal(a->is_managed, b->is_managed);
        assert_int_equal(a->is_leaf, b->is_leaf);
        assert_int_equal(a->retries, b->retries);
        assert_int_equal(a->cpus, b->cpus);
        assert_int_equal(a->memory_mb, b->memory_mb);
        assert_int_equal(a->time_limit_seconds, b->time_limit_seconds);
        check_unhashed(a, b);
    }
}

static const char *const rows[] = {
    "{'name':'w','actions':[{'id':1,'name':'a','type':'external','description':'d','resources':{"
    "'cpus':[1,2],'memoryMB':[2000,8000],'timeLimitSeconds':[5],'gpus':[0,1],'maxMemoryMB':9000,"
    "'licences':{'matlab':1,'ansys@host':2}}},{'id':2,'name':'b','type':'external','description':"
    "'d','resources':{'gpus':1,'grow':false}},{'id':3,'name':'c','type':'external','description':"
    "'d','resources':{'licences':{'n':1}}}]}",
    "{'name':'w','labels':{'z':'1','a':''},'shell':'sh','executorOptions':{'queue':'\\n','n':-1."
    "5e3},"
    "'actions':[{'id':1,'name':'a','type':'command-line','command':'a','labels':{'z':'2'},"
    "'executorOptions':{'n':2},'versions':[['a','--version'],['b']],'executor':'x','sandbox':true,"
    "'inputs':[{'name':'a/b/c','path':'/p'}]},{'id':2,'name':'b','type':'command-line','command':"
    "'a','shell':['x','y'],'sandbox':false},{'id':3,'name':'c','type':'external',"
    "'description':'d'}]}",
    "{'name':'w','actions':[{'id':0,'name':'a','type':'external','description':'d'}]}",
    "{'name':'\\u0001 \\\\ \\' \\n \\u20ac \\ud83d\\ude00','actions':[{'id':9007199254740991,"
    "'name':'\\t','type':'command-line','command':'printf \\'a\\\\n\\' > output'}]}",
    "{'name':'w','startActionId':5,'endActionId':3,'env':{'A':'1','B':''},'actions':["
    "{'id':5,'name':'a','type':'command-line','command':['x',''],'env':{'B':'2'},'keep':false},"
    "{'id':3,'name':'a','type':'command-line','command':'y','parentActions':[{'id':5},{'id':5,"
    "'as':'z'}],'env':{},'keep':true,'salt':'','retries':2,'stdout':true,'output':'o.txt',"
    "'resources':{'timeLimitSeconds':9},'tools':['sort','/bin/x']},"
    "{'id':4,'name':'b','type':'external','description':'d','forceComputation':true,"
    "'isManaged':false,'outputPath':'o','resources':{'cpus':2,'memoryMB':3},"
    "'inputs':[{'name':'a','path':'x/../y'},{'name':'b','path':'/z','identity':'stat'},"
    "{'name':'c','uri':'u','version':'v'},{'name':'d','path':'d','sha256':"
    "'0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}]}]}",
};

static void test_print__parses_to_an_equal_workflow(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = with_quotes(rows[i]), *printed, *again;
        struct pingo_workflow *first, *second;
        size_t length, length_again;

        /* In a string \' is \". */
        first = parse(text, strlen(text));
        assert_int_equal(pingo_workflow_print(first, &printed, &length, NULL), 0);
        assert_int_equal(length, strlen(printed));
        second = parse(printed, length);
        check_equal(first, second);
        assert_int_equal(pingo_workflow_print(second, &again, &length_again, NULL), 0);
        assert_string_equal(printed, again);
        free(text);
        free(printed);
        free(again);
        pingo_workflow_free(first);
        pingo_workflow_free(second);
    }
}

static void test_print__leaves_defaults_out(void **state)
{
    static const char expected[] =
        "{\"name\":\"w\",\"startActionId\":1,\"actions\":[\n"
        "{\"id\":1,\"name\":\"a\",\"type\":\"command-line\",\"command\":[\"date\"],"
        "\"output\":\"output\",\"stdout\":false},\n"
        "{\"id\":2,\"name\":\"b\",\"type\":\"external\",\"parentActions\":"
        "[{\"id\":1,\"as\":\"1\"}],\"inputs\":[{\"name\":\"t\",\"path\":\"/base/t\"}],"
        "\"description\":\"d\"}\n]}\n";
    char *text = with_quotes("{'x-a':1,'name':'w','startActionId':1,'actions':["
                             "{'id':1,'name':'a','type':'command-line','command':['date']},"
                             "{'id':2,'name':'b','type':'external','description':'d',"
                             "'parentActions':[{'id':1}],'inputs':[{'name':'t','path':'t'}]}]}");
    struct pingo_workflow *w = parse(text, strlen(text));
    char *printed;
    size_t length;

    (void)state;
    assert_int_equal(pingo_workflow_print(w, &printed, &length, NULL), 0);
    assert_string_equal(printed, expected);
    free(printed);
    free(text);
    pingo_workflow_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print__parses_to_an_equal_workflow),
        cmocka_unit_test(test_print__leaves_defaults_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
