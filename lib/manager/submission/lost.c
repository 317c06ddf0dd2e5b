/* lost.c - a dataset whose bytes are gone: who waits to read it is planned again.
 *
 * What always holds: the dataset is DELETED in the transaction in which that was found; its readers follow, so many
 * in each transaction, so that nobody waits long for the lock.  A reader that is met before its turn finds out by
 * itself. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "manager/attempt/callback.h"
#include "manager/submission/workflow_manager.h"
#include "store/dataset/datasets.h"
#include "store/meta.h"
#include "store/transition.h"

#define SLICE 400 /* readers in one transaction */
#define TOLD 10   /* datasets with a line of their own */

/* The second loss of the same input fails it. */
static int fail_reader(struct pingo__manager_context *c,
                       const struct pingo__store_action_row *reader, struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE], message[160];
    pingo_hash_to_hex(&reader->lost, hex);
    snprintf(message, sizeof message, "input %s vanished from the pool for the second time", hex);
    return pingo__manager_action_end(c, reader, PINGO_ACTION_FAILED, message, err);
}

/* As they are now. */
static int replan(struct pingo__manager_context *c, const struct pingo__store_action_list *readers,
                  const struct pingo_hash *hash, struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__store_action_row *now = pingo__arena_array(arena, readers->n, sizeof *now);
    size_t kept = 0;
    int rc = now ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < readers->n; i++) {
        rc = pingo__store_action_get(c->db, readers->rows[i].id, arena, &now[kept], err);
        if (!rc && now[kept].id && !pingo_action_state_is_final(now[kept].state))
            rc = pingo__store_action_set_lost(c->db, now[kept++].id, hash, err);
    }
    return rc ? rc : pingo__manager_workflow_replan(c, now, kept, err);
}

/* Some of those that have not started.  *more: there may be others. */
static int replan_readers(struct pingo__manager_context *c, int64_t dataset,
                          const struct pingo_hash *hash, bool *more, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_action_list list = {.arena = &arena};
    int rc = pingo__store_lost_readers(c->db, dataset, SLICE, &list, err);
    *more = list.n == SLICE;
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_action_row *a = &list.rows[i];
        rc = pingo__store_claim_drop_one(c->db, dataset, a->id, err);
        if (!rc && a->has_lost && memcmp(&a->lost, hash, sizeof *hash) == 0)
            rc = fail_reader(c, a, err);
    }
    if (!rc)
        rc = replan(c, &list, hash, &arena, err);
    pingo__arena_clear(&arena);
    return rc;
}

static const char *describe(const struct pingo__store_dataset_row *row, bool is_near, bool exists)
{
    if (!is_near)
        return row->managed ? "vanished from the pool, or changed there"
                            : "vanished, or was changed";
    if (!row->managed)
        return exists ? "was changed" : "vanished";
    return exists ? "changed in the pool" : "vanished from the pool";
}

/* What lies there instead is nobody's. */
static int forget_bytes(struct pingo__manager_context *c,
                        const struct pingo__store_dataset_row *row, struct pingo_error *err)
{
    struct pingo__pool_state st = {.exists = true};
    bool is_near = !pingo__pool_is_remote(c->pool); /* nobody waits for another in a transaction */
    int rc = row->path && is_near ? pingo__pool_state(c->pool, row->path, &st, err) : 0;
    if (!row->path)
        return 0;
    if (!rc && st.exists && row->managed && (is_near || c->asking))
        rc = pingo__pool_trash(c->pool, row->path, err);
    bool stays = is_near && (rc == PINGO_EIO || pingo__pool_is_closed(rc));
    if (stays || (!rc && !is_near)) /* a sweep finds it */
        rc = pingo__store_meta_set(c->db, "sweep.at", "0", err);
    if (!rc && c->nlost++ < TOLD)
        pingo__manager_log(c, PINGO_LOG_WARNING, "%s: %s; it will be made again if needed",
                           row->path, describe(row, is_near, st.exists));
    return rc;
}

void pingo__manager_lost_tell(struct pingo__manager_context *c)
{
    if (c->nlost > TOLD)
        pingo__manager_log(c, PINGO_LOG_WARNING,
                           "and so did %zu more; they will be made again if needed",
                           c->nlost - TOLD);
    c->nlost = 0;
}

static int lose_readers(struct pingo__manager_context *c,
                        const struct pingo__store_dataset_row *row, struct pingo_error *err)
{
    bool more = false;
    int rc = replan_readers(c, row->id, &row->hash, &more, err);
    return !rc && more ? pingo__store_lost_note(c->db, row->id, err) : rc;
}

/* Of all generations that have these bytes; only then are readers planned again, or they would reuse another one. */
static int lose(struct pingo__manager_context *c, const struct pingo__store_dataset_row *row,
                const struct pingo__store_dataset_list *sharers, struct pingo_error *err)
{
    int rc = pingo__store_dataset_move(c->db, row, PINGO_DATASET_DELETED, err);
    for (size_t i = 0; !rc && i < sharers->n; i++)
        rc = pingo__store_dataset_move(c->db, &sharers->rows[i], PINGO_DATASET_DELETED, err);
    if (!rc)
        rc = forget_bytes(c, row, err);
    if (!rc)
        rc = lose_readers(c, row, err);
    for (size_t i = 0; !rc && i < sharers->n; i++)
        rc = lose_readers(c, &sharers->rows[i], err);
    return rc;
}

int pingo__manager_dataset_lost(struct pingo__manager_context *c,
                                const struct pingo__store_dataset_row *row, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_list sharers = {.arena = &arena};
    int rc;
    if (row->state ==
        PINGO_DATASET_DELETED) { /* it was found gone before: its readers may be on their way */
        bool is_noted = false;
        rc = pingo__store_lost_is_noted(c->db, row->id, &is_noted, err);
        return rc || is_noted ? rc : lose_readers(c, row, err);
    }
    rc = pingo__store_dataset_list_sharers(c->db, row, &sharers, err);
    if (!rc)
        rc = lose(c, row, &sharers, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__manager_lost_go_on(struct pingo__manager_context *c, struct pingo_error *err)
{
    struct pingo__store_lost lost;
    int rc;
    while (!(rc = pingo__store_lost_next(c->db, &lost, err)) && lost.dataset) {
        bool more = false;
        rc = pingo__store_db_begin(c->db, err);
        if (!rc)
            rc = replan_readers(c, lost.dataset, &lost.hash, &more, err);
        if (!rc && !more)
            rc = pingo__store_lost_forget(c->db, lost.dataset, err);
        rc = pingo__store_db_end(c->db, rc, err);
        if (rc)
            return rc;
    }
    return rc;
}
