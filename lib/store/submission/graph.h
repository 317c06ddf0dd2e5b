/* graph.h - graphs: a document with the identities of its originals, and so one hash an action.
 *
 * A node is an action of a graph, at its position in the document; it names its parents.  A graph is a list of parts,
 * each some hundred nodes one after the other; equal parts are the same rows, however many graphs have them.  Where
 * one ends is said by what is in it, so who edits one action makes one part anew.  What is written is never changed
 * (but forgotten); a graph that is known costs no row.  One node, a page of nodes, or the parents of one are read in a
 * time that does not depend on the graph's size. */
#ifndef PINGO__STORE_GRAPH_H
#define PINGO__STORE_GRAPH_H

#include <pingo/workflow.h>

#include "store/db.h"

struct pingo__store_graph {
    int64_t id, document, nactions;
    struct pingo_hash originals;
    bool plain; /* nothing in it is forced, unmanaged or kept, and what equals a leaf is one: submitted again
                   where all leaves are there, it reuses these and skips the rest */
};
/* graph->id 0: there is none. */
int pingo__store_graph_find(DB, int64_t document, const struct pingo_hash *originals,
                            struct pingo__store_graph *graph, ERR);
int pingo__store_graph_insert(struct pingo__store_db *db, struct pingo__store_graph *graph,
                              struct pingo_error *err);

/* An action of a graph. */
struct pingo__store_at {
    int64_t graph, position;
};
struct pingo__store_node {
    int64_t id, position, user_id;
    const char *name, *type;
    struct pingo_hash hash;
    bool is_leaf, is_forced;
    enum pingo_keep keep;
    enum pingo_sandbox sandbox;
    int64_t retries, cpus, memory_mb, time_limit_s;
    const char *output_path;                 /* NULL: managed */
    const char *executor, *executor_options; /* NULL: it names none */
    const char *resources; /* rare ones: workflow/resources.h; not where a plan is read */
};
/* clang-format off */
/* The columns of a node n in a query; m: what of the row they are ("", or "node.").  Migration 4 writes these, too:
 * what is new has a list of its own. */
#define PINGO__NODE_ITSELF(F, T, m)                                                                \
    F(T, INT, m user_id, "n.user_id") F(T, TEXT, m name, "n.name") F(T, TEXT, m type, "n.type")    \
    F(T, HASH, m hash, "n.hash") F(T, INT, m is_leaf, "n.leaf") F(T, INT, m is_forced, "n.forced") \
    F(T, INT, m keep, "n.keep") F(T, INT, m sandbox, "n.sandbox") F(T, INT, m retries, "n.retries") \
    F(T, INT, m cpus, "n.cpus") F(T, INT, m memory_mb, "n.memory_mb")                              \
    F(T, INT, m time_limit_s, "n.time_limit_s") F(T, MAYBE, m output_path, "n.output_path")        \
    F(T, MAYBE, m executor, "n.executor") F(T, MAYBE, m executor_options, "n.executor_options")
/* And where it is in the graph whose part is gp. */
#define PINGO__NODE_POSITION "gp.first + n.id - gp.part"
#define PINGO__NODE(F, T, m)                                                                       \
    F(T, INT, m id, "n.id") F(T, INT, m position, PINGO__NODE_POSITION)                     \
    PINGO__NODE_ITSELF(F, T, m)
/* clang-format on */
/* Joins of a query.  The node n at a position of a graph, each of which may be a column: */
#define PINGO__JOIN_NODE(join, of, at)                                                             \
    " " join " JOIN node n ON n.id = (SELECT iif(" at " < first + n, part + " at                   \
    " - first, NULL) FROM graph_part WHERE graph = " of " AND first <= " at                        \
    " ORDER BY first DESC LIMIT 1) "
/* Of the action a of the submission w; and of an action a, whose submission w becomes. */
#define PINGO__JOIN_ITS_NODE(join) PINGO__JOIN_NODE(join, "w.graph", "a.position")
#define PINGO__JOIN_WORKFLOW_NODE(join)                                                            \
    " " join " JOIN workflow w ON w.id = a.workflow" PINGO__JOIN_ITS_NODE(join)
/* The same with its part gp, which says where it is, for PINGO__NODE_POSITION: */
#define PINGO__JOIN_PART_NODE(of, at)                                                              \
    " CROSS JOIN graph_part gp ON gp.graph = " of " AND gp.first = (SELECT max(first) FROM"        \
    " graph_part WHERE graph = " of " AND first <= " at ") AND " at " < gp.first + gp.n"           \
    " CROSS JOIN node n ON n.id = gp.part + " at " - gp.first "
/* All nodes n of the part gp: */
#define PINGO__JOIN_NODES " CROSS JOIN node n ON n.id BETWEEN gp.part AND gp.part + gp.n - 1 "
/* In each graph that has the node n, its part gp there: */
#define PINGO__JOIN_PARTS                                                                          \
    " CROSS JOIN graph_part gp ON gp.part = (SELECT max(id) FROM part WHERE id <= n.id) "
/* The graphs of the texts of this name: */
#define PINGO__GRAPHS_NAMED(name)                                                                  \
    "(SELECT g.id FROM document d CROSS JOIN graph g ON g.document = d.id WHERE d.name = " name ")"
/* The hashes of all nodes, by position; or of the leaves alone. */
static inline PINGO__LIST(pingo__store_graph_hashes(DB, int64_t graph,
                                                    struct pingo__store_hash_list *list, ERR),
                          pingo__store_hashes, list,
                          "SELECT 0, n.hash FROM graph_part gp" PINGO__JOIN_NODES
                          "WHERE gp.graph = ? ORDER BY gp.first, n.id",
                          INT(graph));
static inline PINGO__LIST(pingo__store_graph_leaves(DB, int64_t graph,
                                                    struct pingo__store_hash_list *list, ERR),
                          pingo__store_hashes, list,
                          "SELECT 0, n.hash FROM graph_part gp" PINGO__JOIN_NODES
                          "AND n.leaf = 1 WHERE gp.graph = ? ORDER BY gp.first, n.id",
                          INT(graph));
/* node->name NULL: there is none. */
int pingo__store_node_get(DB, const struct pingo__store_at *at, struct pingo__arena *arena,
                          struct pingo__store_node *node, ERR);
/* The position of the action that a person means: an id, else a name that only one has.
 * Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS. */
int pingo__store_node_resolve(struct pingo__store_db *db, int64_t graph, const char *text,
                              int64_t *position, struct pingo_error *err);
/* The position of the action with this id; -1: there is none. */
int pingo__store_node_find(struct pingo__store_db *db, int64_t graph, int64_t user_id,
                           int64_t *position, struct pingo_error *err);

/* The first position, from that of page on, of the actions with this name in a submission; -1: there is none. */
PINGO__NUMBER(pingo__store_node_next(DB, const struct pingo__store_page *page, const char *name,
                                     int64_t *position, ERR),
              position, -1,
              "SELECT " PINGO__NODE_POSITION " FROM workflow w CROSS JOIN graph_part gp"
              " ON gp.graph = w.graph AND gp.first >= (SELECT max(first) FROM graph_part"
              " WHERE graph = w.graph AND first <= ?2) CROSS JOIN node n ON n.name = ?3"
              " AND n.id BETWEEN gp.part + max(0, ?2 - gp.first) AND gp.part + gp.n - 1"
              " WHERE w.id = ?1 ORDER BY gp.first, n.id LIMIT 1",
              INT(page->workflow), INT(page->from), TEXT(name));

PINGO__STORE_LIST(pingo__store_position_list, uint32_t);
/* The positions of the parents of a node, in the order of the document. */
int pingo__store_node_parents(struct pingo__store_db *db, const struct pingo__store_at *at,
                              struct pingo__store_position_list *list, struct pingo_error *err);
/* As they are kept of the node at a position: appended to packed. */
void pingo__store_parents_pack(const struct pingo_parent *parents, size_t n, size_t position,
                               struct pingo__buffer *packed);
/* Those of all nodes one after the other: those of node i are parents[first[i]] to parents[first[i + 1] - 1]. */
struct pingo__store_parents {
    struct pingo__arena *arena; /* given */
    size_t n;                   /* given: how many nodes there are */
    uint32_t *first, *parents;
    size_t nread, nparents, capacity; /* while it is read; nread: nodes */
};
/* One node's, as they are kept: borrowed for the call that gives them. */
struct pingo__store_packed {
    int64_t position;
    const unsigned char *bytes;
    size_t n;
};
/* By hand, node by node in their order, each of them once: else, and where end finds that some lack, PINGO_ECORRUPT. */
int pingo__store_parents_begin(struct pingo__store_parents *parents, struct pingo_error *err);
int pingo__store_parents_add(struct pingo__store_parents *to, struct pingo__store_packed p,
                             struct pingo_error *err);
int pingo__store_parents_end(const struct pingo__store_parents *parents, struct pingo_error *err);
/* Or all at once. */
int pingo__store_graph_parents(struct pingo__store_db *db, int64_t graph,
                               struct pingo__store_parents *parents, struct pingo_error *err);
/* The positions of the leaves, which are wanted where there are no targets. */
static inline PINGO__LIST(pingo__store_graph_leaf_positions(DB, int64_t graph,
                                                            struct pingo__store_position_list *list,
                                                            ERR),
                          pingo__store_positions, list,
                          "SELECT 0, " PINGO__NODE_POSITION " FROM graph_part gp" PINGO__JOIN_NODES
                          "AND n.leaf = 1 WHERE gp.graph = ?",
                          INT(graph));

/* An original with a path, or a tool, as the document names it. */
struct pingo__store_node_input {
    int kind; /* enum pingo__digest_original_kind */
    const char *name;
    const char *path; /* absolute; NULL of a tool: it is looked up */
};
PINGO__STORE_LIST(pingo__store_node_input_list, struct pingo__store_node_input);
int pingo__store_node_inputs(DB, const struct pingo__store_at *at,
                             struct pingo__store_node_input_list *list, ERR);

#endif
