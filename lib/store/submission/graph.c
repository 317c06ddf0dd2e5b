/* graph.c - see graph.h. */
#include "store/submission/graph.h"

#include "base/error.h"
#include "base/text.h"

/* ---- graphs -------------------------------------------------------------------------- */

/* clang-format off */
#define GRAPH(F, T)                                                                                \
    F(T, INT, id, "g.id") F(T, INT, document, "g.document") F(T, INT, nactions, "d.nactions")      \
    F(T, HASH, originals, "g.originals") F(T, INT, plain, "g.plain")
#define NODE(F, T) PINGO__NODE(F, T, ) F(T, MAYBE, resources, "n.resources")
#define PLACES(F, T) F(T, INT, n, "count(*)") F(T, OPT, position, "min(" PINGO__NODE_POSITION ")")
#define PARENTS(F, T) F(T, INT, position, PINGO__NODE_POSITION) F(T, BYTES, bytes, "n.parents")
#define INPUT(F, T)                                                                                \
    F(T, INT, kind, "i.kind") F(T, TEXT, name, "i.name")                                           \
    F(T, MAYBE, path, "iif(substr(i.path, 1, 1) = '/', i.path, d.base_dir || '/' || i.path)")
/* clang-format on */
PINGO__KIND(graphs, struct pingo__store_graph, GRAPH);
PINGO__KIND(nodes, struct pingo__store_node, NODE);
PINGO__ROW(places, struct places, PLACES);
PINGO__KIND(parents_of, struct pingo__store_packed, PARENTS);
PINGO__KIND(inputs, struct pingo__store_node_input, INPUT);

PINGO__GET(pingo__store_graph_find(DB, int64_t document, const struct pingo_hash *originals,
                                   struct pingo__store_graph *g, ERR),
           graphs, NULL, g,
           PINGO__SELECT(GRAPH) " FROM graph g JOIN document d"
                                " ON d.id = g.document WHERE g.document = ? AND g.originals = ?",
           INT(document), HASH(originals));

int pingo__store_graph_insert(struct pingo__store_db *db, struct pingo__store_graph *g,
                              struct pingo_error *err)
{
    int rc =
        pingo__db_write(db, err, "INSERT INTO graph(document, originals, plain) VALUES(?, ?, ?)",
                        INT(g->document), HASH(&g->originals), INT(g->plain));
    g->id = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

/* ---- nodes ------------------------------------------------------------------------------- */

PINGO__GET(pingo__store_node_get(DB, const struct pingo__store_at *at, struct pingo__arena *arena,
                                 struct pingo__store_node *node, ERR),
           nodes, arena, node,
           PINGO__SELECT(NODE) " FROM (SELECT 0)" PINGO__JOIN_PART_NODE("?1", "?2"), INT(at->graph),
           INT(at->position));

/* Leaps: from a node that has what is looked for to the next part of the graph, and on to the next node that has it.
 * So no more is looked at than the parts of the graph, and no more than the nodes of all graphs that have it: one, as a
 * rule. */
#define FOUND(column)                                                                              \
    "WITH RECURSIVE leap(id) AS (SELECT (SELECT min(n.id) FROM node n WHERE " column " = ?1)"      \
    " UNION ALL SELECT (SELECT min(n.id) FROM node n WHERE " column " = ?1 AND n.id >= (SELECT"    \
    " min(part) FROM graph_part WHERE graph = ?2 AND part > leap.id)) FROM leap WHERE"             \
    " leap.id IS NOT NULL) SELECT 0" PLACES(                                                       \
        PINGO__COLUMN, ) " FROM leap CROSS JOIN graph_part gp INDEXED BY"                          \
                         " graph_part_of ON gp.graph = ?2 AND gp.part = (SELECT max(part) FROM "   \
                         "graph_part WHERE graph = ?2 AND"                                         \
                         " part <= leap.id) CROSS JOIN node n ON " column                          \
                         " = ?1 AND n.id BETWEEN gp.part AND"                                      \
                         " gp.part + gp.n - 1"

int pingo__store_node_find(struct pingo__store_db *db, int64_t graph, int64_t user_id,
                           int64_t *position, struct pingo_error *err)
{
    struct places found;
    int rc =
        pingo__db_row(db, err, &places, NULL, &found, FOUND("n.user_id"), INT(user_id), INT(graph));
    *position = found.position;
    return rc;
}

int pingo__store_node_resolve(struct pingo__store_db *db, int64_t graph, const char *text,
                              int64_t *position, struct pingo_error *err)
{
    struct places found;
    int64_t id;
    int rc = 0;
    *position = -1;
    if (pingo__text_to_int64(text, 0, PINGO_ID_MAX, &id))
        rc = pingo__store_node_find(db, graph, id, position, err);
    if (rc || *position >= 0)
        return rc;
    rc = pingo__db_row(db, err, &places, NULL, &found, FOUND("n.name"), TEXT(text), INT(graph));
    if (rc)
        return rc;
    if (found.n > 1)
        return pingo__fail(err, PINGO_EAMBIGUOUS,
                           "%lld actions have the name \"%s\": write the id of one",
                           (long long)found.n, text);
    if (!found.n)
        return pingo__fail(err, PINGO_ENOTFOUND, "no action has the id or the name \"%s\"", text);
    *position = found.position;
    return 0;
}

/* ---- parents --------------------------------------------------------------------------- */

/* How a parent is named: by what is the smallest number, since an edit elsewhere is least likely to change it. */
enum { BEFORE, AT, BEHIND, WAYS };

void pingo__store_parents_pack(const struct pingo_parent *parents, size_t n, size_t position,
                               struct pingo__buffer *packed)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = parents[i].index, back = position - at;
        uint64_t code = at > position ? (at - position) * WAYS + BEHIND
                        : at < back   ? at * WAYS + AT
                                      : back * WAYS + BEFORE;
        for (; code > 0x7f; code >>= 7)
            pingo__buffer_u8(packed, (uint8_t)(code | 0x80));
        pingo__buffer_u8(packed, (uint8_t)code);
    }
}

/* The next of them, at p->bytes.  Of bytes that are damaged, any. */
static uint32_t next_parent(struct pingo__store_packed *p)
{
    uint64_t code = 0, position = (uint64_t)p->position;
    for (unsigned shift = 0; p->n; shift += 7) {
        unsigned char byte = *p->bytes++;
        p->n--;
        code |= (uint64_t)(byte & 0x7f) << (shift & 63);
        if (byte < 0x80)
            break;
    }
    uint64_t number = code / WAYS;
    return (uint32_t)(code % WAYS == BEFORE ? position - number
                      : code % WAYS == AT   ? number
                                            : position + number);
}

int pingo__store_node_parents(struct pingo__store_db *db, const struct pingo__store_at *at,
                              struct pingo__store_position_list *list, struct pingo_error *err)
{
    struct pingo__store_packed p;
    int rc =
        pingo__db_row(db, err, &parents_of, list->arena, &p,
                      PINGO__SELECT(PARENTS) " FROM (SELECT 0)" PINGO__JOIN_PART_NODE("?1", "?2"),
                      INT(at->graph), INT(at->position));
    list->n = 0;
    list->rows = pingo__arena_array(list->arena, p.n + 1, sizeof *list->rows);
    if (!rc && !list->rows)
        rc = pingo__fail_memory(err);
    while (!rc && p.n)
        list->rows[list->n++] = next_parent(&p);
    return rc;
}

int pingo__store_parents_begin(struct pingo__store_parents *p, struct pingo_error *err)
{
    *p = (struct pingo__store_parents){
        .arena = p->arena,
        .n = p->n,
        .first = pingo__arena_array(p->arena, p->n + 1, sizeof *p->first)};
    return p->first ? 0 : pingo__fail_memory(err);
}

int pingo__store_parents_add(struct pingo__store_parents *to, struct pingo__store_packed p,
                             struct pingo_error *err)
{
    if (p.position != (int64_t)to->nread || to->nread >= to->n)
        return pingo__fail(err, PINGO_ECORRUPT, "a node of a graph is not in its place");
    while (p.n) {
        if (!PINGO__ARENA_ROOM(to->arena, to->parents, to->nparents, to->capacity))
            return pingo__fail_memory(err);
        to->parents[to->nparents] = next_parent(&p);
        if (to->parents[to->nparents++] >= to->n)
            return pingo__fail(err, PINGO_ECORRUPT, "an edge of a graph leads out of it");
    }
    to->first[++to->nread] = (uint32_t)to->nparents;
    return 0;
}

int pingo__store_parents_end(const struct pingo__store_parents *p, struct pingo_error *err)
{
    return p->nread == p->n ? 0 : pingo__fail(err, PINGO_ECORRUPT, "a graph lacks nodes");
}

static int add_parents(void *context, const void *row, struct pingo_error *err)
{
    return pingo__store_parents_add(context, *(const struct pingo__store_packed *)row, err);
}

int pingo__store_graph_parents(struct pingo__store_db *db, int64_t graph,
                               struct pingo__store_parents *p, struct pingo_error *err)
{
    int rc = pingo__store_parents_begin(p, err);
    if (!rc)
        rc = pingo__db_each(db, err, &parents_of, add_parents, p,
                            PINGO__SELECT(PARENTS) " FROM graph_part gp" PINGO__JOIN_NODES
                                                   "WHERE gp.graph = ? ORDER BY gp.first, n.id",
                            INT(graph));
    return rc ? rc : pingo__store_parents_end(p, err);
}

#define NODE_AT PINGO__JOIN_NODE("CROSS", "?1", "?2")
PINGO__LIST(pingo__store_node_inputs(DB, const struct pingo__store_at *at,
                                     struct pingo__store_node_input_list *list, ERR),
            inputs, list,
            PINGO__SELECT(INPUT) " FROM graph JOIN document d ON d.id = graph.document" NODE_AT
                                 " CROSS JOIN input i ON i.node = n.id WHERE graph.id = ?1"
                                 " ORDER BY i.ordinal",
            INT(at->graph), INT(at->position));
