/* provenance.c - where a dataset comes from: its description and those of its ancestors, each read when it is told. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/map.h"
#include "engine/look/nearest.h"
#include "store/dataset_query.h"
#include "store/datasets.h"

struct step {
    struct pingo_hash hash; /* its key in seen */
    size_t depth;
};

struct walk {
    struct pingo_store *store;
    struct pingo_provenance_query query;
    struct pingo__arena arena; /* of the steps */
    struct pingo__map seen;
    struct step **queue;
    size_t head, tail, capacity;
    bool more;
};

static int visit(struct walk *w, const struct pingo_hash *hash, size_t depth,
                 struct pingo_error *err)
{
    if (pingo__map_get(&w->seen, hash, sizeof *hash) != PINGO__MAP_NONE)
        return 0;
    w->more = w->more || (w->query.is_bounded && depth > w->query.depth);
    if (w->query.is_bounded && depth > w->query.depth)
        return 0;
    struct step *step = pingo__arena_alloc(&w->arena, sizeof *step);
    if (!step)
        return pingo__fail_memory(err);
    *step = (struct step){*hash, depth};
    uint32_t existing;
    if (!pingo__map_insert(&w->seen, &step->hash, sizeof step->hash, 0, &existing) ||
        !PINGO__ARRAY_ROOM(w->queue, w->capacity, w->tail, 1))
        return pingo__fail_memory(err);
    w->queue[w->tail++] = step;
    return 0;
}

static int fill(struct walk *w, const struct pingo_hash *hash, struct pingo_provenance *p,
                struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list makers = {.arena = arena};
    int rc = pingo__store_action_list_by_hash(&w->store->db, hash, 1, &makers, err);
    *p = (struct pingo_provenance){
        .hash = *hash, .name = "", .made_ms = -1, .compute_ms = -1, .size_bytes = -1};
    if (!rc && makers.n)
        p->name = makers.rows[0].name;
    struct pingo__store_dataset_row d;
    if (!rc)
        rc = pingo__store_dataset_newest(&w->store->db, hash, arena, &d, err);
    if (rc || !d.id)
        return rc;
    p->state = d.state;
    p->made_ms = d.made_ms;
    p->compute_ms = d.compute_ms;
    p->size_bytes = d.size_bytes;
    p->content = d.content;
    struct pingo__store_dataset_more more;
    rc = pingo__store_dataset_more(&w->store->db, d.id, arena, &more, err);
    if (rc)
        return rc;
    p->labels = more.labels;
    p->nlabels = more.nlabels;
    rc = pingo__store_adopted_from(&w->store->db, d.id, arena, &p->adopted_from, err);
    if (rc)
        return rc;
    struct pingo__store_action_row maker;
    rc = pingo__store_action_get(&w->store->db, d.action, arena, &maker, err);
    p->workflow = maker.workflow;
    if (maker.id)
        p->name = maker.name;
    return rc;
}

static int tell(struct walk *w, const struct step *step, pingo_provenance_fn fn, void *context,
                struct pingo_error *err)
{
    const struct pingo_hash *hash = &step->hash;
    struct pingo__arena arena = {0};
    struct pingo_description *description = NULL;
    size_t n = 0;
    int rc = pingo__store_definition_decoded(&w->store->db, hash, &description, err);
    if (!rc && !description)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "the store knows no action with this hash");
    struct pingo__engine_placed placed = {.description = description};
    struct pingo_provenance p;
    if (!rc)
        rc = fill(w, hash, &p, &arena, err);
    if (!rc)
        rc = pingo__engine_placed_read(&placed, w->store, hash, &arena, err);
    if (!rc) {
        p.depth = step->depth;
        p.description = description;
        p.input_places = placed.places;
        p.tool_places = p.input_places + placed.ninputs;
        p.version_places = p.tool_places + placed.ntools;
        if (fn(context, &p))
            rc = pingo__engine_stopped(err);
    }
    const struct pingo_described_parent *parents =
        description ? pingo_description_parents(description, &n) : NULL;
    for (size_t i = 0; !rc && i < n; i++)
        rc = visit(w, &parents[i].hash, step->depth + 1, err);
    pingo_description_free(description);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_provenance(struct pingo_store *store, const struct pingo_provenance_query *query,
                           pingo_provenance_fn fn, void *context, struct pingo_error *err)
{
    struct walk w = {.store = store};
    int rc = PINGO__OPTIONS_TAKE(pingo_provenance_query, query, &w.query, err);
    if (rc)
        return rc;
    rc = visit(&w, &w.query.hash, 0, err);
    while (!rc && w.head < w.tail && !(w.query.limit && w.head == w.query.limit)) {
        rc = tell(&w, w.queue[w.head], fn, context, err);
        w.head++;
    }
    if (w.query.more)
        *w.query.more = w.more || w.head < w.tail;
    free(w.queue);
    pingo__map_clear(&w.seen);
    pingo__arena_clear(&w.arena);
    return rc;
}
