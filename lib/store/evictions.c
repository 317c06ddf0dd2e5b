/* evictions.c - see evictions.h. */
#include "store/evictions.h"

#include "base/error.h"

#define COLUMNS                                                                                    \
    "id, dataset, hash, evicted_ms, workflow, algorithm, score, size_bytes, remake_ms, reason,"    \
    " rescued_ms, regretted_ms, regret_ms"
#define OPEN "rescued_ms IS NULL AND regretted_ms IS NULL"

static int done(int rc)
{
    return rc < 0 ? rc : 0;
}

int pingo__eviction_insert(struct pingo__db *db, const struct pingo__eviction_row *r,
                           struct pingo_error *err)
{
    return done(pingo__db_run(
        db, err,
        "INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm, score, size_bytes,"
        " remake_ms, reason) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "ihiitdiit", r->dataset, &r->hash, r->evicted_ms, r->workflow, r->algorithm, r->score,
        r->size_bytes, r->remake_ms, r->reason));
}

int pingo__eviction_rescue(struct pingo__db *db, int64_t dataset, int64_t now_ms,
                           struct pingo_error *err)
{
    return done(pingo__db_run(db, err,
                              "UPDATE eviction SET rescued_ms = ?2 WHERE dataset = ?1 AND " OPEN,
                              "ii", dataset, now_ms));
}

int pingo__eviction_regret(struct pingo__db *db, const struct pingo_hash *hash, int64_t regret_ms,
                           int64_t now_ms, struct pingo_error *err)
{
    return done(pingo__db_run(
        db, err, "UPDATE eviction SET regretted_ms = ?3, regret_ms = ?2 WHERE hash = ?1 AND " OPEN,
        "hii", hash, regret_ms, now_ms));
}

static void read_row(sqlite3_stmt *s, struct pingo__eviction_row *r)
{
    *r = (struct pingo__eviction_row){.id = sqlite3_column_int64(s, 0),
                                      .dataset = sqlite3_column_int64(s, 1),
                                      .evicted_ms = sqlite3_column_int64(s, 3),
                                      .workflow = sqlite3_column_int64(s, 4),
                                      .algorithm = pingo__column_text(s, 5),
                                      .score = sqlite3_column_double(s, 6),
                                      .size_bytes = sqlite3_column_int64(s, 7),
                                      .remake_ms = sqlite3_column_int64(s, 8),
                                      .reason = pingo__column_text(s, 9),
                                      .rescued_ms = pingo__column_int(s, 10, -1),
                                      .regretted_ms = pingo__column_int(s, 11, -1),
                                      .regret_ms = pingo__column_int(s, 12, -1)};
    pingo__column_hash(s, 2, &r->hash);
}

static int each(struct pingo__db *db, sqlite3_stmt *stmt, pingo__eviction_fn fn, void *context,
                struct pingo_error *err)
{
    int rc;

    while ((rc = pingo__db_step(db, stmt, err)) == 1) {
        struct pingo__eviction_row row;

        read_row(stmt, &row);
        rc = fn(context, &row, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__eviction_each(struct pingo__db *db, int64_t since_ms, int64_t until_ms,
                         const struct pingo_hash *hash, pingo__eviction_fn fn, void *context,
                         struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = hash ? pingo__db_query(db, err, &stmt,
                                    "SELECT " COLUMNS " FROM eviction WHERE evicted_ms >= ?1 AND"
                                    " (?2 = 0 OR evicted_ms < ?2) AND hash = ?3 ORDER BY id",
                                    "iih", since_ms, until_ms, hash)
                  : pingo__db_query(db, err, &stmt,
                                    "SELECT " COLUMNS " FROM eviction WHERE evicted_ms >= ?1 AND"
                                    " (?2 = 0 OR evicted_ms < ?2) ORDER BY id",
                                    "ii", since_ms, until_ms);

    return rc ? rc : each(db, stmt, fn, context, err);
}

int pingo__eviction_last(struct pingo__db *db, const struct pingo_hash *hash,
                         struct pingo__arena *arena, struct pingo__eviction_row *row,
                         struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " COLUMNS " FROM eviction WHERE hash = ? AND rescued_ms IS"
                             " NULL ORDER BY id DESC LIMIT 1",
                             "h", hash);

    if (!rc)
        rc = pingo__db_step(db, stmt, err);
    if (rc != 1)
        return rc;
    read_row(stmt, row);
    row->algorithm = pingo__column_copy(stmt, 5, arena);
    row->reason = pingo__column_copy(stmt, 9, arena);
    sqlite3_reset(stmt);
    return row->algorithm && row->reason ? 1 : pingo__fail_memory(err);
}
