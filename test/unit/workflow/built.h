/* built.h - what is said of actions that a program hands in: lines as in said.h, at 0:0. */
#ifndef PINGO_TEST_BUILT_H
#define PINGO_TEST_BUILT_H

#include "unit/workflow/said.h"

#include <pingo/action_type.h>

static const char *const built_text[] = {"d"};
/* What an external action must have. */
static const struct pingo_field built_description = {"description", PINGO_FIELD_TEXT, built_text, 1};

/* Builds a workflow of one action, whose name and type may be left out.  What is said, to be freed. */
static inline char *said_of(const struct pingo_action_spec *given)
{
    struct pingo_action_spec spec = *given;
    struct pingo_workflow_builder *b = NULL;
    struct pingo_workflow *w = NULL;
    struct pingo_problems *problems = NULL;
    char *said;

    spec.version = 2;
    spec.name = spec.name ? spec.name : "a";
    spec.type = spec.type ? spec.type : "external";
    if (spec.nfields == 0) {
        spec.fields = &built_description;
        spec.nfields = 1;
    }
    assert_int_equal(pingo_workflow_builder_new("w", NULL, &b, NULL), 0);
    assert_int_equal(pingo_workflow_builder_add(b, &spec, NULL), 0);
    pingo_workflow_builder_finish(b, &w, &problems, NULL);
    said = described(problems);
    assert_int_equal(w == NULL, said[0] != '\0');
    pingo_problems_free(problems);
    pingo_workflow_free(w);
    pingo_workflow_builder_free(b);
    return said;
}

#endif
