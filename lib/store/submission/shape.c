/* shape.c - see shape.h. */
#include "store/submission/shape.h"

#include "store/archive/archive.h"

/* clang-format off */
#define NODE(F, T)                                                                                 \
    F(T, INT, parents.position, PINGO__NODE_POSITION) F(T, BYTES, parents.bytes, "n.parents")      \
    F(T, INT, user_id, "n.user_id") F(T, TEXT, name, "n.name") F(T, TEXT, type, "n.type")
#define STATE(F, T) F(T, INT, position, "position") F(T, INT, state, "state")
#define DECIDED(F, T) F(T, INT, position, "position") F(T, INT, state, "decision")
#define ATTEMPT(F, T)                                                                              \
    F(T, INT, position, "a.position") F(T, OPT, wall_ms, "t.wall_ms")                              \
    F(T, OPT, started_ms, "t.started_ms") F(T, OPT, ended_ms, "t.ended_ms")                        \
    F(T, INT, is_joined, "t.action <> a.id")
#define SAVED(F, T)                                                                                \
    F(T, INT, n, "count(*)") F(T, INT, ms, "coalesce(sum(d.compute_ms), 0)")                       \
    F(T, INT, bytes, "coalesce(sum(o.size_bytes), 0)")
/* clang-format on */
PINGO__KIND(nodes, struct pingo__store_shape_node, NODE);
PINGO__KIND(states, struct pingo__store_shape_state, STATE);
PINGO__KIND(decided, struct pingo__store_shape_state, DECIDED);
PINGO__KIND(attempts, struct pingo__store_shape_attempt, ATTEMPT);
PINGO__KIND(saved_kind, struct pingo__store_shape_saved, SAVED);

PINGO__EACH(pingo__store_shape_nodes(DB, int64_t graph, const struct pingo__store_each *each, ERR),
            nodes, each->fn, each->context,
            PINGO__SELECT(NODE) " FROM graph_part gp" PINGO__JOIN_NODES
                                "WHERE gp.graph = ? ORDER BY gp.first, n.id",
            INT(graph));

PINGO__EACH(pingo__store_shape_states(DB, int64_t workflow, const struct pingo__store_each *each,
                                      ERR),
            states, each->fn, each->context,
            PINGO__SELECT(STATE) " FROM action WHERE workflow = ? ORDER BY position, id",
            INT(workflow));

PINGO__EACH(pingo__store_shape_decided(DB, int64_t workflow, const struct pingo__store_each *each,
                                       ERR),
            decided, each->fn, each->context,
            PINGO__SELECT(DECIDED) " FROM plan WHERE workflow = ?", INT(workflow));

int pingo__store_shape_attempts(struct pingo__store_db *db, int64_t workflow,
                                const struct pingo__store_each *each, struct pingo_error *err)
{
    struct pingo__store_reading r;
    int rc = pingo__store_archive_begin(db, workflow, &r, err);
    if (!rc)
        rc = pingo__db_each(r.db, err, &attempts, each->fn, each->context,
                            PINGO__SELECT(ATTEMPT) " FROM action a CROSS JOIN attempt t"
                                                   " ON t.action = coalesce((SELECT j.id FROM"
                                                   " action j WHERE j.id = a.joined AND j.workflow"
                                                   " = a.workflow), a.id) WHERE"
                                                   " a.workflow = ? AND t.started_ms IS NOT NULL",
                            INT(workflow));
    return pingo__store_archive_end(&r, rc);
}

PINGO__GET(pingo__store_shape_saved(DB, int64_t workflow, int64_t graph,
                                    struct pingo__store_shape_saved *saved, ERR),
           saved_kind, NULL, saved,
           PINGO__SELECT(SAVED) " FROM (SELECT DISTINCT n.hash AS hash FROM graph_part"
                                " gp" PINGO__JOIN_NODES
                                "WHERE gp.graph = ?2 AND NOT EXISTS (SELECT 1 "
                                "FROM action a WHERE a.workflow = ?1 AND a.position = "
                                "" PINGO__NODE_POSITION ")) AS x JOIN dataset d ON d.hash = x.hash"
                                " AND d.current = 1 AND d.compute_ms IS NOT NULL LEFT JOIN object o"
                                " ON o.id = d.object",
           INT(workflow), INT(graph));
