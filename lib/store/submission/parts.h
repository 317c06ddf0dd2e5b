/* parts.h - the nodes of a graph are written, in parts; see graph.h.
 *
 * Whoever has nodes (a workflow, the tables of an older version) hands them out one by one, with what hangs on them. */
#ifndef PINGO__STORE_PARTS_H
#define PINGO__STORE_PARTS_H

#include "store/submission/graph.h"

struct pingo__store_whole_node {
    struct pingo__store_node node;
    const struct pingo_parent *parents;
    size_t nparents;
    const struct pingo__store_node_input *inputs;
    size_t ninputs;
    const char *const *labels;        /* k1,v1,k2,v2,... */
    size_t nlabels;                   /* strings */
    struct pingo__store_bytes packed; /* its parents, once it is written */
};
struct pingo__store_node_source {
    /* The node at a position; its id and position are not looked at.  What is not the context's is in the arena. */
    int (*read)(void *context, size_t position, struct pingo__arena *arena,
                struct pingo__store_whole_node *node, struct pingo_error *err);
    void *context;
    size_t n;
    const char *base_dir; /* paths of inputs are kept from here on; "": they are kept whole */
};
int pingo__store_graph_fill(struct pingo__store_db *db, int64_t graph,
                            const struct pingo__store_node_source *source, struct pingo_error *err);

/* Hands out the actions of a workflow; context: this. */
struct pingo__store_workflow_source {
    const struct pingo_workflow *workflow;
    const struct pingo_hash *hashes; /* one an action */
};
int pingo__store_node_of_action(void *context, size_t position, struct pingo__arena *arena,
                                struct pingo__store_whole_node *w, struct pingo_error *err);

#endif
