/* shortfall.c - see shortfall.h. */
#include "manager/decision/shortfall.h"

#include <stdio.h>

struct holder {
    const char *what, *way_out;
    int64_t bytes;
};

void pingo__manager_shortfall_holders(const struct pingo__store_usage *usage,
                                      const struct pingo__store_held *held, char *text, size_t size)
{
    struct holder h[] = {
        {"leaves", "pingo release lets go of them", usage->bytes[PINGO_DATASET_LEAF]},
        {"kept", "pingo release lets go of it", held->kept_bytes},
        {"claimed", "until the actions that read it have ended", held->claimed_bytes},
        {"failed attempts", "for pool.failedDays days", usage->failed_bytes},
        {"undeletable", "pingo fsck says why", usage->undeletable_bytes},
        {"orphans", "pingo tick says why", usage->orphan_bytes},
    };
    const size_t n = sizeof h / sizeof h[0];
    size_t at = 0;
    for (size_t i = 1; i < n; i++) /* the largest first: its way out is what helps */
        for (size_t k = i; k > 0 && h[k].bytes > h[k - 1].bytes; k--) {
            struct holder swap = h[k];
            h[k] = h[k - 1];
            h[k - 1] = swap;
        }
    bool is_empty = pingo__store_usage_of(usage, pingo_dataset_state_takes_space) == 0;
    snprintf(text, size, "%s", is_empty ? "it is empty" : "it is on its way out");
    for (size_t i = 0; i < n && h[i].bytes > 0 && at < size; i++) {
        char bytes[PINGO__UNITS_SIZE];
        int wrote = snprintf(text + at, size - at, "%s%s %s (%s)", i ? ", " : "", h[i].what,
                             pingo__units_print_size(bytes, h[i].bytes), h[i].way_out);
        at += wrote > 0 ? (size_t)wrote : 0;
    }
}

void pingo__manager_shortfall_text(const struct pingo__store_usage *usage,
                                   const struct pingo__store_held *held, const int64_t marks[3],
                                   char *text, size_t size)
{
    static const char *const names[] = {"budget", "high mark", "low mark"};
    int64_t used = pingo__store_usage_used(usage);
    char holders[PINGO__HOLDERS_SIZE], over[PINGO__UNITS_SIZE], mark[PINGO__UNITS_SIZE];
    char whose[PINGO__UNITS_SIZE + 16] = "";
    int i = 0;
    while (i < 2 && used <= marks[i])
        i++;
    pingo__manager_shortfall_holders(usage, held, holders, sizeof holders);
    char budget[PINGO__UNITS_SIZE];
    if (i > 0)
        snprintf(whose, sizeof whose, " (budget %s)", pingo__units_print_size(budget, marks[0]));
    snprintf(text, size, "the pool holds %s over its %s of %s%s: %s",
             pingo__units_print_size(over, used - marks[i]), names[i],
             pingo__units_print_size(mark, marks[i]), whose, holders);
}
