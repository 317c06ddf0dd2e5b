/* summary_query.c - see summary.h: asking.
 *
 * One shape of answer for two sources: the summaries, and, where names of actions are asked for, which no summary has,
 * the attempts that failed. */
#include "store/archive/archive.h"
#include "store/submission/graph.h"
#include "store/action/summary.h"

/* clang-format off */
#define ROW(F, T)                                                                                  \
    F(T, INT, told.from_ms, "at") F(T, TEXT, told.value, "s.value") F(T, INT, told.error, "s.kind") \
    F(T, INT, told.is_other, "other") F(T, INT, told.ended, "ended") F(T, INT, told.failed, "failed") \
    F(T, INT, told.wall_ms, "wall") F(T, INT, told.cpu_ms, "cpu") F(T, INT, told.wait_ms, "wait")  \
    F(T, INT, told.retried, "again") F(T, INT, told.retried_ms, "again_ms")                        \
    F(T, INT, told.used_ms, "used") F(T, INT, told.used_cpu_ms, "used_cpu")                        \
    F(T, INT, told.category, "e.category") F(T, TEXT, told.text, "e.text")                         \
    F(T, INT, told.exit_code, "ifnull(e.exit_code, -1)")                                           \
    F(T, INT, told.signal, "ifnull(e.signal, -1)")                                                 \
    F(T, OPT, told.first_ms, "e.first_ms") F(T, OPT, told.last_ms, "e.last_ms")                    \
    F(T, TEXT, examples, "e.examples")                                                             \
    F(T, INT, told.is_new, "coalesce(e.first_ms >= ?9, 0) AS new")
PINGO__KIND(summary_rows, struct pingo__store_summary_row, ROW);

/* ?1: by, ?2: error, ?3: executor, ?4: node, ?5: user, ?6: limit, ?7: from, ?8: step; the sources have more. */
#define VALUE(name)                                                                                \
    " CASE ?1 WHEN 2 THEN node WHEN 3 THEN executor WHEN 4 THEN user WHEN 5 THEN " name            \
    " ELSE '' END AS value, CASE ?1 WHEN 1 THEN error ELSE 0 END AS kind"
#define MATCH                                                                                      \
    " (?2 = 0 OR error = ?2) AND (?1 <> 1 OR error > 0) AND (?3 IS NULL OR executor = ?3) AND"     \
    " (?4 IS NULL OR node = ?4) AND (?5 IS NULL OR user = ?5)"
#define PART(table, ms, from, to)                                                                  \
    "SELECT iif(?8 = 0, ?7, step * " ms ") AS at," VALUE("''") ", error, n, wall_ms, cpu_ms,"      \
    " wait_ms, retried, retried_ms FROM " table " WHERE step >= " from " AND step < " to           \
    " AND" MATCH
#define OF_SUMMARIES                                                                               \
    PART("summary_30m", "1800000", "?10", "?11") " UNION ALL "                                     \
    PART("summary_30m", "1800000", "?12", "?13") " UNION ALL "                                     \
    PART("summary_day", "86400000", "?14", "?15")
#define ONES(from, to, of_name)                                                                    \
    "SELECT t.ended_ms AS ended_ms, t.error AS error, t.executor AS executor,"                     \
    " coalesce(t.host, '') AS node, w.user AS user, n.name AS name, " PINGO__END_WALL              \
    " AS wall_ms, " PINGO__END_CPU " AS cpu_ms, " PINGO__END_WAIT " AS wait_ms,"                   \
    " " PINGO__END_RETRIED " AS again FROM" PINGO__ENDS_FAILED                                     \
    PINGO__JOIN_ITS_NODE("CROSS")                                                                  \
    " WHERE t.error > 0 AND t.ended_ms >= " from " AND t.ended_ms < " to " AND"                    \
    " (" of_name " IS NULL OR n.name = " of_name ")"
#define OF_ATTEMPTS                                                                                \
    "SELECT CASE ?8 WHEN 0 THEN ?7 WHEN 1 THEN ended_ms / 1800000 * 1800000 ELSE ended_ms /"       \
    " 86400000 * 86400000 END AS at," VALUE("name") ", error, 1 AS n, wall_ms, cpu_ms, wait_ms,"   \
    " again AS retried, iif(again, wall_ms, 0) AS retried_ms FROM (" ONES("?10", "?11", "?12")     \
    " UNION ALL SELECT * FROM temp.failed_there) WHERE" MATCH

#define FAILED(column) "sum(iif(error > 0, " column ", 0))"
#define ANSWER(source)                                                                             \
    "WITH g AS MATERIALIZED (SELECT at, value, kind, sum(n) AS ended, " FAILED("n") " AS failed, " \
    FAILED("wall_ms") " AS wall, " FAILED("cpu_ms") " AS cpu, " FAILED("wait_ms") " AS wait,"      \
    " sum(retried) AS again, sum(retried_ms) AS again_ms, sum(wall_ms) AS used,"                   \
    " sum(cpu_ms) AS used_cpu FROM (" source ") GROUP BY 1, 2, 3),"                                \
    " top AS MATERIALIZED (SELECT value, kind, 1 AS kept FROM g LEFT JOIN error e ON e.id = kind"  \
    " AND ?8 = 0 GROUP BY value, kind ORDER BY coalesce(e.first_ms >= ?9, 0) DESC,"                \
    " sum(failed) DESC, sum(ended) DESC, value, kind LIMIT ?6)"                                    \
    " " PINGO__SELECT(ROW) " FROM (SELECT at, iif(top.kept, g.value, '') AS value,"      \
    " iif(top.kept, g.kind, 0) AS kind, top.kept IS NULL AS other, sum(ended) AS ended,"           \
    " sum(failed) AS failed, sum(wall) AS wall, sum(cpu) AS cpu, sum(wait) AS wait,"               \
    " sum(again) AS again, sum(again_ms) AS again_ms, sum(used) AS used, sum(used_cpu) AS used_cpu" \
    " FROM g LEFT JOIN top ON top.value = g.value AND top.kind = g.kind GROUP BY 1, 2, 3, 4) s"    \
    " LEFT JOIN error e ON e.id = s.kind"                                                          \
    " ORDER BY at, other, iif(?8 = 0, new, 0) DESC, failed DESC, ended DESC, s.value, s.kind"
#define ONE(F, T)                                                                                  \
    F(T, INT, ended_ms, ) F(T, INT, error, ) F(T, TEXT, executor, ) F(T, TEXT, node, )             \
    F(T, TEXT, user, ) F(T, TEXT, name, ) F(T, INT, wall_ms, ) F(T, INT, cpu_ms, )                 \
    F(T, INT, wait_ms, ) F(T, INT, again, )
/* clang-format on */
PINGO__ROW(one_kind, struct one, ONE);

static int add_one(void *context, const void *row, struct pingo_error *err)
{
    return pingo__store_db_put(context,
                               "INSERT INTO temp.failed_there VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               &one_kind, row, err);
}

#define LIMIT(q) INT(q->of.limit ? (int64_t)q->of.limit : (int64_t)-1)

/* Those of the archive's files are gathered, one after the other. */
static int list_by_name(struct pingo__store_db *db, const struct pingo__store_summary_query *q,
                        struct pingo__store_summary_list *list, struct pingo_error *err)
{
    struct pingo__store_archive_walk w = {0, q->from_ms, q->to_ms, .files = {.arena = list->arena}};
    int rc = pingo__store_db_simple(
        db,
        "CREATE TEMP TABLE IF NOT EXISTS failed_there(ended_ms, error, executor, node, user, name,"
        " wall_ms, cpu_ms, wait_ms, again);",
        err);
    /* Its statement is prepared anew now, not when a view is to be ended without memory. */
    pingo__store_db_rollback(db);
    while (pingo__store_archive_next(db, &w, &rc, err))
        rc = w.n > 1 ? pingo__db_each(w.at.db, err, &one_kind, add_one, db,
                                      "SELECT 0, * FROM (" ONES("?1", "?2", "?3") ")",
                                      INT(q->from_ms), INT(q->to_ms), TEXT(q->of.name))
                     : pingo__store_db_simple(db, "DELETE FROM temp.failed_there;", err);
    if (!rc)
        rc = pingo__db_list(db, err, &summary_rows, list, ANSWER(OF_ATTEMPTS), INT(q->of.by),
                            INT(q->of.error), TEXT(q->of.executor), TEXT(q->of.node),
                            TEXT(q->of.user), LIMIT(q), INT(q->from_ms), INT(q->of.step),
                            INT(q->new_ms), INT(q->from_ms), INT(q->to_ms), TEXT(q->of.name));
    return pingo__store_archive_end(&w.at, rc);
}

int pingo__store_summary_list(struct pingo__store_db *db, const struct pingo__store_summary_query *q,
                              struct pingo__store_summary_list *list, struct pingo_error *err)
{
    if (q->of.by == PINGO_SUMMARY_BY_NAME || q->of.name)
        return list_by_name(db, q, list, err);
    return pingo__db_list(db, err, &summary_rows, list, ANSWER(OF_SUMMARIES), INT(q->of.by),
                          INT(q->of.error), TEXT(q->of.executor), TEXT(q->of.node), TEXT(q->of.user),
                          LIMIT(q), INT(q->from_ms), INT(q->of.step), INT(q->new_ms),
                          INT(q->halves[0][0]), INT(q->halves[0][1]), INT(q->halves[1][0]),
                          INT(q->halves[1][1]), INT(q->days[0]), INT(q->days[1]));
}
