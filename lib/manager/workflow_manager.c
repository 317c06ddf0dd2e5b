/* workflow_manager.c - see workflow_manager.h. */
#include "manager/workflow_manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "digest/digests.h"
#include "manager/apply.h"
#include "manager/callback.h"
#include "manager/definitions.h"
#include "store/labels.h"
#include "store/transition.h"
#include "store/wishes.h"

/* ---- a submission ---------------------------------------------------------------------- */

static int insert_document(struct pingo__context *c, struct pingo__submit *s,
                           struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo__original *list = pingo__originals_list(s->originals, &n);
    int rc = pingo__document_find(c->db, &s->document.digest, &s->document.id, err);

    if (rc)
        return rc < 0 ? rc : 0;
    rc = pingo__document_insert(c->db, &s->document, list, n, err);
    for (size_t i = 0; !rc && i < pingo_workflow_count(s->workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(s->workflow, i);

        rc = pingo__labels_insert(c->db, s->document.id, i, a->labels, a->nlabels, err);
    }
    return rc;
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
static int leaf_has_equal(const struct pingo__graph *g, bool *has_equal, struct pingo_error *err)
{
    struct pingo__map leaves;
    bool enough;

    *has_equal = false;
    pingo__map_init(&leaves);
    enough = pingo__map_reserve(&leaves, g->nleaves);
    for (size_t i = 0; enough && i < g->nleaves; i++) {
        const struct pingo_hash *hash = &g->hashes[g->leaves[i]];

        enough = pingo__map_insert(&leaves, hash, sizeof *hash, 0, NULL);
    }
    for (size_t i = 0, leaf = 0; enough && i < g->nhashes; i++) {
        if (leaf < g->nleaves && g->leaves[leaf] == i)
            leaf++;
        else if (pingo__map_get(&leaves, &g->hashes[i], sizeof g->hashes[i]) != PINGO__MAP_NONE)
            *has_equal = true;
    }
    pingo__map_clear(&leaves);
    return enough ? 0 : pingo__fail_memory(err);
}

static int fill_graph(const struct pingo__submit *s, struct pingo__arena *arena,
                      struct pingo__graph *g, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(s->workflow);
    uint32_t *leaves = pingo__arena_array(arena, n, sizeof *leaves);
    bool has_equal = false;
    int rc;

    if (!leaves)
        return pingo__fail_memory(err);
    g->document = s->document.id;
    for (size_t i = 0; i < n; i++)
        if (pingo_workflow_action(s->workflow, i)->is_leaf)
            leaves[g->nleaves++] = (uint32_t)i;
    g->leaves = leaves;
    g->hashes = pingo_digests_hash(s->digests, 0); /* they lie in one array */
    g->nhashes = n;
    rc = leaf_has_equal(g, &has_equal, err);
    g->plain = is_plain(s->workflow) && !has_equal;
    return rc;
}

static int insert_graph(struct pingo__context *c, struct pingo__submit *s,
                        struct pingo__arena *arena, int64_t *graph, struct pingo_error *err)
{
    struct pingo__graph g, found;
    int rc;

    memset(&g, 0, sizeof g);
    rc = pingo__originals_digest(s->originals, &g.originals);
    if (rc)
        return pingo__fail_memory(err);
    rc = pingo__graph_find(c->db, s->document.id, &g.originals, arena, &found, err);
    if (rc == 1) {
        *graph = found.id;
        return 0;
    }
    if (!rc)
        rc = fill_graph(s, arena, &g, err);
    if (!rc)
        rc = pingo__graph_insert(c->db, &g, err);
    if (!rc)
        rc = pingo__wish_insert_graph(c->db, &g, err);
    *graph = g.id;
    return rc;
}

/* Targets and decisions, unless they are what they would be anyway. */
static int insert_plan(struct pingo__context *c, const struct pingo__submit *s, int64_t number,
                       const struct pingo_plan_entry *entries, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(s->workflow);
    uint32_t *targets = s->plan.ntargets ? calloc(s->plan.ntargets, sizeof *targets) : NULL;
    uint8_t *decisions = malloc(n * 2);
    int rc;

    if (!decisions || (s->plan.ntargets && !targets)) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    for (size_t i = 0; i < s->plan.ntargets; i++)
        targets[i] = (uint32_t)s->plan.targets[i];
    for (size_t i = 0; i < n; i++) {
        decisions[2 * i] = entries[i].decision;
        decisions[2 * i + 1] = entries[i].reason;
    }
    rc = pingo__workflow_plan_insert(c->db, number, targets, s->plan.ntargets, decisions, n, err);
    for (size_t i = 0; !rc && i < s->plan.ntargets; i++)
        rc = pingo__wish_insert_target(c->db, number, pingo_digests_hash(s->digests, targets[i]),
                                       err);
out:
    free(targets);
    free(decisions);
    return rc;
}

static int insert_rows(struct pingo__context *c, struct pingo__submit *s, int64_t graph,
                       const struct pingo_plan_entry *entries, struct pingo_submission *submission,
                       struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__apply a = {.c = c,
                             .workflow = s->workflow,
                             .digests = s->digests,
                             .originals = s->originals,
                             .entries = entries,
                             .arena = arena,
                             .priority = s->priority,
                             .again = SIZE_MAX,
                             .now_ms = pingo__now_ms(c)};
    struct pingo__workflow_row row = {.graph = graph,
                                      .user = s->user,
                                      .priority = s->priority,
                                      .submitted_ms = a.now_ms,
                                      .summary = submission->summary};
    int64_t action = 0, dataset = 0;
    int rc = pingo__next_ids(c->db, &row.id, &action, &dataset, err);

    row.unfinished = (int64_t)(row.summary.compute + row.summary.join);
    a.number = submission->workflow = row.id;
    if (!rc)
        rc = pingo__workflow_insert(c->db, &row, err);
    if (!rc)
        rc = insert_plan(c, s, row.id, entries, err);
    if (!rc)
        rc = pingo__apply_plan(&a, err);
    submission->state = row.unfinished ? PINGO_WORKFLOW_RUNNING : PINGO_WORKFLOW_FINISHED;
    return rc;
}

int pingo__workflow_submit(struct pingo__context *c, struct pingo__submit *s,
                           struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__lookup lookup = {
        .c = c, .digests = s->digests, .arena = &arena, .suspects = s->suspects};
    struct pingo_plan_entry *entries = malloc(pingo_workflow_count(s->workflow) * sizeof *entries);
    int64_t graph = 0;
    int rc;

    pingo__arena_init(&arena);
    memset(submission, 0, sizeof *submission);
    rc = entries ? pingo__definitions_insert(c, s, err) : pingo__fail_memory(err);
    if (!rc)
        rc = insert_document(c, s, err);
    if (!rc)
        rc = insert_graph(c, s, &arena, &graph, err);
    if (!rc)
        rc = pingo__workflow_plan(s, &lookup, entries, &submission->summary, err);
    if (!rc)
        rc = insert_rows(c, s, graph, entries, submission, &arena, err);
    pingo__arena_clear(&arena);
    free(entries);
    return rc;
}

/* ---- a graph that is known ------------------------------------------------------------------ */

/* 1: a leaf now; 0: it is not there. */
static int reuse_leaf(struct pingo__context *c, const struct pingo_hash *hash,
                      struct pingo__arena *arena, int64_t now_ms, struct pingo_error *err)
{
    struct pingo__dataset_row row;
    int rc = pingo__dataset_current(c->db, hash, arena, &row, err);

    if (rc != 1)
        return rc;
    if (row.state != PINGO_DATASET_STORED && row.state != PINGO_DATASET_LEAF)
        return 0;
    rc = pingo__dataset_is_there(c, &row, err);
    if (rc != 1) /* of a suspect the whole way finds out what it is */
        return rc < 0 ? rc : 0;
    if (row.state == PINGO_DATASET_STORED)
        rc = pingo__dataset_move(c->db, &row, PINGO_DATASET_LEAF, err);
    if (rc >= 0)
        rc = pingo__dataset_touch(c->db, row.id, now_ms, err);
    return rc < 0 ? rc : 1;
}

int pingo__workflow_submit_again(struct pingo__context *c, const struct pingo__graph *graph,
                                 const char *user, int64_t priority,
                                 struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__arena arena;
    int64_t action = 0, dataset = 0;
    struct pingo__workflow_row row = {
        .graph = graph->id, .user = user, .priority = priority, .submitted_ms = pingo__now_ms(c)};
    int rc = graph->plain;

    pingo__arena_init(&arena);
    for (size_t i = 0; rc == 1 && i < graph->nleaves; i++)
        rc = reuse_leaf(c, &graph->hashes[graph->leaves[i]], &arena, row.submitted_ms, err);
    pingo__arena_clear(&arena);
    if (rc != 1)
        return rc;
    row.summary.reuse = graph->nleaves;
    row.summary.skip = graph->nhashes - graph->nleaves;
    rc = pingo__next_ids(c->db, &row.id, &action, &dataset, err);
    if (!rc)
        rc = pingo__workflow_insert(c->db, &row, err);
    *submission = (struct pingo_submission){
        .workflow = row.id, .state = PINGO_WORKFLOW_FINISHED, .summary = row.summary};
    return rc < 0 ? rc : 1;
}

/* ---- planning again ----------------------------------------------------------------------------- */

struct again {
    struct pingo__context *c;
    size_t position;
};

/* The action itself must compute; for its ancestors the store is asked, unmanaged outputs included. */
static int lookup_again(void *context, const struct pingo_hash *hash, size_t action,
                        enum pingo_known *known, struct pingo_error *err)
{
    struct again *again = context;
    struct pingo__dataset_known k;
    int rc;

    *known = PINGO_KNOWN_DELETED;
    if (action == again->position)
        return 0;
    rc = pingo__dataset_known(again->c->db, hash, true, &k, err);
    *known = k.known;
    return rc;
}

static int load_graph(struct pingo__context *c, int64_t workflow, struct pingo__arena *arena,
                      struct pingo_workflow **parsed, struct pingo_digests **digests,
                      struct pingo_error *err)
{
    struct pingo__workflow_row row;
    struct pingo__document document;
    struct pingo__graph graph;
    struct pingo_workflow_options options = {.version = 1, .types = c->types, .ntypes = c->ntypes};
    int rc = pingo__workflow_get(c->db, workflow, arena, &row, err);

    if (rc == 0)
        return pingo__fail(err, PINGO_ECORRUPT, "workflow %lld is not in the store",
                           (long long)workflow);
    if (rc == 1)
        rc = pingo__document_load(c->db, row.document, arena, &document, err);
    if (!rc)
        rc = pingo__graph_load(c->db, row.graph, arena, &graph, err);
    if (rc)
        return rc;
    options.base_dir = *document.base_dir ? document.base_dir : NULL;
    options.max_bytes = SIZE_MAX;
    rc = pingo_workflow_parse(document.text, document.text_length, &options, parsed, NULL, err);
    if (!rc)
        rc = pingo__digests_restore(graph.hashes, graph.nhashes, false, digests, err);
    return rc;
}

static int live_rows(struct pingo__context *c, int64_t workflow, struct pingo__arena *arena,
                     int64_t *live, size_t n, struct pingo_error *err)
{
    struct pingo__action_list list;
    int rc = pingo__action_list_unfinished(c->db, workflow, arena, &list, err);

    for (size_t i = 0; !rc && i < list.n; i++)
        if ((size_t)list.rows[i].position < n)
            live[list.rows[i].position] = list.rows[i].id;
    return rc;
}

int pingo__workflow_replan(struct pingo__context *c, const struct pingo__action_row *action,
                           struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo_workflow *workflow = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo_plan_entry *entries = NULL;
    struct again again = {c, (size_t)action->position};
    struct pingo_plan_options options = {
        .version = 1, .targets = &again.position, .ntargets = 1, .again = true};
    struct pingo__apply a = {.c = c,
                             .arena = &arena,
                             .number = action->workflow,
                             .priority = action->priority,
                             .again = again.position,
                             .again_row = action,
                             .now_ms = pingo__now_ms(c)};
    int64_t *live = NULL;
    size_t n;
    int rc;

    pingo__arena_init(&arena);
    rc = load_graph(c, action->workflow, &arena, &workflow, &digests, err);
    if (rc)
        goto out;
    n = pingo_workflow_count(workflow);
    entries = malloc(n * sizeof *entries);
    live = calloc(n, sizeof *live);
    if (!entries || !live) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    rc = live_rows(c, action->workflow, &arena, live, n, err);
    if (!rc)
        rc = pingo_plan(workflow, digests, &options, lookup_again, &again, entries, NULL, err);
    if (rc)
        goto out;
    if (!action->wanted) /* a target of the plan, but not one of the user's */
        entries[again.position].flags &= (uint8_t)~PINGO_PLAN_WANTED;
    a.workflow = workflow;
    a.digests = digests;
    a.entries = entries;
    a.live = live;
    rc = pingo__apply_plan(&a, err);
    if (!rc && a.unfinished)
        rc = pingo__workflow_add_unfinished(c->db, action->workflow, a.unfinished, err);
out:
    free(live);
    free(entries);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- an input that vanished ------------------------------------------------------------------------ */

/* A reader that has not started is planned again; the second loss of the same input fails it. */
static int reader_lost(struct pingo__context *c, const struct pingo__action_row *reader,
                       const struct pingo__dataset_row *lost, struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE], message[160];
    int rc;

    /* It may have read all that it needs.  It keeps its claim, by which it finds out at its end, or
     * when it is tried again. */
    if (reader->state == PINGO_ACTION_SUBMITTED || reader->state == PINGO_ACTION_RUNNING)
        return 0;
    rc = pingo__claim_drop_one(c->db, lost->id, reader->id, err);
    if (rc)
        return rc;
    if (reader->has_lost && memcmp(&reader->lost, &lost->hash, sizeof lost->hash) == 0) {
        pingo_hash_to_hex(&lost->hash, hex);
        snprintf(message, sizeof message, "input %s vanished from the pool for the second time",
                 hex);
        return pingo__action_fail(c, reader, message, err);
    }
    rc = pingo__action_set_lost(c->db, reader->id, &lost->hash, err);
    return rc ? rc : pingo__workflow_replan(c, reader, err);
}

/* What lies there instead is nobody's. */
static int forget_bytes(struct pingo__context *c, const struct pingo__dataset_row *row,
                        struct pingo_error *err)
{
    struct pingo__pool_stat st;
    int rc = pingo__pool_stat(c->pool, row->path, &st, err);

    if (!rc)
        rc = pingo__dataset_clear_path(c->db, row->id, err);
    if (!rc && st.exists && row->managed)
        rc = pingo__pool_trash(c->pool, row->path, err);
    if (!rc)
        pingo__log(c, PINGO_LOG_WARNING, "%s: %s; it will be made again if needed", row->path,
                   st.exists ? "changed in the pool" : "vanished from the pool");
    return rc;
}

int pingo__dataset_lost(struct pingo__context *c, const struct pingo__dataset_row *row,
                        struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__action_list readers;
    int rc;

    pingo__arena_init(&arena);
    rc = pingo__action_list_claimants(c->db, row->id, &arena, &readers, err);
    if (!rc && row->state != PINGO_DATASET_DELETED) /* else it was found gone before */
        rc = pingo__dataset_move(c->db, row, PINGO_DATASET_DELETED, err);
    if (rc == 1)
        rc = forget_bytes(c, row, err);
    for (size_t i = 0; rc >= 0 && i < readers.n; i++) {
        struct pingo__action_row now; /* an earlier replan may have changed it */

        rc = pingo__action_get(c->db, readers.rows[i].id, &arena, &now, err);
        if (rc == 1 && !pingo__action_is_final(now.state))
            rc = reader_lost(c, &now, row, err);
    }
    pingo__arena_clear(&arena);
    return rc < 0 ? rc : 0;
}
