/* totals.h - numbers for monitoring: what ended and what was evicted in all, and what there is to do.
 *
 * What always holds: what is read here takes a time that does not grow with the store's history.  summary_total has the
 * sums of all days before one, whose number is its row of category -1; later days are summed when they are asked
 * for. */
#ifndef PINGO__STORE_TOTALS_H
#define PINGO__STORE_TOTALS_H

#include <pingo/summary.h>

#include "store/db.h"

#define PINGO__TOTALS_FOLDED "(SELECT coalesce(max(n), 0) FROM summary_total WHERE category = -1)"
/* The columns of summary_total, of days WHERE this is so. */
#define PINGO__TOTALS_OF(days)                                                                     \
    "SELECT s.executor, coalesce(e.category, 0), sum(s.n), sum(s.wall_ms), sum(s.cpu_ms),"         \
    " sum(s.wait_ms) FROM summary_day s LEFT JOIN error e ON e.id = s.error WHERE " days           \
    " GROUP BY 1, 2"

/* To rows that are there: what is inserted. */
#define PINGO__TOTALS_ADDED                                                                        \
    " ON CONFLICT DO UPDATE SET n = n + excluded.n, wall_ms = wall_ms + excluded.wall_ms,"         \
    " cpu_ms = cpu_ms + excluded.cpu_ms, wait_ms = wait_ms + excluded.wait_ms"

/* ---- filling: inside a write transaction ---- */

/* A day has begun: those before it are summed once. */
int pingo__store_totals_fold(struct pingo__store_db *db, int64_t day, struct pingo_error *err);
/* Ends of the running transaction that are counted together. */
struct pingo__store_sum {
    int64_t step, error, workflow; /* step: half hour, or day */
    const char *executor, *node;
    int64_t n, wall_ms, cpu_ms, wait_ms, retried, retried_ms;
};
/* Ends of a day, which may have been summed already. */
PINGO__WRITE(
    pingo__store_totals_add_late(DB, const struct pingo__store_sum *day, ERR),
    "INSERT INTO summary_total SELECT ?1, coalesce((SELECT category FROM error WHERE id = ?2),"
    " 0), ?4, ?5, ?6, ?7 WHERE ?3 < " PINGO__TOTALS_FOLDED PINGO__TOTALS_ADDED,
    TEXT(day->executor), INT(day->error), INT(day->step), INT(day->n), INT(day->wall_ms),
    INT(day->cpu_ms), INT(day->wait_ms));
PINGO__WRITE(pingo__store_totals_evicted(DB, const char *algorithm, int64_t bytes, ERR),
             "INSERT INTO eviction_total VALUES(?, 1, ?, 0, 0) ON CONFLICT DO UPDATE"
             " SET n = n + 1, bytes = bytes + excluded.bytes",
             TEXT(algorithm), INT(bytes));
/* Of the last eviction of a hash, which has just been regretted. */
PINGO__WRITE(pingo__store_totals_regret(DB, const struct pingo_hash *hash, int64_t regret_ms, ERR),
             "UPDATE eviction_total SET regretted = regretted + 1, regret_ms = regret_ms + ?2 WHERE"
             " algorithm = (SELECT algorithm FROM eviction WHERE hash = ?1 ORDER BY id DESC"
             " LIMIT 1)",
             HASH(hash), INT(regret_ms));

/* ---- reading ---- */

PINGO__STORE_LIST(pingo__store_total_list, struct pingo_total);
int pingo__store_totals(DB, struct pingo__store_total_list *list, ERR);
PINGO__STORE_LIST(pingo__store_eviction_total_list, struct pingo_eviction_total);
int pingo__store_totals_evictions(DB, struct pingo__store_eviction_total_list *list, ERR);
PINGO__STORE_LIST(pingo__store_executor_load_list, struct pingo_executor_load);
int pingo__store_executor_loads(DB, struct pingo__store_executor_load_list *list, ERR);
/* Its size is 0 then. */
int pingo__store_load(DB, struct pingo_load *load, ERR);

#endif
