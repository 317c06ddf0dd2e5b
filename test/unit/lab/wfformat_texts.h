/* wfformat_texts.h - WfFormat documents for tests, written with ' for ", and runs read from them. */
#ifndef TEST_SIMULATE_WFFORMAT_TEXTS_H
#define TEST_SIMULATE_WFFORMAT_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/traces/wfformat.h"

/* How documents of 1.4 and 1.5 begin. */
#define HEAD "{'name':'w','schemaVersion':'1.4','workflow':{'tasks':["
#define SPLIT "{'name':'w','schemaVersion':'1.5','workflow':{'specification':{"

/* Yours. */
static inline char *wf_quoted(const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static inline void wf_read(const char *text, struct pingo__lab_wf_instance *instance)
{
    struct pingo_error err = {0};
    char *quoted = wf_quoted(text);

    if (pingo__lab_wfformat_read(quoted, strlen(quoted), instance, &err))
        fail_msg("%s\n%s", err.message, text);
    free(quoted);
}

/* It is refused, and told where and why. */
static inline void wf_refused(const char *text, const char *message)
{
    char *quoted = wf_quoted(text);
    struct pingo__lab_wf_instance run;
    struct pingo_error err = {0};
    int rc = pingo__lab_wfformat_read(quoted, strlen(quoted), &run, &err);

    if (rc != PINGO_EINVAL || err.code != rc || !strstr(err.message, message))
        fail_msg("%s\ngave %d: %s", text, rc, err.message);
    assert_int_equal(strncmp(err.message, "line ", 5), 0);
    pingo__lab_wf_instance_clear(&run);
    free(quoted);
}

/* A document of 1.5: what is said of files, tasks and their execution, and the system. */
static inline char *wf_split(const char *system, const char *files, const char *tasks,
                             const char *execution)
{
    size_t size = strlen(files) + strlen(tasks) + strlen(execution) + 400;
    char *text = malloc(size);

    assert_non_null(text);
    snprintf(text, size,
             "{'name':'words-0','schemaVersion':'1.5','runtimeSystem':{'name':'%s'},'workflow':{"
             "'specification':{'files':[%s],'tasks':[%s]},'execution':{'tasks':[%s]}}}",
             system, files, tasks, execution);
    return text;
}

/* Do two runs have the same tasks, with the same parents? */
static inline bool wf_equal(const struct pingo__lab_wf_instance *a,
                            const struct pingo__lab_wf_instance *b)
{
    if (a->ntasks != b->ntasks || a->nparents != b->nparents)
        return false;
    for (uint32_t i = 0; i < a->ntasks; i++)
        if (memcmp(&a->tasks[i].self, &b->tasks[i].self, sizeof a->tasks[i].self) != 0 ||
            a->tasks[i].first_parent != b->tasks[i].first_parent)
            return false;
    for (uint32_t i = 0; i < a->nparents; i++)
        if (a->parents[i].task != b->parents[i].task ||
            memcmp(&a->parents[i].files, &b->parents[i].files, sizeof a->parents[i].files) != 0)
            return false;
    return true;
}

#endif
