/* workflow.h - what a finished workflow is made of. */
#ifndef PINGO__WORKFLOW_WORKFLOW_H
#define PINGO__WORKFLOW_WORKFLOW_H

#include <pingo/workflow.h>

#include "base/arena.h"
#include "base/map.h"

#define PINGO__NO_ID INT64_C(-1)

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
    uint32_t *children;      /* of all actions, one after the other */
    uint32_t *first_child;   /* nactions + 1: where those of each begin */
    uint32_t *order;         /* parents before children */
};

extern const struct pingo_action_more pingo__workflow_nothing_more;

/* Finds children and leaves; the actions are there, without a parent more than once.  Those of action i are
 * parents[first[i]] to parents[first[i + 1] - 1]; first has nactions + 1 places.  waiting[i] becomes their number.
 * false: no memory. */
bool pingo__workflow_link(struct pingo_workflow *w, const uint32_t *first, const uint32_t *parents,
                          uint32_t *waiting);
/* Then the order.  *nplaced: how many actions it has, all where there is no cycle; waiting[i] is 0 for each of them. */
bool pingo__workflow_order(struct pingo_workflow *w, uint32_t *waiting, size_t *nplaced);

#endif
