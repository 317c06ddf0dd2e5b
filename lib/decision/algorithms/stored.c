/* stored.c - the state that algorithms begin with: presence, last use, and the search for what is missing around a
 * dataset.
 *
 * A search never changes what a later one finds.  It knows the history's edges
 * alone, and does not care whether an action was ever computed: what is not
 * present is missing. */
#include "decision/algorithms/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool pingo__decision_stored_init(struct pingo__decision_stored *s,
                                 const struct pingo_history *history, uint32_t reach)
{
    *s = (struct pingo__decision_stored){.history = history, .reach = reach};
    pingo__decision_stored_keep(s, &s->last_use, sizeof *s->last_use);
    if (reach == 0)
        return true;
    pingo__decision_stored_keep(s, &s->mark, sizeof *s->mark);
    s->found = malloc(reach * sizeof *s->found);
    return s->found;
}

void pingo__decision_stored_clear(struct pingo__decision_stored *s)
{
    for (uint32_t i = 0; i < s->narrays; i++) {
        void *memory;
        memcpy(&memory, s->arrays[i].array, sizeof memory);
        free(memory);
    }
    free(s->present);
    free(s->found);
    *s = (struct pingo__decision_stored){0};
}

void pingo__decision_stored_keep(struct pingo__decision_stored *s, void *array, size_t size)
{
    s->arrays[s->narrays++] = (struct pingo__decision_array){array, size};
}

bool pingo__decision_stored_grow(void *array, size_t size, uint32_t old, uint32_t n)
{
    char *memory;
    memcpy(&memory, array, sizeof memory);
    if (n <= old)
        return true;
    char *grown = n > SIZE_MAX / size ? NULL : realloc(memory, n * size);
    if (!grown)
        return false;
    memset(grown + old * size, 0, (n - old) * size);
    memcpy(array, &grown, sizeof grown);
    return true;
}

bool pingo__decision_stored_reserve(struct pingo__decision_stored *s, uint32_t n)
{
    uint32_t capacity = s->capacity;
    if (n <= capacity)
        return true;
    if (n > UINT32_MAX - UINT32_MAX / 4)
        return false;
    capacity = (n + n / 8 + 63) / 64 * 64;
    if (!pingo__decision_stored_grow(&s->present, sizeof *s->present, s->capacity / 64,
                                     capacity / 64))
        return false;
    for (uint32_t i = 0; i < s->narrays; i++)
        if (!pingo__decision_stored_grow(s->arrays[i].array, s->arrays[i].size, s->capacity,
                                         capacity))
            return false;
    s->capacity = capacity;
    return true;
}

/* ---- functions of a table ------------------------------------------------------------------ */

void pingo__decision_stored_close(void *state)
{
    if (!state)
        return;
    pingo__decision_stored_clear(state);
    free(state);
}

int pingo__decision_stored_open(const struct pingo_history *history,
                                const struct pingo__decision_kind *kind, uint32_t reach,
                                void **state, struct pingo_error *err)
{
    struct pingo__decision_stored *made = calloc(1, kind->size);
    if (made && pingo__decision_stored_init(made, history, reach)) {
        made->kind = kind;
        *state = made;
        return 0;
    }
    pingo__decision_stored_close(made);
    return pingo__fail_memory(err);
}

int pingo__decision_stored_read(struct pingo__decision_stored *stored, uint32_t submission,
                                struct pingo_history_submission *w, struct pingo_error *err)
{
    if (pingo_history_submission(stored->history, submission, w) != 0)
        return pingo__fail(err, PINGO_EINVAL, "the history has no submission %u", submission);
    if (!pingo__decision_stored_reserve(stored, w->nknown))
        return pingo__fail_memory(err);
    return 0;
}

void pingo__decision_stored_take(struct pingo__decision_stored *s,
                                 const struct pingo_history_submission *w)
{
    s->nobserved++;
    s->nknown = w->nknown;
    for (size_t i = 0; i < w->nactions; i++)
        if (pingo__decision_stored_is_use(w->flags[i]))
            s->last_use[w->actions[i]] = s->nobserved;
}

int pingo__decision_stored_observe(void *state, uint32_t submission, struct pingo_error *err)
{
    struct pingo_history_submission w = {.size = sizeof w};
    int rc = pingo__decision_stored_read(state, submission, &w, err);
    if (rc == 0)
        pingo__decision_stored_take(state, &w);
    return rc;
}

int pingo__decision_stored_present(void *state, uint32_t dataset, struct pingo_error *err)
{
    struct pingo__decision_stored *s = state;
    (void)err;
    s->npresent += !pingo__decision_bit(s->present, dataset);
    pingo__decision_bit_set(s->present, dataset);
    return 0;
}

void pingo__decision_stored_missing(void *state, uint32_t dataset, bool evicted)
{
    struct pingo__decision_stored *s = state;
    (void)evicted;
    s->npresent -= pingo__decision_bit(s->present, dataset);
    pingo__decision_bit_clear(s->present, dataset);
}

void pingo__decision_stored_tell_use(void *state, uint32_t dataset, char *text, size_t size)
{
    const struct pingo__decision_stored *stored = state;
    if (stored->last_use[dataset] == 0) {
        snprintf(text, size, "used by no known submission");
        return;
    }
    uint32_t ago = pingo__decision_stored_age(stored, dataset) - 1;
    snprintf(text, size, "last used %u submission%s ago", ago, ago == 1 ? "" : "s");
}

/* ---- the search ------------------------------------------------------------------------------ */

/* A fresh stamp: nothing was met yet. */
static void begin(struct pingo__decision_stored *s, uint32_t dataset)
{
    if (++s->stamp == 0) {
        memset(s->mark, 0, s->capacity * sizeof *s->mark);
        s->stamp = 1;
    }
    s->mark[dataset] = s->stamp;
}

/* Takes a neighbour in if it is missing and new; returns how many there are now. */
static uint32_t meet(struct pingo__decision_stored *s, const uint64_t *bits, uint32_t neighbour,
                     uint32_t n)
{
    if (neighbour >= s->nknown || pingo__decision_bit(bits, neighbour) ||
        s->mark[neighbour] == s->stamp)
        return n;
    s->mark[neighbour] = s->stamp;
    s->found[n] = neighbour;
    return n + 1;
}

/* The missing ancestors, or descendants; see pingo__decision_stored_below(). */
static inline uint32_t search(struct pingo__decision_stored *s, const uint64_t *bits,
                              uint32_t dataset, uint32_t reach, bool is_below)
{
    const struct pingo_history *h = s->history;
    uint32_t n = 0;
    reach = reach < s->reach ? reach : s->reach;
    uint64_t edges = (uint64_t)reach * PINGO__SEARCH_EDGES;
    begin(s, dataset);
    for (uint32_t next = 0, at = dataset;; at = s->found[next++]) {
        uint32_t i = is_below ? h->actions[at].first_child : h->actions[at].first_edge;
        uint32_t end = is_below ? PINGO_HISTORY_NONE : i + pingo__decision_history_nparents(h, at);
        for (; i != end; i = is_below ? h->edges[i].next : i + 1) {
            if (n == reach || edges-- == 0)
                return n;
            n = meet(s, bits, is_below ? h->edges[i].child : h->parents[i], n);
        }
        if (next == n)
            return n;
    }
}

uint32_t pingo__decision_stored_below(struct pingo__decision_stored *s, const uint64_t *bits,
                                      uint32_t dataset, uint32_t reach)
{
    return search(s, bits, dataset, reach, true);
}

uint64_t pingo__decision_stored_cost(struct pingo__decision_stored *s, const uint64_t *bits,
                                     uint32_t dataset, uint32_t reach, uint32_t *nabove)
{
    *nabove = search(s, bits, dataset, reach, false);
    return pingo__decision_sum(pingo__decision_stored_ms(s, dataset),
                               pingo__decision_stored_found_ms(s, *nabove));
}

/* What the search from a dataset meets first, where that is missing. */
static void prefetch_parent(const struct pingo__decision_stored *s, uint32_t dataset)
{
    const struct pingo_history *h = s->history;
    if (pingo__decision_history_nparents(h, dataset) == 0)
        return;
    uint32_t parent = h->parents[h->actions[dataset].first_edge];
    if (parent >= s->nknown || pingo__decision_bit(s->present, parent))
        return;
    __builtin_prefetch(&h->facts[parent]);
    __builtin_prefetch(&h->actions[parent].first_edge);
    __builtin_prefetch(&s->mark[parent]);
}

void pingo__decision_stored_prefetch(const struct pingo__decision_stored *s,
                                     const uint32_t *datasets, uint32_t n)
{
    const struct pingo_history *h = s->history;
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(&h->actions[datasets[i]].first_edge);
    for (uint32_t i = 0; i < n; i++) {
        const struct pingo__decision_history_action *action = &h->actions[datasets[i]];
        if (action->first_edge < h->nedges)
            __builtin_prefetch(&h->parents[action->first_edge]);
        if (action->first_child < h->nedges)
            __builtin_prefetch(&h->edges[action->first_child]);
    }
    for (uint32_t i = 0; i < n; i++)
        prefetch_parent(s, datasets[i]);
}

uint64_t pingo__decision_stored_found_ms(const struct pingo__decision_stored *s, uint32_t nfound)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < nfound; i++)
        sum = pingo__decision_sum(sum, pingo__decision_stored_ms(s, s->found[i]));
    return sum;
}

/* ---- what it takes to make them again ---------------------------------------------------------- */

static int64_t bounded(uint64_t ms)
{
    return ms > INT64_MAX ? INT64_MAX : (int64_t)ms;
}

bool pingo__decision_remake(struct pingo__decision_stored *s, const uint32_t *datasets, size_t n,
                            int64_t *each_ms, int64_t *together_ms)
{
    uint64_t *left = malloc(s->capacity / 8 + sizeof *left), sum = 0;
    if (!left)
        return false;
    if (s->capacity > 0)
        memcpy(left, s->present, s->capacity / 8);
    uint32_t nabove;
    for (size_t i = 0; i < n; i++) {
        pingo__decision_bit_clear(left, datasets[i]);
        each_ms[i] = bounded(pingo__decision_stored_cost(s, left, datasets[i], UINT32_MAX, &nabove));
    }
    /* What was counted counts as present from then on: no search meets it again. */
    for (size_t i = 0; i < n; i++) {
        if (pingo__decision_bit(left, datasets[i]))
            continue;
        sum = pingo__decision_sum(
            sum, pingo__decision_stored_cost(s, left, datasets[i], UINT32_MAX, &nabove));
        pingo__decision_bit_set(left, datasets[i]);
        for (uint32_t k = 0; k < nabove; k++)
            pingo__decision_bit_set(left, s->found[k]);
    }
    *together_ms = bounded(sum);
    free(left);
    return true;
}
