/* history_follow.c - a history that is the beginning of another one, and grows along it.
 *
 * The parents of an action have lower indexes than it, so whatever the beginning of a
 * history holds lies at the beginning of each array of the whole: it is copied from
 * there without a look at any hash but those of new actions. */
#include <string.h>

#include "base/error.h"
#include "decision/history/history.h"

/* How many edges the first actions of a history have. */
static uint32_t edges_of(const struct pingo_history *whole, uint32_t nactions)
{
    return nactions < whole->nactions ? whole->actions[nactions].first_edge : whole->nedges;
}

static bool make_room(struct pingo_history *h, uint32_t nactions, uint32_t nedges,
                      uint32_t nmentions)
{
    size_t actions = nactions - h->nactions, edges = nedges - h->nedges;
    return PINGO__ARRAY_ROOM(h->actions, h->actions_capacity, h->nactions, actions) &&
           PINGO__ARRAY_ROOM(h->facts, h->facts_capacity, h->nactions, actions) &&
           PINGO__ARRAY_ROOM(h->parents, h->parents_capacity, h->nedges, edges) &&
           PINGO__ARRAY_ROOM(h->edges, h->edges_capacity, h->nedges, edges) &&
           PINGO__ARRAY_ROOM(h->scratch, h->scratch_capacity, 0, ((size_t)nmentions + 7) / 4) &&
           pingo__decision_history_table_room(h, actions);
}

static void copy_actions(struct pingo_history *h, const struct pingo_history *whole,
                         uint32_t nactions)
{
    for (; h->nactions < nactions; h->nactions++) {
        const struct pingo__decision_history_action *action = &whole->actions[h->nactions];
        h->actions[h->nactions] =
            (struct pingo__decision_history_action){.hash = action->hash,
                                                    .first_edge = action->first_edge,
                                                    .first_child = PINGO_HISTORY_NONE};
        h->facts[h->nactions] =
            (struct pingo__decision_history_facts){.size_bytes = -1, .compute_ms = -1};
        h->slots[pingo__decision_history_slot(h, &action->hash)] = h->nactions + 1;
    }
}

static void copy_edges(struct pingo_history *h, const struct pingo_history *whole, uint32_t nedges)
{
    uint32_t more = nedges - h->nedges;
    if (more == 0)
        return;
    memcpy(h->parents + h->nedges, whole->parents + h->nedges, more * sizeof *h->parents);
    memcpy(h->edges + h->nedges, whole->edges + h->nedges, more * sizeof *h->edges);
    for (; h->nedges < nedges; h->nedges++)
        h->actions[h->parents[h->nedges]].first_child = h->nedges;
}

int pingo_history_follow(struct pingo_history *h, const struct pingo_history *whole,
                         const uint8_t *flags, struct pingo_error *err)
{
    struct pingo__decision_history_tail t = {0};
    if (h->whole != whole && (h->nitems > 0 || h->nactions > 0))
        return pingo__fail(err, PINGO_EINVAL, "the history holds what is not of the other one");
    if (h->nitems >= whole->nitems)
        return pingo__fail(err, PINGO_ENOTFOUND, "the history has no more submissions");
    const struct pingo__decision_history_item *item = &whole->items[h->nitems];
    struct pingo__decision_history_content content =
        pingo__decision_history_content(whole, item->content);
    uint32_t nedges = edges_of(whole, item->nknown);
    if (!make_room(h, item->nknown, nedges, content.n))
        return pingo__fail_memory(err);
    t.key = (uint8_t *)h->scratch;
    if (!pingo__decision_history_flags(t.key + 4, flags, content.n))
        return pingo__fail(err, PINGO_EINVAL, "the flags of an action are none");
    t.list = content.list;
    t.actions = content.actions;
    t.n = content.n;
    t.at_ms = item->at_ms;
    t.user = whole->users.all[item->user].bytes;
    t.workflow = whole->workflows.all[item->workflow].bytes;
    int rc = pingo__decision_history_tail_prepare(h, &t, err);
    if (rc)
        return rc;
    if (t.list == h->lists.n) /* lists are numbered as they come */
        h->lists.all[h->lists.n++] = whole->lists.all[t.list];
    copy_actions(h, whole, item->nknown);
    copy_edges(h, whole, nedges);
    pingo__decision_history_tail_commit(h, &t);
    h->whole = whole;
    return 0;
}
