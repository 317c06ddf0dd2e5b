/* actions.c - rows of actions, their dependencies and originals; see actions.h. */
#include "store/action/actions.h"

#include "store/transition.h"

/* Longer than any path. */
#define RANK_OF_GROWN "1152921504606846976"
#define UNFINISHED ACTION_IS_UNFINISHED("a.state")

int pingo__store_action_move(struct pingo__store_db *db, const struct pingo__store_action_row *row,
                             enum pingo_action_state to, int64_t now_ms, struct pingo_error *err)
{
    return pingo__store_action_change(
        db, &(struct pingo__store_action_change){.row = row, .to = to, .now_ms = now_ms}, NULL, err);
}

int pingo__store_action_hand(struct pingo__store_db *db, struct pingo__store_action_row *row,
                             enum pingo_action_state to, int64_t owner, struct pingo_error *err)
{
    struct pingo__store_action_change change = {
        .row = row, .to = to, .is_new_epoch = to == PINGO_ACTION_PROCESSING, .owner = owner};
    bool is_done = false;
    int rc = pingo__store_action_change(db, &change, &is_done, err);
    if (is_done) {
        row->state = to;
        row->epoch += change.is_new_epoch;
    }
    return rc;
}

/* clang-format off */
#define INSERTED(F, T)                                                                             \
    F(T, INT, id, ) F(T, INT, workflow, ) F(T, INT, position, ) F(T, HASH, hash, )                 \
    F(T, REF, dataset, ) F(T, REF, joined, ) F(T, INT, state, ) F(T, INT, waits, )                 \
    F(T, INT, priority, ) F(T, INT, rank, ) F(T, INT, forced, ) F(T, INT, wanted, )                \
    F(T, INT, retries, ) F(T, OPT, reason, ) F(T, INT, user, ) F(T, INT, queue, )
/* clang-format on */
PINGO__KIND(inserted, struct pingo__store_action_row, INSERTED);

int pingo__store_action_insert(struct pingo__store_db *db, const struct pingo__store_action_row *r,
                               struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_ACTION,
                                .workflow = r->workflow,
                                .action = r->id,
                                .to = (int)r->state,
                                .hash = r->hash,
                                .id = r->user_id};
    int rc = pingo__store_db_put(db,
                                 "INSERT INTO action(id, workflow, position, hash, dataset, joined,"
                                 " state, waits, priority, rank, forced, wanted, retries, reason,"
                                 " user, queue)"
                                 " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                 &inserted, r, err);
    return rc ? rc : pingo__store_db_note(db, &event, err);
}

PINGO__NUMBER(pingo__store_action_state_before(DB, const struct pingo__store_action_row *row,
                                               int64_t *state, ERR),
              state, 0,
              "SELECT state FROM action WHERE workflow = ? AND position = ? AND id < ?"
              " ORDER BY id DESC LIMIT 1",
              INT(row->workflow), INT(row->position), INT(row->id));

PINGO__NUMBER(pingo__store_action_find_unfinished(DB, int64_t workflow, int64_t position,
                                                  int64_t *id, ERR),
              id, 0,
              "SELECT a.id FROM action a WHERE a.workflow = ? AND a.position = ?"
              " AND " UNFINISHED,
              INT(workflow), INT(position));

/* ---- single fields --------------------------------------------------------------------- */

PINGO__NUMBER(pingo__store_action_count_waits(DB, int64_t action, int64_t *waits, ERR), waits, 0,
              "UPDATE action SET waits = (SELECT count(*) FROM dependency d JOIN"
              " action a ON a.id = d.parent WHERE d.child = ?1 AND " UNFINISHED
              ") WHERE id = ?1 RETURNING waits",
              INT(action));

PINGO__NUMBER(pingo__store_action_wait_done(DB, int64_t action, int64_t *waits, ERR), waits, 0,
              "UPDATE action SET waits = waits - 1 WHERE id = ? RETURNING waits", INT(action));

PINGO__WRITE(pingo__store_action_set_target(DB, int64_t action, int64_t dataset, int64_t joined, ERR),
             "UPDATE action SET dataset = ?2, joined = ?3 WHERE id = ?1", INT(action), REF(dataset),
             REF(joined));

PINGO__WRITE(pingo__store_action_set_again(DB, int64_t action,
                                           const struct pingo__store_action_again *again, ERR),
             "UPDATE action SET retries = ?2, tries = ?3, refusals = ?4,"
             " not_before_ms = ?5, message = ?6 WHERE id = ?1",
             INT(action), INT(again->retries), INT(again->tries), INT(again->refusals),
             INT(again->not_before_ms), TEXT(again->message));

PINGO__WRITE(pingo__store_action_set_given(DB, int64_t action, int64_t mb, ERR),
             "UPDATE action SET given_mb = ?2 WHERE id = ?1", INT(action), INT(mb));

PINGO__WRITE(pingo__store_action_grow(DB, int64_t action, int64_t mb, ERR),
             "UPDATE action SET given_mb = ?2, growths = growths + 1,"
             " rank = max(rank, " RANK_OF_GROWN ") WHERE id = ?1",
             INT(action), INT(mb));

PINGO__WRITE(pingo__store_action_set_lost(DB, int64_t action, const struct pingo_hash *lost, ERR),
             "UPDATE action SET lost = ?2 WHERE id = ?1", INT(action), HASH(lost));

PINGO__WRITE(pingo__store_action_forgive_lost(DB, int64_t dataset, ERR),
             "UPDATE action SET lost = NULL WHERE lost IS NOT NULL AND"
             " id IN (SELECT action FROM claim WHERE dataset = ?)",
             INT(dataset));

PINGO__WRITE(pingo__store_action_set_owner(DB, int64_t action, int64_t owner, ERR),
             "UPDATE action SET owner = ?2 WHERE id = ?1", INT(action), REF(owner));

/* ---- dependencies ------------------------------------------------------------------------- */

int pingo__store_dependency_insert(struct pingo__store_db *db, int64_t parent, int64_t child,
                                   bool data, struct pingo_error *err)
{
    int rc = pingo__db_write(
        db, err, "INSERT OR IGNORE INTO dependency(parent, child, data) VALUES(?, ?, ?)",
        INT(parent), INT(child), INT(data));
    if (rc || !data || pingo__store_db_has_changed(db))
        return rc;
    return pingo__db_write(db, err, "UPDATE dependency SET data = 1 WHERE parent = ? AND child = ?",
                           INT(parent), INT(child));
}

PINGO__EXISTS(pingo__store_dependency_has_turns(DB, bool *has, ERR), has,
              "SELECT 1 FROM dependency WHERE data = 0", NONE);

PINGO__LIST(pingo__store_dependency_list_above(DB, int64_t action,
                                               struct pingo__store_number_list *above, ERR),
            pingo__store_numbers, above,
            "WITH RECURSIVE above(id) AS (SELECT ?1"
            " UNION SELECT d.parent FROM above b CROSS JOIN action a ON a.id = b.id"
            " CROSS JOIN dependency d ON d.child = b.id WHERE " UNFINISHED
            " UNION SELECT a.joined FROM above b CROSS JOIN action a ON a.id = b.id"
            " WHERE a.joined IS NOT NULL AND " UNFINISHED ") SELECT 0, id FROM above",
            INT(action));

PINGO__EXISTS(
    pingo__store_action_is_needed(DB, int64_t action, int64_t workflow, bool *is, ERR), is,
    "WITH RECURSIVE below(id) AS (SELECT ?1 UNION SELECT a.id FROM below b"
    " CROSS JOIN dependency d ON d.parent = b.id AND d.data = 1"
    " CROSS JOIN action a ON a.id = d.child WHERE a.workflow = ?2 AND " UNFINISHED
    ") SELECT 1 FROM below b CROSS JOIN action a ON a.joined = b.id CROSS JOIN workflow w "
    "ON"
    " w.id = a.workflow WHERE a.workflow <> ?2 AND w.state = " WORKFLOW_RUNNING " AND " UNFINISHED
    " LIMIT 1",
    INT(action), INT(workflow));

PINGO__WRITE(pingo__store_dependency_clear(DB, int64_t child, ERR),
             "DELETE FROM dependency WHERE child = ?", INT(child));

/* ---- originals ------------------------------------------------------------------------------ */

PINGO__WRITE(pingo__store_action_original_insert(DB, int64_t action, size_t ordinal,
                                                 const struct pingo__store_action_original *o, ERR),
             "INSERT INTO action_original(action, ordinal, kind, name, path, hash,"
             " stamp) VALUES(?, ?, ?, ?, ?, ?, ?)",
             INT(action), INT(ordinal), INT(o->kind), TEXT(o->name), TEXT(o->path), HASH(&o->hash),
             BLOB(o->has_stamp ? (const void *)&o->stamp : NULL, sizeof o->stamp));

/* clang-format off */
#define ORIGINAL(F, T)                                                                             \
    F(T, INT, kind, "kind") F(T, TEXT, name, "name") F(T, TEXT, path, "path")                      \
    F(T, HASH, hash, "hash") F(T, INT, has_stamp, "stamp IS NOT NULL") F(T, HASH, stamp, "stamp")
/* clang-format on */
PINGO__KIND(originals, struct pingo__store_action_original, ORIGINAL);

PINGO__LIST(pingo__store_action_original_list(DB, int64_t action,
                                              struct pingo__store_action_original_list *list, ERR),
            originals, list,
            PINGO__SELECT(ORIGINAL) " FROM action_original"
                                    " WHERE action = ? ORDER BY ordinal",
            INT(action));
