/* attempts.c - the tries at running an action, whose run it was, and its logs. */
#include <string.h>

#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/page.h"

int pingo_store_attempts(struct pingo_store *store, const struct pingo_attempt_query *query,
                         pingo_attempt_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_attempt_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_attempt_query, query, &q, err);
    struct pingo__engine_page p = {"t", q.limit, q.after, .next = q.next};
    struct pingo__engine_named named = {.row = {.id = 0}};
    rc = pingo__engine_page_begin(&p, rc, err);
    if (!rc)
        rc = pingo__engine_named_find(store, &(struct pingo_action_name){q.workflow, q.action},
                                      &named, err);
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_attempt_range range = {q.workflow,
                                                   q.action ? named.action.node.position : -1,
                                                   {p.at[0], p.at[1], p.at[2]},
                                                   PINGO__PAGE_ROWS};
        struct pingo__store_attempt_told_list list = {.arena = &p.arena};
        rc = pingo__store_attempt_list_of(&store->db, &range, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            struct pingo_attempt *a = &list.rows[i].told.attempt;
            p.at[0] = list.rows[i].position;
            p.at[1] = a->row;
            p.at[2] = a->epoch;
            rc = pingo__pool_attempt_left(&store->pool, &p.arena,
                                          (struct pingo_job_key){a->row, a->epoch}, &a->attempt_dir,
                                          err);
            if (!rc && fn(context, a))
                rc = pingo__engine_stopped(err);
        }
    }
    pingo__arena_clear(&named.arena);
    return pingo__engine_page_end(&p, rc);
}

/* As pingo__engine_named_one(), but what was joined, reused or skipped gives the row of the action that ran for it;
 * id 0: none is known. */
static int find_ran(struct pingo_store *store, const struct pingo_action_name *of,
                    struct pingo__engine_named *named, struct pingo_error *err)
{
    int rc = pingo__engine_named_one(store, of, named, err);
    if (!rc && named->row.id && named->row.joined)
        return pingo__store_action_get(&store->db, named->row.joined, &named->arena, &named->row,
                                       err);
    if (rc || named->row.id)
        return rc;
    struct pingo__store_dataset_row dataset;
    rc = pingo__store_dataset_newest(&store->db, &named->action.node.hash, &named->arena, &dataset,
                                     err);
    return rc ? rc
              : pingo__store_action_get(&store->db, dataset.action, &named->arena, &named->row, err);
}

int pingo_store_ran(struct pingo_store *store, const struct pingo_action_name *of,
                    int64_t *ran_workflow, int64_t *ran_id, struct pingo_error *err)
{
    struct pingo__engine_named named;
    int rc = find_ran(store, of, &named, err);
    *ran_workflow = rc ? 0 : named.row.workflow;
    *ran_id = rc || !named.row.id ? -1 : named.row.user_id;
    pingo__arena_clear(&named.arena);
    return rc;
}

int pingo_store_log_path(struct pingo_store *store, const struct pingo_action_name *of,
                         enum pingo_log_stream stream, char **path, struct pingo_error *err)
{
    struct pingo__engine_named named;
    struct pingo__store_attempt_row attempt = {.key = {0, 0}};
    int rc = find_ran(store, of, &named, err);
    *path = NULL;
    if (!rc && named.row.id)
        rc = pingo__store_attempt_last(&store->db, named.row.id, &named.arena, &attempt, err);
    if (!rc && attempt.key.action) {
        char name[PINGO__NAME_SIZE + 8];
        pingo__name_attempt(name, attempt.key.action, attempt.key.epoch);
        strcat(name, stream == PINGO_STREAM_STDERR ? "/stderr" : "/stdout");
        struct pingo__pool_state st;
        rc = pingo__pool_state(&store->pool, name, &st, err);
        bool is_there = !rc && st.exists && st.size_bytes > 0;
        if (is_there && store->pool.backend->is_remote)
            rc = store->pool.backend->fetch(store->pool.handle, name, err);
        if (is_there && !rc)
            rc = store->pool.backend->path(store->pool.handle, name, path, err);
    }
    pingo__arena_clear(&named.arena);
    return rc;
}
