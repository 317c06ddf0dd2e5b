/* dataset_query.c - see dataset_query.h. */
#include "store/dataset_query.h"

#include <string.h>

#include "base/error.h"

/* ---- what submissions mention ---------------------------------------------------------- */

int pingo__workflow_each_hashes(struct pingo__db *db, const char *user, int64_t workflow,
                                const char *name, pingo__hashes_fn fn, void *context,
                                struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT hashes FROM graph WHERE id IN (SELECT w.graph FROM workflow w"
                             " JOIN graph g ON g.id = w.graph JOIN document d ON d.id = g.document"
                             " WHERE (?1 IS NULL OR w.user = ?1) AND (?2 = 0 OR w.id = ?2)"
                             " AND (?3 IS NULL OR d.name = ?3)) ORDER BY id",
                             "tit", user, workflow, name);

    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        const void *hashes = sqlite3_column_blob(stmt, 0);
        size_t bytes = (size_t)sqlite3_column_bytes(stmt, 0);

        rc = fn(context, hashes, bytes / PINGO_HASH_SIZE, err); /* an array of bytes: no alignment */
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

/* ---- which ones ---------------------------------------------------------------------------- */

/* A join whose columns the order does not name costs nothing: SQLite leaves it out. */
#define FOUND                                                                                      \
    "SELECT d.id, d.hash FROM dataset d LEFT JOIN action a ON a.id = d.action"                     \
    " LEFT JOIN workflow w ON w.id = a.workflow"                                                   \
    " WHERE (?1 OR d.current OR d.path IS NOT NULL OR d.state < 4 OR EXISTS"                       \
    " (SELECT 1 FROM claim c WHERE c.dataset = d.id UNION ALL"                                     \
    " SELECT 1 FROM hold h WHERE h.dataset = d.id))"                                               \
    " AND (?2 = 0 OR (?2 >> d.state & 1)) AND (?3 = 0 OR d.size_bytes >= ?3)"                      \
    " AND (?4 = 0 OR d.size_bytes < ?4) AND (?5 = 0 OR d.last_used_ms >= ?5)"                      \
    " AND (?6 = 0 OR d.last_used_ms < ?6) ORDER BY "
#define BY_AGE "d.last_used_ms DESC, d.hash, d.generation DESC"

static const char *const found[] = {
    [PINGO_DATASETS_BY_AGE] = FOUND BY_AGE,
    [PINGO_DATASETS_BY_STATE] = FOUND "d.state, " BY_AGE,
    [PINGO_DATASETS_BY_SIZE] = FOUND "d.size_bytes DESC, " BY_AGE,
    [PINGO_DATASETS_BY_VALUE] = FOUND BY_AGE,
    [PINGO_DATASETS_BY_USER] = FOUND "w.user, " BY_AGE,
    [PINGO_DATASETS_BY_WORKFLOW] = FOUND "a.workflow DESC, " BY_AGE,
    [PINGO_DATASETS_BY_NAME] = FOUND "a.name, " BY_AGE,
};

int pingo__dataset_each_found(struct pingo__db *db, const struct pingo_dataset_query *q,
                              pingo__dataset_found_fn fn, void *context, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt, found[q->order], "iiiiii", (int64_t)q->all,
                        (int64_t)q->states, q->min_bytes, q->below_bytes, q->since_ms, q->until_ms);

    while (rc >= 0 && (rc = pingo__db_step(db, stmt, err)) == 1) {
        struct pingo_hash hash;

        pingo__column_hash(stmt, 1, &hash);
        rc = fn(context, sqlite3_column_int64(stmt, 0), &hash, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

/* ---- one of them ------------------------------------------------------------------------------ */

int pingo__dataset_more(struct pingo__db *db, int64_t id, struct pingo__arena *arena,
                        struct pingo__dataset_more *more, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT (SELECT CAST(avg(compute_ms) AS INTEGER) FROM dataset WHERE hash = d.hash),"
        " (SELECT count(*) FROM claim WHERE dataset = d.id),"
        " (SELECT min(content) <> max(content) FROM dataset WHERE hash = d.hash AND"
        " made_ms IS NOT NULL), a.name, w.user, a.workflow"
        " FROM dataset d LEFT JOIN action a ON a.id = d.action"
        " LEFT JOIN workflow w ON w.id = a.workflow WHERE d.id = ?",
        "i", id);

    memset(more, 0, sizeof *more);
    if (!rc)
        rc = pingo__db_step(db, stmt, err);
    if (rc != 1)
        return rc;
    more->compute_ms = pingo__column_int(stmt, 0, -1);
    more->claims = sqlite3_column_int64(stmt, 1);
    more->differed = sqlite3_column_int(stmt, 2) != 0;
    more->name = pingo__column_copy(stmt, 3, arena);
    more->user = pingo__column_copy(stmt, 4, arena);
    more->workflow = pingo__column_int(stmt, 5, 0);
    sqlite3_reset(stmt);
    return more->name && more->user ? 1 : pingo__fail_memory(err);
}
