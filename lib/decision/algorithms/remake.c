/* remake.c - see remake.h. */
#include "decision/algorithms/remake.h"

#include <stdlib.h>
#include <string.h>

static int64_t bounded(uint64_t ms)
{
    return ms > INT64_MAX ? INT64_MAX : (int64_t)ms;
}

bool pingo__decision_remake(struct pingo__decision_stored *s, const uint32_t *datasets, size_t n,
                            int64_t *each_ms, int64_t *together_ms)
{
    uint64_t *left = malloc(s->capacity / 8 + sizeof *left), sum = 0;
    if (!left)
        return false;
    if (s->capacity > 0)
        memcpy(left, s->present, s->capacity / 8);
    uint32_t nabove;
    for (size_t i = 0; i < n; i++) {
        pingo__decision_bit_clear(left, datasets[i]);
        each_ms[i] = bounded(pingo__decision_stored_cost(s, left, datasets[i], UINT32_MAX, &nabove));
    }
    /* What was counted counts as present from then on: no search meets it again. */
    for (size_t i = 0; i < n; i++) {
        if (pingo__decision_bit(left, datasets[i]))
            continue;
        sum = pingo__decision_sum(
            sum, pingo__decision_stored_cost(s, left, datasets[i], UINT32_MAX, &nabove));
        pingo__decision_bit_set(left, datasets[i]);
        for (uint32_t k = 0; k < nabove; k++)
            pingo__decision_bit_set(left, s->found[k]);
    }
    *together_ms = bounded(sum);
    free(left);
    return true;
}
