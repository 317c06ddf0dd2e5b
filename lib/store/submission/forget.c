/* forget.c - see forget.h.
 *
 * Rows that others point to stay, with nothing in them that a person wrote.  What SQLite deletes may stand
 * in unused parts of its pages, so the file is written anew. */
#include "store/submission/forget.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/error.h"
#include "store/archive/archive.h"
#include "store/submission/graph.h"
#include "store/action/summary.h"

int pingo__store_forget_workflow(struct pingo__store_db *db, int64_t workflow,
                                 struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "UPDATE workflow SET forgotten = 1, tag = NULL WHERE id = ?",
                             INT(workflow));
    if (!rc)
        rc = pingo__db_write(db, err,
                             "UPDATE action SET message = NULL WHERE workflow = ?"
                             " AND message IS NOT NULL",
                             INT(workflow));
    return rc ? rc
              : pingo__db_write(db, err,
                                "DELETE FROM action_original WHERE action IN"
                                " (SELECT id FROM action WHERE workflow = ?)",
                                INT(workflow));
}

#define KEPT                                                                                       \
    "EXISTS (SELECT 1 FROM graph g JOIN workflow w ON w.graph = g.id WHERE g.document = d.id AND"  \
    " w.forgotten = 0)"
/* Documents of submissions that are forgotten: of no other a text is read, which would take a page each. */
#define FORGOTTEN                                                                                  \
    " (SELECT g.document FROM workflow w CROSS JOIN graph g ON g.id = w.graph WHERE w.forgotten"   \
    " = 1)"
#define WITHOUT_TEXT " (SELECT id FROM document WHERE id IN" FORGOTTEN " AND length(text) = 0)"
#define GRAPHS_WITHOUT_TEXT " (SELECT id FROM graph WHERE document IN" WITHOUT_TEXT ")"

/* Parts that no graph with a text has.  The digest goes for the same reason as that of a document. */
#define PARTS_WITHOUT_TEXT                                                                         \
    " (SELECT part FROM graph_part WHERE graph IN" GRAPHS_WITHOUT_TEXT                             \
    " EXCEPT SELECT part FROM graph_part WHERE graph NOT IN" GRAPHS_WITHOUT_TEXT ")"
#define NODES_WITHOUT_TEXT                                                                         \
    " (SELECT n.id FROM graph_part gp" PINGO__JOIN_NODES "WHERE gp.part IN" PARTS_WITHOUT_TEXT ")"

/* What was killed holds licences until it has ended: the next time, then. */
#define NODES_HELD                                                                                 \
    " (SELECT n.id FROM attempt t CROSS JOIN action a ON a.id = "                                  \
    "t.action" PINGO__JOIN_WORKFLOW_NODE("CROSS") "WHERE " ATTEMPT_IS_OPEN("t.state") ")"

static int forget_nodes(struct pingo__store_db *db, struct pingo_error *err)
{
    return pingo__store_db_simple(
        db,
        "UPDATE part SET digest = randomblob(32) WHERE id IN" PARTS_WITHOUT_TEXT ";"
        "DELETE FROM label WHERE node IN" NODES_WITHOUT_TEXT ";"
        "DELETE FROM input WHERE node IN" NODES_WITHOUT_TEXT ";"
        "UPDATE node SET name = '', output_path = NULL, executor_options = NULL"
        " WHERE name <> '' AND id IN" NODES_WITHOUT_TEXT ";"
        "UPDATE node SET resources = NULL WHERE resources IS NOT NULL AND id IN" NODES_WITHOUT_TEXT
        " AND id NOT IN" NODES_HELD,
        err);
}

int pingo__store_forget_documents(struct pingo__store_db *db, int64_t *n, struct pingo_error *err)
{
    /* The digest is of the text: by it one could try what the text was. */
    int rc = pingo__db_write(
        db, err,
        "UPDATE document AS d SET text = x'', base_dir = '', name = '(forgotten)',"
        " digest = randomblob(32) WHERE id IN" FORGOTTEN " AND length(text) > 0 AND NOT " KEPT,
        NONE);
    *n = rc ? 0 : sqlite3_changes(db->sqlite);
    if (!rc)
        rc = pingo__db_write(db, err,
                             "DELETE FROM document_original WHERE document IN" WITHOUT_TEXT, NONE);
    return rc ? rc : forget_nodes(db, err);
}

/* ---- descriptions ----------------------------------------------------------------- */

/* The hashes of the submissions that are marked, or not. */
#define HASHES_OF(forgotten)                                                                       \
    "SELECT n.hash FROM (SELECT DISTINCT p.part, p.n FROM workflow w JOIN graph_part p"            \
    " ON p.graph = w.graph WHERE w.forgotten = " forgotten ") gp" PINGO__JOIN_NODES

PINGO__LIST(pingo__store_forget_list(DB, struct pingo__store_hash_list *list, ERR),
            pingo__store_hashes, list,
            "SELECT 0, hash FROM (" HASHES_OF("1") " EXCEPT " HASHES_OF(
                "0") ") CROSS JOIN definition USING (hash) WHERE forgotten = 0",
            NONE);

/* ---- remarks where inputs lay ---------------------------------------------------------- */

struct marks {
    uint8_t *bits; /* the places that some description still has: a bit each */
    int64_t last;
};

static int mark_place(void *context, const void *row, struct pingo_error *err)
{
    const struct marks *m = context;
    const struct pingo__store_bytes *places = row;
    (void)err;
    for (size_t i = 0; i < places->n / sizeof(uint32_t); i++) {
        uint32_t id;
        memcpy(&id, (const char *)places->bytes + i * sizeof id, sizeof id);
        if (id <= m->last)
            m->bits[id / 8] |= (uint8_t)(1u << id % 8);
    }
    return 0;
}

int pingo__store_forget_places(struct pingo__store_db *db, struct pingo_error *err)
{
    struct marks m = {NULL, 0};
    int rc = pingo__db_number(db, err, &m.last, "SELECT max(id) FROM place", NONE);
    if (rc)
        return rc;
    m.bits = calloc((size_t)m.last / 8 + 1, 1);
    rc = m.bits ? pingo__db_each(db, err, &pingo__store_blobs, mark_place, &m,
                                 "SELECT 0, places FROM definition WHERE places IS NOT NULL", NONE)
                : pingo__fail_memory(err);
    for (int64_t id = 1; !rc && id <= m.last; id++)
        if (!(m.bits[id / 8] >> id % 8 & 1))
            rc = pingo__db_write(db, err, "DELETE FROM place WHERE id = ?", INT(id));
    free(m.bits);
    if (!rc) /* names of files, and what a command of versions said, which says it again when it is needed */
        rc = pingo__store_db_simple(
            db,
            "DELETE FROM tree_listing WHERE tree NOT IN (SELECT content FROM place);"
            "DELETE FROM version_output WHERE output NOT IN (SELECT content FROM place)",
            err);
    return rc;
}

/* ---- kinds of failures ------------------------------------------------------------------ */

/* Has a submission that is not forgotten met it, here or in the archive? */
static int is_met(struct pingo__store_db *db, const struct pingo__store_archive_list *files,
                  int64_t error, bool *is, struct pingo_error *err)
{
    int rc = 0;
    *is = false;
    for (size_t i = 0; !rc && !*is && i <= files->n; i++) {
        struct pingo__store_db *from = NULL;
        rc = pingo__store_archive_open(db, i ? files->rows[i - 1].id : 0, &from, err);
        if (!rc)
            rc = pingo__db_exists(from, err, is,
                                  "SELECT 1 FROM" PINGO__ENDS_OF_ERROR
                                  " WHERE t.error > 0 AND t.error = ? AND w.forgotten = 0 LIMIT 1",
                                  INT(error));
    }
    return rc;
}

static int list_kinds(struct pingo__store_db *db, int64_t workflow,
                      struct pingo__store_number_list *list, struct pingo_error *err)
{
    struct pingo__store_reading r;
    int rc = pingo__store_archive_begin(db, workflow, &r, err);
    if (!rc)
        rc = pingo__db_list(r.db, err, &pingo__store_numbers, list,
                            "SELECT DISTINCT 0, t.error FROM action a CROSS JOIN attempt t ON"
                            " t.action = a.id WHERE a.workflow = ? AND t.error >= ?",
                            INT(workflow), INT(PINGO__FAILURE_FIRST));
    return pingo__store_archive_end(&r, rc);
}

static int forget_kinds(struct pingo__store_db *db, struct pingo__store_number_list *all,
                        struct pingo_error *err)
{
    struct pingo__store_archive_list files = {.arena = all->arena};
    int rc = pingo__store_archive_failed(db, 0, INT64_MAX, &files, err);
    if (all->n)
        qsort(all->rows, all->n, sizeof *all->rows, pingo__array_by_id);
    for (size_t i = 0; !rc && i < all->n; i++) {
        bool is = i > 0 && all->rows[i] == all->rows[i - 1];
        if (!is)
            rc = is_met(db, &files, all->rows[i], &is, err);
        if (!rc && !is)
            rc = pingo__db_write(db, err,
                                 "UPDATE error SET text = '(forgotten)', examples = '',"
                                 " digest = randomblob(32) WHERE id = ?",
                                 INT(all->rows[i]));
    }
    return rc;
}

int pingo__store_failure_forget(struct pingo__store_db *db, const int64_t *workflows, size_t n,
                                struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_number_list all = {.arena = &arena};
    size_t capacity = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__store_number_list list = {.arena = &arena};
        rc = list_kinds(db, workflows[i], &list, err);
        for (size_t k = 0; !rc && k < list.n; k++)
            if (PINGO__ARENA_ROOM(&arena, all.rows, all.n, capacity))
                all.rows[all.n++] = list.rows[k];
            else
                rc = pingo__fail_memory(err);
    }
    if (!rc)
        rc = forget_kinds(db, &all, err);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- the files ------------------------------------------------------------------------- */

#define TRY_AGAIN_MS 50
#define READERS_MS 5000

/* Its temporary copy is a file: the database may be larger than memory.  Nothing is in it that was deleted. */
static int rewrite(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = sqlite3_exec(db->sqlite, "PRAGMA temp_store=FILE; VACUUM;", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        rc = pingo__store_db_fail(db, err, "writing the database anew");
    sqlite3_exec(db->sqlite, "PRAGMA temp_store=MEMORY;", NULL, NULL, NULL);
    return rc;
}

/* false: somebody reads an old state. */
static int shorten_log(struct pingo__store_db *db, bool *is_short, struct pingo_error *err)
{
    *is_short = pingo__store_db_write_back(db, true);
    return *is_short || sqlite3_errcode(db->sqlite) == SQLITE_BUSY
               ? 0
               : pingo__store_db_fail(db, err, "writing the log back");
}

int pingo__store_forget_rewrite(struct pingo__store_db *db, struct pingo_error *err)
{
    bool is_short = false;
    int rc = pingo__store_db_lock(db, err);
    if (rc)
        return rc;
    rc = rewrite(db, err);
    if (!rc)
        rc = shorten_log(db, &is_short, err);
    pingo__store_db_unlock(db);
    for (int64_t waited = 0; !rc && !is_short && waited < READERS_MS; waited += TRY_AGAIN_MS) {
        nanosleep(&(struct timespec){0, TRY_AGAIN_MS * 1000000}, NULL);
        rc = pingo__store_db_lock(db, err);
        if (!rc) {
            rc = shorten_log(db, &is_short, err);
            pingo__store_db_unlock(db);
        }
    }
    if (!rc && !is_short)
        return pingo__fail(err, PINGO_EBUSY,
                           "%s: another program reads an old state of the database; what is "
                           "forgotten stays in pingo.db-wal until it has ended: forget again then",
                           db->directory);
    return rc;
}
