/* history.c - the history of submissions: what it holds, and looking at it.
 *
 * It does not append (history_append.c), answer questions (history_query.c) or
 * know the exchange format (history_read.c, history_print.c). */
#include "decision/history/history.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"

/* ---- memory --------------------------------------------------------------------------- */

int pingo_history_new(struct pingo_history **history, struct pingo_error *err)
{
    struct pingo_history *h = calloc(1, sizeof *h);
    *history = NULL;
    if (!h)
        return pingo__fail_memory(err);
    if (!pingo__decision_history_table_open(h)) {
        pingo_history_free(h);
        return pingo__fail_memory(err);
    }
    *history = h;
    return 0;
}

static void clear_pieces(struct pingo__decision_history_pieces *pieces)
{
    pingo__map_clear(&pieces->map);
    free(pieces->all);
}

void pingo_history_free(struct pingo_history *h)
{
    if (!h)
        return;
    clear_pieces(&h->lists);
    clear_pieces(&h->contents);
    clear_pieces(&h->users);
    clear_pieces(&h->workflows);
    free(h->actions);
    free(h->facts);
    free(h->slots);
    free(h->parents);
    free(h->edges);
    free(h->items);
    free(h->evictions);
    free(h->scratch);
    pingo__arena_clear(&h->arena);
    free(h);
}

/* ---- what is known of an action --------------------------------------------------------- */

void pingo_history_set_size(struct pingo_history *h, uint32_t action, int64_t size_bytes)
{
    if (action < h->nactions)
        h->facts[action].size_bytes = size_bytes < 0 ? -1 : size_bytes;
}

void pingo_history_set_compute(struct pingo_history *h, uint32_t action, int64_t compute_ms)
{
    if (action < h->nactions)
        h->facts[action].compute_ms = compute_ms < 0 ? -1 : compute_ms;
}

int pingo_history_note_eviction(struct pingo_history *h, const struct pingo_history_eviction *e,
                                struct pingo_error *err)
{
    if (e->action >= h->nactions || e->at_ms < -1 || e->size_bytes < 0 ||
        (e->submission != PINGO_HISTORY_NONE && e->submission >= h->nitems))
        return pingo__fail(err, PINGO_EINVAL,
                           "an eviction names an action, size or submission that is none");
    if (!PINGO__ARRAY_ROOM(h->evictions, h->evictions_capacity, h->nevictions, 1))
        return pingo__fail_memory(err);
    h->evictions[h->nevictions++] =
        (struct pingo__decision_history_eviction){.at_ms = e->at_ms,
                                                  .size_bytes = e->size_bytes,
                                                  .action = e->action,
                                                  .submission = e->submission};
    return 0;
}

/* ---- looking at actions ----------------------------------------------------------------- */

uint32_t pingo_history_count_actions(const struct pingo_history *h)
{
    return h->nactions;
}

size_t pingo_history_count_edges(const struct pingo_history *h)
{
    return h->nedges;
}

uint32_t pingo_history_find(const struct pingo_history *h, const struct pingo_hash *hash)
{
    uint32_t found = h->slots[pingo__decision_history_slot(h, hash)];
    return found ? found - 1 : PINGO_HISTORY_NONE;
}

const struct pingo_hash *pingo_history_hash(const struct pingo_history *h, uint32_t action)
{
    return action < h->nactions ? &h->actions[action].hash : NULL;
}

int64_t pingo_history_size(const struct pingo_history *h, uint32_t action)
{
    return action < h->nactions ? h->facts[action].size_bytes : -1;
}

int64_t pingo_history_compute(const struct pingo_history *h, uint32_t action)
{
    return action < h->nactions ? h->facts[action].compute_ms : -1;
}

const uint32_t *pingo_history_parents(const struct pingo_history *h, uint32_t action, size_t *n)
{
    static const uint32_t none;
    *n = 0;
    if (action >= h->nactions)
        return NULL;
    *n = pingo__decision_history_nparents(h, action);
    return *n ? &h->parents[h->actions[action].first_edge] : &none;
}

uint32_t pingo_history_children(const struct pingo_history *h, uint32_t action)
{
    return action < h->nactions ? h->actions[action].first_child : PINGO_HISTORY_NONE;
}

uint32_t pingo_history_next_child(const struct pingo_history *h, uint32_t *at)
{
    uint32_t edge = *at;
    if (edge >= h->nedges)
        return PINGO_HISTORY_NONE;
    *at = h->edges[edge].next;
    return h->edges[edge].child;
}

/* ---- looking at submissions --------------------------------------------------------------- */

uint32_t pingo_history_count_submissions(const struct pingo_history *h)
{
    return h->nitems;
}

uint64_t pingo_history_count_mentions(const struct pingo_history *h)
{
    return h->nmentions;
}

int pingo_history_submission(const struct pingo_history *h, uint32_t index,
                             struct pingo_history_submission *s)
{
    struct pingo_history_submission own = {.size = sizeof own};
    if (index >= h->nitems)
        return PINGO_ENOTFOUND;
    if (pingo__growing_result_check(s, "pingo_history_submission", NULL))
        return PINGO_EINVAL;
    const struct pingo__decision_history_item *item = &h->items[index];
    struct pingo__decision_history_content content =
        pingo__decision_history_content(h, item->content);
    own = (struct pingo_history_submission){.at_ms = item->at_ms,
                                            .user = h->users.all[item->user].bytes,
                                            .workflow = h->workflows.all[item->workflow].bytes,
                                            .user_index = item->user,
                                            .workflow_index = item->workflow,
                                            .actions = content.actions,
                                            .flags = content.flags,
                                            .nactions = content.n,
                                            .nknown_before = index ? h->items[index - 1].nknown : 0,
                                            .nknown = item->nknown};
    pingo__growing_result_put(s, &own, sizeof own);
    return 0;
}

/* ---- the rolling window: thesis section 3.7, the Action Rolling Window ------------------ */

static uint32_t mentions_of(const struct pingo_history *h, uint32_t submission)
{
    return pingo__decision_history_content(h, h->items[submission].content).n;
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
