/* history.c - reading all submissions and all generations once; see history.h.
 *
 * A history is read in whole, so these are scans in the order of a key: one
 * statement each, not one a dataset.  Inside a transaction of the caller's. */
#include "store/decision/history.h"

/* clang-format off */
#define WORKFLOW(F, T)                                                                             \
    F(T, INT, id, "w.id") F(T, INT, graph, "w.graph") F(T, INT, submitted_ms, "w.submitted_ms")    \
    F(T, TEXT, user, "w.user") F(T, TEXT, name, "d.name")
#define MADE(F, T)                                                                                 \
    F(T, HASH, hash, "d.hash") F(T, OPT, compute_ms, "d.compute_ms")                               \
    F(T, OPT, size_bytes, "o.size_bytes")
#define EVICTED(F, T)                                                                              \
    F(T, HASH, hash, "e.hash") F(T, INT, evicted_ms, "e.evicted_ms")                               \
    F(T, INT, size_bytes, "e.size_bytes") F(T, INT, workflow, "a.workflow")
#define HELD(F, T) F(T, INT, at_ms, "at") F(T, INT, bytes, "sum(bytes)")
/* clang-format on */
PINGO__KIND(workflows, struct pingo__store_history_workflow, WORKFLOW);
PINGO__KIND(made, struct pingo__store_history_made, MADE);
PINGO__KIND(evicted, struct pingo__store_history_evicted, EVICTED);
PINGO__KIND(held, struct pingo__store_history_held, HELD);

PINGO__EACH(pingo__store_history_workflows(DB, const struct pingo__store_history_range *range,
                                           pingo__store_row_fn fn, void *context, ERR),
            workflows, fn, context,
            PINGO__SELECT(WORKFLOW) " FROM workflow w JOIN graph g ON g.id = w.graph JOIN document"
                                    " d ON d.id = g.document WHERE w.id > ?1 AND w.submitted_ms >="
                                    " ?2 AND (?3 = 0 OR w.submitted_ms < ?3) ORDER BY w.id",
            INT(range->after), INT(range->since_ms), INT(range->until_ms));

/* In the order of the table: by hash, each row would be looked up on its own. */
PINGO__EACH(pingo__store_history_each_made(DB, pingo__store_row_fn fn, void *context, ERR), made,
            fn, context,
            PINGO__SELECT(MADE) " FROM dataset d LEFT JOIN object o ON o.id = d.object"
                                " WHERE d.made_ms IS NOT NULL ORDER BY d.id",
            NONE);

PINGO__EACH(pingo__store_history_each_evicted(DB, pingo__store_row_fn fn, void *context, ERR),
            evicted, fn, context,
            PINGO__SELECT(EVICTED) " FROM eviction e JOIN dataset d"
                                   " ON d.id = e.dataset LEFT JOIN action a ON a.id = d.action"
                                   " WHERE e.rescued_ms IS NULL ORDER BY e.id",
            NONE);

/* ---- what was held ------------------------------------------------------------------------- */

/* Made by an earlier clock than that which deletes: it does not go before it came. */
#define GONE "max(d.deleted_ms, d.made_ms)"
#define IS_MADE                                                                                    \
    "d.managed = 1 AND d.made_ms IS NOT NULL AND (d.state <> " DATASET_DELETED                     \
    " OR d.deleted_ms IS NOT NULL)"
#define PERIOD(F, T)                                                                               \
    F(T, OPT, first_ms, "min(d.made_ms)") F(T, OPT, last_ms, "max(coalesce(" GONE ", d.made_ms))")
PINGO__KIND(periods, struct pingo__store_history_period, PERIOD);
/* What is shared is there from its first generation to the last. */
#define BYTES                                                                                      \
    " FROM dataset d CROSS JOIN object o ON o.id = d.object WHERE " IS_MADE " AND d.shared = "

PINGO__GET(pingo__store_history_period(DB, struct pingo__store_history_period *period, ERR),
           periods, NULL, period, PINGO__SELECT(PERIOD) " FROM dataset d WHERE " IS_MADE, NONE);

PINGO__EACH(pingo__store_history_each_held(DB, pingo__store_row_fn fn, void *context, ERR), held,
            fn, context,
            "WITH life(came, gone, bytes) AS (SELECT d.made_ms, " GONE ", o.size_bytes" BYTES "0"
            " UNION ALL SELECT min(d.made_ms), iif(min(d.state) = " DATASET_DELETED ", max(" GONE
            "), NULL), o.size_bytes" BYTES "1 GROUP BY d.object)"
            " " PINGO__SELECT(HELD) " FROM (SELECT came AS at, bytes FROM life UNION ALL"
                                    " SELECT gone, -bytes FROM life WHERE gone IS NOT NULL) "
                                    "GROUP BY at ORDER BY at",
            NONE);
