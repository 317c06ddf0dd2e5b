/* survey.h - what a decision looks at: the history, which datasets there are, which may go.
 *
 * A survey is taken in one view of the store, and gone on with: what was submitted and
 * what changed since the last time is taken in, and what follows equals what a new survey
 * would give (but for algorithms that remember their evictions).  It changes nothing. */
#ifndef PINGO__MANAGER_SURVEY_H
#define PINGO__MANAGER_SURVEY_H

#include <pingo/decision.h>

#include "decision/algorithms/stored.h"
#include "manager/context.h"
#include "manager/submission/history.h"
#include "store/decision/usage.h"

struct pingo__manager_victim {
    uint32_t dataset;
    struct pingo_hash hash;
    double score;
    int64_t size_bytes, remake_ms;
    const char *reason; /* in the arena of the choice */
};

struct pingo__manager_choice {
    struct pingo__arena arena;
    struct pingo__manager_victim *victims; /* in the order in which they go */
    size_t n, capacity;
    int64_t together_ms; /* to make all of them again */
    struct pingo_decision_result result;
};

struct pingo__manager_survey {
    struct pingo__manager_context *c;
    struct pingo__manager_history_load load; /* load.last: the last submission that is known */
    bool begun;
    int64_t changed; /* the last change of a dataset that is known; -1: none */
    struct pingo__decision_stored present; /* and the searches in it */
    uint8_t *marks;                  /* of each dataset: enum in survey.c; goes with present */
    struct pingo__store_usage usage; /* of the same moment */
    struct pingo__store_held held_bytes;
    /* The algorithm: what was asked for, and what there is of it. */
    char *text; /* NULL: none yet */
    struct pingo_decision_selection *selection;
    struct pingo_decider *decider;
    bool at_fault; /* an error came from the algorithm, not from the store or for want of memory */
};

void pingo__manager_survey_init(struct pingo__manager_survey *s, struct pingo__manager_context *c);
void pingo__manager_survey_clear(struct pingo__manager_survey *s);

/* The algorithm that decides from now on, as pingo_decision_select() takes it.  Its errors. */
int pingo__manager_survey_use(struct pingo__manager_survey *s, const char *text,
                              struct pingo_error *err);
const char *pingo__manager_survey_algorithm(const struct pingo__manager_survey *s);

/* Takes in what is new.  old_leaf_ms: leaves that were used last before then may go; -1: none.  After an
 * error it begins anew. */
int pingo__manager_survey_read(struct pingo__manager_survey *s, int64_t old_leaf_ms,
                               struct pingo_error *err);
/* choice: zeroed; cleared by the caller, also after failure. */
int pingo__manager_survey_choose(struct pingo__manager_survey *s, int64_t free_bytes,
                                 struct pingo__manager_choice *choice, struct pingo_error *err);
void pingo__manager_choice_clear(struct pingo__manager_choice *choice);
/* A victim went. */
int pingo__manager_survey_evicted(struct pingo__manager_survey *s, uint32_t dataset,
                                  struct pingo_error *err);

#endif
