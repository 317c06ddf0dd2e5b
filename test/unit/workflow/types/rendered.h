/* rendered.h - what the only action of a text hands to an executor. */
#ifndef PINGO_TEST_RENDERED_H
#define PINGO_TEST_RENDERED_H

#include "unit/workflow/said.h"

#include <pingo/action_type.h>

#include "base/arena.h"

static struct pingo__arena arena;

static inline int teardown(void **state)
{
    (void)state;
    pingo__arena_clear(&arena);
    return 0;
}

/* Renders the only action of a text. */
static inline void render(const char *row, struct pingo_job *job)
{
    char *text = with_quotes(row);
    struct pingo_workflow *w;
    const struct pingo_action *a;
    struct pingo_error err;

    memset(job, 0, sizeof *job);
    job->arena = &arena;
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL}, NULL, &w, &err), 0);
    a = pingo_workflow_action(w, 0);
    assert_int_equal(a->type->render(a->fields, a->nfields, job, &err), 0);
    /* The job stands alone. */
    pingo_workflow_free(w);
    free(text);
}

static inline void check_list(const char *const *list, const char *const *expected)
{
    for (; *expected != NULL; list++, expected++)
        assert_string_equal(*list, *expected);
    assert_null(*list);
}

#endif
