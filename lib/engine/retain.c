/* retain.c - keeping datasets and removing them, as their users say.  Releasing them is in release.c. */
#include <inttypes.h>

#include "base/error.h"
#include "engine/engine.h"
#include "manager/attempt/inputs.h"
#include "rules/states.h"
#include "store/datasets.h"
#include "store/transition.h"
#include "store/wishes.h"

/* ---- one of them ------------------------------------------------------------------- */

static int claimed_by(struct pingo_store *store, const struct pingo__store_dataset_row *row,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    int rc = pingo__store_action_list_claimants(&store->db, row->id, &list, err);
    if (rc)
        return rc;
    if (!list.n)
        return pingo__fail(err, PINGO_ECLAIMED, "another process is reading the dataset; try again");
    return pingo__fail(err, PINGO_ECLAIMED,
                       "the dataset is claimed by action %" PRId64 " (%s) of workflow %" PRId64
                       "%s",
                       list.rows[0].user_id, list.rows[0].name, list.rows[0].workflow,
                       list.n > 1 ? " and others" : "");
}

/* Why a dataset in this state cannot be removed. */
static const char *not_stored(enum pingo_dataset_state state)
{
    return pingo_dataset_state_is_pending(state)
               ? "the dataset is not made yet: an unfinished action will make it"
           : state == PINGO_DATASET_DELETED
               ? "the dataset is deleted already"
               : "the dataset is being deleted already; the next tick removes its bytes";
}

static int remove_one(struct pingo_store *store, const struct pingo_hash *hash,
                      struct pingo__arena *arena, bool *changed, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    int rc = pingo__engine_dataset_row(store, hash, arena, &row, err);
    *changed = true;
    if (rc)
        return rc;
    if (!row.managed)
        return pingo__fail(err, PINGO_ESTATE,
                           "%s: is an unmanaged output; Pingo never deletes it, you may",
                           row.path ? row.path : "it");
    if (!pingo__rules_dataset_is_kept(row.state))
        return pingo__fail(err, PINGO_ESTATE, "%s", not_stored(row.state));
    struct pingo__store_dataset_change change = {.id = row.id,
                                                 .hash = row.hash,
                                                 .generation = row.generation,
                                                 .from = row.state,
                                                 .to = PINGO_DATASET_STORED_TO_DELETE,
                                                 .unclaimed = true};
    bool is_done = false;
    rc = pingo__store_dataset_change(&store->db, &change, &is_done, err);
    if (!rc && !is_done)
        return claimed_by(store, &row, arena, err);
    if (!rc) /* it is nobody's result any more, also when it is made again */
        rc = pingo__store_wish_release_hash(&store->db, hash, err);
    return rc ? rc : pingo__store_dataset_set_pinned(&store->db, row.id, false, err);
}

/* It is stored, or on its way out and nobody has touched its bytes yet. */
static bool may_be_kept(const struct pingo__store_dataset_row *row)
{
    return row->managed && pingo__rules_dataset_is_whole(row->state);
}

static int keep_one(struct pingo_store *store, const struct pingo_hash *hash,
                    struct pingo__arena *arena, bool *changed, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    int rc = pingo__engine_dataset_row(store, hash, arena, &row, err);
    *changed = false;
    if (rc)
        return rc;
    if (!may_be_kept(&row))
        return pingo__fail(err, PINGO_ESTATE, "%s",
                           row.managed
                               ? not_stored(row.state)
                               : "it is an unmanaged output; Pingo never deletes it anyway");
    if (row.pinned)
        return 0;
    enum pingo__manager_presence is;
    rc = pingo__manager_dataset_look(&store->context, &row, &is, err);
    if (!rc && is == PINGO__GONE)
        return pingo__fail(err, PINGO_ESTATE, "the dataset is gone from the pool: %s", row.path);
    if (!rc && !pingo__rules_dataset_is_kept(row.state))
        rc = pingo__store_dataset_move(&store->db, &row, PINGO_DATASET_STORED, err);
    if (!rc)
        rc = pingo__store_dataset_set_pinned(&store->db, row.id, true, err);
    *changed = !rc;
    return rc;
}

typedef int (*one_fn)(struct pingo_store *store, const struct pingo_hash *hash,
                      struct pingo__arena *arena, bool *changed, struct pingo_error *err);

static int do_one(struct pingo_store *store, const struct pingo_hash *hash, one_fn one,
                  bool *changed, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    bool done = false;
    int rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = pingo__store_db_end(&store->db, one(store, hash, &arena, &done, err), err);
    if (!rc && changed)
        *changed = done;
    pingo__arena_clear(&arena);
    return rc;
}

/* The leaves of a submission; what was never made, or is gone, is passed over. */
static int keep_leaves(struct pingo_store *store, const struct pingo__store_planned_list *wanted,
                       struct pingo__arena *arena, size_t *kept, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&store->db, err);
    for (size_t i = 0; !rc && i < wanted->n; i++) {
        bool changed = false;
        rc = keep_one(store, &wanted->rows[i].node.hash, arena, &changed, err);
        if (rc == PINGO_ESTATE || rc == PINGO_ENOTFOUND)
            rc = 0;
        *kept += changed;
    }
    return pingo__store_db_end(&store->db, rc, err);
}

/* ---- the public ones ------------------------------------------------------------------ */

int pingo_store_remove(struct pingo_store *store, const struct pingo_hash *hash,
                       struct pingo_error *err)
{
    return do_one(store, hash, remove_one, NULL, err);
}

int pingo_store_keep(struct pingo_store *store, const struct pingo_hash *hash, bool *changed,
                     struct pingo_error *err)
{
    return do_one(store, hash, keep_one, changed, err);
}

int pingo_store_keep_workflow(struct pingo_store *store, int64_t workflow, size_t *kept,
                              struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_workflow_row row;
    struct pingo__store_planned_list wanted = {.arena = &arena};
    size_t n = 0;
    int rc = pingo__engine_submission_get(store, workflow, &arena, &row, err);
    if (!rc)
        rc = pingo__store_planned_wanted(&store->db, workflow, &wanted, err);
    if (!rc)
        rc = keep_leaves(store, &wanted, &arena, &n, err);
    if (kept)
        *kept = n;
    pingo__arena_clear(&arena);
    return rc;
}
