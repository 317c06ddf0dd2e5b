/* submit.c - text -> plan or submission.
 *
 * The way: text seen before -> identities of its originals -> the known graph -> one
 * row, where everything wanted is stored.  Else: parse -> identify -> hash -> plan and
 * insert in one write transaction.  Hashing happens before the transaction. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "digest/encoding.h"
#include "digest/originals.h"
#include "engine/engine.h"
#include "manager/inputs.h"
#include "manager/workflow_manager.h"
#include "store/datasets.h"
#include "store/meta.h"

/* What is gathered on the way. */
struct way {
    struct pingo_store *store;
    const struct pingo_submit_options *options;
    const char *base_dir;          /* NULL: none */
    struct pingo_workflow *parsed; /* ours */
    const struct pingo_workflow *workflow;
    struct pingo_originals *originals;
    struct pingo_digests *digests;
    struct pingo__content_memory memory;
    struct pingo__content_cache cache;
    size_t *targets, *forced;
};

static const struct pingo_submit_options no_options = {.version = 1};

static int way_open(struct way *w, struct pingo_store *store,
                    const struct pingo_submit_options *options, struct pingo_error *err)
{
    memset(w, 0, sizeof *w);
    w->store = store;
    w->options = options ? options : &no_options;
    w->base_dir = w->options->base_dir;
    pingo__content_memory_init(&w->memory, &store->db, &w->cache);
    return pingo__check_version(err, "pingo_submit_options", w->options->version);
}

static void way_close(struct way *w)
{
    pingo__content_memory_clear(&w->memory);
    pingo_digests_free(w->digests);
    pingo_originals_free(w->originals);
    pingo_workflow_free(w->parsed);
    free(w->targets);
    free(w->forced);
}

/* ---- parse, identify, hash ------------------------------------------------------------------ */

static bool file_exists(void *context, const char *path)
{
    const struct pingo__world *w = context;
    struct stat st;

    return w->stat(w->context, AT_FDCWD, path, 0, &st) == 0 && S_ISREG(st.st_mode);
}

static int parse(struct way *w, const char *text, size_t length, struct pingo_problems **problems,
                 struct pingo_error *err)
{
    int64_t limit = pingo__setting_number(w->store, "workflow.maxBytes");
    struct pingo_workflow_options options = {
        .version = 1,
        .base_dir = w->base_dir,
        .max_bytes = w->options->max_bytes ? w->options->max_bytes : (size_t)limit,
        .strict = w->options->strict,
        .types = w->store->options.types,
        .ntypes = w->store->options.ntypes,
        .file_exists = file_exists,
        .context = (void *)(uintptr_t)w->store->context.world};
    int rc = pingo_workflow_parse(text, length, &options, &w->parsed, problems, err);

    w->workflow = w->parsed;
    return rc;
}

static int identify(struct way *w, struct pingo_error *err)
{
    struct pingo_identify_options options = {
        .version = 1, .progress = w->options->progress, .context = w->options->context};

    return pingo__originals_identify(w->workflow, &options, w->store->context.world, &w->cache,
                                     &w->originals, err);
}

static int hash_all(struct way *w, struct pingo_error *err)
{
    int rc = pingo__outputs_check(w->store, w->workflow, err);

    if (!rc)
        rc = identify(w, err);
    return rc ? rc : pingo_workflow_hash(w->workflow, w->originals, &w->digests, err);
}

static int resolve(const struct way *w, const char *const *names, size_t n, size_t **indexes,
                   struct pingo_error *err)
{
    int rc = 0;

    *indexes = calloc(n + 1, sizeof **indexes);
    if (!*indexes)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo_workflow_resolve(w->workflow, names[i], &(*indexes)[i], err);
    return rc;
}

static int plan_options(struct way *w, struct pingo_plan_options *plan, struct pingo_error *err)
{
    int rc = resolve(w, w->options->targets, w->options->ntargets, &w->targets, err);

    if (!rc)
        rc = resolve(w, w->options->forced, w->options->nforced, &w->forced, err);
    *plan = (struct pingo_plan_options){.version = 1,
                                        .targets = w->targets,
                                        .ntargets = w->options->ntargets,
                                        .forced = w->forced,
                                        .nforced = w->options->nforced};
    return rc;
}

/* ---- a text that was seen before ---------------------------------------------------------------- */

static int document_digest(const char *base_dir, const char *text, size_t length,
                           struct pingo_hash *digest, struct pingo_error *err)
{
    char all[2 * PINGO_HASH_SIZE + 1];
    struct pingo_hash part;

    /* Two digests side by side: no text can pass for another text in another directory.  And the
     * encoding: hashes of an earlier one are not found again by the text. */
    if (pingo__sha256(text, length, &part))
        return pingo__fail_memory(err);
    memcpy(all, part.bytes, PINGO_HASH_SIZE);
    if (pingo__sha256(base_dir ? base_dir : "", base_dir ? strlen(base_dir) : 0, &part))
        return pingo__fail_memory(err);
    memcpy(all + PINGO_HASH_SIZE, part.bytes, PINGO_HASH_SIZE);
    all[2 * PINGO_HASH_SIZE] = PINGO__ENCODING_VERSION;
    return pingo__sha256(all, sizeof all, digest) ? pingo__fail_memory(err) : 0;
}

/* 1 and the graph, if the text and the identities of its originals are known. */
static int find_graph(struct way *w, const struct pingo_hash *digest, struct pingo__arena *arena,
                      struct pingo__graph *graph, struct pingo_error *err)
{
    struct pingo_identify_options options = {
        .version = 1, .progress = w->options->progress, .context = w->options->context};
    struct pingo__original *list = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo_hash identities;
    int64_t document = 0;
    size_t n = 0;
    int rc = pingo__document_find(&w->store->db, digest, &document, err);

    if (rc != 1)
        return rc;
    rc = pingo__document_originals(&w->store->db, document, arena, &list, &n, err);
    if (!rc)
        rc = pingo__originals_identify_list(list, n, &options, w->store->context.world, &w->cache,
                                            &originals, err);
    if (!rc && pingo__originals_digest(originals, &identities))
        rc = pingo__fail_memory(err);
    pingo_originals_free(originals);
    if (!rc)
        rc = pingo__graph_find(&w->store->db, document, &identities, arena, graph, err);
    if (rc != 1 || !graph->plain)
        return rc < 0 ? rc : 0;
    rc = pingo__graph_load(&w->store->db, graph->id, arena, graph, err);
    return rc < 0 ? rc : 1;
}

static int submit_again(struct way *w, const struct pingo_hash *digest,
                        struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__graph graph;
    int again = 0, rc;

    if (w->options->ntargets || w->options->nforced || w->options->strict)
        return 0;
    pingo__arena_init(&arena);
    rc = find_graph(w, digest, &arena, &graph, err);
    if (rc == 1) {
        rc = pingo__db_begin(&w->store->db, err);
        if (!rc) {
            again = pingo__workflow_submit_again(&w->store->context, &graph, w->store->user,
                                                 w->options->priority, submission, err);
            if (again == 1)
                rc = pingo__content_memory_save(&w->memory, err);
            else
                rc = again;
            if (!rc && again == 0)
                pingo__db_rollback(&w->store->db);
            else
                rc = pingo__db_end(&w->store->db, rc, err);
        }
    }
    pingo__arena_clear(&arena);
    return rc < 0 ? rc : again;
}

/* ---- submit ------------------------------------------------------------------------------------- */

/* Once after the migration: what is there was hashed by encoding 1. */
static int tell_encoding(struct way *w, struct pingo_error *err)
{
    int rc = pingo__meta_take(&w->store->db, "encoding.untold", err);

    if (rc == 1)
        pingo__log(
            &w->store->context, PINGO_LOG_WARNING,
            "what this store has was hashed by Pingo 0.1 and in another way (pingo-hash(7)): it "
            "stays reachable by its hash, but is not reused: what is asked for is computed "
            "once more; pingo release lets the old results go");
    return rc < 0 ? rc : 0;
}

static int insert(struct way *w, struct pingo__submit *s, struct pingo_submission *submission,
                  struct pingo_error *err)
{
    int rc = pingo__db_begin(&w->store->db, err);

    if (rc)
        return rc;
    rc = pingo__content_memory_save(&w->memory, err);
    if (!rc)
        rc = pingo__workflow_submit(&w->store->context, s, submission, err);
    if (!rc)
        rc = tell_encoding(w, err);
    return pingo__db_end(&w->store->db, rc, err);
}

static int submit_hashed(struct way *w, const struct pingo_hash *digest, const char *text,
                         size_t length, struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__submit s = {.workflow = w->workflow,
                              .user = w->store->user,
                              .priority = w->options->priority,
                              .document = {.digest = *digest,
                                           .base_dir = w->base_dir ? w->base_dir : "",
                                           .name = pingo_workflow_name(w->workflow),
                                           .nactions = (int64_t)pingo_workflow_count(w->workflow),
                                           .text = text,
                                           .text_length = length}};
    int rc = hash_all(w, err);

    if (!rc)
        rc = plan_options(w, &s.plan, err);
    if (!rc)
        rc = pingo__outputs_check_there(w->store, w->workflow, w->options->force_outputs, err);
    if (rc)
        return rc;
    s.digests = w->digests;
    s.originals = w->originals;
    return insert(w, &s, submission, err);
}

int pingo_store_submit(struct pingo_store *store, const char *text, size_t length,
                       const struct pingo_submit_options *options,
                       struct pingo_submission *submission, struct pingo_problems **problems,
                       struct pingo_error *err)
{
    struct way w;
    struct pingo_hash digest;
    int rc;

    if (problems)
        *problems = NULL;
    rc = way_open(&w, store, options, err);
    if (!rc)
        rc = document_digest(w.base_dir, text, length, &digest, err);
    if (!rc)
        rc = submit_again(&w, &digest, submission, err);
    if (rc == 0) {
        rc = parse(&w, text, length, problems, err);
        if (!rc)
            rc = submit_hashed(&w, &digest, text, length, submission, err);
    }
    way_close(&w);
    return rc < 0 ? rc : 0;
}

int pingo_store_submit_workflow(struct pingo_store *store, const struct pingo_workflow *workflow,
                                const struct pingo_submit_options *options,
                                struct pingo_submission *submission, struct pingo_error *err)
{
    struct way w;
    struct pingo_hash digest;
    char *text = NULL;
    size_t length = 0;
    int rc;

    rc = way_open(&w, store, options, err);
    w.workflow = workflow;
    w.base_dir = NULL; /* its paths are absolute */
    if (!rc)
        rc = pingo_workflow_print(workflow, &text, &length, err);
    if (!rc)
        rc = document_digest(NULL, text, length, &digest, err);
    if (!rc)
        rc = submit_again(&w, &digest, submission, err);
    if (rc == 0)
        rc = submit_hashed(&w, &digest, text, length, submission, err);
    free(text);
    way_close(&w);
    return rc < 0 ? rc : 0;
}

/* ---- dry runs --------------------------------------------------------------------------------------- */

static int save_memory(struct way *w, struct pingo_error *err)
{
    int rc;

    if (!w->memory.n && !w->memory.nversions)
        return 0;
    rc = pingo__db_begin(&w->store->db, err);
    return rc ? rc : pingo__db_end(&w->store->db, pingo__content_memory_save(&w->memory, err), err);
}

int pingo_store_hash(struct pingo_store *store, const char *text, size_t length,
                     const struct pingo_submit_options *options, pingo_planned_fn fn, void *context,
                     struct pingo_problems **problems, struct pingo_error *err)
{
    struct way w;
    int rc;

    rc = way_open(&w, store, options, err);
    if (!rc)
        rc = parse(&w, text, length, problems, err);
    if (!rc)
        rc = hash_all(&w, err);
    if (!rc)
        rc = save_memory(&w, err);
    for (size_t i = 0; !rc && i < pingo_workflow_count(w.workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(w.workflow, i);
        struct pingo_planned planned = {.id = a->id,
                                        .name = a->name,
                                        .hash = *pingo_digests_hash(w.digests, i),
                                        .reason_text = "",
                                        .expected_ms = -1,
                                        .expected_bytes = -1};

        if (fn(context, &planned))
            rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    }
    way_close(&w);
    return rc;
}

/* *text: static, or in the arena. */
static int explain(struct way *w, const struct pingo_plan_entry *e, const struct pingo_hash *hash,
                   struct pingo__arena *arena, const char **text, struct pingo_error *err)
{
    struct pingo__dataset_known k;
    struct pingo__action_row row;
    char why[128];

    *text = pingo_plan_reason_text((enum pingo_plan_reason)e->reason);
    if (e->reason == PINGO_REASON_SAME_HASH)
        *text = pingo__text(arena, "the same as action %" PRId64,
                            pingo_workflow_action(w->workflow, e->computes)->id);
    else if (e->reason == PINGO_REASON_DELETED &&
             pingo__evicted_text(w->store, hash, INT64_MAX, why, sizeof why))
        *text = pingo__text(arena, "%s", why);
    else if (e->reason == PINGO_REASON_COMPUTING &&
             pingo__dataset_known(&w->store->db, hash, false, &k, NULL) == 0 &&
             pingo__action_get(&w->store->db, k.action, arena, &row, NULL) == 1)
        *text = pingo__text(arena, "workflow %" PRId64 " computes it", row.workflow);
    return *text ? 0 : pingo__fail_memory(err);
}

/* What is told of each action, read in the open view. */
static int read_plan(struct way *w, const struct pingo_plan_entry *entries,
                     struct pingo__arena *arena, struct pingo_planned *list,
                     struct pingo_plan_totals *totals, struct pingo_error *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < pingo_workflow_count(w->workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(w->workflow, i);
        struct pingo_planned *p = &list[i];

        *p = (struct pingo_planned){.id = a->id,
                                    .name = a->name,
                                    .hash = *pingo_digests_hash(w->digests, i),
                                    .decision = (enum pingo_plan_decision)entries[i].decision,
                                    .reason = (enum pingo_plan_reason)entries[i].reason,
                                    .expected_ms = -1,
                                    .expected_bytes = -1};
        if (p->decision == PINGO_PLAN_COMPUTE) {
            rc = pingo__dataset_expect(&w->store->db, &p->hash, &p->expected_ms, &p->expected_bytes,
                                       err);
            totals->unknown += p->expected_ms < 0;
            totals->expected_ms += p->expected_ms > 0 ? p->expected_ms : 0;
            totals->expected_bytes += p->expected_bytes > 0 ? p->expected_bytes : 0;
        }
        if (!rc)
            rc = explain(w, &entries[i], &p->hash, arena, &p->reason_text, err);
    }
    return rc;
}

/* Outside the view: who is told may stop for long. */
static int tell_plan(const struct way *w, const struct pingo_planned *list, pingo_planned_fn fn,
                     void *context, struct pingo_error *err)
{
    for (size_t i = 0; fn && i < pingo_workflow_count(w->workflow); i++)
        if (fn(context, &list[i]))
            return pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    return 0;
}

/* What computes must be able to read its originals; a submission would find that out. */
static int check_declared(const struct way *w, const struct pingo_plan_entry *entries,
                          struct pingo_error *err)
{
    const struct pingo__world *world = w->store->context.world;

    for (size_t i = 0; i < pingo_workflow_count(w->workflow); i++) {
        const struct pingo_action *a = pingo_workflow_action(w->workflow, i);

        for (size_t k = 0; entries[i].decision == PINGO_PLAN_COMPUTE && k < a->ninputs; k++) {
            struct stat st;

            if (a->inputs[k].path && a->inputs[k].sha256 &&
                world->stat(world->context, AT_FDCWD, a->inputs[k].path, 0, &st) != 0)
                return pingo__fail(err, PINGO_EINPUT,
                                   "%s: input \"%s\" of action %" PRId64
                                   " (%s) is not there, and the action must be computed",
                                   a->inputs[k].path, a->inputs[k].name, a->id, a->name);
        }
    }
    return 0;
}

int pingo_store_plan(struct pingo_store *store, const char *text, size_t length,
                     const struct pingo_submit_options *options, pingo_planned_fn fn, void *context,
                     struct pingo_plan_totals *totals, struct pingo_problems **problems,
                     struct pingo_error *err)
{
    struct way w;
    struct pingo__arena arena;
    struct pingo__lookup lookup = {.c = &store->context, .arena = &arena};
    struct pingo_plan_options plan;
    struct pingo_plan_totals counted;
    struct pingo_plan_entry *entries = NULL;
    struct pingo_planned *list = NULL;
    int rc;

    memset(&counted, 0, sizeof counted);
    pingo__arena_init(&arena);
    rc = way_open(&w, store, options, err);
    if (!rc)
        rc = parse(&w, text, length, problems, err);
    if (!rc)
        rc = hash_all(&w, err);
    if (!rc)
        rc = save_memory(&w, err);
    if (!rc && !w.options->force_outputs)
        rc = pingo__outputs_check_there(store, w.workflow, false, err);
    if (!rc)
        rc = plan_options(&w, &plan, err);
    if (!rc && (!(entries = malloc(pingo_workflow_count(w.workflow) * sizeof *entries)) ||
                !(list = malloc(pingo_workflow_count(w.workflow) * sizeof *list))))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__db_begin_read(&store->db, err);
    if (!rc) {
        lookup.digests = w.digests;
        rc = pingo_plan(w.workflow, w.digests, &plan, pingo__workflow_lookup, &lookup, entries,
                        &counted.summary, err);
        if (!rc)
            rc = check_declared(&w, entries, err);
        if (!rc)
            rc = read_plan(&w, entries, &arena, list, &counted, err);
        pingo__db_rollback(&store->db);
    }
    if (!rc)
        rc = tell_plan(&w, list, fn, context, err);
    if (totals)
        *totals = counted;
    free(list);
    free(entries);
    way_close(&w);
    pingo__arena_clear(&arena);
    return rc;
}
