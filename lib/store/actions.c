/* actions.c - rows of actions, their dependencies and originals; see actions.h. */
#include "store/actions.h"

#include <string.h>

#include "base/error.h"
#include "rules/states.h"
#include "store/transition.h"

#define UNFINISHED ACTION_IS_UNFINISHED("a.state")

static struct pingo__store_action_change change_of(const struct pingo__store_action_row *row, int to)
{
    return (struct pingo__store_action_change){.id = row->id,
                                               .workflow = row->workflow,
                                               .user_id = row->user_id,
                                               .hash = row->hash,
                                               .from = row->state,
                                               .to = to,
                                               .from_epoch = row->epoch,
                                               .to_epoch = row->epoch};
}

int pingo__store_action_move(struct pingo__store_db *db, const struct pingo__store_action_row *row,
                             int to, int64_t now_ms, struct pingo_error *err)
{
    struct pingo__store_action_change change = change_of(row, to);
    change.now_ms = now_ms;
    int rc = pingo__store_action_change(db, &change, err);
    return rc < 0 ? rc : 0;
}

int pingo__store_action_hand(struct pingo__store_db *db, struct pingo__store_action_row *row,
                             int to, int64_t owner, struct pingo_error *err)
{
    struct pingo__store_action_change change = change_of(row, to);
    change.owner = owner;
    change.to_epoch += to == PINGO_ACTION_PROCESSING;
    int rc = pingo__store_action_change(db, &change, err);
    if (rc <= 0)
        return rc;
    row->state = to;
    row->epoch = change.to_epoch;
    return 0;
}

int pingo__store_action_insert(struct pingo__store_db *db, const struct pingo__store_action_row *r,
                               struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_ACTION,
                                .workflow = r->workflow,
                                .action = r->id,
                                .to = r->state,
                                .hash = r->hash,
                                .id = r->user_id};
    int rc = pingo__db_run(
        db, err,
        "INSERT INTO action(id, workflow, position, hash, dataset, joined, state, waits, priority,"
        " rank, forced, wanted, retries, reason) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        INT(r->id), INT(r->workflow), INT(r->position), HASH(&r->hash), REF(r->dataset),
        REF(r->joined), INT(r->state), INT(r->waits), INT(r->priority), INT(r->rank),
        INT(r->forced), INT(r->wanted), INT(r->retries), OPT(r->reason));
    return rc < 0 ? rc : pingo__store_db_note(db, &event, err);
}

int pingo__store_action_state_before(struct pingo__store_db *db,
                                     const struct pingo__store_action_row *row, int64_t *state,
                                     struct pingo_error *err)
{
    return pingo__db_int(db, err, state,
                         "SELECT state FROM action WHERE workflow = ? AND position = ? AND id < ?"
                         " ORDER BY id DESC LIMIT 1",
                         INT(row->workflow), INT(row->position), INT(row->id));
}

int pingo__store_action_find_unfinished(struct pingo__store_db *db, int64_t workflow,
                                        int64_t position, int64_t *id, struct pingo_error *err)
{
    return pingo__db_int(db, err, id,
                         "SELECT a.id FROM action a WHERE a.workflow = ? AND a.position = ?"
                         " AND " UNFINISHED,
                         INT(workflow), INT(position));
}

/* ---- single fields --------------------------------------------------------------------- */

int pingo__store_action_set_waits(struct pingo__store_db *db, int64_t action, int64_t waits,
                                  struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(db, err, "UPDATE action SET waits = ?2 WHERE id = ?1",
                                              INT(action), INT(waits)));
}

int pingo__store_action_wait_done(struct pingo__store_db *db, int64_t action, int64_t *waits,
                                  struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_int(
        db, err, waits, "UPDATE action SET waits = waits - 1 WHERE id = ? RETURNING waits",
        INT(action)));
}

int pingo__store_action_set_target(struct pingo__store_db *db, int64_t action, int64_t dataset,
                                   int64_t joined, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "UPDATE action SET dataset = ?2, joined = ?3 WHERE id = ?1",
                      INT(action), REF(dataset), REF(joined)));
}

int pingo__store_action_set_again(struct pingo__store_db *db, int64_t action,
                                  const struct pingo__store_action_again *again,
                                  struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err,
                      "UPDATE action SET retries = ?2, tries = ?3, refusals = ?4,"
                      " not_before_ms = ?5, message = ?6 WHERE id = ?1",
                      INT(action), INT(again->retries), INT(again->tries), INT(again->refusals),
                      INT(again->not_before_ms), TEXT(again->message)));
}

int pingo__store_action_set_lost(struct pingo__store_db *db, int64_t action,
                                 const struct pingo_hash *lost, struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(db, err, "UPDATE action SET lost = ?2 WHERE id = ?1",
                                              INT(action), HASH(lost)));
}

int pingo__store_action_forgive_lost(struct pingo__store_db *db, int64_t dataset, int64_t but,
                                     struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err,
                      "UPDATE action SET lost = NULL WHERE id <> ?2 AND lost IS NOT NULL AND"
                      " id IN (SELECT action FROM claim WHERE dataset = ?1)",
                      INT(dataset), INT(but)));
}

int pingo__store_action_set_owner(struct pingo__store_db *db, int64_t action, int64_t owner,
                                  struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(db, err, "UPDATE action SET owner = ?2 WHERE id = ?1",
                                              INT(action), REF(owner)));
}

/* ---- dependencies ------------------------------------------------------------------------- */

int pingo__store_dependency_insert(struct pingo__store_db *db, int64_t parent, int64_t child,
                                   bool data, struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT OR IGNORE INTO dependency(parent, child, data) VALUES(?, ?, ?)",
                           INT(parent), INT(child), INT(data));
    if (rc == 0 && data)
        return pingo__store_db_done(
            pingo__db_run(db, err, "UPDATE dependency SET data = 1 WHERE parent = ? AND child = ?",
                          INT(parent), INT(child)));
    return rc;
}

int pingo__store_dependency_reaches(struct pingo__store_db *db, int64_t from, int64_t action,
                                    bool *reaches, struct pingo_error *err)
{
    return pingo__store_db_exists(
        db,
        SQL("WITH RECURSIVE below(id) AS (SELECT ?1"
            " UNION SELECT a.id FROM below b JOIN dependency d ON d.parent = b.id"
            " JOIN action a ON a.id = d.child WHERE " UNFINISHED
            " UNION SELECT a.id FROM below b JOIN action a ON a.joined = b.id WHERE " UNFINISHED
            ") SELECT 1 FROM below WHERE id = ?2",
            INT(from), INT(action)),
        reaches, err);
}

int pingo__store_action_is_needed(struct pingo__store_db *db, int64_t action, int64_t workflow,
                                  bool *is, struct pingo_error *err)
{
    return pingo__store_db_exists(
        db,
        SQL("WITH RECURSIVE below(id) AS (SELECT ?1 UNION SELECT a.id FROM below b"
            " CROSS JOIN dependency d ON d.parent = b.id AND d.data = 1"
            " CROSS JOIN action a ON a.id = d.child WHERE a.workflow = ?2 AND " UNFINISHED
            ") SELECT 1 FROM below b CROSS JOIN action a ON a.joined = b.id CROSS JOIN workflow w "
            "ON"
            " w.id = a.workflow WHERE a.workflow <> ?2 AND w.state = " WORKFLOW_RUNNING
            " AND " UNFINISHED " LIMIT 1",
            INT(action), INT(workflow)),
        is, err);
}

int pingo__store_dependency_clear(struct pingo__store_db *db, int64_t child, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "DELETE FROM dependency WHERE child = ?", INT(child)));
}

int pingo__store_dependency_count_open(struct pingo__store_db *db, int64_t child, int64_t *n,
                                       struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_int(db, err, n,
                      "SELECT count(*) FROM dependency d JOIN action a ON a.id = d.parent"
                      " WHERE d.child = ? AND " UNFINISHED,
                      INT(child)));
}

/* ---- originals ------------------------------------------------------------------------------ */

int pingo__store_action_original_insert(struct pingo__store_db *db, int64_t action, size_t ordinal,
                                        const struct pingo__store_action_original *o,
                                        struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err,
        "INSERT INTO action_original(action, ordinal, kind, name, path, hash,"
        " stamp) VALUES(?, ?, ?, ?, ?, ?, ?)",
        INT(action), INT(ordinal), INT(o->kind), TEXT(o->name), TEXT(o->path), HASH(&o->hash),
        BLOB(o->has_stamp ? (const void *)&o->stamp : NULL, sizeof o->stamp)));
}

int pingo__store_action_original_list(struct pingo__store_db *db, int64_t action,
                                      struct pingo__arena *arena,
                                      struct pingo__store_action_original **originals, size_t *n,
                                      struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t count = 0;
    int rc = pingo__db_int(db, err, &count, "SELECT count(*) FROM action_original WHERE action = ?",
                           INT(action));
    *n = 0;
    *originals = NULL;
    if (rc < 0 || count == 0)
        return pingo__store_db_done(rc);
    *originals = pingo__arena_array(arena, (size_t)count, sizeof **originals);
    if (!*originals)
        return pingo__fail_memory(err);
    rc = pingo__db_query(db, err, &stmt,
                         "SELECT kind, name, path, hash, stamp FROM action_original"
                         " WHERE action = ? ORDER BY ordinal",
                         INT(action));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_action_original *o = &(*originals)[(*n)++];
        o->kind = sqlite3_column_int(stmt, 0);
        o->name = pingo__store_column_copy(stmt, 1, arena);
        o->path = pingo__store_column_copy(stmt, 2, arena);
        pingo__store_column_hash(stmt, 3, &o->hash);
        o->has_stamp = sqlite3_column_type(stmt, 4) != SQLITE_NULL;
        pingo__store_column_hash(stmt, 4, &o->stamp);
        if (!o->name || !o->path) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
    }
    return pingo__store_db_done(rc);
}
