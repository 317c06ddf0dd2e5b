/* shape.h - a whole submission as arrays, one element an action, by position: what views of very many actions are made
 * of. */
#ifndef PINGO__ENGINE_SHAPE_H
#define PINGO__ENGINE_SHAPE_H

#include "engine/engine.h"
#include "store/submission/shape.h"
#include "workflow/workflow.h"

enum { PINGO__SHAPE_EDGES = 1, PINGO__SHAPE_TIMES = 2 };

struct pingo__engine_times {
    int64_t wall_ms;              /* of all attempts that have ended */
    int64_t started_ms, ended_ms; /* of the first and the last; -1: none */
};
struct pingo__engine_shape {
    struct pingo__store_each
        nodes; /* given, fn NULL: none; of EDGES, called with each struct pingo__store_shape_node */
    struct pingo_store *store;
    struct pingo__arena arena; /* of all that is in it */
    struct pingo__store_workflow_row workflow;
    size_t n;
    uint8_t *states; /* struct pingo_states */
    /* EDGES: */
    struct pingo__store_parents parents;
    struct pingo__workflow_graph graph; /* of them */
    uint32_t *depths;
    /* TIMES: */
    struct pingo__engine_times *times;
    struct pingo__engine_times *joined; /* of the equal one of the submission that it joined */
};
/* Reads it, in a view that stays open until pingo__engine_shape_seen().  To be closed also after an error.
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE: it was forgotten. */
int pingo__engine_shape_open(struct pingo__engine_shape *s, struct pingo_store *store,
                             int64_t workflow, unsigned what, struct pingo_error *err);
void pingo__engine_shape_seen(struct pingo__engine_shape *s);
void pingo__engine_shape_close(struct pingo__engine_shape *s);

/* Of what ran for an action. */
const struct pingo__engine_times *pingo__engine_shape_times(const struct pingo__engine_shape *s,
                                                            size_t i);
/* The ends of the longest way by wall time to each action; from: the parent it comes from, UINT32_MAX: none; both of n.
 * *last: where the longest of all ends; UINT32_MAX: nothing ran. */
struct pingo__engine_ways {
    int64_t *ms;
    uint32_t *from, last;
};
int pingo__engine_shape_ways(struct pingo__engine_shape *s, struct pingo__engine_ways *ways,
                             struct pingo_error *err);

#endif
