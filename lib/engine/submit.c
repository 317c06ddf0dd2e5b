/* submit.c - text -> plan or submission.
 *
 * The way: text seen before -> identities of its originals -> the known graph -> one
 * row, where everything wanted is stored.  Else: parse -> identify -> hash -> plan and
 * insert in one write transaction.  Hashing happens before the transaction.  Dry runs are in dry_run.c. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/path.h"
#include "digest/originals.h"
#include "engine/way.h"
#include "manager/submission/workflow_manager.h"
#include "store/datasets.h"
#include "store/meta.h"

int pingo__engine_way_open(struct pingo__engine_way *w, struct pingo_store *store,
                           const struct pingo_submit_options *options, struct pingo_error *err)
{
    static const struct pingo__growing_options_type type = {
        "pingo_submit_options",
        {offsetof(struct pingo_submit_options, user), sizeof(struct pingo_submit_options)}};
    memset(w, 0, sizeof *w);
    w->store = store;
    int rc = pingo__growing_options_take(&type, options, &w->options, err);
    w->base_dir = w->options.base_dir;
    pingo__manager_content_memory_init(&w->memory, &store->db, &w->cache);
    pingo__manager_suspects_init(&w->suspects, &store->context);
    return rc ? rc : pingo__engine_tag_check(w->options.tag, err);
}

void pingo__engine_way_close(struct pingo__engine_way *w)
{
    pingo__manager_suspects_clear(&w->suspects);
    pingo__manager_content_memory_clear(&w->memory);
    pingo_digests_free(w->digests);
    pingo_originals_free(w->originals);
    pingo_workflow_free(w->parsed);
    free(w->targets);
    free(w->forced);
}

static const char *user_of(struct pingo__engine_way *w)
{
    return w->options.user ? w->options.user : pingo__engine_store_user(w->store);
}

/* ---- parse, identify, hash ------------------------------------------------------------------ */

int pingo__engine_way_parse(struct pingo__engine_way *w, const char *text, size_t length,
                            struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_workflow_options options;
    pingo__engine_way_parse_options(w, &options);
    int rc = pingo_workflow_parse(text, length, &options, &w->parsed, problems, err);
    w->workflow = w->parsed;
    w->text = text;
    w->length = length;
    w->problems = problems;
    if (rc == PINGO_EWORKFLOW)
        pingo__engine_way_tell_unreadable(w);
    return rc;
}

static int identify(struct pingo__engine_way *w, struct pingo_error *err)
{
    struct pingo_identify_options options = {
        .version = 1, .progress = w->options.progress, .context = w->options.context};
    struct pingo__digest_identify what = {.workflow = w->workflow,
                                          .options = &options,
                                          .world = w->store->context.world,
                                          .cache = &w->cache};
    return pingo__digest_originals_identify(&what, &w->originals, err);
}

int pingo__engine_way_hash(struct pingo__engine_way *w, struct pingo_error *err)
{
    int rc = pingo__engine_outputs_check(w->store, w->workflow, err);
    if (!rc)
        rc = identify(w, err);
    if (!rc)
        rc = pingo_workflow_hash(w->workflow, w->originals, &w->digests, err);
    if (rc == PINGO_EINPUT && w->originals)
        pingo__engine_way_tell_unreadable(w);
    return rc;
}

static int resolve(const struct pingo__engine_way *w, const char *const *names, size_t n,
                   size_t **indexes, struct pingo_error *err)
{
    int rc = 0;
    *indexes = calloc(n + 1, sizeof **indexes);
    if (!*indexes)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo_workflow_resolve(w->workflow, names[i], &(*indexes)[i], err);
    return rc;
}

int pingo__engine_way_plan_options(struct pingo__engine_way *w, struct pingo_plan_options *plan,
                                   struct pingo_error *err)
{
    int rc = resolve(w, w->options.targets, w->options.ntargets, &w->targets, err);
    if (!rc)
        rc = resolve(w, w->options.forced, w->options.nforced, &w->forced, err);
    *plan = (struct pingo_plan_options){.version = 1,
                                        .targets = w->targets,
                                        .ntargets = w->options.ntargets,
                                        .forced = w->forced,
                                        .nforced = w->options.nforced};
    return rc;
}

/* ---- a text that was seen before ---------------------------------------------------------------- */

/* 1 and the graph, if the text and the identities of its originals are known. */
static int find_graph(struct pingo__engine_way *w, const struct pingo_hash *digest,
                      struct pingo__arena *arena, struct pingo__store_graph *graph,
                      struct pingo_error *err)
{
    struct pingo_identify_options options = {
        .version = 1, .progress = w->options.progress, .context = w->options.context};
    struct pingo__digest_original *list = NULL;
    struct pingo_originals *originals = NULL;
    int64_t document = 0;
    size_t n = 0;
    int rc = pingo__store_document_find(&w->store->db, digest, &document, err);
    if (rc != 1)
        return rc;
    rc = pingo__store_document_originals(&w->store->db, document, arena, &list, &n, err);
    struct pingo__digest_identify what = {.list = list,
                                          .n = n,
                                          .options = &options,
                                          .world = w->store->context.world,
                                          .cache = &w->cache};
    if (!rc)
        rc = pingo__digest_originals_identify(&what, &originals, err);
    struct pingo_hash identities;
    if (!rc && pingo__digest_originals_digest(originals, &identities))
        rc = pingo__fail_memory(err);
    pingo_originals_free(originals);
    if (!rc)
        rc = pingo__store_graph_find(&w->store->db, document, &identities, graph, err);
    return rc == 1 ? graph->plain : rc;
}

static int submit_again(struct pingo__engine_way *w, const struct pingo_hash *digest,
                        struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo__arena arena;
    int again = 0;
    if (w->options.ntargets || w->options.nforced || w->options.strict)
        return 0;
    pingo__arena_init(&arena);
    struct pingo__store_graph graph;
    int rc = find_graph(w, digest, &arena, &graph, err);
    if (rc == 1) {
        rc = pingo__store_db_begin(&w->store->db, err);
        if (!rc) {
            again = pingo__engine_tag_submitted(w->store, &w->options, submission, err);
            if (again == 0) {
                struct pingo__manager_submit s = {.user = user_of(w),
                                                  .priority = w->options.priority};
                again = pingo__manager_workflow_submit_again(&w->store->context, &graph, &s,
                                                             submission, err);
                again = again ? again : submission->workflow != 0;
                rc = again == 1 ? pingo__engine_tag_note(w->store, &w->options, submission, err) : 0;
            }
            if (again == 1 && !rc)
                rc = pingo__manager_content_memory_save(&w->memory, err);
            else if (again < 0)
                rc = again;
            if (!rc && again == 0)
                pingo__store_db_rollback(&w->store->db);
            else
                rc = pingo__store_db_end(&w->store->db, rc, err);
        }
    }
    pingo__arena_clear(&arena);
    return rc < 0 ? rc : again;
}

/* ---- submit ------------------------------------------------------------------------------------- */

/* Once after the migration: what is there was hashed by encoding 1. */
static int tell_encoding(struct pingo__engine_way *w, struct pingo_error *err)
{
    int rc = pingo__store_meta_take(&w->store->db, "encoding.untold", err);
    if (rc == 1)
        pingo__manager_log(
            &w->store->context, PINGO_LOG_WARNING,
            "what this store has was hashed by Pingo 0.1 and in another way (pingo-hash(7)): it "
            "stays reachable by its hash, but is not reused: what is asked for is computed "
            "once more; pingo release lets the old results go");
    return rc < 0 ? rc : 0;
}

int pingo__engine_way_read_suspects(struct pingo__engine_way *w, struct pingo_error *err)
{
    struct pingo_identify_options options = {
        .version = 1, .progress = w->options.progress, .context = w->options.context};
    return pingo__manager_suspects_read(&w->suspects, &options, err);
}

static int insert_once(struct pingo__engine_way *w, struct pingo__manager_submit *s,
                       struct pingo_submission *submission, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&w->store->db, err);
    if (rc)
        return rc;
    rc = pingo__manager_content_memory_save(&w->memory, err);
    int found = rc ? 0 : pingo__engine_tag_submitted(w->store, &w->options, submission, err);
    rc = found < 0 ? found : rc;
    if (!rc && !found)
        rc = pingo__manager_workflow_submit(&w->store->context, s, submission, err);
    if (!rc && !found)
        rc = tell_encoding(w, err);
    if (!rc && !found)
        rc = pingo__engine_tag_note(w->store, &w->options, submission, err);
    if (rc != 1)
        return pingo__store_db_end(&w->store->db, rc, err);
    pingo__store_db_rollback(&w->store->db);
    return 1;
}

static int insert(struct pingo__engine_way *w, struct pingo__manager_submit *s,
                  struct pingo_submission *submission, struct pingo_error *err)
{
    int rc;
    while ((rc = insert_once(w, s, submission, err)) == 1) {
        rc = pingo__engine_way_read_suspects(w, err);
        if (rc)
            break;
    }
    return rc;
}

static int submit_hashed(struct pingo__engine_way *w, const struct pingo_hash *digest,
                         const char *text, size_t length, struct pingo_submission *submission,
                         struct pingo_error *err)
{
    struct pingo__manager_submit s = {
        .workflow = w->workflow,
        .user = user_of(w),
        .priority = w->options.priority,
        .suspects = &w->suspects,
        .document = {.digest = *digest,
                     .base_dir = w->base_dir ? w->base_dir : "",
                     .name = pingo_workflow_name(w->workflow),
                     .nactions = (int64_t)pingo_workflow_count(w->workflow),
                     .text = text,
                     .text_length = length}};
    int rc = pingo__engine_way_hash(w, err);
    if (!rc)
        rc = pingo__engine_way_plan_options(w, &s.plan, err);
    if (!rc)
        rc = pingo__engine_outputs_check_there(w->store, w->workflow, w->options.force_outputs, err);
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
    struct pingo_submission own = {.workflow = 0};
    struct pingo__engine_way w;
    if (problems)
        *problems = NULL;
    int rc = pingo__engine_way_open(&w, store, options, err);
    if (!rc)
        rc = pingo__growing_result_check(submission, "pingo_submission", err);
    if (!rc)
        rc = pingo__engine_tag_submitted(store, &w.options, &own, err);
    struct pingo_hash digest;
    if (!rc)
        rc = pingo__engine_document_digest(w.base_dir, text, length, &digest, err);
    if (!rc)
        rc = submit_again(&w, &digest, &own, err);
    if (rc == 0) {
        rc = pingo__engine_way_parse(&w, text, length, problems, err);
        if (!rc)
            rc = submit_hashed(&w, &digest, text, length, &own, err);
    }
    pingo__engine_way_close(&w);
    pingo__growing_result_put(submission, &own, sizeof own);
    return rc < 0 ? rc : 0;
}

int pingo_store_submit_workflow(struct pingo_store *store, const struct pingo_workflow *workflow,
                                const struct pingo_submit_options *options,
                                struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo_submission own = {.workflow = 0};
    struct pingo__engine_way w;
    char *text = NULL;
    size_t length = 0;
    int rc = pingo__engine_way_open(&w, store, options, err);
    w.workflow = workflow;
    w.base_dir = NULL; /* its paths are absolute */
    if (!rc)
        rc = pingo__growing_result_check(submission, "pingo_submission", err);
    if (!rc)
        rc = pingo__engine_tag_submitted(store, &w.options, &own, err);
    if (!rc)
        rc = pingo_workflow_print(workflow, &text, &length, err);
    struct pingo_hash digest;
    if (!rc)
        rc = pingo__engine_document_digest(NULL, text, length, &digest, err);
    if (!rc)
        rc = submit_again(&w, &digest, &own, err);
    if (rc == 0)
        rc = submit_hashed(&w, &digest, text, length, &own, err);
    free(text);
    pingo__engine_way_close(&w);
    pingo__growing_result_put(submission, &own, sizeof own);
    return rc < 0 ? rc : 0;
}
