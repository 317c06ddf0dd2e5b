/* stamp.h - what a pool says of an entry, by which it is known again: another one lies there where it differs.  What
 * the numbers are is the pool's own business. */
#ifndef PINGO__BASE_STAMP_H
#define PINGO__BASE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

struct pingo__stamp {
    int64_t numbers[2];
};

static inline bool pingo__stamp_is_same(const struct pingo__stamp *a, const struct pingo__stamp *b)
{
    return a->numbers[0] == b->numbers[0] && a->numbers[1] == b->numbers[1];
}

#endif
