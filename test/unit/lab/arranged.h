/* arranged.h - runs of made-up applications, imported, and the histories that they are arranged to. */
#ifndef TEST_LAB_ARRANGED_H
#define TEST_LAB_ARRANGED_H

#include "unit/lab/wfformat_texts.h"

#include <pingo-lab/import.h>

/* A run of `application` with n tasks: one that makes what all others read, told apart by
 * their arguments, so that a larger run has all tasks of a smaller one. */
static inline void add_run(struct pingo_import *import, const char *application, int n,
                           double seconds, const char *label)
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

static inline struct pingo_import *new_import(void)
{
    struct pingo_import *import;

    assert_int_equal(pingo_import_new(&import, NULL), 0);
    return import;
}

static inline struct pingo_history *arrange(struct pingo_import *import,
                                            const struct pingo_import_options *options)
{
    struct pingo_history *history;
    struct pingo_error err = {0};

    if (pingo_import_arrange(import, options, &history, &err))
        fail_msg("%s", err.message);
    return history;
}

static inline struct pingo_history_submission submission(const struct pingo_history *history,
                                                         uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};

    assert_int_equal(pingo_history_submission(history, i, &s), 0);
    return s;
}

/* "a3 b2 ...": the first letter of each workflow, and how many actions it has. */
static inline void check_order(const struct pingo_history *history, const char *expected)
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

static inline char *print(const struct pingo_history *history)
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

static inline struct pingo_import *three_and_two(bool backwards)
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

#endif
