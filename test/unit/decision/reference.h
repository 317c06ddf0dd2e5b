/* What the decision tests share: random histories, and a slow, plain reading of each formula of
 * pingo-decision(7) that uses nothing of the algorithms but their names.
 *
 * The reference asks the history alone for actions, parents and submissions, and keeps its own idea of
 * what is present; children are found by looking at every action. */
#ifndef TEST_UNIT_DECISION_REFERENCE_H
#define TEST_UNIT_DECISION_REFERENCE_H

#include <endian.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo/decision.h>

#include "decision/algorithms/hazard.h"

#define MAX_ACTIONS 400
#define MAX_PARENTS 4

/* ---- a random world ----------------------------------------------------------------- */

struct world {
    uint64_t random;
    struct pingo_history *history;
    bool present[MAX_ACTIONS];
    bool blocked[MAX_ACTIONS]; /* claimed, a leaf or kept */
    uint32_t n;                /* actions */
};

static inline uint64_t draw(struct world *w, uint64_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (w->random >> 33) % below;
}

static inline struct pingo_hash hash_of(uint32_t action)
{
    /* Mixed, so that hashes are not in the order of the indexes. */
    struct pingo_hash hash = {{0}};
    uint64_t x = htole64((action + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15)), y = htole64(action);
    memcpy(hash.bytes, &x, sizeof x);
    memcpy(hash.bytes + 8, &y, sizeof y);
    return hash;
}

static inline int64_t some_size(struct world *w)
{
    int64_t round = (int64_t)(1 + draw(w, 4)) * 1000;
    return draw(w, 20) == 0 ? 0 : draw(w, 3) == 0 ? round : 1 + (int64_t)draw(w, 100000);
}

static inline int64_t some_time(struct world *w)
{
    return draw(w, 20) == 0 ? -1 : draw(w, 4) == 0 ? 500 : (int64_t)draw(w, 60000);
}

/* Adds an action with its ancestors to the set. */
static inline void close_over(const struct world *w, bool *in, uint32_t action)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(w->history, action, &n);
    if (in[action])
        return;
    in[action] = true;
    for (size_t i = 0; i < n; i++)
        close_over(w, in, parents[i]);
}

/* Appends a submission: some old actions with their ancestors, and up to max_new new ones below them. */
static inline void submit(struct world *w, uint32_t max_new)
{
    struct pingo_history_mention mentions[MAX_ACTIONS];
    struct pingo_hash parents[MAX_ACTIONS][MAX_PARENTS];
    bool in[MAX_ACTIONS] = {false};
    uint32_t chosen[MAX_ACTIONS], n = 0, nnew = (uint32_t)draw(w, max_new + 1);
    memset(mentions, 0, sizeof mentions);
    for (uint64_t i = draw(w, 5); w->n > 0 && i > 0; i--)
        close_over(w, in, (uint32_t)draw(w, w->n));
    for (uint32_t i = 0; i < w->n; i++)
        if (in[i]) {
            mentions[n].hash = hash_of(i);
            mentions[n].size_bytes = mentions[n].compute_ms = -1;
            mentions[n].flags = (unsigned)draw(w, PINGO_HISTORY_COMPUTED + 1) |
                                (draw(w, 12) == 0 ? PINGO_HISTORY_FORCED : 0);
            chosen[n++] = i;
        }
    if (n == 0 && nnew == 0)
        nnew = 1;
    for (; nnew > 0 && w->n < MAX_ACTIONS; nnew--) {
        struct pingo_history_mention *m = &mentions[n];
        m->hash = hash_of(w->n);
        m->size_bytes = some_size(w);
        m->compute_ms = some_time(w);
        m->flags = draw(w, 8) == 0 ? PINGO_HISTORY_SKIPPED : PINGO_HISTORY_COMPUTED;
        m->has_parents = true;
        m->parents = parents[n];
        for (uint64_t i = n > 0 ? draw(w, MAX_PARENTS + 1) : 0; i > 0; i--)
            parents[n][m->nparents++] = hash_of(chosen[n - 1 - draw(w, n < 8 ? n : 8)]);
        chosen[n++] = w->n++;
    }
    struct pingo_history_entry entry = {(int64_t)draw(w, 1000), "u", "w", mentions, n};
    struct pingo_error err = {0};
    if (n > 0 && pingo_history_append(w->history, &entry, NULL, &err) != 0)
        fail_msg("append: %s", err.message);
    w->n = pingo_history_count_actions(w->history);
}

static inline void world_open(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->random = seed * 977 + 12345;
    assert_int_equal(pingo_history_new(&w->history, NULL), 0);
}

/* ---- the reference ------------------------------------------------------------------- */

/* The memory of gdsf, which the test keeps beside the calls it makes. */
struct gdsf {
    double inflation, bases[MAX_ACTIONS];
};

struct reference {
    const struct world *world;
    const char *name;
    const double *values; /* as the table lists the parameters */
    uint32_t reach;
    const struct gdsf *gdsf;
    uint64_t gain[MAX_ACTIONS]; /* chain */
};

static inline int64_t positive(int64_t value)
{
    return value > 0 ? value : 0;
}

static inline struct pingo_history_submission submission_at(const struct world *w, uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};
    assert_int_equal(pingo_history_submission(w->history, i, &s), 0);
    return s;
}

static inline bool mentions(const struct pingo_history_submission *s, uint32_t action)
{
    for (size_t i = 0; i < s->nactions; i++)
        if (s->actions[i] == action)
            return true;
    return false;
}

static inline bool is_parent(const struct world *w, uint32_t parent, uint32_t child)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(w->history, child, &n);
    for (size_t i = 0; i < n; i++)
        if (parents[i] == parent)
            return true;
    return false;
}

static inline bool is_used(const struct pingo_history_submission *s, uint32_t action)
{
    for (size_t i = 0; i < s->nactions; i++)
        if (s->actions[i] == action && (s->flags[i] & PINGO_HISTORY_OUTCOME) != PINGO_HISTORY_SKIPPED)
            return true;
    return false;
}

/* When it was used last before submission `end`, from 1; 0: never. */
static inline uint32_t last_use(const struct world *w, uint32_t action, uint32_t end)
{
    for (uint32_t i = end; i > 0; i--) {
        struct pingo_history_submission s = submission_at(w, i - 1);
        if (is_used(&s, action))
            return i;
    }
    return 0;
}

/* The missing ancestors (or descendants) through missing ones, breadth first: parents as listed, children the
 * newest first. */
static inline uint32_t missing_around(const struct reference *r, const bool *present, uint32_t d,
                                      bool above, uint32_t *found)
{
    const struct world *w = r->world;
    bool met[MAX_ACTIONS] = {false};
    uint32_t n = 0;
    uint64_t edges = 0;
    met[d] = true;
    for (int64_t next = -1; next < (int64_t)n; next++) {
        uint32_t at = next < 0 ? d : found[next];
        uint32_t neighbours[MAX_ACTIONS], nneighbours = 0;
        for (uint32_t i = w->n; i-- > 0;)
            if (above ? is_parent(w, i, at) : is_parent(w, at, i))
                neighbours[nneighbours++] = i;
        for (uint32_t i = 0; i < nneighbours; i++) {
            /* Parents are listed in rising order. */
            uint32_t neighbour = neighbours[above ? nneighbours - 1 - i : i];
            if (n == r->reach || edges++ == (uint64_t)r->reach * 32)
                return n;
            if (!present[neighbour] && !met[neighbour]) {
                met[neighbour] = true;
                found[n++] = neighbour;
            }
        }
    }
    return n;
}

static inline double time_around(const struct reference *r, const bool *present, uint32_t d,
                                 bool above)
{
    uint32_t found[MAX_ACTIONS], n = missing_around(r, present, d, above, found);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (double)positive(pingo_history_compute(r->world->history, found[i]));
    return sum;
}

/* ---- the hazard of chain, told from the beginning --------------------------------------- */

struct past {
    uint32_t demands, last_demand, last_mention;
    bool was_result;
};

static inline bool is_result(const struct pingo_history_submission *s, uint32_t action)
{
    for (size_t i = 0; i < s->nactions; i++)
        if (s->actions[i] == action && (s->flags[i] & PINGO_HISTORY_LEAF))
            return true;
    return false;
}

/* It is forced in a submission, or is not skipped there and an ancestor is. */
static inline bool is_forced(const struct world *w, const struct pingo_history_submission *s,
                             uint32_t action)
{
    for (size_t i = 0; i < s->nactions; i++)
        if (s->actions[i] == action && (s->flags[i] & PINGO_HISTORY_FORCED))
            return true;
    if (!is_used(s, action))
        return false;
    for (uint32_t parent = 0; parent < action; parent++)
        if (is_parent(w, parent, action) && is_forced(w, s, parent))
            return true;
    return false;
}

/* A child that is new or forced, or a result that was none before; what is forced itself is made anyway. */
static inline bool is_demanded(const struct world *w, const struct pingo_history_submission *s,
                               const struct past *past, uint32_t v)
{
    if (is_forced(w, s, v))
        return false;
    for (uint32_t child = v + 1; child < s->nknown; child++)
        if (is_parent(w, v, child) && (child >= s->nknown_before || is_forced(w, s, child)))
            return true;
    return is_result(s, v) && !past->was_result;
}

static inline uint16_t cell_at(const struct past *past, uint32_t now)
{
    return pingo__decision_hazard_cell(past->demands, now - past->last_demand,
                                       now - past->last_mention);
}

/* refit: the parameter of chain. */
static inline void learn(struct reference *r, struct pingo__decision_hazard *h, uint32_t refit)
{
    const struct world *w = r->world;
    struct past past[MAX_ACTIONS];
    uint32_t nsubmissions = pingo_history_count_submissions(w->history), known = 0, next_fit = 1;
    memset(past, 0, sizeof past);
    for (uint32_t now = 1; now <= nsubmissions; now++) {
        struct pingo_history_submission s = submission_at(w, now - 1);
        memset(h->alive, 0, sizeof h->alive);
        for (uint32_t v = 0; v < known; v++) {
            uint16_t cell = cell_at(&past[v], now);
            h->alive[cell]++;
            if (is_demanded(w, &s, &past[v], v)) {
                pingo__decision_hazard_demand(h, cell);
                past[v].demands++;
                past[v].last_demand = now;
            }
            if (mentions(&s, v))
                past[v].last_mention = now;
        }
        for (; known < s.nknown; known++)
            past[known].last_demand = past[known].last_mention = now;
        for (uint32_t v = 0; v < known; v++)
            past[v].was_result = past[v].was_result || is_result(&s, v);
        pingo__decision_hazard_expose(h);
        if (now == next_fit) {
            pingo__decision_hazard_fit(h);
            next_fit += now < 16 ? 1 : now / 8 < refit ? now / 8 : refit;
        }
    }
    for (uint32_t v = 0; v < known; v++)
        r->gain[v] = h->gain[cell_at(&past[v], nsubmissions + 1)];
}

/* ---- scores -------------------------------------------------------------------------------- */

/* How often it was mentioned from a submission on; used_only: what was skipped does not count. */
static inline uint64_t count_of(const struct world *w, uint32_t d, uint32_t first, bool used_only)
{
    uint64_t count = 0;
    for (uint32_t i = first; i < pingo_history_count_submissions(w->history); i++) {
        struct pingo_history_submission s = submission_at(w, i);
        for (size_t k = 0; k < s.nactions; k++)
            count += s.actions[k] == d &&
                     (!used_only || (s.flags[k] & PINGO_HISTORY_OUTCOME) != PINGO_HISTORY_SKIPPED);
    }
    return count;
}

/* The first submission of the window: whole ones that mention at most so many, the newest at least. */
static inline uint32_t window_first(const struct world *w, double size)
{
    uint32_t first = pingo_history_count_submissions(w->history);
    double sum = 0;
    while (first > 0) {
        sum += (double)submission_at(w, first - 1).nactions;
        if (sum > size && first < pingo_history_count_submissions(w->history))
            break;
        first--;
    }
    return first;
}

static inline double chain_score(const struct reference *r, const bool *present, uint32_t d,
                                 double cost)
{
    uint32_t found[MAX_ACTIONS], n = missing_around(r, present, d, false, found);
    double gain = (double)r->gain[d];
    for (uint32_t i = 0; i < n; i++)
        gain += (double)r->gain[found[i]];
    return gain / PINGO__HAZARD_UNIT * cost;
}

static inline double reference_score(const struct reference *r, const bool *present, uint32_t d)
{
    const struct world *w = r->world;
    uint32_t now = pingo_history_count_submissions(w->history) + 1;
    double size = (double)positive(pingo_history_size(w->history, d));
    double t = (double)positive(pingo_history_compute(w->history, d));
    double age = (double)(now - last_use(w, d, now - 1));
    double per = size > 0 ? size : 1;
    if (strcmp(r->name, "lru") == 0)
        return -age;
    if (strcmp(r->name, "largest-first") == 0)
        return -size;
    if (strcmp(r->name, "most-commonly-used") == 0)
        return (double)count_of(w, d, window_first(w, r->values[0]), false);
    if (strcmp(r->name, "dtr") == 0)
        return (t + time_around(r, present, d, true) + time_around(r, present, d, false)) /
               (per * age);
    double chain = t + time_around(r, present, d, true);
    if (strcmp(r->name, "gdsf") == 0)
        return r->gdsf->bases[d] +
               (double)count_of(w, d, 0, true) * (r->values[0] == 0 ? t : chain) / per;
    assert_string_equal(r->name, "chain");
    return chain_score(r, present, d, chain) / per;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static inline bool reference_before(const struct world *w, const double *keys, uint32_t a,
                                    uint32_t b)
{
    uint32_t n = pingo_history_count_submissions(w->history);
    if (keys[a] != keys[b])
        return keys[a] < keys[b];
    if (last_use(w, a, n) != last_use(w, b, n))
        return last_use(w, a, n) < last_use(w, b, n);
    if (positive(pingo_history_size(w->history, a)) != positive(pingo_history_size(w->history, b)))
        return positive(pingo_history_size(w->history, a)) >
               positive(pingo_history_size(w->history, b));
    struct pingo_hash x = hash_of(a), y = hash_of(b);
    return memcmp(x.bytes, y.bytes, sizeof x.bytes) < 0;
}

/* A choice that is being made. */
struct choosing {
    const struct reference *r;
    bool present[MAX_ACTIONS], in[MAX_ACTIONS]; /* in: may go, and has not */
    double first[MAX_ACTIONS], *keys;           /* keys with all that is present, and now */
    uint32_t known_at[MAX_ACTIONS], nchanges;
    uint32_t victims[2 * MAX_ACTIONS], n; /* MAX_ACTIONS: it came back */
    uint64_t freed;
};

static inline uint64_t bytes_of(const struct choosing *c, uint32_t d)
{
    return (uint64_t)positive(pingo_history_size(c->r->world->history, d));
}

/* The one that goes next, its key computed when it was the least of all; MAX_ACTIONS: none. */
static inline uint32_t next_to_go(struct choosing *c)
{
    for (;;) {
        uint32_t best = MAX_ACTIONS;
        for (uint32_t i = 0; i < c->r->world->n; i++)
            if (c->in[i] && (best == MAX_ACTIONS || reference_before(c->r->world, c->keys, i, best)))
                best = i;
        if (best == MAX_ACTIONS || c->known_at[best] == c->nchanges)
            return best;
        c->keys[best] = reference_score(c->r, c->present, best);
        c->known_at[best] = c->nchanges;
    }
}

static inline void let_go(struct choosing *c, uint64_t free_bytes)
{
    uint32_t next;
    while (c->freed < free_bytes && (next = next_to_go(c)) != MAX_ACTIONS) {
        c->in[next] = c->present[next] = false;
        c->victims[c->n++] = next;
        c->nchanges++;
        c->freed += bytes_of(c, next);
    }
}

/* Those that went, from the greatest score to the least: each may come back for one as large. */
static inline void let_come_back(struct choosing *c, uint64_t free_bytes)
{
    uint32_t n = c->n, order[MAX_ACTIONS];
    double scores[MAX_ACTIONS];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        scores[c->victims[i]] = reference_score(c->r, c->present, c->victims[i]);
        for (; k > 0 &&
               reference_before(c->r->world, scores, c->victims[order[k - 1]], c->victims[i]);
             k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = c->victims[order[i]], next = next_to_go(c);
        if (next == MAX_ACTIONS || bytes_of(c, d) > bytes_of(c, next) ||
            reference_score(c->r, c->present, d) <= c->keys[next])
            continue;
        c->victims[order[i]] = MAX_ACTIONS;
        c->freed -= bytes_of(c, d);
        c->in[d] = c->present[d] = true;
        c->nchanges++;
        for (uint32_t k = 0; k < c->r->world->n; k++)
            if (c->in[k]) {
                c->keys[k] = c->first[k];
                c->known_at[k] = 0;
            }
        let_go(c, free_bytes);
    }
}

/* The victims in order; scores of each dataset in keys. */
static inline uint32_t reference_choose(const struct reference *r, uint64_t free_bytes,
                                        uint32_t *victims, double *keys)
{
    const struct world *w = r->world;
    struct choosing c = {.r = r, .keys = keys};
    uint32_t kept = 0;
    memcpy(c.present, w->present, sizeof c.present);
    for (uint32_t i = 0; i < w->n; i++) {
        c.in[i] = w->present[i] && !w->blocked[i];
        if (c.in[i])
            c.first[i] = keys[i] = reference_score(r, c.present, i);
    }
    let_go(&c, free_bytes);
    bool is_enough = c.freed >= free_bytes;
    if (is_enough && strcmp(r->name, "chain") == 0)
        let_come_back(&c, free_bytes);
    for (uint32_t i = c.n; is_enough && i-- > 0;) {
        if (c.victims[i] == MAX_ACTIONS || c.freed - bytes_of(&c, c.victims[i]) < free_bytes)
            continue;
        c.freed -= bytes_of(&c, c.victims[i]);
        c.victims[i] = MAX_ACTIONS;
    }
    for (uint32_t i = 0; i < c.n; i++)
        if (c.victims[i] != MAX_ACTIONS)
            victims[kept++] = c.victims[i];
    return kept;
}

/* ---- what an algorithm says ---------------------------------------------------------------------- */

struct said {
    const struct world *world;
    struct pingo_decision_victim victims[MAX_ACTIONS];
    uint32_t n;
};

static inline int note_victim(void *context, const struct pingo_decision_victim *victim)
{
    struct said *said = context;
    assert_in_range(said->n, 0, MAX_ACTIONS - 1);
    said->victims[said->n++] = *victim;
    return 0;
}

static inline bool may_go(void *context, uint32_t dataset)
{
    return !((const struct said *)context)->world->blocked[dataset];
}

/* list: NULL, or MAX_ACTIONS datasets. */
static inline void ask_with(struct pingo_decider *decider, const struct world *w,
                            uint64_t free_bytes, const uint32_t *list, struct said *said)
{
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = free_bytes,
                                             .is_candidate = may_go,
                                             .victim = note_victim,
                                             .context = said,
                                             .candidates = list,
                                             .ncandidates = list != NULL ? MAX_ACTIONS : 0};
    struct pingo_error err = {0};
    memset(said, 0, sizeof *said);
    said->world = w;
    if (pingo_decider_choose(decider, &request, NULL, &err) != 0)
        fail_msg("choose: %s", err.message);
}

/* Now and then once more, with a list of those that may go, and others: the answer is the same. */
static inline void ask(struct pingo_decider *decider, const struct world *w, uint64_t free_bytes,
                       struct said *said)
{
    static struct said again;
    uint32_t list[MAX_ACTIONS];
    ask_with(decider, w, free_bytes, NULL, said);
    if (free_bytes % 4 != 0)
        return;
    for (uint32_t i = 0; i < MAX_ACTIONS; i++)
        list[i] = MAX_ACTIONS - 1 - i;
    ask_with(decider, w, free_bytes, list, &again);
    assert_int_equal(again.n, said->n);
    for (uint32_t i = 0; i < said->n; i++) {
        assert_int_equal(again.victims[i].dataset, said->victims[i].dataset);
        assert_true(again.victims[i].score == said->victims[i].score);
    }
}

#endif
