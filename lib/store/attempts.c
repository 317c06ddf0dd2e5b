/* attempts.c - one try at running an action; see actions.h. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "rules/states.h"
#include "store/actions.h"

#define OPEN ATTEMPT_IS_OPEN("state")

int pingo__store_attempt_insert(struct pingo__store_db *db, struct pingo_job_key key,
                                const char *executor, int64_t owner, int64_t now_ms,
                                struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err,
                      "INSERT INTO attempt(action, epoch, executor, owner, state, handed_ms)"
                      " VALUES(?, ?, ?, ?, " ATTEMPT_HANDED ", ?)",
                      INT(key.action), INT(key.epoch), TEXT(executor), INT(owner), INT(now_ms)));
}

int pingo__store_attempt_is_open(struct pingo__store_db *db, struct pingo_job_key key, bool *is,
                                 struct pingo_error *err)
{
    return pingo__store_db_exists(
        db,
        SQL("SELECT 1 FROM attempt WHERE action = ? AND epoch = ? AND " OPEN, INT(key.action),
            INT(key.epoch)),
        is, err);
}

int pingo__store_attempt_set_touched(struct pingo__store_db *db, struct pingo_job_key key,
                                     const void *bytes, size_t length, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err, "UPDATE attempt SET touched = ?3 WHERE action = ?1 AND epoch = ?2",
                      INT(key.action), INT(key.epoch), BLOB(bytes, length)));
}

int pingo__store_attempt_touched(struct pingo__store_db *db, struct pingo_job_key key,
                                 struct pingo__arena *arena, const void **bytes, size_t *length,
                                 struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT touched FROM attempt WHERE action = ? AND epoch = ? AND"
                             " touched IS NOT NULL",
                             INT(key.action), INT(key.epoch));
    *bytes = NULL;
    *length = 0;
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    *length = (size_t)sqlite3_column_bytes(stmt, 0);
    *bytes = pingo__arena_text(arena, sqlite3_column_blob(stmt, 0), *length);
    sqlite3_reset(stmt);
    return *bytes ? 0 : pingo__fail_memory(err);
}

int pingo__store_attempt_set_told(struct pingo__store_db *db, const struct pingo_job_end *end,
                                  struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "UPDATE attempt SET told = ?3 WHERE action = ?1 AND epoch = ?2 AND " OPEN,
        INT(end->key.action), INT(end->key.epoch), BLOB(end, sizeof *end)));
}

/* A damaged database may hold anything. */
static bool is_end_of(const struct pingo_job_end *end, struct pingo_job_key key)
{
    const unsigned char *bytes = (const void *)end;
    return bytes[offsetof(struct pingo_job_end, confined)] <= 1 &&
           bytes[offsetof(struct pingo_job_end, denied)] <= 1 && end->key.action == key.action &&
           end->key.epoch == key.epoch && memchr(end->message, '\0', sizeof end->message) &&
           memchr(end->node, '\0', sizeof end->node);
}

int pingo__store_attempt_told(struct pingo__store_db *db, struct pingo_job_key key,
                              struct pingo_job_end *end, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT told FROM attempt WHERE action = ? AND epoch = ? AND length(told) IN (?3, ?3 - 8)",
        INT(key.action), INT(key.epoch), INT(sizeof *end));
    if (rc || (rc = pingo__store_db_step(db, stmt, err)) != 1)
        return rc;
    size_t lacks =
        sizeof *end - (size_t)sqlite3_column_bytes(stmt, 0); /* its size, before it had one */
    memcpy((char *)end + lacks, sqlite3_column_blob(stmt, 0), sizeof *end - lacks);
    end->size = sizeof *end;
    rc = is_end_of(end, key);
    sqlite3_reset(stmt);
    return rc;
}

int pingo__store_attempt_started(struct pingo__store_db *db, struct pingo_job_key key,
                                 int64_t now_ms, struct pingo_error *err)
{
    return pingo__db_run(db, err,
                         "UPDATE attempt SET state = " ATTEMPT_STARTED
                         ", started_ms = ?3 WHERE action = ?1 AND"
                         " epoch = ?2 AND state = " ATTEMPT_HANDED,
                         INT(key.action), INT(key.epoch), INT(now_ms));
}

int pingo__store_attempt_end(struct pingo__store_db *db, const struct pingo_job_end *e,
                             struct pingo_error *err)
{
    bool ran = e->started_ms > 0 && e->reason != PINGO_END_NOT_STARTED;
    return pingo__db_run(
        db, err,
        "UPDATE OR ROLLBACK attempt SET state = " ATTEMPT_ENDED
        ", unwanted = 0, reason = ?3, exit_code = ?4, signal = ?5,"
        " started_ms = coalesce(?6, started_ms), ended_ms = ?7, wall_ms = ?8, user_ms = ?9,"
        " system_ms = ?10, max_rss_bytes = ?11, confined = ?12, host = ?13, touched = NULL, told = "
        "NULL"
        " WHERE action = ?1 AND epoch = ?2 AND " OPEN,
        INT(e->key.action), INT(e->key.epoch), INT(e->reason),
        OPT(e->reason == PINGO_END_EXITED || e->reason == PINGO_END_NO_OUTPUT ||
                    e->reason == PINGO_END_BAD_OUTPUT
                ? (int64_t)e->exit_code
                : (int64_t)-1),
        OPT(e->reason == PINGO_END_SIGNALED ? (int64_t)e->signal : (int64_t)-1),
        OPT(ran ? e->started_ms : (int64_t)-1), OPT(e->ended_ms),
        OPT(ran ? e->wall_ms : (int64_t)-1), OPT(ran ? e->user_ms : (int64_t)-1),
        OPT(ran ? e->system_ms : (int64_t)-1), OPT(ran ? e->max_rss_bytes : (int64_t)-1),
        OPT(ran ? (int64_t)e->confined : (int64_t)-1), TEXT(ran && *e->node ? e->node : NULL));
}

int pingo__store_attempt_delete(struct pingo__store_db *db, struct pingo_job_key key,
                                struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(db, err,
                                              "DELETE FROM attempt WHERE action = ? AND epoch = ?",
                                              INT(key.action), INT(key.epoch)));
}

int pingo__store_attempt_unwant(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "UPDATE attempt SET unwanted = 1 WHERE action = ? AND " OPEN, INT(action)));
}

int pingo__store_attempt_set_owner(struct pingo__store_db *db, int64_t from, int64_t to,
                                   const char *executor, struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_run(
        db, err, "UPDATE attempt SET owner = ?2 WHERE owner = ?1 AND executor = ?3 AND " OPEN,
        INT(from), INT(to), TEXT(executor)));
}

int pingo__store_attempt_count_before(struct pingo__store_db *db, struct pingo_job_key key,
                                      int64_t *n, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_int(db, err, n,
                      "SELECT count(*) FROM attempt WHERE action = ? AND epoch < ? AND"
                      " started_ms IS NOT NULL",
                      INT(key.action), INT(key.epoch)));
}

int pingo__store_attempt_take(struct pingo__store_db *db, struct pingo_job_key key, int64_t from,
                              int64_t to, struct pingo_error *err)
{
    return pingo__db_run(db, err,
                         "UPDATE attempt SET owner = ?4 WHERE action = ?1 AND epoch = ?2 AND"
                         " owner = ?3 AND " OPEN,
                         INT(key.action), INT(key.epoch), INT(from), INT(to));
}

int pingo__store_attempt_count_owned(struct pingo__store_db *db, int64_t owner, int64_t *n,
                                     struct pingo_error *err)
{
    return pingo__store_db_done(pingo__db_int(
        db, err, n, "SELECT count(*) FROM attempt WHERE owner = ? AND " OPEN, INT(owner)));
}

#define ATTEMPT_COLUMNS                                                                            \
    "action, epoch, executor, owner, state, unwanted, reason, exit_code, signal, handed_ms,"       \
    " started_ms, ended_ms, wall_ms, user_ms, system_ms, max_rss_bytes, scratch_bytes, confined,"  \
    " host"

static int read_attempt(sqlite3_stmt *s, struct pingo__arena *arena,
                        struct pingo__store_attempt_row *r, struct pingo_error *err)
{
    const char *executor = pingo__store_column_text(s, 2);
    r->key.action = sqlite3_column_int64(s, 0);
    r->key.epoch = sqlite3_column_int64(s, 1);
    r->executor = pingo__arena_text(arena, executor, strlen(executor));
    r->owner = sqlite3_column_int64(s, 3);
    r->state = sqlite3_column_int(s, 4);
    r->unwanted = sqlite3_column_int(s, 5) != 0;
    r->reason = pingo__store_column_int(s, 6, -1);
    r->exit_code = pingo__store_column_int(s, 7, -1);
    r->signal = pingo__store_column_int(s, 8, -1);
    r->handed_ms = pingo__store_column_int(s, 9, -1);
    r->started_ms = pingo__store_column_int(s, 10, -1);
    r->ended_ms = pingo__store_column_int(s, 11, -1);
    r->wall_ms = pingo__store_column_int(s, 12, -1);
    r->user_ms = pingo__store_column_int(s, 13, -1);
    r->system_ms = pingo__store_column_int(s, 14, -1);
    r->max_rss_bytes = pingo__store_column_int(s, 15, -1);
    r->scratch_bytes = pingo__store_column_int(s, 16, -1);
    r->confined = pingo__store_column_int(s, 17, -1);
    r->node = *pingo__store_column_text(s, 18) ? pingo__store_column_copy(s, 18, arena) : "";
    return r->executor && r->node ? 0 : pingo__fail_memory(err);
}

static int read_one(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                    struct pingo__store_attempt_row *row, struct pingo_error *err)
{
    int rc = pingo__store_db_step(db, stmt, err);
    if (rc != 1)
        return rc;
    rc = read_attempt(stmt, arena, row, err);
    sqlite3_reset(stmt);
    return rc < 0 ? rc : 1;
}

int pingo__store_attempt_list_open(struct pingo__store_db *db, int64_t owner, bool unwanted_only,
                                   struct pingo__arena *arena,
                                   struct pingo__store_attempt_row **rows, size_t *n,
                                   struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ATTEMPT_COLUMNS " FROM attempt WHERE owner = ? AND"
                             " unwanted >= ? AND " OPEN " ORDER BY action, epoch",
                             INT(owner), INT(unwanted_only));
    *rows = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_attempt_row *more =
            pingo__arena_more(arena, *rows, *n, &capacity, sizeof *more);
        rc = more ? 0 : pingo__fail_memory(err);
        if (more)
            *rows = more;
        if (!rc)
            rc = read_attempt(stmt, arena, &(*rows)[(*n)++], err);
        if (rc < 0)
            sqlite3_reset(stmt);
    }
    return pingo__store_db_done(rc);
}

int pingo__store_attempt_list_of(struct pingo__store_db *db,
                                 const struct pingo__store_attempt_range *range,
                                 struct pingo__arena *arena, struct pingo__store_attempt_list *list,
                                 struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT " ATTEMPT_COLUMNS ", place, node_id, node_name FROM"
        " (SELECT a.position AS place, a.id AS made, n.user_id AS node_id, n.name AS node_name"
        " FROM workflow w CROSS JOIN action a ON a.workflow = w.id"
        " LEFT JOIN node n ON n.graph = w.graph AND n.position = a.position"
        " WHERE w.id = ?1 AND (?2 < 0 OR a.position = ?2) AND a.position >= ?3)"
        " CROSS JOIN attempt ON action = made"
        " WHERE (place, made, epoch) > (?3, ?4, ?5) ORDER BY place, made, epoch LIMIT ?6",
        INT(range->workflow), INT(range->position), INT(range->at[0]), INT(range->at[1]),
        INT(range->at[2]), INT(range->limit));
    list->n = 0;
    list->rows = pingo__arena_array(arena, range->limit + 1, sizeof *list->rows);
    if (!rc && !list->rows)
        rc = pingo__fail_memory(err);
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_attempt_of *of = &list->rows[list->n++];
        rc = read_attempt(stmt, arena, &of->row, err);
        of->position = sqlite3_column_int64(stmt, 19);
        of->user_id = pingo__store_column_int(stmt, 20, -1);
        of->name = rc < 0 ? NULL : pingo__store_column_copy(stmt, 21, arena);
        if (rc >= 0 && !of->name)
            rc = pingo__fail_memory(err);
        if (rc < 0)
            sqlite3_reset(stmt);
    }
    return rc < 0 ? rc : 0;
}

int pingo__store_attempt_last(struct pingo__store_db *db, int64_t action,
                              struct pingo__arena *arena, struct pingo__store_attempt_row *row,
                              int64_t *nstarted, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_int(
        db, err, nstarted,
        "SELECT count(*) FROM attempt WHERE action = ? AND started_ms IS NOT NULL", INT(action));
    if (rc >= 0)
        rc = pingo__db_query(db, err, &stmt,
                             "SELECT " ATTEMPT_COLUMNS " FROM attempt WHERE action = ?"
                             " ORDER BY epoch DESC LIMIT 1",
                             INT(action));
    return rc < 0 ? rc : read_one(db, stmt, arena, row, err);
}

int pingo__store_attempt_get(struct pingo__store_db *db, struct pingo_job_key key,
                             struct pingo__arena *arena, struct pingo__store_attempt_row *row,
                             struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(
        db, err, &stmt, "SELECT " ATTEMPT_COLUMNS " FROM attempt WHERE action = ? AND epoch = ?",
        INT(key.action), INT(key.epoch));
    return rc < 0 ? rc : read_one(db, stmt, arena, row, err);
}

static int read_keys(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo__arena *arena,
                     struct pingo_job_key **keys, size_t *n, struct pingo_error *err)
{
    size_t capacity = 0;
    int rc = 0;
    *keys = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo_job_key *more = pingo__arena_more(arena, *keys, *n, &capacity, sizeof *more);
        if (!more) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
        *keys = more;
        (*keys)[(*n)++] =
            (struct pingo_job_key){sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1)};
    }
    return pingo__store_db_done(rc);
}

int pingo__store_attempt_list_unsettled(struct pingo__store_db *db, const char *executor,
                                        struct pingo__arena *arena, struct pingo_job_key **keys,
                                        size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT action, epoch FROM attempt WHERE " OPEN " AND executor = ?",
                             TEXT(executor));
    return rc < 0 ? rc : read_keys(db, stmt, arena, keys, n, err);
}

int pingo__store_attempt_list_groups(struct pingo__store_db *db, int64_t workflow,
                                     struct pingo__arena *arena,
                                     struct pingo__store_attempt_group **groups, size_t *n,
                                     struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT t.executor, t.owner, count(*) FROM attempt t"
        " JOIN action a ON a.id = t.action AND a.epoch = t.epoch"
        " WHERE " ATTEMPT_IS_OPEN("t.state") " AND t.unwanted >= 0 AND " ACTION_IS_HANDED(
            "a.state") " AND"
                       " (?1 = 0 OR a.workflow = ?1) GROUP BY t.executor, t.owner",
        INT(workflow));
    *groups = NULL;
    *n = 0;
    while (rc >= 0 && (rc = pingo__store_db_step(db, stmt, err)) == 1) {
        struct pingo__store_attempt_group *more =
            pingo__arena_more(arena, *groups, *n, &capacity, sizeof *more);
        if (more)
            *groups = more;
        if (more)
            more[*n].executor = pingo__store_column_copy(stmt, 0, arena);
        if (!more || !more[*n].executor) {
            sqlite3_reset(stmt);
            return pingo__fail_memory(err);
        }
        more[*n].owner = sqlite3_column_int64(stmt, 1);
        more[(*n)++].n = sqlite3_column_int64(stmt, 2);
    }
    return pingo__store_db_done(rc);
}

int pingo__store_attempt_set_scratch(struct pingo__store_db *db, struct pingo_job_key key,
                                     int64_t bytes, struct pingo_error *err)
{
    return pingo__store_db_done(
        pingo__db_run(db, err,
                      "UPDATE attempt SET scratch_bytes = ?3 WHERE action = ?1 AND"
                      " epoch = ?2 AND state = " ATTEMPT_ENDED,
                      INT(key.action), INT(key.epoch), OPT(bytes)));
}

int pingo__store_attempt_list_scratch(struct pingo__store_db *db, bool unmeasured, size_t limit,
                                      struct pingo__arena *arena, struct pingo_job_key **keys,
                                      size_t *n, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = pingo__db_query(db, err, &stmt,
                             "SELECT action, epoch FROM attempt WHERE scratch_bytes IS NOT NULL AND"
                             " scratch_bytes <= ? LIMIT ?",
                             INT(unmeasured ? (int64_t)0 : INT64_MAX), INT(limit));
    return rc < 0 ? rc : read_keys(db, stmt, arena, keys, n, err);
}
