/* attempt_lists.c - attempts as they are told to who looks at them: those of a submission, and those that failed,
 * wherever they are (store/archive/archive.h); see actions.h. */
#include "base/error.h"
#include "store/action/actions.h"
#include "store/action/summary.h"
#include "store/archive/archive.h"
#include "store/submission/graph.h"

/* clang-format off */
#define ATTEMPT_OF(F, T)                                                                           \
    F(T, INT, told.attempt.row, "action") F(T, INT, told.attempt.epoch, "epoch")                   \
    F(T, OPT, told.attempt.id, "node_id") F(T, TEXT, told.attempt.name, "node_name")               \
    F(T, INT, told.attempt.has_started, "started_ms IS NOT NULL")                                  \
    F(T, INT, told.attempt.has_ended, "state = " ATTEMPT_ENDED)                                    \
    F(T, INT, told.attempt.reason, "ifnull(reason, -1)")                                           \
    F(T, OPT, told.attempt.exit_code, "exit_code") F(T, OPT, told.attempt.signal, "signal")        \
    F(T, OPT, told.attempt.handed_ms, "handed_ms") F(T, OPT, told.attempt.started_ms, "started_ms") \
    F(T, OPT, told.attempt.ended_ms, "ended_ms") F(T, OPT, told.attempt.wall_ms, "wall_ms")        \
    F(T, OPT, told.attempt.user_ms, "user_ms") F(T, OPT, told.attempt.system_ms, "system_ms")      \
    F(T, OPT, told.attempt.max_rss_bytes, "max_rss_bytes")                                         \
    F(T, INT, told.attempt.confined, "ifnull(confined, -1)")                                       \
    F(T, TEXT, told.attempt.executor, "executor") F(T, MAYBE, told.attempt.node, "nullif(host, '')") \
    F(T, OPT, told.attempt.memory_mb, "memory_mb") F(T, INT, told.attempt.memory_from, "memory_from") \
    F(T, MAYBE, told.attempt.job, "nullif(job, '')")                                               \
    F(T, MAYBE, told.attempt.progress, "nullif(progress, '')") F(T, INT, position, "place")
#define FAILED_OF(F, T)                                                                            \
    ATTEMPT_OF(F, T) F(T, INT, told.error, "error") F(T, INT, told.workflow, "of_workflow")        \
    F(T, TEXT, told.user, "of_user") F(T, INT, told.retried, "again")                              \
    F(T, INT, told.category, "(SELECT e.category FROM error e WHERE e.id = attempt.error)")        \
    F(T, TEXT, told.text, "(SELECT e.text FROM error e WHERE e.id = attempt.error)")
/* clang-format on */
PINGO__KIND(attempts_of, struct pingo__store_attempt_told, ATTEMPT_OF);
PINGO__KIND(failed_of, struct pingo__store_attempt_told, FAILED_OF);

/* ---- of a submission ------------------------------------------------------------------------ */

#define MAYBE_NODE PINGO__JOIN_ITS_NODE("LEFT")
#define SELECT_ATTEMPT PINGO__SELECT(ATTEMPT_OF) " FROM"

static PINGO__LIST(list_of(DB, const struct pingo__store_attempt_range *range,
                           struct pingo__store_attempt_told_list *list, ERR),
                   attempts_of, list,
                   SELECT_ATTEMPT " (SELECT a.position AS place, a.id AS made, n.user_id AS"
                                  " node_id, n.name AS node_name FROM workflow w CROSS JOIN action"
                                  " a ON a.workflow = w.id" MAYBE_NODE "WHERE w.id = ?1 AND"
                                  " a.position >= ?3 AND a.position <= iif(?2 < 0,"
                                  " 9223372036854775807, ?2)) CROSS JOIN attempt ON action = made"
                                  " WHERE (place, made, epoch) > (?3, ?4, ?5)"
                                  " ORDER BY place, made, epoch LIMIT ?6",
                   INT(range->workflow), INT(range->position), INT(range->at[0]), INT(range->at[1]),
                   INT(range->at[2]), INT(range->limit));

int pingo__store_attempt_list_of(struct pingo__store_db *db,
                                 const struct pingo__store_attempt_range *range,
                                 struct pingo__store_attempt_told_list *list,
                                 struct pingo_error *err)
{
    struct pingo__store_attempt_range of = *range;
    struct pingo__store_reading r;
    if (of.at[0] < of.position) { /* nothing of it was told */
        of.at[0] = of.position;
        of.at[1] = of.at[2] = 0;
    }
    int rc = pingo__store_archive_begin(db, of.workflow, &r, err);
    return pingo__store_archive_end(&r, rc ? rc : list_of(r.db, &of, list, err));
}

/* ---- that failed ----------------------------------------------------------------------------- */

/* ?1 to ?4: of whom, ?5 to ?7: behind which, ?8: how many; from is a source with what it must meet. */
#define LIST_ENDED(from)                                                                           \
    PINGO__SELECT(FAILED_OF)                                                                       \
    " FROM (SELECT t.action AS made, t.epoch AS which, t.ended_ms AS at, a.position AS place,"     \
    " n.user_id AS node_id, n.name AS node_name, w.id AS of_workflow, w.user AS of_user,"          \
    " " PINGO__END_RETRIED " AS again FROM" from " AND (?1 IS NULL OR t.executor = ?1)"            \
    " AND (?2 IS NULL OR coalesce(t.host, '') = ?2) AND (?3 IS NULL OR w.user = ?3)"               \
    " AND (?4 IS NULL OR n.name = ?4) AND (t.ended_ms, t.action, t.epoch) < (?5, ?6, ?7)"          \
    " ORDER BY t.ended_ms DESC, t.action DESC, t.epoch DESC LIMIT ?8)"                             \
    " CROSS JOIN attempt ON action = made AND epoch = which"                                       \
    " ORDER BY at DESC, made DESC, which DESC"
#define NODE PINGO__JOIN_ITS_NODE("CROSS")
#define LIST_BINDS                                                                                 \
    TEXT(q->of.executor), TEXT(q->of.node), TEXT(q->of.user), TEXT(q->of.name), INT(q->at[0]),     \
        INT(q->at[1]), INT(q->at[2]), INT(q->limit)

/* What was told already is not read again: the index takes one bound above. */
static int64_t until_of(const struct pingo__store_failed_query *q)
{
    int64_t until = q->of.until_ms ? q->of.until_ms : INT64_MAX;
    return q->at[0] < until ? q->at[0] + 1 : until;
}

static int list_failed(struct pingo__store_db *db, const struct pingo__store_failed_query *q,
                       struct pingo__store_attempt_told_list *list, struct pingo_error *err)
{
    int64_t until = until_of(q);
    if (q->of.row)
        return pingo__db_list(db, err, &failed_of, list,
                              LIST_ENDED(PINGO__ENDS NODE
                                         "WHERE t.action = ?9 AND (?10 = 0 OR t.epoch = ?10)"
                                         " AND t.state = " ATTEMPT_ENDED),
                              LIST_BINDS, INT(q->of.row), INT(q->of.epoch));
    if (q->of.error)
        return pingo__db_list(db, err, &failed_of, list,
                              LIST_ENDED(PINGO__ENDS_OF_ERROR NODE
                                         "WHERE t.error > 0 AND t.error = ?9 AND t.ended_ms >= ?10"
                                         " AND t.ended_ms < ?11"),
                              LIST_BINDS, INT(q->of.error), INT(q->of.since_ms), INT(until));
    return pingo__db_list(db, err, &failed_of, list,
                          LIST_ENDED(PINGO__ENDS_FAILED NODE
                                     "WHERE t.error > 0 AND t.ended_ms >= ?9 AND t.ended_ms < ?10"),
                          LIST_BINDS, INT(q->of.since_ms), INT(until));
}

/* Is a told before b? */
static bool is_later(const struct pingo__store_attempt_told *x,
                     const struct pingo__store_attempt_told *y)
{
    const struct pingo_attempt *a = &x->told.attempt, *b = &y->told.attempt;
    if (a->ended_ms != b->ended_ms)
        return a->ended_ms > b->ended_ms;
    return a->row != b->row ? a->row > b->row : a->epoch > b->epoch;
}

/* Two lists in that order become one, of at most so many. */
static int merge(struct pingo__store_attempt_told_list *list,
                 const struct pingo__store_attempt_told_list *other, size_t limit,
                 struct pingo_error *err)
{
    size_t i = 0, k = 0, n = 0, all = list->n + other->n;
    struct pingo__store_attempt_told *rows = pingo__arena_array(list->arena, all + 1, sizeof *rows);
    if (!rows)
        return pingo__fail_memory(err);
    while (n < all && n < limit)
        rows[n++] = k == other->n || (i < list->n && is_later(&list->rows[i], &other->rows[k]))
                        ? list->rows[i++]
                        : other->rows[k++];
    list->rows = rows;
    list->n = n;
    return 0;
}

int pingo__store_attempt_list_failed(struct pingo__store_db *db,
                                     const struct pingo__store_failed_query *q,
                                     struct pingo__store_attempt_told_list *list,
                                     struct pingo_error *err)
{
    struct pingo__store_attempt_told_list more = {.arena = list->arena};
    struct pingo__store_archive_walk w = {q->of.row, q->of.since_ms, until_of(q),
                                          .files = {.arena = list->arena}};
    int rc = 0;
    while (pingo__store_archive_next(db, &w, &rc, err)) {
        rc = list_failed(w.at.db, q, w.n == 1 ? list : &more, err);
        if (!rc && w.n > 1)
            rc = merge(list, &more, q->limit, err);
        if (!rc && list->n >= q->limit) /* it is full */
            w.enough_ms = list->rows[list->n - 1].told.attempt.ended_ms;
    }
    return pingo__store_archive_end(&w.at, rc);
}
