/* history.c - see history.h.
 *
 * A graph is loaded when it occurs for the first time; submitted again, it costs one
 * entry. */
#include "manager/submission/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

int pingo__manager_history_load_init(struct pingo__manager_history_load *l,
                                     struct pingo__store_db *db, struct pingo_error *err)
{
    *l = (struct pingo__manager_history_load){.db = db};
    return pingo_history_new(&l->history, err);
}

void pingo__manager_history_load_clear(struct pingo__manager_history_load *l)
{
    pingo_history_free(l->history);
    pingo__map_clear(&l->graphs);
    pingo__map_clear(&l->wholes);
    pingo__map_clear(&l->workflows);
    pingo__arena_clear(&l->arena);
    pingo__arena_clear(&l->numbers);
    free(l->mentions);
    free(l->flags);
    *l = (struct pingo__manager_history_load){0};
}

static bool put(struct pingo__manager_history_load *l, struct pingo__map *map, int64_t key,
                uint32_t value)
{
    return pingo__map_keep(map, &l->numbers, &key, sizeof key, value);
}

static uint32_t get(const struct pingo__map *map, int64_t key)
{
    return pingo__map_get(map, &key, sizeof key);
}

/* ---- flags --------------------------------------------------------------------------- */

static uint8_t flags_of_decision(enum pingo_plan_decision decision, enum pingo_plan_reason reason)
{
    static const uint8_t outcomes[] = {PINGO_HISTORY_SKIPPED, PINGO_HISTORY_REUSED,
                                       PINGO_HISTORY_JOINED, PINGO_HISTORY_COMPUTED};
    uint8_t flags = decision < sizeof outcomes ? outcomes[decision] : PINGO_HISTORY_UNKNOWN;
    return (uint8_t)(flags | (reason == PINGO_REASON_FORCED      ? PINGO_HISTORY_FORCED
                              : reason == PINGO_REASON_UNMANAGED ? PINGO_HISTORY_UNMANAGED
                                                                 : 0));
}

/* Marks what is written of its plan, which the cursor comes to. */
static int set_planned(struct pingo__manager_history_load *l, size_t n, struct pingo_error *err)
{
    struct pingo__store_plan_cursor *c = &l->plans;
    int rc = 0;
    if (!l->has_plans) {
        l->has_plans = true;
        rc = pingo__store_plan_open(l->db, l->row->id, c, err);
    }
    l->is_whole = true;
    for (; !rc && c->has_row && c->workflow <= l->row->id; rc = pingo__store_plan_next(c, err)) {
        if (c->workflow < l->row->id)
            continue; /* of a submission that was not asked for */
        if (c->position < 0 || (size_t)c->position >= n)
            return pingo__fail(err, PINGO_ECORRUPT,
                               "workflow %" PRId64 ": its plan does not fit its actions",
                               l->row->id);
        l->is_whole = l->is_whole && !c->is_target;
        l->flags[c->position] |=
            c->is_target ? PINGO_HISTORY_LEAF : flags_of_decision(c->decision, c->reason);
    }
    return rc;
}

/* Marks the leaves of a graph: as they are in the submission of it that had no targets, or from the store. */
static int set_leaves(struct pingo__manager_history_load *l, size_t n, struct pingo_error *err)
{
    struct pingo__store_position_list leaves = {.arena = &l->arena};
    uint32_t whole = get(&l->wholes, l->row->graph);
    if (whole != PINGO__MAP_NONE) {
        struct pingo_history_submission s = {.size = sizeof s};
        pingo_history_submission(l->history, whole, &s);
        for (size_t i = 0; i < n; i++)
            l->flags[i] |= s.flags[i] & PINGO_HISTORY_LEAF;
        return 0;
    }
    int rc = pingo__store_graph_leaf_positions(l->db, l->row->graph, &leaves, err);
    for (size_t i = 0; !rc && i < leaves.n; i++) {
        if (leaves.rows[i] >= n)
            return pingo__fail(err, PINGO_ECORRUPT,
                               "workflow %" PRId64 ": it wants an action that it has not",
                               l->row->id);
        l->flags[leaves.rows[i]] |= PINGO_HISTORY_LEAF;
    }
    return rc;
}

/* What became of each action, from the plan as it was kept: of what has no row there, what was wanted was reused and
 * the rest skipped. */
static int read_flags(struct pingo__manager_history_load *l, size_t n, struct pingo_error *err)
{
    memset(l->flags, 0, n);
    int rc = set_planned(l, n, err);
    if (!rc && l->is_whole)
        rc = set_leaves(l, n, err);
    for (size_t i = 0; !rc && i < n; i++)
        if (!(l->flags[i] & PINGO_HISTORY_OUTCOME))
            l->flags[i] |=
                l->flags[i] & PINGO_HISTORY_LEAF ? PINGO_HISTORY_REUSED : PINGO_HISTORY_SKIPPED;
    return rc;
}

static bool room_for(struct pingo__manager_history_load *l, size_t n)
{
    return PINGO__ARRAY_ROOM(l->flags, l->flags_capacity, 0, n) &&
           PINGO__ARRAY_ROOM(l->mentions, l->mentions_capacity, 0, n);
}

/* ---- submissions ------------------------------------------------------------------------ */

/* The parents of what is new; the rest of the mentions is there. */
static int add_parents(struct pingo__manager_history_load *l, int64_t graph,
                       const struct pingo_hash *hashes, size_t n, struct pingo_error *err)
{
    struct pingo__store_parents p = {.arena = &l->arena, .n = n};
    int rc = pingo__store_graph_parents(l->db, graph, &p, err);
    if (rc)
        return rc;
    const uint32_t *first = p.first;
    struct pingo_hash *copies = pingo__arena_array(&l->arena, (size_t)first[n] + 1, sizeof *copies);
    if (!copies)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < first[n]; i++)
        copies[i] = hashes[p.parents[i]];
    for (size_t i = 0; i < n; i++) {
        struct pingo_history_mention *m = &l->mentions[i];
        if (pingo_history_find(l->history, &m->hash) != PINGO_HISTORY_NONE)
            continue;
        m->has_parents = true;
        m->parents = copies + first[i];
        m->nparents = first[i + 1] - first[i];
    }
    return 0;
}

static int add_first(struct pingo__manager_history_load *l, uint32_t *index, struct pingo_error *err)
{
    struct pingo_history_entry entry = {
        .at_ms = l->row->submitted_ms, .user = l->row->user, .workflow = l->row->name};
    struct pingo__store_hash_list list = {.arena = &l->arena};
    int rc = pingo__store_graph_hashes(l->db, l->row->graph, &list, err);
    const struct pingo_hash *hashes = list.rows;
    size_t n = list.n;
    if (!rc && !room_for(l, n))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = read_flags(l, n, err);
    for (size_t i = 0; !rc && i < n; i++)
        l->mentions[i] = (struct pingo_history_mention){
            .hash = hashes[i], .size_bytes = -1, .compute_ms = -1, .flags = l->flags[i]};
    if (!rc)
        rc = add_parents(l, l->row->graph, hashes, n, err);
    if (rc)
        return rc;
    entry.mentions = l->mentions;
    entry.nmentions = n;
    rc = pingo_history_append(l->history, &entry, index, err);
    if (rc == PINGO_EINVAL) {
        rc = PINGO_ECORRUPT;
        pingo__error_prefix(err, "workflow %" PRId64, l->row->id);
        if (err)
            err->code = rc;
    }
    if (!rc && !put(l, &l->graphs, l->row->graph, *index))
        rc = pingo__fail_memory(err);
    return rc;
}

static int add_again(struct pingo__manager_history_load *l, uint32_t first, uint32_t *index,
                     struct pingo_error *err)
{
    struct pingo_history_submission s = {.size = sizeof s};
    pingo_history_submission(l->history, first, &s);
    if (!room_for(l, s.nactions))
        return pingo__fail_memory(err);
    int rc = read_flags(l, s.nactions, err);
    if (!rc)
        rc = pingo_history_append_again(
            l->history,
            &(struct pingo_history_again){first, l->row->submitted_ms, l->row->user, l->flags}, err);
    *index = pingo_history_count_submissions(l->history) - 1;
    return rc;
}

static int add(void *context, const void *found, struct pingo_error *err)
{
    struct pingo__manager_history_load *l = context;
    const struct pingo__store_history_workflow *row = l->row = found;
    uint32_t first = get(&l->graphs, row->graph), index = 0;
    int rc = first == PINGO__MAP_NONE ? add_first(l, &index, err) : add_again(l, first, &index, err);
    pingo__arena_reset(&l->arena);
    if (!rc && (!put(l, &l->workflows, row->id, index) ||
                (l->is_whole && get(&l->wholes, row->graph) == PINGO__MAP_NONE &&
                 !put(l, &l->wholes, row->graph, index))))
        rc = pingo__fail_memory(err);
    if (!rc)
        l->last = row->id;
    return rc;
}

/* ---- datasets ---------------------------------------------------------------------------- */

/* The compute times of the generations of an action. */
struct times {
    int64_t sum_ms;
    uint32_t n;
};

struct known {
    struct pingo_history *history;
    struct times *times; /* of each action */
};

/* The mean of its times, and the last size. */
static int set_known(void *context, const void *row, struct pingo_error *err)
{
    struct known *known = context;
    const struct pingo__store_history_made *made = row;
    uint32_t action = pingo_history_find(known->history, &made->hash);
    struct times *times = action == PINGO_HISTORY_NONE ? NULL : &known->times[action];
    (void)err;
    if (!times)
        return 0;
    if (made->compute_ms >= 0 && times->sum_ms <= INT64_MAX - made->compute_ms) {
        times->sum_ms += made->compute_ms;
        times->n++;
    }
    pingo_history_set_compute(known->history, action, times->n ? times->sum_ms / times->n : -1);
    pingo_history_set_size(known->history, action, made->size_bytes);
    return 0;
}

static int note_evicted(void *context, const void *found, struct pingo_error *err)
{
    struct pingo__manager_history_load *l = context;
    const struct pingo__store_history_evicted *row = found;
    uint32_t action = pingo_history_find(l->history, &row->hash);
    uint32_t submission = get(&l->workflows, row->workflow);
    if (action == PINGO_HISTORY_NONE || submission == PINGO__MAP_NONE)
        return 0; /* of a submission that was not asked for */
    return pingo_history_note_eviction(
        l->history,
        &(struct pingo_history_eviction){action, submission, row->evicted_ms, row->size_bytes}, err);
}

/* ---- a store's ---------------------------------------------------------------------------- */

int pingo__manager_history_load_more(struct pingo__manager_history_load *l, int64_t since_ms,
                                     int64_t until_ms, struct pingo_error *err)
{
    struct pingo__store_history_range range = {
        .after = l->last, .since_ms = since_ms, .until_ms = until_ms};
    int rc = pingo__store_history_workflows(l->db, &range, add, l, err);
    pingo__store_plan_close(&l->plans);
    l->has_plans = false;
    return rc;
}

int pingo__manager_history_load_known(struct pingo__manager_history_load *l, struct pingo_error *err)
{
    struct known known = {.history = l->history};
    known.times = calloc((size_t)pingo_history_count_actions(l->history) + 1, sizeof *known.times);
    if (!known.times)
        return pingo__fail_memory(err);
    int rc = pingo__store_history_each_made(l->db, set_known, &known, err);
    free(known.times);
    return rc;
}

int pingo__manager_history_load_evictions(struct pingo__manager_history_load *l,
                                          struct pingo_error *err)
{
    return pingo__store_history_each_evicted(l->db, note_evicted, l, err);
}
