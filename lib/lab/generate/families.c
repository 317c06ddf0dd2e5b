/* families.c - the families, and the one table of parameters of which each has its defaults.
 *
 * The figures are those of the measurements from which the default algorithm was chosen. */
#include <string.h>

#include "base/error.h"
#include "decision/algorithms/parameters.h"
#include "lab/generate/generate.h"

#define INTEGER PINGO_PARAMETER_INTEGER
#define NUMBER PINGO_PARAMETER_NUMBER
#define CHOICE PINGO_PARAMETER_CHOICE

static const char *const distributions[] = {"normal", "lognormal", NULL};
static const char *const choices[] = {"uniform", "recent", "zipf", NULL};

/* In the order of the enumeration.  What a family has for a default of its own is 0 here. */
static const struct pingo_decision_parameter table[PINGO__GENERATE_MAX] = {
    {"size", CHOICE, 0, 0, 0, distributions, "distribution of the sizes of outputs"},
    {"size-mean", NUMBER, 0.001, 1e9, 500, NULL, "mean size, in MB of 10^6 bytes"},
    {"size-sd", NUMBER, 0, 1e9, 200, NULL, "normal: deviation of the sizes, in MB"},
    {"size-sigma", NUMBER, 0, 5, 1.2, NULL, "lognormal: deviation of the sizes' logarithm"},
    {"size-least", NUMBER, 0, 1e9, 1, NULL, "a smaller size becomes this one, in MB"},
    {"time", CHOICE, 0, 0, 0, distributions, "distribution of the compute times"},
    {"time-mean", NUMBER, 0.001, 1e9, 60, NULL, "mean time, in seconds"},
    {"time-sd", NUMBER, 0, 1e9, 25, NULL, "normal: deviation of the times, in seconds"},
    {"time-sigma", NUMBER, 0, 5, 1.2, NULL, "lognormal: deviation of the times' logarithm"},
    {"time-least", NUMBER, 0, 1e9, 1, NULL, "a shorter time becomes this one, in seconds"},
    {"users", INTEGER, 1, 100000, 4, NULL, "how many users submit workflows"},
    {"interval", INTEGER, 0, 86400, 600, NULL, "seconds from submission to submission"},

    {"actions", INTEGER, 1, 100000000, 2400, NULL, "distinct actions in all"},
    {"new", INTEGER, 1, 20000, 10, NULL, "new actions of a workflow"},
    {"previous", INTEGER, 0, 20000, 5, NULL, "picks of a workflow among the known actions"},
    {"children-mean", NUMBER, 0, 1000, 2, NULL,
     "an action takes int |N(mean, sd)| children: the mean"},
    {"children-sd", NUMBER, 0, 1000, 1, NULL, "the sd of that"},
    {"parents-mean", NUMBER, 0, 1000, 2, NULL,
     "a new action wants int |N(mean, sd)| parents: the mean"},
    {"parents-sd", NUMBER, 0, 1000, 1, NULL, "the sd of that"},
    {"choice", CHOICE, 0, 0, 0, choices, "how known actions are picked"},
    {"recent-mean", NUMBER, 0, 1e9, 40, NULL, "recent: mean distance from the newest, exponential"},
    {"zipf-exponent", NUMBER, 0, 10, 1.3, NULL, "zipf: the weight is (1 + former picks)^exponent"},

    {"workflows", INTEGER, 1, 10000000, 260, NULL, "how many workflows are submitted"},
    {"fresh", NUMBER, 0, 1, 0.04, NULL, "probability that a user starts another pipeline"},
    {"adopt", NUMBER, 0, 1, 0.5, NULL, "probability that it is another user's latest, not a new one"},
    {"latest", NUMBER, 0, 1, 0.85, NULL,
     "probability that the user's latest is changed, not an earlier"},
    {"stages-min", INTEGER, 1, 100000, 8, NULL, "fewest stages of a pipeline"},
    {"stages-max", INTEGER, 1, 100000, 14, NULL, "most stages of a pipeline"},
    {"one-parent", NUMBER, 0, 1, 0.6, NULL, "probability that a stage has one parent, not two"},
    {"reach", INTEGER, 1, 100000, 4, NULL, "parents are among so many stages before it"},
    {"change-alpha", NUMBER, 0.1, 1000, 2, NULL,
     "stage int(n * Beta(alpha, beta)) of n changes: the alpha"},
    {"change-beta", NUMBER, 0.1, 1000, 1.2, NULL, "the beta of that"},
    {"factor-min", NUMBER, 0.001, 1000, 0.8, NULL,
     "size and time of what changes, times U(min, max): the min"},
    {"factor-max", NUMBER, 0.001, 1000, 1.25, NULL, "the max of that"},
};

/* In the order of the choices, then those with users who change their pipelines: each time with normal sizes and
 * times, then with heavy-tailed ones. */
static const struct pingo_generate_family families[] = {
    {"uniform-n", "known actions are picked alike; normal sizes and times (the thesis)"},
    {"uniform-h", "known actions are picked alike; heavy-tailed sizes and times"},
    {"recent-n", "recent actions are picked; normal sizes and times"},
    {"recent-h", "recent actions are picked; heavy-tailed sizes and times"},
    {"zipf-n", "actions that were picked often are; normal sizes and times"},
    {"zipf-h", "actions that were picked often are; heavy-tailed sizes and times"},
    {"iter-n", "users change their pipelines; normal sizes and times"},
    {"iter-h", "users change their pipelines; heavy-tailed sizes and times"},
};

#define NFAMILIES (sizeof families / sizeof families[0])

const struct pingo_generate_family *pingo_generate_family_at(size_t i)
{
    return i < NFAMILIES ? &families[i] : NULL;
}

/* The place of a family, which is one of ours. */
static size_t place_of(const struct pingo_generate_family *family)
{
    size_t i = 0;
    while (i + 1 < NFAMILIES && &families[i] != family)
        i++;
    return i;
}

bool pingo__lab_generate_is_iter(const struct pingo_generate_family *family)
{
    return place_of(family) / 2 > PINGO__GENERATE_ZIPF;
}

size_t pingo__lab_generate_place(const struct pingo_generate_family *family, size_t i)
{
    bool is_iter = pingo__lab_generate_is_iter(family);
    if (i >= PINGO__GENERATE_MAX)
        return PINGO__GENERATE_MAX;
    if (i >= PINGO__GENERATE_ACTIONS && is_iter)
        i += PINGO__GENERATE_WORKFLOWS - PINGO__GENERATE_ACTIONS;
    return i < (is_iter ? PINGO__GENERATE_MAX : PINGO__GENERATE_WORKFLOWS) ? i : PINGO__GENERATE_MAX;
}

int pingo_generate_parameter_at(const struct pingo_generate_family *family, size_t i,
                                struct pingo_decision_parameter *parameter)
{
    size_t at = pingo__lab_generate_place(family, i), place = place_of(family);
    if (at == PINGO__GENERATE_MAX)
        return PINGO_ENOTFOUND;
    *parameter = table[at];
    if (at == PINGO__GENERATE_SIZE || at == PINGO__GENERATE_TIME)
        parameter->value = (double)(place & 1);
    else if (at == PINGO__GENERATE_CHOICE)
        parameter->value = (double)(place >> 1);
    return 0;
}

static int check_order(const struct pingo_generate_family *family, const double *values, int low,
                       struct pingo_error *err)
{
    if (values[low] <= values[low + 1])
        return 0;
    return pingo__fail(err, PINGO_EINVAL, "%s: %s is greater than %s", family->name,
                       table[low].name, table[low + 1].name);
}

int pingo__lab_generate_read(const struct pingo_generate_family *family, const char *text,
                             double *values, struct pingo_error *err)
{
    struct pingo_decision_parameter parameters[PINGO__GENERATE_MAX];
    /* What is read as an algorithm's parameters are. */
    struct pingo_decision_algorithm reader = {.name = family->name, .parameters = parameters};
    double given[PINGO__GENERATE_MAX];
    size_t *n = &reader.nparameters;
    while (pingo_generate_parameter_at(family, *n, &parameters[*n]) == 0)
        ++*n;
    int rc = pingo__decision_read_values(&reader, text, given, err);
    if (rc != 0)
        return rc;
    memset(values, 0, PINGO__GENERATE_MAX * sizeof *values);
    for (size_t i = 0; i < *n; i++)
        values[pingo__lab_generate_place(family, i)] = given[i] + 0.0; /* there is no -0 */
    rc = check_order(family, values, PINGO__GENERATE_STAGES_MIN, err);
    if (rc == 0)
        rc = check_order(family, values, PINGO__GENERATE_FACTOR_MIN, err);
    return rc;
}
