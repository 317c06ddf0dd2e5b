/* history_value.c - what a dataset was good for: the compute time that its reuse has saved so far.
 *
 * What always holds: the values of all actions add up to what pingo_history_query()
 * gives as saved for everything, as long as no sum passes the end of its range.
 * Submissions that share their actions and flags are looked at once. */
#include <stdlib.h>

#include "base/error.h"
#include "decision/history/history.h"

struct values {
    const struct pingo_history *h;
    int64_t *saved_ms;   /* one an action */
    uint32_t *nskipped;  /* one an action: mentions of this content that nobody was credited with */
    uint32_t *reached;   /* a stack: actions whose parents are still to be looked at */
    uint32_t nreached;   /* each action is in it at most once, so the longest list is room enough */
    uint64_t *nrepeated; /* one a content: how many submissions have it */
};

/* Sums of hostile times stay at the end of the range. */
static void credit(struct values *v, uint32_t to, int64_t compute_ms, uint64_t times)
{
    int64_t room = INT64_MAX - v->saved_ms[to];
    if (compute_ms <= 0 || !times)
        return;
    if (times > (uint64_t)(room / compute_ms))
        v->saved_ms[to] = INT64_MAX;
    else
        v->saved_ms[to] += compute_ms * (int64_t)times;
}

/* The skipped actions above one that was reused, which nobody else was credited with. */
static void credit_ancestors(struct values *v, uint32_t reused, uint64_t times)
{
    v->reached[v->nreached++] = reused;
    while (v->nreached) {
        uint32_t action = v->reached[--v->nreached];
        uint32_t first = v->h->actions[action].first_edge;
        for (uint32_t i = 0; i < pingo__decision_history_nparents(v->h, action); i++) {
            uint32_t parent = v->h->parents[first + i];
            if (!v->nskipped[parent])
                continue;
            credit(v, reused, v->h->facts[parent].compute_ms, times * v->nskipped[parent]);
            v->nskipped[parent] = 0;
            v->reached[v->nreached++] = parent;
        }
    }
}

static void credit_content(struct values *v, uint32_t content)
{
    struct pingo__decision_history_content c = pingo__decision_history_content(v->h, content);
    uint64_t times = v->nrepeated[content];
    for (uint32_t i = 0; i < c.n; i++)
        v->nskipped[c.actions[i]] += (c.flags[i] & PINGO_HISTORY_OUTCOME) == PINGO_HISTORY_SKIPPED;
    for (uint32_t i = 0; i < c.n; i++) {
        unsigned outcome = c.flags[i] & PINGO_HISTORY_OUTCOME;
        if (outcome != PINGO_HISTORY_REUSED && outcome != PINGO_HISTORY_JOINED)
            continue;
        credit(v, c.actions[i], v->h->facts[c.actions[i]].compute_ms, times);
        credit_ancestors(v, c.actions[i], times);
    }
    for (uint32_t i = 0; i < c.n; i++) {
        uint32_t action = c.actions[i];
        credit(v, action, v->h->facts[action].compute_ms, times * v->nskipped[action]);
        v->nskipped[action] = 0;
    }
}

/* Rooms; false: no memory. */
static bool open_values(struct values *v)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < v->h->lists.n; i++)
        if (v->h->lists.all[i].n / sizeof(uint32_t) > longest)
            longest = v->h->lists.all[i].n / sizeof(uint32_t);
    v->nskipped = calloc((size_t)v->h->nactions + 1, sizeof *v->nskipped);
    v->reached = calloc(longest + 1, sizeof *v->reached);
    v->nrepeated = calloc((size_t)v->h->contents.n + 1, sizeof *v->nrepeated);
    return v->nskipped && v->reached && v->nrepeated;
}

int pingo_history_values(const struct pingo_history *h, int64_t *saved_ms, struct pingo_error *err)
{
    struct values v = {.h = h, .saved_ms = saved_ms};
    int rc = open_values(&v) ? 0 : pingo__fail_memory(err);
    for (uint32_t i = 0; i < h->nactions; i++)
        saved_ms[i] = 0;
    for (uint32_t i = 0; !rc && i < h->nitems; i++)
        v.nrepeated[h->items[i].content]++;
    for (uint32_t i = 0; !rc && i < h->contents.n; i++)
        credit_content(&v, i);
    free(v.nskipped);
    free(v.reached);
    free(v.nrepeated);
    return rc;
}
