/* test_arrange_settle.c - which runs are of one application, what it is called, their order, and the means of equal tasks. */
#include "unit/lab/arranged.h"

#include "lab/traces/arrange.h"

/* Applications: by the programs they have in common, named by what their names begin with. */
static void test_arrange_settle__applications(void **state)
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

/* A run with tasks of these programs, a letter each. */
static void add_programs(struct pingo_import *import, const char *name, const char *programs,
                         const char *label)
{
    char text[2048];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{\"name\":\"%s\",\"schemaVersion\":\"1.3\",\"workflow\":{"
                                 "\"tasks\":[",
                                 name);
    for (const char *p = programs; *p; p++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"name\":\"%c_ID%d\"}",
                               p == programs ? "" : ",", *p, (int)(p - programs));
    at += (size_t)snprintf(text + at, sizeof text - at, "]}}");
    assert_int_equal(pingo_import_wfformat(import, label, text, at, NULL), 0);
}

/* Runs of one application: "NAME:PROGRAMS", the same ones of all; what it is called. */
static const struct {
    const char *names[4], *expected;
} names[] = {
    {{"blast-0"}, "blast"},
    {{"Blast-20200401T035039Z-0-17"}, "blast"},
    {{"0"}, "0"}, /* no dash before it: it is all there is */
    {{"-2"}, "workflow"},
    {{""}, "workflow"},
    {{"T-Z"}, "t"},
    {{"blast-large-2", "blast-small"}, "blast"},
    {{"blast", "blast-small"}, "blast"},
    {{"blast-a-1", "blast-a-2", "blast-ab-1"}, "blast"},
    {{"blaster", "blast"}, "blaster"}, /* no word in common: that of the smallest */
    {{"a-b-c", "a-b-d", "a-x"}, "a"},
};

static void test_arrange_settle__calls_an_application_what_its_names_begin_with(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct pingo_import *import = new_import();
        for (int k = 0; k < 4 && names[i].names[k]; k++)
            add_programs(import, names[i].names[k], k == 0 ? "pq" : k == 1 ? "ppq" : "pppq", "x");
        assert_int_equal(pingo__lab_import_settle(import, NULL), 0);
        assert_int_equal(import->napplications, 1);
        assert_string_equal(import->applications[0].name, names[i].expected);
        pingo_import_free(import);
    }
}

/* Half of all programs of two runs at least; through a third one as well. */
static void test_arrange_settle__joins_runs_with_half_of_their_programs_in_common(void **state)
{
    static const struct {
        const char *programs[4];
        uint32_t napplications;
    } rows[] = {
        {{"ab", "abcd"}, 1},  /* 2 of 4 */
        {{"ab", "abcde"}, 2}, /* 2 of 5 */
        {{"ab", "cd"}, 2},
        {{"ab", "bc"}, 2},             /* 1 of 3 */
        {{"abcd", "bcde"}, 1},         /* 3 of 5 */
        {{"abcd", "cdef", "bcde"}, 1}, /* the third joins both */
        {{"abcd", "bcde", "abc"}, 1},  /* like the first alone, and so with the second */
        {{"aaaa", "a"}, 1},
        {{"a", "b", "c", "b"}, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_import *import = new_import();
        for (int k = 0; k < 4 && rows[i].programs[k]; k++)
            add_programs(import, "w", rows[i].programs[k], "x");
        assert_int_equal(pingo__lab_import_settle(import, NULL), 0);
        assert_int_equal(import->napplications, rows[i].napplications);
        pingo_import_free(import);
    }
}

/* By application, then tasks, then time, and what is the same in all of that by its label; applications by name. */
static void test_arrange_settle__puts_runs_in_order(void **state)
{
    static const struct {
        const char *application, *label;
        int n;
        double seconds;
    } runs[] = {{"b", "5", 2, 1}, {"b", "4", 2, 0.5}, {"a", "2", 3, 1},
                {"a", "0", 1, 9}, {"a", "3", 3, 2},   {"a", "1", 3, 1}};
    struct pingo_import *import = new_import();
    (void)state;
    for (size_t i = 0; i < 6; i++)
        add_run(import, runs[i].application, runs[i].n, runs[i].seconds, runs[i].label);
    /* Equal runs, but for their labels: 1 and 2. */
    assert_int_equal(pingo__lab_import_settle(import, NULL), 0);
    assert_int_equal(import->napplications, 2);
    assert_string_equal(import->applications[0].name, "a");
    assert_int_equal(import->applications[0].first, 0);
    assert_int_equal(import->applications[0].n, 4);
    assert_string_equal(import->applications[1].name, "b");
    assert_int_equal(import->applications[1].first, 4);
    assert_int_equal(import->applications[1].n, 2);
    for (uint32_t i = 0; i < 6; i++) {
        char label[2] = {(char)('0' + i), '\0'};
        assert_string_equal(import->runs[i]->label, label);
        assert_int_equal(import->runs[i]->application, i / 4);
    }
    struct pingo__lab_run **before = import->runs;
    assert_int_equal(pingo__lab_import_settle(import, NULL), 0);
    assert_ptr_equal(import->runs, before); /* nothing was added since */
    pingo_import_free(import);
}

/* Of equal tasks whose time is known; half up, and though their sum passes 64 bits. */
static void test_arrange_settle__takes_the_mean_of_what_is_known(void **state)
{
    static const struct {
        const char *runtimes[4];
        int64_t ms;
    } rows[] = {{{"1", "2"}, 1500},
                {{"0.001", "0.002"}, 2},
                {{"0.001", "0.001", "0.002"}, 1},
                {{"3", NULL, "x"}, 3000},
                {{"x", "x"}, -1},
                {{"9007199254740", "9007199254739", "9007199254740"}, INT64_C(9007199254739667)}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_import *import = new_import();
        size_t n = 0;
        for (; n < 4 && rows[i].runtimes[n]; n++) {
            char text[256];
            snprintf(text, sizeof text,
                     "{\"name\":\"w\",\"schemaVersion\":\"1.3\",\"workflow\":{\"tasks\":[{\"name\":"
                     "\"a\"%s%s}]}}",
                     *rows[i].runtimes[n] == 'x' ? "" : ",\"runtime\":",
                     *rows[i].runtimes[n] == 'x' ? "" : rows[i].runtimes[n]);
            assert_int_equal(pingo_import_wfformat(import, "", text, strlen(text), NULL), 0);
        }
        assert_int_equal(pingo__lab_import_settle(import, NULL), 0);
        assert_int_equal(import->ndistinct, 1);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(import->runs[k]->mean_ms[0], rows[i].ms);
            assert_int_equal(import->runs[k]->mean_bytes[0], -1);
        }
        pingo_import_free(import);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrange_settle__applications),
        cmocka_unit_test(test_arrange_settle__calls_an_application_what_its_names_begin_with),
        cmocka_unit_test(test_arrange_settle__joins_runs_with_half_of_their_programs_in_common),
        cmocka_unit_test(test_arrange_settle__puts_runs_in_order),
        cmocka_unit_test(test_arrange_settle__takes_the_mean_of_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
