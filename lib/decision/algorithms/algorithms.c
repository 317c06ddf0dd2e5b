/* algorithms.c - the one list of built-in algorithms. */
#include <string.h>

#include "base/text.h"
#include "decision/algorithms/parameters.h"

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

static void list_names(const char *names[NALGORITHMS])
{
    for (size_t i = 0; i < NALGORITHMS; i++)
        names[i] = algorithms[i]->name;
}

void pingo__decision_names(char *text, size_t size)
{
    const char *names[NALGORITHMS];
    list_names(names);
    pingo__text_join(text, size, names, NALGORITHMS, ", ");
}

const char *pingo__decision_nearest(const char *word)
{
    const char *names[NALGORITHMS];
    list_names(names);
    return pingo__text_nearest(word, names, NALGORITHMS);
}
