/* retain.c - keeping datasets, as their users say.  Releasing them is in release.c, removing them in remove.c. */
#include "base/error.h"
#include "engine/engine.h"
#include "manager/attempt/inputs.h"
#include "store/dataset/wishes.h"

/* It is stored, or on its way out and nobody has touched its bytes yet. */
static bool may_be_kept(const struct pingo__store_dataset_row *row)
{
    return row->managed && pingo__rules_dataset_is_whole(row->state);
}

/* Outside any transaction: a pool that lies elsewhere takes as long as it likes.  *row: what is to be kept; id 0: it is
 * already. */
static int look_at_kept(struct pingo_store *store, const struct pingo_hash *hash,
                        struct pingo__arena *arena, struct pingo__store_dataset_row *row,
                        struct pingo_error *err)
{
    enum pingo__manager_presence is;
    int rc = pingo__engine_dataset_row(store, hash, arena, row, err);
    if (rc)
        return rc;
    if (!may_be_kept(row))
        return pingo__fail(err, PINGO_ESTATE, "%s",
                           row->managed
                               ? pingo__engine_not_stored(row)
                               : "it is an unmanaged output; Pingo never deletes it anyway");
    if (row->pinned)
        row->id = 0;
    else
        rc = pingo__manager_dataset_look(&store->context, row, &is, err);
    if (rc == PINGO_EAWAY) /* nobody can say it now: it is as the store says */
        return 0;
    if (!rc && row->id && is == PINGO__GONE)
        rc = pingo__fail(err, PINGO_ESTATE, "the dataset is gone from the pool: %s", row->path);
    return rc;
}

/* What was looked at; since then it may have gone. */
static int keep_one(struct pingo_store *store, const struct pingo__store_dataset_row *seen,
                    struct pingo__arena *arena, bool *changed, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    *changed = false;
    int rc = seen->id ? pingo__engine_dataset_row(store, &seen->hash, arena, &row, err) : 0;
    if (rc || !seen->id || (row.id == seen->id && row.pinned))
        return rc;
    if (row.id != seen->id || !may_be_kept(&row))
        return pingo__fail(err, PINGO_ESTATE, "%s",
                           row.id == seen->id ? pingo__engine_not_stored(&row)
                                              : "the dataset was made again meanwhile");
    if (!pingo__rules_dataset_is_kept(row.state))
        rc = pingo__store_dataset_move(&store->db, &row, PINGO_DATASET_STORED, err);
    if (!rc)
        rc = pingo__store_dataset_set_pinned(&store->db, row.id, true, err);
    *changed = !rc;
    return rc;
}

struct keeping {
    const struct pingo_hash *hashes;
    size_t n, kept;
    int64_t workflow; /* its results: what was never made, or is gone, is passed over; 0: one dataset */
};

static int keep_all(struct pingo_store *store, struct keeping *k, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_row *rows = pingo__arena_array(&arena, k->n + 1, sizeof *rows);
    int rc = rows ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < k->n; i++) {
        rc = look_at_kept(store, &k->hashes[i], &arena, &rows[i], err);
        if (k->workflow && (rc == PINGO_ESTATE || rc == PINGO_ENOTFOUND)) {
            rows[i].id = 0;
            rc = 0;
        }
    }
    if (!rc)
        rc = pingo__store_db_begin(&store->db, err);
    if (rc)
        goto out;
    rc = k->workflow ? pingo__engine_may_workflow(store, "keep", k->workflow, err)
                     : pingo__engine_may_dataset(store, "keep", k->hashes, err);
    for (size_t i = 0; !rc && i < k->n; i++) {
        bool changed = false;
        rc = keep_one(store, &rows[i], &arena, &changed, err);
        rc = k->workflow && rc == PINGO_ESTATE ? 0 : rc;
        k->kept += changed;
    }
    if (!rc && !k->workflow)
        rc = pingo__engine_note_dataset(store, "keep", k->hashes, err);
    rc = pingo__store_db_end(&store->db, rc, err);
out:
    k->kept = rc ? 0 : k->kept;
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_keep(struct pingo_store *store, const struct pingo_hash *hash, bool *changed,
                     struct pingo_error *err)
{
    struct keeping k = {.hashes = hash, .n = 1};
    int rc = keep_all(store, &k, err);
    if (!rc && changed)
        *changed = k.kept;
    return rc;
}

int pingo_store_keep_workflow(struct pingo_store *store, int64_t workflow, size_t *kept,
                              struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_workflow_row row;
    struct pingo__store_hash_list wanted = {.arena = &arena};
    struct keeping k = {.workflow = workflow};
    int rc = pingo__engine_submission_get(store, workflow, &arena, &row, err);
    if (!rc)
        rc = pingo__store_wish_list(&store->db, workflow, &wanted, err);
    k.hashes = wanted.rows;
    k.n = wanted.n;
    if (!rc)
        rc = keep_all(store, &k, err);
    if (kept)
        *kept = k.kept;
    pingo__arena_clear(&arena);
    return rc;
}
