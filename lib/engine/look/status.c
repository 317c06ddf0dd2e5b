/* status.c - what became of submissions and their actions. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/lacks.h"
#include "engine/look/page.h"
#include "executor/registry.h"
#include "store/submission/labels.h"
#include "store/action/full.h"

/* ---- submissions ------------------------------------------------------------------------- */

int pingo_store_workflows(struct pingo_store *store, const struct pingo_workflow_query *query,
                          pingo_workflow_status_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_workflow_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_workflow_query, query, &q, err);
    struct pingo__engine_page p = {"w", q.limit, q.after, .next = q.next};
    if (!rc && (q.since_ms < 0 || q.until_ms < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "the query has a time that is none");
    rc = pingo__engine_page_begin(&p, rc, err);
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_workflow_range range = {&q, p.at[0], PINGO__PAGE_ROWS};
        struct pingo__store_workflow_list list = {.arena = &p.arena};
        rc = pingo__store_workflow_list(&store->db, &range, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            p.at[0] = list.rows[i].workflow;
            rc = fn(context, &list.rows[i]) ? pingo__engine_stopped(err) : 0;
        }
    }
    return pingo__engine_page_end(&p, rc);
}

int pingo_store_workflow(struct pingo_store *store, int64_t workflow, pingo_workflow_status_fn fn,
                         void *context, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_workflow_row row;
    struct pingo_workflow_status status;
    int rc = pingo__engine_workflow_row(store, workflow, NULL, &row, err);
    if (!rc)
        rc = pingo__store_workflow_status(&store->db, workflow, &arena, &status, err);
    if (!rc)
        rc = fn(context, &status) ? pingo__engine_stopped(err) : 0;
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- attempts that have ended where nobody who collects ends is there to see it ---------------- */

struct uncollected { /* zeroed but for the store */
    struct pingo_store *store;
    bool is_read; /* the ends that are kept, in order of their keys: */
    struct pingo_job_end *ends;
    size_t n, capacity;
    bool failed;
    int64_t owner; /* who was looked for last */
    bool is_alive;
};

static int by_key(const void *a, const void *b)
{
    const struct pingo_job_key *x = &((const struct pingo_job_end *)a)->key;
    const struct pingo_job_key *y = &((const struct pingo_job_end *)b)->key;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    return (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

static void add_uncollected(void *context, const struct pingo_job_end *end)
{
    struct uncollected *u = context;
    if (PINGO__ARRAY_ROOM(u->ends, u->capacity, u->n, 1))
        pingo__growing_result_take(end, &u->ends[u->n++], sizeof *u->ends);
    else
        u->failed = true;
}

static int read_ends(struct uncollected *u, struct pingo_error *err)
{
    const struct pingo_executor_type *type;
    int rc = 0;
    for (size_t i = 0; !rc && !u->is_read && (type = pingo__executor_nth(i)); i++)
        rc = type->ends ? type->ends(u->store->directory, add_uncollected, u, err) : 0;
    if (!rc && u->failed)
        rc = pingo__fail_memory(err);
    if (!rc && !u->is_read && u->n)
        qsort(u->ends, u->n, sizeof *u->ends, by_key);
    u->is_read = !rc;
    return rc;
}

static bool is_owned(struct uncollected *u, int64_t owner)
{
    if (owner != u->owner || !owner)
        u->is_alive = owner && pingo__manager_owner_is_alive(&u->store->context, owner);
    u->owner = owner;
    return u->is_alive;
}

/* An open attempt: *end as it was reported, where its owner is gone and it has ended; else end->key stays as it is. */
static int uncollected_end(struct uncollected *u, const struct pingo__store_attempt_row *attempt,
                           struct pingo_job_end *end, struct pingo_error *err)
{
    const struct pingo_executor_type *type = pingo__executor_builtin(attempt->executor);
    if (attempt->state == PINGO__ATTEMPT_ENDED || is_owned(u, attempt->owner))
        return 0;
    if (!type || !type->ends)
        return pingo__store_attempt_told(&u->store->db, attempt->key, end, err);
    int rc = read_ends(u, err);
    if (rc || !u->n)
        return rc;
    struct pingo_job_end key = {.key = attempt->key};
    const struct pingo_job_end *found = bsearch(&key, u->ends, u->n, sizeof *u->ends, by_key);
    if (found)
        *end = *found;
    return 0;
}

/* ---- actions -------------------------------------------------------------------------------- */

struct telling {
    struct pingo_store *store;
    struct pingo__engine_lacks lacks;
    struct pingo__store_workflow_row workflow;
    struct uncollected uncollected;
    const struct pingo_action_query *query; /* of a list */
    struct pingo__engine_page page;
    pingo_action_status_fn fn;
    void *context;
};

/* Its owner is gone: what is known of its end? */
static int add_end(struct telling *t, const struct pingo__store_attempt_row *a,
                   struct pingo_action_status *status, struct pingo_error *err)
{
    struct pingo_job_end end = {.size = sizeof end};
    int rc = uncollected_end(&t->uncollected, a, &end, err);
    if (rc || !end.key.action)
        return rc;
    status->uncollected = true;
    status->message = "has ended; the next tick collects it";
    status->ended_ms = end.ended_ms;
    status->wall_ms = end.wall_ms;
    return 0;
}

static int add_attempt(struct telling *t, const struct pingo__store_action_row *row,
                       struct pingo__arena *arena, struct pingo_action_status *status,
                       struct pingo_error *err)
{
    struct pingo_store *store = t->store;
    struct pingo__store_attempt_row a;
    if (!row->epoch) /* it was never handed out */
        return 0;
    int rc = pingo__store_attempt_last(&store->db, row->id, arena, &a, err);
    status->attempts = a.nstarted;
    if (rc || !a.key.action)
        return rc;
    status->exit_code = a.exit_code;
    status->signal = a.signal;
    status->wall_ms = a.wall_ms;
    status->user_ms = a.user_ms;
    status->system_ms = a.system_ms;
    status->max_rss_bytes = a.max_rss_bytes;
    status->memory_mb = a.memory_mb;
    status->memory_from = (enum pingo_memory_from)a.memory_from;
    status->confined = (int)a.confined;
    status->started_ms = a.started_ms;
    status->ended_ms = a.ended_ms;
    rc = pingo__pool_attempt_left(&store->pool, arena, a.key, &status->attempt_dir, err);
    if (rc)
        return rc;
    if (!pingo__rules_action_is_idle(row->state))
        status->executor = a.executor;
    status->node = *a.node ? a.node : NULL;
    return pingo__rules_action_is_handed(row->state) ? add_end(t, &a, status, err) : 0;
}

/* What a READY action waits for, where that is known. */
static int add_wait(struct telling *t, const struct pingo__store_action_row *row,
                    struct pingo__arena *arena, struct pingo_action_status *status,
                    struct pingo_error *err)
{
    char held[PINGO__UNITS_SIZE];
    int rc = pingo__store_full_get(&t->store->db, row->id, &status->disk_full_bytes, err);
    if (rc || *row->message)
        return rc;
    if (status->disk_full_bytes >= 0)
        status->message = pingo__arena_format(
            arena,
            "waits for space: the disk of the pool was full when it had written %s; it is"
            " tried again when something was deleted, or let go (pingo release, pingo rm)",
            pingo__units_print_size(held, status->disk_full_bytes));
    else if (status->executor && !pingo__executor_is_default(status->executor))
        status->message = pingo__arena_format(
            arena, "waits for a scheduler with the executor \"%s\"", status->executor);
    return status->message ? pingo__engine_lacks_tell(&t->lacks, row, arena, &status->message, err)
                           : pingo__fail_memory(err);
}

/* row: the newest of this position; NULL: reused or skipped.  What status points to is in the page's arena. */
static int read_action(struct telling *t, const struct pingo__store_planned *p,
                       const struct pingo__store_action_row *row,
                       struct pingo_action_status *status, struct pingo_error *err)
{
    struct pingo__arena *arena = &t->page.arena;
    struct pingo__store_text_list labels = {.arena = arena};
    *status = (struct pingo_action_status){.id = p->node.user_id,
                                           .name = p->node.name,
                                           .hash = p->node.hash,
                                           .decision = p->decision,
                                           .is_wanted = p->is_wanted,
                                           .exit_code = -1,
                                           .signal = -1,
                                           .wall_ms = -1,
                                           .user_ms = -1,
                                           .system_ms = -1,
                                           .max_rss_bytes = -1,
                                           .memory_mb = -1,
                                           .confined = -1,
                                           .started_ms = -1,
                                           .ended_ms = -1,
                                           .disk_full_bytes = -1,
                                           .message = ""};
    int rc = pingo__store_labels_read(&t->store->db, p->node.id, &labels, err);
    status->labels = labels.rows;
    status->nlabels = labels.n;
    if (rc || !row)
        return rc;
    status->decision = row->joined ? PINGO_PLAN_JOIN : PINGO_PLAN_COMPUTE;
    status->state = row->state;
    status->row = row->id;
    status->message = row->message;
    status->waits_for =
        row->state == PINGO_ACTION_WAITING ? (size_t)row->waits + (row->joined != 0) : 0;
    status->executor = pingo__engine_executor_of(&t->lacks, row);
    if (row->state == PINGO_ACTION_READY)
        rc = add_wait(t, row, arena, status, err);
    if (!rc)
        rc = add_attempt(t, row, arena, status, err);
    if (!rc && row->state == PINGO_ACTION_FINISHED && !status->attempts)
        rc = pingo__store_adopted_from(&t->store->db, row->joined ? row->joined : row->id, arena,
                                       &status->adopted_from, err);
    return rc;
}

static int begin_telling(struct telling *t, struct pingo_error *err)
{
    t->uncollected.store = t->store;
    return pingo__engine_lacks_open(&t->lacks, t->store, err);
}

static void end_telling(struct telling *t)
{
    free(t->uncollected.ends);
    pingo__engine_lacks_close(&t->lacks);
}

static bool is_asked_for(const struct pingo_action_query *q, const struct pingo__store_planned *p,
                         const struct pingo__store_action_row *row)
{
    if (q->states && !(q->states >> (row ? row->state : 0) & 1))
        return false;
    return !q->name || strcmp(q->name, p->node.name) == 0 || pingo__text_glob(q->name, p->node.name);
}

/* Past what is in none of the states that are asked for, or has not the name: few of very many may be.  *from -1: there
 * are no more. */
static int skip(struct telling *t, int64_t *from, struct pingo_error *err)
{
    const struct pingo_action_query *q = t->query;
    struct pingo__store_page range = {t->workflow.id, *from, PINGO__PAGE_ROWS};
    bool may_lack_rows = q->states == 0 || (q->states & 1);
    int rc =
        may_lack_rows ? 0 : pingo__store_action_next(&t->store->db, &range, q->states, from, err);
    if (rc || *from < 0 || !q->name || pingo__text_is_glob(q->name))
        return rc;
    range.from = *from;
    return pingo__store_node_next(&t->store->db, &range, q->name, from, err);
}

/* How many positions are read at once: where those that are asked for are found one by one, no more than are told. */
static int64_t rows_at_once(const struct telling *t)
{
    const struct pingo_action_query *q = t->query;
    bool are_few = q->states && !(q->states & 1) && !q->name && q->limit;
    return are_few && q->limit < PINGO__PAGE_ROWS ? (int64_t)q->limit : PINGO__PAGE_ROWS;
}

struct told {
    struct pingo_action_status *actions;
    size_t n;
};

/* Some of them, with their newest rows, from a position on. */
static int read_some(struct telling *t, int64_t from, struct told *told, struct pingo_error *err)
{
    struct pingo__engine_page *page = &t->page;
    struct pingo__store_planned_list list = {.arena = &page->arena};
    struct pingo__store_action_list rows = {.arena = &page->arena};
    struct pingo__store_page range = {t->workflow.id, from, rows_at_once(t)};
    size_t at = 0;
    int rc = pingo__store_planned_list(&t->store->db, &range, &list, err);
    if (!rc)
        rc = pingo__store_action_list_latest(&t->store->db, &range, &rows, err);
    page->n = (int64_t)list.n < range.n ? list.n : PINGO__PAGE_ROWS; /* there may be more */
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_planned *p = &list.rows[i];
        const struct pingo__store_action_row *row =
            at < rows.n && rows.rows[at].position == p->node.position ? &rows.rows[at++] : NULL;
        if (!is_asked_for(t->query, p, row))
            continue;
        if (!pingo__engine_page_takes(page, rc, i, page->n))
            break;
        page->at[0] = p->node.position;
        rc = read_action(t, p, row, &told->actions[told->n++], err);
    }
    return rc;
}

/* They are read in one view, and told when it has ended. */
static int tell_some(struct telling *t, int64_t from, struct pingo_error *err)
{
    struct told told = {
        .actions = pingo__arena_array(&t->page.arena, PINGO__PAGE_ROWS, sizeof *told.actions)};
    int rc = told.actions ? pingo__store_db_begin_read(&t->store->db, err) : pingo__fail_memory(err);
    if (rc)
        return rc;
    rc = read_some(t, from, &told, err);
    pingo__store_db_rollback(&t->store->db);
    for (size_t i = 0; !rc && i < told.n; i++)
        if (t->fn(t->context, &told.actions[i]))
            rc = pingo__engine_stopped(err);
    return rc;
}

int pingo_store_actions(struct pingo_store *store, const struct pingo_action_query *query,
                        pingo_action_status_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_action_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_action_query, query, &q, err);
    struct telling t = {.store = store, .fn = fn, .context = context, .query = &q};
    struct pingo__arena arena = {0};
    t.page = (struct pingo__engine_page){"a", q.limit, q.after, .next = q.next};
    rc = pingo__engine_page_begin(&t.page, rc, err);
    if (!rc)
        rc = pingo__engine_submission_get(store, q.workflow, &arena, &t.workflow, err);
    if (!rc)
        rc = begin_telling(&t, err);
    int64_t from = t.page.begun ? t.page.at[0] + 1 : 0;
    for (; pingo__engine_page_goes_on(&t.page, rc); from += rows_at_once(&t)) {
        rc = skip(&t, &from, err);
        if (from < 0)
            break;
        if (!rc)
            rc = tell_some(&t, from, err);
    }
    end_telling(&t);
    pingo__arena_clear(&arena);
    return pingo__engine_page_end(&t.page, rc);
}

int pingo_store_action(struct pingo_store *store, const struct pingo_action_name *of,
                       pingo_action_status_fn fn, void *context, struct pingo_error *err)
{
    struct telling t = {.store = store};
    struct pingo__engine_named named;
    struct pingo_action_status status;
    int rc = pingo__engine_named_one(store, of, &named, err);
    t.workflow = named.workflow;
    if (!rc)
        rc = begin_telling(&t, err);
    if (!rc)
        rc = read_action(&t, &named.action, named.row.id ? &named.row : NULL, &status, err);
    if (!rc && fn(context, &status))
        rc = pingo__engine_stopped(err);
    end_telling(&t);
    pingo__arena_clear(&t.page.arena);
    pingo__arena_clear(&named.arena);
    return rc;
}
