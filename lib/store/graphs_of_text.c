/* graphs_of_text.c - the rows of migration 4.
 *
 * Before, a graph was the document's text and a blob with 32 bytes an action, and a plan two bytes an action and u32
 * positions, the lowest byte first.  Of a text that is forgotten, or that the parser does not take any more, the rows
 * of actions and the descriptions say what they can. */
#include "store/migration_4.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "store/plans.h"
#include "store/workflows.h"

struct old {
    int64_t graph;
    struct pingo__store_document document;
    const struct pingo_hash *hashes;
    size_t n;
    const unsigned char *leaves;
    size_t nleaves;
};

static uint32_t number_at(const unsigned char *bytes, size_t i)
{
    const unsigned char *b = bytes + 4 * i;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* In the arena. */
static int blob(struct pingo__store_db *db, const char *sql, int64_t id, struct pingo__arena *arena,
                const void **bytes, size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, sql, INT(id));
    *bytes = NULL;
    *n = 0;
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    if (sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
        *n = (size_t)sqlite3_column_bytes(stmt, 0);
        *bytes = pingo__arena_text(arena, sqlite3_column_blob(stmt, 0), *n);
        rc = *bytes ? 0 : pingo__fail_memory(err);
    } else {
        rc = 0;
    }
    sqlite3_reset(stmt);
    return rc;
}

/* ---- nodes --------------------------------------------------------------------------- */

static int insert_edges(struct pingo__store_db *db, const struct old *o, size_t child,
                        const struct pingo__map *positions, struct pingo_error *err)
{
    struct pingo_description *d = NULL;
    struct pingo__arena arena;
    const void *bytes = NULL;
    size_t length = 0, n = 0;
    pingo__arena_init(&arena);
    int rc = pingo__store_definition_get(db, &o->hashes[child], &arena, &bytes, &length, err);
    if (rc == 1)
        rc = pingo_description_decode(bytes, length, &d, err);
    const struct pingo_described_parent *parents = d ? pingo_description_parents(d, &n) : NULL;
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t at = pingo__map_get(positions, &parents[i].hash, sizeof parents[i].hash);
        if (at != PINGO__MAP_NONE)
            rc = pingo__store_edge_insert(db, o->graph, (int64_t)child, (int64_t)i,
                                          &(struct pingo__store_edge){at, NULL}, err);
    }
    pingo_description_free(d);
    pingo__arena_clear(&arena);
    return rc;
}

/* By the descriptions: they are what the hashes were made of. */
static int edges_from_descriptions(struct pingo__store_db *db, const struct old *o,
                                   struct pingo_error *err)
{
    struct pingo__map positions;
    int rc = 0;
    pingo__map_init(&positions);
    for (size_t i = 0; !rc && i < o->n; i++)
        if (!pingo__map_insert(&positions, &o->hashes[i], sizeof o->hashes[i], (uint32_t)i, NULL))
            rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < o->n; i++)
        rc = insert_edges(db, o, i, &positions, err);
    pingo__map_clear(&positions);
    return rc;
}

static int fill_from_rows(struct pingo__store_db *db, const struct old *o, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < o->n; i++) {
        struct pingo__store_node node = {.position = (int64_t)i,
                                         .user_id = (int64_t)i,
                                         .name = "",
                                         .type = "",
                                         .hash = o->hashes[i],
                                         .cpus = 1};
        rc = pingo__store_node_insert(db, o->graph, &node, err);
    }
    for (size_t i = 0; rc >= 0 && i < o->nleaves; i++)
        rc = pingo__db_run(db, err, "UPDATE node SET leaf = 1 WHERE graph = ? AND position = ?",
                           INT(o->graph), INT(number_at(o->leaves, i)));
    if (rc >= 0)
        rc = pingo__db_run(db, err,
                           "UPDATE node SET user_id = a.user_id, name = a.name, type = a.type,"
                           " keep = a.keep, sandbox = a.sandbox, cpus = a.cpus,"
                           " memory_mb = a.memory_mb, time_limit_s = a.time_limit_s,"
                           " output_path = a.output_path, executor = a.executor,"
                           " executor_options = a.executor_options FROM workflow w JOIN action a"
                           " ON a.workflow = w.id WHERE w.graph = ?1 AND node.graph = ?1 AND"
                           " node.position = a.position",
                           INT(o->graph));
    return rc < 0 ? rc : edges_from_descriptions(db, o, err);
}

static int fill(struct pingo__store_db *db, const struct old *o, struct pingo_error *err)
{
    struct pingo_workflow_options options = {
        .version = 1,
        .max_bytes = SIZE_MAX,
        .any_type = true,
        .base_dir = *o->document.base_dir ? o->document.base_dir : NULL};
    struct pingo_workflow *workflow = NULL;
    int rc = o->document.text_length
                 ? pingo_workflow_parse(o->document.text, o->document.text_length, &options,
                                        &workflow, NULL, err)
                 : PINGO_EWORKFLOW;
    if (rc == 0 && pingo_workflow_count(workflow) == o->n)
        rc = pingo__store_graph_fill(db, o->graph, workflow, o->hashes, err);
    else if (rc != PINGO_ENOMEM)
        rc = fill_from_rows(db, o, err);
    pingo_workflow_free(workflow);
    return rc;
}

static int load(struct pingo__store_db *db, int64_t graph, struct pingo__arena *arena,
                struct old *o, struct pingo_error *err)
{
    const void *bytes = NULL;
    int64_t document = 0;
    size_t n = 0;
    int rc =
        pingo__db_int(db, err, &document, "SELECT document FROM graph WHERE id = ?", INT(graph));
    *o = (struct old){.graph = graph};
    if (rc >= 0)
        rc = pingo__store_document_load(db, document, arena, &o->document, err);
    if (!rc)
        rc = blob(db, "SELECT hashes FROM graph WHERE id = ?", graph, arena, &bytes, &n, err);
    o->hashes = bytes;
    o->n = n / sizeof *o->hashes;
    if (!rc)
        rc = blob(db, "SELECT leaves FROM graph WHERE id = ?", graph, arena, &bytes, &n, err);
    o->leaves = bytes;
    o->nleaves = n / 4;
    return rc;
}

/* Whose row could not be taken over. */
static int name(int rc, const char *table, int64_t id, struct pingo_error *err)
{
    char message[PINGO_ERROR_MESSAGE_SIZE];
    if (!err || rc == PINGO_ENOMEM)
        return rc;
    snprintf(message, sizeof message, "%s", err->message);
    return pingo__fail(err, rc, "row %" PRId64 " of table %s cannot be taken over: %s", id, table,
                       message);
}

static int fill_graphs(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t graph = 0;
    int rc;
    while ((rc = pingo__db_int(db, err, &graph, "SELECT min(id) FROM graph WHERE id > ?",
                               INT(graph))) == 1) {
        struct pingo__arena arena;
        struct old o;
        pingo__arena_init(&arena);
        rc = load(db, graph, &arena, &o, err);
        if (!rc)
            rc = fill(db, &o, err);
        pingo__arena_clear(&arena);
        if (rc)
            return name(rc, "graph", graph, err);
    }
    return rc;
}

/* ---- plans ------------------------------------------------------------------------------ */

static int fill_targets(struct pingo__store_db *db, int64_t workflow, const unsigned char *targets,
                        size_t n, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i < n; i++)
        rc = pingo__db_run(db, err,
                           "INSERT OR IGNORE INTO target(workflow, position, hash) SELECT ?1, ?2,"
                           " n.hash FROM workflow w JOIN node n ON n.graph = w.graph AND"
                           " n.position = ?2 WHERE w.id = ?1",
                           INT(workflow), INT(number_at(targets, i)));
    return rc < 0 ? rc : 0;
}

/* The first row of a position is of the submission; later ones came when it was planned again. */
static int fill_decision(struct pingo__store_db *db, int64_t workflow,
                         const struct pingo__store_planned *p, const uint8_t decision[2],
                         struct pingo_error *err)
{
    struct pingo_plan_entry entry = {.decision = decision[0], .reason = decision[1]};
    if (entry.decision != PINGO_PLAN_COMPUTE && entry.decision != PINGO_PLAN_JOIN)
        return pingo__store_plan_insert(db, workflow, p->node.position, p->is_wanted, &entry, err);
    int rc = pingo__db_run(db, err,
                           "UPDATE action SET reason = ?3 WHERE id = (SELECT min(id) FROM action"
                           " WHERE workflow = ?1 AND position = ?2)",
                           INT(workflow), INT(p->node.position), INT(entry.reason));
    return rc < 0 ? rc : 0;
}

enum { PAGE = 4096 };

static int fill_plan(struct pingo__store_db *db, int64_t workflow, struct pingo__arena *arena,
                     struct pingo_error *err)
{
    struct pingo__store_planned_list list = {NULL, PAGE};
    const void *targets, *bytes = NULL;
    size_t n = 0, ntargets = 0;
    int rc = blob(db, "SELECT targets FROM workflow_plan WHERE workflow = ?", workflow, arena,
                  &targets, &ntargets, err);
    if (!rc)
        rc = blob(db, "SELECT decisions FROM workflow_plan WHERE workflow = ?", workflow, arena,
                  &bytes, &n, err);
    if (!rc)
        rc = fill_targets(db, workflow, targets, ntargets / 4, err);
    const uint8_t *decisions = bytes;
    for (size_t at = 0; !rc && at < n / 2 && list.n == PAGE; at += list.n) {
        struct pingo__arena page;
        pingo__arena_init(&page);
        rc = pingo__store_planned_list(db, workflow, (int64_t)at, PAGE, &page, &list, err);
        for (size_t i = 0; !rc && i < list.n && at + i < n / 2; i++)
            rc = fill_decision(db, workflow, &list.rows[i], decisions + 2 * (at + i), err);
        pingo__arena_clear(&page);
    }
    return rc;
}

int pingo__store_graphs_of_text(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t workflow = 0;
    int rc = fill_graphs(db, err);
    while (!rc && (rc = pingo__db_int(db, err, &workflow,
                                      "SELECT min(workflow) FROM workflow_plan WHERE workflow > ?",
                                      INT(workflow))) == 1) {
        struct pingo__arena arena;
        pingo__arena_init(&arena);
        rc = fill_plan(db, workflow, &arena, err);
        pingo__arena_clear(&arena);
        if (rc)
            return name(rc, "workflow_plan", workflow, err);
    }
    return rc;
}
