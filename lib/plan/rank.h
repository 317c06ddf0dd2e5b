/* rank.h - in which order ready actions run: one order, for the engine and the simulator.
 *
 * Workflow priority (greater first), workflow number (earlier first), longest
 * remaining path (longer first), hash (smaller first). */
#ifndef PINGO__PLAN_RANK_H
#define PINGO__PLAN_RANK_H

#include <pingo/plan.h>

/* How long an action takes of which nothing is known. */
#define PINGO__RANK_UNKNOWN_MS 1000

struct pingo__plan_rank_key {
    int64_t priority;
    int64_t workflow;
    int64_t rank_ms;
    const struct pingo_hash *hash;
};

/* < 0: a runs before b, of one queue: whose turn it is says share.h.  The store's index action_ready has the same
 * order. */
int pingo__plan_rank_compare(const struct pingo__plan_rank_key *a,
                             const struct pingo__plan_rank_key *b);

/* The longest remaining path of each action that computes: its own time and the longest of its computing
 * children's, and of those of the equal actions that join it; 0 for others.  expected_ms[i] < 0: unknown. */
void pingo__plan_rank_paths(const struct pingo_workflow *workflow,
                            const struct pingo_plan_entry *entries, const int64_t *expected_ms,
                            int64_t *rank_ms);

#endif
