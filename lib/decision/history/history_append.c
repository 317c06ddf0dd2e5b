/* history_append.c - a submission enters the history.
 *
 * New actions are put into the table at once, under provisional indexes in the
 * order in which they are mentioned, and get their final ones when the order of
 * parents is known.  What fails before the commit takes them out again, the last
 * first, which leaves the table as it was; the commit itself cannot fail. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "decision/history/history.h"

#define NONE PINGO_HISTORY_NONE
#define OPEN (NONE - 1) /* on the stack of the search */

struct append {
    struct pingo_history *h;
    const struct pingo_history_entry *entry;
    uint32_t n;
    uint32_t nnew;
    uint32_t *index;   /* of each mention */
    uint32_t *slot;    /* of each new action */
    uint32_t *first;   /* its first mention */
    uint32_t *definer; /* the mention that gives its parents; NONE */
    uint32_t *start;   /* where its parents begin in links; one more at the end */
    uint32_t *links;
    uint32_t *rank;  /* its place among the new ones */
    uint32_t *order; /* the other way round; before that, the stack of the search */
    uint32_t *cursor;
    uint8_t *key; /* number of the list, then the flags */
    uint32_t blame;
};

/* ---- hashes to indexes -------------------------------------------------------------------- */

static int wrong(struct append *a, uint32_t mention, struct pingo_error *err, const char *what)
{
    a->blame = mention;
    return pingo__fail(err, PINGO_EINVAL, "%s", what);
}

static int wrong_parent(struct append *a, uint32_t mention, const struct pingo_hash *parent,
                        struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE];
    a->blame = mention;
    pingo__text_hex(parent->bytes, PINGO_HASH_SIZE, hex);
    return pingo__fail(err, PINGO_EINVAL, "its parent %s is no action of the same submission", hex);
}

static int check(struct append *a, size_t *nlinks, struct pingo_error *err)
{
    const struct pingo_history_entry *e = a->entry;
    *nlinks = 0;
    if (e->at_ms < 0 || !e->user || !e->workflow || e->nmentions == 0)
        return pingo__fail(err, PINGO_EINVAL,
                           "a submission has a time, a user, a name and at least one action");
    if (e->nmentions >= NONE / 4 || a->h->nactions >= NONE / 2)
        return pingo__fail(err, PINGO_ELIMIT, "the history is full");
    for (uint32_t i = 0; i < e->nmentions; i++) {
        const struct pingo_history_mention *m = &e->mentions[i];
        if (m->flags >= 128 || (m->flags & PINGO_HISTORY_OUTCOME) > PINGO_HISTORY_COMPUTED)
            return wrong(a, i, err, "its flags are none");
        if (m->size_bytes < -1 || m->compute_ms < -1)
            return wrong(a, i, err, "its size or time is negative");
        *nlinks += m->has_parents ? m->nparents : 0;
    }
    if (*nlinks + a->h->nedges >= NONE - 1)
        return pingo__fail(err, PINGO_ELIMIT, "the history is full");
    return 0;
}

static bool make_room(struct append *a, size_t nlinks)
{
    struct pingo_history *h = a->h;
    size_t n = a->entry->nmentions, all = n * 8 + 1 + nlinks + (n + 7) / 4;
    if (!PINGO__ARRAY_ROOM(h->actions, h->actions_capacity, h->nactions, n) ||
        !PINGO__ARRAY_ROOM(h->facts, h->facts_capacity, h->nactions, n) ||
        !PINGO__ARRAY_ROOM(h->parents, h->parents_capacity, h->nedges, nlinks) ||
        !PINGO__ARRAY_ROOM(h->edges, h->edges_capacity, h->nedges, nlinks) ||
        !PINGO__ARRAY_ROOM(h->scratch, h->scratch_capacity, 0, all) ||
        !pingo__decision_history_table_room(h, n))
        return false;
    uint32_t *s = h->scratch;
    a->n = (uint32_t)n;
    a->index = s, s += n;
    a->slot = s, s += n;
    a->first = s, s += n;
    a->definer = s, s += n;
    a->rank = s, s += n;
    a->order = s, s += n;
    a->cursor = s, s += n;
    a->start = s, s += n + 1;
    a->links = s, s += nlinks;
    a->key = (uint8_t *)s;
    return true;
}

/* A new stamp: what was mentioned before has another one. */
static void new_stamp(struct pingo_history *h)
{
    if (++h->stamp != 0)
        return;
    for (uint32_t i = 0; i < h->nactions; i++)
        h->actions[i].mentioned = h->actions[i].parent = 0;
    h->stamp = 1;
}

static void resolve(struct append *a)
{
    struct pingo_history *h = a->h;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct pingo_history_mention *m = &a->entry->mentions[i];
        size_t slot = pingo__decision_history_slot(h, &m->hash);
        uint32_t k;
        if (!h->slots[slot]) {
            k = a->nnew++;
            h->actions[h->nactions + k] =
                (struct pingo__decision_history_action){.hash = m->hash, .first_child = NONE};
            h->facts[h->nactions + k] =
                (struct pingo__decision_history_facts){.size_bytes = -1, .compute_ms = -1};
            h->slots[slot] = h->nactions + k + 1;
            a->slot[k] = (uint32_t)slot;
            a->first[k] = i;
            a->definer[k] = NONE;
        }
        a->index[i] = h->slots[slot] - 1;
        h->actions[a->index[i]].mentioned = h->stamp;
        k = a->index[i] - h->nactions;
        if (a->index[i] >= h->nactions && m->has_parents && a->definer[k] == NONE)
            a->definer[k] = i;
    }
}

static void undo(struct append *a)
{
    while (a->nnew > 0)
        a->h->slots[a->slot[--a->nnew]] = 0;
}

/* The indexes of a mention's parents, as they are now. */
static int parents_of(struct append *a, uint32_t i, uint32_t *links, struct pingo_error *err)
{
    const struct pingo_history_mention *m = &a->entry->mentions[i];
    for (size_t k = 0; k < m->nparents; k++) {
        uint32_t found = a->h->slots[pingo__decision_history_slot(a->h, &m->parents[k])];
        if (!found || a->h->actions[found - 1].mentioned != a->h->stamp)
            return wrong_parent(a, i, &m->parents[k], err);
        links[k] = found - 1;
    }
    return 0;
}

static int link_new(struct append *a, struct pingo_error *err)
{
    uint32_t n = 0;
    int rc = 0;
    for (uint32_t k = 0; !rc && k < a->nnew; k++) {
        a->start[k] = n;
        if (a->definer[k] == NONE)
            continue;
        rc = parents_of(a, a->definer[k], a->links + n, err);
        n += (uint32_t)a->entry->mentions[a->definer[k]].nparents;
    }
    a->start[a->nnew] = n;
    return rc;
}

/* ---- the order of new actions ----------------------------------------------------------------- */

/* One depth-first search, without recursion; *next is the next free rank. */
static int search(struct append *a, uint32_t from, uint32_t *next, struct pingo_error *err)
{
    uint32_t depth = 0;
    a->order[depth++] = from;
    a->rank[from] = OPEN;
    a->cursor[from] = a->start[from];
    while (depth > 0) {
        uint32_t k = a->order[depth - 1];
        if (a->cursor[k] == a->start[k + 1]) {
            a->rank[k] = (*next)++;
            depth--;
            continue;
        }
        uint32_t p = a->links[a->cursor[k]++];
        if (p < a->h->nactions || a->rank[p -= a->h->nactions] < OPEN)
            continue; /* it was known before, or has its rank */
        if (a->rank[p] == OPEN)
            return wrong(a, a->definer[k], err, "its parents make a cycle");
        a->order[depth++] = p;
        a->rank[p] = OPEN;
        a->cursor[p] = a->start[p];
    }
    return 0;
}

static int put_in_order(struct append *a, struct pingo_error *err)
{
    struct pingo_history *h = a->h;
    uint32_t next = 0, base = h->nactions;
    int rc = 0;
    for (uint32_t k = 0; k < a->nnew; k++)
        a->rank[k] = NONE;
    for (uint32_t k = 0; !rc && k < a->nnew; k++)
        if (a->rank[k] == NONE)
            rc = search(a, k, &next, err);
    if (rc)
        return rc;
    for (uint32_t k = 0; k < a->nnew; k++) {
        a->order[a->rank[k]] = k;
        h->actions[base + a->rank[k]].hash = a->entry->mentions[a->first[k]].hash;
        h->slots[a->slot[k]] = base + a->rank[k] + 1;
    }
    for (uint32_t i = 0; i < a->n; i++)
        if (a->index[i] >= base)
            a->index[i] = base + a->rank[a->index[i] - base];
    for (uint32_t i = 0; i < a->start[a->nnew]; i++)
        if (a->links[i] >= base)
            a->links[i] = base + a->rank[a->links[i] - base];
    return 0;
}

/* ---- edges -------------------------------------------------------------------------------------- */

/* Rising, each once; how many are left. */
static uint32_t tidy(uint32_t *links, uint32_t n)
{
    uint32_t kept = 0;
    bool is_tidy = true;
    for (uint32_t i = 1; i < n; i++)
        is_tidy = is_tidy && links[i - 1] < links[i];
    if (is_tidy)
        return n;
    qsort(links, n, sizeof *links, pingo__array_by_number);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || links[kept - 1] != links[i])
            links[kept++] = links[i];
    return kept;
}

/* Behind the edges that are there; they count from the commit on. */
static uint32_t write_edges(struct append *a)
{
    struct pingo_history *h = a->h;
    uint32_t at = h->nedges;
    for (uint32_t r = 0; r < a->nnew; r++) {
        uint32_t k = a->order[r];
        uint32_t n = tidy(a->links + a->start[k], a->start[k + 1] - a->start[k]);
        h->actions[h->nactions + r].first_edge = at;
        for (uint32_t i = 0; i < n; i++, at++) {
            h->parents[at] = a->links[a->start[k] + i];
            h->edges[at].child = h->nactions + r;
        }
    }
    return at;
}

/* Where the parents of an action end, new ones included. */
static uint32_t end_of(const struct append *a, uint32_t action, uint32_t nedges)
{
    return action + 1 < a->h->nactions + a->nnew ? a->h->actions[action + 1].first_edge : nedges;
}

/* Parents that are known, and not said again, are in the submission too. */
static int find_parents(struct append *a, uint32_t i, struct pingo_error *err)
{
    const struct pingo_history *h = a->h;
    uint32_t action = a->index[i],
             n = action < h->nactions ? pingo__decision_history_nparents(h, action) : 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct pingo__decision_history_action *parent =
            &h->actions[h->parents[h->actions[action].first_edge + k]];
        if (parent->mentioned != h->stamp)
            return wrong_parent(a, i, &parent->hash, err);
    }
    return 0;
}

/* Whoever is mentioned with parents has those that he had before. */
static int compare_parents(struct append *a, uint32_t nedges, struct pingo_error *err)
{
    struct pingo_history *h = a->h;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < a->n; i++) {
        const struct pingo_history_mention *m = &a->entry->mentions[i];
        uint32_t action = a->index[i], begin = h->actions[action].first_edge;
        if (!m->has_parents) {
            rc = find_parents(a, i, err);
            continue;
        }
        if (action >= h->nactions && a->definer[a->order[action - h->nactions]] == i)
            continue;
        rc = parents_of(a, i, a->links, err);
        if (rc)
            continue;
        uint32_t n = tidy(a->links, (uint32_t)m->nparents);
        if (n != end_of(a, action, nedges) - begin ||
            (n && memcmp(a->links, h->parents + begin, n * sizeof *a->links) != 0))
            rc = wrong(a, i, err,
                       "its parents are other ones than were given for the same hash before");
    }
    return rc;
}

/* ---- flags, facts, commit ------------------------------------------------------------------------- */

static void set_flags(struct append *a, uint32_t nedges)
{
    struct pingo_history *h = a->h;
    bool asked = false;
    for (uint32_t i = 0; i < a->n; i++) {
        a->key[4 + i] = (uint8_t)a->entry->mentions[i].flags;
        asked = asked || (a->entry->mentions[i].flags & PINGO_HISTORY_LEAF_IF_LAST);
    }
    if (!asked)
        return;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t e = h->actions[a->index[i]].first_edge, end = end_of(a, a->index[i], nedges);
             e < end; e++)
            h->actions[h->parents[e]].parent = h->stamp;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!(a->key[4 + i] & PINGO_HISTORY_LEAF_IF_LAST))
            continue;
        a->key[4 + i] &= (uint8_t)~PINGO_HISTORY_LEAF_IF_LAST;
        if (h->actions[a->index[i]].parent != h->stamp)
            a->key[4 + i] |= PINGO_HISTORY_LEAF;
    }
}

static void commit(struct append *a, uint32_t nedges)
{
    struct pingo_history *h = a->h;
    h->nactions += a->nnew;
    for (uint32_t e = h->nedges; e < nedges; e++) {
        h->edges[e].next = h->actions[h->parents[e]].first_child;
        h->actions[h->parents[e]].first_child = e;
    }
    h->nedges = nedges;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct pingo_history_mention *m = &a->entry->mentions[i];
        struct pingo__decision_history_facts *facts = &h->facts[a->index[i]];
        if (m->size_bytes >= 0)
            facts->size_bytes = m->size_bytes;
        if (m->compute_ms >= 0)
            facts->compute_ms = m->compute_ms;
    }
}

int pingo__decision_history_append(struct pingo_history *h, const struct pingo_history_entry *entry,
                                   uint32_t *blame, struct pingo_error *err)
{
    struct append a = {.h = h, .entry = entry, .blame = NONE};
    struct pingo__decision_history_tail t = {
        .list = NONE, .user = entry->user, .workflow = entry->workflow, .at_ms = entry->at_ms};
    size_t nlinks = 0;
    uint32_t nedges = h->nedges;
    int rc = check(&a, &nlinks, err);
    if (!rc && !make_room(&a, nlinks))
        rc = pingo__fail_memory(err);
    if (rc)
        goto out;
    new_stamp(h);
    resolve(&a);
    rc = link_new(&a, err);
    if (!rc)
        rc = put_in_order(&a, err);
    if (!rc) {
        nedges = write_edges(&a);
        rc = compare_parents(&a, nedges, err);
    }
    if (!rc) {
        set_flags(&a, nedges);
        t.actions = a.index;
        t.n = a.n;
        t.key = a.key;
        rc = pingo__decision_history_tail_prepare(h, &t, err);
    }
    if (!rc) {
        commit(&a, nedges);
        pingo__decision_history_tail_commit(h, &t);
    } else {
        undo(&a);
    }
out:
    *blame = a.blame;
    return rc;
}

int pingo_history_append(struct pingo_history *h, const struct pingo_history_entry *entry,
                         uint32_t *index, struct pingo_error *err)
{
    uint32_t blame;
    int rc = pingo__decision_history_append(h, entry, &blame, err);
    if (!rc && index)
        *index = h->nitems - 1;
    if (rc && blame != NONE)
        pingo__error_prefix(err, "action %lu", (unsigned long)blame);
    return rc;
}
