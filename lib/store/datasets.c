/* datasets.c - see datasets.h. */
#include "store/datasets.h"

#include <string.h>

#include "base/error.h"
#include "store/objects.h"
#include "store/transition.h"
#include "store/undeletable.h"
#include "rules/states.h"

/* A generation that is DELETED has no bytes, though another one may have them still. */
#define DATASET                                                                                    \
    "SELECT d.id, d.hash, d.generation, d.state, d.current, d.managed, d.pinned, d.action,"        \
    " d.owner, d.compute_ms, d.made_ms, d.last_used_ms, d.object, d.shared,"                       \
    " iif(d.state <> " DATASET_DELETED                                                             \
    ", o.path, NULL), o.directory, o.stamp_1, o.stamp_2, o.size_bytes, o.content, o.mark"
#define OBJECT " LEFT JOIN object o ON o.id = d.object "
#define CLAIMED                                                                                    \
    "EXISTS (SELECT 1 FROM claim c WHERE c.dataset = d.id UNION ALL"                               \
    " SELECT 1 FROM hold h WHERE h.dataset = d.id)"

/* Word for word as in the index dataset_leaving, or SQLite does not see that it fits. */
#define LEAVING DATASET_IS_LEAVING("d.state")
#define IN_USE "(d.current OR d.state <> " DATASET_DELETED " OR " CLAIMED ")"

bool pingo__store_dataset_is_whole(const struct pingo__store_dataset_row *row)
{
    return row->path && pingo__rules_dataset_is_whole(row->state);
}

int pingo__store_dataset_move(struct pingo__store_db *db, const struct pingo__store_dataset_row *row,
                              int to, struct pingo_error *err)
{
    struct pingo__store_dataset_change change = {.id = row->id,
                                                 .hash = row->hash,
                                                 .generation = row->generation,
                                                 .from = row->state,
                                                 .to = to};
    int rc = pingo__store_dataset_change(db, &change, err);
    return rc < 0 ? rc : 0;
}

int pingo__store_dataset_insert(struct pingo__store_db *db,
                                const struct pingo__store_dataset_row *r, struct pingo_error *err)
{
    struct pingo_event event = {
        .kind = PINGO_EVENT_DATASET, .to = r->state, .hash = r->hash, .id = -1};
    int64_t generation = 1;
    int rc = pingo__db_int(db, err, &generation,
                           "SELECT max(generation) + 1 FROM dataset WHERE hash = ?", HASH(&r->hash));
    if (rc >= 0)
        rc = pingo__db_run(db, err,
                           "INSERT INTO dataset(id, hash, generation, state, current, managed,"
                           " pinned, action) VALUES(?, ?, ?, ?, 0, ?, ?, ?)",
                           INT(r->id), HASH(&r->hash), INT(generation), INT(r->state),
                           INT(r->managed), INT(r->pinned), REF(r->action));
    event.epoch = generation;
    return rc < 0 ? rc : pingo__store_db_note(db, &event, err);
}

/* ---- reading ---------------------------------------------------------------------- */

static int read_dataset(sqlite3_stmt *s, struct pingo__arena *arena, void *row,
                        struct pingo_error *err)
{
    struct pingo__store_dataset_row *r = row;
    int c = 0;
    r->id = sqlite3_column_int64(s, c++);
    pingo__store_column_hash(s, c++, &r->hash);
    r->generation = sqlite3_column_int64(s, c++);
    r->state = sqlite3_column_int(s, c++);
    r->current = sqlite3_column_int(s, c++) != 0;
    r->managed = sqlite3_column_int(s, c++) != 0;
    r->pinned = sqlite3_column_int(s, c++) != 0;
    r->action = sqlite3_column_int64(s, c++);
    r->owner = sqlite3_column_int64(s, c++);
    r->compute_ms = pingo__store_column_int(s, c++, -1);
    r->made_ms = pingo__store_column_int(s, c++, -1);
    r->last_used_ms = pingo__store_column_int(s, c++, -1);
    r->object = sqlite3_column_int64(s, c++);
    r->shared = sqlite3_column_int(s, c++) != 0;
    r->path = *pingo__store_column_text(s, c) ? pingo__store_column_copy(s, c, arena) : NULL;
    if (!r->path && *pingo__store_column_text(s, c))
        return pingo__fail_memory(err);
    r->directory = sqlite3_column_int(s, ++c) != 0;
    r->stamp.numbers[0] = pingo__store_column_int(s, ++c, -1);
    r->stamp.numbers[1] = pingo__store_column_int(s, ++c, -1);
    r->size_bytes = pingo__store_column_int(s, ++c, -1);
    pingo__store_column_hash(s, ++c, &r->content);
    r->mark = sqlite3_column_int64(s, ++c);
    r->epoch = 0;
    return 0;
}

static int one(struct pingo__store_db *db, const struct pingo__store_sql *sql,
               struct pingo__arena *arena, struct pingo__store_dataset_row *row,
               struct pingo_error *err)
{
    const struct pingo__store_rows kind = {.arena = arena, .read = read_dataset};
    return pingo__store_db_row(db, sql, &kind, row, err);
}

int pingo__store_dataset_get(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                             struct pingo__store_dataset_row *row, struct pingo_error *err)
{
    return one(db, SQL(DATASET " FROM dataset d" OBJECT "WHERE d.id = ?", INT(id)), arena, row, err);
}

int pingo__store_dataset_current(struct pingo__store_db *db, const struct pingo_hash *hash,
                                 struct pingo__arena *arena, struct pingo__store_dataset_row *row,
                                 struct pingo_error *err)
{
    return one(
        db, SQL(DATASET " FROM dataset d" OBJECT "WHERE d.hash = ? AND d.current = 1", HASH(hash)),
        arena, row, err);
}

int pingo__store_dataset_newest(struct pingo__store_db *db, const struct pingo_hash *hash,
                                struct pingo__arena *arena, struct pingo__store_dataset_row *row,
                                struct pingo_error *err)
{
    return one(db,
               SQL(DATASET " FROM dataset d" OBJECT
                           "WHERE d.hash = ? ORDER BY d.current DESC, d.generation DESC LIMIT 1",
                   HASH(hash)),
               arena, row, err);
}

int pingo__store_dataset_made_with(struct pingo__store_db *db, const struct pingo_hash *hash,
                                   const struct pingo_hash *content, struct pingo__arena *arena,
                                   struct pingo__store_dataset_row *row, struct pingo_error *err)
{
    return one(db,
               SQL(DATASET " FROM dataset d" OBJECT "WHERE d.hash = ? AND o.content = ? AND"
                           " d.made_ms IS NOT NULL AND d.managed = 1"
                           " ORDER BY d.generation DESC LIMIT 1",
                   HASH(hash), HASH(content)),
               arena, row, err);
}

static enum pingo_known known_of(int state)
{
    switch (state) {
    case PINGO_DATASET_STORED:
        return PINGO_KNOWN_STORED;
    case PINGO_DATASET_LEAF:
        return PINGO_KNOWN_LEAF;
    case PINGO_DATASET_STORED_TO_DELETE:
    case PINGO_DATASET_PROCESSING:
        return PINGO_KNOWN_RESCUABLE;
    default:
        return PINGO_KNOWN_DELETED;
    }
}

int pingo__store_dataset_known(struct pingo__store_db *db, const struct pingo_hash *hash,
                               bool unmanaged, struct pingo__store_dataset_known *k,
                               struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT id, state, current, managed, action, made_ms FROM dataset"
                             " WHERE hash = ? ORDER BY current DESC, generation",
                             HASH(hash));
    *k = (struct pingo__store_dataset_known){.known = PINGO_KNOWN_NOTHING};
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        int state = sqlite3_column_int(stmt, 1);
        enum pingo_known now = PINGO_KNOWN_NOTHING;
        if (sqlite3_column_int(stmt, 3) == 0 && !unmanaged)
            continue;
        if (pingo_dataset_state_is_pending(state))
            now = PINGO_KNOWN_COMPUTING;
        else if (sqlite3_column_int(stmt, 2))
            now = known_of(state);
        else if (sqlite3_column_type(stmt, 5) != SQLITE_NULL)
            now = PINGO_KNOWN_DELETED;
        /* What is there comes before what is being made (a forced repeat), that before what was. */
        if (k->known == PINGO_KNOWN_NOTHING || (k->known == PINGO_KNOWN_DELETED && now > k->known)) {
            k->known = now;
            k->id = now > PINGO_KNOWN_DELETED ? sqlite3_column_int64(stmt, 0) : 0;
            k->action = sqlite3_column_int64(stmt, 4);
        }
    }
    return pingo__store_db_done(rc);
}

/* ---- writing ------------------------------------------------------------------------ */

int pingo__store_dataset_publish(struct pingo__store_db *db, struct pingo__store_dataset_row *r,
                                 int64_t *former, struct pingo_error *err)
{
    *former = 0;
    int rc = pingo__db_int(db, err, former, "SELECT id FROM dataset WHERE hash = ? AND current = 1",
                           HASH(&r->hash));
    if (rc == 1)
        rc = pingo__db_run(db, err, "UPDATE dataset SET current = 0 WHERE id = ?", INT(*former));
    if (rc >= 0)
        rc = pingo__store_object_insert(db, r, err);
    if (rc >= 0)
        rc = pingo__db_run(db, err,
                           "UPDATE dataset SET current = 1, pinned = ?2, object = ?3,"
                           " compute_ms = ?4, made_ms = ?5, last_used_ms = ?5, action = ?6"
                           " WHERE id = ?1",
                           INT(r->id), INT(r->pinned), INT(r->object), INT(r->compute_ms),
                           INT(r->made_ms), INT(r->action));
    return pingo__store_db_done(rc);
}

int pingo__store_dataset_set_pinned(struct pingo__store_db *db, int64_t id, bool pinned,
                                    struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "UPDATE dataset SET pinned = ?2 WHERE id = ?1", INT(id), INT(pinned)));
}

int pingo__store_dataset_touch(struct pingo__store_db *db, int64_t id, int64_t now_ms,
                               struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "UPDATE dataset SET last_used_ms = ?2 WHERE id = ?1", INT(id), INT(now_ms)));
}

int pingo__store_dataset_set_owner(struct pingo__store_db *db, int64_t id, int64_t owner,
                                   struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "UPDATE dataset SET owner = ?2 WHERE id = ?1", INT(id), REF(owner)));
}

int pingo__store_dataset_adopt(struct pingo__store_db *db, int64_t id, int64_t owner,
                               struct pingo_error *err)
{
    return pingo__db_run(db, err,
                         "UPDATE dataset SET owner = ?2 WHERE id = ?1 AND state = " DATASET_DELETING
                         " AND"
                         " (owner IS NULL OR owner = ?2)",
                         INT(id), INT(owner));
}

int pingo__store_dataset_expect(struct pingo__store_db *db, const struct pingo_hash *hash,
                                int64_t *compute_ms, int64_t *size_bytes, struct pingo_error *err)
{
    *compute_ms = *size_bytes = -1;
    int rc = pingo__db_int(db, err, compute_ms,
                           "SELECT CAST(avg(compute_ms) AS INTEGER) FROM dataset WHERE hash = ?",
                           HASH(hash));
    if (rc >= 0)
        rc = pingo__db_int(db, err, size_bytes,
                           "SELECT o.size_bytes FROM dataset d JOIN object o ON o.id ="
                           " d.object WHERE d.hash = ? AND d.made_ms IS NOT NULL"
                           " ORDER BY d.generation DESC LIMIT 1",
                           HASH(hash));
    return pingo__store_db_done(rc);
}

/* ---- lists ------------------------------------------------------------------------------ */

static int list(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    struct pingo__store_rows r = {.arena = l->arena, .size = sizeof *l->rows, .read = read_dataset};
    int rc = pingo__store_db_rows(db, sql, &r, err);
    l->rows = r.rows;
    l->n = r.n;
    return rc;
}

/* For LIMIT: -1 is none. */
static int64_t limit_of(const struct pingo__store_dataset_list *l)
{
    return l->limit ? (int64_t)l->limit : -1;
}

int pingo__store_dataset_list_deletable(struct pingo__store_db *db,
                                        struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(db,
                SQL(DATASET " FROM dataset d" OBJECT "WHERE d.state = " DATASET_STORED_TO_DELETE
                            " AND " LEAVING " AND NOT " CLAIMED " ORDER BY d.id LIMIT ?",
                    INT(limit_of(l))),
                l, err);
}

int pingo__store_dataset_list_leaving(struct pingo__store_db *db, int64_t owner,
                                      struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(db,
                SQL(DATASET " FROM dataset d" OBJECT "WHERE " DATASET_IS_REMOVING(
                        "d.state") " AND " LEAVING " AND d.owner = ? ORDER BY d.id",
                    INT(owner)),
                l, err);
}

int pingo__store_dataset_list_left(struct pingo__store_db *db, int64_t owner, int64_t now_ms,
                                   struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(
        db,
        SQL(DATASET
            " FROM dataset d" OBJECT "LEFT JOIN undeletable u"
            " ON u.dataset = d.id WHERE " DATASET_IS_REMOVING(
                "d.state") " AND " LEAVING
                           " AND (d.owner = ?1 OR (d.owner IS NULL AND d.state = " DATASET_DELETING
                           " AND coalesce("
                           "not_before_ms, 0) - ?2 NOT BETWEEN 1 AND ?4)) ORDER BY d.id LIMIT ?3",
            INT(owner), INT(now_ms), INT(limit_of(l)), INT(PINGO__UNDELETABLE_LONGEST_MS)),
        l, err);
}

int pingo__store_dataset_list_after(struct pingo__store_db *db, int64_t after,
                                    struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(db,
                SQL(DATASET " FROM dataset d" OBJECT "WHERE d.id > ?1 AND " IN_USE
                            " ORDER BY d.id LIMIT ?2",
                    INT(after), INT(limit_of(l))),
                l, err);
}

int pingo__store_dataset_list_claimed(struct pingo__store_db *db, int64_t action,
                                      struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(db,
                SQL(DATASET " FROM claim c JOIN dataset d ON d.id = c.dataset" OBJECT
                            "WHERE c.action = ? ORDER BY d.id",
                    INT(action)),
                l, err);
}

int pingo__store_dataset_list_at(struct pingo__store_db *db, const char *path,
                                 struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(db,
                SQL(DATASET " FROM object o CROSS JOIN dataset d ON d.object = o.id"
                            " WHERE o.path = ? AND d.managed = 0 AND d.state <> " DATASET_DELETED,
                    TEXT(path)),
                l, err);
}

int pingo__store_dataset_list_sharers(struct pingo__store_db *db,
                                      const struct pingo__store_dataset_row *row,
                                      struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    l->n = 0;
    return !row->shared
               ? 0
               : list(db,
                      SQL(DATASET " FROM dataset d" OBJECT "WHERE d.object = ? AND d.shared = 1"
                                  " AND d.id <> ? AND d.state <> " DATASET_DELETED " ORDER BY d.id",
                          INT(row->object), INT(row->id)),
                      l, err);
}

int pingo__store_dataset_list_between(struct pingo__store_db *db, const struct pingo_hash *low,
                                      const struct pingo_hash *high,
                                      struct pingo__store_dataset_list *l, struct pingo_error *err)
{
    return list(db,
                SQL(DATASET " FROM dataset d" OBJECT "WHERE d.hash BETWEEN ? AND ?"
                            " AND d.generation = (SELECT max(e.generation) FROM dataset e"
                            " WHERE e.hash = d.hash) ORDER BY d.hash LIMIT ?",
                    HASH(low), HASH(high), INT(limit_of(l))),
                l, err);
}

int pingo__store_dataset_count(struct pingo__store_db *db, int64_t *n, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_int(db, err, n, "SELECT count(*) FROM dataset d WHERE " IN_USE, NONE));
}

int pingo__store_dataset_each_changed(struct pingo__store_db *db, int64_t after,
                                      pingo__store_dataset_changed_fn fn, void *context,
                                      struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT d.changed, d.hash, d.state, d.managed, o.size_bytes,"
        " (SELECT CAST(avg(c.compute_ms) AS INTEGER) FROM dataset c WHERE c.hash = d.hash)"
        " FROM dataset d" OBJECT
        "WHERE d.changed > 0 AND d.changed > ? AND d.current = 1 ORDER BY d.changed",
        INT(after));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_dataset_changed c = {.changed = sqlite3_column_int64(stmt, 0),
                                                 .state = sqlite3_column_int(stmt, 2),
                                                 .managed = sqlite3_column_int(stmt, 3) != 0,
                                                 .size_bytes = pingo__store_column_int(stmt, 4, -1),
                                                 .compute_ms = pingo__store_column_int(stmt, 5, -1)};
        pingo__store_column_hash(stmt, 1, &c.hash);
        rc = fn(context, &c, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

/* ---- claims --------------------------------------------------------------------------------- */

int pingo__store_claim_insert(struct pingo__store_db *db, int64_t dataset, int64_t action,
                              struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "INSERT OR IGNORE INTO claim(dataset, action) VALUES(?, ?)",
                      INT(dataset), INT(action)));
}

int pingo__store_claim_drop(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    int64_t any = 0;
    int rc = pingo__db_int(db, err, &any, "SELECT 1 FROM claim WHERE action = ?", INT(action));
    if (rc == 1) /* a DELETE of several rows makes a table of their keys first, also of none */
        rc = pingo__db_run(db, err, "DELETE FROM claim WHERE action = ?", INT(action));
    return pingo__store_db_done(rc);
}

int pingo__store_claim_drop_one(struct pingo__store_db *db, int64_t dataset, int64_t action,
                                struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "DELETE FROM claim WHERE dataset = ? AND action = ?", INT(dataset), INT(action)));
}

int pingo__store_hold_insert(struct pingo__store_db *db, int64_t dataset, int64_t owner,
                             struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "INSERT OR IGNORE INTO hold(dataset, owner) VALUES(?, ?)",
                      INT(dataset), INT(owner)));
}
