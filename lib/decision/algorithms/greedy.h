/* greedy.h - the choosing that all built-in algorithms share: the smallest score goes first.
 *
 * Precisely: at first each candidate's key is its score with all that is present.
 * Then, until enough is freed, the least key is taken; if something went since
 * that key was computed, it is computed again, without what went, and put back;
 * else the dataset goes.  Equal keys: the one used longest ago, then the larger,
 * then the smaller hash.
 *
 * Where an algorithm exchanges, those that went are looked at again, by their scores
 * as things are then, the greatest first: one whose score is greater than that of the
 * one that would go next, and which is not larger, comes back.  All keys are again
 * those from the beginning, and others go until enough is freed.  Each is looked at
 * once.  This mends what comes of taking one after the other: while its parents are
 * there a dataset is cheap to make and goes first, and once they have gone too it
 * would have been the better one to keep.  One that is larger stays gone, since several
 * would go for it, and they are worth more together than one by one.
 *
 * In the end those that are not needed stay, the last one that went first.
 *
 * A key is not computed before it matters: until then lower bounds stand for it, from no
 * search, and then from short ones. */
#ifndef PINGO__DECISION_GREEDY_H
#define PINGO__DECISION_GREEDY_H

#include <pingo/decision.h>

#include "decision/algorithms/stored.h"

/* The `choose` of every built-in algorithm's table. */
int pingo__decision_greedy_choose(void *state, const struct pingo_decision_request *request,
                                  struct pingo_error *err);

/* What the tables of most algorithms begin with. */
#define PINGO__DECISION_SHARED                                                                     \
    .abi_version = PINGO_DECISION_ABI, .close = pingo__decision_stored_close,                      \
    .present = pingo__decision_stored_present, .missing = pingo__decision_stored_missing,          \
    .choose = pingo__decision_greedy_choose

/* The `open` of those that keep no more of their parameters than how far they search, a number of values; of `kind`. */
#define PINGO__DECISION_OPEN(name, reach)                                                          \
    static int name(const struct pingo_history *history, const double *values, void **state,       \
                    struct pingo_error *err)                                                       \
    {                                                                                              \
        (void)values;                                                                              \
        return pingo__decision_stored_open(history, &kind, (reach), state, err);                   \
    }

/* The parameter of those that search. */
#define PINGO__REACH_MAX 1000000
#define PINGO__REACH_PARAMETER                                                                     \
    {                                                                                              \
        "reach", PINGO_PARAMETER_INTEGER, 1, PINGO__REACH_MAX, 128, NULL,                          \
            "how many missing datasets are looked for on each side"                                \
    }

#endif
