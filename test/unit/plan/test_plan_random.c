/* Some thousand random graphs, planned by the planner and by a slow reference that
 * says what SPEC 4 says, as conditions repeated until nothing changes. */
#include "graph.h"

enum { GRAPHS = 4000, MOST = 14 };

struct random {
    uint64_t state;
};

static uint32_t pick(struct random *r, uint32_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)((r->state >> 32) % below);
}

static bool chance(struct random *r, uint32_t percent)
{
    return pick(r, 100) < percent;
}

static void shuffle(struct random *r, size_t *values, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = pick(r, (uint32_t)i), kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}

/* Ranks go from parents to children; ids and the order of definition are independent of them.
 * Few descriptions, and parents in rank order, so that many hashes are equal. */
static void make_graph(struct graph *g, struct random *r)
{
    size_t n = 1 + pick(r, MOST), ids[MOST], order[MOST];
    uint32_t density = 5 + pick(r, 60), unmanaged = chance(r, 50) ? 15 : 0;
    for (size_t i = 0; i < n; i++)
        ids[i] = order[i] = i;
    shuffle(r, ids, n);
    shuffle(r, order, n);
    graph_init(g);
    for (size_t i = 0; i < n; i++) {
        int64_t parents[MOST];
        struct graph_node node = {.id = (int64_t)ids[order[i]],
                                  .same = (int64_t)pick(r, 3),
                                  .parents = parents,
                                  .forced = chance(r, 6),
                                  .unmanaged = chance(r, unmanaged)};
        for (size_t rank = 0; rank < order[i]; rank++)
            if (chance(r, density))
                parents[node.nparents++] = (int64_t)ids[rank];
        graph_add(g, &node);
    }
    graph_finish(g);
    for (size_t i = 0; i < n; i++) {
        g->known[i] = chance(r, 40) ? PINGO_KNOWN_NOTHING : (enum pingo_known)pick(r, 6);
        for (size_t j = 0; j < i; j++)
            if (graph_same(g, i, j))
                g->known[i] = g->known[j];
    }
}

struct reference {
    const struct graph *g;
    const struct pingo_plan_options *options;
    /* Of the group, set for all of its members. */
    size_t stands[MOST];
    bool wanted[MOST], forced[MOST], descends[MOST], needed[MOST];
    /* Of the action itself. */
    bool asked[MOST];
};

/* Copies what one member has to all.  Returns whether anything changed. */
static bool set_for_group(const struct graph *g, bool *values, size_t action)
{
    bool changed = false;
    for (size_t i = 0; i < g->count; i++)
        if (graph_same(g, i, action) && !values[i])
            values[i] = changed = true;
    return changed;
}

static bool among(size_t value, const size_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] == value)
            return true;
    return false;
}

/* Unmanaged, unless a part is planned again: then it was made before. */
static bool is_always_made(const struct reference *f, size_t i)
{
    return !f->options->again && !pingo_workflow_action(f->g->workflow, i)->is_managed;
}

static bool is_computed(const struct reference *f, size_t i)
{
    return f->forced[i] || f->descends[i] || is_always_made(f, i) ||
           f->g->known[i] == PINGO_KNOWN_NOTHING || f->g->known[i] == PINGO_KNOWN_DELETED;
}

static void start_reference(struct reference *f)
{
    const struct graph *g = f->g;
    for (size_t i = 0; i < g->count; i++) {
        const struct pingo_action *action = pingo_workflow_action(g->workflow, i);
        f->asked[i] = f->options->ntargets > 0 ? among(i, f->options->targets, f->options->ntargets)
                                               : action->is_leaf && !f->options->again;
        if (f->asked[i])
            set_for_group(g, f->wanted, i);
        if (!f->options->again &&
            (action->force_computation || among(i, f->options->forced, f->options->nforced)))
            set_for_group(g, f->forced, i);
        f->stands[i] = i;
        for (size_t j = 0; j < g->count; j++)
            if (graph_same(g, i, j) && pingo_workflow_action(g->workflow, j)->id <
                                           pingo_workflow_action(g->workflow, f->stands[i])->id)
                f->stands[i] = j;
    }
    for (size_t i = 0; i < g->count; i++)
        if (f->wanted[i] || f->forced[i] || is_always_made(f, i))
            set_for_group(g, f->needed, i);
}

/* One step along every edge.  What descends must be settled before what is needed. */
static bool step(struct reference *f, bool down)
{
    bool changed = false;
    for (size_t i = 0; i < f->g->count; i++) {
        const struct pingo_action *action = pingo_workflow_action(f->g->workflow, i);
        for (size_t j = 0; j < action->nparents; j++) {
            size_t parent = action->parents[j].index;
            if (down && (f->forced[parent] || f->descends[parent]))
                changed |= set_for_group(f->g, f->descends, i);
            if (!down && f->needed[i] && is_computed(f, i))
                changed |= set_for_group(f->g, f->needed, parent);
        }
    }
    return changed;
}

static void expect_computed(const struct reference *f, size_t i, struct pingo_plan_entry *e)
{
    bool anew = f->forced[i] || f->descends[i];
    e->decision = f->stands[i] == i ? PINGO_PLAN_COMPUTE : PINGO_PLAN_JOIN;
    if (anew)
        e->flags |= f->stands[i] == i ? PINGO_PLAN_FORCED : 0;
    if (f->stands[i] != i)
        e->reason = PINGO_REASON_SAME_HASH;
    else if (f->forced[i])
        e->reason = PINGO_REASON_FORCED;
    else if (f->descends[i])
        e->reason = PINGO_REASON_DESCENDS_FORCED;
    else if (is_always_made(f, i))
        e->reason = PINGO_REASON_UNMANAGED;
    else if (f->g->known[i] == PINGO_KNOWN_DELETED)
        e->reason = PINGO_REASON_DELETED;
    else
        e->reason = PINGO_REASON_NEVER_COMPUTED;
}

static struct pingo_plan_entry expect(const struct reference *f, size_t i)
{
    enum pingo_known known = f->g->known[i];
    struct pingo_plan_entry e = {.computes = (uint32_t)f->stands[i]};
    if (f->asked[i] || (f->wanted[i] && f->stands[i] == i))
        e.flags = PINGO_PLAN_WANTED;
    if (!f->needed[i])
        return e;
    if (!f->forced[i] && !f->descends[i] && !is_always_made(f, i))
        e.known = (uint8_t)known;
    if (is_computed(f, i)) {
        expect_computed(f, i, &e);
    } else if (known == PINGO_KNOWN_COMPUTING) {
        e.decision = PINGO_PLAN_JOIN;
        e.reason = PINGO_REASON_COMPUTING;
    } else {
        e.decision = PINGO_PLAN_REUSE;
        e.reason = known == PINGO_KNOWN_RESCUABLE ? PINGO_REASON_RESCUED : PINGO_REASON_STORED;
    }
    return e;
}

static void compare(const struct reference *f, unsigned seed)
{
    const struct graph *g = f->g;
    for (size_t i = 0; i < g->count; i++) {
        struct pingo_plan_entry want = expect(f, i), got = g->entries[i];
        if (memcmp(&want, &got, sizeof want) != 0)
            fail_msg("seed %u, action %zu of %zu: expected computes %u decision %u reason %u "
                     "known %u flags %u, planned %u %u %u %u %u",
                     seed, i, g->count, want.computes, want.decision, want.reason, want.known,
                     want.flags, got.computes, got.decision, got.reason, got.known, got.flags);
        bool looked = f->needed[i] && f->stands[i] == i && !f->forced[i] && !f->descends[i] &&
                      !is_always_made(f, i);
        if (g->lookups[i] != (looked ? 1 : 0))
            fail_msg("seed %u, action %zu: looked up %u times", seed, i, g->lookups[i]);
    }
}

static void try_one(unsigned seed)
{
    struct random r = {.state = 0x9e3779b97f4a7c15u * (seed + 1)};
    struct graph g;
    size_t targets[3], forced[3];
    make_graph(&g, &r);
    struct pingo_plan_options options = {.version = 1, .targets = targets, .forced = forced};
    options.ntargets = chance(&r, 40) ? pick(&r, 3) : 0;
    options.nforced = chance(&r, 20) ? pick(&r, 3) : 0;
    options.again = chance(&r, 20);
    for (size_t i = 0; i < options.ntargets; i++)
        targets[i] = pick(&r, (uint32_t)g.count);
    for (size_t i = 0; i < options.nforced; i++)
        forced[i] = pick(&r, (uint32_t)g.count);

    struct reference f = {.g = &g, .options = &options};
    start_reference(&f);
    while (step(&f, true))
        continue;
    while (step(&f, false))
        continue;
    assert_int_equal(graph_plan(&g, &options), 0);
    compare(&f, seed);
    graph_clear(&g);
}

static void test_plan__agrees_with_the_reference_on_random_graphs(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < GRAPHS; seed++)
        try_one(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__agrees_with_the_reference_on_random_graphs),
    };
    return cmocka_run_group_tests_name("plan_random", tests, NULL, NULL);
}
