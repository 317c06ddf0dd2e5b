/* provenance.c - where a dataset comes from: its description and those of all its ancestors. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "engine/look/nearest.h"
#include "store/dataset_query.h"
#include "store/adopted.h"
#include "store/datasets.h"

struct walk {
    struct pingo_store *store;
    struct pingo__arena arena; /* of the hashes */
    struct pingo__map seen;
    struct pingo_hash **queue;
    size_t head, tail, capacity;
};

static int visit(struct walk *w, const struct pingo_hash *hash, struct pingo_error *err)
{
    struct pingo_hash *copy;
    uint32_t existing;

    if (pingo__map_get(&w->seen, hash, sizeof *hash) != PINGO__MAP_NONE)
        return 0;
    copy = pingo__arena_alloc(&w->arena, sizeof *copy);
    if (!copy)
        return pingo__fail_memory(err);
    *copy = *hash;
    if (!pingo__map_insert(&w->seen, copy, sizeof *copy, 0, &existing))
        return pingo__fail_memory(err);
    if (w->tail == w->capacity) {
        size_t n = w->capacity ? w->capacity * 2 : 64;
        struct pingo_hash **grown = realloc(w->queue, n * sizeof *grown);

        if (!grown)
            return pingo__fail_memory(err);
        w->queue = grown;
        w->capacity = n;
    }
    w->queue[w->tail++] = copy;
    return 0;
}

static int fill(struct walk *w, const struct pingo_hash *hash, struct pingo_provenance *p,
                struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row d;
    struct pingo__dataset_more more;
    struct pingo__action_list makers;
    struct pingo__action_row maker;
    int rc = pingo__action_list_by_hash(&w->store->db, hash, 1, arena, &makers, err);

    *p = (struct pingo_provenance){
        .hash = *hash, .name = "", .made_ms = -1, .compute_ms = -1, .size_bytes = -1};
    if (!rc && makers.n)
        p->name = makers.rows[0].name;
    if (!rc)
        rc = pingo__dataset_newest(&w->store->db, hash, arena, &d, err);
    if (rc != 1)
        return rc;
    p->state = d.state;
    p->made_ms = d.made_ms;
    p->compute_ms = d.compute_ms;
    p->size_bytes = d.size_bytes;
    p->content = d.content;
    rc = pingo__dataset_more(&w->store->db, d.id, arena, &more, err);
    if (rc < 0)
        return rc;
    p->labels = more.labels;
    p->nlabels = more.nlabels;
    rc = pingo__adopted_from(&w->store->db, d.id, arena, &p->adopted_from, err);
    if (rc)
        return rc;
    rc = pingo__action_get(&w->store->db, d.action, arena, &maker, err);
    if (rc == 1) {
        p->workflow = maker.workflow;
        p->name = maker.name;
    }
    return rc < 0 ? rc : 0;
}

static int tell(struct walk *w, const struct pingo_hash *hash, pingo_provenance_fn fn,
                void *context, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo_provenance p;
    struct pingo_description *description = NULL;
    const struct pingo_described_parent *parents;
    const void *bytes = NULL;
    size_t length = 0, n = 0;
    int rc;

    pingo__arena_init(&arena);
    rc = pingo__definition_get(&w->store->db, hash, &arena, &bytes, &length, err);
    if (rc == 0)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "the store knows no action with this hash");
    if (rc == 1)
        rc = pingo_description_decode(bytes, length, &description, err);
    if (!rc)
        rc = fill(w, hash, &p, &arena, err);
    if (!rc)
        rc = pingo__places_read(w->store, hash, description, &arena, &p.input_places, err);
    if (!rc) {
        p.description = description;
        pingo_description_inputs(description, &n);
        p.tool_places = p.input_places + n;
        pingo_description_tools(description, &n);
        p.version_places = p.tool_places + n;
        if (fn(context, &p))
            rc = pingo__stopped(err);
    }
    n = 0;
    parents = description ? pingo_description_parents(description, &n) : NULL;
    for (size_t i = 0; !rc && i < n; i++)
        rc = visit(w, &parents[i].hash, err);
    pingo_description_free(description);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_provenance(struct pingo_store *store, const struct pingo_hash *hash,
                           pingo_provenance_fn fn, void *context, struct pingo_error *err)
{
    struct walk w = {.store = store};
    int rc;

    pingo__arena_init(&w.arena);
    pingo__map_init(&w.seen);
    rc = visit(&w, hash, err);
    while (!rc && w.head < w.tail)
        rc = tell(&w, w.queue[w.head++], fn, context, err);
    free(w.queue);
    pingo__map_clear(&w.seen);
    pingo__arena_clear(&w.arena);
    return rc;
}
