/* arrange.h - runs of other systems, put in order, and made into submissions. */
#ifndef PINGO__LAB_ARRANGE_H
#define PINGO__LAB_ARRANGE_H

#include <pingo-lab/import.h>

#include "base/buffer.h"
#include "digest/sha256.h"
#include "lab/simulate/random.h"
#include "lab/traces/wfformat.h"

struct pingo__lab_run {
    struct pingo__lab_wf_instance instance; /* whose arena holds what follows */
    char *label;
    uint32_t *programs;        /* the import's number of each of the instance's */
    struct pingo_hash *hashes; /* of each task, with its parents'; no program was changed */
    struct pingo_hash digest;  /* of all of them */
    int64_t compute_ms;        /* of all tasks together, as far as known */
    /* Of each task, the mean over all tasks with its hash; -1.  Once settled. */
    int64_t *mean_ms, *mean_bytes;
    uint32_t application; /* once settled */
};

struct pingo__lab_application {
    char *name;
    uint32_t first, n; /* its runs, from the smallest to the largest */
};

struct pingo_import {
    struct pingo__arena arena;    /* of the runs and the programs */
    struct pingo__arena settled;  /* of the applications and their names */
    struct pingo__lab_run **runs; /* once settled: by application, then size */
    size_t nruns, runs_capacity;
    struct pingo__lab_wf_programs programs;      /* of all runs */
    struct pingo__lab_application *applications; /* once settled; by name */
    uint32_t napplications;
    uint64_t ndistinct;
    bool is_settled;
    struct pingo__buffer buffer;
};

/* Finds the applications, puts the runs in order, and takes the means.  Does nothing where nothing was
 * added since. */
int pingo__lab_import_settle(struct pingo_import *import, struct pingo_error *err);

/* A history in the making. */
struct pingo__lab_arranger {
    struct pingo_import *import;
    struct pingo_import_options options; /* no default left; as: 0: growth */
    struct pingo_history *history;
    struct pingo__lab_random_stream random;
    struct pingo_error *err;
    struct pingo__arena arena; /* of what follows */
    uint32_t *changes;         /* of each program; NULL: no program changes */
    uint32_t *by_name;         /* the programs in the order of their names, with changes */
    struct pingo_hash *hashes; /* room for the tasks of any run */
    struct pingo_hash *parents;
    struct pingo_history_mention *mentions;
    uint8_t *wanted; /* of each task of a run, for targets */
};

/* Appends a submission of run `number` by user `user`, both from 0.  wanted: of each task, 0: it is not in it, 1: it
 * is, 2: it is asked for; NULL: all are in it, and those without a child are asked for. */
int pingo__lab_arrange_submit(struct pingo__lab_arranger *a, uint32_t number, uint32_t user,
                              const uint8_t *wanted);

/* Appends all submissions of a kind. */
int pingo__lab_arrange_growth(struct pingo__lab_arranger *a);
int pingo__lab_arrange_sweep(struct pingo__lab_arranger *a);
int pingo__lab_arrange_users(struct pingo__lab_arranger *a);
int pingo__lab_arrange_targets(struct pingo__lab_arranger *a);

#endif
