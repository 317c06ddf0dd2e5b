/* rank.c - see rank.h. */
#include "plan/rank.h"

#include <string.h>

int pingo__rank_compare(const struct pingo__rank_key *a, const struct pingo__rank_key *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->workflow != b->workflow)
        return a->workflow < b->workflow ? -1 : 1;
    if (a->rank_ms != b->rank_ms)
        return a->rank_ms > b->rank_ms ? -1 : 1;
    return memcmp(a->hash->bytes, b->hash->bytes, PINGO_HASH_SIZE);
}

void pingo__rank_paths(const struct pingo_workflow *workflow, const struct pingo_plan_entry *entries,
                       const int64_t *expected_ms, int64_t *rank_ms)
{
    size_t n = pingo_workflow_count(workflow);
    const uint32_t *order = pingo_workflow_order(workflow);

    for (size_t k = n; k-- > 0;) { /* children before parents */
        uint32_t i = order[k];
        size_t nchildren = 0;
        const uint32_t *children = pingo_workflow_children(workflow, i, &nchildren);
        int64_t longest = 0;

        rank_ms[i] = 0;
        if (entries[i].decision != PINGO_PLAN_COMPUTE)
            continue;
        for (size_t j = 0; j < nchildren; j++)
            if (rank_ms[children[j]] > longest)
                longest = rank_ms[children[j]];
        if (__builtin_add_overflow(
                longest, expected_ms[i] < 0 ? PINGO__RANK_UNKNOWN_MS : expected_ms[i], &rank_ms[i]))
            rank_ms[i] = INT64_MAX;
    }
}
