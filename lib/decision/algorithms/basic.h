/* basic.h - the functions of a table that most algorithms share.
 *
 * They take a state whose first member is a struct pingo__decision_stored. */
#ifndef PINGO__DECISION_BASIC_H
#define PINGO__DECISION_BASIC_H

#include <pingo/decision.h>

#include "decision/algorithms/greedy.h"
#include "decision/algorithms/stored.h"

/* Frees the state too. */
void pingo__decision_basic_close(void *state);
/* A state of a kind, zeroed but for what is stored; reach as pingo__decision_stored_init(). */
int pingo__decision_basic_open(const struct pingo_history *history,
                               const struct pingo__decision_kind *kind, uint32_t reach,
                               void **state, struct pingo_error *err);
/* Reads a submission and makes room for its datasets; takes nothing in. */
int pingo__decision_basic_read(struct pingo__decision_stored *stored, uint32_t submission,
                               struct pingo_history_submission *w, struct pingo_error *err);
int pingo__decision_basic_observe(void *state, uint32_t submission, struct pingo_error *err);
int pingo__decision_basic_present(void *state, uint32_t dataset, struct pingo_error *err);
void pingo__decision_basic_missing(void *state, uint32_t dataset, bool evicted);

/* Says when a dataset was used last, for a reason: it may be that no submission of the history did. */
void pingo__decision_basic_tell_use(const struct pingo__decision_stored *stored, uint32_t dataset,
                                    char *text, size_t size);

/* What the tables of most algorithms begin with. */
#define PINGO__DECISION_SHARED                                                                     \
    .abi_version = PINGO_DECISION_ABI, .close = pingo__decision_basic_close,                       \
    .present = pingo__decision_basic_present, .missing = pingo__decision_basic_missing,            \
    .choose = pingo__decision_greedy_choose

/* The parameter of those that search. */
#define PINGO__REACH_MAX 1000000
#define PINGO__REACH_PARAMETER                                                                     \
    {                                                                                              \
        "reach", PINGO_PARAMETER_INTEGER, 1, PINGO__REACH_MAX, 128, NULL,                          \
            "how many missing datasets are looked for on each side"                                \
    }

#endif
