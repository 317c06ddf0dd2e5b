/* future.c - see future.h. */
#include "lab/simulate/future.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "lab/bound/walk.h"

struct demand {
    uint32_t dataset, submission;
};

struct search {
    struct demand *demands; /* in the order of submissions */
    size_t n, capacity;
};

/* What each submission needs of what was made before: as if there were room for all of it. */
static int find_demands(struct search *s, const struct pingo_history *history,
                        struct pingo_error *err)
{
    struct pingo__lab_bound_walk w;
    int rc = pingo__lab_bound_walk_open(&w, history, INT64_MAX, false, err);
    while (rc == 0 && w.next < pingo_history_count_submissions(history)) {
        rc = pingo__lab_bound_walk_look(&w, err);
        if (rc == 0 && !PINGO__ARRAY_ROOM(s->demands, s->capacity, s->n, w.nvisits))
            rc = pingo__fail_memory(err);
        for (size_t k = 0; rc == 0 && k < w.nvisits; k++)
            if (w.visits[k].need == PINGO__BOUND_NEEDED)
                s->demands[s->n++] = (struct demand){w.visits[k].action, w.next};
        pingo__lab_bound_walk_step(&w);
    }
    pingo__lab_bound_walk_clear(&w);
    return rc;
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
    struct search s = {0};
    *f = (struct pingo__lab_future){0};
    int rc = find_demands(&s, history, err);
    if (rc == 0 && !sort_demands(f, &s, pingo_history_count_actions(history)))
        rc = pingo__fail_memory(err);
    free(s.demands);
    if (rc != 0)
        pingo__lab_future_clear(f);
    return rc;
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
