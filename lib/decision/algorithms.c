/* algorithms.c - the one list of built-in algorithms: another one is a file and a line here. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "decision/parameters.h"

extern const struct pingo_decision_algorithm pingo__random, pingo__lru, pingo__most_commonly_used,
    pingo__largest_first, pingo__gdsf, pingo__dtr, pingo__chain;

static const struct pingo_decision_algorithm *const algorithms[] = {
    &pingo__chain,  &pingo__dtr,           &pingo__gdsf,
    &pingo__lru,    &pingo__largest_first, &pingo__most_commonly_used,
    &pingo__random,
};
#define NALGORITHMS (sizeof algorithms / sizeof algorithms[0])

const struct pingo_decision_algorithm *pingo_decision_at(size_t i)
{
    return i < NALGORITHMS ? algorithms[i] : NULL;
}

const struct pingo_decision_algorithm *pingo_decision_find(const char *name)
{
    for (size_t i = 0; i < NALGORITHMS; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}

void pingo__decision_names(char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < NALGORITHMS && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "",
                                   algorithms[i]->name);
}

const char *pingo__decision_nearest(const char *word)
{
    const char *names[NALGORITHMS];
    for (size_t i = 0; i < NALGORITHMS; i++)
        names[i] = algorithms[i]->name;
    return pingo__text_nearest(word, names, NALGORITHMS);
}
