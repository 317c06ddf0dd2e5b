/* garble.h - generated histories made more like what people do, and worse: forced actions, other targets
 * than the leaves, equal actions, the same submission again, sizes of nothing, unknown or beyond any
 * budget. */
#ifndef TEST_ENGINE_GARBLE_H
#define TEST_ENGINE_GARBLE_H

#include "unit/engine/agree.h"

/* One in so many; 0: none. */
struct garble {
    unsigned leaves_smaller; /* by this factor; 0: as they are */
    unsigned forced, target, twice, again, unknown, empty, large;
};

/* SplitMix64 (Steele, Lea, Flood 2014). */
static inline uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % below;
}

static inline bool one_in(uint64_t *rng, unsigned n)
{
    return n > 0 && draw(rng, n) == 0;
}

static inline struct garble garble_draw(uint64_t *rng)
{
    struct garble g = {.leaves_smaller = draw(rng, 2) ? 50 : 0};
    unsigned *shares[] = {&g.forced, &g.target, &g.twice, &g.again, &g.unknown, &g.empty, &g.large};
    static const unsigned values[] = {40, 30, 20, 4, 10, 10, 30};

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (draw(rng, 2))
            *shares[i] = values[i];
    return g;
}

/* An action's size and time, a function of the seed and the action alone. */
static inline void garble_action(const struct garble *g, const struct pingo_history *from,
                                 uint64_t seed, uint32_t action, struct pingo_history_mention *m)
{
    uint64_t rng = seed ^ (uint64_t)action << 32;

    m->size_bytes = pingo_history_size(from, action);
    m->compute_ms = pingo_history_compute(from, action);
    if ((m->flags & PINGO_HISTORY_LEAF) && g->leaves_smaller)
        m->size_bytes /= g->leaves_smaller;
    if (one_in(&rng, g->large))
        m->size_bytes *= 100;
    if (one_in(&rng, g->empty))
        m->size_bytes = m->compute_ms = 0;
    if (one_in(&rng, g->unknown))
        m->size_bytes = -1;
    if (one_in(&rng, g->unknown))
        m->compute_ms = -1;
}

struct garble_submission {
    struct pingo_history_mention *mentions;
    struct pingo_hash *parents;
    size_t n, nparents;
};

static inline void garble_mention(const struct garble *g, const struct pingo_history *from,
                                  uint64_t seed, uint32_t action, uint8_t flags,
                                  struct garble_submission *to)
{
    struct pingo_history_mention *m = &to->mentions[to->n++];
    const uint32_t *parents = pingo_history_parents(from, action, &m->nparents);

    m->hash = *pingo_history_hash(from, action);
    m->has_parents = true;
    m->parents = to->parents + to->nparents;
    m->flags = flags & PINGO_HISTORY_LEAF;
    for (size_t k = 0; k < m->nparents; k++)
        to->parents[to->nparents++] = *pingo_history_hash(from, parents[k]);
    garble_action(g, from, seed, action, m);
}

static inline void garble_append(const struct garble *g, const struct pingo_history *from,
                                 uint32_t submission, uint64_t seed, struct pingo_history *to)
{
    uint64_t rng = seed * 1000003 + submission;
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo_history_entry entry = {.user = "u", .workflow = "w"};
    struct garble_submission w = {.n = 0};
    struct pingo_error err;

    assert_int_equal(pingo_history_submission(from, submission, &s), 0);
    w.mentions = calloc(2 * s.nactions + 1, sizeof *w.mentions);
    w.parents = calloc(2 * (pingo_history_count_edges(from) + 1), sizeof *w.parents);
    assert_true(w.mentions && w.parents);
    for (size_t i = 0; i < s.nactions; i++) {
        garble_mention(g, from, seed, s.actions[i], s.flags[i], &w);
        w.mentions[w.n - 1].flags |= one_in(&rng, g->target) ? PINGO_HISTORY_LEAF : 0;
        w.mentions[w.n - 1].flags |= one_in(&rng, g->forced) ? PINGO_HISTORY_FORCED : 0;
        if (one_in(&rng, g->twice))
            garble_mention(g, from, seed, s.actions[i], s.flags[i], &w);
    }
    entry.mentions = w.mentions;
    entry.nmentions = w.n;
    well(pingo_history_append(to, &entry, NULL, &err), &err);
    free(w.parents);
    free(w.mentions);
}

/* *history: taken, and another one given back. */
static inline void garble_history(const struct garble *g, uint64_t seed,
                                  struct pingo_history **history)
{
    uint32_t n = pingo_history_count_submissions(*history);
    struct pingo_history *to = NULL;
    struct pingo_error err;
    uint64_t rng = seed;

    well(pingo_history_new(&to, &err), &err);
    for (uint32_t i = 0; i < n; i++) {
        garble_append(g, *history, i, seed, to);
        while (one_in(&rng, g->again)) { /* just as it was: the engine knows its graph */
            uint32_t all = pingo_history_count_submissions(to);

            well(pingo_history_append_again(
                     to, &(struct pingo_history_again){(uint32_t)draw(&rng, all), 0, "u", NULL},
                     &err),
                 &err);
        }
    }
    pingo_history_free(*history);
    *history = to;
}

static inline void garble_describe(const struct garble *g, char text[160])
{
    snprintf(text, 160,
             "leaves_smaller %u forced %u target %u twice %u again %u unknown %u empty %u large %u",
             g->leaves_smaller, g->forced, g->target, g->twice, g->again, g->unknown, g->empty,
             g->large);
}

#endif
