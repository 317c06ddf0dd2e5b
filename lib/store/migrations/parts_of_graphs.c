/* parts_of_graphs.c - the rows of migration 6.
 *
 * Before, each graph had rows of its own: its nodes, the edges between them, their inputs; and the labels were those of
 * a document's positions. */
#include "store/migrations/migrations.h"

#include "base/error.h"
#include "store/submission/parts.h"

struct old {
    struct pingo__store_db *db;
    int64_t graph, document, n;
    const char *base_dir;
};
/* clang-format off */
#define OLD(F, T)                                                                                  \
    F(T, INT, graph, "g.id") F(T, INT, document, "g.document") F(T, TEXT, base_dir, "d.base_dir")  \
    F(T, INT, n, "(SELECT max(position) + 1 FROM node_5 WHERE graph = g.id)")
#define NODE(F, T) PINGO__NODE_ITSELF(F, T, node.)
#define INPUT(F, T) F(T, INT, kind, "kind") F(T, TEXT, name, "name") F(T, MAYBE, path, "path")
/* clang-format on */
PINGO__KIND(olds, struct old, OLD);
PINGO__KIND(nodes, struct pingo__store_whole_node, NODE);
PINGO__KIND(inputs, struct pingo__store_node_input, INPUT);

static int read_parents(const struct old *o, int64_t position, struct pingo__arena *arena,
                        struct pingo__store_whole_node *w, struct pingo_error *err)
{
    struct pingo__store_number_list list = {.arena = arena};
    int rc =
        pingo__db_list(o->db, err, &pingo__store_numbers, &list,
                       "SELECT 0, parent FROM edge WHERE graph = ? AND child = ? ORDER BY ordinal",
                       INT(o->graph), INT(position));
    struct pingo_parent *parents = pingo__arena_array(arena, list.n, sizeof *parents);
    if (!rc && !parents)
        rc = pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < list.n; i++)
        parents[i].index = (size_t)list.rows[i];
    w->parents = parents;
    w->nparents = list.n;
    return rc;
}

static int read_node(void *context, size_t position, struct pingo__arena *arena,
                     struct pingo__store_whole_node *w, struct pingo_error *err)
{
    const struct old *o = context;
    const int64_t at = (int64_t)position;
    struct pingo__store_node_input_list of_inputs = {.arena = arena};
    struct pingo__store_text_list labels = {.arena = arena};
    int rc = pingo__db_row(o->db, err, &nodes, arena, w,
                           PINGO__SELECT(NODE) " FROM node_5 n WHERE graph = ? AND position = ?",
                           INT(o->graph), INT(at));
    if (!rc && !w->node.name)
        rc = pingo__fail(err, PINGO_ECORRUPT, "it has no node %zu", position);
    if (!rc)
        rc = read_parents(o, at, arena, w, err);
    if (!rc)
        rc = pingo__db_list(o->db, err, &inputs, &of_inputs,
                            PINGO__SELECT(INPUT) " FROM input_5 WHERE graph = ? AND position = ?"
                                                 " ORDER BY ordinal",
                            INT(o->graph), INT(at));
    if (!rc)
        rc = pingo__db_list(o->db, err, &pingo__store_texts, &labels,
                            "SELECT 0, iif(is_value, value, key) FROM label_5,"
                            " (SELECT 0 AS is_value UNION ALL SELECT 1)"
                            " WHERE document = ? AND position = ? ORDER BY key, is_value",
                            INT(o->document), INT(at));
    w->inputs = of_inputs.rows;
    w->ninputs = of_inputs.n;
    w->labels = labels.rows;
    w->nlabels = labels.n;
    return rc;
}

int pingo__store_parts_of_graphs(struct pingo__store_db *db, struct pingo_error *err)
{
    struct old o = {.graph = 0};
    int rc = 0;
    do {
        struct pingo__arena arena = {0};
        rc = pingo__db_row(db, err, &olds, &arena, &o,
                           PINGO__SELECT(OLD) " FROM graph g JOIN document d ON d.id = g.document"
                                              " WHERE g.id > ? ORDER BY g.id LIMIT 1",
                           INT(o.graph));
        o.db = db;
        const struct pingo__store_node_source source = {
            .read = read_node, .context = &o, .n = (size_t)o.n, .base_dir = o.base_dir};
        if (!rc && o.graph)
            rc = pingo__store_graph_fill(db, o.graph, &source, err);
        pingo__arena_clear(&arena);
    } while (!rc && o.graph);
    if (rc && rc != PINGO_ENOMEM)
        pingo__error_prefix(err, "row %lld of table graph cannot be taken over", (long long)o.graph);
    return rc;
}
