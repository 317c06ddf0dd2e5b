/* actions.c - rows of actions, their dependencies and originals; see actions.h. */
#include "store/action/actions.h"

#include "store/transition.h"

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
        if (change.is_new_epoch)
            row->epoch = pingo__store_db_next_epoch(db, row->id, row->epoch);
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

/* ---- originals ------------------------------------------------------------------------------ */

/* clang-format off */
#define ORIGINAL(F, T)                                                                             \
    F(T, INT, kind, "kind") F(T, TEXT, name, "name") F(T, TEXT, path, "path")                      \
    F(T, HASH, hash, "hash") F(T, INT, has_stamp, "stamp IS NOT NULL") F(T, HASH, stamp, "stamp")
/* clang-format on */
PINGO__KIND(originals, struct pingo__store_action_original, ORIGINAL);

PINGO__LIST(pingo__store_action_original_list(DB, int64_t action,
                                              struct pingo__store_action_original_list *list, ERR),
            originals, list,
            PINGO__SELECT(ORIGINAL) " FROM action_original WHERE action = ? ORDER BY ordinal",
            INT(action));

PINGO__LIST(pingo__store_action_original_list_of_hash(DB, const struct pingo_hash *hash,
                                                      struct pingo__store_action_original_list *list,
                                                      ERR),
            originals, list,
            PINGO__SELECT(ORIGINAL) " FROM action_original WHERE action = (SELECT max(o.action)"
                                    " FROM dataset d CROSS JOIN action_original o ON"
                                    " o.action = d.action WHERE d.hash = ?) ORDER BY ordinal",
            HASH(hash));
