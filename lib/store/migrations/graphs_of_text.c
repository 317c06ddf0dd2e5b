/* graphs_of_text.c - the rows of migration 4.
 *
 * Before, a graph was the document's text and a blob with 32 bytes an action, and a plan two bytes an action and u32
 * positions, the lowest byte first.  Of a text that is forgotten, or that the parser does not take any more, the rows
 * of actions and the descriptions say what they can. */
#include "store/migrations/migrations.h"

#include "base/error.h"
#include "base/map.h"
#include "store/submission/parts.h"
#include "store/submission/plans.h"
#include "store/submission/workflows.h"

/* The blobs of a graph; and of a plan. */
struct old {
    int64_t graph, document_id;
    struct pingo__store_bytes hashes_bytes, leaves_bytes;
    struct pingo__store_document document;
    const struct pingo_hash *hashes;
    size_t n;
    const unsigned char *leaves;
    size_t nleaves;
};
#define OLD(F, T)                                                                                  \
    F(T, INT, graph, "id")                                                                         \
    F(T, INT, document_id, "document")                                                             \
    F(T, BYTES, hashes_bytes.bytes, "hashes") F(T, BYTES, leaves_bytes.bytes, "leaves")
PINGO__KIND(olds, struct old, OLD);

#define OLD_PLAN(F, T)                                                                             \
    F(T, INT, workflow, "workflow")                                                                \
    F(T, BYTES, targets, "targets") F(T, BYTES, decisions, "decisions")
PINGO__ROW(old_plans, struct old_plan, OLD_PLAN);

static uint32_t number_at(const unsigned char *bytes, size_t i)
{
    const unsigned char *b = bytes + 4 * i;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* ---- nodes --------------------------------------------------------------------------- */

/* Into the tables of migration 4, with their columns. */
struct row {
    int64_t graph;
    struct pingo__store_whole_node of;
};
/* clang-format off */
#define ROW(F, T)                                                                                  \
    F(T, INT, graph, "graph") F(T, INT, of.node.position, "position") PINGO__NODE_ITSELF(F, T, of.node.)
/* clang-format on */
PINGO__KIND(rows, struct row, ROW);

struct edge {
    int64_t graph, child, ordinal, parent;
};

PINGO__WRITE(insert_edge(DB, const struct edge *e, ERR),
             "INSERT INTO edge(graph, child, ordinal, parent, role) VALUES(?, ?, ?, ?, '')",
             INT(e->graph), INT(e->child), INT(e->ordinal), INT(e->parent));

static int insert_row(struct pingo__store_db *db, const struct row *r, struct pingo_error *err)
{
    const struct pingo__store_whole_node *w = &r->of;
    int rc = pingo__store_db_put(
        db,
        "INSERT INTO node(graph, position, user_id, name, type, hash, leaf, forced, keep, sandbox,"
        " retries, cpus, memory_mb, time_limit_s, output_path, executor, executor_options)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &rows, r, err);
    for (size_t i = 0; !rc && i < w->nparents; i++)
        rc = insert_edge(
            db, &(struct edge){r->graph, w->node.position, (int64_t)i, (int64_t)w->parents[i].index},
            err);
    for (size_t i = 0; !rc && i < w->ninputs; i++)
        rc = pingo__db_write(db, err,
                             "INSERT INTO input(graph, position, ordinal, kind, name, path)"
                             " VALUES(?, ?, ?, ?, ?, ?)",
                             INT(r->graph), INT(w->node.position), INT((int64_t)i),
                             INT(w->inputs[i].kind), TEXT(w->inputs[i].name),
                             TEXT(w->inputs[i].path));
    return rc;
}

static int fill_from_text(struct pingo__store_db *db, const struct old *o,
                          const struct pingo_workflow *workflow, struct pingo_error *err)
{
    struct pingo__store_workflow_source source = {workflow, o->hashes};
    int rc = 0;
    for (size_t i = 0; !rc && i < o->n; i++) {
        struct pingo__arena arena = {0};
        struct row row = {.graph = o->graph};
        rc = pingo__store_node_of_action(&source, i, &arena, &row.of, err);
        row.of.node.position = (int64_t)i;
        if (!rc)
            rc = insert_row(db, &row, err);
        pingo__arena_clear(&arena);
    }
    return rc;
}

static int insert_edges(struct pingo__store_db *db, const struct old *o, size_t child,
                        const struct pingo__map *positions, struct pingo_error *err)
{
    struct pingo_description *d = NULL;
    size_t n = 0;
    int rc = pingo__store_definition_decoded(db, &o->hashes[child], &d, err);
    const struct pingo_described_parent *parents = d ? pingo_description_parents(d, &n) : NULL;
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t at = pingo__map_get(positions, &parents[i].hash, sizeof parents[i].hash);
        if (at != PINGO__MAP_NONE)
            rc = insert_edge(db, &(struct edge){o->graph, (int64_t)child, (int64_t)i, at}, err);
    }
    pingo_description_free(d);
    return rc;
}

/* By the descriptions: they are what the hashes were made of. */
static int edges_from_descriptions(struct pingo__store_db *db, const struct old *o,
                                   struct pingo_error *err)
{
    struct pingo__map positions = {0};
    int rc = 0;
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
        struct row row = {.graph = o->graph,
                          .of.node = {.position = (int64_t)i,
                                      .user_id = (int64_t)i,
                                      .name = "",
                                      .type = "",
                                      .hash = o->hashes[i],
                                      .cpus = 1}};
        rc = insert_row(db, &row, err);
    }
    for (size_t i = 0; !rc && i < o->nleaves; i++)
        rc = pingo__db_write(db, err, "UPDATE node SET leaf = 1 WHERE graph = ? AND position = ?",
                             INT(o->graph), INT(number_at(o->leaves, i)));
    if (!rc)
        rc = pingo__db_write(db, err,
                             "UPDATE node SET user_id = a.user_id, name = a.name, type = a.type,"
                             " keep = a.keep, sandbox = a.sandbox, cpus = a.cpus,"
                             " memory_mb = a.memory_mb, time_limit_s = a.time_limit_s,"
                             " output_path = a.output_path, executor = a.executor,"
                             " executor_options = a.executor_options FROM workflow w JOIN action a"
                             " ON a.workflow = w.id WHERE w.graph = ?1 AND node.graph = ?1 AND"
                             " node.position = a.position",
                             INT(o->graph));
    return rc ? rc : edges_from_descriptions(db, o, err);
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
                 ? pingo_workflow_parse(
                       &(struct pingo_document){o->document.text, o->document.text_length, NULL},
                       &options, &workflow, err)
                 : PINGO_EWORKFLOW;
    if (rc == 0 && pingo_workflow_count(workflow) == o->n)
        rc = fill_from_text(db, o, workflow, err);
    else if (rc != PINGO_ENOMEM)
        rc = fill_from_rows(db, o, err);
    pingo_workflow_free(workflow);
    return rc;
}

static int load(struct pingo__store_db *db, int64_t after, struct pingo__arena *arena,
                struct old *o, struct pingo_error *err)
{
    int rc = pingo__db_row(db, err, &olds, arena, o,
                           PINGO__SELECT(OLD) " FROM graph WHERE id > ? ORDER BY id LIMIT 1",
                           INT(after));
    o->hashes = o->hashes_bytes.bytes;
    o->n = o->hashes_bytes.n / sizeof *o->hashes;
    o->leaves = o->leaves_bytes.bytes;
    o->nleaves = o->leaves_bytes.n / 4;
    return rc || !o->graph
               ? rc
               : pingo__store_document_load(db, o->document_id, arena, &o->document, err);
}

static int fill_graphs(struct pingo__store_db *db, struct pingo_error *err)
{
    struct old o = {.graph = 0};
    int rc;
    do {
        struct pingo__arena arena = {0};
        rc = load(db, o.graph, &arena, &o, err);
        if (!rc && o.graph)
            rc = fill(db, &o, err);
        pingo__arena_clear(&arena);
    } while (!rc && o.graph);
    if (rc && rc != PINGO_ENOMEM)
        pingo__error_prefix(err, "row %lld of table graph cannot be taken over", (long long)o.graph);
    return rc;
}

/* ---- plans ------------------------------------------------------------------------------ */

static int fill_targets(struct pingo__store_db *db, int64_t workflow, const unsigned char *targets,
                        size_t n, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo__db_write(db, err,
                             "INSERT OR IGNORE INTO target(workflow, position, hash) SELECT ?1, ?2,"
                             " n.hash FROM workflow w JOIN node n ON n.graph = w.graph AND"
                             " n.position = ?2 WHERE w.id = ?1",
                             INT(workflow), INT(number_at(targets, i)));
    return rc;
}

/* The first row of a position is of the submission; later ones came when it was planned again. */
static int fill_decision(struct pingo__store_db *db, int64_t workflow,
                         struct pingo__store_planned *p, const uint8_t decision[2],
                         struct pingo_error *err)
{
    p->decision = (enum pingo_plan_decision)decision[0];
    p->reason = (enum pingo_plan_reason)decision[1];
    if (p->decision != PINGO_PLAN_COMPUTE && p->decision != PINGO_PLAN_JOIN)
        return pingo__store_plan_insert(db, workflow, p, err);
    return pingo__db_write(db, err,
                           "UPDATE action SET reason = ?3 WHERE id = (SELECT min(id) FROM action"
                           " WHERE workflow = ?1 AND position = ?2)",
                           INT(workflow), INT(p->node.position), INT(p->reason));
}

enum { PAGE = 4096 };

static int fill_plan(struct pingo__store_db *db, const struct old_plan *plan,
                     struct pingo_error *err)
{
    struct pingo__store_page page = {plan->workflow, 0, PAGE};
    const uint8_t *decisions = plan->decisions.bytes;
    int64_t n = (int64_t)plan->decisions.n / 2;
    int rc = fill_targets(db, plan->workflow, plan->targets.bytes, plan->targets.n / 4, err);
    for (; !rc && page.from < n; page.from += PAGE) {
        struct pingo__arena arena = {0};
        struct pingo__store_number_list wanted = {.arena = &arena};
        rc = pingo__db_list(db, err, &pingo__store_numbers, &wanted,
                            "SELECT 0, CASE WHEN EXISTS (SELECT 1 FROM target WHERE workflow = ?1)"
                            " THEN EXISTS (SELECT 1 FROM target t WHERE t.workflow = ?1 AND"
                            " t.position = n.position) ELSE n.leaf END FROM workflow w CROSS JOIN"
                            " node n ON n.graph = w.graph WHERE w.id = ?1 AND n.position >= ?2"
                            " ORDER BY n.position LIMIT ?3",
                            INT(page.workflow), INT(page.from), INT(page.n));
        for (size_t i = 0; !rc && i < wanted.n && page.from + (int64_t)i < n; i++) {
            struct pingo__store_planned p = {.node = {.position = page.from + (int64_t)i},
                                             .is_wanted = wanted.rows[i] != 0};
            rc = fill_decision(db, plan->workflow, &p, decisions + 2 * p.node.position, err);
        }
        pingo__arena_clear(&arena);
    }
    return rc;
}

int pingo__store_graphs_of_text(struct pingo__store_db *db, struct pingo_error *err)
{
    struct old_plan plan = {.workflow = 0};
    int rc = fill_graphs(db, err);
    if (rc)
        return rc;
    do {
        struct pingo__arena arena = {0};
        rc = pingo__db_row(db, err, &old_plans, &arena, &plan,
                           PINGO__SELECT(OLD_PLAN) " FROM workflow_plan"
                                                   " WHERE workflow > ? ORDER BY workflow LIMIT 1",
                           INT(plan.workflow));
        if (!rc && plan.workflow)
            rc = fill_plan(db, &plan, err);
        pingo__arena_clear(&arena);
    } while (!rc && plan.workflow);
    if (rc && rc != PINGO_ENOMEM)
        pingo__error_prefix(err, "row %lld of table workflow_plan cannot be taken over",
                            (long long)plan.workflow);
    return rc;
}
