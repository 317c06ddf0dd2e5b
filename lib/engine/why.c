/* why.c - why was this not reused?  What was decided, and for what is new the nearest action known before. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/nearest.h"
#include "store/datasets.h"

#define CANDIDATES 20

static int find_difference(struct pingo_store *store, struct pingo_why *why, int64_t before,
                           struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__subject subject = {.name = why->name, .id = why->id, .before = before};
    int rc =
        pingo__definition_get(&store->db, &why->hash, arena, &subject.bytes, &subject.length, err);

    return rc == 1 ? pingo__nearest_tell(store, &subject, arena, why, err) : rc;
}

static const char *reason_text(struct pingo_store *store, const struct pingo__loaded *l, size_t i,
                               const struct pingo__action_row *row, enum pingo_plan_reason reason,
                               struct pingo__arena *arena)
{
    struct pingo__action_row other;
    struct pingo__action_list same;
    char evicted[128];
    const char *text = NULL;

    if (reason == PINGO_REASON_DELETED) {
        if (pingo__evicted_text(store, &l->graph.hashes[i], l->row.submitted_ms, evicted,
                                sizeof evicted))
            text = pingo__text(arena, "%s", evicted);
    } else if (reason == PINGO_REASON_SAME_HASH || reason == PINGO_REASON_COMPUTING) {
        if (row && row->joined &&
            pingo__action_get(&store->db, row->joined, arena, &other, NULL) == 1)
            text = other.workflow == l->row.id
                       ? pingo__text(arena, "the same as action %" PRId64, other.user_id)
                       : pingo__text(arena, "workflow %" PRId64 " was computing it", other.workflow);
    } else if (reason == PINGO_REASON_NEVER_COMPUTED && row &&
               pingo__action_list_by_hash(&store->db, &row->hash, CANDIDATES, arena, &same, NULL) ==
                   0) {
        for (size_t k = 0; !text && k < same.n; k++)
            if (same.rows[k].id < row->id && same.rows[k].state > PINGO_ACTION_FINISHED)
                text =
                    pingo__text(arena, "it was %s in workflow %" PRId64 ", and so never made",
                                pingo_action_state_name(same.rows[k].state), same.rows[k].workflow);
    } else if (row && l->decisions && l->decisions[2 * i] < PINGO_PLAN_JOIN) {
        text = "planned again: its dataset vanished, or what it had joined failed";
    }
    return text ? text : pingo_plan_reason_text(reason);
}

/* all: leave out what is reused, skipped, or differs only through its parents. */
static int tell(struct pingo_store *store, const struct pingo__loaded *l, size_t i,
                const struct pingo__action_row *row, bool all, pingo_why_fn fn, void *context,
                struct pingo_error *err)
{
    const struct pingo_action *action = pingo_workflow_action(l->workflow, i);
    struct pingo__arena arena;
    struct pingo_why why = {.id = action->id, .name = action->name, .hash = l->graph.hashes[i]};
    int rc = 0;

    pingo__loaded_decision(l, i, &why.decision, &why.reason);
    if (row)
        why.decision = row->joined ? PINGO_PLAN_JOIN : PINGO_PLAN_COMPUTE;
    if (all && why.decision != PINGO_PLAN_COMPUTE)
        return 0;
    pingo__arena_init(&arena);
    why.reason_text = reason_text(store, l, i, row, why.reason, &arena);
    if (why.decision == PINGO_PLAN_COMPUTE && why.reason == PINGO_REASON_NEVER_COMPUTED)
        rc = find_difference(store, &why, row ? row->id : INT64_MAX, &arena, err);
    if (!rc && !(all && why.ndifferences && why.inherited == why.ndifferences) && fn(context, &why))
        rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_why(struct pingo_store *store, int64_t workflow, const char *action,
                    pingo_why_fn fn, void *context, struct pingo_error *err)
{
    struct pingo__loaded l;
    struct pingo__action_list rows;
    size_t at = 0, only = SIZE_MAX;
    int rc = pingo__loaded_open(store, workflow, &l, err);

    if (rc)
        return rc;
    if (action)
        rc = pingo_workflow_resolve(l.workflow, action, &only, err);
    if (!rc)
        rc = pingo__action_list_latest(&store->db, workflow, &l.arena, &rows, err);
    for (size_t i = 0; !rc && i < l.graph.nhashes; i++) {
        bool has_row = at < rows.n && (size_t)rows.rows[at].position == i;

        if (!action || i == only)
            rc = tell(store, &l, i, has_row ? &rows.rows[at] : NULL, !action, fn, context, err);
        at += has_row;
    }
    pingo__loaded_close(&l);
    return rc;
}
