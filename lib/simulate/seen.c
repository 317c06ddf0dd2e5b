/* seen.c - see seen.h. */
#include "simulate/seen.h"

#include <stdlib.h>

#include "base/error.h"

int pingo__seen_init(struct pingo__seen *s, const struct pingo_history *whole,
                     struct pingo_error *err)
{
    size_t n = (size_t)pingo_history_count_actions(whole) + 1;
    *s = (struct pingo__seen){.whole = whole};
    s->to_seen = malloc(n * sizeof *s->to_seen);
    s->to_whole = malloc(n * sizeof *s->to_whole);
    if (s->to_seen == NULL || s->to_whole == NULL)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < n; i++)
        s->to_seen[i] = PINGO_HISTORY_NONE;
    return pingo_history_new(&s->history, err);
}

void pingo__seen_clear(struct pingo__seen *s)
{
    pingo_history_free(s->history);
    free(s->to_seen);
    free(s->to_whole);
    free(s->mentions);
    free(s->parents);
    *s = (struct pingo__seen){0};
}

static bool grow(void **array, size_t *capacity, size_t n, size_t size)
{
    void *grown = n <= *capacity ? *array : realloc(*array, (n + n / 2) * size);
    if (grown == NULL)
        return n == 0;
    *capacity = n <= *capacity ? *capacity : n + n / 2;
    *array = grown;
    return true;
}

static uint8_t flags_of(uint8_t flags, const struct pingo_plan_entry *entry)
{
    static const uint8_t outcomes[] = {PINGO_HISTORY_SKIPPED, PINGO_HISTORY_REUSED,
                                       PINGO_HISTORY_JOINED, PINGO_HISTORY_COMPUTED};
    return (uint8_t)((flags & (PINGO_HISTORY_LEAF | PINGO_HISTORY_FORCED)) |
                     outcomes[entry->decision]);
}

/* The mentions; new ones with their parents. */
static bool describe(struct pingo__seen *s, const struct pingo_history_submission *w,
                     const struct pingo_plan_entry *entries)
{
    size_t nlinks = 0;
    for (size_t i = 0; i < w->nactions; i++) {
        size_t n;
        if (s->to_seen[w->actions[i]] != PINGO_HISTORY_NONE)
            continue;
        pingo_history_parents(s->whole, w->actions[i], &n);
        nlinks += n;
    }
    if (!grow((void **)&s->mentions, &s->mentions_capacity, w->nactions, sizeof *s->mentions) ||
        !grow((void **)&s->parents, &s->parents_capacity, nlinks, sizeof *s->parents))
        return false;
    nlinks = 0;
    for (size_t i = 0; i < w->nactions; i++) {
        uint32_t action = w->actions[i];
        struct pingo_history_mention *m = &s->mentions[i];
        const uint32_t *parents;
        *m = (struct pingo_history_mention){.hash = *pingo_history_hash(s->whole, action),
                                            .size_bytes = -1,
                                            .compute_ms = -1,
                                            .flags = flags_of(w->flags[i], &entries[i])};
        if (s->to_seen[action] != PINGO_HISTORY_NONE)
            continue;
        parents = pingo_history_parents(s->whole, action, &m->nparents);
        m->has_parents = true;
        m->parents = s->parents + nlinks;
        for (size_t k = 0; k < m->nparents; k++)
            s->parents[nlinks++] = *pingo_history_hash(s->whole, parents[k]);
    }
    return true;
}

int pingo__seen_submit(struct pingo__seen *s, uint32_t submission,
                       const struct pingo_plan_entry *entries, struct pingo_error *err)
{
    struct pingo_history_submission w, added;
    struct pingo_history_entry entry;
    uint32_t index = 0;
    int rc;
    pingo_history_submission(s->whole, submission, &w);
    if (!describe(s, &w, entries))
        return pingo__fail_memory(err);
    entry = (struct pingo_history_entry){.at_ms = w.at_ms,
                                         .user = w.user,
                                         .workflow = w.workflow,
                                         .mentions = s->mentions,
                                         .nmentions = w.nactions};
    rc = pingo_history_append(s->history, &entry, &index, err);
    if (rc != 0)
        return rc;
    pingo_history_submission(s->history, index, &added);
    for (size_t i = 0; i < w.nactions; i++) {
        s->to_seen[w.actions[i]] = added.actions[i];
        s->to_whole[added.actions[i]] = w.actions[i];
    }
    return 0;
}

void pingo__seen_made(struct pingo__seen *s, uint32_t dataset, int64_t bytes, int64_t ms)
{
    pingo_history_set_size(s->history, s->to_seen[dataset], bytes);
    pingo_history_set_compute(s->history, s->to_seen[dataset], ms);
}
