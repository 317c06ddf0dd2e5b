/* loaded.c - a submission as it was hashed: its text parsed again, with the hashes and decisions kept. */
#include <string.h>

#include "base/error.h"
#include "digest/encoding.h"
#include "engine/engine.h"

int pingo__loaded_open(struct pingo_store *store, int64_t number, struct pingo__loaded *l,
                       struct pingo_error *err)
{
    struct pingo__document document;
    struct pingo_workflow_options options = {.version = 1,
                                             .max_bytes = SIZE_MAX,
                                             .any_type = true, /* rows tell the rest */
                                             .types = store->options.types,
                                             .ntypes = store->options.ntypes};
    int rc;

    memset(l, 0, sizeof *l);
    pingo__arena_init(&l->arena);
    rc = pingo__workflow_get(&store->db, number, &l->arena, &l->row, err);
    if (rc == 0)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "there is no workflow %lld", (long long)number);
    if (rc == 1)
        rc = pingo__document_load(&store->db, l->row.document, &l->arena, &document, err);
    if (!rc && !document.text_length)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "workflow %lld was forgotten (pingo forget): its text is gone",
                         (long long)number);
    if (!rc)
        rc = pingo__graph_load(&store->db, l->row.graph, &l->arena, &l->graph, err);
    if (!rc)
        rc = pingo__workflow_plan_load(&store->db, number, &l->arena, &l->targets, &l->ntargets,
                                       &l->decisions, err);
    if (!rc) {
        options.base_dir = *document.base_dir ? document.base_dir : NULL;
        rc = pingo_workflow_parse(document.text, document.text_length, &options, &l->workflow, NULL,
                                  err);
    }
    if (!rc && pingo_workflow_count(l->workflow) != l->graph.nhashes)
        rc = pingo__fail(err, PINGO_ECORRUPT, "workflow %lld: its hashes do not fit its text",
                         (long long)number);
    if (rc)
        pingo__loaded_close(l);
    return rc;
}

void pingo__loaded_close(struct pingo__loaded *l)
{
    pingo_workflow_free(l->workflow);
    l->workflow = NULL;
    pingo__arena_clear(&l->arena);
}

bool pingo__loaded_is_wanted(const struct pingo__loaded *l, size_t i)
{
    for (size_t k = 0; k < l->ntargets; k++)
        if (l->targets[k] == i)
            return true;
    return !l->targets && pingo_workflow_action(l->workflow, i)->is_leaf;
}

void pingo__loaded_decision(const struct pingo__loaded *l, size_t i,
                            enum pingo_plan_decision *decision, enum pingo_plan_reason *reason)
{
    if (l->decisions) {
        *decision = (enum pingo_plan_decision)l->decisions[2 * i];
        *reason = (enum pingo_plan_reason)l->decisions[2 * i + 1];
        return;
    }
    *decision = pingo__loaded_is_wanted(l, i) ? PINGO_PLAN_REUSE : PINGO_PLAN_SKIP;
    *reason = *decision == PINGO_PLAN_REUSE ? PINGO_REASON_STORED : PINGO_REASON_NOT_NEEDED;
}

int pingo__document_digest(const char *base_dir, const char *text, size_t length,
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
