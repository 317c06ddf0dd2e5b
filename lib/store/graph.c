/* graph.c - see graph.h. */
#include "store/graph.h"

#include <string.h>

#include <pingo/action_type.h>

#include "base/error.h"
#include "base/text.h"
#include "digest/originals.h"

/* ---- graphs -------------------------------------------------------------------------- */

int pingo__store_graph_find(struct pingo__store_db *db, int64_t document,
                            const struct pingo_hash *originals, struct pingo__store_graph *g,
                            struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "SELECT g.id, g.document, d.nactions, g.originals, g.plain FROM graph g"
                        " JOIN document d ON d.id = g.document"
                        " WHERE g.document = ? AND g.originals = ?",
                        INT(document), HASH(originals));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *g = (struct pingo__store_graph){.id = sqlite3_column_int64(stmt, 0),
                                     .document = sqlite3_column_int64(stmt, 1),
                                     .nactions = sqlite3_column_int64(stmt, 2),
                                     .plain = sqlite3_column_int(stmt, 4) != 0};
    pingo__store_column_hash(stmt, 3, &g->originals);
    sqlite3_reset(stmt);
    return 1;
}

int pingo__store_graph_insert(struct pingo__store_db *db, struct pingo__store_graph *g,
                              struct pingo_error *err)
{
    int rc = pingo__db_run(db, err, "INSERT INTO graph(document, originals, plain) VALUES(?, ?, ?)",
                           INT(g->document), HASH(&g->originals), INT(g->plain));
    g->id = sqlite3_last_insert_rowid(db->sqlite);
    return pingo__store_db_done(rc);
}

static int read_hashes(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                       const struct pingo_hash **hashes, size_t *n, struct pingo_error *err)
{
    struct pingo_hash *list = NULL;
    size_t capacity = 0;
    int rc;
    *n = 0;
    while ((rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo_hash *more = pingo__arena_more(arena, list, *n, &capacity, sizeof *list);
        if (!more) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
        list = more;
        pingo__store_column_hash(stmt, 0, &list[(*n)++]);
    }
    *hashes = list;
    return rc;
}

int pingo__store_graph_hashes(struct pingo__store_db *db, int64_t graph, struct pingo__arena *arena,
                              const struct pingo_hash **hashes, size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT hash FROM node WHERE graph = ? ORDER BY position", INT(graph));
    return rc ? rc : read_hashes(db, stmt, arena, hashes, n, err);
}

int pingo__store_graph_leaves(struct pingo__store_db *db, int64_t graph, struct pingo__arena *arena,
                              const struct pingo_hash **hashes, size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT hash FROM node INDEXED BY node_leaf WHERE graph = ? AND"
                             " leaf = 1 ORDER BY position",
                             INT(graph));
    return rc ? rc : read_hashes(db, stmt, arena, hashes, n, err);
}

/* ---- filling --------------------------------------------------------------------------- */

int pingo__store_node_insert(struct pingo__store_db *db, int64_t graph,
                             const struct pingo__store_node *n, struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err,
        "INSERT INTO node(graph, position, user_id, name, type, hash, leaf, forced, keep, sandbox,"
        " retries, cpus, memory_mb, time_limit_s, output_path, executor, executor_options)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        INT(graph), INT(n->position), INT(n->user_id), TEXT(n->name), TEXT(n->type), HASH(&n->hash),
        INT(n->is_leaf), INT(n->is_forced), INT(n->keep), INT(n->sandbox), INT(n->retries),
        INT(n->cpus), INT(n->memory_mb), INT(n->time_limit_s), TEXT(n->output_path),
        TEXT(n->executor), TEXT(n->executor_options)));
}

int pingo__store_edge_insert(struct pingo__store_db *db, int64_t graph, int64_t child,
                             int64_t ordinal, const struct pingo__store_edge *e,
                             struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "INSERT INTO edge(graph, child, ordinal, parent, role) VALUES(?, ?, ?, ?, ?)",
        INT(graph), INT(child), INT(ordinal), INT(e->parent), TEXT(e->role ? e->role : "")));
}

static int insert_edges(struct pingo__store_db *db, int64_t graph, int64_t position,
                        const struct pingo_action *a, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < a->nparents; i++)
        rc = pingo__store_edge_insert(
            db, graph, position, (int64_t)i,
            &(struct pingo__store_edge){(int64_t)a->parents[i].index, a->parents[i].role}, err);
    return rc;
}

static int insert_input(struct pingo__store_db *db, int64_t graph, int64_t position, size_t ordinal,
                        const struct pingo__store_node_input *input, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err,
                      "INSERT INTO input(graph, position, ordinal, kind, name, path)"
                      " VALUES(?, ?, ?, ?, ?, ?)",
                      INT(graph), INT(position), INT(ordinal), INT(input->kind), TEXT(input->name),
                      TEXT(input->path)));
}

static int insert_inputs(struct pingo__store_db *db, int64_t graph, int64_t position,
                         const struct pingo_action *a, struct pingo_error *err)
{
    size_t ordinal = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < a->ninputs; i++) {
        const struct pingo_input *in = &a->inputs[i];
        if (in->path) /* a URI is the command's business */
            rc = insert_input(db, graph, position, ordinal++,
                              &(struct pingo__store_node_input){
                                  in->sha256                            ? PINGO__ORIGINAL_DECLARED
                                  : in->identity == PINGO_IDENTITY_STAT ? PINGO__ORIGINAL_STAT
                                                                        : PINGO__ORIGINAL_CONTENT,
                                  in->name, in->path},
                              err);
    }
    for (size_t i = 0; !rc && i < a->ntools; i++)
        rc = insert_input(db, graph, position, ordinal++,
                          &(struct pingo__store_node_input){PINGO__ORIGINAL_TOOL, a->tools[i], NULL},
                          err);
    return rc;
}

int pingo__store_graph_fill(struct pingo__store_db *db, int64_t graph,
                            const struct pingo_workflow *workflow, const struct pingo_hash *hashes,
                            struct pingo_error *err)
{
    size_t n = pingo_workflow_count(workflow);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        const struct pingo_action *a = pingo_workflow_action(workflow, i);
        struct pingo__store_node node = {.position = (int64_t)i,
                                         .user_id = a->id,
                                         .name = a->name,
                                         .type = pingo_action_type_name(a),
                                         .hash = hashes[i],
                                         .is_leaf = a->is_leaf,
                                         .is_forced = a->force_computation,
                                         .keep = a->keep,
                                         .sandbox = a->sandbox,
                                         .retries = a->retries,
                                         .cpus = a->cpus,
                                         .memory_mb = a->memory_mb,
                                         .time_limit_s = a->time_limit_seconds,
                                         .output_path = a->output_path,
                                         .executor = a->executor,
                                         .executor_options = a->executor_options};
        rc = pingo__store_node_insert(db, graph, &node, err);
        if (!rc)
            rc = insert_edges(db, graph, (int64_t)i, a, err);
        if (!rc)
            rc = insert_inputs(db, graph, (int64_t)i, a, err);
    }
    return rc;
}

/* ---- nodes ------------------------------------------------------------------------------- */

static const char *text_or_null(sqlite3_stmt *s, int column, struct pingo__arena *arena)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL
               ? NULL
               : pingo__store_column_copy(s, column, arena);
}

int pingo__store_node_read(sqlite3_stmt *s, int c, struct pingo__arena *arena,
                           struct pingo__store_node *n, struct pingo_error *err)
{
    n->position = sqlite3_column_int64(s, c++);
    n->user_id = sqlite3_column_int64(s, c++);
    n->name = pingo__store_column_copy(s, c++, arena);
    n->type = pingo__store_column_copy(s, c++, arena);
    pingo__store_column_hash(s, c++, &n->hash);
    n->is_leaf = sqlite3_column_int(s, c++) != 0;
    n->is_forced = sqlite3_column_int(s, c++) != 0;
    n->keep = (enum pingo_keep)sqlite3_column_int(s, c++);
    n->sandbox = (enum pingo_sandbox)sqlite3_column_int(s, c++);
    n->retries = sqlite3_column_int64(s, c++);
    n->cpus = sqlite3_column_int64(s, c++);
    n->memory_mb = sqlite3_column_int64(s, c++);
    n->time_limit_s = sqlite3_column_int64(s, c++);
    n->output_path = text_or_null(s, c++, arena);
    n->executor = text_or_null(s, c++, arena);
    n->executor_options = text_or_null(s, c, arena);
    return n->name && n->type ? 0 : pingo__fail_memory(err);
}

int pingo__store_node_get(struct pingo__store_db *db, int64_t graph, int64_t position,
                          struct pingo__arena *arena, struct pingo__store_node *node,
                          struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT" PINGO__NODE_COLUMNS " FROM node n WHERE n.graph = ? AND"
                             " n.position = ?",
                             INT(graph), INT(position));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    rc = pingo__store_node_read(stmt, 0, arena, node, err);
    sqlite3_reset(stmt);
    return rc < 0 ? rc : 1;
}

int pingo__store_node_find(struct pingo__store_db *db, int64_t graph, int64_t user_id,
                           int64_t *position, struct pingo_error *err)
{
    return pingo__db_int(db, err, position,
                         "SELECT position FROM node WHERE graph = ? AND user_id = ?", INT(graph),
                         INT(user_id));
}

int pingo__store_node_resolve(struct pingo__store_db *db, int64_t graph, const char *text,
                              int64_t *position, struct pingo_error *err)
{
    int64_t id, n = 0;
    int rc = 0;
    if (pingo__text_to_int64(text, 0, PINGO_ID_MAX, &id))
        rc = pingo__store_node_find(db, graph, id, position, err);
    if (rc)
        return pingo__store_db_done(rc);
    rc = pingo__db_int(db, err, &n, "SELECT count(*) FROM node WHERE name = ? AND graph = ?",
                       TEXT(text), INT(graph));
    if (rc < 0)
        return rc;
    if (n > 1)
        return pingo__fail(err, PINGO_EAMBIGUOUS,
                           "%lld actions have the name \"%s\": write the id of one", (long long)n,
                           text);
    rc = pingo__db_int(db, err, position, "SELECT position FROM node WHERE name = ? AND graph = ?",
                       TEXT(text), INT(graph));
    return rc == 0
               ? pingo__fail(err, PINGO_ENOTFOUND, "no action has the id or the name \"%s\"", text)
               : pingo__store_db_done(rc);
}

static int add_position(sqlite3_stmt *stmt, int column, struct pingo__arena *arena, uint32_t **list,
                        size_t *n, size_t *capacity, struct pingo_error *err)
{
    uint32_t *more = pingo__arena_more(arena, *list, *n, capacity, sizeof *more);
    if (!more) {
        sqlite3_reset(stmt);
        return pingo__fail_memory(err);
    }
    *list = more;
    more[(*n)++] = (uint32_t)sqlite3_column_int64(stmt, column);
    return 0;
}

int pingo__store_positions_read(struct pingo__store_db *db, sqlite3_stmt *stmt,
                                struct pingo__arena *arena, uint32_t **positions, size_t *n,
                                struct pingo_error *err)
{
    size_t capacity = 0;
    *positions = NULL;
    *n = 0;
    int rc;
    while ((rc = pingo__store_db_step(db, stmt, err)) == 1)
        if ((rc = add_position(stmt, 0, arena, positions, n, &capacity, err)) != 0)
            break;
    return rc;
}

int pingo__store_node_parents(struct pingo__store_db *db, int64_t graph, int64_t position,
                              struct pingo__arena *arena, uint32_t **parents, size_t *n,
                              struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT parent FROM edge WHERE graph = ? AND child = ? ORDER BY ordinal",
        INT(graph), INT(position));
    return rc ? rc : pingo__store_positions_read(db, stmt, arena, parents, n, err);
}

int pingo__store_graph_parents(struct pingo__store_db *db, int64_t graph, size_t n,
                               struct pingo__arena *arena, uint32_t **first, uint32_t **parents,
                               struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0, at = 0, nparents = 0;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT child, parent FROM edge WHERE graph = ? ORDER BY child, ordinal",
        INT(graph));
    *parents = NULL;
    *first = pingo__arena_array(arena, n + 1, sizeof **first);
    if (!*first)
        rc = pingo__fail_memory(err);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        size_t child = (size_t)sqlite3_column_int64(stmt, 0);
        while (at < child && at < n)
            (*first)[++at] = (uint32_t)nparents;
        rc = child < n && (size_t)sqlite3_column_int64(stmt, 1) < n
                 ? add_position(stmt, 1, arena, parents, &nparents, &capacity, err)
                 : pingo__fail(err, PINGO_ECORRUPT, "an edge of a graph leads out of it");
        if (rc)
            sqlite3_reset(stmt);
    }
    while (*first && at < n)
        (*first)[++at] = (uint32_t)nparents;
    return rc;
}

int pingo__store_node_inputs(struct pingo__store_db *db, int64_t graph, int64_t position,
                             struct pingo__arena *arena, struct pingo__store_node_input **inputs,
                             size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT kind, name, path FROM input WHERE graph = ? AND position = ?"
                             " ORDER BY ordinal",
                             INT(graph), INT(position));
    *inputs = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_node_input *more =
            pingo__arena_more(arena, *inputs, *n, &capacity, sizeof *more);
        if (more) {
            *inputs = more;
            more += (*n)++;
            *more = (struct pingo__store_node_input){sqlite3_column_int(stmt, 0),
                                                     pingo__store_column_copy(stmt, 1, arena),
                                                     text_or_null(stmt, 2, arena)};
        }
        if (!more || !more->name) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
    }
    return rc;
}
