/* adopt.c - an output that was made before Pingo becomes the dataset of an action that has not run.
 *
 * What always holds: the user's own files are copied, never moved or changed; what is adopted is looked
 * at as what an executor delivers; the action ends in the transaction that publishes it. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "digest/content.h"
#include "engine/engine.h"
#include "manager/attempt/callback.h"

#define EPOCH 0 /* attempts have higher ones */

struct adoption {
    struct pingo_store *store;
    struct pingo__manager_context context; /* with an owner of our own */
    struct pingo__manager_owner owner;
    struct pingo__arena arena;
    struct pingo__manager_settling s;
    char from[PATH_MAX];
    char held[PINGO__NAME_SIZE]; /* its name in the trash, where it is ours as long as we live */
};

/* ---- which action --------------------------------------------------------------------------- */

static int check_state(struct adoption *x, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &x->s.p.action;
    if (a->output_path)
        return pingo__fail(err, PINGO_ESTATE,
                           "action %" PRId64
                           " (%s): its output is unmanaged, and is always computed",
                           a->user_id, a->name);
    if (pingo_action_state_is_final(a->state))
        return pingo__fail(err, PINGO_ESTATE,
                           "action %" PRId64 " (%s) is %s; submit the workflow again to adopt its "
                           "output",
                           a->user_id, a->name, pingo_action_state_name(a->state));
    if (!pingo__rules_action_is_idle(a->state))
        return pingo__fail(err, PINGO_ESTATE, "action %" PRId64 " (%s) is being computed",
                           a->user_id, a->name);
    struct pingo__store_dataset_row d;
    int rc = pingo__store_dataset_current(x->context.db, &a->hash, &x->arena, &d, err);
    if (!rc && pingo__store_dataset_is_whole(&d))
        return pingo__fail(err, PINGO_ESTATE, "action %" PRId64 " (%s): its dataset is there",
                           a->user_id, a->name);
    return rc;
}

/* The row that computes; of equal actions one does. */
static int find_row(struct adoption *x, int64_t workflow, const struct pingo__store_node *node,
                    struct pingo_error *err)
{
    struct pingo__store_action_row *row = &x->s.p.action;
    struct pingo__store_action_list rows = {.arena = &x->arena};
    int rc = pingo__store_action_list_at(x->context.db, workflow, node->position, &rows, err);
    if (!rc && !rows.n)
        return pingo__fail(err, PINGO_ESTATE,
                           "action %" PRId64 " (%s) is reused or skipped in workflow %" PRId64
                           ": it needs no output",
                           node->user_id, node->name, workflow);
    if (rc)
        return rc;
    *row = rows.rows[0];
    while (!rc && row->joined && pingo__rules_action_is_unfinished(row->state)) {
        rc = pingo__store_action_get(x->context.db, row->joined, &x->arena, row, err);
        if (!rc && !row->id)
            return pingo__fail(err, PINGO_ECORRUPT, "an action is joined that is not there");
    }
    return rc ? rc : check_state(x, err);
}

static int find(struct adoption *x, const struct pingo_action_name *of, struct pingo_error *err)
{
    struct pingo__engine_named named;
    int rc = pingo__engine_named_find(x->store, of, &named, err);
    if (!rc)
        rc = find_row(x, of->workflow, &named.action.node, err);
    pingo__arena_clear(&named.arena);
    return rc;
}

/* ---- its bytes -------------------------------------------------------------------------------- */

/* A copy of the pool in the pool has no end. */
static int check_source(const struct adoption *x, struct pingo_error *err)
{
    const char *kept[] = {x->store->directory, x->store->pool_dir};
    char real[PATH_MAX];
    for (size_t i = 0; i < 2; i++)
        if (realpath(kept[i], real) && pingo__path_is_below(real, x->from))
            return pingo__fail(err, PINGO_EINVAL, "%s: holds the store itself, and is no output",
                               x->from);
    return 0;
}

/* What the files are that are copied; unset where they cannot be looked at. */
static struct pingo_hash stamp_source(const struct adoption *x)
{
    struct pingo__digest_content_options options = {.world = x->context.world, .only_stamp = true};
    struct pingo__digest_content content;
    struct pingo_hash none = {{0}};
    return pingo__digest_content_read(x->from, &options, &content, NULL) ? none : content.stamp;
}

/* Bytes of two moments are nobody's output. */
static int stage_unchanged(struct adoption *x, struct pingo_error *err)
{
    struct pingo__pool *pool = x->context.pool;
    struct pingo_hash before = stamp_source(x);
    int rc = pool->backend->stage(pool->handle, x->from, x->held, err);
    if (rc)
        return rc;
    struct pingo_hash after = stamp_source(x);
    return memcmp(&before, &after, sizeof before) == 0
               ? 0
               : pingo__fail(err, PINGO_EINPUT, "%s: changed while it was copied", x->from);
}

/* A copy that is nobody else's, looked at as what an executor delivers. */
static int take_copy(struct adoption *x, struct pingo_error *err)
{
    struct pingo__pool *pool = x->context.pool;
    struct pingo_job_end *end = &x->s.end;
    pingo__name_held(x->held, x->context.owner, pool->token, pool->serial++);
    int rc = stage_unchanged(x, err);
    if (rc)
        return rc;
    *end = (struct pingo_job_end){.size = sizeof *end,
                                  .key = {x->s.p.action.id, EPOCH},
                                  .reason = PINGO_END_EXITED,
                                  .wall_ms = -1,
                                  .ended_ms = pingo__manager_now_ms(&x->context)};
    rc = pingo__manager_output_look(&x->context, x->held, false, end, err);
    if (!rc && end->reason != PINGO_END_EXITED)
        rc = pingo__fail(err, PINGO_EINPUT, "%s: cannot be kept: %s", x->from, end->message);
    return rc ? rc : pingo__pool_sync(pool, err);
}

/* No other adoption has its name, which nobody takes for an orphan as long as we live. */
static int put_object(struct adoption *x, struct pingo_error *err)
{
    struct pingo__pool *pool = x->context.pool;
    struct pingo_job_key ours = {0, x->context.owner};
    char staged[PINGO__NAME_SIZE];
    x->s.object = pingo__pool_object_name(&x->arena, &x->s.p.action.hash, ours);
    if (!x->s.object)
        return pingo__fail_memory(err);
    pingo__name_staged(staged, ours.action, ours.epoch);
    int rc = pool->backend->move(pool->handle, x->held, staged, err);
    if (!rc)
        rc = pingo__pool_publish(pool, ours, x->s.object, err);
    if (!rc)
        rc = pingo__manager_output_published(&x->context, x->s.object, &x->s.root, &x->s.end, err);
    return rc ? rc : pingo__pool_sync(pool, err);
}

/* ---- its end ------------------------------------------------------------------------------------ */

/* Who adopts an output wants that nothing runs for it. */
static int cancel_unneeded(struct adoption *x, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &x->s.p.action;
    const char *message = pingo__arena_format(
        &x->arena, "not needed: the output of action %" PRId64 " (%s) was adopted", a->user_id,
        a->name);
    return message ? pingo__manager_action_cancel_unneeded(&x->context, a, message, err)
                   : pingo__fail_memory(err);
}

static int settle(struct adoption *x, struct pingo_error *err)
{
    struct pingo__store_action_row before = x->s.p.action;
    int rc = put_object(x, err);
    if (!rc)
        rc = pingo__store_db_begin(x->context.db, err);
    if (!rc)
        rc = pingo__engine_may_workflow(x->store, "adopt", before.workflow, err);
    if (!rc)
        rc = pingo__store_action_get(x->context.db, before.id, &x->arena, &x->s.p.action, err);
    if (!rc && (!x->s.p.action.id || x->s.p.action.dataset != before.dataset))
        rc = pingo__fail(err, PINGO_ESTATE, "the action was planned again meanwhile");
    if (!rc)
        rc = check_state(x, err);
    if (!rc) /* before it is published, for what it becomes */
        rc = pingo__store_dataset_set_pinned(x->context.db, x->s.p.action.dataset, true, err);
    if (!rc)
        rc = pingo__manager_callback_succeed(&x->s, err);
    if (!rc)
        rc = pingo__store_adopted_note(x->context.db, x->s.p.action.dataset, x->from, err);
    if (!rc)
        rc = cancel_unneeded(x, err);
    bool is_refused = rc != 0; /* what a commit that failed has left, a sweep finds */
    rc = pingo__store_db_end(x->context.db, rc, err);
    if (is_refused && x->s.object)
        pingo__pool_trash(x->context.pool, x->s.object, NULL);
    return rc;
}

static int adopt(struct adoption *x, const struct pingo_action_name *of, struct pingo_error *err)
{
    int rc = find(x, of, err);
    if (!rc)
        rc = check_source(x, err);
    if (!rc)
        rc = take_copy(x, err);
    return rc ? rc : settle(x, err);
}

int pingo_store_adopt(struct pingo_store *store, const struct pingo_action_name *of,
                      const char *path, struct pingo_hash *hash, struct pingo_error *err)
{
    struct adoption x = {.store = store, .context = store->context, .owner = {.fd = -1}};
    if (!of->action || !path || !*path)
        return pingo__fail(err, PINGO_EINVAL, "an action and a path are needed");
    if (!realpath(path, x.from))
        return pingo__fail(err, PINGO_EINPUT, "%s: %s", path, strerror(errno));
    x.s = (struct pingo__manager_settling){.c = &x.context, .arena = &x.arena};
    int rc = pingo__manager_owner_register(&x.owner, &x.context, NULL, err);
    if (!rc)
        rc = adopt(&x, of, err);
    if (*x.held)
        pingo__pool_trash(store->context.pool, x.held,
                          NULL); /* where it was left: to go with the rest */
    pingo__manager_owner_release(&x.owner, &x.context);
    if (!rc && hash)
        *hash = x.s.p.action.hash;
    pingo__arena_clear(&x.arena);
    return rc;
}
