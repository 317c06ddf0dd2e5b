/* action_lists.c - reading actions: single rows, lists, counts; see actions.h. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "rules/states.h"
#include "store/actions.h"
#include "store/driving.h"
#include "store/lost.h"

#define ACTION_COLUMNS                                                                             \
    "a.id, a.workflow, a.position, n.user_id, n.name, n.type, a.hash, a.dataset, a.joined, "       \
    "a.state,"                                                                                     \
    " a.epoch, a.owner, a.waits, a.priority, a.rank, a.forced, a.wanted, a.retries, a.tries,"      \
    " a.not_before_ms, n.cpus, n.memory_mb, n.time_limit_s, n.keep, n.output_path, a.lost,"        \
    " a.message, a.ended_ms, n.sandbox, a.refusals, n.executor, n.executor_options"
/* A row says what becomes of an action; what it is says its node. */
#define NODE                                                                                       \
    " CROSS JOIN workflow w ON w.id = a.workflow CROSS JOIN node n ON n.graph = w.graph AND"       \
    " n.position = a.position "
#define UNFINISHED ACTION_IS_UNFINISHED("a.state")
/* Ten minutes, longer than any delay that we set: who is to wait longer had a clock that was set back since. */
#define LATEST_MS 600000
#define AS_TEXT(number) #number
#define DIGITS(number) AS_TEXT(number)
#define IS_DUE(now)                                                                                \
    "(a.not_before_ms <= " now " OR a.not_before_ms > " now " + " DIGITS(LATEST_MS) ")"

static const char *text_or_null(sqlite3_stmt *s, int column, struct pingo__arena *arena)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL
               ? NULL
               : pingo__store_column_copy(s, column, arena);
}

static int read_action(sqlite3_stmt *s, struct pingo__arena *arena,
                       struct pingo__store_action_row *r, struct pingo_error *err)
{
    int c = 0;
    r->id = sqlite3_column_int64(s, c++);
    r->workflow = sqlite3_column_int64(s, c++);
    r->position = sqlite3_column_int64(s, c++);
    r->user_id = sqlite3_column_int64(s, c++);
    r->name = pingo__store_column_copy(s, c++, arena);
    r->type = pingo__store_column_copy(s, c++, arena);
    pingo__store_column_hash(s, c++, &r->hash);
    r->dataset = sqlite3_column_int64(s, c++);
    r->joined = sqlite3_column_int64(s, c++);
    r->state = sqlite3_column_int(s, c++);
    r->epoch = sqlite3_column_int64(s, c++);
    r->owner = sqlite3_column_int64(s, c++);
    r->waits = sqlite3_column_int64(s, c++);
    r->priority = sqlite3_column_int64(s, c++);
    r->rank = sqlite3_column_int64(s, c++);
    r->forced = sqlite3_column_int(s, c++) != 0;
    r->wanted = sqlite3_column_int(s, c++) != 0;
    r->retries = sqlite3_column_int64(s, c++);
    r->tries = sqlite3_column_int64(s, c++);
    r->not_before_ms = sqlite3_column_int64(s, c++);
    r->cpus = sqlite3_column_int64(s, c++);
    r->memory_mb = sqlite3_column_int64(s, c++);
    r->time_limit_s = sqlite3_column_int64(s, c++);
    r->keep = (enum pingo_keep)sqlite3_column_int(s, c++);
    r->output_path = text_or_null(s, c++, arena);
    r->has_lost = sqlite3_column_type(s, c) != SQLITE_NULL;
    pingo__store_column_hash(s, c++, &r->lost);
    r->message = pingo__store_column_copy(s, c++, arena);
    r->ended_ms = pingo__store_column_int(s, c++, -1);
    r->sandbox = (enum pingo_sandbox)sqlite3_column_int(s, c++);
    r->refusals = sqlite3_column_int64(s, c++);
    r->executor = text_or_null(s, c++, arena);
    r->executor_options = text_or_null(s, c, arena);
    return r->name && r->type && r->message ? 0 : pingo__fail_memory(err);
}

int pingo__store_action_refresh(struct pingo__store_db *db, struct pingo__store_action_row *row,
                                struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT state, epoch, owner, wanted, retries, tries, refusals FROM action WHERE id = ?",
        INT(row->id));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    row->state = sqlite3_column_int(stmt, 0);
    row->epoch = sqlite3_column_int64(stmt, 1);
    row->owner = sqlite3_column_int64(stmt, 2);
    row->wanted = sqlite3_column_int(stmt, 3);
    row->retries = sqlite3_column_int64(stmt, 4);
    row->tries = sqlite3_column_int64(stmt, 5);
    row->refusals = sqlite3_column_int64(stmt, 6);
    sqlite3_reset(stmt);
    return 1;
}

int pingo__store_action_get(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                            struct pingo__store_action_row *row, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT " ACTION_COLUMNS " FROM action a" NODE "WHERE a.id = ?", INT(id));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    rc = read_action(stmt, arena, row, err);
    sqlite3_reset(stmt);
    return rc < 0 ? rc : 1;
}

/* ---- lists ----------------------------------------------------------------------- */

static int read_list(struct pingo__store_db *db, sqlite3_stmt *stmt,
                     struct pingo__store_action_list *list, struct pingo_error *err)
{
    size_t capacity = 0;
    list->rows = NULL;
    list->n = 0;
    int rc;
    while ((rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_action_row *rows =
            pingo__arena_more(list->arena, list->rows, list->n, &capacity, sizeof *rows);
        rc = rows ? 0 : pingo__fail_memory(err);
        if (rows)
            list->rows = rows;
        if (!rc)
            rc = read_action(stmt, list->arena, &list->rows[list->n++], err);
        if (rc < 0) {
            sqlite3_reset(stmt);
            return rc;
        }
    }
    return rc;
}

static int list_by_id(struct pingo__store_db *db, const char *sql, int64_t id,
                      struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt, sql, INT(id));
    return rc ? rc : read_list(db, stmt, list, err);
}

static bool has_type(const char *const *types, const char *type, const char *executor)
{
    size_t n = executor ? strlen(executor) : 0;
    for (; *types; types++)
        if (executor ? strncmp(*types, executor, n) == 0 && (*types)[n] == '/' &&
                           strcmp(*types + n + 1, type) == 0
                     : strcmp(*types, type) == 0)
            return true;
    return false;
}

#define EXECUTOR_COLUMN 30 /* of ACTION_COLUMNS */

/* NULL where it names none. */
static const char *name_of(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? NULL
                                                            : pingo__store_column_text(stmt, column);
}

/* Adds rows of a query for READY ones until there are limit, and closes it. */
static int add_ready(struct pingo__store_db *db, sqlite3_stmt *stmt,
                     const struct pingo__store_ready_query *q,
                     struct pingo__store_action_list *list, struct pingo_error *err)
{
    int rc = 0;
    while (!rc && list->n < q->limit && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        rc = 0;
        if (has_type(q->types, pingo__store_column_text(stmt, 5), name_of(stmt, EXECUTOR_COLUMN)) &&
            (!q->wanted || q->wanted(q->context, sqlite3_column_int64(stmt, 0))))
            rc = read_action(stmt, q->arena, &list->rows[list->n++], err);
    }
    sqlite3_reset(stmt);
    return rc < 0 ? rc : 0;
}

int pingo__store_action_list_ready(struct pingo__store_db *db,
                                   const struct pingo__store_ready_query *query,
                                   struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ACTION_COLUMNS " FROM action a" NODE
                             "WHERE a.state = " ACTION_READY
                             " AND" IS_DUE("?1") " ORDER BY a.priority DESC,"
                                                 " a.workflow, a.rank DESC, a.hash",
                             INT(query->now_ms));
    list->n = 0;
    list->rows = rc ? NULL : pingo__arena_array(query->arena, query->limit + 1, sizeof *list->rows);
    if (rc)
        return rc;
    if (list->rows)
        return add_ready(db, stmt, query, list, err);
    sqlite3_reset(stmt);
    return pingo__fail_memory(err);
}

int pingo__store_action_add_ready(struct pingo__store_db *db,
                                  const struct pingo__store_ready_query *query,
                                  struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT " ACTION_COLUMNS " FROM action a" NODE "WHERE a.state = " ACTION_READY
        " AND a.priority = ?1 AND a.workflow = ?2 AND" IS_DUE("?3") " ORDER BY a.rank DESC, a.hash",
        INT(query->priority), INT(query->workflow), INT(query->now_ms));
    return rc ? rc : add_ready(db, stmt, query, list, err);
}

bool pingo__store_action_is_ready(const struct pingo__store_action_row *a, const char *const *types,
                                  int64_t now_ms)
{
    bool due = a->not_before_ms <= now_ms || a->not_before_ms > now_ms + LATEST_MS;
    return a->state == PINGO_ACTION_READY && due && has_type(types, a->type, a->executor);
}

int pingo__store_action_list_unfinished(struct pingo__store_db *db, int64_t workflow,
                                        struct pingo__store_action_list *list,
                                        struct pingo_error *err)
{
    return list_by_id(db,
                      "SELECT " ACTION_COLUMNS " FROM action a" NODE
                      "WHERE a.workflow = ? AND " UNFINISHED " ORDER BY a.position, a.id",
                      workflow, list, err);
}

int pingo__store_action_list_latest(struct pingo__store_db *db, int64_t workflow, int64_t from,
                                    int64_t n, struct pingo__store_action_list *list,
                                    struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ACTION_COLUMNS " FROM action a" NODE
                             "WHERE a.workflow = ?1 AND a.position >= ?2 AND a.position < ?2 + ?3"
                             " AND NOT EXISTS (SELECT 1 FROM action b WHERE b.workflow = ?1 AND"
                             " b.position = a.position AND b.id > a.id) ORDER BY a.position",
                             INT(workflow), INT(from), INT(n));
    return rc ? rc : read_list(db, stmt, list, err);
}

int pingo__store_action_list_at(struct pingo__store_db *db, int64_t workflow, int64_t position,
                                struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ACTION_COLUMNS " FROM action a" NODE
                             "WHERE a.workflow = ? AND a.position = ? ORDER BY a.id DESC",
                             INT(workflow), INT(position));
    return rc ? rc : read_list(db, stmt, list, err);
}

int pingo__store_action_list_joiners(struct pingo__store_db *db, int64_t action,
                                     struct pingo__store_action_list *list, struct pingo_error *err)
{
    return list_by_id(db,
                      "SELECT " ACTION_COLUMNS " FROM action a" NODE
                      "WHERE a.joined = ? AND " UNFINISHED " ORDER BY a.id",
                      action, list, err);
}

int pingo__store_action_list_children(struct pingo__store_db *db, int64_t action, bool data_only,
                                      struct pingo__store_action_list *list, struct pingo_error *err)
{
    return list_by_id(
        db,
        data_only ? "SELECT " ACTION_COLUMNS " FROM dependency d CROSS JOIN action a"
                    " ON a.id = d.child" NODE "WHERE d.parent = ? AND d.data = 1 AND " UNFINISHED
                    " ORDER BY a.id"
                  : "SELECT " ACTION_COLUMNS " FROM dependency d CROSS JOIN action a"
                    " ON a.id = d.child" NODE "WHERE d.parent = ? AND " UNFINISHED " ORDER BY a.id",
        action, list, err);
}

int pingo__store_action_list_parents(struct pingo__store_db *db, int64_t action,
                                     struct pingo__store_action_list *list, struct pingo_error *err)
{
    return list_by_id(db,
                      "SELECT " ACTION_COLUMNS " FROM dependency d CROSS JOIN action a"
                      " ON a.id = d.parent" NODE "WHERE d.child = ? AND d.data = 1 AND " UNFINISHED
                      " ORDER BY a.id",
                      action, list, err);
}

int pingo__store_action_list_claimants(struct pingo__store_db *db, int64_t dataset,
                                       struct pingo__store_action_list *list,
                                       struct pingo_error *err)
{
    return list_by_id(db,
                      "SELECT " ACTION_COLUMNS
                      " FROM claim c CROSS JOIN action a ON a.id = c.action" NODE
                      "WHERE c.dataset = ? ORDER BY a.id",
                      dataset, list, err);
}

int pingo__store_lost_readers(struct pingo__store_db *db, int64_t dataset, size_t limit,
                              struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ACTION_COLUMNS
                             " FROM claim c CROSS JOIN action a ON a.id = c.action" NODE
                             "WHERE c.dataset = ? AND " UNFINISHED
                             " AND NOT " ACTION_IS_HANDED("a.state") " ORDER BY c.action"
                                                                     " LIMIT ?",
                             INT(dataset), INT(limit));
    return rc ? rc : read_list(db, stmt, list, err);
}

int pingo__store_action_list_owned(struct pingo__store_db *db, int64_t owner,
                                   struct pingo__store_action_list *list, struct pingo_error *err)
{
    return list_by_id(db,
                      "SELECT " ACTION_COLUMNS " FROM action a" NODE
                      "WHERE a.owner = ? AND " ACTION_IS_CLAIMED("a.state") " ORDER BY a.id",
                      owner, list, err);
}

int pingo__store_action_list_stray(struct pingo__store_db *db,
                                   struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT " ACTION_COLUMNS " FROM action a INDEXED BY action_handed" NODE "WHERE"
        " " ACTION_IS_CLAIMED(
            "a.state") " AND iif(a.state = " ACTION_PROCESSING ", NOT EXISTS"
                       " (SELECT 1 FROM owner o WHERE o.id = a.owner), NOT EXISTS (SELECT 1 FROM "
                       "attempt t"
                       " WHERE t.action = a.id AND t.epoch = a.epoch AND " ATTEMPT_IS_OPEN(
                           "t.state") "))",
        NONE);
    return rc ? rc : read_list(db, stmt, list, err);
}

int pingo__store_action_list_by_hash(struct pingo__store_db *db, const struct pingo_hash *hash,
                                     size_t limit, struct pingo__store_action_list *list,
                                     struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ACTION_COLUMNS " FROM dataset d CROSS JOIN action a ON"
                             " a.id = d.action" NODE "WHERE d.hash = ? ORDER BY d.generation DESC"
                             " LIMIT ?",
                             HASH(hash), INT(limit));
    return rc ? rc : read_list(db, stmt, list, err);
}

int pingo__store_action_list_like(struct pingo__store_db *db,
                                  const struct pingo__store_action_like *like,
                                  struct pingo__store_action_list *list, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        pingo__db_query(db, err, &stmt,
                        "WITH near AS (SELECT b.id, m.user_id FROM node m CROSS JOIN workflow v"
                        " ON v.graph = m.graph CROSS JOIN action b ON b.workflow = v.id AND"
                        " b.position = m.position WHERE m.name = ?1 AND b.id < ?2"
                        " ORDER BY m.graph DESC LIMIT 500)"
                        " SELECT " ACTION_COLUMNS " FROM action a" NODE "WHERE a.id IN"
                        " (SELECT id FROM near WHERE user_id = ?3 LIMIT 3) OR a.id IN"
                        " (SELECT id FROM near LIMIT 20) ORDER BY a.id DESC",
                        TEXT(like->name), INT(like->before), INT(like->user_id));
    return rc ? rc : read_list(db, stmt, list, err);
}

int pingo__store_action_list_at_output(struct pingo__store_db *db, const char *output_path,
                                       struct pingo__store_action_list *list,
                                       struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT " ACTION_COLUMNS " FROM action a" NODE "WHERE a.id IN"
        " (SELECT b.id FROM node m CROSS JOIN workflow v ON v.graph = m.graph"
        " AND v.unfinished > 0 CROSS JOIN action b ON b.workflow = v.id AND"
        " b.position = m.position WHERE m.output_path = ?1 UNION"
        " SELECT c.action FROM object o CROSS JOIN dataset d ON d.object = o.id CROSS JOIN claim c"
        " ON c.dataset = d.id WHERE o.path = ?1 AND d.managed = 0) AND " UNFINISHED
        " ORDER BY a.id",
        TEXT(output_path));
    return rc ? rc : read_list(db, stmt, list, err);
}

/* ---- counts ------------------------------------------------------------------------- */

int pingo__store_action_count_foreign(struct pingo__store_db *db, int64_t workflow,
                                      const char *const *types, int64_t *n,
                                      char what[PINGO__FOREIGN_SIZE], struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT n.type, n.executor, count(*) FROM action a" NODE
                             "WHERE a.state = " ACTION_READY " AND (?1 = 0 OR a.workflow = ?1)"
                             " GROUP BY n.type, n.executor",
                             INT(workflow));
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        const char *executor = name_of(stmt, 1);
        if (has_type(types, pingo__store_column_text(stmt, 0), executor))
            continue;
        *n += sqlite3_column_int64(stmt, 2);
        snprintf(what, PINGO__FOREIGN_SIZE, executor ? "executor \"%s\"" : "actions of type \"%s\"",
                 executor ? executor : pingo__store_column_text(stmt, 0));
    }
    return rc < 0 ? rc : 0;
}

int pingo__store_action_is_joined(struct pingo__store_db *db, int64_t action, int64_t except,
                                  bool *is, struct pingo_error *err)
{
    return pingo__store_db_exists(
        db,
        SQL("SELECT 1 FROM action a JOIN workflow w ON w.id = a.workflow WHERE"
            " a.joined = ? AND a.workflow <> ? AND w.state = " WORKFLOW_RUNNING " AND " UNFINISHED
            " LIMIT 1",
            INT(action), INT(except)),
        is, err);
}
