/* remake.c - see remake.h. */
#include "decision/remake.h"

#include <stdlib.h>
#include <string.h>

static int64_t bounded(uint64_t ms)
{
    return ms > INT64_MAX ? INT64_MAX : (int64_t)ms;
}

static void set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Its time and that of the missing ones above it. */
static uint64_t cost(struct pingo__decision_stored *s, const uint64_t *bits, uint32_t dataset,
                     uint32_t *nabove)
{
    *nabove = pingo__decision_stored_above(s, bits, dataset);
    return pingo__decision_sum(pingo__decision_stored_ms(s, dataset),
                               pingo__decision_stored_found_ms(s, *nabove));
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
        clear(left, datasets[i]);
        each_ms[i] = bounded(cost(s, left, datasets[i], &nabove));
    }
    /* What was counted counts as present from then on: no search meets it again. */
    for (size_t i = 0; i < n; i++) {
        if (pingo__decision_bit(left, datasets[i]))
            continue;
        sum = pingo__decision_sum(sum, cost(s, left, datasets[i], &nabove));
        set(left, datasets[i]);
        for (uint32_t k = 0; k < nabove; k++)
            set(left, s->found[k]);
    }
    *together_ms = bounded(sum);
    free(left);
    return true;
}
