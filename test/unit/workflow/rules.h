/* rules.h - rows of workflows and of what is said of them.
 *
 * Text and expected are as in said.h.  The directory of relative paths is /base, and what lies below /exists/ exists. */
#ifndef PINGO_TEST_RULES_H
#define PINGO_TEST_RULES_H

#include "unit/workflow/said.h"

struct row {
    const char *name;
    const char *text;
    const char *expected; /* "": nothing is wrong */
    const char *flags;    /* s: strict; b: no base directory; NULL: none */
};

static bool below_exists(void *context, const char *path)
{
    (void)context;
    return strncmp(path, "/exists/", 8) == 0;
}

static void check_row(void **state)
{
    const struct row *row = *state;
    bool strict = row->flags != NULL && strchr(row->flags, 's') != NULL;
    bool no_base = row->flags != NULL && strchr(row->flags, 'b') != NULL;
    struct pingo_workflow_options options = {.version = 1,
                                             .base_dir = no_base ? NULL : "/base",
                                             .strict = strict,
                                             .file_exists = below_exists};
    struct pingo_workflow *workflow;
    struct pingo_problems *problems;
    struct pingo_error err;
    char *text = with_quotes(row->text), *said;
    bool is_error = false;
    int r = pingo_workflow_parse(&(struct pingo_document){text, strlen(text), &problems}, &options,
                                 &workflow, &err);

    said = described(problems);
    assert_string_equal(said, row->expected);
    for (size_t i = 0; i < pingo_problems_count(problems); i++)
        is_error = is_error || pingo_problems_at(problems, i)->severity == PINGO_SEVERITY_ERROR;
    assert_int_equal(r, is_error ? PINGO_EWORKFLOW : 0);
    assert_int_equal(workflow == NULL, is_error);
    if (is_error) {
        assert_int_equal(err.code, PINGO_EWORKFLOW);
        assert_true(err.message[0] != '\0');
    }
    free(said);
    free(text);
    pingo_workflow_free(workflow);
    pingo_problems_free(problems);
}

/* One test for each row, and more. */
static inline int run_rows_and(const struct row *rows, size_t n, const struct CMUnitTest *more,
                               size_t nmore)
{
    struct CMUnitTest *tests = calloc(n + nmore, sizeof *tests);
    int failed;

    if (tests == NULL)
        return 1;
    for (size_t i = 0; i < n; i++) {
        tests[i].name = rows[i].name;
        tests[i].test_func = check_row;
        tests[i].initial_state = (void *)(uintptr_t)&rows[i];
    }
    if (nmore)
        memcpy(tests + n, more, nmore * sizeof *tests);
    failed = _cmocka_run_group_tests("rules", tests, n + nmore, NULL, NULL);
    free(tests);
    return failed;
}

static inline int run_rows(const struct row *rows, size_t n)
{
    return run_rows_and(rows, n, NULL, 0);
}

#endif
