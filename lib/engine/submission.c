/* submission.c - a submission, and one of its actions, as they were hashed. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "digest/encoding.h"
#include "digest/sha256.h"
#include "engine/engine.h"

int pingo__engine_workflow_row(struct pingo_store *store, int64_t number, struct pingo__arena *arena,
                               struct pingo__store_workflow_row *row, struct pingo_error *err)
{
    int rc = pingo__store_workflow_get(&store->db, number, arena, row, err);
    if (!rc && !row->id)
        return pingo__fail(err, PINGO_ENOTFOUND, "there is no workflow %" PRId64, number);
    return rc;
}

int pingo__engine_workflow_running(const struct pingo__store_workflow_row *row,
                                   struct pingo_error *err)
{
    return row->state == PINGO_WORKFLOW_RUNNING
               ? 0
               : pingo__fail(err, PINGO_ESTATE, "workflow %" PRId64 " has ended already (%s)",
                             row->id, pingo_workflow_state_name(row->state));
}

int pingo__engine_dataset_row(struct pingo_store *store, const struct pingo_hash *hash,
                              struct pingo__arena *arena, struct pingo__store_dataset_row *row,
                              struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE];
    int rc = pingo__store_dataset_newest(&store->db, hash, arena, row, err);
    if (!rc && !row->id)
        return pingo__fail(err, PINGO_ENOTFOUND, "dataset %s was never computed",
                           (pingo_hash_to_hex(hash, hex), hex));
    return rc;
}

/* Whoever reserves memory by the number of actions, or counts up to it, must not follow a number that is damaged. */
static int check_size(struct pingo_store *store, const struct pingo__store_workflow_row *row,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_at end = {row->graph, row->nactions > 0 ? row->nactions - 1 : -1};
    struct pingo__store_node last;
    int rc = pingo__store_node_get(&store->db, &end, arena, &last, err);
    return rc || last.id
               ? rc
               : pingo__fail(err, PINGO_ECORRUPT,
                             "workflow %" PRId64 " has not the %" PRId64 " actions that it counts",
                             row->id, row->nactions);
}

int pingo__engine_submission_get(struct pingo_store *store, int64_t number,
                                 struct pingo__arena *arena, struct pingo__store_workflow_row *row,
                                 struct pingo_error *err)
{
    int rc = pingo__engine_workflow_row(store, number, arena, row, err);
    if (!rc && row->is_forgotten)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "workflow %" PRId64 " was forgotten (pingo forget): its text is gone",
                         number);
    return rc ? rc : check_size(store, row, arena, err);
}

int pingo__engine_named_read(struct pingo_store *store, struct pingo__engine_named *named,
                             int64_t position, struct pingo_error *err)
{
    struct pingo__store_page page = {named->workflow.id, position, 1};
    struct pingo__store_planned_list list = {.arena = &named->arena};
    int rc = pingo__store_planned_list(&store->db, &page, &list, err);
    if (!rc && (!list.n || list.rows[0].node.position != position))
        rc = pingo__fail(err, PINGO_ECORRUPT, "workflow %" PRId64 " has no action at %" PRId64,
                         named->workflow.id, position);
    if (!rc)
        named->action = list.rows[0];
    return rc;
}

int pingo__engine_named_find(struct pingo_store *store, const struct pingo_action_name *of,
                             struct pingo__engine_named *named, struct pingo_error *err)
{
    struct pingo__store_action_list rows = {.arena = &named->arena};
    int64_t position = 0;
    *named = (struct pingo__engine_named){.row = {.id = 0}};
    int rc = pingo__engine_submission_get(store, of->workflow, &named->arena, &named->workflow, err);
    if (rc || !of->action)
        return rc;
    rc = pingo__store_node_resolve(&store->db, named->workflow.graph, of->action, &position, err);
    if (!rc)
        rc = pingo__engine_named_read(store, named, position, err);
    if (!rc)
        rc = pingo__store_action_list_at(&store->db, of->workflow, position, &rows, err);
    if (!rc && rows.n)
        named->row = rows.rows[0];
    return rc;
}

int pingo__engine_named_one(struct pingo_store *store, const struct pingo_action_name *of,
                            struct pingo__engine_named *named, struct pingo_error *err)
{
    *named = (struct pingo__engine_named){.row = {.id = 0}};
    return of->action ? pingo__engine_named_find(store, of, named, err)
                      : pingo__fail(err, PINGO_EINVAL, "which action? its id, or its name");
}

void pingo__engine_document_digest(const char *base_dir, const char *text, size_t length,
                                   struct pingo_hash *digest)
{
    char all[2 * PINGO_HASH_SIZE + 1];
    struct pingo_hash part;
    /* Two digests side by side: no text can pass for another text in another directory.  And the
     * encoding: hashes of an earlier one are not found again by the text. */
    pingo__digest_sha256(text, length, &part);
    memcpy(all, part.bytes, PINGO_HASH_SIZE);
    pingo__digest_sha256(base_dir ? base_dir : "", base_dir ? strlen(base_dir) : 0, &part);
    memcpy(all + PINGO_HASH_SIZE, part.bytes, PINGO_HASH_SIZE);
    all[2 * PINGO_HASH_SIZE] = PINGO__ENCODING_VERSION;
    pingo__digest_sha256(all, sizeof all, digest);
}

int pingo__engine_stopped(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
}
