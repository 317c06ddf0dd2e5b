/* dataset_query.c - see dataset_query.h. */
#include "store/dataset_query.h"

#include <string.h>

#include "base/error.h"
#include "rules/states.h"
#include "store/labels.h"

/* ---- what submissions mention ---------------------------------------------------------- */

int pingo__store_workflow_each_hash(struct pingo__store_db *db, const char *user, int64_t workflow,
                                    const char *name, pingo__store_hash_fn fn, void *context,
                                    struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT n.hash FROM node n WHERE n.graph IN (SELECT w.graph FROM workflow w"
                        " JOIN graph g ON g.id = w.graph JOIN document d ON d.id = g.document"
                        " WHERE (?1 IS NULL OR w.user = ?1) AND (?2 = 0 OR w.id = ?2)"
                        " AND (?3 IS NULL OR d.name = ?3))",
                        TEXT(user), INT(workflow), TEXT(name));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo_hash hash;
        pingo__store_column_hash(stmt, 0, &hash);
        rc = fn(context, &hash, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

int pingo__store_workflow_names(struct pingo__store_db *db, size_t limit, struct pingo__arena *arena,
                                const char ***names, size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT name FROM document GROUP BY name ORDER BY max(id) DESC LIMIT ?",
        INT(limit));
    *n = 0;
    *names = pingo__arena_array(arena, limit, sizeof **names);
    if (!*names)
        rc = pingo__fail_memory(err);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1)
        if (!((*names)[(*n)++] = pingo__store_column_copy(stmt, 0, arena))) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
    return rc;
}

/* ---- which ones ---------------------------------------------------------------------------- */

/* A join whose columns nothing names costs nothing: SQLite leaves it out. */
#define FROM_DATASETS                                                                              \
    " FROM dataset d LEFT JOIN object o ON o.id = d.object"                                        \
    " LEFT JOIN action a ON a.id = d.action"                                                       \
    " LEFT JOIN workflow w ON w.id = a.workflow"                                                   \
    " LEFT JOIN node n ON n.graph = w.graph AND n.position = a.position"                           \
    " WHERE (?1 OR d.state <> " DATASET_DELETED " OR EXISTS"                                       \
    " (SELECT 1 FROM claim c WHERE c.dataset = d.id UNION ALL"                                     \
    " SELECT 1 FROM hold h WHERE h.dataset = d.id))"                                               \
    " AND (?2 = 0 OR (?2 >> d.state & 1)) AND (?3 = 0 OR o.size_bytes >= ?3)"                      \
    " AND (?4 = 0 OR o.size_bytes < ?4) AND (?5 = 0 OR d.last_used_ms >= ?5)"                      \
    " AND (?6 = 0 OR d.last_used_ms < ?6) ORDER BY "
#define BY_AGE "d.last_used_ms DESC, d.hash, d.generation DESC"
#define FOUND(key, text, name, order)                                                              \
    "SELECT d.id, d.hash, d.generation, d.last_used_ms, " key ", " text                            \
    ", " name FROM_DATASETS order BY_AGE
#define ORDERS(name)                                                                               \
    {                                                                                              \
        [PINGO_DATASETS_BY_AGE] = FOUND("0", "''", name, ""),                                      \
        [PINGO_DATASETS_BY_STATE] = FOUND("d.state", "''", name, "d.state, "),                     \
        [PINGO_DATASETS_BY_SIZE] = FOUND("o.size_bytes", "''", name, "o.size_bytes DESC, "),       \
        [PINGO_DATASETS_BY_VALUE] = FOUND("0", "''", name, ""),                                    \
        [PINGO_DATASETS_BY_USER] = FOUND("0", "w.user", name, "ifnull(w.user, ''), "),             \
        [PINGO_DATASETS_BY_WORKFLOW] = FOUND("a.workflow", "''", name, "a.workflow DESC, "),       \
        [PINGO_DATASETS_BY_NAME] = FOUND("0", "n.name", name, "ifnull(n.name, ''), "),             \
    }
#define NORDERS (PINGO_DATASETS_BY_NAME + 1)

static const char *const found[NORDERS] = ORDERS("NULL");
static const char *const found_names[NORDERS] = ORDERS("n.name");

int pingo__store_dataset_each_found(struct pingo__store_db *db, const struct pingo_dataset_query *q,
                                    pingo__store_dataset_found_fn fn, void *context,
                                    struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt, (q->nnames ? found_names : found)[q->order],
                        INT((q->all || q->states >> PINGO_DATASET_DELETED & 1)), INT(q->states),
                        INT(q->min_bytes), INT(q->below_bytes), INT(q->since_ms), INT(q->until_ms));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_dataset_found one = {
            .id = sqlite3_column_int64(stmt, 0),
            .generation = sqlite3_column_int64(stmt, 2),
            .last_used_ms = pingo__store_column_int(stmt, 3, -1),
            .key = pingo__store_column_int(stmt, 4, -1),
            .text = pingo__store_column_text(stmt, 5),
            .name = q->nnames ? pingo__store_column_text(stmt, 6) : NULL};
        pingo__store_column_hash(stmt, 1, &one.hash);
        rc = fn(context, &one, err);
        if (rc) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

/* ---- one of them ------------------------------------------------------------------------------ */

int pingo__store_dataset_more(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                              struct pingo__store_dataset_more *more, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT (SELECT CAST(avg(compute_ms) AS INTEGER) FROM dataset WHERE hash = d.hash),"
        " (SELECT count(*) FROM claim WHERE dataset = d.id),"
        " (SELECT min(o.content) <> max(o.content) FROM dataset e JOIN object o ON"
        " o.id = e.object WHERE e.hash = d.hash AND e.made_ms IS NOT NULL), n.name, w.user, "
        "a.workflow, g.document, a.position"
        " FROM dataset d LEFT JOIN action a ON a.id = d.action"
        " LEFT JOIN workflow w ON w.id = a.workflow LEFT JOIN graph g ON g.id = w.graph"
        " LEFT JOIN node n ON n.graph = w.graph AND n.position = a.position WHERE d.id = ?",
        INT(id));
    memset(more, 0, sizeof *more);
    if (!rc)
        rc = pingo__store_db_step(db, stmt, err);
    if (rc != 1)
        return rc;
    more->compute_ms = pingo__store_column_int(stmt, 0, -1);
    more->claims = sqlite3_column_int64(stmt, 1);
    more->differed = sqlite3_column_int(stmt, 2) != 0;
    more->name = pingo__store_column_copy(stmt, 3, arena);
    more->user = pingo__store_column_copy(stmt, 4, arena);
    more->workflow = pingo__store_column_int(stmt, 5, 0);
    int64_t document = pingo__store_column_int(stmt, 6, 0);
    int64_t position = pingo__store_column_int(stmt, 7, 0);
    sqlite3_reset(stmt);
    if (!more->name || !more->user)
        return pingo__fail_memory(err);
    rc = pingo__store_labels_read(db, document, position, arena, &more->labels, &more->nlabels, err);
    return rc < 0 ? rc : 1;
}
