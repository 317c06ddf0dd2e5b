/* evictions.c - see evictions.h. */
#include "store/evictions.h"

#include "base/error.h"

#define COLUMNS                                                                                    \
    "e.id, e.dataset, e.hash, e.evicted_ms, e.workflow, e.algorithm, e.score, e.size_bytes,"       \
    " e.remake_ms, e.reason, e.rescued_ms, e.regretted_ms, e.regret_ms"
#define OPEN "rescued_ms IS NULL AND regretted_ms IS NULL"

int pingo__store_eviction_insert(struct pingo__store_db *db,
                                 const struct pingo__store_eviction_row *r, struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err,
        "INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm, score, size_bytes,"
        " remake_ms, reason) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        INT(r->dataset), HASH(&r->hash), INT(r->evicted_ms), INT(r->workflow), TEXT(r->algorithm),
        REAL(r->score), INT(r->size_bytes), INT(r->remake_ms), TEXT(r->reason)));
}

int pingo__store_eviction_rescue(struct pingo__store_db *db, int64_t dataset, int64_t now_ms,
                                 struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "UPDATE eviction SET rescued_ms = ?2 WHERE dataset = ?1 AND " OPEN,
                      INT(dataset), INT(now_ms)));
}

int pingo__store_eviction_regret(struct pingo__store_db *db, const struct pingo_hash *hash,
                                 int64_t regret_ms, int64_t now_ms, struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "UPDATE eviction SET regretted_ms = ?3, regret_ms = ?2 WHERE hash = ?1 AND " OPEN,
        HASH(hash), INT(regret_ms), INT(now_ms)));
}

static void read_row(sqlite3_stmt *s, struct pingo__store_eviction_row *r)
{
    *r = (struct pingo__store_eviction_row){.id = sqlite3_column_int64(s, 0),
                                            .dataset = sqlite3_column_int64(s, 1),
                                            .evicted_ms = sqlite3_column_int64(s, 3),
                                            .workflow = sqlite3_column_int64(s, 4),
                                            .algorithm = pingo__store_column_text(s, 5),
                                            .score = sqlite3_column_double(s, 6),
                                            .size_bytes = sqlite3_column_int64(s, 7),
                                            .remake_ms = sqlite3_column_int64(s, 8),
                                            .reason = pingo__store_column_text(s, 9),
                                            .rescued_ms = pingo__store_column_int(s, 10, -1),
                                            .regretted_ms = pingo__store_column_int(s, 11, -1),
                                            .regret_ms = pingo__store_column_int(s, 12, -1)};
    pingo__store_column_hash(s, 2, &r->hash);
}

/* Texts go into the arena. */
static int keep_row(sqlite3_stmt *s, struct pingo__arena *arena,
                    struct pingo__store_eviction_row *r, struct pingo_error *err)
{
    read_row(s, r);
    r->algorithm = pingo__store_column_copy(s, 5, arena);
    r->reason = pingo__store_column_copy(s, 9, arena);
    return r->algorithm && r->reason ? 0 : pingo__fail_memory(err);
}

static int read_list(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                     struct pingo__store_eviction_list *list, struct pingo_error *err)
{
    size_t capacity = 0;
    int rc;
    while ((rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_eviction_row *rows =
            pingo__arena_more(arena, list->rows, list->n, &capacity, sizeof *rows);
        rc = rows ? keep_row(stmt, arena, &rows[list->n], err) : pingo__fail_memory(err);
        if (!rc && !(rows[list->n].name = pingo__store_column_copy(stmt, 13, arena)))
            rc = pingo__fail_memory(err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
        list->rows = rows;
        list->n++;
    }
    return rc;
}

/* The number has a condition of its own, which leads to where the list goes on. */
#define LIST                                                                                       \
    "SELECT " COLUMNS ", n.name FROM eviction e LEFT JOIN dataset d ON d.id = e.dataset"           \
    " LEFT JOIN action a ON a.id = d.action LEFT JOIN workflow w ON w.id = a.workflow"             \
    " LEFT JOIN node n ON n.graph = w.graph AND n.position = a.position WHERE e.evicted_ms >= ?2"  \
    " AND (?3 = 0 OR e.evicted_ms < ?3)"

int pingo__store_eviction_list_after(struct pingo__store_db *db, int64_t after,
                                     const struct pingo__store_eviction_filter *f, size_t limit,
                                     struct pingo__arena *arena,
                                     struct pingo__store_eviction_list *list,
                                     struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    *list = (struct pingo__store_eviction_list){NULL, 0};
    int rc = f->hash ? pingo__db_query(db, err, &stmt,
                                       LIST " AND e.id > ?1 AND e.hash = ?5 ORDER BY e.id LIMIT ?4",
                                       INT(after), INT(f->since_ms), INT(f->until_ms), INT(limit),
                                       HASH(f->hash))
                     : pingo__db_query(db, err, &stmt, LIST " AND e.id > ?1 ORDER BY e.id LIMIT ?4",
                                       INT(after), INT(f->since_ms), INT(f->until_ms), INT(limit));

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__store_eviction_list_before(struct pingo__store_db *db, int64_t before,
                                      const struct pingo__store_eviction_filter *f, size_t limit,
                                      struct pingo__arena *arena,
                                      struct pingo__store_eviction_list *list,
                                      struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t end = before ? before : INT64_MAX;
    *list = (struct pingo__store_eviction_list){NULL, 0};
    int rc =
        f->hash ? pingo__db_query(db, err, &stmt,
                                  LIST " AND e.id < ?1 AND e.hash = ?5 ORDER BY e.id DESC LIMIT ?4",
                                  INT(end), INT(f->since_ms), INT(f->until_ms), INT(limit),
                                  HASH(f->hash))
                : pingo__db_query(db, err, &stmt, LIST " AND e.id < ?1 ORDER BY e.id DESC LIMIT ?4",
                                  INT(end), INT(f->since_ms), INT(f->until_ms), INT(limit));

    return rc ? rc : read_list(db, stmt, arena, list, err);
}

int pingo__store_eviction_last(struct pingo__store_db *db, const struct pingo_hash *hash,
                               struct pingo__arena *arena, struct pingo__store_eviction_row *row,
                               struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " COLUMNS " FROM eviction e WHERE e.hash = ? AND e.rescued_ms"
                             " IS NULL ORDER BY e.id DESC LIMIT 1",
                             HASH(hash));
    if (!rc)
        rc = pingo__store_db_step(db, stmt, err);
    if (rc != 1)
        return rc;
    rc = keep_row(stmt, arena, row, err);
    sqlite3_reset(stmt);
    return rc ? rc : 1;
}
