/* release.c - submissions that want their results no longer.
 *
 * Planning only raises retention; here is the one way down.  What always holds: the wish goes first, then
 * what nobody wants any more becomes ordinary, both in one transaction.  The text of a submission is
 * not needed. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "store/dataset/wishes.h"

struct release {
    struct pingo_store *store;
    struct pingo__arena arena;
    int64_t besides;                     /* what this submission wants is not counted; 0: none */
    bool unpins;                         /* also what others want */
    struct pingo_released result, *told; /* told: the caller's, or NULL */
};

static int open_release(struct release *r, struct pingo_store *store, struct pingo_released *told,
                        struct pingo_error *err)
{
    if (pingo__growing_result_check(told, "pingo_released", err))
        return PINGO_EINVAL;
    memset(r, 0, sizeof *r);
    r->store = store;
    r->told = told;
    return pingo__store_db_begin(&store->db, err);
}

/* rc: of the work inside; not called where open failed. */
static int close_release(struct release *r, int rc, struct pingo_error *err)
{
    rc = pingo__store_db_end(&r->store->db, rc, err);
    if (rc)
        r->result = (struct pingo_released){0};
    pingo__growing_result_put(r->told, &r->result, sizeof r->result);
    pingo__arena_clear(&r->arena);
    return rc;
}

/* ---- one dataset --------------------------------------------------------------------- */

static bool is_stored(const struct pingo__store_dataset_row *row)
{
    return row->managed && pingo__rules_dataset_is_kept(row->state);
}

static int nothing_there(const struct pingo__store_dataset_row *row, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ESTATE, "%s; there is nothing to release",
                       row->managed ? pingo__engine_not_stored(row) : "it is an unmanaged output");
}

static int let_go(struct release *r, const struct pingo__store_dataset_row *row, bool wanted,
                  struct pingo_error *err)
{
    bool changes = row->pinned || (!wanted && row->state == PINGO_DATASET_LEAF);
    int rc = pingo__store_dataset_unpin(&r->store->db, &row->hash, err);
    if (!rc && !wanted && row->state == PINGO_DATASET_LEAF)
        rc = pingo__store_dataset_move(&r->store->db, row, PINGO_DATASET_STORED, err);
    r->result.released += changes && is_stored(row);
    return rc;
}

static void count_wanted(struct pingo_released *result, int64_t workflow)
{
    result->wanted++;
    if (!result->wanted_by)
        result->wanted_by = workflow;
    else if (result->wanted_by != workflow)
        result->wanted_by_others = true;
}

/* A wish for this hash is over: what nobody wants becomes ordinary. */
static int settle(struct release *r, const struct pingo_hash *hash, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    int64_t workflow = 0;
    bool has = false;
    int rc = pingo__store_dataset_newest(&r->store->db, hash, NULL, &row, err);
    bool unmade = !rc && row.managed && row.state == PINGO_DATASET_TO_LEAF;
    if (rc || !(unmade || is_stored(&row)))
        return rc;
    rc = pingo__store_wish_find(&r->store->db, hash, &workflow, err);
    if (!rc && workflow && (unmade || row.state == PINGO_DATASET_LEAF)) {
        if (r->besides)
            rc = pingo__store_wish_has(&r->store->db, r->besides, hash, &has, err);
        if (!rc && !has)
            count_wanted(&r->result, workflow);
    }
    r->result.unmade += unmade && !workflow;
    return rc || (workflow && !r->unpins) ? rc : let_go(r, &row, workflow, err);
}

static int settle_all(struct release *r, const struct pingo__store_hash_list *hashes,
                      struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < hashes->n; i++)
        rc = settle(r, &hashes->rows[i], err);
    return rc;
}

/* ---- the public ones ------------------------------------------------------------------------ */

int pingo_store_release(struct pingo_store *store, const struct pingo_hash *hash, bool *changed,
                        struct pingo_error *err)
{
    struct release r;
    struct pingo_released result = {.size = sizeof result};
    struct pingo__store_dataset_row row;
    int rc = open_release(&r, store, &result, err);
    if (rc)
        return rc;
    rc = pingo__engine_may_dataset(store, "release", hash, err);
    if (!rc)
        rc = pingo__engine_dataset_row(store, hash, &r.arena, &row, err);
    if (!rc)
        rc = is_stored(&row) ? pingo__store_wish_release_hash(&store->db, hash, err)
                             : nothing_there(&row, err);
    if (!rc)
        rc = let_go(&r, &row, false, err);
    if (!rc)
        rc = pingo__engine_note_dataset(store, "release", hash, err);
    rc = close_release(&r, rc, err);
    if (!rc && changed)
        *changed = result.released > 0;
    return rc;
}

int pingo_store_release_workflow(struct pingo_store *store, int64_t workflow,
                                 struct pingo_released *released, struct pingo_error *err)
{
    struct release r;
    struct pingo__store_hash_list hashes = {.arena = &r.arena};
    struct pingo__store_workflow_row row;
    int rc = open_release(&r, store, released, err);
    if (rc)
        return rc;
    rc = pingo__engine_may_workflow(store, "release", workflow, err);
    if (!rc)
        rc = pingo__engine_workflow_row(store, workflow, &r.arena, &row, err);
    if (!rc)
        rc = pingo__store_wish_list(&store->db, workflow, &hashes, err);
    if (!rc)
        rc = pingo__store_wish_release_workflow(&store->db, workflow, err);
    if (!rc)
        rc = settle_all(&r, &hashes, err);
    return close_release(&r, rc, err);
}

int pingo_store_release_dataset(struct pingo_store *store, int64_t workflow,
                                const struct pingo_hash *hash, struct pingo_released *released,
                                struct pingo_error *err)
{
    struct release r;
    bool wished = false;
    int rc = open_release(&r, store, released, err);
    if (rc)
        return rc;
    r.unpins = !workflow || !store->caller.role || store->caller.role == PINGO_ROLE_ADMIN;
    struct pingo__store_workflow_row row;
    rc = workflow ? pingo__engine_may_workflow(store, "release", workflow, err)
                  : pingo__engine_may_dataset(store, "unpin", hash, err);
    if (!rc && workflow)
        rc = pingo__engine_workflow_row(store, workflow, &r.arena, &row, err);
    if (!rc && workflow)
        rc = pingo__store_wish_has(&store->db, workflow, hash, &wished, err);
    if (!rc && wished)
        rc = pingo__store_wish_release_one(&store->db, workflow, hash, err);
    struct pingo__store_dataset_row dataset;
    if (!rc && !wished) {
        rc = pingo__engine_dataset_row(store, hash, &r.arena, &dataset, err);
        if (!rc && !is_stored(&dataset))
            rc = nothing_there(&dataset, err);
    }
    if (!rc)
        rc = settle(&r, hash, err);
    if (!rc && !workflow)
        rc = pingo__engine_note_dataset(store, "unpin", hash, err);
    return close_release(&r, rc, err);
}

int pingo_store_release_superseded(struct pingo_store *store, const char *name,
                                   struct pingo_released *released, struct pingo_error *err)
{
    struct release r;
    struct pingo__store_hash_list hashes = {.arena = &r.arena};
    int64_t newest = 0;
    int rc = open_release(&r, store, released, err);
    if (rc)
        return rc;
    rc = pingo__engine_may_rule(store, "release superseded", name, err);
    if (!rc)
        rc = pingo__store_wish_newest(&store->db, name, &newest, &r.besides, err);
    if (!rc && !newest)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "no submission has the name %s", name);
    else if (!rc && !r.besides)
        rc = pingo__fail(err, PINGO_ESTATE,
                         "no submission of %s has finished well, the newest is workflow %" PRId64
                         ": one that has supersedes those before it",
                         name, newest);
    if (!rc)
        rc = pingo__store_wish_list_older(&store->db, name, r.besides, &hashes, err);
    if (!rc)
        rc = pingo__store_wish_release_older(&store->db, name, r.besides, err);
    if (!rc)
        rc = settle_all(&r, &hashes, err);
    return close_release(&r, rc, err);
}
