/* history_share.c - what submissions share: lists of actions, lists with flags, names.
 *
 * Preparing may fail and changes nothing that can be seen; the commit after it
 * cannot fail. */
#include <string.h>

#include "base/error.h"
#include "decision/history/history.h"

#define NONE PINGO_HISTORY_NONE

static bool make_room(struct pingo__decision_history_pieces *pieces)
{
    return PINGO__ARRAY_ROOM(pieces->all, pieces->capacity, pieces->n, 1) &&
           pingo__map_reserve(&pieces->map, (size_t)pieces->n + 1);
}

static bool find(struct pingo__arena *arena, struct pingo__decision_history_pieces *pieces,
                 struct pingo__decision_history_piece piece,
                 struct pingo__decision_history_found *found)
{
    found->number = pingo__map_get(&pieces->map, piece.bytes, piece.n);
    if (found->number != NONE)
        return true;
    char *copy = make_room(pieces) ? pingo__arena_alloc(arena, piece.n + 1) : NULL;
    if (!copy)
        return false;
    memcpy(copy, piece.bytes, piece.n);
    copy[piece.n] = '\0';
    found->copy = (struct pingo__decision_history_piece){copy, piece.n};
    return true;
}

static uint32_t number_of(struct pingo__decision_history_pieces *pieces,
                          const struct pingo__decision_history_found *found)
{
    if (found->number != NONE)
        return found->number;
    pieces->all[pieces->n] = found->copy;
    pingo__map_insert(&pieces->map, found->copy.bytes, found->copy.n, pieces->n, NULL);
    return pieces->n++;
}

#define PIECE(bytes, n) ((struct pingo__decision_history_piece){bytes, n})

static bool find_list(struct pingo_history *h, struct pingo__decision_history_tail *t)
{
    t->found_list.number = t->list;
    return t->list != NONE ? make_room(&h->lists)
                           : find(&h->arena, &h->lists,
                                  PIECE(t->actions, t->n * sizeof *t->actions), &t->found_list);
}

int pingo__decision_history_tail_prepare(struct pingo_history *h,
                                         struct pingo__decision_history_tail *t,
                                         struct pingo_error *err)
{
    if (h->nitems >= NONE - 1)
        return pingo__fail(err, PINGO_ELIMIT, "the history is full");
    if (!PINGO__ARRAY_ROOM(h->items, h->items_capacity, h->nitems, 1) ||
        !find(&h->arena, &h->users, PIECE(t->user, strlen(t->user)), &t->found_user) ||
        !find(&h->arena, &h->workflows, PIECE(t->workflow, strlen(t->workflow)), &t->found_workflow) ||
        !find_list(h, t))
        return pingo__fail_memory(err);
    memcpy(t->key, t->found_list.number == NONE ? &h->lists.n : &t->found_list.number, 4);
    return find(&h->arena, &h->contents, PIECE(t->key, 4 + (size_t)t->n), &t->found_content)
               ? 0
               : pingo__fail_memory(err);
}

void pingo__decision_history_tail_commit(struct pingo_history *h,
                                         const struct pingo__decision_history_tail *t)
{
    number_of(&h->lists, &t->found_list);
    h->items[h->nitems++] = (struct pingo__decision_history_item){
        .at_ms = t->at_ms,
        .user = number_of(&h->users, &t->found_user),
        .workflow = number_of(&h->workflows, &t->found_workflow),
        .content = number_of(&h->contents, &t->found_content),
        .nknown = h->nactions};
    h->nmentions += t->n;
    h->whole = NULL;
}

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
static void again_flags(const struct pingo__decision_history_content *content, uint8_t *to)
{
    for (uint32_t i = 0; i < content->n; i++)
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
    struct pingo__decision_history_content content =
        pingo__decision_history_content(h, h->items[earlier].content);
    t.workflow = h->workflows.all[h->items[earlier].workflow].bytes;
    t.list = content.list;
    t.actions = content.actions;
    t.n = content.n;
    if (!PINGO__ARRAY_ROOM(h->scratch, h->scratch_capacity, 0, ((size_t)t.n + 7) / 4))
        return pingo__fail_memory(err);
    t.key = (uint8_t *)h->scratch;
    if (!again->flags)
        again_flags(&content, t.key + 4);
    else if (!pingo__decision_history_flags(t.key + 4, again->flags, t.n))
        return pingo__fail(err, PINGO_EINVAL, "the flags of an action are none");
    int rc = pingo__decision_history_tail_prepare(h, &t, err);
    if (!rc)
        pingo__decision_history_tail_commit(h, &t);
    return rc;
}
