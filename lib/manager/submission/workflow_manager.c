/* workflow_manager.c - see workflow_manager.h. */
#include "manager/submission/workflow_manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "digest/digests.h"
#include "manager/submission/apply.h"
#include "manager/attempt/callback.h"
#include "store/submission/parts.h"
#include "store/submission/places.h"
#include "store/submission/plans.h"
#include "store/transition.h"
#include "store/submission/users.h"
#include "store/dataset/wishes.h"

/* ---- a submission ---------------------------------------------------------------------- */

/* The number of the place of each original; *ids: yours. */
static int note_places(struct pingo__manager_context *c, const struct pingo_originals *originals,
                       uint32_t **ids, struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo__digest_original *all = pingo__digest_originals_all(originals, &n);
    int64_t now_ms = pingo__manager_now_ms(c);
    int rc = 0;
    *ids = calloc(n + 1, sizeof **ids);
    if (!*ids)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo__store_place_note(c->db, &all[i], now_ms, &(*ids)[i], err);
    return rc;
}

static int places_of(const struct pingo__manager_submit *s, const struct pingo_action *action,
                     const uint32_t *ids, struct pingo__arena *arena,
                     struct pingo__store_definition *d)
{
    size_t n = 0, all = 0;
    const struct pingo__digest_original *const *list,
        *first = pingo__digest_originals_all(s->originals, &all);
    uint32_t *places;
    if (action->ninputs + action->ntools + action->more->nversions == 0)
        return 0;
    if (pingo__digest_originals_described(s->originals, action, arena, &list, &n) != 0 ||
        !(places = pingo__arena_array(arena, n, sizeof *places)))
        return PINGO_ENOMEM;
    for (size_t i = 0; i < n; i++)
        places[i] = list[i] ? ids[list[i] - first] : 0;
    d->places = places;
    d->nplaces = n;
    return 0;
}

static int by_hash(const void *a, const void *b)
{
    const struct pingo__manager_place *x = a, *y = b;
    int by = memcmp(x->hash, y->hash, sizeof *x->hash);
    return by ? by : (x->position > y->position) - (x->position < y->position);
}

/* NULL: no memory. */
static struct pingo__manager_place *order_by_hash(const struct pingo_digests *digests, size_t n)
{
    struct pingo__manager_place *order = malloc((n + 1) * sizeof *order);
    for (size_t i = 0; order && i < n; i++)
        order[i] = (struct pingo__manager_place){pingo_digests_hash(digests, i), i};
    if (order && n)
        qsort(order, n, sizeof *order, by_hash);
    return order;
}

/* The definitions that the store does not know, with remarks on where their originals and tools lie.  In the order of
 * the table, so that each of its pages is read and written once. */
static int insert_definitions(struct pingo__manager_context *c,
                              const struct pingo__manager_submit *s,
                              const struct pingo__manager_place *order, struct pingo_error *err)
{
    struct pingo__digest_describer describer = {.bytes = NULL};
    size_t n = pingo_workflow_count(s->workflow);
    uint32_t *ids = NULL;
    bool is_known = false;
    int rc = note_places(c, s->originals, &ids, err);
    for (size_t k = 0; !rc && k < n; k++) {
        size_t i = order[k].position;
        struct pingo__store_definition d = {.hash = *order[k].hash};
        struct pingo__arena arena = {0};
        rc = pingo__digest_describe(&describer, s->digests, i, err);
        d.description = describer.bytes;
        d.length = describer.length;
        if (!rc && places_of(s, pingo_workflow_action(s->workflow, i), ids, &arena, &d) != 0)
            rc = pingo__fail_memory(err);
        if (!rc)
            rc = pingo__store_definition_insert(c->db, &d, &is_known, err);
        pingo__arena_clear(&arena);
    }
    pingo__digest_describer_clear(&describer);
    free(ids);
    return rc;
}

static int insert_document(struct pingo__manager_context *c, struct pingo__manager_submit *s,
                           struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo__digest_original *list = pingo__digest_originals_list(s->originals, &n);
    int rc = pingo__store_document_find(c->db, &s->document.digest, &s->document.id, err);
    if (rc || s->document.id)
        return rc;
    return pingo__store_document_insert(c->db, &s->document, list, n, err);
}

static bool is_plain(const struct pingo_workflow *workflow)
{
    for (size_t i = 0; i < pingo_workflow_count(workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        if (a->force_computation || !a->is_managed || a->keep == PINGO_KEEP_ALWAYS)
            return false;
    }
    return true;
}

/* Is an action that is no leaf equal to one that is?  Then it is reused with it, and not skipped. */
static int leaf_has_equal(const struct pingo__manager_submit *s, bool *has_equal,
                          struct pingo_error *err)
{
    size_t n = pingo_workflow_count(s->workflow);
    struct pingo__map leaves = {0};
    bool enough = true;
    *has_equal = false;
    for (size_t i = 0; enough && i < n; i++)
        if (pingo_workflow_action(s->workflow, i)->is_leaf)
            enough = pingo__map_insert(&leaves, pingo_digests_hash(s->digests, i), PINGO_HASH_SIZE,
                                       0, NULL);
    for (size_t i = 0; enough && i < n; i++)
        if (!pingo_workflow_action(s->workflow, i)->is_leaf &&
            pingo__map_get(&leaves, pingo_digests_hash(s->digests, i), PINGO_HASH_SIZE) !=
                PINGO__MAP_NONE)
            *has_equal = true;
    pingo__map_clear(&leaves);
    return enough ? 0 : pingo__fail_memory(err);
}

static int insert_graph(struct pingo__manager_context *c, struct pingo__manager_submit *s,
                        int64_t *graph, struct pingo_error *err)
{
    struct pingo__store_graph g = {.document = s->document.id}, known;
    bool has_equal = false;
    if (pingo__digest_originals_digest(s->originals, &g.originals))
        return pingo__fail_memory(err);
    int rc = pingo__store_graph_find(c->db, s->document.id, &g.originals, &known, err);
    *graph = known.id;
    if (rc || known.id)
        return rc;
    rc = leaf_has_equal(s, &has_equal, err);
    g.plain = is_plain(s->workflow) && !has_equal;
    if (!rc)
        rc = pingo__store_graph_insert(c->db, &g, err);
    *graph = g.id;
    struct pingo__store_workflow_source of = {
        s->workflow, pingo_digests_hash(s->digests, 0)}; /* they lie in one array */
    const struct pingo__store_node_source source = {.read = pingo__store_node_of_action,
                                                    .context = &of,
                                                    .n = pingo_workflow_count(s->workflow),
                                                    .base_dir = s->document.base_dir};
    return rc ? rc : pingo__store_graph_fill(c->db, g.id, &source, err);
}

/* Targets, and what cannot be guessed of what has no row of its own. */
static int insert_plan(struct pingo__manager_context *c, const struct pingo__manager_submit *s,
                       int64_t number, const struct pingo_plan_entry *entries,
                       struct pingo_error *err)
{
    size_t n = pingo_workflow_count(s->workflow);
    bool *is_target = s->plan.ntargets ? calloc(n, sizeof *is_target) : NULL;
    int rc = s->plan.ntargets && !is_target ? pingo__fail_memory(err) : 0;
    for (size_t i = 0; !rc && i < s->plan.ntargets; i++) {
        size_t at = s->plan.targets[i];
        is_target[at] = true;
        rc = pingo__store_wish_insert_target(c->db, number, (int64_t)at,
                                             pingo_digests_hash(s->digests, at), err);
    }
    for (size_t i = 0; !rc && i < n; i++) {
        bool is_wanted = is_target ? is_target[i] : pingo_workflow_action(s->workflow, i)->is_leaf;
        rc =
            pingo__store_plan_insert(c->db, number,
                                     &(struct pingo__store_planned){.node = {.position = (int64_t)i},
                                                                    .is_wanted = is_wanted,
                                                                    .decision = entries[i].decision,
                                                                    .reason = entries[i].reason},
                                     err);
    }
    free(is_target);
    return rc;
}

/* What was planned for a submission. */
struct planned {
    const struct pingo_plan_entry *entries;
    const struct pingo__manager_place *order;
    int64_t graph;
    struct pingo__arena *arena;
};

/* Nothing that computes is taken of who has as much as he may have. */
static int check_quotas(struct pingo__manager_context *c, const char *user, int64_t ncompute,
                        struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_user_bytes_list bytes = {.arena = &arena};
    struct pingo__store_user_waiting_list waits = {.arena = &arena};
    struct pingo__store_user_row row = {.id = 0};
    int64_t waiting = 0, held = 0;
    int rc = ncompute ? pingo__store_user_get(c->db, user, NULL, &row, err) : 0;
    if (!rc && row.actions > 0)
        rc = pingo__store_user_waiting(c->db, &waits, err);
    for (size_t i = 0; i < waits.n; i++)
        waiting += waits.rows[i].user == row.id ? waits.rows[i].n : 0;
    if (!rc && row.actions > 0 && waiting + ncompute > row.actions)
        rc = pingo__fail(err, PINGO_EQUOTA,
                         "%s may have %" PRId64 " actions that wait, and has %" PRId64
                         ": no room for %" PRId64 " more",
                         user, row.actions, waiting, ncompute);
    if (!rc && row.bytes > 0)
        rc = pingo__store_user_bytes(c->db, &bytes, err);
    for (size_t i = 0; i < bytes.n; i++)
        held += bytes.rows[i].user == row.id ? bytes.rows[i].bytes : 0;
    if (!rc && row.bytes > 0 && held >= row.bytes)
        rc = pingo__fail(err, PINGO_EQUOTA,
                         "%s may have %" PRId64 " bytes of results and pins, and has %" PRId64
                         ": release some first",
                         user, row.bytes, held);
    pingo__arena_clear(&arena);
    return rc;
}

static int insert_rows(struct pingo__manager_context *c, struct pingo__manager_submit *s,
                       const struct planned *p, struct pingo_submission *submission,
                       struct pingo_error *err)
{
    struct pingo__manager_apply a = {.c = c,
                                     .workflow = s->workflow,
                                     .digests = s->digests,
                                     .originals = s->originals,
                                     .entries = p->entries,
                                     .order = p->order,
                                     .arena = p->arena,
                                     .priority = s->priority,
                                     .now_ms = pingo__manager_now_ms(c)};
    struct pingo__store_workflow_row row = {.graph = p->graph,
                                            .user = s->user,
                                            .priority = s->priority,
                                            .submitted_ms = a.now_ms,
                                            .summary = submission->summary};
    row.unfinished = (int64_t)(row.summary.compute + row.summary.join);
    int rc = check_quotas(c, s->user, row.unfinished, err);
    if (!rc)
        rc = pingo__store_workflow_insert(c->db, &row, err);
    a.number = submission->workflow = row.id;
    a.user = row.user_number;
    if (!rc)
        rc = insert_plan(c, s, row.id, p->entries, err);
    if (!rc)
        rc = pingo__manager_apply_plan(&a, err);
    submission->state = row.unfinished ? PINGO_WORKFLOW_RUNNING : PINGO_WORKFLOW_FINISHED;
    return rc;
}

/* ---- what the planner is told ------------------------------------------------------------------ */

/* What the store says is there may have vanished from the pool: then it is not reused. */
static int look_at_pool(struct pingo__manager_lookup *l, const struct pingo_hash *hash,
                        struct pingo__store_dataset_known *k, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    enum pingo__manager_presence is = PINGO__GONE;
    bool is_other = false;
    int rc = pingo__store_dataset_get(l->c->db, k->id, l->arena, &row, err);
    if (!rc && row.id && pingo__pool_is_remote(l->c->pool))
        is = PINGO__SUSPECT; /* it is looked at with the others, outside the transaction */
    else if (!rc && row.id)
        rc = pingo__manager_dataset_look(l->c, &row, &is, err);
    if (!rc && is == PINGO__SUSPECT)
        rc = pingo__manager_suspects_judge(l->suspects, &row, &is_other, err);
    if (rc || is == PINGO__THERE || (is == PINGO__SUSPECT && !is_other))
        return rc;
    k->known = PINGO_KNOWN_DELETED;
    l->found_lost = true;
    if (!l->writes)
        return 0;
    rc = pingo__manager_dataset_lost(l->c, &row, err);
    return rc ? rc : pingo__store_dataset_known(l->c->db, hash, false, k, err);
}

int pingo__manager_workflow_lookup(void *context, const struct pingo_hash *hash, size_t action,
                                   enum pingo_known *known, struct pingo_error *err)
{
    struct pingo__manager_lookup *l = context;
    struct pingo__digest_describer *d = &l->describer;
    struct pingo__store_dataset_known k;
    int rc = pingo__store_dataset_known(l->c->db, hash, false, &k, err);
    bool compares = l->digests && k.known != PINGO_KNOWN_NOTHING;
    if (!rc && compares)
        rc = pingo__digest_describe(d, l->digests, action, err);
    if (!rc && compares && d->bytes)
        rc = pingo__store_definition_check(l->c->db, hash, d->bytes, d->length, err);
    if (!rc && k.known >= PINGO_KNOWN_STORED && k.known <= PINGO_KNOWN_RESCUABLE)
        rc = look_at_pool(l, hash, &k, err);
    *known = k.known;
    return rc;
}

/* What was lost is marked so, and its bytes removed, only by a plan that holds. */
static int plan(struct pingo__manager_submit *s, struct pingo__manager_lookup *lookup,
                struct pingo_plan_entry *entries, struct pingo_plan_summary *summary,
                struct pingo_error *err)
{
    s->plan.lookup = pingo__manager_workflow_lookup;
    s->plan.context = lookup;
    int rc = pingo_plan(s->workflow, s->digests, &s->plan, entries, err);
    if (!rc && lookup->found_lost && !pingo__manager_suspects_is_any_unread(s->suspects)) {
        lookup->writes = true;
        rc = pingo_plan(s->workflow, s->digests, &s->plan, entries, err);
    }
    if (!rc)
        *summary = pingo_plan_sum(entries, pingo_workflow_count(s->workflow));
    return rc;
}

int pingo__manager_workflow_submit(struct pingo__manager_context *c, struct pingo__manager_submit *s,
                                   struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__manager_lookup lookup = {.c = c, .arena = &arena, .suspects = s->suspects};
    size_t n = pingo_workflow_count(s->workflow);
    struct pingo_plan_entry *entries = malloc(n * sizeof *entries);
    struct pingo__manager_place *order = order_by_hash(s->digests, n);
    int64_t graph = 0;
    memset(submission, 0, sizeof *submission);
    int rc = entries && order ? insert_definitions(c, s, order, err) : pingo__fail_memory(err);
    if (!rc)
        rc = insert_document(c, s, err);
    if (!rc)
        rc = insert_graph(c, s, &graph, err);
    if (!rc)
        rc = plan(s, &lookup, entries, &submission->summary, err);
    if (!rc && !pingo__manager_suspects_is_any_unread(s->suspects))
        rc = insert_rows(c, s, &(struct planned){entries, order, graph, &arena}, submission, err);
    pingo__arena_clear(&arena);
    free(order);
    free(entries);
    return rc;
}

/* ---- a graph that is known ------------------------------------------------------------------ */

/* A leaf again, if it is there. */
static int reuse_leaf(struct pingo__manager_context *c, const struct pingo_hash *hash,
                      int64_t now_ms, bool *is_there, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    struct pingo__arena arena = {0};
    enum pingo__manager_presence is = PINGO__GONE;
    int rc = pingo__store_dataset_current(c->db, hash, &arena, &row, err);
    if (!rc && pingo__rules_dataset_is_kept(row.state))
        rc = pingo__manager_dataset_look(c, &row, &is, err);
    *is_there = is == PINGO__THERE; /* of a suspect the whole way finds out what it is */
    if (!rc && *is_there && row.state == PINGO_DATASET_STORED)
        rc = pingo__store_dataset_move(c->db, &row, PINGO_DATASET_LEAF, err);
    if (!rc && *is_there)
        rc = pingo__store_dataset_touch(c->db, row.id, now_ms, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__manager_workflow_submit_again(struct pingo__manager_context *c,
                                         const struct pingo__store_graph *graph,
                                         const struct pingo__manager_submit *s,
                                         struct pingo_submission *submission,
                                         struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hash_list leaves = {.arena = &arena};
    bool is_there = graph->plain;
    struct pingo__store_workflow_row row = {.graph = graph->id,
                                            .user = s->user,
                                            .priority = s->priority,
                                            .submitted_ms = pingo__manager_now_ms(c)};
    int rc = is_there ? pingo__store_graph_leaves(c->db, graph->id, &leaves, err) : 0;
    for (size_t i = 0; !rc && is_there && i < leaves.n; i++)
        rc = reuse_leaf(c, &leaves.rows[i], row.submitted_ms, &is_there, err);
    pingo__arena_clear(&arena);
    *submission = (struct pingo_submission){.workflow = 0};
    if (rc || !is_there)
        return rc;
    row.summary.reuse = leaves.n;
    row.summary.skip = (size_t)graph->nactions - leaves.n;
    rc = pingo__store_workflow_insert(c->db, &row, err);
    *submission = (struct pingo_submission){
        .workflow = row.id, .state = PINGO_WORKFLOW_FINISHED, .summary = row.summary};
    return rc;
}
