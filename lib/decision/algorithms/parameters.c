/* parameters.c - KEY=VALUE,... against the parameter list of an algorithm.
 *
 * Numbers are read and printed without the locale, and a number of at most 15
 * digits is read exactly, so that the same text gives the same value everywhere. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "decision/algorithms/parameters.h"

#define NAMES_MAX 32 /* that a suggestion looks at */
#define NUMBER_SIZE 64

int pingo__decision_check_table(const struct pingo_decision_algorithm *a, struct pingo_error *err)
{
    if (!a)
        return pingo__fail(err, PINGO_EINVAL, "there is no algorithm");
    if (a->abi_version < 1 || a->abi_version > PINGO_DECISION_ABI)
        return pingo__fail(err, PINGO_EVERSION,
                           "the algorithm was made for version %u of the decision interface, this "
                           "library has version %u",
                           a->abi_version, (unsigned)PINGO_DECISION_ABI);
    if (!a->name || a->name[0] == '\0')
        return pingo__fail(err, PINGO_EINVAL, "the algorithm has no name");
    if (strspn(a->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(a->name))
        return pingo__fail(
            err, PINGO_EINVAL,
            "the name of the algorithm, \"%.80s\", has other characters than a to z, "
            "0 to 9 and -",
            a->name);
    if (!a->open || !a->close || !a->observe || !a->present || !a->missing || !a->choose)
        return pingo__fail(
            err, PINGO_EINVAL,
            "the table of the algorithm %s lacks open, close, observe, present, missing or "
            "choose",
            a->name);
    for (size_t i = 0; i < a->nparameters; i++) {
        const struct pingo_decision_parameter *p = a->parameters ? &a->parameters[i] : NULL;
        if (!p || !p->name ||
            (p->kind != PINGO_PARAMETER_INTEGER && p->kind != PINGO_PARAMETER_NUMBER &&
             (p->kind != PINGO_PARAMETER_CHOICE || !p->choices)))
            return pingo__fail(err, PINGO_EINVAL,
                               "parameter %zu of the algorithm %s is not described", i + 1, a->name);
    }
    return 0;
}

static void print_number(char text[NUMBER_SIZE], double value)
{
    double size = value < 0 ? -value : value;
    if (size < 1e9 && size != (double)(int64_t)size) {
        int64_t billionths = (int64_t)(size * 1e9 + 0.5);
        snprintf(text, NUMBER_SIZE, "%s%" PRId64 ".%09d", value < 0 ? "-" : "",
                 billionths / 1000000000, (int)(billionths % 1000000000));
        for (size_t n = strlen(text); text[n - 1] == '0' && text[n - 2] != '.'; n--)
            text[n - 1] = '\0';
        return;
    }
    snprintf(text, NUMBER_SIZE, "%.0f", value);
}

static size_t count_choices(const struct pingo_decision_parameter *p)
{
    size_t n = 0;
    while (p->choices[n])
        n++;
    return n;
}

static bool is_whole(double value)
{
    return value >= -9007199254740992.0 && value <= 9007199254740992.0 &&
           value == (double)(int64_t)value;
}

/* What would be right for a parameter. */
static int refuse(const struct pingo_decision_algorithm *a, const struct pingo_decision_parameter *p,
                  const char *given, struct pingo_error *err)
{
    char low[NUMBER_SIZE], high[NUMBER_SIZE], words[256];
    if (p->kind == PINGO_PARAMETER_CHOICE) {
        pingo__text_join(words, sizeof words, p->choices, count_choices(p), " or ");
        return pingo__fail(err, PINGO_EINVAL, "%s: %s is %s, not \"%.80s\"", a->name, p->name,
                           words, given);
    }
    print_number(low, p->minimum);
    print_number(high, p->maximum);
    return pingo__fail(err, PINGO_EINVAL, "%s: %s is %s from %s to %s, not \"%.80s\"", a->name,
                       p->name, p->kind == PINGO_PARAMETER_INTEGER ? "an integer" : "a number", low,
                       high, given);
}

static bool is_allowed(const struct pingo_decision_parameter *p, double value)
{
    if (p->kind == PINGO_PARAMETER_CHOICE)
        return is_whole(value) && value >= 0 && value < (double)count_choices(p);
    if (p->kind == PINGO_PARAMETER_INTEGER && !is_whole(value))
        return false;
    return value >= p->minimum && value <= p->maximum;
}

int pingo__decision_check_values(const struct pingo_decision_algorithm *a, const double *values,
                                 struct pingo_error *err)
{
    for (size_t i = 0; i < a->nparameters; i++) {
        char given[NUMBER_SIZE] = "not a number";
        if (is_allowed(&a->parameters[i], values[i]))
            continue;
        if (values[i] > -1e30 && values[i] < 1e30)
            print_number(given, values[i]);
        return refuse(a, &a->parameters[i], given, err);
    }
    return 0;
}

static int read_value(const struct pingo_decision_algorithm *a,
                      const struct pingo_decision_parameter *p, const char *text, double *value,
                      struct pingo_error *err)
{
    if (p->kind == PINGO_PARAMETER_CHOICE) {
        for (size_t i = 0; p->choices[i]; i++)
            if (strcmp(p->choices[i], text) == 0) {
                *value = (double)i;
                return 0;
            }
        return refuse(a, p, text, err);
    }
    if (!pingo__text_to_real(text, value) || !is_allowed(p, *value))
        return refuse(a, p, text, err);
    return 0;
}

static int unknown_key(const struct pingo_decision_algorithm *a, const char *key,
                       struct pingo_error *err)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    char all[512];
    for (; n < a->nparameters && n < NAMES_MAX; n++)
        names[n] = a->parameters[n].name;
    if (n == 0)
        return pingo__fail(err, PINGO_EINVAL, "%s has no parameters, but \"%.80s\" is given",
                           a->name, key);
    const char *nearest = pingo__text_nearest(key, names, n);
    return pingo__fail(err, PINGO_EINVAL, "%s has no parameter \"%.80s\"%s%s%s; it has: %s",
                       a->name, key, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                       nearest ? "\"?" : "", pingo__text_join(all, sizeof all, names, n, ", "));
}

/* One KEY=VALUE that ends with NUL.  A value that was not given yet is no number. */
static int read_pair(const struct pingo_decision_algorithm *a, char *pair, double *values,
                     struct pingo_error *err)
{
    char *equals = strchr(pair, '=');
    if (!equals || equals == pair)
        return pingo__fail(err, PINGO_EINVAL, "%s: \"%.80s\" is not KEY=VALUE", a->name, pair);
    *equals = '\0';
    for (size_t i = 0; i < a->nparameters; i++) {
        if (strcmp(a->parameters[i].name, pair) != 0)
            continue;
        if (!isnan(values[i]))
            return pingo__fail(err, PINGO_EINVAL, "%s: %s is given twice", a->name, pair);
        return read_value(a, &a->parameters[i], equals + 1, &values[i], err);
    }
    return unknown_key(a, pair, err);
}

int pingo_decision_values(const struct pingo_decision_algorithm *a, const char *text,
                          double *values, struct pingo_error *err)
{
    int rc = pingo__decision_check_table(a, err);
    return rc == 0 ? pingo__decision_read_values(a, text, values, err) : rc;
}

int pingo__decision_read_values(const struct pingo_decision_algorithm *a, const char *text,
                                double *values, struct pingo_error *err)
{
    char pair[256];
    int rc = 0;
    for (size_t i = 0; i < a->nparameters; i++)
        values[i] = NAN;
    for (const char *at = text; rc == 0 && at && *text != '\0'; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof pair)
            return pingo__fail(err, PINGO_EINVAL, "%s: \"%.80s...\" is not KEY=VALUE", a->name, at);
        memcpy(pair, at, length);
        pair[length] = '\0';
        rc = read_pair(a, pair, values, err);
        at += length;
        if (*at == '\0')
            break;
    }
    for (size_t i = 0; rc == 0 && i < a->nparameters; i++)
        if (isnan(values[i]))
            values[i] = a->parameters[i].value;
    return rc;
}
