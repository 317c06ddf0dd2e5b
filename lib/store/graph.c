/* graph.c - see graph.h. */
#include "store/graph.h"

#include <pingo/action_type.h>

#include "base/error.h"
#include "base/text.h"
#include "digest/originals.h"
#include "workflow/resources.h"

/* ---- graphs -------------------------------------------------------------------------- */

/* clang-format off */
#define GRAPH(F, T)                                                                                \
    F(T, INT, id, "g.id") F(T, INT, document, "g.document") F(T, INT, nactions, "d.nactions")      \
    F(T, HASH, originals, "g.originals") F(T, INT, plain, "g.plain")
#define EDGE(F, T)                                                                                 \
    F(T, INT, graph, "graph") F(T, INT, child, "child") F(T, INT, ordinal, "ordinal")              \
    F(T, INT, parent, "parent") F(T, TEXT, role, "role")
#define INSERTED(F, T) F(T, INT, graph, "n.graph") PINGO__NODE(F, T, )
#define NODE(F, T) INSERTED(F, T) F(T, MAYBE, resources, "n.resources")
#define INPUT(F, T) F(T, INT, kind, "kind") F(T, TEXT, name, "name") F(T, MAYBE, path, "path")
/* clang-format on */
PINGO__KIND(graphs, struct pingo__store_graph, GRAPH);
PINGO__KIND(edges, struct pingo__store_edge, EDGE);
PINGO__KIND(inserted, struct pingo__store_node, INSERTED);
PINGO__KIND(nodes, struct pingo__store_node, NODE);
PINGO__KIND(inputs, struct pingo__store_node_input, INPUT);
static const struct pingo__store_field one_position[] = {{PINGO__FIELD_INT, 4, 0}, {0, 0, 0}};
static const struct pingo__store_kind positions = {sizeof(uint32_t), one_position};

int pingo__store_graph_find(struct pingo__store_db *db, int64_t document,
                            const struct pingo_hash *originals, struct pingo__store_graph *g,
                            struct pingo_error *err)
{
    return pingo__db_row(
        db, err, &graphs, NULL, g,
        "SELECT 0" GRAPH(
            PINGO__COLUMN, ) " FROM graph g JOIN document d"
                             " ON d.id = g.document WHERE g.document = ? AND g.originals = ?",
        INT(document), HASH(originals));
}

int pingo__store_graph_insert(struct pingo__store_db *db, struct pingo__store_graph *g,
                              struct pingo_error *err)
{
    int rc =
        pingo__db_write(db, err, "INSERT INTO graph(document, originals, plain) VALUES(?, ?, ?)",
                        INT(g->document), HASH(&g->originals), INT(g->plain));
    g->id = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

int pingo__store_graph_hashes(struct pingo__store_db *db, int64_t graph,
                              struct pingo__store_hash_list *list, struct pingo_error *err)
{
    return pingo__db_list(db, err, &pingo__store_hashes, list,
                          "SELECT 0, hash FROM node WHERE graph = ? ORDER BY position", INT(graph));
}

int pingo__store_graph_leaves(struct pingo__store_db *db, int64_t graph,
                              struct pingo__store_hash_list *list, struct pingo_error *err)
{
    return pingo__db_list(db, err, &pingo__store_hashes, list,
                          "SELECT 0, hash FROM node INDEXED BY node_leaf WHERE graph = ? AND"
                          " leaf = 1 ORDER BY position",
                          INT(graph));
}

/* ---- filling --------------------------------------------------------------------------- */

int pingo__store_node_insert(struct pingo__store_db *db, const struct pingo__store_node *node,
                             struct pingo_error *err)
{
    /* Migration 4 inserts, too, when the table has no more columns than these. */
    return pingo__store_db_put(
        db,
        "INSERT INTO node(graph, position, user_id, name, type, hash, leaf, forced, keep, sandbox,"
        " retries, cpus, memory_mb, time_limit_s, output_path, executor, executor_options)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &inserted, node, err);
}

int pingo__store_edge_insert(struct pingo__store_db *db, const struct pingo__store_edge *edge,
                             struct pingo_error *err)
{
    return pingo__store_db_put(db, "INSERT INTO edge VALUES(?, ?, ?, ?, ?)", &edges, edge, err);
}

static int insert_edges(struct pingo__store_db *db, int64_t graph, int64_t position,
                        const struct pingo_action *a, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < a->nparents; i++)
        rc = pingo__store_edge_insert(
            db,
            &(struct pingo__store_edge){graph, position, (int64_t)i, (int64_t)a->parents[i].index,
                                        a->parents[i].role ? a->parents[i].role : ""},
            err);
    return rc;
}

struct filling {
    struct pingo__store_db *db;
    int64_t graph, position, ordinal;
};

static int insert_input(struct filling *f, const struct pingo__store_node_input *input,
                        struct pingo_error *err)
{
    return pingo__db_write(f->db, err, "INSERT INTO input VALUES(?, ?, ?, ?, ?, ?)", INT(f->graph),
                           INT(f->position), INT(f->ordinal++), INT(input->kind), TEXT(input->name),
                           TEXT(input->path));
}

static int insert_inputs(struct pingo__store_db *db, int64_t graph, int64_t position,
                         const struct pingo_action *a, struct pingo_error *err)
{
    struct filling f = {db, graph, position, 0};
    int rc = 0;
    for (size_t i = 0; !rc && i < a->ninputs; i++) {
        const struct pingo_input *in = &a->inputs[i];
        int kind = in->sha256                            ? PINGO__ORIGINAL_DECLARED
                   : in->identity == PINGO_IDENTITY_STAT ? PINGO__ORIGINAL_STAT
                                                         : PINGO__ORIGINAL_CONTENT;
        if (in->path) /* a URI is the command's business */
            rc = insert_input(&f, &(struct pingo__store_node_input){kind, in->name, in->path}, err);
    }
    for (size_t i = 0; !rc && i < a->ntools; i++)
        rc = insert_input(
            &f, &(struct pingo__store_node_input){PINGO__ORIGINAL_TOOL, a->tools[i], NULL}, err);
    return rc;
}

/* Few have any. */
static int set_resources(struct pingo__store_db *db, int64_t graph, int64_t position,
                         const struct pingo_action *a, struct pingo_error *err)
{
    struct pingo__buffer text;
    int rc = 0;
    pingo__buffer_init(&text);
    pingo__workflow_resources_print(&text, a, true);
    if (text.failed || (text.length > 0 && !pingo__buffer_cstr(&text)))
        rc = pingo__fail_memory(err);
    else if (text.length > 0)
        rc = pingo__db_write(db, err,
                             "UPDATE node SET resources = ?3 WHERE graph = ?1 AND position = ?2",
                             INT(graph), INT(position), TEXT(pingo__buffer_cstr(&text)));
    pingo__buffer_clear(&text);
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
        struct pingo__store_node node = {.graph = graph,
                                         .position = (int64_t)i,
                                         .user_id = a->id,
                                         .name = a->name,
                                         .type = pingo_action_type_name(a),
                                         .hash = hashes[i],
                                         .is_leaf = a->is_leaf,
                                         .is_forced = a->force_computation,
                                         .keep = a->keep,
                                         .sandbox = a->more->sandbox,
                                         .retries = a->retries,
                                         .cpus = a->cpus,
                                         .memory_mb = a->memory_mb,
                                         .time_limit_s = a->time_limit_seconds,
                                         .output_path = a->output_path,
                                         .executor = a->more->executor,
                                         .executor_options = a->more->executor_options};
        rc = pingo__store_node_insert(db, &node, err);
        if (!rc)
            rc = set_resources(db, graph, (int64_t)i, a, err);
        if (!rc)
            rc = insert_edges(db, graph, (int64_t)i, a, err);
        if (!rc)
            rc = insert_inputs(db, graph, (int64_t)i, a, err);
    }
    return rc;
}

/* ---- nodes ------------------------------------------------------------------------------- */

int pingo__store_node_get(struct pingo__store_db *db, const struct pingo__store_at *at,
                          struct pingo__arena *arena, struct pingo__store_node *node,
                          struct pingo_error *err)
{
    return pingo__db_row(db, err, &nodes, arena, node,
                         "SELECT 0" NODE(PINGO__COLUMN, ) " FROM node n WHERE n.graph = ? AND"
                                                          " n.position = ?",
                         INT(at->graph), INT(at->position));
}

int pingo__store_node_find(struct pingo__store_db *db, int64_t graph, int64_t user_id,
                           int64_t *position, struct pingo_error *err)
{
    *position = -1;
    return pingo__db_number(db, err, position,
                            "SELECT position FROM node WHERE graph = ? AND user_id = ?", INT(graph),
                            INT(user_id));
}

int pingo__store_node_resolve(struct pingo__store_db *db, int64_t graph, const char *text,
                              int64_t *position, struct pingo_error *err)
{
    int64_t id, n = 0;
    int rc = 0;
    *position = -1;
    if (pingo__text_to_int64(text, 0, PINGO_ID_MAX, &id))
        rc = pingo__store_node_find(db, graph, id, position, err);
    if (rc || *position >= 0)
        return rc;
    rc = pingo__db_number(db, err, &n, "SELECT count(*) FROM node WHERE name = ? AND graph = ?",
                          TEXT(text), INT(graph));
    if (rc)
        return rc;
    if (n > 1)
        return pingo__fail(err, PINGO_EAMBIGUOUS,
                           "%lld actions have the name \"%s\": write the id of one", (long long)n,
                           text);
    if (!n)
        return pingo__fail(err, PINGO_ENOTFOUND, "no action has the id or the name \"%s\"", text);
    return pingo__db_number(db, err, position,
                            "SELECT position FROM node WHERE name = ? AND graph = ?", TEXT(text),
                            INT(graph));
}

/* ---- edges ----------------------------------------------------------------------------- */

int pingo__store_node_parents(struct pingo__store_db *db, const struct pingo__store_at *at,
                              struct pingo__store_position_list *list, struct pingo_error *err)
{
    return pingo__db_list(
        db, err, &positions, list,
        "SELECT 0, parent FROM edge WHERE graph = ? AND child = ? ORDER BY ordinal", INT(at->graph),
        INT(at->position));
}

/* Edges come child by child: each closes the lists of those before its own. */
static int add_parent(void *context, const void *row, struct pingo_error *err)
{
    struct pingo__store_parents *p = context;
    const struct pingo__store_edge *e = row;
    if (e->child < 0 || e->parent < 0 || (size_t)e->child >= p->n || (size_t)e->parent >= p->n)
        return pingo__fail(err, PINGO_ECORRUPT, "an edge of a graph leads out of it");
    uint32_t *more =
        pingo__arena_more(p->arena, p->parents, p->nparents, &p->capacity, sizeof *more);
    if (!more)
        return pingo__fail_memory(err);
    p->parents = more;
    while (p->at < (size_t)e->child)
        p->first[++p->at] = (uint32_t)p->nparents;
    more[p->nparents++] = (uint32_t)e->parent;
    return 0;
}

int pingo__store_graph_parents(struct pingo__store_db *db, int64_t graph,
                               struct pingo__store_parents *p, struct pingo_error *err)
{
    *p = (struct pingo__store_parents){
        .arena = p->arena,
        .n = p->n,
        .first = pingo__arena_array(p->arena, p->n + 1, sizeof *p->first)};
    if (!p->first)
        return pingo__fail_memory(err);
    int rc = pingo__db_each(db, err, &edges, add_parent, p,
                            "SELECT 0" EDGE(PINGO__COLUMN, ) " FROM edge WHERE graph = ?"
                                                             " ORDER BY child, ordinal",
                            INT(graph));
    while (p->at < p->n)
        p->first[++p->at] = (uint32_t)p->nparents;
    return rc;
}

int pingo__store_node_inputs(struct pingo__store_db *db, const struct pingo__store_at *at,
                             struct pingo__store_node_input_list *list, struct pingo_error *err)
{
    return pingo__db_list(db, err, &inputs, list,
                          "SELECT 0" INPUT(PINGO__COLUMN, ) " FROM input WHERE graph = ? AND"
                                                            " position = ? ORDER BY ordinal",
                          INT(at->graph), INT(at->position));
}

int pingo__store_graph_leaf_positions(struct pingo__store_db *db, int64_t graph,
                                      struct pingo__store_position_list *list,
                                      struct pingo_error *err)
{
    return pingo__db_list(db, err, &positions, list,
                          "SELECT 0, position FROM node WHERE graph = ? AND leaf = 1", INT(graph));
}
