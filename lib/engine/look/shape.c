/* shape.c - see shape.h; and what is said of a whole submission without more than that. */
#include "engine/look/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"

/* ---- states ------------------------------------------------------------------------------- */

static int set_state(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__engine_shape *s = context;
    const struct pingo__store_shape_state *r = row;
    if (r->position < 0 || (size_t)r->position >= s->n)
        return pingo__fail(err, PINGO_ECORRUPT, "an action lies outside of its graph");
    s->states[r->position] = (uint8_t)r->state;
    return 0;
}

static int set_decided(void *context, const void *row, struct pingo_error *err)
{
    struct pingo__store_shape_state r = *(const struct pingo__store_shape_state *)row;
    r.state += PINGO_STATE_PLANNED;
    return set_state(context, &r, err);
}

static int set_wanted(struct pingo__engine_shape *s, const struct pingo__store_position_list *list,
                      struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < list->n; i++)
        rc = set_decided(s, &(struct pingo__store_shape_state){list->rows[i], PINGO_PLAN_REUSE},
                         err);
    return rc;
}

/* What is wanted is reused, the rest is skipped; what was decided otherwise has a row, and so has what computes. */
static int read_states(struct pingo__engine_shape *s, struct pingo_error *err)
{
    struct pingo__store_db *db = &s->store->db;
    struct pingo__store_position_list wanted = {.arena = &s->arena};
    const struct pingo__store_each decided = {.fn = set_decided, .context = s};
    const struct pingo__store_each states = {.fn = set_state, .context = s};
    bool has_all = s->workflow.summary.compute + s->workflow.summary.join == s->n;
    s->states = pingo__arena_array(&s->arena, s->n + 1, 1);
    if (!s->states)
        return pingo__fail_memory(err);
    memset(s->states, PINGO_STATE_PLANNED + PINGO_PLAN_SKIP, s->n);
    int rc = has_all ? 0 : pingo__store_shape_targets(db, s->workflow.id, &wanted, err);
    if (!rc && !has_all && !wanted.n)
        rc = pingo__store_graph_leaf_positions(db, s->workflow.graph, &wanted, err);
    if (!rc)
        rc = set_wanted(s, &wanted, err);
    if (!rc && !has_all)
        rc = pingo__store_shape_decided(db, s->workflow.id, &decided, err);
    return rc ? rc : pingo__store_shape_states(db, s->workflow.id, &states, err);
}

/* ---- edges -------------------------------------------------------------------------------- */

static int sort(struct pingo__engine_shape *s, struct pingo_error *err)
{
    struct pingo__workflow_graph *g = &s->graph;
    uint32_t *waiting = pingo__arena_array(&s->arena, s->n + 1, sizeof *waiting);
    s->depths = pingo__arena_array(&s->arena, s->n + 1, sizeof *s->depths);
    *g = (struct pingo__workflow_graph){
        .n = s->n, .first = s->parents.first, .parents = s->parents.parents};
    if (!waiting || !s->depths || !pingo__workflow_graph_sort(g, &s->arena, waiting))
        return pingo__fail_memory(err);
    for (size_t at = 0; at < g->nplaced; at++) {
        uint32_t i = g->order[at];
        for (uint32_t k = g->first_child[i]; k < g->first_child[i + 1]; k++)
            if (s->depths[g->children[k]] < s->depths[i] + 1)
                s->depths[g->children[k]] = s->depths[i] + 1;
    }
    return g->nplaced == s->n ? 0 : pingo__fail(err, PINGO_ECORRUPT, "a graph has a cycle");
}

static int take_node(void *context, const void *row, struct pingo_error *err)
{
    struct pingo__engine_shape *s = context;
    const struct pingo__store_shape_node *node = row;
    int rc = pingo__store_parents_add(&s->parents, node->parents, err);
    return rc ? rc : s->nodes.fn(s->nodes.context, row, err);
}

static int read_nodes(struct pingo__engine_shape *s, struct pingo_error *err)
{
    const struct pingo__store_each nodes = {.fn = take_node, .context = s};
    int rc = pingo__store_parents_begin(&s->parents, err);
    if (!rc)
        rc = pingo__store_shape_nodes(&s->store->db, s->workflow.graph, &nodes, err);
    return rc ? rc : pingo__store_parents_end(&s->parents, err);
}

static int read_edges(struct pingo__engine_shape *s, struct pingo_error *err)
{
    s->parents = (struct pingo__store_parents){.arena = &s->arena, .n = s->n};
    int rc = s->nodes.fn
                 ? read_nodes(s, err)
                 : pingo__store_graph_parents(&s->store->db, s->workflow.graph, &s->parents, err);
    return rc ? rc : sort(s, err);
}

/* ---- times -------------------------------------------------------------------------------- */

static int add_attempt(void *context, const void *row, struct pingo_error *err)
{
    const struct pingo__engine_shape *s = context;
    const struct pingo__store_shape_attempt *a = row;
    if (a->position < 0 || (size_t)a->position >= s->n)
        return pingo__fail(err, PINGO_ECORRUPT, "an action lies outside of its graph");
    struct pingo__engine_times *t = a->is_joined ? &s->joined[a->position] : &s->times[a->position];
    t->wall_ms += a->wall_ms > 0 ? a->wall_ms : 0;
    if (t->started_ms < 0 || a->started_ms < t->started_ms)
        t->started_ms = a->started_ms;
    if (a->ended_ms > t->ended_ms)
        t->ended_ms = a->ended_ms;
    return 0;
}

static int read_times(struct pingo__engine_shape *s, struct pingo_error *err)
{
    const struct pingo__store_each attempts = {.fn = add_attempt, .context = s};
    s->times = pingo__arena_array(&s->arena, s->n + 1, sizeof *s->times);
    s->joined = pingo__arena_array(&s->arena, s->n + 1, sizeof *s->joined);
    if (!s->times || !s->joined)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < s->n; i++)
        s->times[i] = s->joined[i] = (struct pingo__engine_times){0, -1, -1};
    return pingo__store_shape_attempts(&s->store->db, s->workflow.id, &attempts, err);
}

const struct pingo__engine_times *pingo__engine_shape_times(const struct pingo__engine_shape *s,
                                                            size_t i)
{
    return s->joined[i].started_ms >= 0 ? &s->joined[i] : &s->times[i];
}

/* ---- the whole ---------------------------------------------------------------------------- */

int pingo__engine_shape_open(struct pingo__engine_shape *s, struct pingo_store *store,
                             int64_t workflow, unsigned what, struct pingo_error *err)
{
    *s = (struct pingo__engine_shape){.nodes = s->nodes, .store = store};
    int rc = pingo__store_db_begin_read(&store->db, err);
    if (!rc)
        rc = pingo__engine_submission_get(store, workflow, &s->arena, &s->workflow, err);
    s->n = rc ? 0 : (size_t)s->workflow.nactions;
    if (!rc)
        rc = read_states(s, err);
    if (!rc && what & PINGO__SHAPE_EDGES)
        rc = read_edges(s, err);
    if (!rc && what & PINGO__SHAPE_TIMES)
        rc = read_times(s, err);
    return rc;
}

void pingo__engine_shape_seen(struct pingo__engine_shape *s)
{
    if (s->store->db.viewing)
        pingo__store_db_rollback(&s->store->db);
}

void pingo__engine_shape_close(struct pingo__engine_shape *s)
{
    pingo__engine_shape_seen(s);
    pingo__arena_clear(&s->arena);
}

int pingo__engine_shape_ways(struct pingo__engine_shape *s, struct pingo__engine_ways *ways,
                             struct pingo_error *err)
{
    *ways = (struct pingo__engine_ways){
        .ms = pingo__arena_array(&s->arena, s->n + 1, sizeof *ways->ms),
        .from = pingo__arena_array(&s->arena, s->n + 1, sizeof *ways->from),
        .last = UINT32_MAX};
    if (!ways->ms || !ways->from)
        return pingo__fail_memory(err);
    for (size_t at = 0; at < s->n; at++) {
        uint32_t i = s->graph.order[at];
        ways->from[i] = UINT32_MAX;
        for (uint32_t k = s->parents.first[i]; k < s->parents.first[i + 1]; k++) {
            uint32_t parent = s->parents.parents[k];
            if (ways->ms[parent] > ways->ms[i]) {
                ways->ms[i] = ways->ms[parent];
                ways->from[i] = parent;
            }
        }
        const struct pingo__engine_times *t = pingo__engine_shape_times(s, i);
        ways->ms[i] += t->wall_ms;
        if (t->started_ms >= 0 && (ways->last == UINT32_MAX || ways->ms[i] > ways->ms[ways->last]))
            ways->last = i;
    }
    return 0;
}

/* ---- states, cost, text --------------------------------------------------------------------- */

struct ids {
    struct pingo__engine_shape shape;
    int64_t *of_each;
};

static int set_id(void *context, const void *row, struct pingo_error *err)
{
    struct ids *ids = context;
    struct pingo__engine_shape *s = &ids->shape;
    const struct pingo__store_shape_node *node = row;
    if (!ids->of_each && !(ids->of_each = pingo__arena_array(&s->arena, s->n, sizeof *ids->of_each)))
        return pingo__fail_memory(err);
    ids->of_each[node->parents.position] = node->user_id;
    return 0;
}

/* One block, which free() frees.  ids NULL: without depths and ids. */
static struct pingo_states *copy_states(const struct pingo__engine_shape *s, const struct ids *ids)
{
    size_t n = ids ? s->n : 0;
    struct pingo_states *states =
        calloc(1, sizeof *states + n * (sizeof(int64_t) + sizeof(uint32_t)) + s->n + 1);
    if (!states)
        return NULL;
    int64_t *of_each = (int64_t *)(states + 1);
    uint32_t *depths = (uint32_t *)(of_each + n);
    uint8_t *bytes = (uint8_t *)(depths + n);
    memcpy(bytes, s->states, s->n);
    if (n)
        memcpy(depths, s->depths, n * sizeof *depths);
    if (n && ids->of_each) /* else the graph has lost its nodes */
        memcpy(of_each, ids->of_each, n * sizeof *of_each);
    *states = (struct pingo_states){s->n, bytes, ids ? depths : NULL, ids ? of_each : NULL};
    return states;
}

int pingo_store_states(struct pingo_store *store, int64_t workflow, bool with_depths,
                       struct pingo_states **states, struct pingo_error *err)
{
    struct ids ids = {.shape.nodes = {.fn = set_id, .context = &ids}};
    *states = NULL;
    int rc = pingo__engine_shape_open(&ids.shape, store, workflow,
                                      with_depths ? PINGO__SHAPE_EDGES : 0, err);
    if (!rc && !(*states = copy_states(&ids.shape, with_depths ? &ids : NULL)))
        rc = pingo__fail_memory(err);
    pingo__engine_shape_close(&ids.shape);
    return rc;
}

static int sum_up(struct pingo__engine_shape *s, struct pingo_cost *cost, struct pingo_error *err)
{
    struct pingo__engine_ways ways;
    struct pingo__store_shape_saved saved = {.n = 0};
    int64_t from = -1, until = -1;
    int rc = pingo__engine_shape_ways(s, &ways, err);
    if (!rc)
        rc = pingo__store_shape_saved(&s->store->db, s->workflow.id, s->workflow.graph, &saved, err);
    for (size_t i = 0; !rc && i < s->n; i++) {
        const struct pingo__engine_times *t = &s->times[i];
        cost->ran += t->ended_ms >= 0;
        cost->wall_ms += t->wall_ms;
        from = t->started_ms >= 0 && (from < 0 || t->started_ms < from) ? t->started_ms : from;
        until = t->ended_ms > until ? t->ended_ms : until;
    }
    cost->span_ms = from >= 0 && until >= from ? until - from : -1;
    cost->critical_ms = rc || ways.last == UINT32_MAX ? 0 : ways.ms[ways.last];
    cost->saved = (size_t)saved.n;
    cost->saved_ms = saved.ms;
    cost->saved_bytes = saved.bytes;
    return rc;
}

int pingo_store_cost(struct pingo_store *store, int64_t workflow, struct pingo_cost *cost,
                     struct pingo_error *err)
{
    struct pingo__engine_shape s = {.n = 0};
    struct pingo_cost own = {.size = sizeof own};
    int rc = pingo__growing_result_check(cost, "pingo_cost", err);
    if (rc)
        return rc;
    rc = pingo__engine_shape_open(&s, store, workflow, PINGO__SHAPE_EDGES | PINGO__SHAPE_TIMES, err);
    if (!rc)
        rc = sum_up(&s, &own, err);
    pingo__engine_shape_close(&s);
    if (!rc)
        pingo__growing_result_put(cost, &own, sizeof own);
    return rc;
}

/* What it points to lies in the arena. */
static int load_document(struct pingo_store *store, int64_t workflow, struct pingo__arena *arena,
                         struct pingo__store_document *document, struct pingo_error *err)
{
    struct pingo__store_workflow_row row;
    int rc = pingo__engine_submission_get(store, workflow, arena, &row, err);
    return rc ? rc : pingo__store_document_load(&store->db, row.document, arena, document, err);
}

static int copy_text(const char *text, size_t length, char **copy, struct pingo_error *err)
{
    if (!(*copy = malloc(length + 1)))
        return pingo__fail_memory(err);
    memcpy(*copy, text, length);
    (*copy)[length] = '\0';
    return 0;
}

int pingo_store_text(struct pingo_store *store, int64_t workflow, char **text, size_t *length,
                     struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_document document = {.id = 0};
    *text = NULL;
    int rc = load_document(store, workflow, &arena, &document, err);
    if (!rc)
        rc = copy_text(document.text, document.text_length, text, err);
    if (!rc)
        *length = document.text_length;
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_base_dir(struct pingo_store *store, int64_t workflow, char **base_dir,
                         struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_document document = {.id = 0};
    *base_dir = NULL;
    int rc = load_document(store, workflow, &arena, &document, err);
    if (!rc && *document.base_dir)
        rc = copy_text(document.base_dir, strlen(document.base_dir), base_dir, err);
    pingo__arena_clear(&arena);
    return rc;
}
