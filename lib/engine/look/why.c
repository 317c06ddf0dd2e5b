/* why.c - why was this not reused?  What was decided, and for what is new the nearest action known before. */
#include <inttypes.h>

#include "base/error.h"
#include "engine/look/nearest.h"

/* Whom is told of what. */
struct asking {
    struct pingo_store *store;
    const struct pingo__store_workflow_row *workflow;
    bool all; /* leave out what is reused or skipped */
    pingo_why_fn fn;
    void *context;
};

/* row: the newest of the action; NULL where it was reused or skipped. */
static const char *reason_text(const struct asking *q, const struct pingo__store_planned *p,
                               const struct pingo__store_action_row *row, struct pingo__arena *arena)
{
    const struct pingo__store_workflow_row *w = q->workflow;
    struct pingo_store *store = q->store;
    enum pingo_plan_reason reason = p->reason;
    const char *text = NULL;
    if (row && row->joined) {
        struct pingo__store_action_row other;
        if (pingo__store_action_get(&store->db, row->joined, arena, &other, NULL) == 0 && other.id)
            text = other.workflow == w->id
                       ? pingo__arena_format(arena, "the same as action %" PRId64, other.user_id)
                       : pingo__arena_format(arena, "workflow %" PRId64 " was computing it",
                                             other.workflow);
    } else if (row && p->decision != PINGO_PLAN_COMPUTE) {
        text = "planned again: its dataset vanished, or what it had joined failed";
    } else if (reason == PINGO_REASON_DELETED) {
        text = pingo__engine_evicted_text(store, &p->node.hash, w->submitted_ms, arena);
    } else if (reason == PINGO_REASON_NEVER_COMPUTED && row) {
        struct pingo__store_action_row same;
        int64_t ended;
        if (pingo__store_action_unmade(&store->db, row, &ended, NULL) == 0 && ended &&
            pingo__store_action_get(&store->db, ended, arena, &same, NULL) == 0)
            text = pingo__arena_format(arena, "it was %s in workflow %" PRId64 ", and so never made",
                                       pingo_action_state_name(same.state), same.workflow);
    }
    return text ? text : pingo_plan_reason_text(reason);
}

static int find_memory(const struct asking *q, const struct pingo__store_action_row *row,
                       struct pingo__arena *arena, struct pingo_why *why, struct pingo_error *err)
{
    struct pingo__store_attempt_row a = {.key = {0, 0}};
    int rc = row->given_mb ? pingo__store_attempt_last(&q->store->db, row->id, arena, &a, err) : 0;
    if (rc == PINGO_ECORRUPT) /* its month file is gone, and this a remark */
        return 0;
    if (rc || !a.key.action || a.memory_from == PINGO_MEMORY_DEFINED)
        return rc;
    why->memory_text =
        a.memory_from == PINGO_MEMORY_GREW
            ? pingo__arena_format(arena,
                                  "%" PRId64 " MB, for it had died of less (%" PRId64
                                  " time%s): see pingo status --attempts",
                                  a.memory_mb, row->growths, row->growths == 1 ? "" : "s")
            : pingo__arena_format(
                  arena, "%" PRId64 " MB, for it, or its program, had needed so much before",
                  a.memory_mb);
    return why->memory_text ? 0 : pingo__fail_memory(err);
}

static int tell(const struct asking *q, const struct pingo__store_planned *p,
                const struct pingo__store_action_row *row, struct pingo_error *err)
{
    struct pingo_why why = {.id = p->node.user_id,
                            .name = p->node.name,
                            .hash = p->node.hash,
                            .decision = p->decision,
                            .reason = p->reason};
    int rc = 0;
    if (row)
        why.decision = row->joined ? PINGO_PLAN_JOIN : PINGO_PLAN_COMPUTE;
    if (q->all && why.decision != PINGO_PLAN_COMPUTE)
        return 0;
    struct pingo__arena arena = {0};
    rc = pingo__store_db_begin_read(&q->store->db, err);
    if (!rc)
        why.reason_text = reason_text(q, p, row, &arena);
    if (!rc && why.decision == PINGO_PLAN_COMPUTE && why.reason == PINGO_REASON_NEVER_COMPUTED)
        rc = pingo__engine_nearest_tell(
            &(struct pingo__engine_subject){
                .store = q->store, .arena = &arena, .before = row ? row->id : INT64_MAX},
            &why, err);
    if (!rc && row)
        rc = find_memory(q, row, &arena, &why, err);
    pingo__store_db_rollback(&q->store->db);
    if (!rc && q->fn(q->context, &why))
        rc = pingo__engine_stopped(err);
    pingo__arena_clear(&arena);
    return rc;
}

/* Those of a page that compute. */
static int tell_page(const struct asking *q, int64_t from, struct pingo_error *err)
{
    struct pingo__store_db *db = &q->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_planned_list list = {.arena = &arena};
    struct pingo__store_action_list rows = {.arena = &arena};
    struct pingo__store_page page = {q->workflow->id, from, PINGO__ACTIONS_PAGE};
    size_t at = 0;
    int rc = pingo__store_planned_list(db, &page, &list, err);
    if (!rc)
        rc = pingo__store_action_list_latest(db, &page, &rows, err);
    for (size_t i = 0; !rc && i < list.n && at < rows.n; i++)
        if (rows.rows[at].position == list.rows[i].node.position)
            rc = tell(q, &list.rows[i], &rows.rows[at++], err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_why(struct pingo_store *store, const struct pingo_action_name *of, pingo_why_fn fn,
                    void *context, struct pingo_error *err)
{
    struct pingo__engine_named named;
    struct asking q = {store, &named.workflow, !of->action, fn, context};
    int rc = pingo__engine_named_find(store, of, &named, err);
    if (!rc && !q.all)
        rc = tell(&q, &named.action, named.row.id ? &named.row : NULL, err);
    for (int64_t from = 0; !rc && q.all && from < named.workflow.nactions;
         from += PINGO__ACTIONS_PAGE)
        rc = tell_page(&q, from, err);
    pingo__arena_clear(&named.arena);
    return rc;
}
