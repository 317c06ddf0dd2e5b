/* remove.c - removing datasets, as their users say: one, or many in few transactions. */
#include <inttypes.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "store/transition.h"
#include "store/dataset/wishes.h"

enum { AT_ONCE = 200 }; /* in a transaction: others wait no longer than for a submission */

static int claimed_by(struct pingo_store *store, const struct pingo__store_dataset_row *row,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_list list = {.arena = arena};
    int rc = pingo__store_action_list(&store->db, PINGO__ACTIONS_CLAIMANTS, row->id, &list, err);
    if (rc)
        return rc;
    if (!list.n)
        return pingo__fail(err, PINGO_ECLAIMED,
                           "the dataset is being read, by no action; try again");
    return pingo__fail(err, PINGO_ECLAIMED,
                       "the dataset is claimed by action %" PRId64 " (%s) of workflow %" PRId64
                       "%s",
                       list.rows[0].user_id, list.rows[0].name, list.rows[0].workflow,
                       list.n > 1 ? " and others" : "");
}

const char *pingo__engine_not_stored(const struct pingo__store_dataset_row *row)
{
    return pingo_dataset_state_is_pending(row->state)
               ? "the dataset is not made yet: an unfinished action will make it"
           : row->made_ms < 0 ? "the dataset was never made: its action did not finish"
           : row->state == PINGO_DATASET_DELETED
               ? "the dataset is deleted already"
               : "the dataset is being deleted already; the next tick removes its bytes";
}

static int remove_one(struct pingo_store *store, const struct pingo_hash *hash,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    int rc = pingo__engine_may_dataset(store, "remove", hash, err);
    if (!rc)
        rc = pingo__engine_dataset_row(store, hash, arena, &row, err);
    if (rc)
        return rc;
    if (!row.managed)
        return pingo__fail(err, PINGO_ESTATE,
                           "%s: is an unmanaged output; Pingo never deletes it, you may",
                           row.path ? row.path : "it");
    if (!pingo__rules_dataset_is_kept(row.state))
        return pingo__fail(err, PINGO_ESTATE, "%s", pingo__engine_not_stored(&row));
    struct pingo__store_dataset_change change = {
        .row = &row, .to = PINGO_DATASET_STORED_TO_DELETE, .unclaimed = true};
    bool is_done = false;
    rc = pingo__store_dataset_change(&store->db, &change, &is_done, err);
    if (!rc && !is_done)
        return claimed_by(store, &row, arena, err);
    if (!rc) /* it is nobody's result any more, also when it is made again */
        rc = pingo__store_wish_release_hash(&store->db, hash, err);
    if (!rc)
        rc = pingo__store_dataset_set_pinned(&store->db, row.id, false, err);
    return rc ? rc : pingo__engine_note_dataset(store, "remove", hash, err);
}

int pingo_store_remove(struct pingo_store *store, const struct pingo_hash *hash,
                       struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    int rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = remove_one(store, hash, &arena, err);
    rc = pingo__store_db_end(&store->db, rc, err);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- many ----------------------------------------------------------------------------- */

struct batch {
    struct pingo__arena arena;
    const struct pingo_hash *hashes;
    size_t n;
    struct pingo_error *refusals; /* of each; code 0: none */
};

/* Why one stays, while the others go: nothing of it was written. */
static bool is_refusal(int rc)
{
    return rc == PINGO_ESTATE || rc == PINGO_ECLAIMED || rc == PINGO_ENOTFOUND ||
           rc == PINGO_EFORBIDDEN;
}

static int pass_over(int rc, const struct pingo_error *why, struct pingo_error *err)
{
    return is_refusal(rc) || !rc ? 0 : pingo__fail(err, rc, "%s", why->message);
}

static int remove_batch(struct pingo_store *store, struct batch *b, struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&store->db, err);
    for (size_t i = 0; !rc && i < b->n; i++)
        rc = pass_over(remove_one(store, &b->hashes[i], &b->arena, &b->refusals[i]),
                       &b->refusals[i], err);
    return pingo__store_db_end(&store->db, rc, err);
}

int pingo_store_remove_several(struct pingo_store *store, const struct pingo_removal *removal,
                               pingo_removed_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_removal asked;
    int rc = PINGO__OPTIONS_TAKE(pingo_removal, removal, &asked, err);
    for (size_t at = 0; !rc && at < asked.nhashes; at += AT_ONCE) {
        size_t left = asked.nhashes - at;
        struct batch b = {.hashes = &asked.hashes[at], .n = left < AT_ONCE ? left : AT_ONCE};
        b.refusals = pingo__arena_array(&b.arena, b.n, sizeof *b.refusals);
        rc = b.refusals ? remove_batch(store, &b, err) : pingo__fail_memory(err);
        for (size_t i = 0; !rc && fn && i < b.n; i++)
            fn(context, at + i, &b.refusals[i]);
        pingo__arena_clear(&b.arena);
        pingo__store_db_let_others(&store->db);
    }
    return rc;
}
