/* provenance.c - where a dataset comes from: its description and those of its ancestors, each read when it is told. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/map.h"
#include "engine/look/nearest.h"
#include "store/dataset/dataset_query.h"

struct step {
    struct pingo_hash hash;
    size_t depth;
};

struct walk {
    struct pingo_store *store;
    struct pingo_provenance_query query;
    struct pingo__arena arena; /* of the keys of seen */
    struct pingo__map seen;
    struct step *queue;
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
    if (!pingo__map_keep(&w->seen, &w->arena, hash, sizeof *hash, 0) ||
        !PINGO__ARRAY_ROOM(w->queue, w->capacity, w->tail, 1))
        return pingo__fail_memory(err);
    w->queue[w->tail++] = (struct step){*hash, depth};
    return 0;
}

static int fill(struct walk *w, const struct pingo_hash *hash, struct pingo_provenance *p,
                struct pingo__arena *arena, struct pingo_error *err)
{
    *p = (struct pingo_provenance){
        .hash = *hash, .name = "", .made_ms = -1, .compute_ms = -1, .size_bytes = -1};
    struct pingo__store_dataset_row d;
    int rc = pingo__store_dataset_newest(&w->store->db, hash, arena, &d, err);
    if (rc || !d.id)
        return rc;
    bool is_never_made = d.state == PINGO_DATASET_DELETED && d.made_ms < 0;
    p->state = is_never_made ? 0 : d.state;
    p->made_ms = d.made_ms;
    p->compute_ms = d.compute_ms;
    p->size_bytes = d.size_bytes;
    p->content = d.content;
    struct pingo_dataset_status status;
    rc = pingo__store_dataset_status(&w->store->db, d.id, arena, &status, err);
    if (rc)
        return rc;
    p->labels = status.labels;
    p->nlabels = status.nlabels;
    p->workflow = is_never_made ? 0 : status.workflow;
    p->name = status.name;
    p->adopted_from = status.adopted_from;
    if (*p->name)
        return 0;
    /* Who made the generation is in a row, as a rule; else who made another one. */
    rc = pingo__store_action_name(&w->store->db, hash, arena, &p->name, err);
    p->name = p->name ? p->name : "";
    return rc;
}

/* What is told of a step. */
struct told {
    struct pingo__arena arena;
    struct pingo_description *description;
    struct pingo_provenance p;
};

/* In one view of the store. */
static int read_step(struct walk *w, const struct step *step, struct told *t,
                     struct pingo_error *err)
{
    struct pingo__store_db *db = &w->store->db;
    int rc = pingo__store_db_begin_read(db, err);
    if (rc)
        return rc;
    rc = pingo__store_definition_decoded(db, &step->hash, &t->description, err);
    if (!rc && !t->description)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "the store knows no action with this hash");
    struct pingo__engine_placed placed = {.description = t->description};
    if (!rc)
        rc = fill(w, &step->hash, &t->p, &t->arena, err);
    if (!rc)
        rc = pingo__engine_placed_read(&placed, w->store, &step->hash, &t->arena, err);
    pingo__store_db_rollback(db);
    if (rc)
        return rc;
    t->p.depth = step->depth;
    t->p.description = t->description;
    t->p.input_places = placed.places;
    t->p.tool_places = t->p.input_places + placed.ninputs;
    t->p.version_places = t->p.tool_places + placed.ntools;
    return 0;
}

static int tell(struct walk *w, struct step step, pingo_provenance_fn fn, void *context,
                struct pingo_error *err)
{
    struct told t = {.description = NULL};
    size_t n = 0;
    int rc = read_step(w, &step, &t, err);
    if (!rc && fn(context, &t.p))
        rc = pingo__engine_stopped(err);
    const struct pingo_described_parent *parents =
        rc ? NULL : pingo_description_parents(t.description, &n);
    for (size_t i = 0; !rc && i < n; i++)
        rc = visit(w, &parents[i].hash, step.depth + 1, err);
    pingo_description_free(t.description);
    pingo__arena_clear(&t.arena);
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
