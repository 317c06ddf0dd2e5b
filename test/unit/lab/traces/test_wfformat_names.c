/* test_wfformat_names.c - names without what differs from run to run: work directories of Nextflow, times of runs, ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/traces/wfformat_names.h"

#define WORK "/b6/e95c72d7ef9da13b7641118999df15"
#define STAMP "20200407-225740-"

/* Of a run of a system, with outputs of these names, NULL at the end; what is no output has a "<" before it. */
static void names_of(struct pingo__lab_wf_names *names, enum pingo__lab_wf_system system,
                     const char *const *outputs)
{
    struct pingo__lab_wf_file files[8];
    struct pingo__lab_wf_document d = {.system = system, .files = files};
    for (; *outputs; outputs++)
        files[d.nfiles++] = (struct pingo__lab_wf_file){
            .name = *outputs + (**outputs == '<'),
            .producer = **outputs == '<' ? PINGO__WF_NOBODY : (uint32_t)d.nfiles};
    pingo__lab_wf_names_init(names, &d);
}

static void test_wfformat_names__finds_the_time_of_a_run(void **state)
{
    static const struct {
        const char *outputs[4], *stamp;
    } rows[] = {
        {{STAMP "a", "/d/" STAMP "b", "c"}, STAMP},
        {{STAMP, NULL}, STAMP},
        {{"a", STAMP "b/c", NULL}, ""}, /* of a directory */
        {{"x" STAMP "a", NULL}, ""},
        {{STAMP "a", "20200407-225741-b", NULL}, ""}, /* two times are not that of the run */
        {{"<" STAMP "in", NULL}, ""},                 /* nobody made it then */
        {{"<20200407-225741-in", STAMP "a", NULL}, STAMP},
        {{"20200407-225740", NULL}, ""},
        {{"2020040a-225740-x", NULL}, ""},
        {{"20200407_225740-x", NULL}, ""},
        {{NULL}, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__lab_wf_names names;
        names_of(&names, PINGO__WF_OTHER, rows[i].outputs);
        assert_string_equal(names.stamp, rows[i].stamp);
        assert_false(names.has_work_directories);
    }
}

static void test_wfformat_names__takes_out_what_differs(void **state)
{
    static const struct {
        enum pingo__lab_wf_system system;
        const char *output, *text, *plain;
    } rows[] = {
        {PINGO__WF_NEXTFLOW, "o", "/work" WORK "/x", "/work/x"},
        {PINGO__WF_NEXTFLOW, "o", WORK, ""},
        {PINGO__WF_NEXTFLOW, "o", "a" WORK WORK "/b" WORK, "a/b"},
        {PINGO__WF_NEXTFLOW, "o", WORK "0/x", WORK "0/x"}, /* a digit too many, or too few */
        {PINGO__WF_NEXTFLOW, "o", "/b6/e95c72d7ef9da13b7641118999df1/x",
         "/b6/e95c72d7ef9da13b7641118999df1/x"},
        {PINGO__WF_NEXTFLOW, "o", "/B6/e95c72d7ef9da13b7641118999df15",
         "/B6/e95c72d7ef9da13b7641118999df15"},
        {PINGO__WF_NEXTFLOW, "o", "/", "/"},
        {PINGO__WF_NEXTFLOW, "o", "", ""},
        {PINGO__WF_MAKEFLOW, "o", "/work" WORK "/x", "/work" WORK "/x"},
        {PINGO__WF_OTHER, STAMP "o", "-o " STAMP "o " STAMP "p", "-o o p"},
        {PINGO__WF_OTHER, STAMP "o", "20200407-225741-o", "20200407-225741-o"},
        {PINGO__WF_OTHER, STAMP "o", "20200407-225740", "20200407-225740"},
        {PINGO__WF_OTHER, "o", STAMP "o", STAMP "o"},
        {PINGO__WF_NEXTFLOW, STAMP "o", WORK "/" STAMP "x", "/x"},
    };
    struct pingo__arena arena = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__lab_wf_names names;
        names_of(&names, rows[i].system, (const char *const[]){rows[i].output, NULL});
        const char *plain = pingo__lab_wf_plain(&names, &arena, rows[i].text);
        assert_string_equal(plain, rows[i].plain);
        /* What has nothing of that is not copied. */
        assert_int_equal(plain == rows[i].text, strcmp(rows[i].text, rows[i].plain) == 0);
    }
    pingo__arena_clear(&arena);
}

static void test_wfformat_names__leaves_ids_out_of_names_of_tasks(void **state)
{
    static const struct {
        const char *name;
        size_t length;
    } rows[] = {{"split_ID0000001", 5},
                {"split_ID1", 5},
                {"split", 5},
                {"split_ID", 8},
                {"split1", 6},
                {"a_ID1_ID2", 5},
                {"a_ID1b", 6},
                {"_ID1", 4},
                {"a_ID1", 1},
                {"split_id1", 9},
                {"", 0},
                {"12345", 5},
                {"ID1", 3},
                {"a__ID7", 2},
                {"a_ID1_IDx", 9}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__lab_wf_stem(rows[i].name), rows[i].length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_names__finds_the_time_of_a_run),
        cmocka_unit_test(test_wfformat_names__takes_out_what_differs),
        cmocka_unit_test(test_wfformat_names__leaves_ids_out_of_names_of_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
