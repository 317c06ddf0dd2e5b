/* evictions.c - see evictions.h. */
#include "store/decision/evictions.h"

#include "store/submission/graph.h"
#include "store/action/totals.h"

/* clang-format off */
#define INSERTED(F, T)                                                                             \
    F(T, INT, dataset, "e.dataset") F(T, HASH, told.hash, "e.hash")                                \
    F(T, INT, told.evicted_ms, "e.evicted_ms") F(T, INT, workflow, "e.workflow")                   \
    F(T, TEXT, told.algorithm, "e.algorithm") F(T, REAL, told.score, "e.score")                    \
    F(T, INT, told.size_bytes, "e.size_bytes") F(T, INT, told.remake_ms, "e.remake_ms")            \
    F(T, TEXT, told.reason, "e.reason")
#define EVICTION(F, T)                                                                             \
    INSERTED(F, T) F(T, INT, id, "e.id") F(T, OPT, told.rescued_ms, "e.rescued_ms")                \
    F(T, OPT, told.regretted_ms, "e.regretted_ms") F(T, OPT, told.regret_ms, "e.regret_ms")
#define LISTED(F, T) EVICTION(F, T) F(T, TEXT, told.name, "n.name")
/* clang-format on */
PINGO__KIND(inserted, struct pingo__store_eviction_row, INSERTED);
PINGO__KIND(evictions, struct pingo__store_eviction_row, EVICTION);
PINGO__KIND(listed, struct pingo__store_eviction_row, LISTED);
#define OPEN "rescued_ms IS NULL AND regretted_ms IS NULL"

int pingo__store_eviction_insert(struct pingo__store_db *db,
                                 const struct pingo__store_eviction_row *r, struct pingo_error *err)
{
    int rc = pingo__store_totals_evicted(db, r->told.algorithm, r->told.size_bytes, err);
    return rc ? rc
              : pingo__store_db_put(
                    db,
                    "INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm,"
                    " score, size_bytes, remake_ms, reason) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    &inserted, r, err);
}

int pingo__store_eviction_regret(struct pingo__store_db *db, const struct pingo_hash *hash,
                                 int64_t regret_ms, int64_t now_ms, struct pingo_error *err)
{
    int rc = pingo__db_write(
        db, err, "UPDATE eviction SET regretted_ms = ?3, regret_ms = ?2 WHERE hash = ?1 AND " OPEN,
        HASH(hash), INT(regret_ms), INT(now_ms));
    return rc || !pingo__store_db_has_changed(db)
               ? rc
               : pingo__store_totals_regret(db, hash, regret_ms, err);
}

/* The number has a condition of its own, which leads to where the list goes on. */
#define LIST                                                                                       \
    PINGO__SELECT(LISTED)                                                                          \
    " FROM eviction e LEFT JOIN dataset d ON d.id = e.dataset"                                     \
    " LEFT JOIN action a ON a.id = d.action" PINGO__JOIN_WORKFLOW_NODE(                            \
        "LEFT") "WHERE e.evicted_ms >= ?2"                                                         \
                " AND (?3 = 0 OR e.evicted_ms < ?3)"
#define ITS_HASH " AND e.hash = ?5"
#define NEWER " AND e.id > ?1 ORDER BY e.id LIMIT ?4"
#define OLDER " AND e.id < ?1 ORDER BY e.id DESC LIMIT ?4"

int pingo__store_eviction_list(struct pingo__store_db *db,
                               const struct pingo__store_eviction_query *q,
                               struct pingo__store_eviction_list *list, struct pingo_error *err)
{
    static const char *const texts[2][2] = {{LIST NEWER, LIST ITS_HASH NEWER},
                                            {LIST OLDER, LIST ITS_HASH OLDER}};
    int64_t at = q->newest_first && !q->at ? INT64_MAX : q->at;
    const struct pingo__store_bind hash = q->hash ? HASH(q->hash) : NONE;
    return pingo__db_list(db, err, &listed, list, texts[q->newest_first][!!q->hash], INT(at),
                          INT(q->since_ms), INT(q->until_ms), INT(q->limit), hash);
}

PINGO__EACH(pingo__store_eviction_each(DB, pingo__store_row_fn fn, void *context, ERR), evictions,
            fn, context, PINGO__SELECT(EVICTION) " FROM eviction e ORDER BY e.id", NONE);

PINGO__GET(pingo__store_eviction_last(DB, const struct pingo__store_missing *missing,
                                      struct pingo__arena *arena,
                                      struct pingo__store_eviction_row *row, ERR),
           evictions, arena, row,
           PINGO__SELECT(EVICTION) " FROM eviction e WHERE e.hash = ?1"
                                   " AND e.rescued_ms IS NULL AND e.evicted_ms <= ?2"
                                   " AND ifnull(e.regretted_ms >= ?2, 1)"
                                   " ORDER BY e.id DESC LIMIT 1",
           HASH(missing->hash), INT(missing->at_ms));
