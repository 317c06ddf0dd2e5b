/* test_builder.c - what C structures say makes the same workflow, and breaks the
 * same rules with the same words, as what text says. */
#include "unit/workflow/said.h"

#include <pingo/action_type.h>

static const struct pingo_workflow_options options = {.version = 1, .base_dir = "/base"};

/* A copy of a list that is lent for one call. */
static void *lend(const void *list, size_t n, size_t size)
{
    void *copy = n ? malloc(n * size) : NULL;

    return copy ? memcpy(copy, list, n * size) : NULL;
}

static void take_back(const void *list, size_t n, size_t size)
{
    if (list)
        memset((void *)(uintptr_t)list, 0x5a, n * size);
    free((void *)(uintptr_t)list);
}

/* Specs that say what a workflow says. */
static void build_again(struct pingo_workflow_builder *b, const struct pingo_workflow *w)
{
    for (size_t i = 0; i < pingo_workflow_count(w); i++) {
        const struct pingo_action *a = pingo_workflow_action(w, i);
        struct pingo_parent_spec parents[8];
        struct pingo_action_spec spec = {
            .version = 2,
            .id = a->id,
            .name = a->name,
            .type = pingo_action_type_name(a),
            .parents = parents,
            .nparents = a->nparents,
            .inputs = lend(a->inputs, a->ninputs, sizeof *a->inputs),
            .ninputs = a->ninputs,
            .tools = lend(a->tools, a->ntools, sizeof *a->tools),
            .ntools = a->ntools,
            .fields = lend(a->fields, a->nfields, sizeof *a->fields),
            .nfields = a->nfields,
            .salt = a->salt,
            .output_path = a->output_path,
            .keep = a->keep,
            .force_computation = a->force_computation,
            .unmanaged = !a->is_managed,
            .retries = a->retries,
            .cpus = a->cpus,
            .memory_mb = a->memory_mb,
            .time_limit_seconds = a->time_limit_seconds,
            .versions = lend(a->more->versions, a->more->nversions, sizeof *a->more->versions),
            .nversions = a->more->nversions,
            .labels = lend(a->more->labels, a->more->nlabels, sizeof *a->more->labels),
            .nlabels = a->more->nlabels,
            .executor = a->more->executor,
            .executor_options = a->more->executor_options,
            .sandbox = a->more->sandbox,
            .gpus = a->more->gpus,
            .max_memory_mb = a->more->max_memory_mb,
            .no_growth = a->more->no_growth,
            .licences = lend(a->more->licences, a->more->nlicences, sizeof *a->more->licences),
            .nlicences = a->more->nlicences,
            .cpus_by_try = a->more->cpus_by_try,
            .memory_mb_by_try = a->more->memory_mb_by_try,
            .time_limit_seconds_by_try = a->more->time_limit_seconds_by_try,
            .gpus_by_try = a->more->gpus_by_try,
        };

        assert_true(a->nparents <= 8);
        for (size_t k = 0; k < a->nparents; k++) {
            parents[k].id = pingo_workflow_action(w, a->parents[k].index)->id;
            parents[k].as = a->parents[k].role;
        }
        assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), 0);
        /* Everything was copied. */
        memset(parents, 0x5a, sizeof parents);
        take_back(spec.inputs, spec.ninputs, sizeof *spec.inputs);
        take_back(spec.tools, spec.ntools, sizeof *spec.tools);
        take_back(spec.fields, spec.nfields, sizeof *spec.fields);
        take_back(spec.versions, spec.nversions, sizeof *spec.versions);
        take_back(spec.labels, spec.nlabels, sizeof *spec.labels);
        take_back(spec.licences, spec.nlicences, sizeof *spec.licences);
        memset(&spec, 0x5a, sizeof spec);
    }
}

static void test_builder__makes_what_text_makes(void **state)
{
    char *text = with_quotes(
        "{'name':'w','env':{'E':'1'},'labels':{'project':'x'},'executorOptions':{'q':'a'},"
        "'shell':['sh','-c'],'actions':["
        "{'id':3,'name':'c','type':'command-line','command':'x in/a/b','inputs':[{'name':'a/b',"
        "'path':'p'}],'versions':[['cc','--version'],['x','','y z']],'labels':{'sample':'3',"
        "'a':'b'},'executor':'slurm','executorOptions':{'q':'b','n':1e1},'sandbox':false},"
        "{'id':2,'name':'b','type':'command-line','command':['x','in/1'],'env':{'B':'2','A':'1'},"
        "'parentActions':[{'id':1},{'id':1,'as':'z'}],'tools':['sort'],'salt':'s','keep':true,"
        "'isManaged':false,'outputPath':'o','retries':2,'resources':{'cpus':4,'memoryMB':9,"
        "'timeLimitSeconds':8,'gpus':2,'maxMemoryMB':90,'licences':{'b':2,'a@s':1}},'inputs':[{'"
        "name':'i','path':'p','identity':'stat'},{'name':'j',"
        "'uri':'u','version':'v'}],'stdout':true},"
        "{'id':1,'name':'a','type':'external','description':'d','keep':false,"
        "'resources':{'cpus':[1,2],'memoryMB':[3,4],'timeLimitSeconds':[5],'gpus':[0,1],'grow':"
        "false},"
        "'forceComputation':true}]}");
    struct pingo_workflow_builder *b;
    struct pingo_workflow *w, *built, *none;
    struct pingo_problems *problems;
    struct pingo_error err = {0};
    char *one, *two;
    size_t n;

    (void)state;
    assert_int_equal(pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL},
                                          &options, &w, &err),
                     0);
    assert_int_equal(pingo_workflow_builder_new("w", &options, &b, &err), 0);
    build_again(b, w);
    assert_int_equal(pingo_workflow_builder_env(b, "E", "0", &err), 0);
    assert_int_equal(pingo_workflow_builder_env(b, "E", "1", &err), 0); /* the later one holds */
    assert_int_equal(pingo_workflow_builder_label(b, "project", "x", &err), 0);
    assert_int_equal(pingo_workflow_builder_finish(b, &built, &problems, &err), 0);
    pingo_problems_free(problems);
    assert_int_equal(pingo_workflow_print(w, &one, &n, NULL), 0);
    assert_int_equal(pingo_workflow_print(built, &two, &n, NULL), 0);
    assert_string_equal(one, two);
    assert_int_equal(pingo_workflow_builder_finish(b, &none, NULL, &err), PINGO_EINVAL);
    free(one);
    free(two);
    free(text);
    pingo_workflow_builder_free(b);
    pingo_workflow_free(w);
    pingo_workflow_free(built);
}

/* ---- rules ------------------------------------------------------------------------------ */

struct case_row {
    const char *text; /* the same workflow as text, of which the last action is at fault */
    struct pingo_action_spec spec;
};

#define EXTERNAL "{'id':1,'name':'a','type':'external','description':'d'}"
#define TEXT_OF(action) "{'name':'w','actions':[" EXTERNAL "," action "]}"

static const char *const d_value[] = {"d"};
static const struct pingo_field description = {"description", PINGO_FIELD_TEXT, d_value, 1};
static const struct pingo_field extra[] = {{"description", PINGO_FIELD_TEXT, d_value, 1},
                                           {"discription", PINGO_FIELD_TEXT, d_value, 1}};
static const char *const env_values[] = {"HOME", "x", "A=B", "y"};
static const struct pingo_field command[] = {
    {"env", PINGO_FIELD_PAIRS, env_values, 4},
    {"command", PINGO_FIELD_TEXTS, NULL, 0},
    {"output", PINGO_FIELD_TEXT, (const char *const[]){"in"}, 1},
};
static const struct pingo_parent_spec parents[] = {{3, NULL}, {-1, NULL}, {1, "a/b"}, {1, "1"}};
static const struct pingo_parent_spec own[] = {{2, NULL}};
static const struct pingo_input inputs[] = {
    {.name = "a b", .path = "p"},
    {.path = ""},
    {.name = "c", .uri = "u"},
    {.name = "d", .path = "p", .sha256 = "x"},
    {.name = "d", .path = "p", .identity = PINGO_IDENTITY_STAT}};
static const char *const tools[] = {"", "a/b"};

static const int64_t amounts[] = {1, -1};
static const struct pingo_counter licences[] = {{"b c", 1}, {"a", 0}, {NULL, 1}};
static const struct case_row rows[] = {
    {TEXT_OF("{'id':2,'name':'b','type':'external','description':'d','resources':{'gpus':-1,"
             "'memoryMB':[1,-1],'cpus':[1,-1],'grow':false,"
             "'licences':{'b c':1,'a':0,'':1}}}"),
     {.version = 2,
      .id = 2,
      .name = "b",
      .type = "external",
      .fields = &description,
      .nfields = 1,
      .gpus = -1,
      .memory_mb_by_try = {amounts, 2},
      .cpus_by_try = {amounts, 2},
      .no_growth = true,
      .licences = licences,
      .nlicences = 3}},
    {TEXT_OF("{'id':-1,'name':'','type':'no-such','parentActions':[{'id':3},{'id':-1},"
             "{'id':1,'as':'a/b'},{'id':1,'as':'1'}]}"),
     {.version = 1, .id = -1, .name = "", .type = "no-such", .parents = parents, .nparents = 4}},
    {TEXT_OF("{'id':1,'name':'b','type':'external','description':'d','discription':'d',"
             "'keep':false,'retries':1001,'resources':{'cpus':65537,'memoryMB':-1,"
             "'timeLimitSeconds':-1},'isManaged':false}"),
     {.version = 1,
      .id = 1,
      .name = "b",
      .type = "external",
      .fields = extra,
      .nfields = 2,
      .keep = PINGO_KEEP_NEVER,
      .retries = 1001,
      .cpus = 65537,
      .memory_mb = -1,
      .time_limit_seconds = -1,
      .unmanaged = true}},
    {TEXT_OF("{'id':2,'type':'external','description':'d','outputPath':'x','tools':['','a/b'],"
             "'parentActions':[{'id':2}],'inputs':[{'name':'a b','path':'p'},{'path':''},"
             "{'name':'c','uri':'u'},{'name':'d','path':'p','sha256':'x'},"
             "{'name':'d','path':'p','identity':'stat'}]}"),
     {.version = 1,
      .id = 2,
      .type = "external",
      .fields = &description,
      .nfields = 1,
      .output_path = "x",
      .tools = tools,
      .ntools = 2,
      .parents = own,
      .nparents = 1,
      .inputs = inputs,
      .ninputs = 5}},
    {TEXT_OF("{'id':2,'name':'b','type':'command-line','command':[],"
             "'env':{'HOME':'x','A=B':'y'},'output':'in'}"),
     {.version = 1, .id = 2, .name = "b", .type = "command-line", .fields = command, .nfields = 3}},
    {TEXT_OF("{'id':2,'name':'b'}"), {.version = 1, .id = 2, .name = "b"}},
    {TEXT_OF("{'id':2,'name':'b','type':'command-line'}"),
     {.version = 1, .id = 2, .name = "b", .type = "command-line"}},
};

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Pointers and messages without places, in one order for both; free(). */
static char *without_places(const struct pingo_problems *problems)
{
    size_t n = pingo_problems_count(problems), size;
    char *lines[64], *all;
    FILE *out;

    assert_true(n > 0 && n <= 64);
    for (size_t i = 0; i < n; i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);
        char *range = strstr(p->message, "; it is "), *not_range = strstr(p->message, ", not ");

        /* Of a number text shows the spelling, structures the value. */
        if (range == NULL)
            range = not_range;
        if (range == NULL || strstr(p->message, "must be an integer") == NULL)
            range = (char *)p->message + strlen(p->message);
        assert_true(
            asprintf(&lines[i], "%s %.*s", p->pointer, (int)(range - p->message), p->message) > 0);
    }
    qsort(lines, n, sizeof *lines, compare_lines);
    out = open_memstream(&all, &size);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s\n", lines[i]);
        free(lines[i]);
    }
    fclose(out);
    return all;
}

/* What a text says of JSON, a builder says of its structures. */
static char *in_words_of_c(char *said)
{
    static const char *const words[][2] = {
        {"\"isManaged\": false", "unmanaged"},
        {"\"outputPath\"", "output_path"},
        {"\"identity\": \"stat\" and \"sha256\"", "PINGO_IDENTITY_STAT and sha256"},
        {"\"keep\": false on", "PINGO_KEEP_NEVER on"},
        {"leave \"keep\" out", "leave it out"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t from = strlen(words[i][0]), to = strlen(words[i][1]);

        for (char *at; (at = strstr(said, words[i][0])) != NULL;) {
            memmove(at + to, at + from, strlen(at + from) + 1);
            memcpy(at, words[i][1], to);
        }
    }
    return said;
}

static void check_case(const struct case_row *row)
{
    struct pingo_action_spec first = {
        .version = 1, .id = 1, .name = "a", .type = "external", .fields = &description, .nfields = 1};
    char *text = with_quotes(row->text), *said, *said_of_text;
    struct pingo_workflow_builder *b;
    struct pingo_workflow *w;
    struct pingo_problems *problems, *problems_of_text;

    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){text, strlen(text), &problems_of_text},
                             &options, &w, NULL),
        PINGO_EWORKFLOW);
    assert_int_equal(pingo_workflow_builder_new("w", &options, &b, NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, &first, NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, &row->spec, NULL), 0);
    assert_int_equal(pingo_workflow_builder_finish(b, &w, &problems, NULL), PINGO_EWORKFLOW);
    assert_null(w);
    for (size_t i = 0; i < pingo_problems_count(problems); i++) {
        assert_int_equal(pingo_problems_at(problems, i)->line, 0);
        assert_int_equal(pingo_problems_at(problems, i)->column, 0);
    }
    said = without_places(problems);
    assert_null(strstr(said, "\"isManaged\"")); /* nobody wrote that */
    said_of_text = in_words_of_c(without_places(problems_of_text));
    assert_string_equal(said, said_of_text);
    free(said);
    free(said_of_text);
    free(text);
    pingo_problems_free(problems);
    pingo_problems_free(problems_of_text);
    pingo_workflow_builder_free(b);
}

static void test_builder__breaks_the_same_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_case(&rows[i]);
}

/* ---- what only structures can get wrong ---------------------------------------------------- */

static char *finish(struct pingo_workflow_builder *b)
{
    struct pingo_workflow *w;
    struct pingo_problems *problems;
    char *said;

    pingo_workflow_builder_finish(b, &w, &problems, NULL);
    said = described(problems);
    pingo_problems_free(problems);
    pingo_workflow_free(w);
    pingo_workflow_builder_free(b);
    return said;
}

static void test_builder__refuses_fields_of_a_wrong_form(void **state)
{
    static const char *const two[] = {"a", "b"}, *const odd[] = {"k", "v", "l"};
    static const char *const none[] = {NULL}, *const twice[] = {"k", "1", "k", "2"};
    static const char *const bytes[] = {"\xff"};
    static const struct {
        struct pingo_field field;
        const char *said;
    } fields[] = {
        {{"command", PINGO_FIELD_TEXT, two, 2},
         "/command 'command' must be a string or an array "
         "of strings"},
        {{"command", PINGO_FIELD_TEXT, none, 1},
         "/command 'command' must be a string or an array "
         "of strings"},
        {{"command", PINGO_FIELD_TEXTS, NULL, 1},
         "/command 'command' must be a string or an "
         "array of strings"},
        {{"command", PINGO_FIELD_FLAG, two, 1},
         "/command 'command' must be a string or an array "
         "of strings"},
        {{"command", (enum pingo_field_kind)0, two, 1},
         "/command 'command' must be a string or "
         "an array of strings"},
        {{"command", (enum pingo_field_kind)0x100, two, 1},
         "/command 'command' must be a string "
         "or an array of strings"},
        {{"command", PINGO_FIELD_TEXTS, bytes, 1},
         "/command not valid UTF-8\n"
         "0:0 /actions/0/command/0 the program's name is empty: write its name or path"},
        {{"stdout", PINGO_FIELD_FLAG, two, 1}, "/stdout 'stdout' must be true or false"},
        {{"env", PINGO_FIELD_PAIRS, odd, 3}, "/env 'env' must be an object of strings"},
        {{"env", PINGO_FIELD_PAIRS, twice, 4}, "/env the name 'k' stands twice: remove one"},
    };
    static const char *const sound[] = {"true"};

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct pingo_field both[] = {fields[i].field, {"command", PINGO_FIELD_TEXT, sound, 1}};
        bool is_command = strcmp(fields[i].field.key, "command") == 0;
        struct pingo_action_spec spec = {.version = 1,
                                         .name = "a",
                                         .type = "command-line",
                                         .fields = both,
                                         .nfields = is_command ? 1 : 2};
        struct pingo_workflow_builder *b;
        char *said, expected[200];

        assert_int_equal(pingo_workflow_builder_new("w", NULL, &b, NULL), 0);
        assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), 0);
        said = finish(b);
        snprintf(expected, sizeof expected, "0:0 /actions/0%s", fields[i].said);
        assert_string_equal(said, expected);
        free(said);
    }
}

static void test_builder__refuses_texts_that_are_no_utf8(void **state)
{
    static const struct pingo_input input = {.name = "i", .uri = "\xc3", .version = "\xff"};
    static const char *const tool[] = {"\x80"};
    static const struct pingo_action_spec spec = {.version = 1,
                                                  .name = "\xff",
                                                  .type = "external",
                                                  .fields = &description,
                                                  .nfields = 1,
                                                  .salt = "\xff",
                                                  .inputs = &input,
                                                  .ninputs = 1,
                                                  .tools = tool,
                                                  .ntools = 1};
    struct pingo_workflow_builder *b;
    char *said;

    (void)state;
    assert_int_equal(pingo_workflow_builder_new("\xff", NULL, &b, NULL), 0);
    assert_int_equal(pingo_workflow_builder_env(b, "A", "\xff", NULL), 0);
    assert_int_equal(pingo_workflow_builder_env(b, "", "x", NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), 0);
    said = finish(b);
    assert_string_equal(said, "0:0 /name not valid UTF-8\n"
                              "0:0 /env/ a variable of env has an empty name\n"
                              "0:0 /env not valid UTF-8\n"
                              "0:0 /actions/0/name not valid UTF-8\n"
                              "0:0 /actions/0/inputs/0/uri not valid UTF-8\n"
                              "0:0 /actions/0/inputs/0/version not valid UTF-8\n"
                              "0:0 /actions/0/tools/0 not valid UTF-8\n"
                              "0:0 /actions/0/salt not valid UTF-8");
    free(said);
}

static void test_builder__refuses_what_no_spec_can_be(void **state)
{
    struct pingo_workflow_builder *b;
    struct pingo_workflow_options wrong = {.version = 3};
    struct pingo_action_spec spec = {.version = 0};
    char *said;

    (void)state;
    assert_int_equal(pingo_workflow_builder_new(NULL, NULL, &b, NULL), PINGO_EINVAL);
    assert_null(b);
    assert_int_equal(pingo_workflow_builder_new("w", &wrong, &b, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_workflow_builder_new("w", NULL, &b, NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, NULL, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), PINGO_EINVAL);
    spec = (struct pingo_action_spec){.version = 1, .nparents = 1};
    assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_workflow_builder_env(b, NULL, "x", NULL), PINGO_EINVAL);
    said = finish(b);
    assert_string_equal(said, "0:0 /actions 'actions' is empty: a workflow needs at least one");
    free(said);
    pingo_workflow_builder_free(NULL);
}

static void test_builder__no_id_is_taken_for_a_mark(void **state)
{
    static const struct pingo_parent_spec parent = {INT64_MIN, NULL};
    static const struct pingo_action_spec spec = {.version = 1,
                                                  .id = INT64_MIN,
                                                  .name = "a",
                                                  .type = "external",
                                                  .fields = &description,
                                                  .nfields = 1,
                                                  .parents = &parent,
                                                  .nparents = 1};
    struct pingo_workflow_builder *b;
    char *said;

    (void)state;
    assert_int_equal(pingo_workflow_builder_new("w", NULL, &b, NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), 0);
    said = finish(b);
    assert_string_equal(said, "0:0 /actions/0/id 'id' must be an integer from 0 to "
                              "9007199254740991; it is -1\n"
                              "0:0 /actions/0/parentActions/0/id 'id' must be an integer from 0 "
                              "to 9007199254740991; it is -1");
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder__makes_what_text_makes),
        cmocka_unit_test(test_builder__breaks_the_same_rules),
        cmocka_unit_test(test_builder__refuses_fields_of_a_wrong_form),
        cmocka_unit_test(test_builder__refuses_texts_that_are_no_utf8),
        cmocka_unit_test(test_builder__refuses_what_no_spec_can_be),
        cmocka_unit_test(test_builder__no_id_is_taken_for_a_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
