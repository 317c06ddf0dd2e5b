/* history_share.c - what submissions share: lists of actions, lists with flags, names.
 *
 * Preparing may fail and changes nothing that can be seen; the commit after it
 * cannot fail. */
#include <string.h>

#include "base/error.h"
#include "decision/history/history.h"

#define NONE PINGO_HISTORY_NONE

static bool tail_room(struct pingo_history *h)
{
    return PINGO__ARRAY_ROOM(h->items, h->items_capacity, h->nitems, 1) &&
           PINGO__ARRAY_ROOM(h->lists, h->lists_capacity, h->nlists, 1) &&
           PINGO__ARRAY_ROOM(h->contents, h->contents_capacity, h->ncontents, 1) &&
           pingo__map_reserve(&h->list_map, (size_t)h->nlists + 1) &&
           pingo__map_reserve(&h->content_map, (size_t)h->ncontents + 1);
}

int pingo__decision_history_tail_prepare(struct pingo_history *h,
                                         struct pingo__decision_history_tail *t,
                                         struct pingo_error *err)
{
    size_t bytes = t->n * sizeof *t->actions, key = 4 + (size_t)t->n;
    if (h->nitems >= NONE - 1)
        return pingo__fail(err, PINGO_ELIMIT, "the history is full");
    if (!tail_room(h) || !pingo__decision_history_name_prepare(h, &h->users, t->user, &t->new_user) ||
        !pingo__decision_history_name_prepare(h, &h->workflows, t->workflow, &t->new_workflow))
        return pingo__fail_memory(err);
    if (t->list == NONE)
        t->list = pingo__map_get(&h->list_map, t->actions, bytes);
    if (t->list == NONE) {
        t->new_actions = pingo__arena_alloc(&h->arena, bytes);
        if (!t->new_actions)
            return pingo__fail_memory(err);
        memcpy(t->new_actions, t->actions, bytes);
    }
    memcpy(t->key, t->list == NONE ? &h->nlists : &t->list, 4);
    t->content = pingo__map_get(&h->content_map, t->key, key);
    if (t->content == NONE) {
        t->new_key = pingo__arena_alloc(&h->arena, key);
        if (!t->new_key)
            return pingo__fail_memory(err);
        memcpy(t->new_key, t->key, key);
    }
    return 0;
}

void pingo__decision_history_tail_commit(struct pingo_history *h,
                                         struct pingo__decision_history_tail *t)
{
    if (t->list == NONE) {
        t->list = h->nlists++;
        h->lists[t->list] =
            (struct pingo__decision_history_list){.actions = t->new_actions, .n = t->n};
        pingo__map_insert(&h->list_map, t->new_actions, t->n * sizeof *t->actions, t->list, NULL);
    }
    if (t->content == NONE) {
        t->content = h->ncontents++;
        h->contents[t->content] =
            (struct pingo__decision_history_content){.list = t->list, .flags = t->new_key + 4};
        pingo__map_insert(&h->content_map, t->new_key, 4 + (size_t)t->n, t->content, NULL);
    }
    h->items[h->nitems++] = (struct pingo__decision_history_item){
        .at_ms = t->at_ms,
        .user = pingo__decision_history_name(&h->users, t->user, t->new_user),
        .workflow = pingo__decision_history_name(&h->workflows, t->workflow, t->new_workflow),
        .content = t->content,
        .nknown = h->nactions};
    h->nmentions += t->n;
    h->whole = NULL;
}

/* ---- the same again --------------------------------------------------------------------------------- */

bool pingo__decision_history_flags(uint8_t *to, const uint8_t *flags, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = flags[i];
        if (flags[i] >= 128 || (flags[i] & PINGO_HISTORY_LEAF_IF_LAST) ||
            (flags[i] & PINGO_HISTORY_OUTCOME) > PINGO_HISTORY_COMPUTED)
            return false;
    }
    return true;
}

/* Leaves were reused, the rest was skipped. */
static void again_flags(const struct pingo__decision_history_content *content, uint32_t n,
                        uint8_t *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = content->flags[i] & PINGO_HISTORY_LEAF ? PINGO_HISTORY_LEAF | PINGO_HISTORY_REUSED
                                                       : PINGO_HISTORY_SKIPPED;
}

int pingo_history_append_again(struct pingo_history *h, const struct pingo_history_again *again,
                               struct pingo_error *err)
{
    struct pingo__decision_history_tail t = {.user = again->user, .at_ms = again->at_ms};
    uint32_t earlier = again->earlier;
    if (earlier >= h->nitems)
        return pingo__fail(err, PINGO_ENOTFOUND, "the history has no submission %lu",
                           (unsigned long)earlier);
    if (again->at_ms < 0 || !again->user)
        return pingo__fail(err, PINGO_EINVAL, "a submission has a time and a user");
    const struct pingo__decision_history_content *content = &h->contents[h->items[earlier].content];
    t.workflow = h->workflows.names[h->items[earlier].workflow];
    t.list = content->list;
    t.actions = h->lists[content->list].actions;
    t.n = h->lists[content->list].n;
    if (!PINGO__ARRAY_ROOM(h->scratch, h->scratch_capacity, 0, ((size_t)t.n + 7) / 4))
        return pingo__fail_memory(err);
    t.key = (uint8_t *)h->scratch;
    if (!again->flags)
        again_flags(content, t.n, t.key + 4);
    else if (!pingo__decision_history_flags(t.key + 4, again->flags, t.n))
        return pingo__fail(err, PINGO_EINVAL, "the flags of an action are none");
    int rc = pingo__decision_history_tail_prepare(h, &t, err);
    if (!rc)
        pingo__decision_history_tail_commit(h, &t);
    return rc;
}
