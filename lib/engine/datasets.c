/* datasets.c - looking at datasets, letting go of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/engine.h"
#include "store/datasets.h"
#include "store/transition.h"

static int stopped(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
}

/* ---- resolve ------------------------------------------------------------------------------ */

static bool prefix_range(const char *prefix, struct pingo_hash *low, struct pingo_hash *high)
{
    size_t n = strlen(prefix);
    char hex[PINGO_HASH_HEX_SIZE];

    if (n < 4 || n > 2 * PINGO_HASH_SIZE || strspn(prefix, "0123456789abcdef") != n)
        return false;
    memset(hex, '0', sizeof hex);
    memcpy(hex, prefix, n);
    hex[2 * PINGO_HASH_SIZE] = '\0';
    pingo_hash_from_hex(hex, low);
    memset(hex + n, 'f', 2 * PINGO_HASH_SIZE - n);
    return pingo_hash_from_hex(hex, high) == 0;
}

static int resolve_prefix(struct pingo_store *store, const char *prefix, struct pingo_hash *hash,
                          struct pingo_error *err)
{
    struct pingo_hash low, high;
    struct pingo__arena arena;
    struct pingo__dataset_list list;
    int rc;

    if (!prefix_range(prefix, &low, &high))
        return pingo__fail(
            err, PINGO_ENOTFOUND,
            "\"%s\" is no prefix of a hash: give at least 4 of its lower-case hex digits", prefix);
    pingo__arena_init(&arena);
    rc = pingo__dataset_list_between(&store->db, &low, &high, 2, &arena, &list, err);
    if (!rc && list.n == 0)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "no dataset has a hash that begins with %s", prefix);
    else if (!rc && list.n > 1)
        rc = pingo__fail(err, PINGO_EAMBIGUOUS,
                         "more than one dataset has a hash that begins with %s; give more digits",
                         prefix);
    else if (!rc)
        *hash = list.rows[0].hash;
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_resolve_dataset(struct pingo_store *store, const char *workflow, const char *action,
                                struct pingo_hash *hash, struct pingo_error *err)
{
    struct pingo__loaded l;
    int64_t number = 0;
    size_t position = 0;
    int rc;

    if (!action)
        return resolve_prefix(store, workflow, hash, err);
    rc = pingo_store_resolve_workflow(store, workflow, &number, err);
    if (!rc)
        rc = pingo__loaded_open(store, number, &l, err);
    if (rc)
        return rc;
    rc = pingo_workflow_resolve(l.workflow, action, &position, err);
    if (!rc)
        *hash = l.graph.hashes[position];
    pingo__loaded_close(&l);
    return rc;
}

/* ---- look ------------------------------------------------------------------------------------- */

static int tell(struct pingo_store *store, const struct pingo__dataset_row *d,
                struct pingo__arena *arena, pingo_dataset_status_fn fn, void *context,
                struct pingo_error *err)
{
    struct pingo__action_list makers;
    struct pingo_dataset_status s = {.hash = d->hash,
                                     .generation = d->generation,
                                     .state = (enum pingo_dataset_state)d->state,
                                     .is_current = d->current,
                                     .is_managed = d->managed,
                                     .keep = d->pinned ? PINGO_KEEP_ALWAYS : PINGO_KEEP_DEFAULT,
                                     .size_bytes = d->size_bytes,
                                     .content = d->content,
                                     .made_ms = d->made_ms,
                                     .last_used_ms = d->last_used_ms,
                                     .name = ""};
    int64_t size = -1;
    int rc = pingo__dataset_expect(&store->db, &d->hash, &s.compute_ms, &size, err);

    if (!rc)
        rc = pingo__claim_count(&store->db, d->id, &s.claims, err);
    if (!rc)
        rc = pingo__action_list_by_hash(&store->db, &d->hash, 1, arena, &makers, err);
    if (!rc && makers.n)
        s.name = makers.rows[0].name;
    if (!rc)
        rc = pingo__dataset_differed(&store->db, &d->hash, err);
    if (rc < 0)
        return rc;
    s.was_different = rc == 1;
    if (d->path && !(s.path = pingo__pool_full_path(&store->pool, arena, d->path)))
        return pingo__fail_memory(err);
    return fn(context, &s) ? stopped(err) : 0;
}

int pingo_store_datasets(struct pingo_store *store, bool all, pingo_dataset_status_fn fn,
                         void *context, struct pingo_error *err)
{
    int64_t after = 0;
    size_t n = 0;
    int rc = 0;

    do {
        struct pingo__arena arena;
        struct pingo__dataset_list list;

        pingo__arena_init(&arena);
        rc = pingo__dataset_list_after(&store->db, after, all, 256, &arena, &list, err);
        for (size_t i = 0; !rc && i < list.n; i++)
            rc = tell(store, &list.rows[i], &arena, fn, context, err);
        n = list.n;
        if (n)
            after = list.rows[n - 1].id;
        pingo__arena_clear(&arena);
    } while (!rc && n == 256);
    return rc;
}

static int never_computed(const struct pingo_hash *hash, struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE];

    pingo_hash_to_hex(hash, hex);
    return pingo__fail(err, PINGO_ENOTFOUND, "dataset %s was never computed", hex);
}

int pingo_store_dataset(struct pingo_store *store, const struct pingo_hash *hash,
                        pingo_dataset_status_fn fn, void *context, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__dataset_row row;
    int rc;

    pingo__arena_init(&arena);
    rc = pingo__dataset_newest(&store->db, hash, &arena, &row, err);
    if (rc == 0)
        rc = never_computed(hash, err);
    else if (rc == 1)
        rc = tell(store, &row, &arena, fn, context, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_claims(struct pingo_store *store, const struct pingo_hash *hash, pingo_claim_fn fn,
                       void *context, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__dataset_row row;
    struct pingo__action_list list = {NULL, 0};
    int rc;

    pingo__arena_init(&arena);
    rc = pingo__dataset_newest(&store->db, hash, &arena, &row, err);
    if (rc == 0)
        rc = never_computed(hash, err);
    else if (rc == 1)
        rc = pingo__action_list_claimants(&store->db, row.id, &arena, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        if (fn(context, list.rows[i].workflow, list.rows[i].user_id, list.rows[i].name))
            rc = stopped(err);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- let go ---------------------------------------------------------------------------------------- */

static int claimed_by(struct pingo_store *store, const struct pingo__dataset_row *row,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__action_list list;
    int rc = pingo__action_list_claimants(&store->db, row->id, arena, &list, err);

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

static int change(struct pingo_store *store, const struct pingo__dataset_row *row, int to,
                  bool unclaimed, struct pingo_error *err)
{
    return pingo__dataset_change(&store->db,
                                 &(struct pingo__dataset_change){.id = row->id,
                                                                 .hash = row->hash,
                                                                 .generation = row->generation,
                                                                 .from = row->state,
                                                                 .to = to,
                                                                 .unclaimed = unclaimed},
                                 err);
}

static int remove_one(struct pingo_store *store, const struct pingo_hash *hash,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row row;
    int rc = pingo__dataset_newest(&store->db, hash, arena, &row, err);

    if (rc != 1)
        return rc < 0 ? rc : never_computed(hash, err);
    if (!row.managed)
        return pingo__fail(err, PINGO_ESTATE,
                           "%s: is an unmanaged output; Pingo never deletes it, you may",
                           row.path ? row.path : "it");
    if (row.state != PINGO_DATASET_STORED && row.state != PINGO_DATASET_LEAF)
        return pingo__fail(err, PINGO_ESTATE, "the dataset is %s; only a stored one can be removed",
                           pingo_dataset_state_name(row.state));
    rc = change(store, &row, PINGO_DATASET_STORED_TO_DELETE, true, err);
    if (rc == 0)
        return claimed_by(store, &row, arena, err);
    return rc < 0 ? rc : pingo__dataset_set_pinned(&store->db, row.id, false, err);
}

/* 1: something changed. */
static int release_one(struct pingo_store *store, const struct pingo_hash *hash,
                       struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row row;
    int changed, rc = pingo__dataset_newest(&store->db, hash, arena, &row, err);

    if (rc != 1)
        return rc < 0 ? rc : never_computed(hash, err);
    if (!row.managed || (row.state != PINGO_DATASET_STORED && row.state != PINGO_DATASET_LEAF))
        return pingo__fail(err, PINGO_ESTATE, "the dataset is %s%s; there is nothing to release",
                           row.managed ? "" : "unmanaged and ", pingo_dataset_state_name(row.state));
    changed = row.pinned || row.state == PINGO_DATASET_LEAF;
    rc = row.pinned ? pingo__dataset_set_pinned(&store->db, row.id, false, err) : 0;
    if (!rc && row.state == PINGO_DATASET_LEAF)
        rc = change(store, &row, PINGO_DATASET_STORED, false, err);
    return rc < 0 ? rc : changed;
}

int pingo_store_remove(struct pingo_store *store, const struct pingo_hash *hash,
                       struct pingo_error *err)
{
    struct pingo__arena arena;
    int rc = pingo__db_begin(&store->db, err);

    if (rc)
        return rc;
    pingo__arena_init(&arena);
    rc = pingo__db_end(&store->db, remove_one(store, hash, &arena, err), err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_release(struct pingo_store *store, const struct pingo_hash *hash,
                        struct pingo_error *err)
{
    struct pingo__arena arena;
    int rc = pingo__db_begin(&store->db, err);

    if (rc)
        return rc;
    pingo__arena_init(&arena);
    rc = pingo__db_end(&store->db, release_one(store, hash, &arena, err), err);
    pingo__arena_clear(&arena);
    return rc < 0 ? rc : 0;
}

int pingo_store_release_workflow(struct pingo_store *store, int64_t workflow, size_t *released,
                                 struct pingo_error *err)
{
    struct pingo__loaded l;
    size_t n = 0;
    int rc = pingo__loaded_open(store, workflow, &l, err);

    if (rc)
        return rc;
    rc = pingo__db_begin(&store->db, err);
    if (!rc) {
        for (size_t i = 0; rc >= 0 && i < l.graph.nhashes; i++) {
            if (!pingo__loaded_is_wanted(&l, i))
                continue;
            rc = release_one(store, &l.graph.hashes[i], &l.arena, err);
            if (rc == PINGO_ESTATE || rc == PINGO_ENOTFOUND)
                rc = 0; /* never made, or gone: nothing to release */
            n += rc == 1;
        }
        rc = pingo__db_end(&store->db, rc < 0 ? rc : 0, err);
    }
    if (released)
        *released = n;
    pingo__loaded_close(&l);
    return rc;
}
