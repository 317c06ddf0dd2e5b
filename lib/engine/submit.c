/* submit.c - a text or a workflow -> a submission.
 *
 * The way: text seen before -> identities of its originals -> the known graph -> one
 * row, where everything wanted is stored.  Else: parse -> identify -> hash -> plan and
 * insert in one write transaction.  Hashing happens before the transaction.  Dry runs are in dry_run.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "digest/originals.h"
#include "engine/request.h"
#include "manager/submission/workflow_manager.h"
#include "store/meta.h"
#include "store/reserve.h"

/* A request, and what becomes of it. */
struct submitting {
    struct pingo__engine_request r;
    struct pingo_hash digest;     /* of the text, and of where it lies */
    struct pingo_submission told; /* workflow 0: there is none yet */
    struct pingo__engine_key key;
};

static const char *user_of(struct pingo__engine_request *r)
{
    return r->options.user ? r->options.user : pingo__engine_store_user(r->store);
}

/* There is a submission: by its tag and its key it is found again. */
static int note_submitted(struct submitting *s, struct pingo_error *err)
{
    struct pingo_store *store = s->r.store;
    const char *tag = s->r.options.tag;
    int rc = tag ? pingo__store_tag_set(&store->db, s->told.workflow, tag, err) : 0;
    if (!rc)
        rc = pingo__engine_key_note(store, &s->key, &s->told, err);
    return rc ? rc : pingo__engine_submit_note(store, s->told.workflow, err);
}

/* ---- a text that was seen before ---------------------------------------------------------------- */

/* Its graph, if the identities of its originals are known; id 0: they are not. */
static int find_graph(struct submitting *s, struct pingo__arena *arena,
                      struct pingo__store_graph *graph, struct pingo_error *err)
{
    struct pingo__engine_request *r = &s->r;
    struct pingo__store_db *db = &r->store->db;
    struct pingo__store_original_list list = {.arena = arena};
    struct pingo_originals *originals = NULL;
    int64_t document = 0;
    *graph = (struct pingo__store_graph){.id = 0};
    int rc = pingo__store_document_find(db, &s->digest, &document, err);
    if (rc || !document)
        return rc;
    rc = pingo__store_document_originals(db, document, &list, err);
    if (!rc)
        rc = pingo__engine_request_identify(
            r, &(struct pingo__digest_identify){.list = list.rows, .n = list.n}, &originals, err);
    struct pingo_hash identities;
    if (!rc && pingo__digest_originals_digest(originals, &identities))
        rc = pingo__fail_memory(err);
    pingo_originals_free(originals);
    if (!rc)
        rc = pingo__store_graph_find(db, document, &identities, graph, err);
    return rc;
}

static int insert_graph(struct submitting *s, const struct pingo__store_graph *graph,
                        struct pingo_error *err)
{
    struct pingo__engine_request *r = &s->r;
    struct pingo__manager_submit submit = {.user = user_of(r), .priority = r->options.priority};
    int rc = pingo__store_reserve_check(&r->store->db, err);
    if (!rc)
        rc = pingo__manager_workflow_submit_again(&r->store->context, graph, &submit, &s->told, err);
    return !rc && s->told.workflow ? note_submitted(s, err) : rc;
}

/* Leaves told.workflow 0 where the whole way is needed. */
static int submit_again(struct submitting *s, struct pingo_error *err)
{
    struct pingo__engine_request *r = &s->r;
    struct pingo__store_db *db = &r->store->db;
    struct pingo__arena arena = {0};
    if (r->options.ntargets || r->options.nforced || r->options.strict ||
        pingo__pool_is_remote(&r->store->pool)) /* which is not asked in a transaction */
        return 0;
    struct pingo__store_graph graph;
    int rc = find_graph(s, &arena, &graph, err);
    if (rc || !graph.id || !graph.plain)
        goto out;
    rc = pingo__store_db_begin(db, err);
    if (rc)
        goto out;
    rc = pingo__engine_tag_submitted(r->store, &r->options, &s->told, err);
    if (!rc && !s->told.found)
        rc = insert_graph(s, &graph, err);
    if (!rc && s->told.workflow)
        rc = pingo__manager_content_memory_save(&r->memory, err);
    if (!rc && !s->told.workflow)
        pingo__store_db_rollback(db);
    else
        rc = pingo__store_db_end(db, rc, err);
out:
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- the whole way ------------------------------------------------------------------------------ */

/* Once after the migration: what is there was hashed by encoding 1. */
static int tell_encoding(struct pingo__engine_request *r, struct pingo_error *err)
{
    bool was_set = false;
    int rc = pingo__store_meta_take(&r->store->db, "encoding.untold", &was_set, err);
    if (was_set)
        pingo__manager_log(
            &r->store->context, PINGO_LOG_WARNING,
            "what this store has was hashed by Pingo 0.1 and in another way (pingo-hash(7)): it "
            "stays reachable by its hash, but is not reused: what is asked for is computed "
            "once more; pingo release lets the old results go");
    return rc;
}

/* *unread: some datasets must be read first, and nothing was inserted. */
static int insert_once(struct submitting *s, struct pingo__manager_submit *submit, bool *unread,
                       struct pingo_error *err)
{
    struct pingo__engine_request *r = &s->r;
    *unread = false;
    int rc = pingo__store_db_begin(&r->store->db, err);
    if (!rc)
        rc = pingo__manager_content_memory_save(&r->memory, err);
    if (!rc)
        rc = pingo__engine_tag_submitted(r->store, &r->options, &s->told, err);
    if (rc || s->told.found)
        return pingo__store_db_end(&r->store->db, rc, err);
    rc = pingo__store_reserve_check(&r->store->db, err);
    if (!rc)
        rc = pingo__manager_workflow_submit(&r->store->context, submit, &s->told, err);
    *unread = !rc && pingo__manager_suspects_is_any_unread(&r->suspects);
    if (*unread) {
        pingo__store_db_rollback(&r->store->db);
        return 0;
    }
    if (!rc)
        rc = tell_encoding(r, err);
    if (!rc)
        rc = note_submitted(s, err);
    return pingo__store_db_end(&r->store->db, rc, err);
}

static int submit_hashed(struct submitting *s, const char *text, size_t length,
                         struct pingo_error *err)
{
    struct pingo__engine_request *r = &s->r;
    struct pingo__manager_submit submit = {
        .workflow = r->workflow,
        .user = user_of(r),
        .priority = r->options.priority,
        .suspects = &r->suspects,
        .document = {.digest = s->digest,
                     .base_dir = r->base_dir ? r->base_dir : "",
                     .name = pingo_workflow_name(r->workflow),
                     .nactions = (int64_t)pingo_workflow_count(r->workflow),
                     .text = text,
                     .text_length = length}};
    int rc = pingo__engine_request_hash(r, err);
    if (!rc)
        rc = pingo__engine_request_plan_options(r, &submit.plan, err);
    if (!rc)
        rc = pingo__engine_outputs_check_there(r->store, r->workflow, r->options.force_outputs, err);
    submit.digests = r->digests;
    submit.originals = r->originals;
    for (bool unread = true; !rc && unread;) {
        rc = insert_once(s, &submit, &unread, err);
        if (!rc && unread)
            rc = pingo__engine_request_read_suspects(r, err);
    }
    return rc;
}

/* ---- the public ones ------------------------------------------------------------------------------ */

/* What is submitted: a workflow, or else a text. */
struct source {
    const struct pingo_workflow *workflow;
    struct pingo_document document;
};

static int submit_source(struct submitting *s, struct source *source, struct pingo_error *err)
{
    const struct pingo_document *d = &source->document;
    struct pingo__engine_request *r = &s->r;
    pingo__engine_document_digest(r->base_dir, d->text, d->length, &s->digest);
    s->key.request.digest = s->digest;
    int rc = pingo__engine_key_take(r->store, &r->options, &s->key, &s->told, err);
    bool is_known = s->told.workflow; /* the answer has the warnings that it had */
    if (!rc && !is_known)
        rc = submit_again(s, err);
    if (rc || (s->told.workflow && !(is_known && d->problems)))
        return rc;
    if (!r->workflow)
        rc = pingo__engine_request_parse(r, d, err);
    return rc || is_known ? rc : submit_hashed(s, d->text, d->length, err);
}

static int submit(struct pingo_store *store, const struct pingo_submit_options *options,
                  struct source *source, struct pingo_submission *submission,
                  struct pingo_error *err)
{
    struct submitting s = {.told = {.workflow = 0}};
    char *printed = NULL;
    int rc = pingo__engine_request_open(&s.r, store, options, err);
    if (!rc)
        rc = pingo__growing_result_check(submission, "pingo_submission", err);
    if (!rc)
        rc = pingo__engine_may_submit(store, &s.r.options, err);
    if (!rc && !s.r.options.key)
        rc = pingo__engine_tag_submitted(store, &s.r.options, &s.told, err);
    if (!rc && source->workflow && !s.told.found) {
        s.r.workflow = source->workflow;
        s.r.base_dir = NULL; /* its paths are absolute */
        rc = pingo_workflow_print(source->workflow, &printed, &source->document.length, err);
        source->document.text = printed;
    }
    if (!rc && !s.told.found)
        rc = submit_source(&s, source, err);
    free(printed);
    pingo__engine_key_let_go(store, &s.key);
    pingo__engine_request_close(&s.r);
    pingo__manager_lost_tell(&store->context);
    pingo__growing_result_put(submission, &s.told, sizeof s.told);
    return rc;
}

int pingo_store_submit(struct pingo_store *store, const struct pingo_document *document,
                       const struct pingo_submit_options *options,
                       struct pingo_submission *submission, struct pingo_error *err)
{
    struct source source = {.document = *document};
    if (document->problems)
        *document->problems = NULL;
    return submit(store, options, &source, submission, err);
}

int pingo_store_submit_workflow(struct pingo_store *store, const struct pingo_workflow *workflow,
                                const struct pingo_submit_options *options,
                                struct pingo_submission *submission, struct pingo_error *err)
{
    return submit(store, options, &(struct source){.workflow = workflow}, submission, err);
}
