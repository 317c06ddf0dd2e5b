/* plan.c - what must be computed: algorithm 2 of the thesis.
 *
 * Actions with equal hashes are one group; the action with the lowest id stands
 * for it, and all that is decided is decided once, for that action.  Four passes:
 * group, mark what is forced, go breadth-first from what is wanted, copy the
 * decisions to the other members.  Every pass is linear in actions and parents.
 *
 * What always holds:
 * - the parents of a group are those of any of its members, for a hash covers the
 *   hashes of the parents;
 * - what descends from a forced action is known before anything is looked up,
 *   so a look-up never says "it is there" for what must be made anew;
 * - besides the caller's entries there is one index of four bytes for each action,
 *   and, while groups are formed, one map.
 *
 * It does not know states of datasets or rows, and changes nothing. */
#include <pingo/plan.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/map.h"
#include "digest/digests.h"

/* In pingo_plan_entry.flags while planning: the group is in the queue or was. */
#define SEEN 128u

struct planner {
    const struct pingo_workflow *workflow;
    struct pingo_plan_options options;
    struct pingo_plan_entry *entries;
    size_t count;
    uint32_t *queue; /* groups, by the index of the action that stands for each */
    size_t head, tail;
    struct pingo__digest_describer first, other; /* of two with one hash */
};

static struct pingo_plan_entry *group_of(const struct planner *p, size_t action)
{
    return &p->entries[p->entries[action].computes];
}

static bool stands_for_group(const struct planner *p, size_t action)
{
    return p->entries[action].computes == action;
}

static int64_t id_of(const struct planner *p, size_t action)
{
    return pingo_workflow_action(p->workflow, action)->id;
}

/* Are the hash and what it stands for the same?  Unequal descriptions under one
 * hash must never share a dataset, however unlikely they are. */
static int check_equal(struct planner *p, const struct pingo_digests *digests, size_t first,
                       size_t other, struct pingo_error *err)
{
    const struct pingo__digest_describer *a = &p->first, *b = &p->other;
    int rc = pingo__digest_describe(&p->first, digests, first, err);
    if (rc == 0)
        rc = pingo__digest_describe(&p->other, digests, other, err);
    if (rc == 0 &&
        (a->length != b->length || (a->length > 0 && memcmp(a->bytes, b->bytes, a->length) != 0)))
        rc = pingo__fail(err, PINGO_ECOLLISION,
                         "actions %lld and %lld have equal hashes and unequal descriptions",
                         (long long)id_of(p, first), (long long)id_of(p, other));
    return rc;
}

/* Sets `computes` of each later action to the first one with its hash, by index;
 * that first one points to the group's lowest id, which is itself or a later one. */
static int find_groups(struct planner *p, const struct pingo_digests *digests,
                       struct pingo__map *firsts, struct pingo_error *err)
{
    if (!pingo__map_reserve(firsts, p->count))
        return pingo__fail_memory(err);
    for (size_t i = 0; i < p->count; i++) {
        const struct pingo_hash *hash = pingo_digests_hash(digests, i);
        uint32_t first = PINGO__MAP_NONE;
        if (!pingo__map_insert(firsts, hash->bytes, sizeof hash->bytes, (uint32_t)i, &first))
            return pingo__fail_memory(err);
        if (first == PINGO__MAP_NONE)
            continue;
        int rc = check_equal(p, digests, first, i, err);
        if (rc != 0)
            return rc;
        p->entries[i].computes = first;
        if (id_of(p, i) < id_of(p, p->entries[first].computes))
            p->entries[first].computes = (uint32_t)i;
    }
    return 0;
}

static int group_by_hash(struct planner *p, const struct pingo_digests *digests,
                         struct pingo_error *err)
{
    if (!pingo_digests_hash(digests, p->count - 1))
        return pingo__fail(err, PINGO_EINVAL, "the hashes are those of another workflow");
    for (size_t i = 0; i < p->count; i++)
        p->entries[i].computes = (uint32_t)i;
    if (pingo__digest_digests_are_distinct(digests))
        return 0;
    struct pingo__map firsts = {0};
    int rc = find_groups(p, digests, &firsts, err);
    pingo__map_clear(&firsts);
    pingo__digest_describer_clear(&p->first);
    pingo__digest_describer_clear(&p->other);
    if (rc != 0)
        return rc;
    /* A later member points back, to the group's first; the first never does. */
    for (size_t i = 0; i < p->count; i++)
        if (p->entries[i].computes < i)
            p->entries[i].computes = p->entries[p->entries[i].computes].computes;
    return 0;
}

static int check_options(const struct planner *p, struct pingo_error *err)
{
    const struct pingo_plan_options *o = &p->options;
    for (size_t i = 0; i < o->ntargets; i++)
        if (o->targets[i] >= p->count)
            return pingo__fail(err, PINGO_EINVAL, "target %zu is not among the %zu actions",
                               o->targets[i], p->count);
    for (size_t i = 0; i < o->nforced; i++)
        if (o->forced[i] >= p->count)
            return pingo__fail(err, PINGO_EINVAL, "forced %zu is not among the %zu actions",
                               o->forced[i], p->count);
    return 0;
}

static void force(struct planner *p, size_t action, enum pingo_plan_reason reason)
{
    struct pingo_plan_entry *group = group_of(p, action);
    group->flags |= PINGO_PLAN_FORCED;
    group->reason = (uint8_t)reason;
}

/* In topological order every group has its final mark once its first member has passed. */
static void mark_descendants(struct planner *p)
{
    const uint32_t *order = pingo_workflow_order(p->workflow);
    for (size_t i = 0; i < p->count; i++) {
        if (group_of(p, order[i])->flags & PINGO_PLAN_FORCED)
            continue;
        const struct pingo_action *action = pingo_workflow_action(p->workflow, order[i]);
        for (size_t j = 0; j < action->nparents; j++) {
            if (!(group_of(p, action->parents[j].index)->flags & PINGO_PLAN_FORCED))
                continue;
            force(p, order[i], PINGO_REASON_DESCENDS_FORCED);
            break;
        }
    }
}

static void mark_forced(struct planner *p)
{
    bool any = false;
    if (p->options.again)
        return;
    for (size_t i = 0; i < p->count; i++) {
        if (!pingo_workflow_action(p->workflow, i)->force_computation)
            continue;
        force(p, i, PINGO_REASON_FORCED);
        any = true;
    }
    for (size_t i = 0; i < p->options.nforced; i++) {
        force(p, p->options.forced[i], PINGO_REASON_FORCED);
        any = true;
    }
    if (any)
        mark_descendants(p);
}

static void visit(struct planner *p, size_t action)
{
    struct pingo_plan_entry *group = group_of(p, action);
    if (group->flags & SEEN)
        return;
    group->flags |= SEEN;
    p->queue[p->tail++] = p->entries[action].computes;
}

static void want(struct planner *p, size_t action)
{
    p->entries[action].flags |= PINGO_PLAN_WANTED;
    group_of(p, action)->flags |= PINGO_PLAN_WANTED;
    visit(p, action);
}

/* The search starts from what the user asked for, and from what is computed whoever asks. */
static void visit_starts(struct planner *p)
{
    const struct pingo_plan_options *o = &p->options;
    bool has_targets = o->ntargets > 0;
    for (size_t i = 0; has_targets && i < o->ntargets; i++)
        want(p, o->targets[i]);
    for (size_t i = 0; i < p->count && !p->options.again; i++) {
        const struct pingo_action *action = pingo_workflow_action(p->workflow, i);
        if (!has_targets && action->is_leaf)
            want(p, i);
        if (!action->is_managed)
            visit(p, i);
        /* Its descendants are not starts: with targets, only those that lead to one are wanted. */
        if (stands_for_group(p, i) && p->entries[i].reason == PINGO_REASON_FORCED)
            visit(p, i);
    }
}

/* What follows from what is known. */
static const struct {
    uint8_t decision, reason;
} of_known[] = {[PINGO_KNOWN_NOTHING] = {PINGO_PLAN_COMPUTE, PINGO_REASON_NEVER_COMPUTED},
                [PINGO_KNOWN_DELETED] = {PINGO_PLAN_COMPUTE, PINGO_REASON_DELETED},
                [PINGO_KNOWN_STORED] = {PINGO_PLAN_REUSE, PINGO_REASON_STORED},
                [PINGO_KNOWN_LEAF] = {PINGO_PLAN_REUSE, PINGO_REASON_STORED},
                [PINGO_KNOWN_RESCUABLE] = {PINGO_PLAN_REUSE, PINGO_REASON_RESCUED},
                [PINGO_KNOWN_COMPUTING] = {PINGO_PLAN_JOIN, PINGO_REASON_COMPUTING}};

static int decide_known(struct pingo_plan_entry *entry, enum pingo_known known,
                        struct pingo_error *err)
{
    if ((size_t)known >= sizeof of_known / sizeof *of_known)
        return pingo__fail(err, PINGO_EINVAL, "the look-up gave %d, which is no enum pingo_known",
                           (int)known);
    entry->known = (uint8_t)known;
    entry->decision = of_known[known].decision;
    entry->reason = of_known[known].reason;
    return 0;
}

/* Goes breadth-first to the parents of what computes. */
static int search(struct planner *p, const struct pingo_digests *digests, struct pingo_error *err)
{
    const struct pingo_plan_options *o = &p->options;
    while (p->head < p->tail) {
        size_t i = p->queue[p->head++];
        const struct pingo_action *action = pingo_workflow_action(p->workflow, i);
        struct pingo_plan_entry *entry = &p->entries[i];
        if (entry->flags & PINGO_PLAN_FORCED) {
            entry->decision = PINGO_PLAN_COMPUTE; /* the reason is there already */
        } else if (!action->is_managed && !p->options.again) {
            entry->decision = PINGO_PLAN_COMPUTE;
            entry->reason = PINGO_REASON_UNMANAGED;
        } else {
            enum pingo_known known = PINGO_KNOWN_NOTHING;
            int rc = o->lookup
                         ? o->lookup(o->context, pingo_digests_hash(digests, i), i, &known, err)
                         : 0;
            if (rc != 0)
                return rc;
            if ((rc = decide_known(entry, known, err)) != 0)
                return rc;
        }
        if (entry->decision != PINGO_PLAN_COMPUTE)
            continue;
        for (size_t j = 0; j < action->nparents; j++)
            visit(p, action->parents[j].index);
    }
    return 0;
}

/* What one action gets from the decision on its group. */
static void settle(struct planner *p, size_t i)
{
    struct pingo_plan_entry *entry = &p->entries[i];
    const struct pingo_plan_entry *group = group_of(p, i);
    entry->decision = group->decision;
    entry->reason = group->reason;
    entry->known = group->known;
    entry->flags &= (uint8_t)~SEEN;
    if (group->decision == PINGO_PLAN_COMPUTE && !stands_for_group(p, i)) {
        entry->decision = PINGO_PLAN_JOIN;
        entry->reason = PINGO_REASON_SAME_HASH;
    }
    if (group->decision == PINGO_PLAN_SKIP) { /* may have been marked as a descendant */
        entry->reason = PINGO_REASON_NOT_NEEDED;
        entry->flags &= (uint8_t)~PINGO_PLAN_FORCED;
    }
}

struct pingo_plan_summary pingo_plan_sum(const struct pingo_plan_entry *entries, size_t n)
{
    size_t counts[4] = {0};
    for (size_t i = 0; i < n; i++)
        counts[entries[i].decision & 3]++;
    return (struct pingo_plan_summary){.compute = counts[PINGO_PLAN_COMPUTE],
                                       .reuse = counts[PINGO_PLAN_REUSE],
                                       .join = counts[PINGO_PLAN_JOIN],
                                       .skip = counts[PINGO_PLAN_SKIP]};
}

int pingo_plan(const struct pingo_workflow *workflow, const struct pingo_digests *digests,
               const struct pingo_plan_options *options, struct pingo_plan_entry *entries,
               struct pingo_error *err)
{
    struct planner p = {
        .workflow = workflow, .entries = entries, .count = pingo_workflow_count(workflow)};
    int rc = digests ? PINGO__OPTIONS_TAKE(pingo_plan_options, options, &p.options, err)
                     : pingo__fail(err, PINGO_EINVAL, "no digests are given");
    if (rc != 0 || (rc = check_options(&p, err)) != 0)
        goto out;
    memset(entries, 0, p.count * sizeof *entries);
    if ((rc = group_by_hash(&p, digests, err)) != 0)
        goto out;
    mark_forced(&p);
    assert(p.count > 0); /* no workflow is empty */
    p.queue = malloc(p.count * sizeof *p.queue);
    if (!p.queue) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    visit_starts(&p);
    if ((rc = search(&p, digests, err)) != 0)
        goto out;
    for (size_t i = 0; i < p.count; i++)
        settle(&p, i);
out:
    free(p.queue);
    return rc;
}
