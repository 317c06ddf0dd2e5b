/* memory.c - see memory.h. */
#include "rules/memory.h"

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t pingo__rules_memory_most(int64_t allowed_mb, int64_t largest_mb)
{
    return allowed_mb && largest_mb ? min(allowed_mb, largest_mb) : max(allowed_mb, largest_mb);
}

int64_t pingo__rules_memory_first(int64_t own_mb, int64_t remembered_mb, int64_t most_mb)
{
    return max(own_mb, most_mb ? min(remembered_mb, most_mb) : remembered_mb);
}

int64_t pingo__rules_memory_grown(const struct pingo__rules_memory_death *d)
{
    int64_t had = d->had_mb ? d->had_mb : d->seen_mb;
    int64_t next = d->listed_mb > had    ? d->listed_mb
                   : !d->most_mb         ? 0
                   : had > INT64_MAX / 2 ? INT64_MAX
                                         : 2 * had;
    next = d->most_mb ? min(next, d->most_mb) : next;
    return had && next > had ? next : 0;
}

int64_t pingo__rules_memory_needed(int64_t had_mb, int64_t seen_mb)
{
    while (seen_mb > 0 && had_mb / 2 >= seen_mb + seen_mb / 4)
        had_mb /= 2;
    return had_mb;
}
