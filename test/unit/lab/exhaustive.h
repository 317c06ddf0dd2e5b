/* exhaustive.h - tiny histories made by chance, and the least time that any choice of evictions can
 * reach on one, found by trying all of them.
 *
 * Written from the rules alone, not from the code that it tests: a set of datasets is a
 * bit mask, and after each submission every set that can be stored is carried on. */
#ifndef TEST_SIMULATE_EXHAUSTIVE_H
#define TEST_SIMULATE_EXHAUSTIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo-lab/simulate.h>

enum { TINY_ACTIONS = 12, TINY_SUBMISSIONS = 8, TINY_CORE = 6, TINY_SETS = 1 << TINY_ACTIONS };

struct tiny {
    uint64_t random; /* state */
    uint32_t nactions, nsubmissions;
    uint32_t parents[TINY_ACTIONS]; /* masks; a parent has the smaller number */
    int64_t sizes[TINY_ACTIONS], times[TINY_ACTIONS];
    uint32_t mentioned[TINY_SUBMISSIONS], leaves[TINY_SUBMISSIONS], forced[TINY_SUBMISSIONS];
    struct pingo_history *history;
};

/* splitmix64: a number below n. */
static inline uint32_t tiny_below(struct tiny *t, uint32_t n)
{
    uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) % n);
}

static inline bool tiny_has(uint32_t set, uint32_t action)
{
    return (set >> action & 1u) != 0;
}

static inline struct pingo_hash tiny_hash(uint32_t action)
{
    struct pingo_hash hash = {{'t', (unsigned char)('a' + action)}};
    return hash;
}

/* With all ancestors. */
static inline uint32_t tiny_close(const struct tiny *t, uint32_t set)
{
    for (uint32_t a = t->nactions; a-- > 0;)
        if (tiny_has(set, a))
            set |= t->parents[a];
    return set;
}

/* A submission of some known actions and some new ones.  The parents of what is known may be left unsaid. */
static inline void tiny_submit(struct tiny *t, uint32_t known, uint32_t set)
{
    struct pingo_history_mention mentions[TINY_ACTIONS] = {{.nparents = 0}};
    struct pingo_hash parents[TINY_ACTIONS][TINY_ACTIONS];
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = mentions};
    struct pingo_error err = {0};
    uint32_t i = t->nsubmissions++, has_child = 0;
    uint32_t way = tiny_below(t, 8); /* 0: nothing is a leaf, 1: what has no child */
    bool is_silent = tiny_below(t, 5) == 0;
    for (uint32_t a = 0; a < t->nactions; a++)
        if (tiny_has(set, a))
            has_child |= t->parents[a];
    t->mentioned[i] = set;
    for (uint32_t a = 0; a < t->nactions; a++) {
        struct pingo_history_mention *m = &mentions[entry.nmentions];
        bool silent = a < known && is_silent;
        if (!tiny_has(set, a))
            continue;
        *m = (struct pingo_history_mention){.hash = tiny_hash(a),
                                            .size_bytes = t->sizes[a],
                                            .compute_ms = t->times[a],
                                            .parents = parents[a],
                                            .has_parents = !silent};
        for (uint32_t p = 0; p < a && !silent; p++)
            if (tiny_has(t->parents[a], p))
                parents[a][m->nparents++] = tiny_hash(p);
        if (way == 1 ? !tiny_has(has_child, a)
                     : way > 1 && (set >> a == 1 || tiny_below(t, 24) == 0))
            m->flags |= PINGO_HISTORY_LEAF, t->leaves[i] |= 1u << a;
        if (tiny_below(t, 12) == 0)
            m->flags |= PINGO_HISTORY_FORCED, t->forced[i] |= 1u << a;
        entry.nmentions++;
    }
    if (t->leaves[i] == 0) /* then the actions without a child are asked for */
        t->leaves[i] = set & ~has_child;
    if (pingo_history_append(t->history, &entry, NULL, &err) != 0)
        fail_msg("%s", err.message);
}

/* A core of datasets that lead to each other, and in each submission a new one that needs some of what is
 * known, and mostly is what is asked for. */
static inline void tiny_make(struct tiny *t, uint64_t seed)
{
    *t = (struct tiny){.random = seed};
    uint32_t core = 2 + tiny_below(t, TINY_CORE - 1), known = 0;
    uint32_t nsubmissions = 4 + tiny_below(t, TINY_SUBMISSIONS - 3);
    assert_int_equal(pingo_history_new(&t->history, NULL), 0);
    t->nactions = core + nsubmissions < TINY_ACTIONS ? core + nsubmissions : TINY_ACTIONS;
    for (uint32_t a = 0; a < t->nactions; a++) {
        bool is_core = a < core;
        t->sizes[a] = tiny_below(t, 10) == 0 ? 0 : 1 + tiny_below(t, is_core ? 6 : 2);
        t->times[a] = tiny_below(t, 10) == 0 ? 0 : 1 + tiny_below(t, is_core ? 20 : 3);
        for (uint32_t p = 0; p < a; p++)
            if (p < core ? tiny_below(t, is_core ? 2 : 3) == 0 : tiny_below(t, 8) == 0)
                t->parents[a] |= 1u << p;
    }
    for (uint32_t i = 0; i < nsubmissions; i++) {
        uint32_t set = tiny_below(t, 3) == 0 && known > 0 ? 1u << tiny_below(t, known) : 0;
        uint32_t end = known + (i == 0 ? core + 1 : tiny_below(t, 6) != 0);
        if (end > t->nactions)
            end = t->nactions;
        for (uint32_t a = known; a < end; a++)
            set |= 1u << a;
        if (set == 0)
            set = 1u << tiny_below(t, known);
        tiny_submit(t, known, tiny_close(t, set));
        known = end;
    }
    t->nactions = known;
}

static inline void tiny_free(struct tiny *t)
{
    pingo_history_free(t->history);
}

static inline int64_t tiny_sum(const struct tiny *t, const int64_t *values, uint32_t set)
{
    int64_t sum = 0;
    for (uint32_t a = 0; a < t->nactions; a++)
        sum += tiny_has(set, a) ? values[a] : 0;
    return sum;
}

/* What a submission computes when a set is stored: algorithm 2. */
static inline uint32_t tiny_plan(const struct tiny *t, uint32_t i, uint32_t stored)
{
    uint32_t forced = t->forced[i], wanted = t->leaves[i] | t->forced[i], computed = 0;
    for (uint32_t a = 0; a < t->nactions; a++)
        if (tiny_has(t->mentioned[i], a) && (t->parents[a] & forced) != 0)
            forced |= 1u << a;
    for (uint32_t a = t->nactions; a-- > 0;) {
        if (!tiny_has(wanted, a) || (tiny_has(stored, a) && !tiny_has(forced, a)))
            continue;
        computed |= 1u << a;
        wanted |= t->parents[a];
    }
    return computed;
}

/* Where a set, with so much time spent, can lead to at the end of a submission. */
static inline void tiny_carry(const struct tiny *t, uint32_t set, int64_t ms, uint32_t leaves,
                              int64_t room, int64_t *next)
{
    uint32_t others = set & ~leaves, some = others;
    for (;; some = (some - 1) & others) { /* each subset */
        if (tiny_sum(t, t->sizes, some) <= room &&
            (next[some | leaves] < 0 || ms < next[some | leaves]))
            next[some | leaves] = ms;
        if (some == 0)
            break;
    }
}

/* The least time over all choices of what to keep at the end of each submission. */
static inline int64_t tiny_least(const struct tiny *t, int64_t budget, bool leaves_inside)
{
    static int64_t now[TINY_SETS], next[TINY_SETS];
    uint32_t leaves = 0;
    int64_t least = -1;
    memset(now, -1, sizeof now);
    now[0] = 0;
    for (uint32_t i = 0; i < t->nsubmissions; i++) {
        leaves |= t->leaves[i];
        int64_t room = budget - (leaves_inside ? tiny_sum(t, t->sizes, leaves) : 0);
        memset(next, -1, sizeof next);
        for (uint32_t set = 0; set < 1u << t->nactions; set++) {
            if (now[set] < 0)
                continue;
            uint32_t computed = tiny_plan(t, i, set);
            tiny_carry(t, set | computed, now[set] + tiny_sum(t, t->times, computed), leaves,
                       room > 0 ? room : 0, next);
        }
        memcpy(now, next, sizeof now);
    }
    for (uint32_t set = 0; set < 1u << t->nactions; set++)
        if (now[set] >= 0 && (least < 0 || now[set] < least))
            least = now[set];
    return least;
}

#endif
