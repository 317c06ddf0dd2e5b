/* history_window.c - the newest part of a history: the rolling window, and a part rebuilt on its own.
 *
 * Source: thesis section 3.7, the Action Rolling Window and the "simplified
 * workflow history". */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "decision/history.h"

static uint32_t mentions_of(const struct pingo_history *h, uint32_t submission)
{
    return h->lists[h->contents[h->items[submission].content].list].n;
}

int pingo_history_window_next(const struct pingo_history *h, uint64_t max_mentions,
                              struct pingo_history_window *w)
{
    if (w->end >= h->nitems)
        return PINGO_ENOTFOUND;
    w->nmentions += mentions_of(h, w->end++);
    while (w->nmentions > max_mentions && w->first + 1 < w->end)
        w->nmentions -= mentions_of(h, w->first++);
    return 0;
}

void pingo_history_window_last(const struct pingo_history *h, uint64_t max_mentions,
                               struct pingo_history_window *w)
{
    *w = (struct pingo_history_window){.first = h->nitems, .end = h->nitems};
    while (w->first > 0) {
        uint32_t n = mentions_of(h, w->first - 1);

        if (w->first < w->end && w->nmentions + n > max_mentions)
            break;
        w->nmentions += n;
        w->first--;
    }
}

/* ---- slice -------------------------------------------------------------------------- */

struct slice {
    const struct pingo_history *from;
    struct pingo_history *to;
    struct pingo_history_mention *mentions;
    struct pingo_hash *parents;
    size_t mentions_capacity, parents_capacity;
};

/* Its mentions and their parents' hashes. */
static bool describe(struct slice *s, const struct pingo_history_submission *submission)
{
    const struct pingo_history *h = s->from;
    size_t nparents = 0, at = 0;

    for (size_t i = 0; i < submission->nactions; i++)
        nparents += pingo__history_nparents(h, submission->actions[i]);
    if (!pingo__array_room((void **)&s->mentions, &s->mentions_capacity, 0, submission->nactions,
                           sizeof *s->mentions) ||
        !pingo__array_room((void **)&s->parents, &s->parents_capacity, 0, nparents + 1,
                           sizeof *s->parents))
        return false;
    for (size_t i = 0; i < submission->nactions; i++) {
        const struct pingo__history_action *a = &h->actions[submission->actions[i]];
        const struct pingo__history_facts *facts = &h->facts[submission->actions[i]];
        uint32_t n = pingo__history_nparents(h, submission->actions[i]);

        s->mentions[i] = (struct pingo_history_mention){.hash = a->hash,
                                                        .parents = s->parents + at,
                                                        .nparents = n,
                                                        .has_parents = true,
                                                        .size_bytes = facts->size_bytes,
                                                        .compute_ms = facts->compute_ms,
                                                        .flags = submission->flags[i]};
        for (uint32_t k = 0; k < n; k++)
            s->parents[at++] = h->actions[h->parents[a->first_edge + k]].hash;
    }
    return true;
}

static int copy_evictions(struct slice *s, uint32_t first, uint32_t end, struct pingo_error *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < s->from->nevictions; i++) {
        const struct pingo__history_eviction *e = &s->from->evictions[i];
        uint32_t action = pingo_history_find(s->to, &s->from->actions[e->action].hash);

        if (action != PINGO_HISTORY_NONE && e->submission >= first && e->submission < end)
            rc = pingo_history_note_eviction(s->to, action, e->at_ms, e->size_bytes,
                                             e->submission - first, err);
    }
    return rc;
}

int pingo_history_slice(const struct pingo_history *h, uint32_t first, uint32_t end,
                        struct pingo_history **slice, struct pingo_error *err)
{
    struct slice s = {.from = h};
    int rc;

    *slice = NULL;
    if (first > end || end > h->nitems)
        return pingo__fail(err, PINGO_EINVAL, "the history has no submissions from %lu to %lu",
                           (unsigned long)first, (unsigned long)end);
    rc = pingo_history_new(&s.to, err);
    for (uint32_t i = first; !rc && i < end; i++) {
        struct pingo_history_submission submission;
        struct pingo_history_entry entry;

        pingo_history_submission(h, i, &submission);
        if (!describe(&s, &submission)) {
            rc = pingo__fail_memory(err);
            continue;
        }
        entry = (struct pingo_history_entry){.at_ms = submission.at_ms,
                                             .user = submission.user,
                                             .workflow = submission.workflow,
                                             .mentions = s.mentions,
                                             .nmentions = submission.nactions};
        rc = pingo_history_append(s.to, &entry, NULL, err);
    }
    if (!rc)
        rc = copy_evictions(&s, first, end, err);
    free(s.mentions);
    free(s.parents);
    if (!rc)
        *slice = s.to;
    else
        pingo_history_free(s.to);
    return rc;
}
