/* bare.h - a workflow that is nothing but its graph, for those who plan and do not run.
 *
 * Its actions have the ids 0, 1, 2, ..., one name, the type external and managed
 * outputs.  To build one in the public way copies and checks texts that nobody reads. */
#ifndef PINGO__WORKFLOW_BARE_H
#define PINGO__WORKFLOW_BARE_H

#include <pingo/workflow.h>

/* The parents of action i are parents[first[i]] to parents[first[i + 1] - 1], each below n; first
 * has n + 1 places.  Nothing is kept of the arrays.  Errors: PINGO_EWORKFLOW where the graph has a cycle or no action;
 * PINGO_ENOMEM. */
int pingo__workflow_bare(size_t n, const uint32_t *first, const uint32_t *parents,
                         struct pingo_workflow **workflow, struct pingo_error *err);

#endif
