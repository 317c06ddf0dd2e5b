/* forced.c - see forced.h. */
#include "decision/algorithms/forced.h"

#include <stdlib.h>

#include "base/array.h"

bool pingo__decision_forced_has(const struct pingo__decision_forced *f, uint32_t action)
{
    return f->n > 0 &&
           bsearch(&action, f->actions, f->n, sizeof *f->actions, pingo__array_by_number);
}

void pingo__decision_forced_clear(struct pingo__decision_forced *f)
{
    free(f->actions);
    *f = (struct pingo__decision_forced){0};
}

static bool descends(const struct pingo__decision_forced *f, const struct pingo_history *history,
                     uint32_t action)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(history, action, &n);
    for (size_t i = 0; i < n; i++)
        if (pingo__decision_forced_has(f, parents[i]))
            return true;
    return false;
}

/* Parents have smaller indexes: in rising order each comes after all that it may descend from.  An action is sorted as
 * twice its index, which a history keeps below 2^31, and one more where it is not forced itself. */
bool pingo__decision_forced_find(struct pingo__decision_forced *f,
                                 const struct pingo_history *history,
                                 const struct pingo_history_submission *w)
{
    unsigned all = 0;
    f->n = 0;
    for (size_t i = 0; i < w->nactions; i++)
        all |= w->flags[i];
    if (!(all & PINGO_HISTORY_FORCED))
        return true;
    if (!PINGO__ARRAY_ROOM(f->actions, f->capacity, 0, w->nactions))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < w->nactions; i++) {
        bool is_forced = w->flags[i] & PINGO_HISTORY_FORCED;
        if (is_forced || (w->flags[i] & PINGO_HISTORY_OUTCOME) != PINGO_HISTORY_SKIPPED)
            f->actions[n++] = w->actions[i] * 2 + !is_forced;
    }
    qsort(f->actions, n, sizeof *f->actions, pingo__array_by_number);
    for (size_t i = 0; i < n; i++) {
        uint32_t action = f->actions[i] / 2;
        if (f->n > 0 && f->actions[f->n - 1] == action)
            continue; /* it stands there once more */
        if (f->actions[i] % 2 == 0 || descends(f, history, action))
            f->actions[f->n++] = action;
    }
    return true;
}
