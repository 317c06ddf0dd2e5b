/* transition.c - see transition.h. */
#include "store/transition.h"

#include <inttypes.h>

#include "base/error.h"
#include "store/actions.h"
#include "store/evictions.h"

#define TO(state) (1u << (state))
#define A(state) TO(PINGO_ACTION_##state)
#define D(state) TO(PINGO_DATASET_##state)

/* From each state, the states that may follow; 0 stands for a new row. */
static const unsigned action_next[] = {
    [0] = A(WAITING) | A(READY),
    /* READY: its last parent finished; FINISHED: what it joined did; WAITING: planned again. */
    [PINGO_ACTION_WAITING] =
        A(WAITING) | A(READY) | A(FINISHED) | A(FAILED) | A(KILLED) | A(CANCELLED),
    /* FAILED: an input vanished for the second time; FINISHED: its output was adopted. */
    [PINGO_ACTION_READY] =
        A(PROCESSING) | A(WAITING) | A(READY) | A(FINISHED) | A(FAILED) | A(KILLED) | A(CANCELLED),
    /* READY: its owner died; FAILED: an original changed. */
    [PINGO_ACTION_PROCESSING] =
        A(SUBMITTED) | A(READY) | A(WAITING) | A(FAILED) | A(KILLED) | A(CANCELLED),
    [PINGO_ACTION_SUBMITTED] =
        A(RUNNING) | A(READY) | A(WAITING) | A(FINISHED) | A(FAILED) | A(KILLED) | A(CANCELLED),
    /* READY: a retry, or lost; WAITING: an input vanished under it. */
    [PINGO_ACTION_RUNNING] = A(READY) | A(WAITING) | A(FINISHED) | A(FAILED) | A(KILLED),
    [PINGO_ACTION_FINISHED] = 0,
    [PINGO_ACTION_FAILED] = 0,
    [PINGO_ACTION_KILLED] = 0,
    [PINGO_ACTION_CANCELLED] = 0,
};

static const unsigned dataset_next[] = {
    [0] = D(TO_DELETE) | D(TO_STORE) | D(TO_LEAF),
    /* Planning only raises retention; DELETED: its action failed, it never was. */
    [PINGO_DATASET_TO_DELETE] =
        D(TO_STORE) | D(TO_LEAF) | D(STORED_TO_DELETE) | D(STORED) | D(LEAF) | D(DELETED),
    [PINGO_DATASET_TO_STORE] = D(TO_LEAF) | D(STORED) | D(LEAF) | D(DELETED),
    /* STORED: who wanted it has released it meanwhile. */
    [PINGO_DATASET_TO_LEAF] = D(LEAF) | D(STORED) | D(DELETED),
    /* DELETED from a stored state or PROCESSING: the bytes were found gone. */
    [PINGO_DATASET_STORED] = D(LEAF) | D(STORED_TO_DELETE) | D(DELETED),
    [PINGO_DATASET_LEAF] = D(STORED) | D(STORED_TO_DELETE) | D(DELETED),
    [PINGO_DATASET_STORED_TO_DELETE] = D(STORED) | D(LEAF) | D(PROCESSING) | D(DELETED),
    [PINGO_DATASET_PROCESSING] =
        D(STORED) | D(LEAF) | D(DELETING) | D(STORED_TO_DELETE) | D(DELETED),
    [PINGO_DATASET_DELETING] = D(DELETED),
    [PINGO_DATASET_DELETED] = 0,
};

bool pingo__action_is_final(int state)
{
    return state >= PINGO_ACTION_FINISHED;
}

bool pingo__action_may_change(int from, int to)
{
    return from >= 0 && from <= PINGO_ACTION_CANCELLED && (action_next[from] & TO(to)) != 0;
}

bool pingo__dataset_may_change(int from, int to)
{
    return from >= 0 && from <= PINGO_DATASET_DELETED && (dataset_next[from] & TO(to)) != 0;
}

/* Rows that fit together never ask for it. */
static int impossible(struct pingo__db *db, const char *what, int64_t id, int from, int to,
                      struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ECORRUPT,
                       "%s: the database is damaged: %s %" PRId64
                       " cannot go from state %d to state %d",
                       db->directory, what, id, from, to);
}

static int note_workflow(struct pingo__db *db, int64_t workflow, int to, struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_WORKFLOW,
                                .workflow = workflow,
                                .from = PINGO_WORKFLOW_RUNNING,
                                .to = to,
                                .id = -1};

    return pingo__db_note(db, &event, err);
}

/* A workflow ends when all its actions are final: FAILED if one of them failed, else KILLED if
 * one was killed, else FINISHED: what is cancelled where nothing failed was not needed.  A promoted or repeated action leaves its earlier row behind; the newest
 * row of a position speaks for it. */
static int end_workflow(struct pingo__db *db, int64_t workflow, int64_t now_ms,
                        struct pingo_error *err)
{
    int64_t n[10];
    int to = PINGO_WORKFLOW_FINISHED;
    int rc = pingo__action_count(db, workflow, n, err);

    if (rc)
        return rc;
    if (n[PINGO_ACTION_FAILED] > 0)
        to = PINGO_WORKFLOW_FAILED;
    else if (n[PINGO_ACTION_KILLED] > 0)
        to = PINGO_WORKFLOW_KILLED;
    rc = pingo__db_run(db, err,
                       "UPDATE workflow SET state = ?2, ended_ms = ?3 WHERE id = ?1 AND state = 1",
                       "iii", workflow, (int64_t)to, now_ms);
    return rc > 0 ? note_workflow(db, workflow, to, err) : rc;
}

static int count_down(struct pingo__db *db, int64_t workflow, int64_t now_ms,
                      struct pingo_error *err)
{
    int rc = pingo__db_run(
        db, err, "UPDATE workflow SET unfinished = unfinished - 1 WHERE id = ? AND unfinished > 1",
        "i", workflow);

    if (rc)
        return rc < 0 ? rc : 0;
    rc = pingo__db_run(
        db, err, "UPDATE workflow SET unfinished = 0 WHERE id = ? AND unfinished = 1", "i", workflow);
    return rc > 0 ? end_workflow(db, workflow, now_ms, err) : rc;
}

static int count_moved(struct pingo__db *db, const struct pingo__action_change *c,
                       struct pingo_error *err)
{
    int64_t n[10] = {0};

    n[c->from] = -1;
    n[c->to] = 1;
    return pingo__progress_add(db, c->workflow, n, err);
}

int pingo__action_change(struct pingo__db *db, const struct pingo__action_change *c,
                         struct pingo_error *err)
{
    bool final = pingo__action_is_final(c->to);
    struct pingo_event event = {.kind = PINGO_EVENT_ACTION,
                                .workflow = c->workflow,
                                .action = c->id,
                                .epoch = c->to_epoch,
                                .from = c->from,
                                .to = c->to,
                                .hash = c->hash,
                                .id = c->user_id};
    int rc;

    if (!pingo__action_may_change(c->from, c->to))
        return impossible(db, "action", c->id, c->from, c->to, err);
    rc = pingo__db_run(db, err,
                       "UPDATE OR FAIL action SET state = ?4, epoch = ?5, owner = ?6, ended_ms = ?7,"
                       /* what it says of a wait is over when it runs */
                       " message = coalesce(?8, iif(?4 IN (5, 6), NULL, message))"
                       " WHERE id = ?1 AND state = ?2 AND epoch = ?3",
                       "iiiiizot", c->id, (int64_t)c->from, c->from_epoch, (int64_t)c->to,
                       c->to_epoch, c->owner, final ? c->now_ms : (int64_t)-1, c->message);
    if (rc <= 0)
        return rc;
    rc = pingo__db_note(db, &event, err);
    if (!rc && c->from != c->to)
        rc = count_moved(db, c, err);
    if (!rc && final)
        rc = count_down(db, c->workflow, c->now_ms, err);
    return rc < 0 ? rc : 1;
}

int pingo__dataset_change(struct pingo__db *db, const struct pingo__dataset_change *c,
                          struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_DATASET,
                                .epoch = c->generation,
                                .from = c->from,
                                .to = c->to,
                                .hash = c->hash,
                                .id = -1};
    int64_t now_ms = db->world->now_ns(db->world->context) / 1000000;
    int rc;

    if (!pingo__dataset_may_change(c->from, c->to))
        return impossible(db, "dataset", c->id, c->from, c->to, err);
    rc = pingo__db_run(
        db, err,
        "UPDATE OR FAIL dataset SET state = ?3, owner = ?4, changed = (SELECT max(changed) + 1 FROM "
        "dataset),"
        " deleted_ms = iif(?3 = 9 AND made_ms IS NOT NULL, ?6, NULL) WHERE id = ?1 AND state = ?2 "
        "AND"
        " (?5 = 0 OR NOT EXISTS (SELECT 1 FROM claim WHERE claim.dataset = ?1 UNION ALL"
        " SELECT 1 FROM hold WHERE hold.dataset = ?1)) AND (?7 = 0 OR owner = ?7)",
        "iiiziii", c->id, (int64_t)c->from, (int64_t)c->to, c->owner, (int64_t)c->unclaimed, now_ms,
        c->former);
    if (rc <= 0)
        return rc;
    if (c->from >= PINGO_DATASET_STORED_TO_DELETE && c->to <= PINGO_DATASET_LEAF)
        rc = pingo__eviction_rescue(db, c->id, now_ms, err);
    if (rc >= 0)
        rc = pingo__db_note(db, &event, err);
    return rc < 0 ? rc : 1;
}

int pingo__workflow_kill(struct pingo__db *db, int64_t workflow, int64_t now_ms,
                         struct pingo_error *err)
{
    int rc = pingo__db_run(
        db, err, "UPDATE workflow SET state = 4, ended_ms = ?2 WHERE id = ?1 AND state = 1", "ii",
        workflow, now_ms);

    if (rc <= 0)
        return rc;
    rc = note_workflow(db, workflow, PINGO_WORKFLOW_KILLED, err);
    return rc < 0 ? rc : 1;
}
