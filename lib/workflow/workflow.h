/* workflow.h - what a finished workflow is made of. */
#ifndef PINGO__WORKFLOW_WORKFLOW_H
#define PINGO__WORKFLOW_WORKFLOW_H

#include <pingo/workflow.h>

#include "base/arena.h"
#include "base/map.h"

#define PINGO__NO_ID INT64_C(-1)

struct pingo__workflow_graph {
    size_t n; /* actions */
    const uint32_t *first,
        *parents; /* those of i, each once: parents[first[i]] to parents[first[i + 1] - 1] */
    uint32_t *first_child, *children; /* likewise */
    uint32_t *order;                  /* parents before children */
    size_t nplaced;                   /* actions in order: all, where there is no cycle */
};

/* From parents to all else, in the arena.  waiting[i] becomes the number of parents that have no place; it has n.
 * false: no memory. */
bool pingo__workflow_graph_sort(struct pingo__workflow_graph *g, struct pingo__arena *arena,
                                uint32_t *waiting);

struct pingo_workflow {
    struct pingo__arena arena; /* all that the actions point to */
    const char *name;
    const char **labels; /* k1,v1,... in byte order of the keys */
    size_t nlabels;      /* strings in it */
    struct pingo_action *actions;
    size_t nactions;
    int64_t start_id, end_id; /* PINGO__NO_ID where not given */

    bool ids_are_contiguous; /* the i-th action has the first one's id plus i: no map is made */
    struct pingo__map ids;   /* from the 8 bytes of an id to the index */
    struct pingo__workflow_graph graph; /* without the parents, which the actions have */
};

extern const struct pingo_action_more pingo__workflow_nothing_more;

/* The one with that key, or NULL. */
const struct pingo_field *pingo__workflow_field(const struct pingo_field *fields, size_t n,
                                                const char *key);

/* Sorts w->graph, whose parents are given, and finds the leaves.  waiting, result: as above. */
bool pingo__workflow_sort(struct pingo_workflow *w, uint32_t *waiting);

/* A workflow that is nothing but its graph, for those who plan and do not run: to build one in the public way copies
 * and checks texts that nobody reads.  Its actions have the ids 0, 1, 2, ..., one name, the type external and managed
 * outputs.  The parents of action i are parents[first[i]] to parents[first[i + 1] - 1], each below n; first has n + 1
 * places.  Nothing is kept of the arrays.  Errors: PINGO_EWORKFLOW where the graph has a cycle or no action;
 * PINGO_ENOMEM. */
int pingo__workflow_bare(size_t n, const uint32_t *first, const uint32_t *parents,
                         struct pingo_workflow **workflow, struct pingo_error *err);

/* The action types that the library brings: the i-th; NULL: there are no more. */
const struct pingo_action_type *pingo__workflow_type_builtin(size_t i);

#endif
