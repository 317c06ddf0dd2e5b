/* test_arrange.c - runs are added, looked at and made into a history: hashes, facts, defaults, and what is refused. */
#include "unit/lab/arranged.h"

#include "lab/traces/arrange.h"

static void test_arrange__means_and_facts(void **state)
{
    struct pingo_import *import = new_import();
    struct pingo_import_facts facts = {.size = sizeof facts};
    struct pingo_history *history;

    (void)state;
    assert_int_equal(pingo_import_look(import, &facts, NULL), 0);
    assert_int_equal(facts.nruns + facts.napplications + facts.ntasks, 0);
    assert_int_equal(pingo_import_arrange(import, NULL, &history, NULL), PINGO_EINVAL);
    /* prep: 1, 2 and 2.004 s, 20, 30 and 30 bytes; the third task is in two. */
    add_run(import, "a", 2, 1, "x");
    add_run(import, "a", 3, 2, "x");
    add_run(import, "a", 3, 2.004, "x");
    add_run(import, "c", 2, 9007199254740.5, "x");
    add_run(import, "c", 2, 9007199254740.5, "y");
    assert_int_equal(pingo_import_look(import, &facts, NULL), 0);
    assert_int_equal(facts.nruns, 5);
    assert_int_equal(facts.napplications, 2);
    assert_int_equal(facts.ntasks, 12);
    assert_int_equal(facts.ndistinct, 5);
    assert_int_equal(facts.nunknown_times, 0);
    assert_int_equal(facts.nunknown_sizes, 0);
    history = arrange(import, NULL);
    assert_int_equal(pingo_history_compute(history, 0), 1668);
    assert_int_equal(pingo_history_size(history, 0), 27);
    assert_int_equal(pingo_history_compute(history, 1), 1668);
    assert_int_equal(pingo_history_size(history, 1), 0);
    assert_int_equal(pingo_history_compute(history, 2), INT64_C(9007199254740500));
    pingo_history_free(history);
    /* What is added later counts as well. */
    add_run(import, "a", 1, 3, "x");
    history = arrange(import, NULL);
    assert_int_equal(pingo_history_compute(history, 0), 2001);
    pingo_history_free(history);
    pingo_import_free(import);
}

/* The hash of a task as pingo-import(1) tells it, made by other means. */
static void test_arrange__the_hash_is_that_of_the_page(void **state)
{
    static const char first[] = "7952ee22b51380e975d51aaf9f4458a35209e004557d7ea1ed672bcce003eb99",
                      second[] = "e4930350d44d52bac6bb0bdd0f65a08fa27edefc65a53bfd9820a08526e4dd33";
    struct pingo_import *import = new_import();
    char hex[PINGO_HASH_HEX_SIZE];
    struct pingo_history *history;
    char *text = wf_quoted(
        "{'name':'w','schemaVersion':'1.5','workflow':{'specification':{'files':["
        "{'id':'text','sizeInBytes':100},{'id':'words','sizeInBytes':90}],'tasks':["
        "{'name':'split','id':'a','inputFiles':['text'],'outputFiles':['words']},"
        "{'name':'count_ID7','id':'b','parents':['a'],'inputFiles':['words']}]},'execution':"
        "{'tasks':[{'id':'a','command':{'program':'split','arguments':['-n','2']}}]}}}");

    (void)state;
    assert_int_equal(pingo_import_wfformat(import, "", text, strlen(text), NULL), 0);
    history = arrange(import, NULL);
    pingo_hash_to_hex(pingo_history_hash(history, 0), hex);
    assert_string_equal(hex, first);
    pingo_hash_to_hex(pingo_history_hash(history, 1), hex);
    assert_string_equal(hex, second);
    pingo_history_free(history);
    pingo_import_free(import);
    free(text);
}

static void test_arrange__options(void **state)
{
    static const struct {
        struct pingo_import_options options;
        const char *message;
    } rows[] = {
        {{.version = 2}, "pingo_import_options"},
        {{.version = 1, .as = (enum pingo_import_as)6}, "as is one of"},
        {{.version = 1, .nsubmissions = 1000001}, "nsubmissions is at most 1000000"},
        {{.version = 1, .nusers = 100001}, "nusers is at most 100000"},
        {{.version = 1, .ntargets = 1001}, "ntargets is at most 1000"},
    };
    struct pingo_import *import = new_import();

    (void)state;
    add_run(import, "a", 1, 1, "x");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_history *history;
        struct pingo_error err;

        assert_int_equal(pingo_import_arrange(import, &rows[i].options, &history, &err),
                         PINGO_EINVAL);
        assert_non_null(strstr(err.message, rows[i].message));
        assert_null(history);
    }
    pingo_import_free(import);
    pingo_import_free(NULL);
}

static void test_arrange__the_order_of_adding_does_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < 5 * 8; i++) { /* each kind with some seeds */
        struct pingo_import_options options = {
            .version = 1,
            .as = (enum pingo_import_as)(PINGO_IMPORT_GROWTH + i % 5),
            .seed = (uint64_t)i / 5};
        char *printed[2];

        for (int k = 0; k < 2; k++) {
            struct pingo_import *import = three_and_two(k == 1);
            struct pingo_history *history = arrange(import, &options);

            printed[k] = print(history);
            pingo_history_free(history);
            pingo_import_free(import);
        }
        assert_string_equal(printed[0], printed[1]);
        free(printed[0]);
        free(printed[1]);
    }
}

/* A document that is refused leaves the import as it was. */
static void test_arrange__goes_on_after_a_wrong_document(void **state)
{
    static const char wrong[] = "{\"name\":\"w\"}";
    struct pingo_import *import = new_import();
    struct pingo_import_facts facts = {.size = sizeof facts};
    struct pingo_error err = {0};
    struct pingo_history *history;

    (void)state;
    add_run(import, "a", 2, 1, "x");
    assert_int_equal(pingo_import_wfformat(import, "y", wrong, strlen(wrong), &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "a WfFormat document has \"schemaVersion\", a string"));
    assert_int_equal(pingo_import_look(import, &facts, NULL), 0);
    assert_int_equal(facts.nruns, 1);
    facts.size = 1;
    assert_int_equal(pingo_import_look(import, &facts, NULL), PINGO_EINVAL);
    history = arrange(import, NULL);
    assert_int_equal(pingo_history_count_submissions(history), 4);
    pingo_history_free(history);
    pingo_import_free(import);
}

/* Nor does the order of tasks in a document, and with it that of parents. */
static void test_arrange__equal_tasks_have_one_hash(void **state)
{
    static const char *const texts[] = {
        HEAD "{'name':'a'},{'name':'b'},{'name':'c','parents':['a','b']}]}}",
        HEAD "{'name':'b'},{'name':'c','parents':['b','a']},{'name':'a'}]}}"};
    struct pingo_import *import = new_import();
    struct pingo_import_facts facts = {.size = sizeof facts};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char *text = wf_quoted(texts[i]);

        assert_int_equal(pingo_import_wfformat(import, "", text, strlen(text), NULL), 0);
        free(text);
    }
    assert_int_equal(pingo_import_look(import, &facts, NULL), 0);
    assert_int_equal(facts.ntasks, 6);
    assert_int_equal(facts.ndistinct, 3);
    pingo_import_free(import);
}

/* A run may take longer than a number holds: then it takes as long as one can. */
static void test_arrange__takes_runs_of_any_length(void **state)
{
    enum { TASKS = 1100 };
    static char text[TASKS * 64 + 200];
    struct pingo_import *import = new_import();
    size_t n = (size_t)sprintf(
        text, "{\"name\":\"w\",\"schemaVersion\":\"1.4\",\"workflow\":{\"tasks\":[");

    (void)state;
    for (int i = 0; i < TASKS; i++)
        n += (size_t)sprintf(text + n,
                             "%s{\"name\":\"a\",\"id\":\"%d\",\"runtime\":9007199254740.991}",
                             i ? "," : "", i);
    n += (size_t)sprintf(text + n, "]}}");
    assert_int_equal(pingo_import_wfformat(import, "", text, n, NULL), 0);
    assert_true(import->runs[0]->compute_ms == INT64_MAX);
    pingo_import_free(import);
}

static char *arranged(struct pingo_import *import, struct pingo_import_options options)
{
    struct pingo_history *history = arrange(import, &options);
    char *text = print(history);

    pingo_history_free(history);
    return text;
}

/* What is not given is what pingo-import(1) says: four submissions of each run, 8 users, a change after as many
 * submissions as there are runs, up to 3 targets. */
static void test_arrange__has_defaults(void **state)
{
    static const struct pingo_import_options given[] = {
        {.version = 1, .as = PINGO_IMPORT_GROWTH, .nsubmissions = 20},
        {.version = 1, .as = PINGO_IMPORT_SWEEP, .nsubmissions = 20},
        {.version = 1, .as = PINGO_IMPORT_USERS, .nsubmissions = 20, .nusers = 8},
        {.version = 1, .as = PINGO_IMPORT_CODE_CHANGE, .nsubmissions = 20, .every = 5},
        {.version = 1, .as = PINGO_IMPORT_TARGETS, .nsubmissions = 20, .ntargets = 3},
    };
    struct pingo_import *import = three_and_two(false);

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char *one = arranged(import, given[i]);
        char *other =
            arranged(import, (struct pingo_import_options){.version = 1, .as = given[i].as});

        assert_string_equal(one, other);
        free(one);
        free(other);
    }
    pingo_import_free(import);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrange__means_and_facts),
        cmocka_unit_test(test_arrange__the_hash_is_that_of_the_page),
        cmocka_unit_test(test_arrange__options),
        cmocka_unit_test(test_arrange__the_order_of_adding_does_not_matter),
        cmocka_unit_test(test_arrange__goes_on_after_a_wrong_document),
        cmocka_unit_test(test_arrange__equal_tasks_have_one_hash),
        cmocka_unit_test(test_arrange__takes_runs_of_any_length),
        cmocka_unit_test(test_arrange__has_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
