/* run.h - one run of a workload: what is there, who computes, who waits.
 *
 * What always holds, between two steps:
 * - a dataset has at most one current generation, STORED or LEAF; claims count the
 *   unfinished actions that need that one;
 * - candidates lists exactly the datasets that are STORED and unclaimed;
 * - used counts the bytes of what is STORED or LEAF, without leaves if those are
 *   outside;
 * - a task waits for as many parents as are not there yet; with none it is in the heap
 *   `ready`, then in `running`, then finished.
 * The calls of the engine have their counterparts: arrive (submission, planning),
 * publish (the success callback), decide (the Decision Manager). */
#ifndef PINGO__LAB_RUN_H
#define PINGO__LAB_RUN_H

#include "base/arena.h"
#include "lab/simulate/heap.h"
#include "lab/simulate/workload.h"

#define PINGO__NO_CANDIDATE UINT32_MAX

enum pingo__lab_presence { PINGO__NOT_THERE = 0, PINGO__STORED = 1, PINGO__LEAF = 2 };

struct pingo__lab_run_dataset {
    enum pingo__lab_presence presence;
    uint32_t claims;     /* on the current generation */
    uint32_t generation; /* how many there were */
    uint32_t candidate;  /* its place among the candidates, or none */
    int64_t sum_ms;      /* of all runs that made it */
    int64_t path_ms;     /* of the longest chain of runs that ends with the current generation */
    struct pingo__lab_task *computing; /* the oldest first, by next_computing */
};

struct pingo__lab_claim {
    uint32_t dataset, generation;
};

struct pingo__lab_place; /* in a user's queue: turns.c */
struct pingo__lab_turns;

/* An action of a live workflow that computes or joins. */
struct pingo__lab_task {
    struct pingo__lab_live *live;
    uint32_t position;
    uint32_t waits;
    uint32_t nclaims;
    uint32_t user; /* whose turn it took; of where users take turns, as is_ready to ready_ms are */
    bool computes, wanted, is_ready, is_taken;
    struct pingo__lab_place *places;
    int64_t ready_ms;
    int64_t rank_ms, ms, end_ms;
    uint64_t sequence; /* of starting */
    int64_t path_ms;   /* of the longest chain that leads to it */
    struct pingo__lab_claim *claims;
    struct pingo__lab_task *joiners, *next_joiner;
    struct pingo__lab_task *next_computing;
    struct pingo__lab_task *joined;
};

/* A workflow that has not ended. */
struct pingo__lab_live {
    uint32_t submission, user;
    const struct pingo__lab_shape *shape;
    struct pingo__lab_shape own; /* the shape, where it is not shared */
    struct pingo__arena arena;   /* of what follows */
    struct pingo_plan_entry *entries;
    struct pingo__lab_task *tasks;    /* what computes or joins, in the order of the positions */
    struct pingo__lab_task **task_at; /* of each position; NULL where it does neither */
    size_t ntasks, nunfinished;
    struct pingo__lab_live *previous, *next;
    struct pingo__lab_live *next_ended;
};

struct pingo__lab_run {
    const struct pingo_workload *workload;
    const struct pingo_simulation_options *options;
    struct pingo_simulation_result *result;
    struct pingo_error *err;
    struct pingo__arena arena;
    struct pingo__lab_run_dataset *datasets;
    uint32_t *candidates;
    uint32_t ncandidates;
    int64_t candidate_bytes;
    int64_t used;
    struct pingo__lab_heap ready, running;
    struct pingo__lab_live *lives; /* the newest first */
    struct pingo__lab_live *ended; /* of them: those that end with this step */
    int64_t now_ms;
    uint64_t sequence;
    uint32_t narrived;
    int64_t arrived_ms;              /* when the last of them came */
    struct pingo__lab_turns *turns;  /* where submissions arrive at their times */
    struct pingo__lab_shaper shaper; /* where shapes are not shared */
    struct pingo_decider *decider;   /* NULL; else: */
    struct pingo_history *seen; /* what the engine would know by now, with the indexes of the whole */
    struct pingo_decision_victim *victims;
    size_t nvictims, victims_capacity;
    int64_t *times; /* room to rank in */
    size_t times_capacity;
};

static inline int64_t pingo__lab_run_bytes(const struct pingo__lab_run *r, uint32_t dataset)
{
    int64_t bytes = pingo_history_size(r->workload->history, dataset);
    return bytes > 0 ? bytes : 0;
}

static inline uint32_t pingo__lab_task_dataset(const struct pingo__lab_task *t)
{
    return t->live->shape->datasets[t->position];
}

/* run.c */
/* Lets a run go to its end. */
int pingo__lab_run(struct pingo__lab_run *r);
/* Tells of an event, whose time and submission need not be set. */
int pingo__lab_run_tell(struct pingo__lab_run *r, struct pingo_simulation_event *event);

/* arrive.c */
/* The next submission: plans it. */
int pingo__lab_run_arrive(struct pingo__lab_run *r);
/* Takes a workflow that has ended away. */
void pingo__lab_live_free(struct pingo__lab_run *r, struct pingo__lab_live *live);

/* publish.c */
/* It is in no queue any more. */
int pingo__lab_run_start(struct pingo__lab_run *r, struct pingo__lab_task *task);
/* A task has ended: its dataset is there. */
int pingo__lab_run_publish(struct pingo__lab_run *r, struct pingo__lab_task *task);
/* A task that waits for nobody gets ready. */
int pingo__lab_run_ready(struct pingo__lab_run *r, struct pingo__lab_task *task);

/* pool.c: what is there */
void pingo__lab_run_claim(struct pingo__lab_run *r, struct pingo__lab_task *task, uint32_t dataset);
void pingo__lab_run_release(struct pingo__lab_run *r, struct pingo__lab_task *task);
/* A new generation is current, or a dataset is asked for, or it is gone. */
void pingo__lab_run_present(struct pingo__lab_run *r, uint32_t dataset,
                            enum pingo__lab_presence presence);

/* decide.c */
int pingo__lab_run_decide(struct pingo__lab_run *r);

/* noise.c */
/* How long the next run of a dataset's action takes. */
int64_t pingo__lab_run_time(const struct pingo__lab_run *r, uint32_t dataset);

#endif
