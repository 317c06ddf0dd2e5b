/* shortfall.c - see shortfall.h. */
#include "manager/shortfall.h"

#include <inttypes.h>
#include <stdio.h>

const char *pingo__bytes_text(char text[PINGO__BYTES_SIZE], int64_t bytes)
{
    static const char units[] = "KMGTPE";
    uint64_t unit = 1, tenths;
    int i = -1;

    for (int64_t n = bytes; n >= 1024 && units[i + 1]; n /= 1024) {
        unit <<= 10;
        i++;
    }
    if (i < 0) {
        snprintf(text, PINGO__BYTES_SIZE, "%" PRId64, bytes);
        return text;
    }
    tenths = ((uint64_t)bytes / unit) * 10 + (uint64_t)bytes % unit * 10 / unit;
    if (tenths % 10 && tenths < 1000)
        snprintf(text, PINGO__BYTES_SIZE, "%" PRIu64 ".%" PRIu64 "%c", tenths / 10, tenths % 10,
                 units[i]);
    else
        snprintf(text, PINGO__BYTES_SIZE, "%" PRIu64 "%c", tenths / 10, units[i]);
    return text;
}

void pingo__shortfall_holders(const struct pingo__usage *usage, const struct pingo__held *held,
                              char *text, size_t size)
{
    char leaves[PINGO__BYTES_SIZE], kept[PINGO__BYTES_SIZE], claimed[PINGO__BYTES_SIZE];
    char failed[PINGO__BYTES_SIZE], undeletable[PINGO__BYTES_SIZE];

    snprintf(text, size,
             "leaves %s (pingo release), kept %s, claimed %s, failed attempts %s, undeletable %s",
             pingo__bytes_text(leaves, usage->bytes[PINGO_DATASET_LEAF]),
             pingo__bytes_text(kept, held->kept_bytes),
             pingo__bytes_text(claimed, held->claimed_bytes),
             pingo__bytes_text(failed, usage->failed_bytes),
             pingo__bytes_text(undeletable, usage->undeletable_bytes));
}

void pingo__shortfall_text(const struct pingo__usage *usage, const struct pingo__held *held,
                           const int64_t marks[3], char *text, size_t size)
{
    static const char *const names[] = {"budget", "high mark", "low mark"};
    int64_t used = pingo__usage_used(usage);
    char holders[192], over[PINGO__BYTES_SIZE], mark[PINGO__BYTES_SIZE], budget[PINGO__BYTES_SIZE];
    char whose[PINGO__BYTES_SIZE + 16] = "";
    int i = 0;

    while (i < 2 && used <= marks[i])
        i++;
    pingo__shortfall_holders(usage, held, holders, sizeof holders);
    if (i > 0)
        snprintf(whose, sizeof whose, " (budget %s)", pingo__bytes_text(budget, marks[0]));
    snprintf(text, size, "the pool holds %s over its %s of %s%s: %s",
             pingo__bytes_text(over, used - marks[i]), names[i], pingo__bytes_text(mark, marks[i]),
             whose, holders);
}
