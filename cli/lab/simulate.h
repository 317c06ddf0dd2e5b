/* simulate.h - what the files of pingo simulate share: the experiment, and what its parts are called. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include <pingo-lab.h>
#include <pingo.h>

#include "args.h"

struct cli_bound {
    int64_t ms; /* -1: there is none */
    double rho; /* to the ideal */
};

struct cli_run_user {
    size_t row;
    struct pingo_simulation_user user;
};

struct cli_experiment {
    struct cli *cli;
    struct pingo_experiment e;
    struct pingo_experiment_row *rows;
    size_t nrows;
    struct pingo_experiment_summaries sums; /* of the rows, by group, slots, budget, then algorithm */
    /* Workloads, with their histories. */
    struct pingo_history **histories;
    struct pingo_workload **workloads;
    size_t nworkloads;
    /* Samples; a name belongs to a workload. */
    struct pingo_experiment_sample *samples;
    const struct pingo_history **sample_histories;
    char **names;
    char **groups;
    size_t ngroups;
    /* Algorithms. */
    struct pingo_decision_selection **selections; /* NULL: clairvoyant */
    struct pingo_experiment_algorithm *algorithms;
    char **algorithm_names;
    struct pingo_experiment_budget *budgets;
    char **budget_names;
    unsigned *slots;
    int64_t first_seed, last_seed;
    bool has_bounds;
    struct cli_bound *bounds; /* by sample, then budget; with one slot */
    bool has_storage;
    struct pingo_experiment_storage *storage; /* by group, then slots, algorithm */
    size_t nstorage;
    struct cli_run_user *users; /* where they take turns: by row */
    size_t nusers;
    struct pingo_simulation_weight *weights; /* e.nweights of them */
};

/* The elements of repeated options, which are lists: separated by commas, but KEY=VALUE goes on
 * with the element before.  absent: where the option is not given; NULL: then *n is 0. */
char **cli_elements(const struct cli_args *args, const char *option, const char *absent, size_t *n);

/* A plain number with a fraction, at most max.  false: it is none. */
bool cli_decimal(const char *text, double max, double *value);

/* simulate_input.c: histories; simulate_choice.c: the rest.  CLI_OK, or the status after a message. */
int cli_experiment_read_histories(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_read_seeds(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_read_algorithms(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_read_budgets(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_read_slots(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_read_conditions(struct cli_experiment *x, const struct cli_args *args);
/* For completion; simulate_choice.c. */
const char *cli_simulate_choice(const char *option, size_t i, const char **meaning);

/* simulate_bound.c: --bound.  Checked when the conditions are read, found when the runs are done. */
int cli_experiment_check_bounds(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_find_bounds(struct cli_experiment *x);
/* -1: none was asked for, or there is none. */
int64_t cli_experiment_bound(const struct cli_experiment *x, const struct pingo_experiment_row *row);
/* Likewise: the mean over the samples, to the ideal. */
double cli_experiment_bound_rho(const struct cli_experiment *x,
                                const struct pingo_experiment_summary *summary);

/* simulate_storage.c: the least budget for so much recomputation.  Read with the conditions, found when the
 * runs are done. */
int cli_experiment_read_storage(struct cli_experiment *x, const struct cli_args *args);
int cli_experiment_find_storage(struct cli_experiment *x);
void cli_experiment_print_storage(const struct cli_experiment *x);

/* simulate_users.c: when submissions arrive, and where users take turns, what each had of a run. */
int cli_experiment_read_arrivals(struct cli_experiment *x, const struct cli_args *args);
/* Says which weights are of nobody, when the runs are done. */
void cli_experiment_note_weights(const struct cli_experiment *x);
void cli_experiment_each_user(const struct cli_experiment *x, size_t row,
                              void (*fn)(void *context, const void *user), void *context);
void cli_experiment_print_users(const struct cli_experiment *x, size_t row);
extern const struct pingo__view_table cli_run_user_view;

/* simulate_page.c */
int cli_experiment_write_page(const struct cli_experiment *x, const char *path);

/* simulate_print.c */
void cli_experiment_print(const struct cli_experiment *x);
/* Each run: a document of JSON, or CSV. */
void cli_experiment_print_rows(const struct cli_experiment *x);
extern const struct pingo__view_table cli_run_view;

#endif
