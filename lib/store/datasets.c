/* datasets.c - see datasets.h. */
#include "store/datasets.h"

#include <string.h>

#include "base/error.h"
#include "rules/states.h"
#include "store/transition.h"
#include "store/undeletable.h"

#define DATASET_COLUMNS                                                                            \
    "d.id, d.hash, d.generation, d.state, d.current, d.managed, d.pinned, d.action, d.epoch,"      \
    " d.owner, d.path, d.directory, d.inode, d.mtime_ns, d.size_bytes, d.compute_ms, d.made_ms,"   \
    " d.last_used_ms, d.content, d.mark"
#define CLAIMED                                                                                    \
    "EXISTS (SELECT 1 FROM claim c WHERE c.dataset = d.id UNION ALL"                               \
    " SELECT 1 FROM hold h WHERE h.dataset = d.id)"

#define LEAVING DATASET_IS_LEAVING("d.state") /* as in the index dataset_leaving */

static int done(int rc)
{
    return rc < 0 ? rc : 0;
}

bool pingo__dataset_is_whole(const struct pingo__dataset_row *row)
{
    return row->path && pingo__rules_dataset_is_whole(row->state);
}

int pingo__dataset_move(struct pingo__db *db, const struct pingo__dataset_row *row, int to,
                        struct pingo_error *err)
{
    return pingo__dataset_change(db,
                                 &(struct pingo__dataset_change){.id = row->id,
                                                                 .hash = row->hash,
                                                                 .generation = row->generation,
                                                                 .from = row->state,
                                                                 .to = to},
                                 err);
}

int pingo__dataset_insert(struct pingo__db *db, const struct pingo__dataset_row *r,
                          struct pingo_error *err)
{
    struct pingo_event event = {.kind = PINGO_EVENT_DATASET, .to = r->state, .hash = r->hash, .id = -1};
    int64_t generation = 1;
    int rc = pingo__db_int(db, err, &generation,
                           "SELECT max(generation) + 1 FROM dataset WHERE hash = ?", "h", &r->hash);

    if (rc >= 0)
        rc = pingo__db_run(db, err,
                           "INSERT INTO dataset(id, hash, generation, state, current, managed,"
                           " pinned, action) VALUES(?, ?, ?, ?, 0, ?, ?, ?)",
                           "ihiiiiz", r->id, &r->hash, generation, (int64_t)r->state,
                           (int64_t)r->managed, (int64_t)r->pinned, r->action);
    event.epoch = generation;
    return rc < 0 ? rc : pingo__db_note(db, &event, err);
}

/* ---- reading ---------------------------------------------------------------------- */

static int read_dataset(sqlite3_stmt *s, struct pingo__arena *arena, struct pingo__dataset_row *r,
                        struct pingo_error *err)
{
    const char *path = pingo__column_text(s, 10);

    r->id = sqlite3_column_int64(s, 0);
    pingo__column_hash(s, 1, &r->hash);
    r->generation = sqlite3_column_int64(s, 2);
    r->state = sqlite3_column_int(s, 3);
    r->current = sqlite3_column_int(s, 4) != 0;
    r->managed = sqlite3_column_int(s, 5) != 0;
    r->pinned = sqlite3_column_int(s, 6) != 0;
    r->action = sqlite3_column_int64(s, 7);
    r->epoch = sqlite3_column_int64(s, 8);
    r->owner = sqlite3_column_int64(s, 9);
    r->path = *path ? pingo__arena_text(arena, path, strlen(path)) : NULL;
    r->directory = sqlite3_column_int(s, 11) != 0;
    r->stamp.numbers[0] = pingo__column_int(s, 12, -1);
    r->stamp.numbers[1] = pingo__column_int(s, 13, -1);
    r->size_bytes = pingo__column_int(s, 14, -1);
    r->compute_ms = pingo__column_int(s, 15, -1);
    r->made_ms = pingo__column_int(s, 16, -1);
    r->last_used_ms = pingo__column_int(s, 17, -1);
    pingo__column_hash(s, 18, &r->content);
    r->mark = sqlite3_column_int64(s, 19);
    return *path && !r->path ? pingo__fail_memory(err) : 0;
}

static int read_one(struct pingo__db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                    struct pingo__dataset_row *row, struct pingo_error *err)
{
    int rc = pingo__db_step(db, stmt, err);

    if (rc != 1)
        return rc;
    rc = read_dataset(stmt, arena, row, err);
    sqlite3_reset(stmt);
    return rc < 0 ? rc : 1;
}

int pingo__dataset_get(struct pingo__db *db, int64_t id, struct pingo__arena *arena,
                       struct pingo__dataset_row *row, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.id = ?", "i", id);

    return rc ? rc : read_one(db, stmt, arena, row, err);
}

int pingo__dataset_current(struct pingo__db *db, const struct pingo_hash *hash,
                           struct pingo__arena *arena, struct pingo__dataset_row *row,
                           struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.hash = ? AND d.current = 1", "h", hash);

    return rc ? rc : read_one(db, stmt, arena, row, err);
}

int pingo__dataset_newest(struct pingo__db *db, const struct pingo_hash *hash,
                          struct pingo__arena *arena, struct pingo__dataset_row *row,
                          struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.hash = ?"
                             " ORDER BY d.current DESC, d.generation DESC LIMIT 1",
                             "h", hash);

    return rc ? rc : read_one(db, stmt, arena, row, err);
}

int pingo__dataset_made_with(struct pingo__db *db, const struct pingo_hash *hash,
                             const struct pingo_hash *content, struct pingo__arena *arena,
                             struct pingo__dataset_row *row, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.hash = ? AND"
                             " d.content = ? AND d.made_ms IS NOT NULL AND d.managed = 1"
                             " ORDER BY d.generation DESC LIMIT 1",
                             "hh", hash, content);

    return rc ? rc : read_one(db, stmt, arena, row, err);
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

int pingo__dataset_known(struct pingo__db *db, const struct pingo_hash *hash, bool unmanaged,
                         struct pingo__dataset_known *k, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT id, state, current, managed, action, made_ms FROM dataset"
                             " WHERE hash = ? ORDER BY current DESC, generation",
                             "h", hash);

    *k = (struct pingo__dataset_known){.known = PINGO_KNOWN_NOTHING};
    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
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
    return done(rc);
}

/* ---- writing ------------------------------------------------------------------------ */

int pingo__dataset_publish(struct pingo__db *db, const struct pingo__dataset_row *r,
                           int64_t *former, struct pingo_error *err)
{
    int rc;

    *former = 0;
    rc = pingo__db_int(db, err, former, "SELECT id FROM dataset WHERE hash = ? AND current = 1",
                       "h", &r->hash);
    if (rc == 1)
        rc = pingo__db_run(db, err, "UPDATE dataset SET current = 0 WHERE id = ?", "i", *former);
    if (rc >= 0)
        rc = pingo__db_run(
            db, err,
            "UPDATE dataset SET current = 1, pinned = ?2, epoch = ?3, path = ?4, directory = ?5,"
            " inode = ?6, mtime_ns = ?7, size_bytes = ?8, content = ?9, compute_ms = ?10,"
            " made_ms = ?11, last_used_ms = ?11, action = ?12, mark = ?13 WHERE id = ?1",
            "iiitiiiihiiii", r->id, (int64_t)r->pinned, r->epoch, r->path, (int64_t)r->directory,
            r->stamp.numbers[0], r->stamp.numbers[1], r->size_bytes, &r->content, r->compute_ms, r->made_ms, r->action,
            r->mark);
    return done(rc);
}

int pingo__dataset_set_root(struct pingo__db *db, const struct pingo__dataset_row *row,
                            struct pingo_error *err)
{
    return done(pingo__db_run(
        db, err, "UPDATE dataset SET inode = ?2, mtime_ns = ?3, mark = ?4 WHERE id = ?1", "iiii",
        row->id, row->stamp.numbers[0], row->stamp.numbers[1], row->mark));
}

int pingo__dataset_set_pinned(struct pingo__db *db, int64_t id, bool pinned, struct pingo_error *err)
{
    return done(pingo__db_run(db, err, "UPDATE dataset SET pinned = ?2 WHERE id = ?1", "ii", id,
                              (int64_t)pinned));
}

int pingo__dataset_touch(struct pingo__db *db, int64_t id, int64_t now_ms, struct pingo_error *err)
{
    return done(pingo__db_run(db, err, "UPDATE dataset SET last_used_ms = ?2 WHERE id = ?1", "ii",
                              id, now_ms));
}

int pingo__dataset_set_action(struct pingo__db *db, int64_t id, int64_t action,
                              struct pingo_error *err)
{
    return done(
        pingo__db_run(db, err, "UPDATE dataset SET action = ?2 WHERE id = ?1", "ii", id, action));
}

int pingo__dataset_set_owner(struct pingo__db *db, int64_t id, int64_t owner,
                             struct pingo_error *err)
{
    return done(
        pingo__db_run(db, err, "UPDATE dataset SET owner = ?2 WHERE id = ?1", "iz", id, owner));
}

int pingo__dataset_adopt(struct pingo__db *db, int64_t id, int64_t owner, struct pingo_error *err)
{
    return pingo__db_run(db, err,
                         "UPDATE dataset SET owner = ?2 WHERE id = ?1 AND state = " DATASET_DELETING " AND"
                         " (owner IS NULL OR owner = ?2)",
                         "ii", id, owner);
}

int pingo__dataset_set_path(struct pingo__db *db, int64_t id, const char *path,
                            struct pingo_error *err)
{
    return done(pingo__db_run(db, err, "UPDATE dataset SET path = ?2 WHERE id = ?1", "it", id, path));
}

int pingo__dataset_expect(struct pingo__db *db, const struct pingo_hash *hash, int64_t *compute_ms,
                          int64_t *size_bytes, struct pingo_error *err)
{
    int rc;

    *compute_ms = *size_bytes = -1;
    rc = pingo__db_int(db, err, compute_ms,
                       "SELECT CAST(avg(compute_ms) AS INTEGER) FROM dataset WHERE hash = ?", "h",
                       hash);
    if (rc >= 0)
        rc = pingo__db_int(db, err, size_bytes,
                           "SELECT size_bytes FROM dataset WHERE hash = ? AND made_ms IS NOT NULL"
                           " ORDER BY generation DESC LIMIT 1",
                           "h", hash);
    return done(rc);
}

int pingo__dataset_differed(struct pingo__db *db, const struct pingo_hash *hash,
                            struct pingo_error *err)
{
    int64_t n = 0;
    int rc = pingo__db_int(db, err, &n,
                           "SELECT count(DISTINCT content) FROM dataset WHERE hash = ? AND"
                           " made_ms IS NOT NULL",
                           "h", hash);

    return rc < 0 ? rc : n > 1;
}

/* ---- lists ------------------------------------------------------------------------------ */

static int read_list(struct pingo__db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                     struct pingo__dataset_list *list, struct pingo_error *err)
{
    size_t capacity = 0;
    int rc;

    list->rows = NULL;
    list->n = 0;
    while ((rc = pingo__db_step(db, stmt, err)) == 1) {
        struct pingo__dataset_row *rows =
            pingo__arena_more(arena, list->rows, list->n, &capacity, sizeof *rows);

        rc = rows ? 0 : pingo__fail_memory(err);
        if (rows)
            list->rows = rows;
        if (!rc)
            rc = read_dataset(stmt, arena, &list->rows[list->n++], err);
        if (rc < 0) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__dataset_list_deletable(struct pingo__db *db, size_t limit, struct pingo__arena *arena,
                                  struct pingo__dataset_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.state = " DATASET_STORED_TO_DELETE " AND " LEAVING
                        " AND NOT " CLAIMED " ORDER BY d.id LIMIT ?",
                        "i", (int64_t)limit);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_list_leaving(struct pingo__db *db, int64_t owner, struct pingo__arena *arena,
                                struct pingo__dataset_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT " DATASET_COLUMNS " FROM dataset d WHERE " DATASET_IS_REMOVING("d.state") " AND " LEAVING
                        " AND d.owner = ? ORDER BY d.id",
                        "i", owner);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_list_left(struct pingo__db *db, int64_t owner, int64_t now_ms, size_t limit,
                             struct pingo__arena *arena, struct pingo__dataset_list *list,
                             struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM dataset d LEFT JOIN undeletable u"
                             " ON u.dataset = d.id WHERE " DATASET_IS_REMOVING("d.state") " AND " LEAVING
                             " AND (d.owner = ?1 OR (d.owner IS NULL AND d.state = " DATASET_DELETING " AND coalesce("
                             "not_before_ms, 0) - ?2 NOT BETWEEN 1 AND ?4)) ORDER BY d.id LIMIT ?3",
                             "iiii", owner, now_ms, (int64_t)limit, PINGO__UNDELETABLE_LONGEST_MS);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_list_after(struct pingo__db *db, int64_t after, bool all, size_t limit,
                              struct pingo__arena *arena, struct pingo__dataset_list *list,
                              struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.id > ?1 AND"
                             " (?2 OR d.current OR d.path IS NOT NULL OR " DATASET_IS_PENDING("d.state") " OR " CLAIMED
                             ") ORDER BY d.id LIMIT ?3",
                             "iii", after, (int64_t)all, (int64_t)limit);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_list_claimed(struct pingo__db *db, int64_t action, struct pingo__arena *arena,
                                struct pingo__dataset_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM claim c JOIN dataset d"
                             " ON d.id = c.dataset WHERE c.action = ? ORDER BY d.id",
                             "i", action);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_list_at(struct pingo__db *db, const char *path, struct pingo__arena *arena,
                           struct pingo__dataset_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.path = ? AND"
                             " d.managed = 0",
                             "t", path);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_list_between(struct pingo__db *db, const struct pingo_hash *low,
                                const struct pingo_hash *high, size_t limit,
                                struct pingo__arena *arena, struct pingo__dataset_list *list,
                                struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT " DATASET_COLUMNS " FROM dataset d WHERE d.hash BETWEEN ? AND ?"
                        " AND d.generation = (SELECT max(e.generation) FROM dataset e"
                        " WHERE e.hash = d.hash) ORDER BY d.hash LIMIT ?",
                        "hhi", low, high, (int64_t)limit);

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__dataset_has_path(struct pingo__db *db, const char *path, struct pingo_error *err)
{
    int64_t one = 0;
    return pingo__db_int(db, err, &one, "SELECT 1 FROM dataset WHERE path = ? LIMIT 1", "t", path);
}

int pingo__dataset_count(struct pingo__db *db, int64_t *n, struct pingo_error *err)
{
    return done(pingo__db_int(db, err, n,
                              "SELECT count(*) FROM dataset d WHERE d.current OR d.path IS NOT NULL"
                              " OR " DATASET_IS_PENDING("d.state") " OR " CLAIMED,
                              ""));
}

int pingo__dataset_each_changed(struct pingo__db *db, int64_t after, pingo__dataset_changed_fn fn,
                                void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT d.changed, d.hash, d.state, d.managed, d.size_bytes,"
        " (SELECT CAST(avg(c.compute_ms) AS INTEGER) FROM dataset c WHERE c.hash = d.hash)"
        " FROM dataset d WHERE d.changed > ? AND d.current = 1 ORDER BY d.changed",
        "i", after);

    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        struct pingo__dataset_changed c = {.changed = sqlite3_column_int64(stmt, 0),
                                           .state = sqlite3_column_int(stmt, 2),
                                           .managed = sqlite3_column_int(stmt, 3) != 0,
                                           .size_bytes = pingo__column_int(stmt, 4, -1),
                                           .compute_ms = pingo__column_int(stmt, 5, -1)};

        pingo__column_hash(stmt, 1, &c.hash);
        rc = fn(context, &c, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

/* ---- claims --------------------------------------------------------------------------------- */

int pingo__claim_insert(struct pingo__db *db, int64_t dataset, int64_t action,
                        struct pingo_error *err)
{
    return done(pingo__db_run(db, err, "INSERT OR IGNORE INTO claim(dataset, action) VALUES(?, ?)",
                              "ii", dataset, action));
}

int pingo__claim_drop(struct pingo__db *db, int64_t action, struct pingo_error *err)
{
    int64_t any = 0;
    int rc = pingo__db_int(db, err, &any, "SELECT 1 FROM claim WHERE action = ?", "i", action);

    if (rc == 1) /* a DELETE of several rows makes a table of their keys first, also of none */
        rc = pingo__db_run(db, err, "DELETE FROM claim WHERE action = ?", "i", action);
    return done(rc);
}

int pingo__claim_drop_one(struct pingo__db *db, int64_t dataset, int64_t action,
                          struct pingo_error *err)
{
    return done(pingo__db_run(db, err, "DELETE FROM claim WHERE dataset = ? AND action = ?", "ii",
                              dataset, action));
}

int pingo__claim_count(struct pingo__db *db, int64_t dataset, int64_t *n, struct pingo_error *err)
{
    return done(
        pingo__db_int(db, err, n, "SELECT count(*) FROM claim WHERE dataset = ?", "i", dataset));
}

int pingo__hold_insert(struct pingo__db *db, int64_t dataset, int64_t owner, struct pingo_error *err)
{
    return done(pingo__db_run(db, err, "INSERT OR IGNORE INTO hold(dataset, owner) VALUES(?, ?)",
                              "ii", dataset, owner));
}
