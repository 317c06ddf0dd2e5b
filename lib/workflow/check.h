/* check.h - parsing a text so that what is wrong with its inputs, tools and versions is told with the
 * violations of rules, each at its place.  What is wrong, others know: this room reads no files. */
#ifndef PINGO__WORKFLOW_CHECK_H
#define PINGO__WORKFLOW_CHECK_H

#include <pingo/workflow.h>

/* What an action has several of, in the order of its description. */
enum pingo__workflow_part {
    PINGO__PART_INPUT,
    PINGO__PART_TOOL,
    PINGO__PART_VERSION,
    PINGO__PART_PARENT,
    PINGO__NPARTS
};

struct pingo__workflow_parts_check {
    void *context;
    /* What is wrong with the i-th input, tool or version of the action at this position, or NULL.
     * Asked of inputs with a path to be read and of what breaks no rule itself. */
    const char *(*wrong)(void *context, const struct pingo_action *action, size_t position,
                         enum pingo__workflow_part part, size_t i);
};

/* A text to parse; check: may be NULL. */
struct pingo__workflow_parse_source {
    struct pingo_document document;
    const struct pingo_workflow_options *options;
    const struct pingo__workflow_parts_check *check;
};

/* As pingo_workflow_parse(). */
int pingo__workflow_parse(const struct pingo__workflow_parse_source *what,
                          struct pingo_workflow **workflow, struct pingo_error *err);

#endif
