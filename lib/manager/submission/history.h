/* history.h - the history of a store, read from its submissions, graphs and datasets.
 *
 * A history can be gone on with: what was submitted since is appended, and equals what
 * reading all anew would give.  Nothing is written. */
#ifndef PINGO__MANAGER_HISTORY_H
#define PINGO__MANAGER_HISTORY_H

#include <pingo/history.h>

#include "base/map.h"
#include "store/decision/history.h"
#include "store/submission/plans.h"

struct pingo__manager_history_load {
    struct pingo__store_db *db;
    struct pingo_history *history; /* ours until it is taken out: then NULL */
    int64_t last;                  /* the greatest number of a submission that is in it; 0: none */
    struct pingo__arena arena;     /* of one graph; taken back after it */
    struct pingo__arena numbers;   /* of the keys of the maps */
    struct pingo__map graphs;      /* id of a graph -> its first submission in the history */
    struct pingo__map wholes;    /* id of a graph -> the first that was submitted without targets */
    struct pingo__map workflows; /* number of a workflow -> its submission in the history */
    struct pingo_history_mention *mentions;
    struct pingo__store_plan_cursor plans; /* while submissions are read; opened at the first one */
    bool has_plans;
    const struct pingo__store_history_workflow *row; /* the submission that is read */
    uint8_t *flags;                                  /* of it */
    bool is_whole;                                   /* it was submitted without targets */
    size_t mentions_capacity, flags_capacity;
};

/* An empty history.  l: cleared by the caller, also after failure. */
int pingo__manager_history_load_init(struct pingo__manager_history_load *l,
                                     struct pingo__store_db *db, struct pingo_error *err);
void pingo__manager_history_load_clear(struct pingo__manager_history_load *l);

/* These run inside a transaction.  Appends the submissions of [since, until) (0: no end) that are newer than
 * the last one.  Errors: PINGO_ECORRUPT. */
int pingo__manager_history_load_more(struct pingo__manager_history_load *l, int64_t since_ms,
                                     int64_t until_ms, struct pingo_error *err);
/* Sizes and times of all actions that are in it. */
int pingo__manager_history_load_known(struct pingo__manager_history_load *l,
                                      struct pingo_error *err);
/* The evictions of the datasets that its submissions made. */
int pingo__manager_history_load_evictions(struct pingo__manager_history_load *l,
                                          struct pingo_error *err);

#endif
