/* workload.h - what the planner needs of each submission of a history.
 *
 * A submission that mentions the same actions with the same flags as an earlier one
 * shares its shape.  Where all shapes together are small they are made once, and
 * runs share them; else each run makes them as they come. */
#ifndef PINGO__LAB_WORKLOAD_H
#define PINGO__LAB_WORKLOAD_H

#include <pingo/plan.h>
#include <pingo-lab/simulate.h>

/* About what an action of a shape takes. */
#define PINGO__SHAPE_ACTION_BYTES 640
/* Shapes are shared where they take no more than so much. */
#define PINGO__SHAPES_BYTES (256u << 20)

/* A submission as a workflow, whose positions are its mentions. */
struct pingo__lab_shape {
    struct pingo_workflow *workflow;
    struct pingo_digests *digests;
    const uint32_t *datasets; /* the index of each position, borrowed from the history */
    size_t *targets, *forced;
    size_t n, ntargets, nforced;
};

struct pingo__lab_position {
    uint32_t stamp; /* of the shape that had the dataset last */
    uint32_t place; /* its first position there */
};

/* Room to make shapes in; one a thread. */
struct pingo__lab_shaper {
    const struct pingo_history *history;
    struct pingo__lab_position *positions; /* of each dataset */
    uint32_t now;                          /* the stamp of the one under way */
    uint32_t *first, *parents;             /* its graph, as pingo__workflow_bare() takes it */
    struct pingo_hash *hashes;
    size_t first_capacity, parents_capacity, hashes_capacity;
};

struct pingo_workload {
    const struct pingo_history *history;
    struct pingo_workload_facts facts;
    struct pingo__lab_shape *shapes; /* shared; NULL: runs make their own */
    uint32_t nshapes;
    uint32_t *shape_of; /* of each submission */
};

/* As pingo_workload_new(), with another limit for the bytes that are shared. */
int pingo__lab_workload_new(const struct pingo_history *history, size_t shared_bytes,
                            struct pingo_workload **workload, struct pingo_error *err);

/* *own: what the caller's version of it has (experiment.c). */
int pingo__lab_experiment_take(const struct pingo_experiment *given, struct pingo_experiment *own,
                               struct pingo_error *err);
/* How many rows it has of each sample. */
size_t pingo__lab_experiment_cells(const struct pingo_experiment *experiment);

int pingo__lab_shaper_init(struct pingo__lab_shaper *s, const struct pingo_history *history,
                           struct pingo_error *err);
void pingo__lab_shaper_clear(struct pingo__lab_shaper *s);
/* The shape of a submission.  *shape: yours, pingo__lab_shape_clear(). */
int pingo__lab_shape_make(struct pingo__lab_shaper *s, uint32_t submission,
                          struct pingo__lab_shape *shape, struct pingo_error *err);
void pingo__lab_shape_clear(struct pingo__lab_shape *shape);

/* Lets an algorithm see the future (clairvoyant.c): the decider is one of pingo_clairvoyant() that has observed nothing
 * yet, and its history will follow the workload's.  Errors: PINGO_ENOMEM. */
int pingo__lab_clairvoyant_foresee(struct pingo_decider *decider,
                                   const struct pingo_workload *workload, struct pingo_error *err);

#endif
