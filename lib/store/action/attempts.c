/* attempts.c - one try at running an action; see actions.h. */
#include <stddef.h>
#include <string.h>

#include "store/action/actions.h"
#include "store/action/summary.h"
#include "store/archive/archive.h"

#define OPEN ATTEMPT_IS_OPEN("state")
#define T_OPEN ATTEMPT_IS_OPEN("t.state")
#define A_HANDED ACTION_IS_HANDED("a.state")
#define CLAIMED ACTION_IS_CLAIMED("state")

/* clang-format off */
#define INSERTED(F, T)                                                                             \
    F(T, INT, key.action, ) F(T, INT, key.epoch, ) F(T, TEXT, executor, ) F(T, INT, owner, )       \
    F(T, INT, handed_ms, ) F(T, INT, memory_mb, ) F(T, INT, memory_from, )
#define ATTEMPT(F, T)                                                                              \
    F(T, INT, key.action, "action") F(T, INT, key.epoch, "epoch") F(T, TEXT, executor, "executor") \
    F(T, INT, owner, "owner") F(T, INT, state, "state")                                             \
    F(T, OPT, reason, "reason") F(T, OPT, exit_code, "exit_code") F(T, OPT, signal, "signal")      \
    F(T, OPT, handed_ms, "handed_ms") F(T, OPT, started_ms, "started_ms")                          \
    F(T, OPT, ended_ms, "ended_ms") F(T, OPT, wall_ms, "wall_ms") F(T, OPT, user_ms, "user_ms")    \
    F(T, OPT, system_ms, "system_ms") F(T, OPT, max_rss_bytes, "max_rss_bytes")                    \
    F(T, OPT, memory_mb, "memory_mb") F(T, INT, memory_from, "memory_from")                        \
    F(T, OPT, scratch_bytes, "scratch_bytes") F(T, OPT, confined, "confined") F(T, TEXT, node, "host")
#define LAST_ONE(F, T)                                                                             \
    ATTEMPT(F, T) F(T, INT, nstarted, "(SELECT count(n.started_ms) FROM attempt n WHERE n.action = ?1)")
#define GROUP(F, T)                                                                                \
    F(T, TEXT, executor, "t.executor") F(T, INT, owner, "t.owner") F(T, INT, n, "count(*)")
#define KEY(F, T) F(T, INT, action, "action") F(T, INT, epoch, "epoch")
/* clang-format on */
PINGO__KIND(inserted, struct pingo__store_attempt_row, INSERTED);
PINGO__KIND(attempts, struct pingo__store_attempt_row, ATTEMPT);
PINGO__KIND(last_ones, struct pingo__store_attempt_row, LAST_ONE);
PINGO__KIND(groups, struct pingo__store_attempt_group, GROUP);
PINGO__KIND(keys, struct pingo_job_key, KEY);

int pingo__store_attempt_insert(struct pingo__store_db *db,
                                const struct pingo__store_attempt_row *row, struct pingo_error *err)
{
    return pingo__store_db_put(
        db,
        "INSERT INTO attempt(action, epoch, executor, owner, handed_ms, memory_mb,"
        " memory_from, state)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, " ATTEMPT_HANDED ")",
        &inserted, row, err);
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
    bool is_row = false;
    int rc = pingo__db_query(
        db, err, &stmt,
        "SELECT told FROM attempt WHERE action = ? AND epoch = ? AND length(told) IN (?3, ?3 - 8)",
        INT(key.action), INT(key.epoch), INT(sizeof *end));
    if (!rc)
        rc = pingo__store_db_next(db, stmt, &is_row, err);
    if (is_row) { /* shorter by its size, before it had one */
        size_t lacks = sizeof *end - (size_t)sqlite3_column_bytes(stmt, 0);
        memcpy((char *)end + lacks, sqlite3_column_blob(stmt, 0), sizeof *end - lacks);
        end->size = sizeof *end;
        sqlite3_reset(stmt);
    }
    if (!is_row || !is_end_of(end, key))
        *end = (struct pingo_job_end){.size = sizeof *end};
    return rc;
}

/* n, or -1 where it did not happen. */
static int64_t if_so(bool happened, int64_t n)
{
    return happened ? n : -1;
}

int pingo__store_attempt_end(struct pingo__store_db *db, struct pingo__store_ended *ended,
                             struct pingo_error *err)
{
    const struct pingo_job_end *e = ended->end;
    bool ran = ended->ran = e->started_ms > 0 && e->reason != PINGO_END_NOT_STARTED;
    int64_t error = 0;
    ended->node = ran && *e->node ? e->node : NULL;
    int rc = pingo__store_failure_note(db, ended, &error, err);
    if (!rc)
        rc = pingo__store_summary_add(db, ended, error, err);
    bool exited = e->reason == PINGO_END_EXITED || e->reason == PINGO_END_NO_OUTPUT ||
                  e->reason == PINGO_END_BAD_OUTPUT;
    return rc ? rc
              : pingo__db_write(
                    db, err,
                    "UPDATE OR ROLLBACK attempt SET state = " ATTEMPT_ENDED
                    ", unwanted = 0, reason = ?3, exit_code = ?4, signal = ?5, started_ms ="
                    " coalesce(?6, started_ms), ended_ms = ?7, wall_ms = ?8, user_ms = ?9,"
                    " system_ms = ?10, max_rss_bytes = ?11, confined = ?12, host = ?13, touched ="
                    " NULL,"
                    " told = NULL, error = ?14 WHERE action = ?1 AND epoch = ?2 AND " OPEN,
                    INT(e->key.action), INT(e->key.epoch), INT(e->reason),
                    OPT(if_so(exited, e->exit_code)),
                    OPT(if_so(e->reason == PINGO_END_SIGNALED, e->signal)),
                    OPT(if_so(ran, e->started_ms)), OPT(e->ended_ms), OPT(if_so(ran, e->wall_ms)),
                    OPT(if_so(ran, e->user_ms)), OPT(if_so(ran, e->system_ms)),
                    OPT(if_so(ran, e->max_rss_bytes)), OPT(if_so(ran, e->confined)),
                    TEXT(ended->node), INT(error));
}

int pingo__store_attempt_take(struct pingo__store_db *db, struct pingo_job_key key, int64_t from,
                              int64_t to, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "UPDATE action SET owner = ?4 WHERE id = ?1 AND epoch = ?2"
                             " AND " CLAIMED " AND EXISTS (SELECT 1 FROM attempt WHERE action = ?1"
                             " AND epoch = ?2 AND owner = ?3 AND " OPEN ")",
                             INT(key.action), INT(key.epoch), INT(from), INT(to));
    return rc ? rc
              : pingo__db_write(db, err,
                                "UPDATE attempt SET owner = ?4 WHERE action = ?1 AND epoch = ?2"
                                " AND owner = ?3 AND " OPEN,
                                INT(key.action), INT(key.epoch), INT(from), INT(to));
}

/* ---- reading ------------------------------------------------------------------------- */

PINGO__LIST(pingo__store_attempt_list_open(DB, int64_t owner, bool unwanted_only,
                                           struct pingo__store_attempt_list *list, ERR),
            attempts, list,
            PINGO__SELECT(ATTEMPT) " FROM attempt WHERE owner = ? AND unwanted >= ? AND " OPEN
                                   " ORDER BY action, epoch",
            INT(owner), INT(unwanted_only));

static PINGO__GET(
    last(DB, int64_t action, struct pingo__arena *arena, struct pingo__store_attempt_row *row, ERR),
    last_ones, arena, row,
    PINGO__SELECT(LAST_ONE) " FROM attempt WHERE action = ?1 ORDER BY epoch DESC LIMIT 1",
    INT(action));

/* Here first: whoever has none here is rare, and all of an action's go together.  */
int pingo__store_attempt_last(struct pingo__store_db *db, int64_t action, struct pingo__arena *arena,
                              struct pingo__store_attempt_row *row, struct pingo_error *err)
{
    struct pingo__store_db *month = NULL;
    int rc = last(db, action, arena, row, err);
    if (rc || row->key.action)
        return rc;
    rc = pingo__store_archive_of_action(db, action, &month, err);
    return rc || month == db ? rc : last(month, action, arena, row, err);
}

int pingo__store_attempt_find(struct pingo__store_db *db, struct pingo_job_key key,
                              struct pingo__store_attempt_row *row, struct pingo_error *err)
{
    struct pingo__store_db *month = NULL;
    int rc = pingo__store_attempt_get(db, key, NULL, row, err);
    if (rc || row->key.action)
        return rc;
    rc = pingo__store_archive_of_action(db, key.action, &month, err);
    return rc || month == db ? rc : pingo__store_attempt_get(month, key, NULL, row, err);
}

PINGO__GET(pingo__store_attempt_get(DB, struct pingo_job_key key, struct pingo__arena *arena,
                                    struct pingo__store_attempt_row *row, ERR),
           attempts, arena, row,
           PINGO__SELECT(ATTEMPT) " FROM attempt WHERE action = ? AND epoch = ?", INT(key.action),
           INT(key.epoch));

PINGO__LIST(pingo__store_attempt_list_unsettled(DB, const char *executor,
                                                struct pingo__store_key_list *list, ERR),
            keys, list, PINGO__SELECT(KEY) " FROM attempt WHERE " OPEN " AND executor = ?",
            TEXT(executor));

PINGO__LIST(pingo__store_attempt_list_groups(DB, int64_t workflow,
                                             struct pingo__store_attempt_group_list *list, ERR),
            groups, list,
            PINGO__SELECT(GROUP) " FROM attempt t JOIN action a ON a.id = t.action AND a.epoch ="
                                 " t.epoch WHERE " T_OPEN " AND t.unwanted >= 0 AND " A_HANDED
                                 " AND (?1 = 0 OR a.workflow = ?1) GROUP BY t.executor, t.owner",
            INT(workflow));

PINGO__LIST(pingo__store_attempt_list_scratch(DB, bool unmeasured, size_t limit,
                                              struct pingo__store_key_list *list, ERR),
            keys, list,
            PINGO__SELECT(KEY) " FROM attempt WHERE scratch_bytes IS NOT NULL AND"
                               " scratch_bytes <= ? LIMIT ?",
            INT(unmeasured ? (int64_t)0 : INT64_MAX), INT(limit));

int pingo__store_attempt_list_of_workflow(struct pingo__store_db *db, int64_t workflow,
                                          struct pingo__store_key_list *list,
                                          struct pingo_error *err)
{
    struct pingo__store_reading r;
    int rc = pingo__store_archive_begin(db, workflow, &r, err);
    if (!rc)
        rc = pingo__db_list(r.db, err, &keys, list,
                            PINGO__SELECT(KEY) " FROM attempt WHERE action IN"
                                               " (SELECT id FROM action WHERE workflow = ?)",
                            INT(workflow));
    return pingo__store_archive_end(&r, rc);
}
