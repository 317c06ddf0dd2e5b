/* attempts.c - the tries at running an action, whose run it was, and its logs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/look/one.h"
#include "engine/look/page.h"
#include "rules/states.h"
#include "store/datasets.h"

/* ---- all of them ------------------------------------------------------------------------------ */

struct listing {
    struct pingo_store *store;
    pingo_attempt_fn fn;
    void *context;
};

static int tell(const struct listing *l, const struct pingo__store_attempt_row *r,
                struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_attempt a = {.row = r->key.action,
                              .epoch = r->key.epoch,
                              .id = r->user_id,
                              .name = r->name,
                              .has_started = r->started_ms >= 0,
                              .has_ended = r->state == PINGO__ATTEMPT_ENDED,
                              .reason = (int)r->reason,
                              .exit_code = r->exit_code,
                              .signal = r->signal,
                              .handed_ms = r->handed_ms,
                              .started_ms = r->started_ms,
                              .ended_ms = r->ended_ms,
                              .wall_ms = r->wall_ms,
                              .user_ms = r->user_ms,
                              .system_ms = r->system_ms,
                              .max_rss_bytes = r->max_rss_bytes,
                              .confined = (int)r->confined,
                              .executor = r->executor,
                              .node = *r->node ? r->node : NULL};
    int rc = pingo__pool_attempt_left(&l->store->pool, arena, r->key, &a.attempt_dir, err);
    if (rc)
        return rc;
    return l->fn(l->context, &a) ? pingo__engine_stopped(err) : 0;
}

/* The submission is there; *position: of the action, -1 for all. */
static int find_position(struct pingo_store *store, const struct pingo_attempt_query *q,
                         int64_t *position, struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__store_workflow_row workflow;
    struct pingo__store_planned action = {.node = {.position = -1}};
    pingo__arena_init(&arena);
    int rc = q->action ? pingo__engine_submission_action(store, q->workflow, q->action, &arena,
                                                         &workflow, &action, err)
                       : pingo__engine_submission_get(store, q->workflow, &arena, &workflow, err);
    pingo__arena_clear(&arena);
    *position = action.node.position;
    return rc;
}

int pingo_store_attempts(struct pingo_store *store, const struct pingo_attempt_query *query,
                         pingo_attempt_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_attempt_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_attempt_query, query, &q, err);
    struct pingo__engine_page p = {"t", q.limit, q.after, .next = q.next};
    struct listing l = {store, fn, context};
    size_t n = PINGO__PAGE_ROWS;
    int64_t position = -1;
    bool more = false;
    if (!rc)
        rc = pingo__engine_page_begin(&p, err);
    if (!rc)
        rc = find_position(store, &q, &position, err);
    while (!rc && !more && n == PINGO__PAGE_ROWS) {
        struct pingo__store_attempt_range range = {
            q.workflow, position, {p.at[0], p.at[1], p.at[2]}, PINGO__PAGE_ROWS};
        struct pingo__arena arena;
        struct pingo__store_attempt_list list = {.arena = &arena};
        pingo__arena_init(&arena);
        rc = pingo__store_attempt_list_of(&store->db, &range, &list, err);
        n = rc ? 0 : list.n;
        for (size_t i = 0; !rc && i < n && !(more = pingo__engine_page_is_full(&p)); i++, p.told++) {
            p.at[0] = list.rows[i].position;
            p.at[1] = list.rows[i].key.action;
            p.at[2] = list.rows[i].key.epoch;
            rc = tell(&l, &list.rows[i], &arena, err);
        }
        pingo__arena_clear(&arena);
    }
    return pingo__engine_page_end(&p, more, rc);
}

/* ---- whose run it was ------------------------------------------------------------------------- */

/* As pingo__engine_one_find(), but what was joined, reused or skipped gives the row of the action that ran for it; one->row.id 0: none is
 * known. */
static int find_ran(struct pingo_store *store, int64_t workflow, const char *action,
                    struct pingo__engine_one *one, struct pingo_error *err)
{
    int rc = pingo__engine_one_find(store, workflow, action, one, err);
    if (!rc && one->has_row && one->row.joined)
        return pingo__store_action_get(&store->db, one->row.joined, &one->arena, &one->row, err);
    if (rc || one->has_row)
        return rc;
    struct pingo__store_dataset_row dataset;
    rc = pingo__store_dataset_newest(&store->db, &one->action.node.hash, &one->arena, &dataset, err);
    return rc ? rc
              : pingo__store_action_get(&store->db, dataset.action, &one->arena, &one->row, err);
}

int pingo_store_ran(struct pingo_store *store, int64_t workflow, const char *action,
                    int64_t *ran_workflow, int64_t *ran_id, struct pingo_error *err)
{
    struct pingo__engine_one one;
    int rc = find_ran(store, workflow, action, &one, err);
    *ran_workflow = rc ? 0 : one.row.workflow;
    *ran_id = rc ? 0 : one.row.user_id;
    pingo__arena_clear(&one.arena);
    return rc;
}

/* ---- logs --------------------------------------------------------------------------------------- */

int pingo_store_log_path(struct pingo_store *store, int64_t workflow, const char *action,
                         enum pingo_log_stream stream, char **path, struct pingo_error *err)
{
    struct pingo__engine_one one;
    struct pingo__store_attempt_row attempt = {.key = {0, 0}};
    int rc = find_ran(store, workflow, action, &one, err);
    *path = NULL;
    if (!rc && one.row.id)
        rc = pingo__store_attempt_last(&store->db, one.row.id, &one.arena, &attempt, err);
    if (!rc && attempt.key.action) {
        char name[PINGO__NAME_SIZE + 8];
        pingo__name_attempt(name, attempt.key.action, attempt.key.epoch);
        strcat(name, stream == PINGO_STREAM_STDERR ? "/stderr" : "/stdout");
        struct pingo__pool_state st;
        rc = pingo__pool_state(&store->pool, name, &st, err);
        if (!rc && st.exists && st.size_bytes > 0)
            rc = store->pool.backend->path(store->pool.handle, name, path, err);
    }
    pingo__arena_clear(&one.arena);
    return rc;
}
