/* history.c - the history of a store, from its submissions, definitions and datasets.
 *
 * All is read in one view of the database.  A graph is loaded when it occurs for
 * the first time; submitted again, it costs one entry.  The edges come from the
 * canonical descriptions: they are what the hashes were made of. */
#include <pingo/history.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "digest/originals.h"
#include "engine/edges.h"
#include "engine/engine.h"
#include "store/history.h"

struct loading {
    struct pingo_store *store;
    struct pingo_history *history;
    struct pingo__edges edges;   /* empty where only a part is asked for */
    struct pingo__arena arena;   /* of one graph; taken back after it */
    struct pingo__arena numbers; /* of the keys of the maps */
    struct pingo__map graphs;    /* id of a graph -> its first submission in the history */
    struct pingo__map workflows; /* number of a workflow -> its submission in the history */
    struct pingo_history_mention *mentions;
    uint8_t *flags;
    size_t mentions_capacity, flags_capacity;
};

static bool put(struct loading *l, struct pingo__map *map, int64_t key, uint32_t value)
{
    int64_t *kept = pingo__arena_alloc(&l->numbers, sizeof *kept);

    if (!kept)
        return false;
    *kept = key;
    return pingo__map_insert(map, kept, sizeof *kept, value, NULL);
}

static uint32_t get(const struct pingo__map *map, int64_t key)
{
    return pingo__map_get(map, &key, sizeof key);
}

/* ---- flags --------------------------------------------------------------------------- */

static uint8_t flags_of_decision(uint8_t decision, uint8_t reason)
{
    static const uint8_t outcomes[] = {PINGO_HISTORY_SKIPPED, PINGO_HISTORY_REUSED,
                                       PINGO_HISTORY_JOINED, PINGO_HISTORY_COMPUTED};
    uint8_t flags = decision < sizeof outcomes ? outcomes[decision] : PINGO_HISTORY_UNKNOWN;

    return (uint8_t)(flags | (reason == PINGO_REASON_FORCED ? PINGO_HISTORY_FORCED : 0));
}

/* What became of each action, from the plan as it was kept. */
static int read_flags(struct loading *l, const struct pingo__history_workflow *row, size_t n,
                      struct pingo_error *err)
{
    const char *wanted = row->targets ? row->targets : row->leaves;
    size_t nwanted = row->targets ? row->ntargets : row->nleaves;

    if (row->decisions && row->ndecisions != n)
        return pingo__fail(err, PINGO_ECORRUPT,
                           "workflow %" PRId64 ": its plan does not fit its actions", row->id);
    for (size_t i = 0; i < n; i++)
        l->flags[i] = row->decisions
                          ? flags_of_decision(row->decisions[2 * i], row->decisions[2 * i + 1])
                          : PINGO_HISTORY_SKIPPED;
    for (size_t i = 0; i < nwanted; i++) {
        uint32_t position;

        memcpy(&position, wanted + 4 * i, 4);
        if (position >= n)
            return pingo__fail(err, PINGO_ECORRUPT,
                               "workflow %" PRId64 ": it wants an action that it has not", row->id);
        if (!row->decisions)
            l->flags[position] = PINGO_HISTORY_REUSED;
        l->flags[position] |= PINGO_HISTORY_LEAF;
    }
    return 0;
}

static bool room_for(struct loading *l, size_t n)
{
    if (n > l->flags_capacity) {
        uint8_t *flags = realloc(l->flags, n);

        if (!flags)
            return false;
        l->flags = flags;
        l->flags_capacity = n;
    }
    if (n > l->mentions_capacity) {
        struct pingo_history_mention *mentions = realloc(l->mentions, n * sizeof *mentions);

        if (!mentions)
            return false;
        l->mentions = mentions;
        l->mentions_capacity = n;
    }
    return true;
}

/* ---- submissions ------------------------------------------------------------------------ */

static int read_parents(struct loading *l, struct pingo_history_mention *m, struct pingo_error *err)
{
    struct pingo_description *description = NULL;
    const struct pingo_described_parent *parents;
    struct pingo_hash *hashes;
    const void *bytes = NULL;
    size_t length = 0, n = 0;
    int rc;

    m->has_parents = true;
    if (l->edges.n)
        return pingo__edges_parents(&l->edges, &m->hash, &l->arena, &m->parents, &m->nparents, err);
    rc = pingo__definition_get(&l->store->db, &m->hash, &l->arena, &bytes, &length, err);

    if (rc != 1)
        return rc < 0
                   ? rc
                   : pingo__fail(err, PINGO_ECORRUPT, "an action has no description in the store");
    rc = pingo_description_decode(bytes, length, &description, err);
    if (rc)
        return rc;
    parents = pingo_description_parents(description, &n);
    hashes = pingo__arena_array(&l->arena, n + 1, sizeof *hashes);
    for (size_t i = 0; hashes && i < n; i++)
        hashes[i] = parents[i].hash;
    m->parents = hashes;
    m->nparents = n;
    pingo_description_free(description);
    return hashes ? 0 : pingo__fail_memory(err);
}

static int add_first(struct loading *l, const struct pingo__history_workflow *row, uint32_t *index,
                     struct pingo_error *err)
{
    struct pingo_history_entry entry = {
        .at_ms = row->submitted_ms, .user = row->user, .workflow = row->name};
    struct pingo__graph graph;
    int rc = pingo__graph_load(&l->store->db, row->graph, &l->arena, &graph, err);

    if (!rc && !room_for(l, graph.nhashes))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = read_flags(l, row, graph.nhashes, err);
    for (size_t i = 0; !rc && i < graph.nhashes; i++) {
        l->mentions[i] = (struct pingo_history_mention){
            .hash = graph.hashes[i], .size_bytes = -1, .compute_ms = -1, .flags = l->flags[i]};
        if (pingo_history_find(l->history, &graph.hashes[i]) == PINGO_HISTORY_NONE)
            rc = read_parents(l, &l->mentions[i], err);
    }
    if (rc)
        return rc;
    entry.mentions = l->mentions;
    entry.nmentions = graph.nhashes;
    rc = pingo_history_append(l->history, &entry, index, err);
    if (rc == PINGO_EINVAL) {
        rc = PINGO_ECORRUPT;
        pingo__error_prefix(err, "workflow %" PRId64, row->id);
        if (err)
            err->code = rc;
    }
    if (!rc && !put(l, &l->graphs, row->graph, *index))
        rc = pingo__fail_memory(err);
    return rc;
}

static int add_again(struct loading *l, const struct pingo__history_workflow *row, uint32_t first,
                     uint32_t *index, struct pingo_error *err)
{
    struct pingo_history_submission s;
    int rc;

    pingo_history_submission(l->history, first, &s);
    if (!room_for(l, s.nactions))
        return pingo__fail_memory(err);
    rc = read_flags(l, row, s.nactions, err);
    if (!rc)
        rc = pingo_history_append_again(l->history, first, row->submitted_ms, row->user, l->flags,
                                        err);
    *index = pingo_history_count_submissions(l->history) - 1;
    return rc;
}

static int add(void *context, const struct pingo__history_workflow *row, struct pingo_error *err)
{
    struct loading *l = context;
    uint32_t first = get(&l->graphs, row->graph), index = 0;
    int rc = first == PINGO__MAP_NONE ? add_first(l, row, &index, err)
                                      : add_again(l, row, first, &index, err);

    pingo__arena_reset(&l->arena);
    if (!rc && !put(l, &l->workflows, row->id, index))
        rc = pingo__fail_memory(err);
    return rc;
}

/* ---- datasets ---------------------------------------------------------------------------- */

static int set_known(void *context, const struct pingo_hash *hash, int64_t compute_ms,
                     int64_t size_bytes, struct pingo_error *err)
{
    struct loading *l = context;
    uint32_t action = pingo_history_find(l->history, hash);

    (void)err;
    pingo_history_set_compute(l->history, action, compute_ms);
    pingo_history_set_size(l->history, action, size_bytes);
    return 0;
}

static int note_deleted(void *context, const struct pingo_hash *hash, int64_t size_bytes,
                        int64_t workflow, struct pingo_error *err)
{
    struct loading *l = context;
    uint32_t action = pingo_history_find(l->history, hash);
    uint32_t submission = get(&l->workflows, workflow);

    if (action == PINGO_HISTORY_NONE || submission == PINGO__MAP_NONE)
        return 0; /* of a submission that was not asked for */
    return pingo_history_note_eviction(l->history, action, -1, size_bytes, submission, err);
}

static int load(struct loading *l, const struct pingo_store_history_options *options,
                struct pingo_error *err)
{
    struct pingo__db *db = &l->store->db;
    int rc = 0;

    if (!options->since_ms && !options->until_ms)
        rc = pingo__edges_load(db, &l->edges, err);
    if (!rc)
        rc = pingo__history_workflows(db, options->since_ms, options->until_ms, add, l, err);
    pingo__edges_clear(&l->edges);
    if (!rc)
        rc = pingo__history_known(db, set_known, l, err);
    if (!rc)
        rc = pingo__history_deleted(db, note_deleted, l, err);
    return rc;
}

int pingo_store_history(struct pingo_store *store, const struct pingo_store_history_options *options,
                        struct pingo_history **history, struct pingo_error *err)
{
    static const struct pingo_store_history_options all = {.version = 1};
    struct loading l = {.store = store};
    int rc;

    *history = NULL;
    if (options && pingo__check_version(err, "the options", options->version))
        return PINGO_EINVAL;
    pingo__arena_init(&l.arena);
    pingo__arena_init(&l.numbers);
    pingo__map_init(&l.graphs);
    pingo__map_init(&l.workflows);
    rc = pingo_history_new(&l.history, err);
    if (!rc)
        rc = pingo__db_begin_read(&store->db, err);
    if (!rc) {
        rc = load(&l, options ? options : &all, err);
        pingo__db_rollback(&store->db);
    }
    if (!rc)
        *history = l.history;
    else
        pingo_history_free(l.history);
    free(l.mentions);
    free(l.flags);
    pingo__map_clear(&l.graphs);
    pingo__map_clear(&l.workflows);
    pingo__arena_clear(&l.arena);
    pingo__arena_clear(&l.numbers);
    return rc;
}

/* ---- anonymity ---------------------------------------------------------------------------- */

int pingo_history_salt(struct pingo_hash *salt, struct pingo_error *err)
{
    const struct pingo__world *world = pingo__world_real();
    int rc = world->random(world->context, salt->bytes, sizeof salt->bytes);

    return rc < 0 ? pingo__fail_os(err, -rc, "reading", "the system's randomness") : 0;
}

int pingo_history_rehash(void *salt, const struct pingo_hash *hash, struct pingo_hash *other)
{
    const struct pingo_hash *secret = salt;
    uint8_t both[2 * PINGO_HASH_SIZE];

    memcpy(both, secret->bytes, PINGO_HASH_SIZE);
    memcpy(both + PINGO_HASH_SIZE, hash->bytes, PINGO_HASH_SIZE);
    return pingo__sha256(both, sizeof both, other);
}
