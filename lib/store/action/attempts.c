/* attempts.c - one try at running an action; see actions.h. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "store/action/actions.h"
#include "store/archive/archive.h"
#include "store/submission/graph.h"
#include "store/action/summary.h"

#define OPEN ATTEMPT_IS_OPEN("state")

/* clang-format off */
#define INSERTED(F, T)                                                                             \
    F(T, INT, key.action, ) F(T, INT, key.epoch, ) F(T, TEXT, executor, ) F(T, INT, owner, )       \
    F(T, INT, handed_ms, ) F(T, INT, memory_mb, ) F(T, INT, memory_from, )
#define ATTEMPT(F, T)                                                                              \
    F(T, INT, key.action, "action") F(T, INT, key.epoch, "epoch") F(T, TEXT, executor, "executor") \
    F(T, INT, owner, "owner") F(T, INT, state, "state") F(T, INT, unwanted, "unwanted")            \
    F(T, OPT, reason, "reason") F(T, OPT, exit_code, "exit_code") F(T, OPT, signal, "signal")      \
    F(T, OPT, handed_ms, "handed_ms") F(T, OPT, started_ms, "started_ms")                          \
    F(T, OPT, ended_ms, "ended_ms") F(T, OPT, wall_ms, "wall_ms") F(T, OPT, user_ms, "user_ms")    \
    F(T, OPT, system_ms, "system_ms") F(T, OPT, max_rss_bytes, "max_rss_bytes")                    \
    F(T, OPT, memory_mb, "memory_mb") F(T, INT, memory_from, "memory_from")                        \
    F(T, OPT, scratch_bytes, "scratch_bytes") F(T, OPT, confined, "confined") F(T, TEXT, node, "host")  \
    F(T, TEXT, job, "job") F(T, TEXT, progress, "progress")
#define ATTEMPT_OF(F, T)                                                                           \
    ATTEMPT(F, T) F(T, INT, position, "place") F(T, OPT, user_id, "node_id")                       \
    F(T, TEXT, name, "node_name")
#define FAILED_OF(F, T)                                                                            \
    ATTEMPT_OF(F, T) F(T, INT, error, "error") F(T, INT, workflow, "of_workflow")                  \
    F(T, TEXT, user, "of_user") F(T, INT, retried, "again")                                        \
    F(T, INT, category, "(SELECT e.category FROM error e WHERE e.id = attempt.error)")             \
    F(T, TEXT, text, "(SELECT e.text FROM error e WHERE e.id = attempt.error)")
#define LAST_ONE(F, T)                                                                             \
    ATTEMPT(F, T) F(T, INT, nstarted, "(SELECT count(n.started_ms) FROM attempt n WHERE n.action = ?1)")
#define OPEN_ONE(F, T)                                                                             \
    F(T, INT, key.action, "action") F(T, TEXT, executor, "executor")                               \
    F(T, OPT, handed_ms, "handed_ms") F(T, OPT, started_ms, "started_ms")
#define GROUP(F, T)                                                                                \
    F(T, TEXT, executor, "t.executor") F(T, INT, owner, "t.owner") F(T, INT, n, "count(*)")
#define KEY(F, T) F(T, INT, action, "action") F(T, INT, epoch, "epoch")
/* clang-format on */
PINGO__KIND(inserted, struct pingo__store_attempt_row, INSERTED);
PINGO__KIND(attempts, struct pingo__store_attempt_row, ATTEMPT);
PINGO__KIND(attempts_of, struct pingo__store_attempt_row, ATTEMPT_OF);
PINGO__KIND(failed_of, struct pingo__store_attempt_row, FAILED_OF);
PINGO__KIND(last_ones, struct pingo__store_attempt_row, LAST_ONE);
PINGO__KIND(open_ones, struct pingo__store_attempt_row, OPEN_ONE);
PINGO__KIND(groups, struct pingo__store_attempt_group, GROUP);
PINGO__KIND(keys, struct pingo_job_key, KEY);
#define SELECT(FIELDS) PINGO__SELECT(FIELDS)

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

int pingo__store_attempt_open(struct pingo__store_db *db, struct pingo_job_key key,
                              struct pingo__arena *arena, struct pingo__store_attempt_row *row,
                              struct pingo_error *err)
{
    return pingo__db_row(db, err, &open_ones, arena, row,
                         PINGO__SELECT(OPEN_ONE) " FROM attempt"
                                                 " WHERE action = ? AND epoch = ? AND " OPEN,
                         INT(key.action), INT(key.epoch));
}

int pingo__store_attempt_set_touched(struct pingo__store_db *db, struct pingo_job_key key,
                                     const void *bytes, size_t length, struct pingo_error *err)
{
    return pingo__db_write(db, err,
                           "UPDATE attempt SET touched = ?3 WHERE action = ?1 AND epoch = ?2",
                           INT(key.action), INT(key.epoch), BLOB(bytes, length));
}

int pingo__store_attempt_touched(struct pingo__store_db *db, struct pingo_job_key key,
                                 struct pingo__arena *arena, struct pingo__store_bytes *bytes,
                                 struct pingo_error *err)
{
    return pingo__db_row(db, err, &pingo__store_blobs, arena, bytes,
                         "SELECT 0, touched FROM attempt WHERE action = ? AND epoch = ?",
                         INT(key.action), INT(key.epoch));
}

int pingo__store_attempt_set_told(struct pingo__store_db *db, const struct pingo_job_end *end,
                                  struct pingo_error *err)
{
    return pingo__db_write(
        db, err, "UPDATE attempt SET told = ?3 WHERE action = ?1 AND epoch = ?2 AND " OPEN,
        INT(end->key.action), INT(end->key.epoch), BLOB(end, sizeof *end));
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

int pingo__store_attempt_set_job(struct pingo__store_db *db, struct pingo_job_key key,
                                 const char *name, struct pingo_error *err)
{
    return pingo__db_write(db, err, "UPDATE attempt SET job = ?3 WHERE action = ?1 AND epoch = ?2",
                           INT(key.action), INT(key.epoch), TEXT(name));
}

int pingo__store_attempt_set_progress(struct pingo__store_db *db, struct pingo_job_key key,
                                      const char *json, struct pingo_error *err)
{
    return pingo__db_write(db, err,
                           "UPDATE attempt SET progress = ?3 WHERE action = ?1 AND epoch = ?2",
                           INT(key.action), INT(key.epoch), TEXT(json));
}

int pingo__store_attempt_started(struct pingo__store_db *db, struct pingo_job_key key,
                                 int64_t now_ms, bool *is_now, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "UPDATE attempt SET state = " ATTEMPT_STARTED
                             ", started_ms = ?3 WHERE action = ?1 AND epoch = ?2 AND"
                             " state = " ATTEMPT_HANDED,
                             INT(key.action), INT(key.epoch), INT(now_ms));
    *is_now = !rc && pingo__store_db_has_changed(db);
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
                    ", unwanted = 0, reason = ?3, exit_code = ?4, signal = ?5,"
                    " started_ms = coalesce(?6, started_ms), ended_ms = ?7, wall_ms = ?8, user_ms "
                    "= ?9,"
                    " system_ms = ?10, max_rss_bytes = ?11, confined = ?12, host = ?13, touched = "
                    "NULL,"
                    " told = NULL, error = ?14 WHERE action = ?1 AND epoch = ?2 AND " OPEN,
                    INT(e->key.action), INT(e->key.epoch), INT(e->reason),
                    OPT(if_so(exited, e->exit_code)),
                    OPT(if_so(e->reason == PINGO_END_SIGNALED, e->signal)),
                    OPT(if_so(ran, e->started_ms)), OPT(e->ended_ms), OPT(if_so(ran, e->wall_ms)),
                    OPT(if_so(ran, e->user_ms)), OPT(if_so(ran, e->system_ms)),
                    OPT(if_so(ran, e->max_rss_bytes)), OPT(if_so(ran, e->confined)),
                    TEXT(ended->node), INT(error));
}

int pingo__store_attempt_delete(struct pingo__store_db *db, struct pingo_job_key key,
                                struct pingo_error *err)
{
    return pingo__db_write(db, err, "DELETE FROM attempt WHERE action = ? AND epoch = ?",
                           INT(key.action), INT(key.epoch));
}

int pingo__store_attempt_unwant(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    return pingo__db_write(db, err, "UPDATE attempt SET unwanted = 1 WHERE action = ? AND " OPEN,
                           INT(action));
}

int pingo__store_attempt_count_before(struct pingo__store_db *db, struct pingo_job_key key,
                                      int64_t *n, struct pingo_error *err)
{
    return pingo__db_number(db, err, n,
                            "SELECT count(*) FROM attempt WHERE action = ? AND epoch < ? AND"
                            " started_ms IS NOT NULL",
                            INT(key.action), INT(key.epoch));
}

int pingo__store_attempt_take(struct pingo__store_db *db, struct pingo_job_key key, int64_t from,
                              int64_t to, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "UPDATE attempt SET owner = ?4 WHERE action = ?1 AND epoch = ?2 AND"
                             " owner = ?3 AND " OPEN,
                             INT(key.action), INT(key.epoch), INT(from), INT(to));
    return rc || !pingo__store_db_has_changed(db)
               ? rc
               : pingo__store_action_set_owner(db, key.action, to, err);
}

int pingo__store_attempt_oldest(struct pingo__store_db *db, int64_t *handed_ms,
                                struct pingo_error *err)
{
    *handed_ms = 0;
    return pingo__db_number(db, err, handed_ms, "SELECT min(handed_ms) FROM attempt WHERE " OPEN,
                            NONE);
}

int pingo__store_attempt_count_owned(struct pingo__store_db *db, int64_t owner, int64_t *n,
                                     struct pingo_error *err)
{
    return pingo__db_number(db, err, n, "SELECT count(*) FROM attempt WHERE owner = ? AND " OPEN,
                            INT(owner));
}

/* ---- reading ------------------------------------------------------------------------- */

int pingo__store_attempt_list_open(struct pingo__store_db *db, int64_t owner, bool unwanted_only,
                                   struct pingo__store_attempt_list *list, struct pingo_error *err)
{
    return pingo__db_list(
        db, err, &attempts, list,
        SELECT(ATTEMPT) " FROM attempt WHERE owner = ? AND unwanted >= ? AND " OPEN
                        " ORDER BY action, epoch",
        INT(owner), INT(unwanted_only));
}

static int list_of(struct pingo__store_db *db, const struct pingo__store_attempt_range *range,
                   struct pingo__store_attempt_list *list, struct pingo_error *err)
{
    return pingo__db_list(
        db, err, &attempts_of, list,
        SELECT(ATTEMPT_OF) " FROM"
                           " (SELECT a.position AS place, a.id AS made, n.user_id AS node_id, "
                           "n.name AS node_name"
                           " FROM workflow w CROSS JOIN action a ON a.workflow = "
                           "w.id" PINGO__JOIN_NODE(
                               "LEFT", "w.graph",
                               "a.position") "WHERE w.id = ?1 AND (?2 < 0 OR a.position = ?2) AND "
                                             "a.position >= ?3)"
                                             " CROSS JOIN attempt ON action = made"
                                             " WHERE (place, made, epoch) > (?3, ?4, ?5) ORDER BY "
                                             "place, made, epoch "
                                             "LIMIT ?6",
        INT(range->workflow), INT(range->position), INT(range->at[0]), INT(range->at[1]),
        INT(range->at[2]), INT(range->limit));
}

int pingo__store_attempt_list_of(struct pingo__store_db *db,
                                 const struct pingo__store_attempt_range *range,
                                 struct pingo__store_attempt_list *list, struct pingo_error *err)
{
    struct pingo__store_reading r;
    int rc = pingo__store_archive_begin(db, range->workflow, &r, err);
    return pingo__store_archive_end(&r, rc ? rc : list_of(r.db, range, list, err));
}

/* ?1 to ?4: of whom, ?5 to ?7: behind which, ?8: how many; from is a source with what it must meet. */
#define LIST_ENDED(from)                                                                           \
    SELECT(FAILED_OF)                                                                              \
    " FROM (SELECT t.action AS made, t.epoch AS which, t.ended_ms AS at, a.position AS place,"     \
    " n.user_id AS node_id, n.name AS node_name, w.id AS of_workflow, w.user AS of_user,"          \
    " " PINGO__END_RETRIED " AS again FROM" from " AND (?1 IS NULL OR t.executor = ?1)"            \
    " AND (?2 IS NULL OR coalesce(t.host, '') = ?2) AND (?3 IS NULL OR w.user = ?3)"               \
    " AND (?4 IS NULL OR n.name = ?4) AND (t.ended_ms, t.action, t.epoch) < (?5, ?6, ?7)"          \
    " ORDER BY t.ended_ms DESC, t.action DESC, t.epoch DESC LIMIT ?8)"                             \
    " CROSS JOIN attempt ON action = made AND epoch = which"                                       \
    " ORDER BY at DESC, made DESC, which DESC"
#define NODE PINGO__JOIN_NODE("CROSS", "w.graph", "a.position")
#define LIST_BINDS                                                                                 \
    TEXT(q->executor), TEXT(q->node), TEXT(q->user), TEXT(q->name), INT(q->at[0]), INT(q->at[1]),  \
        INT(q->at[2]), INT(q->limit)

static int list_failed(struct pingo__store_db *db, const struct pingo__store_failed_query *q,
                       struct pingo__store_attempt_list *list, struct pingo_error *err)
{
    /* What was told already is not read again: the index takes one bound above. */
    int64_t until = q->at[0] < q->until_ms ? q->at[0] + 1 : q->until_ms;
    if (q->row)
        return pingo__db_list(db, err, &failed_of, list,
                              LIST_ENDED(PINGO__ENDS NODE
                                         "WHERE t.action = ?9 AND (?10 = 0 OR t.epoch = ?10)"
                                         " AND t.state = " ATTEMPT_ENDED),
                              LIST_BINDS, INT(q->row), INT(q->epoch));
    if (q->error)
        return pingo__db_list(db, err, &failed_of, list,
                              LIST_ENDED(PINGO__ENDS_OF_ERROR NODE
                                         "WHERE t.error > 0 AND t.error = ?9 AND t.ended_ms >= ?10"
                                         " AND t.ended_ms < ?11"),
                              LIST_BINDS, INT(q->error), INT(q->since_ms), INT(until));
    return pingo__db_list(db, err, &failed_of, list,
                          LIST_ENDED(PINGO__ENDS_FAILED NODE
                                     "WHERE t.error > 0 AND t.ended_ms >= ?9 AND t.ended_ms < ?10"),
                          LIST_BINDS, INT(q->since_ms), INT(until));
}

/* Is a told before b? */
static bool is_later(const struct pingo__store_attempt_row *a,
                     const struct pingo__store_attempt_row *b)
{
    if (a->ended_ms != b->ended_ms)
        return a->ended_ms > b->ended_ms;
    return a->key.action != b->key.action ? a->key.action > b->key.action
                                          : a->key.epoch > b->key.epoch;
}

/* Two lists in that order become one, of at most so many. */
static int merge(struct pingo__store_attempt_list *list,
                 const struct pingo__store_attempt_list *other, size_t limit,
                 struct pingo_error *err)
{
    size_t i = 0, k = 0, n = 0, all = list->n + other->n;
    struct pingo__store_attempt_row *rows = pingo__arena_array(list->arena, all + 1, sizeof *rows);
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

/* Files whose failures are all older than a full list are not asked. */
static int add_archived(struct pingo__store_db *db, const struct pingo__store_failed_query *q,
                        struct pingo__store_attempt_list *list, bool *same, struct pingo_error *err)
{
    struct pingo__store_archive_list files = {.arena = list->arena};
    int64_t until = q->at[0] < q->until_ms ? q->at[0] + 1 : q->until_ms;
    int rc = pingo__store_archive_failed(db, q->since_ms, until, &files, err);
    for (size_t i = 0; !rc && *same && i < files.n; i++) {
        struct pingo__store_attempt_list more = {.arena = list->arena};
        struct pingo__store_db *month = NULL;
        if (list->n >= q->limit && files.rows[i].last_failed_ms < list->rows[list->n - 1].ended_ms)
            break;
        rc = pingo__store_archive_begin_file(db, &files.rows[i], &month, same, err);
        if (!rc && *same)
            rc = list_failed(month, q, &more, err);
        if (month && month != db)
            pingo__store_db_rollback(month);
        if (!rc && more.n)
            rc = merge(list, &more, q->limit, err);
    }
    return rc;
}

static int list_all(struct pingo__store_db *db, const struct pingo__store_failed_query *q,
                    struct pingo__store_attempt_list *list, bool *same, struct pingo_error *err)
{
    struct pingo__store_reading r;
    int rc = pingo__store_archive_begin(db, 0, &r, err); /* all is seen together */
    *same = true;
    if (!rc && q->row)
        rc = pingo__store_archive_of_action(db, q->row, &r.db, err);
    if (!rc)
        rc = list_failed(r.db, q, list, err);
    if (!rc && !q->row)
        rc = add_archived(db, q, list, same, err);
    return pingo__store_archive_end(&r, rc);
}

int pingo__store_attempt_list_failed(struct pingo__store_db *db,
                                     const struct pingo__store_failed_query *q,
                                     struct pingo__store_attempt_list *list, struct pingo_error *err)
{
    bool same = false;
    int rc = 0;
    for (int i = 0; !rc && !same && i < PINGO__ARCHIVE_TRIES; i++)
        rc = list_all(db, q, list, &same, err);
    return rc;
}

static int last(struct pingo__store_db *db, int64_t action, struct pingo__arena *arena,
                struct pingo__store_attempt_row *row, struct pingo_error *err)
{
    return pingo__db_row(
        db, err, &last_ones, arena, row,
        SELECT(LAST_ONE) " FROM attempt WHERE action = ?1 ORDER BY epoch DESC LIMIT 1", INT(action));
}

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
                              struct pingo__arena *arena, struct pingo__store_attempt_row *row,
                              struct pingo_error *err)
{
    struct pingo__store_db *month = NULL;
    int rc = pingo__store_attempt_get(db, key, arena, row, err);
    if (rc || row->key.action)
        return rc;
    rc = pingo__store_archive_of_action(db, key.action, &month, err);
    return rc || month == db ? rc : pingo__store_attempt_get(month, key, arena, row, err);
}

int pingo__store_attempt_get(struct pingo__store_db *db, struct pingo_job_key key,
                             struct pingo__arena *arena, struct pingo__store_attempt_row *row,
                             struct pingo_error *err)
{
    return pingo__db_row(db, err, &attempts, arena, row,
                         SELECT(ATTEMPT) " FROM attempt WHERE action = ? AND epoch = ?",
                         INT(key.action), INT(key.epoch));
}

int pingo__store_attempt_list_unsettled(struct pingo__store_db *db, const char *executor,
                                        struct pingo__store_key_list *list, struct pingo_error *err)
{
    return pingo__db_list(db, err, &keys, list,
                          SELECT(KEY) " FROM attempt WHERE " OPEN " AND executor = ?",
                          TEXT(executor));
}

int pingo__store_attempt_list_groups(struct pingo__store_db *db, int64_t workflow,
                                     struct pingo__store_attempt_group_list *list,
                                     struct pingo_error *err)
{
    return pingo__db_list(
        db, err, &groups, list,
        SELECT(GROUP) " FROM attempt t JOIN action a ON a.id = t.action AND a.epoch = t.epoch"
                      " WHERE " ATTEMPT_IS_OPEN("t.state") " AND t.unwanted >= 0 "
                                                           "AND " ACTION_IS_HANDED(
                                                               "a.state") " AND"
                                                                          " (?1 = 0 OR a.workflow "
                                                                          "= ?1) GROUP BY "
                                                                          "t.executor, t.owner",
        INT(workflow));
}

int pingo__store_attempt_set_scratch(struct pingo__store_db *db, struct pingo_job_key key,
                                     int64_t bytes, struct pingo_error *err)
{
    return pingo__db_write(db, err,
                           "UPDATE attempt SET scratch_bytes = ?3 WHERE action = ?1 AND"
                           " epoch = ?2 AND state = " ATTEMPT_ENDED,
                           INT(key.action), INT(key.epoch), OPT(bytes));
}

int pingo__store_attempt_list_scratch(struct pingo__store_db *db, bool unmeasured, size_t limit,
                                      struct pingo__store_key_list *list, struct pingo_error *err)
{
    return pingo__db_list(db, err, &keys, list,
                          SELECT(KEY) " FROM attempt WHERE scratch_bytes IS NOT NULL AND"
                                      " scratch_bytes <= ? LIMIT ?",
                          INT(unmeasured ? (int64_t)0 : INT64_MAX), INT(limit));
}

int pingo__store_attempt_list_of_workflow(struct pingo__store_db *db, int64_t workflow,
                                          struct pingo__store_key_list *list,
                                          struct pingo_error *err)
{
    struct pingo__store_reading r;
    int rc = pingo__store_archive_begin(db, workflow, &r, err);
    if (!rc)
        rc = pingo__db_list(r.db, err, &keys, list,
                            SELECT(KEY) " FROM attempt WHERE action IN"
                                        " (SELECT id FROM action WHERE workflow = ?)",
                            INT(workflow));
    return pingo__store_archive_end(&r, rc);
}
