/* simulate.h - what an algorithm and a budget would have made of a history: the simulator.
 *
 * A history is run on a virtual clock, by the rules of the engine: the same planner,
 * the same order of ready actions, the same decisions by the same algorithm tables,
 * which see the history as it grows and no size or time before it was measured.
 *
 * What is run.  An action takes the time and makes the bytes that the history knows
 * of it; what is unknown counts as 0.  A dataset that was asked for once is a LEAF
 * for ever.  Priorities, retries, failures, kept and deleted-at-once datasets are not
 * part of a history and do not occur; what is unmanaged is taken for managed.
 * When submissions arrive.  In the order of the history, whatever its times say (but see
 * PINGO_SIMULATION_ARRIVE_TIMES):
 * the next one when a slot would stay idle otherwise, because no ready action is left.
 * So with one slot each arrives when the one before has ended, and with more of them
 * just as many run side by side as the slots need.
 * When is decided.  After each publish that leaves more bytes used than the budget,
 * or at the end of each workflow alone; F = used - low watermark.
 *
 * Results depend on the arguments alone: the same on every machine, with any number of threads.
 * Source: thesis chapter 4; the measures and the bound are explained in pingo-simulate(1). */
#ifndef PINGO_SIMULATE_H
#define PINGO_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/decision.h>
#include <pingo/error.h>
#include <pingo/history.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a history, ready to be run ------------------------------------------------- */

struct pingo_workload; /* opaque, immutable: any number of threads may run it */

/* Makes the planner's view of each submission.  The history is borrowed and may not change meanwhile.
 * *workload: yours.  Errors: PINGO_ELIMIT (its bytes or times are more than 2^63), PINGO_ENOMEM. */
PINGO_API int pingo_workload_new(const struct pingo_history *history,
                                 struct pingo_workload **workload, struct pingo_error *err);
/* Frees the workload.  NULL is fine. */
PINGO_API void pingo_workload_free(struct pingo_workload *workload);

struct pingo_workload_facts {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    uint32_t nsubmissions;
    uint32_t nactions;       /* distinct ones */
    uint32_t nunknown_sizes; /* of them; they count as 0 */
    uint32_t nunknown_times;
    int64_t bytes;      /* of all distinct datasets */
    int64_t leaf_bytes; /* of those among them that were asked for */
    int64_t compute_ms; /* of all distinct actions */
};
/* What is in it.  Any thread. */
PINGO_API void pingo_workload_look(const struct pingo_workload *workload,
                                   struct pingo_workload_facts *facts);

/* ---- one run ---------------------------------------------------------------------- */

enum pingo_simulation_decide {
    PINGO_SIMULATION_DECIDE_PUBLISH = 0,     /* after each publish, as the engine does */
    PINGO_SIMULATION_DECIDE_WORKFLOW_END = 1 /* when a workflow has ended */
};

enum pingo_simulation_arrive {
    PINGO_SIMULATION_ARRIVE_IDLE = 0, /* when a slot would stay idle otherwise */
    /* At their times, counted from the first, none before the one before it; and users take turns, by the fair
     * shares of <pingo/users.h>, as in a store.  What is ready then waits for its user's turn. */
    PINGO_SIMULATION_ARRIVE_TIMES = 1
};

struct pingo_simulation_weight {
    const char *user;
    int64_t weight; /* 1 to 10000 */
};

/* What a user of a history had of a run. */
struct pingo_simulation_user {
    const char *user; /* borrowed from the history */
    int64_t weight;
    uint64_t nstarts;                 /* actions that ran in his turns */
    int64_t compute_ms;               /* what they took */
    int64_t wait_ms, longest_wait_ms; /* from ready to start: all of them together, and one */
    int64_t shared_ms; /* slots by time that he had while every user had something ready */
    int64_t end_ms;    /* when the last of them ended */
};
typedef int (*pingo_simulation_user_fn)(void *context, const struct pingo_simulation_user *user);

enum pingo_simulation_event_kind {
    PINGO_SIMULATION_SUBMIT = 1,    /* a submission arrives and is planned */
    PINGO_SIMULATION_REUSE = 2,     /* a dataset of it is there */
    PINGO_SIMULATION_JOIN = 3,      /* an action waits for an equal one that computes */
    PINGO_SIMULATION_RUN = 4,       /* an action starts */
    PINGO_SIMULATION_PUBLISH = 5,   /* its dataset is there now */
    PINGO_SIMULATION_EVICT = 6,     /* a dataset goes */
    PINGO_SIMULATION_SHORTFALL = 7, /* a decision could not free what it should */
    PINGO_SIMULATION_END = 8        /* a submission has ended */
};

struct pingo_simulation_event {
    enum pingo_simulation_event_kind kind;
    int64_t at_ms;       /* since the run began */
    uint32_t submission; /* whose action it is, or that was the last to arrive */
    uint32_t action; /* an index of the history; PINGO_HISTORY_NONE: of submit, shortfall and end */
    int64_t ms;      /* run: what it will take */
    int64_t bytes;   /* publish and evict: of the dataset; shortfall: what is missing */
    bool leaf;       /* publish: as LEAF */
    double score;    /* evict: the algorithm's */
    uint32_t ncomputed, nreused, njoined, nskipped; /* submit: of its actions */
    bool forced; /* run: it would run whatever were stored, and may have run before */
};
/* 0, or a number other than 0 that ends the run. */
typedef int (*pingo_simulation_event_fn)(void *context, const struct pingo_simulation_event *event);
/* Told now and then how much is done; likewise. */
typedef int (*pingo_simulation_progress_fn)(void *context, uint64_t done, uint64_t all);

/* The low watermark, where it is not given. */
#define PINGO_SIMULATION_LOW_PERMILLE 950

struct pingo_simulation_options {
    unsigned version; /* 2; 1 ends before arrive */
    /* NULL: whatever may go goes at each decision; with budget_bytes 0 or -1 only. */
    const struct pingo_decision_algorithm *algorithm;
    const double *values;  /* of its parameters; NULL: defaults */
    int64_t budget_bytes;  /* the high watermark; -1: no limit */
    unsigned low_permille; /* the low watermark, in thousandths of the budget, up to 1000; 0: 950 */
    unsigned slots;        /* actions that run at once; 0: 1 */
    enum pingo_simulation_decide decide;
    bool leaves_outside; /* leaves neither count as used nor weigh */
    double noise;        /* coefficient of variation of each run's time; 0: none; up to 10 */
    uint64_t seed;       /* of the noise */
    pingo_simulation_event_fn event;       /* told of all that happens, in order; NULL */
    pingo_simulation_progress_fn progress; /* of submissions; NULL */
    void *context; /* of all, which may call back, but must not change the history */
    enum pingo_simulation_arrive arrive;
    const struct pingo_simulation_weight *weights; /* of users who have another one than 1; nweights of them */
    size_t nweights;
    pingo_simulation_user_fn user; /* where they take turns: told of each when the run has ended, who was there
                                      first first; NULL */
};

struct pingo_simulation_result {
    size_t size;         /* set by you: sizeof; see <pingo/version.h> */
    int64_t end_ms;      /* when the last action ended */
    int64_t compute_ms;  /* of all runs together */
    int64_t critical_ms; /* of the longest chain of runs in which each needed the one before */
    uint64_t ncomputed, nreused, njoined, nskipped; /* actions of submissions */
    int64_t peak_bytes;                             /* the most that were used at a time */
    uint64_t nevictions;                            /* datasets that went */
    int64_t evicted_bytes;
    uint64_t nshortfalls;    /* decisions that could not free what they should */
    int64_t shortfall_bytes; /* the most that was missing */
    uint32_t nusers;         /* where they take turns, else 0; and of all of them: */
    int64_t wait_ms, longest_wait_ms;
    double jain; /* Jain's index of shared_ms / weight: 1 where all had as much; -1: they had never all something
                    ready at a time */
};

/* Runs a workload once.  *result: filled on success.  Errors: PINGO_EINVAL (an option), PINGO_ELIMIT (the
 * clock passes 2^63), PINGO_EINTERRUPTED (event or progress returned other than 0), PINGO_ENOMEM, those of
 * pingo_decider_new() and pingo_decider_choose().  Any thread. */
PINGO_API int pingo_workload_simulate(const struct pingo_workload *workload,
                                      const struct pingo_simulation_options *options,
                                      struct pingo_simulation_result *result,
                                      struct pingo_error *err);

/* The policy that sees the future: chain's score with g = 1 / (submissions until the next true demand), 0
 * where there is none.  It chooses within the simulator alone; elsewhere it gives PINGO_EUNSUPPORTED.
 * Static.  Any thread. */
PINGO_API const struct pingo_decision_algorithm *pingo_clairvoyant(void);

/* ---- many runs ---------------------------------------------------------------------- */

/* One history under one seed.  Policies are compared sample by sample. */
struct pingo_experiment_sample {
    const struct pingo_workload *workload;
    uint64_t seed; /* 1 or more: of the noise; and a parameter `seed` of an algorithm is raised by seed - 1 */
    uint32_t group; /* samples of a group are summed up together: 0, 1, 2, ... */
};

struct pingo_experiment_algorithm {
    const struct pingo_decision_algorithm *algorithm;
    const double *values; /* NULL: defaults */
};

struct pingo_experiment_budget {
    double percent; /* of the workload's distinct bytes without leaves; < 0: bytes counts */
    int64_t bytes;
};
/* The size of a budget for a workload, in bytes.  Any thread. */
PINGO_API int64_t pingo_experiment_budget_bytes(const struct pingo_experiment_budget *budget,
                                                const struct pingo_workload *workload);

struct pingo_experiment_row {
    uint32_t sample, algorithm, budget, slots; /* indexes */
    int64_t budget_bytes;
    int64_t actual_ms; /* T: when the last action ended */
    int64_t ideal_ms;  /* the same with unlimited storage */
    int64_t none_ms;   /* the same with none: what may go goes at each decision */
    int64_t schedule_ms; /* the larger of (compute time of the ideal run) / slots and its longest chain */
    double rho;          /* actual / ideal; 1 where nothing takes time */
    double recovered; /* (none - actual) / (none - ideal); 1 where storage gains nothing */
    struct pingo_simulation_result result;
};
/* As pingo_simulation_event_fn, with the index of the row. */
typedef int (*pingo_experiment_event_fn)(void *context, size_t row,
                                         const struct pingo_simulation_event *event);

/* As pingo_simulation_user_fn, with the index of the row. */
typedef int (*pingo_experiment_user_fn)(void *context, size_t row,
                                        const struct pingo_simulation_user *user);

/* Each sample with each number of slots, budget and algorithm. */
struct pingo_experiment {
    unsigned version; /* 2; 1 ends before arrive */
    const struct pingo_experiment_sample *samples;
    size_t nsamples;
    const struct pingo_experiment_algorithm *algorithms; /* the first: what the others are compared with */
    size_t nalgorithms;
    const struct pingo_experiment_budget *budgets;
    size_t nbudgets;
    const unsigned *slots;
    size_t nslots;
    unsigned low_permille; /* these as in pingo_simulation_options */
    enum pingo_simulation_decide decide;
    bool leaves_outside;
    double noise;
    unsigned threads;                /* 0: as many as there are processors */
    pingo_experiment_event_fn event; /* with it one run follows the other, in the order of rows; NULL */
    pingo_simulation_progress_fn progress; /* from the calling thread; of submissions of all runs; NULL */
    void *context;       /* of all, which may call back, but must not change a history */
    double most_percent; /* of pingo_experiment_find_storage() alone */
    enum pingo_simulation_arrive arrive; /* these as in pingo_simulation_options */
    const struct pingo_simulation_weight *weights;
    size_t nweights;
    pingo_experiment_user_fn
        user; /* from the calling thread, when all runs are done, in the order of rows; NULL */
};

/* Runs all of it.  *rows: yours, free(); by sample, then slots, budget, algorithm.  What cannot differ from
 * an earlier row (another seed, where nothing is random) is not run again.
 * Errors: PINGO_EINVAL (an empty list, an option), PINGO_ELIMIT (more than 10^8 rows), and those of
 * pingo_workload_simulate(). */
PINGO_API int pingo_experiment_run(const struct pingo_experiment *experiment,
                                   struct pingo_experiment_row **rows, size_t *nrows,
                                   struct pingo_error *err);

struct pingo_experiment_summary {
    uint32_t group, slots, budget, algorithm;
    size_t nsamples;
    double rho, rho_deviation; /* mean over the samples and standard deviation; of one sample 0 */
    double difference;         /* mean of rho - rho of the first algorithm in the same sample */
    double difference_deviation;
    double recovered; /* mean over those in which storage gains something; 1 where there are none */
    double none_rho;  /* means, as the rest */
    double actual_ms, ideal_ms, schedule_ms, budget_bytes; /* schedule: as in a row */
    double peak_bytes, evictions, shortfalls;
};
/* Rows summed up: by group, then slots, budget, algorithm.  Fixed: it never grows. */
struct pingo_experiment_summaries {
    struct pingo_experiment_summary *rows; /* yours, free() */
    size_t n;
};
/* Sums rows up.
 * Errors: PINGO_EINVAL (rows of another experiment), PINGO_ENOMEM. */
PINGO_API int pingo_experiment_summarize(const struct pingo_experiment *experiment,
                                         const struct pingo_experiment_row *rows, size_t nrows,
                                         struct pingo_experiment_summaries *summaries,
                                         struct pingo_error *err);

/* A budget that is enough. */
struct pingo_experiment_storage {
    uint32_t group, slots, algorithm; /* indexes */
    double percent;                   /* as of a budget; 0: none is needed; -1: none was enough */
    double budget_bytes;              /* mean over the samples */
    double rho;                       /* with it; mean over the samples */
};
/* The least budget of each algorithm with which no more than most_percent of the ideal time is spent on
 * computing again: the mean rho of the samples of a group is at most 1 + most_percent / 100.  It was simulated,
 * and is the least to one part in a hundred; another one below may do as well, for more storage can now and then
 * do worse.  summaries: those of a run of the experiment, n of them.  *storage: yours, free(); n / nbudgets of
 * them, by group, then slots, algorithm.  progress is told of searches.  Errors: PINGO_EINVAL (summaries of
 * another experiment, most_percent below 0), and those of pingo_experiment_run(). */
PINGO_API int pingo_experiment_find_storage(const struct pingo_experiment *experiment,
                                            const struct pingo_experiment_summary *summaries,
                                            size_t n, struct pingo_experiment_storage **storage,
                                            struct pingo_error *err);

/* ---- the bound ----------------------------------------------------------------------- */

struct pingo_bound_options {
    unsigned version;     /* 1 */
    int64_t budget_bytes; /* the high watermark; -1: no limit */
    bool leaves_outside;  /* as in pingo_simulation_options */
    uint64_t max_iterations; /* of the solver; then the bound is one, but a lower one; 0: 10^10 by the rows of the
                                program, which is some minutes where they are many */
    pingo_simulation_progress_fn progress; /* now and then: iterations done, and max_iterations; must not
                                              call back; NULL */
    void *context;
};

struct pingo_bound_result {
    size_t size;      /* set by you: sizeof; see <pingo/version.h> */
    int64_t bound_ms; /* no policy computes for less; ideal_ms at least */
    int64_t ideal_ms; /* what unlimited storage computes: compute_ms of a run without a limit */
    bool is_solved;   /* else the solver has given up early, and the bound could be higher */
    uint32_t ncolumns, nrows; /* of the linear program */
};

/* A lower bound on the compute time of a history under a budget: compute_ms of each run with one slot, this
 * budget and no noise is at least bound_ms, whatever the algorithm, one that sees the future included,
 * whenever it decides (after each publish or at the end of each workflow), and whatever the low watermark.
 * More than one slot is another thing: submissions then run side by side, and what they claim may overshoot
 * the budget between them, so that less is computed.
 * It is the value of a linear program that lets datasets be kept in part, so it can be below what is
 * possible; it is true in spite of the solver's rounding.  With leaves inside the budget they take their
 * room for good, and where they leave none nothing else is kept from one submission to the next.
 * The solver is Clp, whose library is loaded when the function is called.
 * The history is borrowed.  Time and memory: 1 s for 2,400 actions in 240 submissions, about the square of
 * that, up to the limit of iterations.  *result: filled on success.  Errors: PINGO_EINVAL (an option),
 * PINGO_ELIMIT (times that add up to more than 2^63; a program of more than 2^31 elements),
 * PINGO_EUNSUPPORTED (a build without a solver, or its library is not installed: the message tells what to
 * install), PINGO_EINTERRUPTED (progress returned other than 0), PINGO_ENOMEM.  The solver's own memory is
 * not watched: where it gets none, the process ends.  Any thread, several on one history at once. */
PINGO_API int pingo_simulate_bound(const struct pingo_history *history,
                                   const struct pingo_bound_options *options,
                                   struct pingo_bound_result *result, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
