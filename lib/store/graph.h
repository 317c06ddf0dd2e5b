/* graph.h - graphs: a document with the identities of its originals, and so one hash an action.
 *
 * A node is an action of a graph, at its position in the document; an edge leads from a parent to a child.
 * A graph is written once, whole, and never changed (but forgotten); submitted again it costs no row.  One node,
 * a page of nodes, or the parents of one are read in a time that does not depend on the graph's size. */
#ifndef PINGO__STORE_GRAPH_H
#define PINGO__STORE_GRAPH_H

#include "base/arena.h"
#include "store/db.h"

struct pingo__store_graph {
    int64_t id, document, nactions;
    struct pingo_hash originals;
    bool plain; /* nothing in it is forced, unmanaged or kept, and what equals a leaf is one: submitted again
                   where all leaves are there, it reuses these and skips the rest */
};
/* 1 and the row, or 0. */
int pingo__store_graph_find(struct pingo__store_db *db, int64_t document,
                            const struct pingo_hash *originals, struct pingo__store_graph *graph,
                            struct pingo_error *err);
int pingo__store_graph_insert(struct pingo__store_db *db, struct pingo__store_graph *graph,
                              struct pingo_error *err);
/* Its nodes, edges and inputs; hashes: one an action. */
int pingo__store_graph_fill(struct pingo__store_db *db, int64_t graph,
                            const struct pingo_workflow *workflow, const struct pingo_hash *hashes,
                            struct pingo_error *err);
/* Other than 0 ends it, and is returned. */
typedef int (*pingo__store_hash_fn)(void *context, const struct pingo_hash *hash,
                                    struct pingo_error *err);
/* The hashes of all nodes, by position; or of the leaves alone.  In the arena. */
int pingo__store_graph_hashes(struct pingo__store_db *db, int64_t graph, struct pingo__arena *arena,
                              const struct pingo_hash **hashes, size_t *n, struct pingo_error *err);
int pingo__store_graph_leaves(struct pingo__store_db *db, int64_t graph, struct pingo__arena *arena,
                              const struct pingo_hash **hashes, size_t *n, struct pingo_error *err);

struct pingo__store_node {
    int64_t position, user_id;
    const char *name, *type;
    struct pingo_hash hash;
    bool is_leaf, is_forced;
    enum pingo_keep keep;
    enum pingo_sandbox sandbox;
    int64_t retries, cpus, memory_mb, time_limit_s;
    const char *output_path;                 /* NULL: managed */
    const char *executor, *executor_options; /* NULL: it names none */
};
int pingo__store_node_insert(struct pingo__store_db *db, int64_t graph,
                             const struct pingo__store_node *node, struct pingo_error *err);
/* The columns of a node n in a query; texts go into the arena. */
#define PINGO__NODE_COLUMNS                                                                        \
    " n.position, n.user_id, n.name, n.type, n.hash, n.leaf, n.forced, n.keep, n.sandbox, "        \
    "n.retries, n.cpus, n.memory_mb, n.time_limit_s, n.output_path, n.executor, "                  \
    "n.executor_options"
int pingo__store_node_read(sqlite3_stmt *stmt, int column, struct pingo__arena *arena,
                           struct pingo__store_node *node, struct pingo_error *err);
/* 1 and the node, or 0. */
int pingo__store_node_get(struct pingo__store_db *db, int64_t graph, int64_t position,
                          struct pingo__arena *arena, struct pingo__store_node *node,
                          struct pingo_error *err);
/* The position of the action that a person means: an id, else a name that only one has.
 * Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS. */
int pingo__store_node_resolve(struct pingo__store_db *db, int64_t graph, const char *text,
                              int64_t *position, struct pingo_error *err);
/* 1 and the position of the action with this id, or 0. */
int pingo__store_node_find(struct pingo__store_db *db, int64_t graph, int64_t user_id,
                           int64_t *position, struct pingo_error *err);

struct pingo__store_edge {
    int64_t parent;   /* its position */
    const char *role; /* NULL: it has none any more */
};
int pingo__store_edge_insert(struct pingo__store_db *db, int64_t graph, int64_t child,
                             int64_t ordinal, const struct pingo__store_edge *edge,
                             struct pingo_error *err);
/* The first column of a query, in the arena. */
int pingo__store_positions_read(struct pingo__store_db *db, sqlite3_stmt *stmt,
                                struct pingo__arena *arena, uint32_t **positions, size_t *n,
                                struct pingo_error *err);
/* The positions of the parents of a node, in the order of the document; in the arena. */
int pingo__store_node_parents(struct pingo__store_db *db, int64_t graph, int64_t position,
                              struct pingo__arena *arena, uint32_t **parents, size_t *n,
                              struct pingo_error *err);
/* Those of all nodes one after the other: those of node i are parents[first[i]] to parents[first[i + 1] - 1].
 * n: how many nodes there are.  In the arena. */
int pingo__store_graph_parents(struct pingo__store_db *db, int64_t graph, size_t n,
                               struct pingo__arena *arena, uint32_t **first, uint32_t **parents,
                               struct pingo_error *err);

/* An original with a path, or a tool, as the document names it. */
struct pingo__store_node_input {
    int kind; /* enum pingo__digest_original_kind */
    const char *name;
    const char *path; /* absolute; NULL of a tool: it is looked up */
};
int pingo__store_node_inputs(struct pingo__store_db *db, int64_t graph, int64_t position,
                             struct pingo__arena *arena, struct pingo__store_node_input **inputs,
                             size_t *n, struct pingo_error *err);

#endif
