/* Runs made into histories: which are of one application, means, and each way to arrange them. */
#include "unit/lab/wfformat_texts.h"

#include <pingo-lab/import.h>

/* A run of `application` with n tasks: one that makes what all others read, told apart by
 * their arguments, so that a larger run has all tasks of a smaller one. */
static void add_run(struct pingo_import *import, const char *application, int n, double seconds,
                    const char *label)
{
    static char text[65536];
    struct pingo_error err = {0};
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "{'name':'%s-20200401T035039Z-0','schemaVersion':'1.4','workflow':{'tasks':[{'name':'prep',"
        "'command':{'program':'%s-prep'},'runtime':%.3f,'files':[{'name':'base','size':%d,"
        "'link':'output'}]}",
        application, application, seconds, n * 10);

    for (int i = 1; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               ",{'name':'work_ID%d','command':{'program':'%s-work','arguments':"
                               "['%d']},'runtime':%.3f,'files':[{'name':'base','link':'input'}]}",
                               i, application, i, seconds);
    snprintf(text + at, sizeof text - at, "]}}");
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    if (pingo_import_wfformat(import, label, text, strlen(text), &err))
        fail_msg("%s", err.message);
}

static struct pingo_import *new_import(void)
{
    struct pingo_import *import;

    assert_int_equal(pingo_import_new(&import, NULL), 0);
    return import;
}

static struct pingo_history *arrange(struct pingo_import *import,
                                     const struct pingo_import_options *options)
{
    struct pingo_history *history;
    struct pingo_error err = {0};

    if (pingo_import_arrange(import, options, &history, &err))
        fail_msg("%s", err.message);
    return history;
}

static struct pingo_history_submission submission(const struct pingo_history *history, uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};

    assert_int_equal(pingo_history_submission(history, i, &s), 0);
    return s;
}

/* "a3 b2 ...": the first letter of each workflow, and how many actions it has. */
static void check_order(const struct pingo_history *history, const char *expected)
{
    char order[2048] = "";
    size_t at = 0;

    for (uint32_t i = 0; i < pingo_history_count_submissions(history) && at < 2000; i++) {
        struct pingo_history_submission s = submission(history, i);

        at += (size_t)snprintf(order + at, sizeof order - at, "%s%c%zu", i ? " " : "", *s.workflow,
                               s.nactions);
    }
    assert_string_equal(order, expected);
}

static char *print(const struct pingo_history *history)
{
    char *all = strdup("");

    for (uint32_t i = 0; i < pingo_history_count_submissions(history); i++) {
        size_t before = strlen(all);
        char *line;

        assert_int_equal(pingo_history_print_line(history, i, NULL, &line, NULL), 0);
        size_t length = strlen(line);
        all = realloc(all, before + length + 1);
        assert_non_null(all);
        memcpy(all + before, line, length + 1);
        free(line);
    }
    return all;
}

static struct pingo_import *three_and_two(bool backwards)
{
    static const struct {
        const char *application;
        int n;
        double seconds;
    } runs[] = {{"a", 3, 1}, {"b", 9, 1}, {"a", 5, 1}, {"b", 2, 1}, {"a", 5, 3}};
    struct pingo_import *import = new_import();

    for (size_t i = 0; i < 5; i++) {
        size_t k = backwards ? (8 - i) % 5 : i; /* and another application first */

        add_run(import, runs[k].application, runs[k].n, runs[k].seconds, "x");
    }
    return import;
}

static void test_wfformat_arrange__growth(void **state)
{
    struct pingo_import_options options = {.version = 1, .as = PINGO_IMPORT_GROWTH};
    struct pingo_import *import = three_and_two(false);
    struct pingo_history *history = arrange(import, NULL);
    struct pingo_history_submission s = submission(history, 0);

    (void)state;
    assert_int_equal(pingo_history_count_submissions(history), 20);
    assert_string_equal(s.workflow, "a");
    assert_string_equal(s.user, "u1");
    assert_int_equal(s.at_ms, INT64_C(1577836800000));
    assert_int_equal(s.flags[0], 0);
    assert_int_equal(s.flags[1], PINGO_HISTORY_LEAF);
    s = submission(history, 1);
    assert_string_equal(s.user, "u2");
    assert_int_equal(s.at_ms, INT64_C(1577840400000));
    /* a: 5 tasks, b: 9. */
    assert_int_equal(pingo_history_count_actions(history), 14);
    pingo_history_free(history);
    options.nsubmissions = 5;
    history = arrange(import, &options);
    check_order(history, "a3 b2 a5 b9 a5");
    pingo_history_free(history);
    options.nsubmissions = 2;
    history = arrange(import, &options);
    check_order(history, "a3 b2");
    pingo_history_free(history);
    /* With another seed other repeats, and the same ones again. */
    options.nsubmissions = 13;
    history = arrange(import, &options);
    check_order(history, "a3 b2 a5 b9 a5 a3 a5 b2 a5 a5 b2 b9 b2");
    pingo_history_free(history);
    options.seed = 7;
    history = arrange(import, &options);
    check_order(history, "a3 b2 a5 b9 a5 b9 b9 b2 b9 b9 a5 a5 a5");
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_wfformat_arrange__the_order_of_adding_does_not_matter(void **state)
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

static void test_wfformat_arrange__means_and_facts(void **state)
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
static void test_wfformat_arrange__the_hash_is_that_of_the_page(void **state)
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

static void test_wfformat_arrange__sweep(void **state)
{
    static const struct {
        const char *label;
        int n;
    } runs[] = {{"w-2l-10c-001.json", 2},       {"w-1l-2c-001.json", 3},
                {"1l/w-10l-2c-001.json", 4},    {"w-1l-10c-001.json", 5},
                {"w-2l-2c-001.json", 6},        {"w-nothing.json", 7},
                {"3l-1c-x9-9/w-2l2-5.json", 8}, {"w-05l-2c.json", 9}};
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_SWEEP, .nsubmissions = 17};
    struct pingo_import *import = new_import();
    struct pingo_history *history;

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        add_run(import, "a", runs[i].n, 1, runs[i].label);
    history = arrange(import, &options);
    /* Without numbers first; 0.5 l; 1 l: 2 c, 10 c; 2 l: 2 c, 10 c; 10 l.  Then by c first. */
    check_order(history, "a7 a8 a9 a3 a5 a6 a2 a4 a7 a8 a9 a3 a6 a4 a5 a2 a7");
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_wfformat_arrange__users_walk_up_and_down(void **state)
{
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_USERS, .nsubmissions = 2000, .nusers = 5, .seed = 1};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    size_t last[5] = {0}, steps = 0, starts = 0, ofone[3] = {0};
    char app[5] = {0};

    (void)state;
    for (int n = 2; n < 6; n++) {
        add_run(import, "a", n, 1, "x");
        add_run(import, "b", n, 1, "x");
    }
    add_run(import, "c", 4, 1, "x");
    history = arrange(import, &options);
    for (uint32_t i = 0; i < 2000; i++) {
        struct pingo_history_submission s = submission(history, i);
        int who = atoi(s.user + 1) - 1;

        assert_in_range(who, 0, 4);
        ofone[*s.workflow - 'a']++;
        if (app[who] == *s.workflow &&
            (*s.workflow == 'c' || s.nactions + 1 == last[who] || s.nactions == last[who] + 1)) {
            steps++;
        } else { /* begins at the smallest */
            assert_int_equal(s.nactions, *s.workflow == 'c' ? 4 : 2);
            starts++;
        }
        app[who] = *s.workflow;
        last[who] = s.nactions;
    }
    assert_in_range(steps, 1800, 1950);
    assert_in_range(starts, 50, 200);
    /* 6 : 3 : 2 in some order. */
    for (int k = 0; k < 3; k++)
        assert_in_range(ofone[k], 150, 1500);
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_wfformat_arrange__a_change_misses_what_descends(void **state)
{
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_CODE_CHANGE, .nsubmissions = 41, .every = 4, .seed = 5};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    int all = 0, but_one = 0;

    (void)state;
    add_run(import, "a", 6, 1, "x");
    history = arrange(import, &options);
    for (uint32_t i = 0; i < 41; i++) {
        struct pingo_history_submission s = submission(history, i);
        uint32_t new = s.nknown - s.nknown_before;

        if (i == 0 || i % 4 != 0) {
            assert_int_equal(new, i ? 0 : 6);
            continue;
        }
        /* Either the first program, or that of the others. */
        assert_true(new == 6 || new == 5);
        all += new == 6;
        but_one += new == 5;
        if (new == 5)
            assert_int_equal(s.actions[0], submission(history, i - 1).actions[0]);
        assert_int_equal(pingo_history_compute(history, s.actions[5]), 1000);
    }
    assert_true(all > 0 && but_one > 0 && all + but_one == 10);
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_wfformat_arrange__targets_with_what_leads_to_them(void **state)
{
    /* a <- b <- c <- d <- e, and f beside them. */
    char *text = wf_quoted(
        "{'name':'w','schemaVersion':'1.4','workflow':{'tasks':[{'name':'a'},{'name':'b','parents':"
        "['a']},{'name':'c','parents':['b']},{'name':'d','parents':['c']},{'name':'e','parents':"
        "['d']},{'name':'f'}]}}");
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_TARGETS, .nsubmissions = 300, .ntargets = 2};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    size_t nleaves[3] = {0}, longest[5] = {0};

    (void)state;
    assert_int_equal(pingo_import_wfformat(import, "", text, strlen(text), NULL), 0);
    history = arrange(import, &options);
    assert_int_equal(pingo_history_count_actions(history), 4);
    for (uint32_t i = 0; i < 300; i++) {
        struct pingo_history_submission s = submission(history, i);
        size_t n = 0, nparents;

        assert_in_range(s.nactions, 1, 4);
        for (size_t k = 0; k < s.nactions; k++) {
            n += (s.flags[k] & PINGO_HISTORY_LEAF) != 0;
            pingo_history_parents(history, s.actions[k], &nparents);
            assert_int_equal(nparents, k > 0);
        }
        assert_true(s.flags[s.nactions - 1] & PINGO_HISTORY_LEAF);
        assert_in_range(n, 1, 2);
        nleaves[n]++;
        longest[s.nactions]++;
    }
    assert_in_range(nleaves[2], 60, 180);
    for (int k = 1; k < 5; k++)
        assert_true(longest[k] > 20);
    pingo_history_free(history);
    pingo_import_free(import);
    free(text);
}

/* Applications: by the programs they have in common, named by what their names begin with. */
static void test_wfformat_arrange__applications(void **state)
{
    static const struct {
        const char *name, *programs;
    } runs[] = {{"Makeflow-bwa-small", "pqrs"},
                {"makeflow-bwa-large-3", "pqr"},
                {"makeflow-blast", "rstu"},
                {"-2", "xy"},
                {"Montage", "mn"},
                {"montage-0", "mno"}};
    static const char *const names[] = {"makeflow-blast", "makeflow-bwa", "montage", "workflow"};
    struct pingo_import_options options = {.version = 1, .nsubmissions = 6};
    struct pingo_import *import = new_import();
    struct pingo_import_facts facts = {.size = sizeof facts};
    struct pingo_history *history;

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char text[1024];
        size_t at = (size_t)snprintf(text, sizeof text,
                                     "{\"name\":\"%s\",\"schemaVersion\":\"1.3\",\"workflow\":{"
                                     "\"tasks\":[",
                                     runs[i].name);

        for (const char *p = runs[i].programs; *p; p++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"name\":\"%c_ID%d\"}",
                                   p == runs[i].programs ? "" : ",", *p, (int)i);
        at += (size_t)snprintf(text + at, sizeof text - at, "]}}");
        assert_int_equal(pingo_import_wfformat(import, "", text, at, NULL), 0);
    }
    assert_int_equal(pingo_import_look(import, &facts, NULL), 0);
    assert_int_equal(facts.napplications, 4);
    assert_int_equal(facts.nunknown_times, facts.ntasks);
    assert_int_equal(facts.nunknown_sizes, facts.ntasks);
    history = arrange(import, &options);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(submission(history, i).workflow, names[i]);
    assert_string_equal(submission(history, 4).workflow, "makeflow-bwa");
    assert_string_equal(submission(history, 5).workflow, "montage");
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_wfformat_arrange__options(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_arrange__growth),
        cmocka_unit_test(test_wfformat_arrange__the_order_of_adding_does_not_matter),
        cmocka_unit_test(test_wfformat_arrange__means_and_facts),
        cmocka_unit_test(test_wfformat_arrange__the_hash_is_that_of_the_page),
        cmocka_unit_test(test_wfformat_arrange__sweep),
        cmocka_unit_test(test_wfformat_arrange__users_walk_up_and_down),
        cmocka_unit_test(test_wfformat_arrange__a_change_misses_what_descends),
        cmocka_unit_test(test_wfformat_arrange__targets_with_what_leads_to_them),
        cmocka_unit_test(test_wfformat_arrange__applications),
        cmocka_unit_test(test_wfformat_arrange__options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
