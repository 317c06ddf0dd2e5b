/* transition.c - see transition.h. */
#include "store/transition.h"

#include <inttypes.h>

#include "base/error.h"
#include "rules/effects.h"
#include "store/action/actions.h"
#include "store/decision/evictions.h"
#include "store/hooks.h"
#include "store/dataset/objects.h"
#include "store/decision/usage.h"
#include "store/submission/users.h"

/* Rows that fit together never ask for it. */
static int impossible(struct pingo__store_db *db, const char *what, int64_t id,
                      const struct pingo_event *e, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ECORRUPT,
                       "%s: the database is damaged: %s %" PRId64
                       " cannot go from state %d to state %d",
                       db->directory, what, id, e->from, e->to);
}

static int set_ended(struct pingo__store_db *db, int64_t workflow, int to, int64_t now_ms,
                     struct pingo_error *err)
{
    int64_t from = 0;
    int rc = pingo__db_number(db, err, &from,
                              "UPDATE workflow SET state = ?2, ended_ms = ?3 WHERE id = ?1 AND"
                              " state = " WORKFLOW_RUNNING " RETURNING iif(paused, " WORKFLOW_PAUSED
                              ", " WORKFLOW_RUNNING ")",
                              INT(workflow), INT(to), INT(now_ms));
    if (rc || !from)
        return rc;
    rc = pingo__store_hook_note(db, workflow, now_ms, err);
    return rc ? rc : pingo__store_db_note_workflow(db, workflow, (int)from, to, err);
}

/* A workflow ends when all its actions are final.  A promoted or repeated action leaves its earlier row behind; the
 * newest row of a position speaks for it. */
static int count_down(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                      struct pingo_error *err)
{
    int64_t n[PINGO__ACTION_STATES];
    int rc = pingo__db_write(
        db, err, "UPDATE workflow SET unfinished = unfinished - 1 WHERE id = ? AND unfinished > 1",
        INT(workflow));
    if (rc || pingo__store_db_has_changed(db))
        return rc;
    rc = pingo__db_write(db, err,
                         "UPDATE workflow SET unfinished = 0 WHERE id = ? AND unfinished = 1",
                         INT(workflow));
    if (rc || !pingo__store_db_has_changed(db))
        return rc;
    rc = pingo__store_action_count(db, workflow, n, err);
    return rc ? rc : set_ended(db, workflow, (int)pingo__rules_workflow_end(n), now_ms, err);
}

static int count_moved(struct pingo__store_db *db, const struct pingo__store_action_row *a,
                       enum pingo_action_state to, struct pingo_error *err)
{
    int64_t n[PINGO__ACTION_STATES] = {0};
    n[a->state] = -1;
    n[to] = 1;
    int rc = pingo__store_progress_add(db, a->workflow, n, err);
    int more = pingo__rules_action_is_claimed(to) - pingo__rules_action_is_claimed(a->state);
    return rc || !more
               ? rc
               : pingo__store_user_add(db, a->user, more * pingo__store_slots_of(a->cpus), 0, err);
}

int pingo__store_action_change(struct pingo__store_db *db,
                               const struct pingo__store_action_change *c, bool *is_done,
                               struct pingo_error *err)
{
    const struct pingo__store_action_row *a = c->row;
    bool final = pingo_action_state_is_final(c->to);
    struct pingo_event event = {
        .kind = PINGO_EVENT_ACTION,
        .workflow = a->workflow,
        .action = a->id,
        .epoch = c->is_new_epoch ? pingo__store_db_next_epoch(db, a->id, a->epoch) : a->epoch,
        .from = (int)a->state,
        .to = (int)c->to,
        .hash = a->hash,
        .id = a->user_id,
        .name = final ? a->name : NULL};
    if (!pingo__rules_action_may_become(a->state, c->to))
        return impossible(db, "action", a->id, &event, err);
    int rc = pingo__db_write(
        db, err,
        "UPDATE OR ROLLBACK action SET state = ?4, epoch = ?5, owner = ?6, ended_ms = ?7,"
        /* what it says of a wait is over when it runs */
        " message = coalesce(?8, iif(?4 IN (" ACTION_RUNNING ", " ACTION_FINISHED
        "), NULL, message)) WHERE id = ?1 AND state = ?2 AND epoch = ?3",
        INT(a->id), INT(a->state), INT(a->epoch), INT(c->to), INT(event.epoch), REF(c->owner),
        OPT(final ? c->now_ms : (int64_t)-1), TEXT(c->message));
    bool changed = !rc && pingo__store_db_has_changed(db);
    if (is_done)
        *is_done = changed;
    if (!changed)
        return rc;
    rc = pingo__store_db_note(db, &event, err);
    if (!rc && a->state != c->to)
        rc = count_moved(db, a, c->to, err);
    return !rc && final ? count_down(db, a->workflow, c->now_ms, err) : rc;
}

static int check_dataset(struct pingo__store_db *db, const struct pingo__store_dataset_row *d,
                         enum pingo_dataset_state to, struct pingo_error *err)
{
    return pingo__rules_dataset_may_become(d->state, to)
               ? 0
               : impossible(db, "dataset", d->id,
                            &(struct pingo_event){.from = (int)d->state, .to = (int)to}, err);
}

/* The row says it; now all that follows does. */
static int dataset_changed(struct pingo__store_db *db, const struct pingo__store_dataset_row *d,
                           enum pingo_dataset_state to, struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_DATASET,
                                .epoch = d->generation,
                                .from = (int)d->state,
                                .to = (int)to,
                                .hash = d->hash,
                                .id = -1};
    int rc = pingo__store_usage_move(db, d->id, d->state, to, err);
    if (!rc && to == PINGO_DATASET_DELETED && !pingo_dataset_state_is_pending(d->state))
        rc = pingo__store_object_forget(db, d->id, err);
    if (!rc && pingo__rules_dataset_is_rescued(d->state, to))
        rc = pingo__store_eviction_rescue(db, d->id, pingo__store_db_now_ms(db), err);
    return rc ? rc : pingo__store_db_note(db, &event, err);
}

#define NEXT_CHANGE "(SELECT coalesce(max(changed), 0) + 1 FROM dataset WHERE changed > 0)"

int pingo__store_dataset_change(struct pingo__store_db *db,
                                const struct pingo__store_dataset_change *c, bool *is_done,
                                struct pingo_error *err)
{
    const struct pingo__store_dataset_row *d = c->row;
    int rc = check_dataset(db, d, c->to, err);
    if (rc)
        return rc;
    rc = pingo__db_write(
        db, err,
        "UPDATE OR ROLLBACK dataset SET state = ?3, owner = ?4, changed = " NEXT_CHANGE
        ", deleted_ms = iif(?3 = " DATASET_DELETED
        " AND made_ms IS NOT NULL, ?6, NULL) WHERE id = ?1 AND state = ?2 AND"
        " (?5 = 0 OR NOT " PINGO__DATASET_IS_CLAIMED("?1") ") AND (?7 = 0 OR owner = ?7)",
        INT(d->id), INT(d->state), INT(c->to), REF(c->owner), INT(c->unclaimed),
        INT(pingo__store_db_now_ms(db)), INT(c->former));
    bool changed = !rc && pingo__store_db_has_changed(db);
    if (is_done)
        *is_done = changed;
    return changed ? dataset_changed(db, d, c->to, err) : rc;
}

int pingo__store_dataset_publish(struct pingo__store_db *db, struct pingo__store_dataset_row *d,
                                 int64_t former, enum pingo_dataset_state to,
                                 struct pingo_error *err)
{
    int rc = check_dataset(db, d, to, err);
    if (!rc)
        rc = pingo__store_object_insert(db, d, err);
    if (!rc && former)
        rc = pingo__db_write(db, err, "UPDATE dataset SET current = 0 WHERE id = ?", INT(former));
    if (!rc)
        rc = pingo__db_write(db, err,
                             "UPDATE OR ROLLBACK dataset SET state = ?2, changed = " NEXT_CHANGE
                             ", current = 1, pinned = ?3, object = ?4, compute_ms = ?5,"
                             " made_ms = ?6, last_used_ms = ?6, action = ?7 WHERE id = ?1",
                             INT(d->id), INT(to), INT(d->pinned), INT(d->object),
                             OPT(d->compute_ms), INT(d->made_ms), INT(d->action));
    return rc ? rc : dataset_changed(db, d, to, err);
}

int pingo__store_workflow_kill(struct pingo__store_db *db, int64_t workflow, int64_t now_ms,
                               struct pingo_error *err)
{
    return set_ended(db, workflow, PINGO_WORKFLOW_KILLED, now_ms, err);
}
