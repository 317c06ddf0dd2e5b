/* dataset_query.c - see dataset_query.h. */
#include "store/dataset/dataset_query.h"

#include "store/submission/graph.h"
#include "store/submission/labels.h"

/* ---- what submissions mention ---------------------------------------------------------- */

int pingo__store_workflow_each_hash(struct pingo__store_db *db, const struct pingo_dataset_query *q,
                                    pingo__store_row_fn fn, void *context, struct pingo_error *err)
{
    return pingo__db_each(db, err, &pingo__store_hashes, fn, context,
                          "SELECT 0, n.hash FROM (SELECT DISTINCT p.part, p.n FROM workflow w"
                          " JOIN graph g ON g.id = w.graph JOIN document d ON d.id = g.document"
                          " JOIN graph_part p ON p.graph = g.id WHERE (?1 IS NULL OR w.user = ?1) "
                          "AND (?2 = 0 OR w.id = ?2)"
                          " AND (?3 IS NULL OR d.name = ?3)) gp" PINGO__JOIN_NODES,
                          TEXT(q->user), INT(q->workflow), TEXT(q->workflow_name));
}

int pingo__store_workflow_names(struct pingo__store_db *db, size_t limit,
                                struct pingo__store_text_list *list, struct pingo_error *err)
{
    return pingo__db_list(
        db, err, &pingo__store_texts, list,
        "SELECT 0, name FROM document GROUP BY name ORDER BY max(id) DESC LIMIT ?", INT(limit));
}

/* ---- which ones ---------------------------------------------------------------------------- */

#define SIZE "(SELECT size_bytes FROM object WHERE id = d.object)"
#define FOUND(key, text, name, joins, order)                                                       \
    "SELECT 0, d.id, d.hash, d.generation, d.last_used_ms, " key ", " text ", " name               \
    " FROM dataset d" joins " WHERE (?1 OR d.state <> " DATASET_DELETED " OR EXISTS"               \
    " (SELECT 1 FROM claim c WHERE c.dataset = d.id UNION ALL"                                     \
    " SELECT 1 FROM hold h WHERE h.dataset = d.id))"                                               \
    " AND (?2 = 0 OR (?2 >> d.state & 1)) AND (?3 = 0 OR " SIZE " >= ?3)"                          \
    " AND (?4 = 0 OR " SIZE " < ?4) AND (?5 = 0 OR d.last_used_ms >= ?5)"                          \
    " AND (?6 = 0 OR d.last_used_ms < ?6) ORDER BY " order                                         \
    "d.last_used_ms DESC, d.hash, d.generation DESC"

/* What an order needs of who made it; a name needs it all. */
#define ACTION " LEFT JOIN action a ON a.id = d.action"
#define WORKFLOW ACTION " LEFT JOIN workflow w ON w.id = a.workflow"
#define NODE WORKFLOW PINGO__JOIN_NODE("LEFT", "w.graph", "a.position")
#define ORDERS(name, nothing, action, workflow)                                                    \
    {                                                                                              \
        [PINGO_DATASETS_BY_AGE] = FOUND("0", "''", name, nothing, ""),                             \
        [PINGO_DATASETS_BY_STATE] = FOUND("d.state", "''", name, nothing, "d.state, "),            \
        [PINGO_DATASETS_BY_SIZE] = FOUND(SIZE, "''", name, nothing, "6 DESC, "),                   \
        [PINGO_DATASETS_BY_VALUE] = FOUND("0", "''", name, nothing, ""),                           \
        [PINGO_DATASETS_BY_USER] = FOUND("0", "w.user", name, workflow, "ifnull(w.user, ''), "),   \
        [PINGO_DATASETS_BY_WORKFLOW] =                                                             \
            FOUND("a.workflow", "''", name, action, "a.workflow DESC, "),                          \
        [PINGO_DATASETS_BY_NAME] = FOUND("0", "n.name", name, NODE, "ifnull(n.name, ''), "),       \
    }
#define NORDERS (PINGO_DATASETS_BY_NAME + 1)

static const char *const found[NORDERS] = ORDERS("NULL", "", ACTION, WORKFLOW);
static const char *const found_names[NORDERS] = ORDERS("n.name", NODE, NODE, NODE);

#define MADE_CONTENT "iif(e.made_ms IS NULL, NULL, o.content)"
/* clang-format off */
#define FOUND_ROW(F, T)                                                                            \
    F(T, INT, id, ) F(T, HASH, hash, ) F(T, INT, generation, ) F(T, OPT, last_used_ms, )           \
    F(T, OPT, key, ) F(T, TEXT, text, ) F(T, MAYBE, name, )
/* Of dataset d and e, all generations of its hash: */
#define MORE(F, T)                                                                                 \
    F(T, OPT, compute_ms, "CAST(avg(e.compute_ms) AS INTEGER)")                                    \
    F(T, INT, claims, "(SELECT count(*) FROM claim WHERE dataset = d.id)")                         \
    F(T, INT, differed, "min(" MADE_CONTENT ") <> max(" MADE_CONTENT ")")                          \
    F(T, TEXT, name, "n.name") F(T, TEXT, user, "w.user") F(T, INT, workflow, "a.workflow")        \
    F(T, INT, node, "n.id") F(T, MAYBE, adopted_from, "d.adopted_from")                            \
    F(T, INT, has_labels, "EXISTS (SELECT 1 FROM label WHERE node = n.id)")
/* clang-format on */
PINGO__KIND(found_rows, struct pingo__store_dataset_found, FOUND_ROW);
PINGO__KIND(mores, struct pingo__store_dataset_more, MORE);

int pingo__store_dataset_each_found(struct pingo__store_db *db, const struct pingo_dataset_query *q,
                                    pingo__store_row_fn fn, void *context, struct pingo_error *err)
{
    return pingo__db_each(
        db, err, &found_rows, fn, context, (q->nnames ? found_names : found)[q->order],
        INT((q->all || q->states >> PINGO_DATASET_DELETED & 1)), INT(q->states), INT(q->min_bytes),
        INT(q->below_bytes), INT(q->since_ms), INT(q->until_ms));
}

/* ---- one of them ------------------------------------------------------------------------------ */

int pingo__store_dataset_more(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                              struct pingo__store_dataset_more *more, struct pingo_error *err)
{
    struct pingo__store_text_list labels = {.arena = arena};
    int rc = pingo__db_row(
        db, err, &mores, arena, more,
        "SELECT 0" MORE(
            PINGO__COLUMN, ) " FROM dataset d" NODE
                             "CROSS JOIN dataset e ON e.hash = d.hash LEFT JOIN object o"
                             " ON o.id = e.object WHERE d.id = ?",
        INT(id));
    if (!rc && more->has_labels)
        rc = pingo__store_labels_read(db, more->node, &labels, err);
    more->labels = labels.rows;
    more->nlabels = labels.n;
    return rc;
}
