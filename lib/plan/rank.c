/* rank.c - see rank.h. */
#include "plan/rank.h"

#include <string.h>

int pingo__plan_rank_compare(const struct pingo__plan_rank_key *a,
                             const struct pingo__plan_rank_key *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->workflow != b->workflow)
        return a->workflow < b->workflow ? -1 : 1;
    if (a->rank_ms != b->rank_ms)
        return a->rank_ms > b->rank_ms ? -1 : 1;
    return memcmp(a->hash->bytes, b->hash->bytes, PINGO_HASH_SIZE);
}

static int64_t path_of(int64_t longest_ms, int64_t expected_ms)
{
    int64_t path_ms;
    if (__builtin_add_overflow(longest_ms, expected_ms < 0 ? PINGO__RANK_UNKNOWN_MS : expected_ms,
                               &path_ms))
        return INT64_MAX;
    return path_ms;
}

void pingo__plan_rank_paths(const struct pingo_workflow *workflow,
                            const struct pingo_plan_entry *entries, const int64_t *expected_ms,
                            int64_t *rank_ms)
{
    size_t n = pingo_workflow_count(workflow);
    const uint32_t *order = pingo_workflow_order(workflow);
    /* At first the longest path behind each.  Of equal actions the one that comes first in the order has its
     * parents before it and is met here last, when the paths behind all of them have been handed up. */
    memset(rank_ms, 0, n * sizeof *rank_ms);
    for (size_t k = n; k-- > 0;) { /* children before parents */
        const struct pingo_action *action = pingo_workflow_action(workflow, order[k]);
        uint32_t i = entries[order[k]].computes;
        int64_t path_ms = path_of(rank_ms[i], expected_ms[i]);
        for (size_t j = 0; entries[i].decision == PINGO_PLAN_COMPUTE && j < action->nparents; j++) {
            uint32_t parent = entries[action->parents[j].index].computes;
            if (rank_ms[parent] < path_ms)
                rank_ms[parent] = path_ms;
        }
    }
    for (size_t i = 0; i < n; i++)
        rank_ms[i] =
            entries[i].decision == PINGO_PLAN_COMPUTE ? path_of(rank_ms[i], expected_ms[i]) : 0;
}
