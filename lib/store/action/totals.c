/* totals.c - see totals.h. */
#include "store/action/totals.h"

/* clang-format off */
#define TOTAL(F, T)                                                                                \
    F(T, TEXT, executor, "executor") F(T, INT, category, "category") F(T, INT, ended, "sum(n)")        \
    F(T, INT, wall_ms, "sum(wall_ms)") F(T, INT, cpu_ms, "sum(cpu_ms)")                            \
    F(T, INT, wait_ms, "sum(wait_ms)")
#define EVICTED(F, T)                                                                              \
    F(T, TEXT, algorithm, "algorithm") F(T, INT, nevictions, "n")                                  \
    F(T, INT, evicted_bytes, "bytes") F(T, INT, nregretted, "regretted")                           \
    F(T, INT, regret_ms, "regret_ms")
#define LOAD(F, T)                                                                                 \
    F(T, INT, nworkflows, "count(*)") F(T, INT, npaused, "total(paused)")                          \
    F(T, INT, slots, "(SELECT total(running) FROM user)") F(T, INT, waiting, "total(waiting)")     \
    F(T, INT, ready, "total(ready)") F(T, INT, processing, "total(processing)")                    \
    F(T, INT, submitted, "total(submitted)") F(T, INT, running, "total(p.running)")
#define IN_HAND(F, T)                                                                              \
    F(T, TEXT, executor, "executor") F(T, INT, armed, "total(state = " ATTEMPT_HANDED ")")         \
    F(T, INT, running, "total(state = " ATTEMPT_STARTED ")")
/* clang-format on */
PINGO__KIND(in_hand, struct pingo_executor_load, IN_HAND);
PINGO__KIND(totals, struct pingo_total, TOTAL);
PINGO__KIND(evicted, struct pingo_eviction_total, EVICTED);
PINGO__KIND(loads, struct pingo_load, LOAD);

int pingo__store_totals_fold(struct pingo__store_db *db, int64_t day, struct pingo_error *err)
{
    int64_t folded = 0;
    int rc = pingo__db_number(db, err, &folded, "SELECT " PINGO__TOTALS_FOLDED, NONE);
    if (rc || folded >= day)
        return rc;
    rc = pingo__db_write(db, err,
                         "INSERT INTO summary_total " PINGO__TOTALS_OF("s.step >= ? AND s.step < ?")
                             PINGO__TOTALS_ADDED,
                         INT(folded), INT(day));
    return rc ? rc
              : pingo__db_write(db, err, "REPLACE INTO summary_total VALUES('', -1, ?, 0, 0, 0)",
                                INT(day));
}

#define LATER PINGO__TOTALS_OF("s.step >= " PINGO__TOTALS_FOLDED)
PINGO__LIST(pingo__store_totals(DB, struct pingo__store_total_list *list, ERR), totals, list,
            PINGO__SELECT(TOTAL) " FROM (SELECT * FROM summary_total WHERE category >= 0 UNION ALL"
                                 " " LATER ") GROUP BY executor, category",
            NONE);

PINGO__LIST(pingo__store_totals_evictions(DB, struct pingo__store_eviction_total_list *list, ERR),
            evicted, list, PINGO__SELECT(EVICTED) " FROM eviction_total", NONE);

PINGO__LIST(pingo__store_executor_loads(DB, struct pingo__store_executor_load_list *list, ERR),
            in_hand, list,
            PINGO__SELECT(IN_HAND) " FROM attempt WHERE state < " ATTEMPT_ENDED
                                   " GROUP BY executor",
            NONE);

PINGO__GET(pingo__store_load(DB, struct pingo_load *load, ERR), loads, NULL, load,
           PINGO__SELECT(LOAD) " FROM (SELECT id, paused FROM workflow WHERE state"
                               " = " WORKFLOW_RUNNING " UNION SELECT id, paused FROM workflow"
                               " WHERE unfinished > 0 AND (state <> " WORKFLOW_RUNNING " OR paused"
                               " = 1)) w CROSS JOIN progress p ON p.workflow = w.id",
           NONE);
