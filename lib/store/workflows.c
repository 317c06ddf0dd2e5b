/* workflows.c - see workflows.h. */
#include "store/workflows.h"

#include <string.h>

#include "base/error.h"
#include "rules/states.h"

static void *copy_blob(sqlite3_stmt *stmt, int column, struct pingo__arena *arena, size_t *n)
{
    const void *bytes = sqlite3_column_blob(stmt, column);
    *n = (size_t)sqlite3_column_bytes(stmt, column);
    void *copy = pingo__arena_alloc(arena, *n + 1); /* aligned for what it holds */
    if (copy && *n)
        memcpy(copy, bytes, *n);
    return copy;
}

static int one_row(struct pingo__store_db *db, sqlite3_stmt *stmt, const char *what,
                   struct pingo_error *err)
{
    int rc = pingo__store_db_step(db, stmt, err);
    return rc == 0
               ? pingo__fail(err, PINGO_ENOTFOUND, "%s: there is no such %s", db->directory, what)
               : rc;
}

/* ---- documents ------------------------------------------------------------------ */

int pingo__store_document_find(struct pingo__store_db *db, const struct pingo_hash *digest,
                               int64_t *id, struct pingo_error *err)
{
    return pingo__db_int(db, err, id, "SELECT id FROM document WHERE digest = ?", HASH(digest));
}

int pingo__store_document_insert(struct pingo__store_db *db, struct pingo__store_document *d,
                                 const struct pingo__digest_original *originals, size_t noriginals,
                                 struct pingo_error *err)
{
    int rc = pingo__db_run(db, err,
                           "INSERT INTO document(digest, base_dir, name, nactions, text)"
                           " VALUES(?, ?, ?, ?, ?)",
                           HASH(&d->digest), TEXT(d->base_dir), TEXT(d->name), INT(d->nactions),
                           BLOB(d->text, d->text_length));
    d->id = sqlite3_last_insert_rowid(db->sqlite);
    for (size_t i = 0; rc >= 0 && i < noriginals; i++)
        rc = pingo__db_run(db, err,
                           "INSERT INTO document_original(document, ordinal, kind, name, path)"
                           " VALUES(?, ?, ?, ?, ?)",
                           INT(d->id), INT(i), INT(originals[i].kind), TEXT(originals[i].name),
                           TEXT(originals[i].path));
    return rc < 0 ? rc : 0;
}

int pingo__store_document_load(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                               struct pingo__store_document *d, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT id, digest, base_dir, name, nactions, text FROM document WHERE id = ?", INT(id));
    if (rc || (rc = one_row(db, stmt, "document", err)) < 0)
        return rc;
    d->id = sqlite3_column_int64(stmt, 0);
    pingo__store_column_hash(stmt, 1, &d->digest);
    d->base_dir = pingo__store_column_copy(stmt, 2, arena);
    d->name = pingo__store_column_copy(stmt, 3, arena);
    d->nactions = sqlite3_column_int64(stmt, 4);
    d->text = copy_blob(stmt, 5, arena, &d->text_length);
    sqlite3_reset(stmt);
    return d->base_dir && d->name && d->text ? 0 : pingo__fail_memory(err);
}

int pingo__store_document_originals(struct pingo__store_db *db, int64_t id,
                                    struct pingo__arena *arena,
                                    struct pingo__digest_original **originals, size_t *n,
                                    struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int64_t count = 0;
    int rc = pingo__db_int(db, err, &count,
                           "SELECT count(*) FROM document_original WHERE document = ?", INT(id));
    *n = 0;
    *originals = pingo__arena_array(arena, (size_t)count + 1, sizeof **originals);
    if (rc >= 0 && !*originals)
        rc = pingo__fail_memory(err);
    if (rc >= 0)
        rc = pingo__db_query(db, err, &stmt,
                             "SELECT kind, name, path FROM document_original WHERE document = ?"
                             " ORDER BY ordinal",
                             INT(id));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__digest_original *o = &(*originals)[(*n)++];
        o->kind = (enum pingo__digest_original_kind)sqlite3_column_int(stmt, 0);
        if (sqlite3_column_type(stmt, 1) != SQLITE_NULL)
            o->name = pingo__store_column_copy(stmt, 1, arena);
        if (sqlite3_column_type(stmt, 2) != SQLITE_NULL)
            o->path = pingo__store_column_copy(stmt, 2, arena);
    }
    return rc < 0 ? rc : 0;
}

/* ---- submissions ------------------------------------------------------------------------ */

int pingo__store_workflow_insert(struct pingo__store_db *db,
                                 const struct pingo__store_workflow_row *row,
                                 struct pingo_error *err)
{
    int state = row->unfinished ? PINGO_WORKFLOW_RUNNING : PINGO_WORKFLOW_FINISHED;
    struct pingo_event event = {
        .kind = PINGO_EVENT_WORKFLOW, .workflow = row->id, .to = state, .id = -1};
    int rc = pingo__db_run(
        db, err,
        "INSERT INTO workflow(id, graph, state, user, priority, submitted_ms, ended_ms,"
        " unfinished, ncompute, nreuse, njoin, nskip) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        INT(row->id), INT(row->graph), INT(state), TEXT(row->user), INT(row->priority),
        INT(row->submitted_ms), OPT(row->unfinished ? (int64_t)-1 : row->submitted_ms),
        INT(row->unfinished), INT(row->summary.compute), INT(row->summary.reuse),
        INT(row->summary.join), INT(row->summary.skip));
    return rc < 0 ? rc : pingo__store_db_note(db, &event, err);
}

int pingo__store_workflow_add_unfinished(struct pingo__store_db *db, int64_t workflow, int64_t n,
                                         struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "UPDATE workflow SET unfinished = unfinished + ?2 WHERE id = ?1",
                           INT(workflow), INT(n));
    return rc < 0 ? rc : 0;
}

#define WORKFLOW_COLUMNS                                                                           \
    "SELECT w.id, w.graph, d.id, w.state, d.name, w.user, w.priority, w.submitted_ms, w.ended_ms," \
    " w.unfinished, d.nactions, w.ncompute, w.nreuse, w.njoin, w.nskip, w.paused, length(d.text) " \
    "= 0 FROM"                                                                                     \
    " workflow w JOIN graph g ON g.id = w.graph JOIN document d ON d.id = g.document "

static int read_workflow(sqlite3_stmt *stmt, struct pingo__arena *arena,
                         struct pingo__store_workflow_row *row, struct pingo_error *err)
{
    row->id = sqlite3_column_int64(stmt, 0);
    row->graph = sqlite3_column_int64(stmt, 1);
    row->document = sqlite3_column_int64(stmt, 2);
    row->state = (enum pingo_workflow_state)sqlite3_column_int(stmt, 3);
    row->name = pingo__store_column_copy(stmt, 4, arena);
    row->user = pingo__store_column_copy(stmt, 5, arena);
    row->priority = sqlite3_column_int64(stmt, 6);
    row->submitted_ms = sqlite3_column_int64(stmt, 7);
    row->ended_ms = pingo__store_column_int(stmt, 8, -1);
    row->unfinished = sqlite3_column_int64(stmt, 9);
    row->nactions = sqlite3_column_int64(stmt, 10);
    row->summary.compute = (size_t)sqlite3_column_int64(stmt, 11);
    row->summary.reuse = (size_t)sqlite3_column_int64(stmt, 12);
    row->summary.join = (size_t)sqlite3_column_int64(stmt, 13);
    row->summary.skip = (size_t)sqlite3_column_int64(stmt, 14);
    row->paused = sqlite3_column_int(stmt, 15) != 0;
    row->is_forgotten = sqlite3_column_int(stmt, 16) != 0;
    return row->name && row->user ? 0 : pingo__fail_memory(err);
}

int pingo__store_workflow_get(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                              struct pingo__store_workflow_row *row, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, WORKFLOW_COLUMNS "WHERE w.id = ?", INT(id));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    rc = read_workflow(stmt, arena, row, err);
    sqlite3_reset(stmt);
    return rc < 0 ? rc : 1;
}

int pingo__store_workflow_user(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                               const char **user, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT user FROM workflow WHERE id = ?", INT(id));
    *user = "";
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *user = pingo__store_column_copy(stmt, 0, arena);
    sqlite3_reset(stmt);
    return *user ? 1 : pingo__fail_memory(err);
}

#define FILTERED                                                                                   \
    " AND (?3 = 0 OR (?3 >> iif(w.state = " WORKFLOW_RUNNING " AND w.paused, " WORKFLOW_PAUSED     \
    ", w.state) & 1)) AND (?4 IS NULL OR w.user = ?4) AND (?5 IS NULL OR d.name = ?5)"             \
    " AND (?6 IS NULL OR w.tag = ?6) AND w.submitted_ms >= ?7"                                     \
    " AND (?8 = 0 OR w.submitted_ms < ?8) ORDER BY w.id "

int pingo__store_workflow_list(struct pingo__store_db *db,
                               const struct pingo__store_workflow_range *range,
                               struct pingo__arena *arena, struct pingo__store_workflow_list *list,
                               struct pingo_error *err)
{
    const struct pingo_workflow_query *q = range->query;
    int64_t at = range->at || q->oldest_first ? range->at : INT64_MAX;
    sqlite3_stmt *stmt = NULL;
    list->n = 0;
    list->rows = pingo__arena_array(arena, range->limit + 1, sizeof *list->rows);
    if (!list->rows)
        return pingo__fail_memory(err);
    int rc = pingo__db_query(db, err, &stmt,
                             q->oldest_first
                                 ? WORKFLOW_COLUMNS "WHERE w.id > ?1" FILTERED "LIMIT ?2"
                                 : WORKFLOW_COLUMNS "WHERE w.id < ?1" FILTERED "DESC LIMIT ?2",
                             INT(at), INT(range->limit), INT(q->states), TEXT(q->user),
                             TEXT(q->name), TEXT(q->tag), INT(q->since_ms), INT(q->until_ms));
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        rc = read_workflow(stmt, arena, &list->rows[list->n++], err);
        if (rc < 0)
            sqlite3_reset(stmt);
    }
    return rc < 0 ? rc : 0;
}

int pingo__store_workflow_last(struct pingo__store_db *db, int64_t *id, struct pingo_error *err)
{
    *id = 0;
    int rc = pingo__db_int(db, err, id, "SELECT max(id) FROM workflow", NONE);
    return rc < 0 ? rc : 0;
}

int pingo__store_workflow_list_joined(struct pingo__store_db *db, int64_t workflow,
                                      struct pingo__arena *arena, int64_t **ids, size_t *n,
                                      struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT DISTINCT p.workflow FROM action a INDEXED BY action_joins JOIN action p"
        " ON p.id = a.joined"
        " JOIN workflow w ON w.id = p.workflow WHERE a.workflow = ? AND"
        " a.joined IS NOT NULL AND " ACTION_IS_UNFINISHED(
            "p.state") " AND w.state <> " WORKFLOW_RUNNING,
        INT(workflow));
    *ids = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        if (*n == capacity) {
            int64_t *grown = pingo__arena_array(arena, capacity * 2 + 8, sizeof *grown);
            if (!grown) {
                sqlite3_reset(stmt);
                return pingo__fail_memory(err);
            }
            if (*n)
                memcpy(grown, *ids, *n * sizeof *grown);
            capacity = capacity * 2 + 8;
            *ids = grown;
        }
        (*ids)[(*n)++] = sqlite3_column_int64(stmt, 0);
    }
    return rc < 0 ? rc : 0;
}

int pingo__store_workflow_running(struct pingo__store_db *db, int64_t *n, struct pingo_error *err)
{
    int rc = pingo__db_int(
        db, err, n,
        "SELECT count(*) FROM workflow WHERE state = " WORKFLOW_RUNNING " AND paused = 0", NONE);
    return rc < 0 ? rc : 0;
}

/* ---- definitions ---------------------------------------------------------------------------- */

static int collision(const struct pingo_hash *hash, struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    return pingo__fail(err, PINGO_ECOLLISION,
                       "%s: the store knows another description with this hash; nothing is reused",
                       hex);
}

int pingo__store_definition_check(struct pingo__store_db *db, const struct pingo_hash *hash,
                                  const void *description, size_t length, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT description FROM definition WHERE hash = ?"
                             " AND forgotten = 0",
                             HASH(hash));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    bool equal = (size_t)sqlite3_column_bytes(stmt, 0) == length &&
                 memcmp(sqlite3_column_blob(stmt, 0), description, length) == 0;
    sqlite3_reset(stmt);
    return equal ? 0 : collision(hash, err);
}

int pingo__store_definition_get(struct pingo__store_db *db, const struct pingo_hash *hash,
                                struct pingo__arena *arena, const void **description,
                                size_t *length, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, "SELECT description FROM definition WHERE hash = ?",
                             HASH(hash));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *description = copy_blob(stmt, 0, arena, length);
    sqlite3_reset(stmt);
    return *description ? 1 : pingo__fail_memory(err);
}

int pingo__store_next_ids(struct pingo__store_db *db, int64_t *workflow, int64_t *action,
                          int64_t *dataset, struct pingo_error *err)
{
    static const char sql[] = "SELECT seq + 1 FROM sqlite_sequence WHERE name = ?";
    *workflow = *action = *dataset = 1;
    int rc = pingo__db_int(db, err, workflow, sql, TEXT("workflow"));
    if (rc >= 0)
        rc = pingo__db_int(db, err, action, sql, TEXT("action"));
    if (rc >= 0)
        rc = pingo__db_int(db, err, dataset, sql, TEXT("dataset"));
    return rc < 0 ? rc : 0;
}
