/* workflows.c - see workflows.h. */
#include "store/submission/workflows.h"

#include <string.h>

#include "base/error.h"
#include "digest/sha256.h"
#include "store/hooks.h"
#include "store/submission/users.h"

/* ---- documents ------------------------------------------------------------------ */

int pingo__store_document_insert(struct pingo__store_db *db, struct pingo__store_document *d,
                                 const struct pingo__digest_original *originals, size_t noriginals,
                                 struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "INSERT INTO document(digest, base_dir, name, nactions, text)"
                             " VALUES(?, ?, ?, ?, ?)",
                             HASH(&d->digest), TEXT(d->base_dir), TEXT(d->name), INT(d->nactions),
                             BLOB(d->text, d->text_length));
    d->id = sqlite3_last_insert_rowid(db->sqlite);
    for (size_t i = 0; !rc && i < noriginals; i++)
        rc = pingo__db_write(db, err,
                             "INSERT INTO document_original(document, ordinal, kind, name, path)"
                             " VALUES(?, ?, ?, ?, ?)",
                             INT(d->id), INT(i), INT(originals[i].kind), TEXT(originals[i].name),
                             TEXT(originals[i].path));
    return rc;
}

/* clang-format off */
#define DOCUMENT(F, T)                                                                             \
    F(T, INT, id, "id") F(T, HASH, digest, "digest") F(T, TEXT, base_dir, "base_dir")              \
    F(T, TEXT, name, "name") F(T, INT, nactions, "nactions") F(T, BYTES, text, "text")
#define ORIGINAL(F, T) F(T, INT, kind, "kind") F(T, MAYBE, name, "name") F(T, MAYBE, path, "path")
#define WORKFLOW(F, T)                                                                             \
    F(T, INT, id, "w.id") F(T, INT, graph, "w.graph") F(T, INT, document, "d.id")                  \
    F(T, INT, state, "w.state") F(T, TEXT, name, "d.name") F(T, TEXT, user, "w.user")              \
    F(T, INT, user_number, "w.user_number")                                                        \
    F(T, INT, priority, "w.priority") F(T, INT, submitted_ms, "w.submitted_ms")                    \
    F(T, OPT, ended_ms, "w.ended_ms") F(T, INT, unfinished, "w.unfinished")                        \
    F(T, INT, nactions, "d.nactions") F(T, INT, summary.compute, "w.ncompute")                     \
    F(T, INT, summary.reuse, "w.nreuse") F(T, INT, summary.join, "w.njoin")                        \
    F(T, INT, summary.skip, "w.nskip") F(T, INT, paused, "w.paused")                               \
    F(T, INT, is_forgotten, "length(d.text) = 0")
/* What was cancelled counts as failed, but for what an adopted output made needless. */
#define STATUS(F, T)                                                                               \
    F(T, INT, workflow, "w.id") F(T, TEXT, name, "d.name") F(T, TEXT, user, "w.user")              \
    F(T, INT, state, SHOWN_STATE) F(T, INT, submitted_ms, "w.submitted_ms")                        \
    F(T, OPT, ended_ms, "w.ended_ms") F(T, INT, priority, "w.priority")                            \
    F(T, INT, actions, "d.nactions") F(T, INT, summary.compute, "w.ncompute")                      \
    F(T, INT, summary.reuse, "w.nreuse") F(T, INT, summary.join, "w.njoin")                        \
    F(T, INT, summary.skip, "w.nskip") F(T, INT, waiting, "p.waiting") F(T, INT, ready, "p.ready") \
    F(T, INT, running, "p.processing + p.submitted + p.running")                                   \
    F(T, INT, armed, "p.processing + p.submitted") F(T, INT, finished, "p.finished")               \
    F(T, INT, failed, "p.failed + p.killed + iif(p.failed + p.killed > 0 OR w.state = "            \
      WORKFLOW_KILLED ", p.cancelled, 0)") F(T, MAYBE, tag, "w.tag")                               \
    F(T, INT, for_space, "iif(p.ready > 0, (SELECT count(*) FROM disk_full f CROSS JOIN action a"  \
      " ON a.id = f.action WHERE a.state = " ACTION_READY " AND a.workflow = w.id), 0)")
/* clang-format on */
#define SHOWN_STATE "iif(w.state = " WORKFLOW_RUNNING " AND w.paused, " WORKFLOW_PAUSED ", w.state)"
PINGO__KIND(documents, struct pingo__store_document, DOCUMENT);
PINGO__KIND(originals, struct pingo__digest_original, ORIGINAL);
PINGO__KIND(workflows, struct pingo__store_workflow_row, WORKFLOW);
PINGO__KIND(statuses, struct pingo_workflow_status, STATUS);
#define FROM " FROM workflow w JOIN graph g ON g.id = w.graph JOIN document d ON d.id = g.document "
#define SELECT_STATUS PINGO__SELECT(STATUS) FROM "LEFT JOIN progress p ON p.workflow = w.id "

int pingo__store_document_load(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                               struct pingo__store_document *d, struct pingo_error *err)
{
    int rc = pingo__db_row(db, err, &documents, arena, d,
                           PINGO__SELECT(DOCUMENT) " FROM document WHERE id = ?", INT(id));
    return rc || d->id
               ? rc
               : pingo__fail(err, PINGO_ENOTFOUND, "%s: there is no such document", db->directory);
}

PINGO__LIST(pingo__store_document_originals(DB, int64_t id, struct pingo__store_original_list *list,
                                            ERR),
            originals, list,
            PINGO__SELECT(ORIGINAL) " FROM document_original WHERE document = ? ORDER BY ordinal",
            INT(id));

/* ---- submissions ------------------------------------------------------------------------ */

int pingo__store_workflow_insert(struct pingo__store_db *db, struct pingo__store_workflow_row *row,
                                 struct pingo_error *err)
{
    int state = row->unfinished ? PINGO_WORKFLOW_RUNNING : PINGO_WORKFLOW_FINISHED;
    int rc = pingo__store_user_number(db, row->user, &row->user_number, err);
    if (!rc)
        rc = pingo__db_write(
            db, err,
            "INSERT INTO workflow(graph, state, user, priority, submitted_ms, ended_ms,"
            " unfinished, ncompute, nreuse, njoin, nskip, user_number)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            INT(row->graph), INT(state), TEXT(row->user), INT(row->priority),
            INT(row->submitted_ms), OPT(row->unfinished ? (int64_t)-1 : row->submitted_ms),
            INT(row->unfinished), INT(row->summary.compute), INT(row->summary.reuse),
            INT(row->summary.join), INT(row->summary.skip), INT(row->user_number));
    row->id = rc ? 0 : sqlite3_last_insert_rowid(db->sqlite);
    if (!rc && !row->unfinished)
        rc = pingo__store_hook_note(db, row->id, row->submitted_ms, err);
    return rc ? rc : pingo__store_db_note_workflow(db, row->id, 0, state, err);
}

PINGO__GET(pingo__store_workflow_get(DB, int64_t id, struct pingo__arena *arena,
                                     struct pingo__store_workflow_row *row, ERR),
           workflows, arena, row, PINGO__SELECT(WORKFLOW) FROM "WHERE w.id = ?", INT(id));

int pingo__store_workflow_user(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                               const char **user, struct pingo_error *err)
{
    int rc = pingo__db_row(db, err, &pingo__store_texts, arena, user,
                           "SELECT 0, user FROM workflow WHERE id = ?", INT(id));
    *user = *user ? *user : "";
    return rc;
}

#define FILTERED                                                                                   \
    " AND (?3 = 0 OR (?3 >> " SHOWN_STATE " & 1)) AND (?4 IS NULL OR w.user = ?4)"                 \
    " AND (?5 IS NULL OR w.graph IN " PINGO__GRAPHS_NAMED(                                         \
        "?5") ")"                                                                                  \
              " AND (?6 IS NULL OR w.tag = ?6) AND w.submitted_ms >= ?7"                           \
              " AND (?8 = 0 OR w.submitted_ms < ?8) ORDER BY w.id "

int pingo__store_workflow_list(struct pingo__store_db *db,
                               const struct pingo__store_workflow_range *range,
                               struct pingo__store_workflow_list *list, struct pingo_error *err)
{
    const struct pingo_workflow_query *q = range->query;
    int64_t at = range->at || q->oldest_first ? range->at : INT64_MAX;
    return pingo__db_list(db, err, &statuses, list,
                          q->oldest_first ? SELECT_STATUS "WHERE w.id > ?1" FILTERED "LIMIT ?2"
                                          : SELECT_STATUS "WHERE w.id < ?1" FILTERED
                                                          "DESC LIMIT ?2",
                          INT(at), INT(range->limit), INT(q->states), TEXT(q->user), TEXT(q->name),
                          TEXT(q->tag), INT(q->since_ms), INT(q->until_ms));
}

PINGO__GET(pingo__store_workflow_status(DB, int64_t id, struct pingo__arena *arena,
                                        struct pingo_workflow_status *status, ERR),
           statuses, arena, status, SELECT_STATUS "WHERE w.id = ?", INT(id));

/* ---- definitions ---------------------------------------------------------------------------- */

int pingo__store_definition_check(struct pingo__store_db *db, const struct pingo_hash *hash,
                                  const void *description, size_t length, struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE];
    bool differs = false;
    int rc = pingo__db_exists(db, err, &differs,
                              "SELECT 1 FROM definition WHERE hash = ? AND forgotten = 0 AND"
                              " description IS NOT ?",
                              HASH(hash), BLOB(description, length));
    if (!differs)
        return rc;
    pingo_hash_to_hex(hash, hex);
    return pingo__fail(err, PINGO_ECOLLISION,
                       "%s: the store knows another description with this hash; nothing is reused",
                       hex);
}

bool pingo__store_definition_is_sound(const struct pingo_hash *hash,
                                      const struct pingo__store_bytes *description)
{
    struct pingo_hash is;
    pingo__digest_sha256(description->bytes, description->n, &is);
    return memcmp(&is, hash, sizeof is) == 0;
}

/* One byte that the disk has changed, and another command would run under this hash.  Of what was forgotten less is
 * kept than was hashed. */
static int check_sound(struct pingo__store_db *db, const struct pingo_hash *hash,
                       const struct pingo__store_bytes *d, struct pingo_error *err)
{
    char hex[PINGO_HASH_HEX_SIZE];
    bool differs = false;
    if (pingo__store_definition_is_sound(hash, d))
        return 0;
    int rc = pingo__db_exists(
        db, err, &differs, "SELECT 1 FROM definition WHERE hash = ? AND forgotten = 0", HASH(hash));
    pingo_hash_to_hex(hash, hex);
    return differs ? pingo__fail(err, PINGO_ECORRUPT,
                                 "%s/pingo.db is damaged: the description of %s is not what was "
                                 "hashed; put a copy of the store back",
                                 db->directory, hex)
                   : rc;
}

int pingo__store_definition_decoded(struct pingo__store_db *db, const struct pingo_hash *hash,
                                    struct pingo_description **description, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_bytes d;
    *description = NULL;
    int rc = pingo__store_definition_get(db, hash, &arena, &d, err);
    if (!rc && d.bytes)
        rc = check_sound(db, hash, &d, err);
    if (!rc && d.bytes)
        rc = pingo_description_decode(d.bytes, d.n, description, err);
    pingo__arena_clear(&arena);
    return rc;
}

#define BEYOND 1000000 /* actions: more than were taken in since the copy was made */

int pingo__store_next_ids(struct pingo__store_db *db, int64_t *action, int64_t *dataset,
                          struct pingo_error *err)
{
    static const char sql[] = "SELECT seq + 1 FROM sqlite_sequence WHERE name = ?";
    int64_t next = pingo__store_db_next_action(db);
    *action = *dataset = 1;
    int rc = pingo__db_number(db, err, action, sql, TEXT("action"));
    if (!next && *action > 1) /* a copy of the database alone, or a store of an older Pingo */
        next = *action + BEYOND;
    *action = *action < next ? next : *action;
    return rc ? rc : pingo__db_number(db, err, dataset, sql, TEXT("dataset"));
}
