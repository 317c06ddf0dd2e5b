/* future.c - see future.h. */
#include "lab/simulate/future.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct demand {
    uint32_t dataset, submission;
};

struct search {
    const struct pingo_history *history;
    uint32_t *demanded; /* of each dataset: the submission, from 1, that demanded it last */
    uint32_t *forced;   /* likewise: in which it was computed by force */
    uint32_t *sorted;   /* the actions of the submission under way */
    size_t sorted_capacity;
    struct demand *demands; /* in the order of submissions */
    size_t n, capacity;
};

static bool note(struct search *s, uint32_t dataset, uint32_t submission)
{
    if (s->demanded[dataset] == submission + 1)
        return true;
    s->demanded[dataset] = submission + 1;
    if (!PINGO__ARRAY_ROOM(s->demands, s->capacity, s->n, 1))
        return false;
    s->demands[s->n++] = (struct demand){dataset, submission};
    return true;
}

/* The parents of an action that must be computed. */
static bool note_parents(struct search *s, uint32_t action, uint32_t submission, uint32_t nbefore)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(s->history, action, &n);
    for (size_t i = 0; i < n; i++)
        if (parents[i] < nbefore && !note(s, parents[i], submission))
            return false;
    return true;
}

static bool is_forced(const struct search *s, uint32_t action, uint32_t stamp)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(s->history, action, &n);
    bool found = s->forced[action] == stamp;
    for (size_t i = 0; !found && i < n; i++)
        found = s->forced[parents[i]] == stamp;
    return found;
}

/* What is forced, and what descends from it; parents have smaller indexes. */
static bool note_forced(struct search *s, const struct pingo_history_submission *w,
                        uint32_t submission)
{
    bool any = false;
    for (size_t i = 0; i < w->nactions; i++) {
        if ((w->flags[i] & PINGO_HISTORY_FORCED) == 0)
            continue;
        s->forced[w->actions[i]] = submission + 1;
        any = true;
    }
    if (!any)
        return true;
    if (!PINGO__ARRAY_ROOM(s->sorted, s->sorted_capacity, 0, w->nactions))
        return false;
    memcpy(s->sorted, w->actions, w->nactions * sizeof *s->sorted);
    qsort(s->sorted, w->nactions, sizeof *s->sorted, pingo__array_by_number);
    for (size_t i = 0; i < w->nactions; i++) {
        if (!is_forced(s, s->sorted[i], submission + 1))
            continue;
        s->forced[s->sorted[i]] = submission + 1;
        if (!note_parents(s, s->sorted[i], submission, w->nknown_before))
            return false;
    }
    return true;
}

static bool find_demands(struct search *s)
{
    uint32_t n = pingo_history_count_submissions(s->history);
    for (uint32_t i = 0; i < n; i++) {
        struct pingo_history_submission w = {.size = sizeof w};
        pingo_history_submission(s->history, i, &w);
        for (uint32_t action = w.nknown_before; action < w.nknown; action++)
            if (!note_parents(s, action, i, w.nknown_before))
                return false;
        for (size_t k = 0; k < w.nactions; k++)
            if ((w.flags[k] & PINGO_HISTORY_LEAF) && w.actions[k] < w.nknown_before &&
                !note(s, w.actions[k], i))
                return false;
        if (!note_forced(s, &w, i))
            return false;
    }
    return true;
}

/* Sorts the demands by dataset; those of one stay in order. */
static bool sort_demands(struct pingo__lab_future *f, const struct search *s, size_t nactions)
{
    uint32_t sum = 0;
    f->first = calloc(nactions + 2, sizeof *f->first);
    f->submissions = malloc((s->n + 1) * sizeof *f->submissions);
    if (!f->first || !f->submissions)
        return false;
    for (size_t i = 0; i < s->n; i++)
        f->first[s->demands[i].dataset + 1]++;
    for (size_t i = 0; i <= nactions; i++)
        f->first[i] = sum += f->first[i];
    for (size_t i = s->n; i-- > 0;)
        f->submissions[--f->first[s->demands[i].dataset + 1]] = s->demands[i].submission;
    /* Now first[i + 1] is where those of i begin. */
    memmove(f->first, f->first + 1, nactions * sizeof *f->first);
    f->first[nactions] = sum;
    return true;
}

int pingo__lab_future_init(struct pingo__lab_future *f, const struct pingo_history *history,
                           struct pingo_error *err)
{
    size_t n = pingo_history_count_actions(history);
    struct search s = {.history = history};
    *f = (struct pingo__lab_future){0};
    s.demanded = calloc(n + 1, sizeof *s.demanded);
    s.forced = calloc(n + 1, sizeof *s.forced);
    bool done = s.demanded && s.forced && find_demands(&s) && sort_demands(f, &s, n);
    free(s.demanded);
    free(s.forced);
    free(s.sorted);
    free(s.demands);
    if (done)
        return 0;
    pingo__lab_future_clear(f);
    return pingo__fail_memory(err);
}

void pingo__lab_future_clear(struct pingo__lab_future *f)
{
    free(f->first);
    free(f->submissions);
    *f = (struct pingo__lab_future){0};
}

uint32_t pingo__lab_future_next(const struct pingo__lab_future *f, uint32_t dataset, uint32_t from)
{
    uint32_t low = f->first[dataset], high = f->first[dataset + 1], end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->submissions[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end ? f->submissions[low] : PINGO_HISTORY_NONE;
}
