/* experiment.h - an experiment on a small history, for the tests of many runs, their sums and the least budget. */
#ifndef TEST_LAB_EXPERIMENT_H
#define TEST_LAB_EXPERIMENT_H

#include <math.h>

#include "unit/lab/story.h"

static const char *const lines[] = {
    "a/10/100 b/20/50<a c/30/10*<b",
    "a d/5/5*<a",
    "a b e/7/30<b f/1/1*<e",
    "a g/2/2*<a",
    "a b h/9/70<b i/1/1*<h",
    "a b e j/1/1*<e",
    NULL,
};

static const struct pingo_experiment_budget budgets[] = {{.percent = 60}, {-1, 120}};
static const unsigned slots[] = {1, 2};

static inline void assert_near(double value, double expected, double distance)
{
    if (!(fabs(value - expected) <= distance))
        fail_msg("%.9g is not near %.9g", value, expected);
}

static inline struct pingo_experiment_algorithm algorithm(const char *name)
{
    return (struct pingo_experiment_algorithm){.algorithm = pingo_decision_find(name)};
}

static inline void run(const struct pingo_experiment *e, struct pingo_experiment_row **rows,
                       size_t *n)
{
    struct pingo_error err = {0};
    if (pingo_experiment_run(e, rows, n, &err) != 0)
        fail_msg("%s", err.message);
}

#endif
