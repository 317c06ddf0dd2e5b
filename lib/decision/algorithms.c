/* algorithms.c - the one list of built-in algorithms. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "decision/parameters.h"

/* Another one is a line here. */
#define ALGORITHMS(IS)                                                                             \
    IS(chain)                                                                                      \
    IS(dtr)                                                                                        \
    IS(gdsf)                                                                                       \
    IS(lru)                                                                                        \
    IS(largest_first)                                                                              \
    IS(most_commonly_used)                                                                         \
    IS(random)

#define DECLARE(name) extern const struct pingo_decision_algorithm pingo__decision_##name;
#define LIST(name) &pingo__decision_##name,

ALGORITHMS(DECLARE)
static const struct pingo_decision_algorithm *const algorithms[] = {ALGORITHMS(LIST)};
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
