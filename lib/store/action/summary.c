/* summary.c - see summary.h: filling. */
#include "store/action/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "digest/sha256.h"
#include "store/submission/graph.h"
#include "store/migrations/migrations.h"

#define SUMS_AT_ONCE 16
#define HALVES 48 /* in a day */

/* ---- kinds of failures ---------------------------------------------------------------------- */

#define KIND(F, T) F(T, INT, id, "id") F(T, TEXT, examples, "examples")
PINGO__ROW(kinds, struct kind, KIND);

static void digest_of(const struct pingo__rules_failure *f, struct pingo_hash *digest)
{
    char said[64 + sizeof f->text];
    int n = snprintf(said, sizeof said, "%d %" PRId64 " %" PRId64 " %" PRId64 " %s",
                     (int)f->category, f->reason, f->exit_code, f->signal, f->text);
    pingo__digest_sha256(said, (size_t)n, digest);
}

/* A new row; where there are too many, that of all others of its category. */
static int make_kind(struct pingo__store_db *db, const struct pingo__rules_failure *f,
                     const struct pingo_hash *digest, struct kind *kind, struct pingo_error *err)
{
    int64_t last = PINGO__FAILURE_FIRST - 1;
    int rc = pingo__db_number(db, err, &last, "SELECT max(max(id), ?) FROM error",
                              INT(PINGO__FAILURE_FIRST - 1));
    if (!rc && last + 1 >= PINGO__FAILURE_FIRST + PINGO__FAILURE_KINDS)
        return pingo__db_row(db, err, &kinds, NULL, kind,
                             PINGO__SELECT(KIND) " FROM error WHERE id = ?", INT(f->category));
    kind->id = last + 1;
    return rc ? rc
              : pingo__db_write(db, err,
                                "INSERT INTO error(id, digest, category, reason, exit_code,"
                                " signal, text) VALUES(?, ?, ?, ?, ?, ?, ?)",
                                INT(kind->id), HASH(digest), INT(f->category), INT(f->reason),
                                OPT(f->exit_code), OPT(f->signal), TEXT(f->text));
}

/* The new one, and the two newest before it that are of other actions. */
static void add_example(const struct pingo__store_ended *e, const char *examples,
                        char text[PINGO__FAILURE_EXAMPLES_SIZE])
{
    const size_t size = PINGO__FAILURE_EXAMPLES_SIZE;
    size_t own = (size_t)snprintf(text, size, "%" PRId64 ".%" PRId64 ".", e->workflow, e->id);
    size_t at = own + (size_t)snprintf(text + own, size - own, "%" PRId64, e->end->key.epoch);
    for (int kept = 0; kept < 2 && *examples;) {
        size_t n = strcspn(examples, " ");
        if (strncmp(examples, text, own) != 0) {
            at += (size_t)snprintf(text + at, size - at, " %.*s", (int)n, examples);
            kept++;
        }
        examples += n + (examples[n] == ' ');
    }
}

static int find_kind(struct pingo__store_db *db, const struct pingo__rules_failure *f,
                     struct pingo__arena *arena, struct kind *kind, struct pingo_error *err)
{
    struct pingo_hash digest;
    digest_of(f, &digest);
    int rc = pingo__db_row(db, err, &kinds, arena, kind,
                           PINGO__SELECT(KIND) " FROM error WHERE digest = ?", HASH(&digest));
    return rc || kind->id ? rc : make_kind(db, f, &digest, kind, err);
}

int pingo__store_failure_find(struct pingo__store_db *db, int64_t error, struct pingo_error *err)
{
    int64_t n = 0, last = 0;
    int rc = pingo__db_number(db, err, &n, "SELECT count(*) FROM error WHERE id = ? AND n > 0",
                              INT(error));
    if (!rc && !n)
        rc = pingo__db_number(db, err, &last, "SELECT max(id) FROM error WHERE n > 0", NONE);
    if (rc || n)
        return rc;
    return pingo__fail(err, PINGO_ENOTFOUND,
                       last ? "there is no error %lld; the last is %lld"
                            : "there is no error %lld: nothing has failed yet",
                       (long long)error, (long long)last);
}

int pingo__store_failure_note(struct pingo__store_db *db, const struct pingo__store_ended *e,
                              int64_t *error, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct kind kind = {0};
    char examples[PINGO__FAILURE_EXAMPLES_SIZE];
    *error = 0;
    if (!e->failure->category)
        return 0;
    int rc = find_kind(db, e->failure, &arena, &kind, err);
    if (!rc) {
        add_example(e, kind.examples ? kind.examples : "", examples);
        rc = pingo__db_write(db, err,
                             "UPDATE error SET n = n + 1, examples = ?2,"
                             " first_ms = min(coalesce(first_ms, ?3), ?3),"
                             " last_ms = max(coalesce(last_ms, ?3), ?3) WHERE id = ?1",
                             INT(kind.id), TEXT(examples), INT(e->end->ended_ms));
    }
    *error = kind.id;
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* clang-format off */
#define SUM(F, T)                                                                                  \
    F(T, INT, step, ) F(T, INT, error, ) F(T, TEXT, executor, ) F(T, TEXT, node, )                 \
    F(T, INT, workflow, ) F(T, INT, n, ) F(T, INT, wall_ms, ) F(T, INT, cpu_ms, )                  \
    F(T, INT, wait_ms, ) F(T, INT, retried, ) F(T, INT, retried_ms, )
/* clang-format on */
PINGO__KIND(sums, struct pingo__store_sum, SUM);
#define ADD(table)                                                                                 \
    "INSERT INTO " table " SELECT ?1, ?2, ?3, ?4, user, ?6, ?7, ?8, ?9, ?10, ?11 FROM workflow"    \
    " WHERE id = ?5" PINGO__SUMS_ADDED

/* One old half hour at most for each new one. */
static int trim(struct pingo__store_db *db, int64_t now, struct pingo_error *err)
{
    if (db->sums_step == now)
        return 0;
    db->sums_step = now;
    int rc = pingo__store_totals_fold(db, now / HALVES, err);
    return rc ? rc
              : pingo__db_write(
                    db, err,
                    "DELETE FROM summary_30m WHERE step < ? AND step = (SELECT min(step)"
                    " FROM summary_30m)",
                    INT(now - PINGO__SUMMARY_KEPT));
}

static int save_one(struct pingo__store_db *db, const struct pingo__store_sum *s, int64_t now,
                    struct pingo_error *err)
{
    struct pingo__store_sum day = *s;
    int rc = 0;
    day.step /= HALVES;
    if (s->step >= now - PINGO__SUMMARY_KEPT)
        rc = pingo__store_db_put(db, ADD("summary_30m"), &sums, s, err);
    if (!rc) /* whatever day it is: the clock may have been ahead when days were summed */
        rc = pingo__store_totals_add_late(db, &day, err);
    return rc ? rc : pingo__store_db_put(db, ADD("summary_day"), &sums, &day, err);
}

int pingo__store_summary_save(struct pingo__store_db *db, struct pingo_error *err)
{
    if (!db->nsums)
        return 0;
    int64_t now = pingo__store_db_now_ms(db) / PINGO__SUMMARY_STEP_MS;
    int rc = trim(db, now, err);
    for (size_t i = 0; !rc && i < db->nsums; i++)
        rc = save_one(db, &db->sums[i], now, err);
    pingo__store_summary_drop(db);
    return rc;
}

void pingo__store_summary_drop(struct pingo__store_db *db)
{
    pingo__arena_clear(&db->sums_arena);
    db->sums = NULL;
    db->nsums = 0;
}

static int sum_for(struct pingo__store_db *db, const struct pingo__store_sum *key,
                   struct pingo__store_sum **sum, struct pingo_error *err)
{
    for (size_t i = 0; i < db->nsums; i++) {
        struct pingo__store_sum *s = *sum = &db->sums[i];
        if (s->step == key->step && s->error == key->error && s->workflow == key->workflow &&
            strcmp(s->executor, key->executor) == 0 && strcmp(s->node, key->node) == 0)
            return 0;
    }
    int rc = db->nsums == SUMS_AT_ONCE ? pingo__store_summary_save(db, err) : 0;
    if (!rc && !db->sums)
        db->sums = pingo__arena_array(&db->sums_arena, SUMS_AT_ONCE, sizeof *db->sums);
    if (rc || !db->sums)
        return rc ? rc : pingo__fail_memory(err);
    struct pingo__store_sum *s = *sum = &db->sums[db->nsums];
    *s = *key;
    s->executor = pingo__arena_text(&db->sums_arena, key->executor, strlen(key->executor));
    s->node = pingo__arena_text(&db->sums_arena, key->node, strlen(key->node));
    db->nsums += s->executor && s->node;
    return s->executor && s->node ? 0 : pingo__fail_memory(err);
}

#define LATER_SUCCESS                                                                              \
    "SELECT 1 FROM attempt WHERE action = ?1 AND epoch > ?2 AND state = " ATTEMPT_ENDED            \
    " AND error = 0"
/* What failed before this try of an action did, and since it last succeeded; nothing where a later try did already. */
#define BEFORE                                                                                     \
    "(SELECT coalesce(t.ended_ms, 0) / ?3 AS step, t.error, t.executor, coalesce(t.host, '') AS"   \
    " node, w.user, count(*) AS n, sum(" PINGO__END_WALL ") AS ms FROM" PINGO__ENDS                \
    " WHERE t.action = ?1 AND t.epoch < ?2 AND t.error > 0 AND t.epoch > coalesce((SELECT"         \
    " max(epoch) FROM attempt WHERE action = ?1 AND epoch < ?2 AND state = " ATTEMPT_ENDED         \
    " AND error = 0), 0) AND NOT EXISTS (" LATER_SUCCESS ") GROUP BY 1, 2, 3, 4, 5)"
#define RETRIED(table)                                                                             \
    "UPDATE " table                                                                                \
    " AS s SET retried = retried + b.n, retried_ms = retried_ms + b.ms FROM" BEFORE                \
    " b WHERE (s.step, s.error, s.executor, s.node, s.user) = (b.step, b.error, b.executor,"       \
    " b.node, b.user)"

static int count_retried(struct pingo__store_db *db, struct pingo_job_key key,
                         struct pingo_error *err)
{
    int rc = pingo__store_summary_save(db, err);
    if (!rc)
        rc = pingo__db_write(db, err, RETRIED("summary_30m"), INT(key.action), INT(key.epoch),
                             INT(PINGO__SUMMARY_STEP_MS));
    return rc ? rc
              : pingo__db_write(db, err, RETRIED("summary_day"), INT(key.action), INT(key.epoch),
                                INT(PINGO__SUMMARY_DAY_MS));
}

static int64_t known(int64_t ms)
{
    return ms > 0 ? ms : 0;
}

int pingo__store_summary_add(struct pingo__store_db *db, const struct pingo__store_ended *e,
                             int64_t error, struct pingo_error *err)
{
    const struct pingo_job_end *end = e->end;
    struct pingo__store_sum *sum = NULL,
                            key = {.step = known(end->ended_ms) / PINGO__SUMMARY_STEP_MS,
                                   .error = error,
                                   .workflow = e->workflow,
                                   .executor = e->executor,
                                   .node = e->node ? e->node : ""};
    int64_t began = e->ran ? end->started_ms : e->started_ms >= 0 ? e->started_ms : end->ended_ms;
    int64_t wall_ms = e->ran ? known(end->wall_ms) : 0;
    bool retried = false; /* ends are not always told in the order of tries */
    int rc = sum_for(db, &key, &sum, err);
    if (!rc && error)
        rc = pingo__db_exists(db, err, &retried, LATER_SUCCESS, INT(end->key.action),
                              INT(end->key.epoch));
    if (rc)
        return rc;
    sum->n++;
    sum->wall_ms += wall_ms;
    sum->retried += retried;
    sum->retried_ms += retried ? wall_ms : 0;
    sum->cpu_ms += e->ran ? known(end->user_ms) + known(end->system_ms) : 0;
    sum->wait_ms += known(began - e->handed_ms);
    return error || end->key.epoch == 1 ? 0 : count_retried(db, end->key, err);
}

/* ---- migration 8 ---------------------------------------------------------------------------- */

#define OLD_END(F, T)                                                                              \
    F(T, INT, reason, "coalesce(reason, 6)")                                                       \
    F(T, OPT, exit_code, "exit_code") F(T, OPT, signal, "signal")
PINGO__ROW(old_ends, struct old_end, OLD_END);
PINGO__STORE_LIST(old_end_list, struct old_end);

/* Of what its log said nothing is known any more. */
static int fill_failures(struct pingo__store_db *db, struct pingo__arena *arena,
                         struct pingo_error *err)
{
    struct old_end_list list = {.arena = arena};
    int rc = pingo__db_write(db, err,
                             "CREATE INDEX attempt_old_end ON attempt(coalesce(reason, 6),"
                             " exit_code, signal) WHERE state = " ATTEMPT_ENDED,
                             NONE); /* not all attempts for each kind */
    if (!rc)
        rc = pingo__db_list(
            db, err, &old_ends, &list,
            "SELECT DISTINCT 0" OLD_END(PINGO__COLUMN, ) " FROM attempt WHERE state"
                                                         " = " ATTEMPT_ENDED
                                                         " AND (reason IS NOT 0 OR exit_code IS NOT"
                                                         " 0)",
            NONE);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct old_end *o = &list.rows[i];
        struct pingo__rules_ended ended = {o->reason, o->exit_code, o->signal, false,
                                           true,      NULL,         "",        ""};
        struct pingo__rules_failure failure;
        struct kind kind = {0};
        pingo__rules_failure_of(&ended, &failure);
        rc = find_kind(db, &failure, arena, &kind, err);
        if (!rc)
            rc = pingo__db_write(
                db, err,
                "UPDATE attempt SET error = ?1 WHERE state = " ATTEMPT_ENDED
                " AND coalesce(reason, 6) = ?2 AND exit_code IS ?3 AND signal IS ?4",
                INT(kind.id), INT(o->reason), OPT(o->exit_code), OPT(o->signal));
    }
    return rc ? rc : pingo__db_write(db, err, "DROP INDEX attempt_old_end", NONE);
}

static const char sums_of_all[] =
    "INSERT INTO summary_30m SELECT * FROM (" PINGO__SUMS_30M ") WHERE step >="
    " CAST(strftime('%s', 'now') AS INTEGER) / 1800 - 4320;"
    "INSERT INTO summary_day " PINGO__SUMS_DAY ";"
    "UPDATE error SET (n, first_ms, last_ms) = (SELECT count(*), min(ended_ms), max(ended_ms) FROM"
    " attempt t WHERE t.error > 0 AND t.error = error.id);"
    "UPDATE error SET examples = coalesce((SELECT group_concat(w.id || '.' || n.user_id || '.' ||"
    " x.epoch, ' ') FROM (SELECT t.action, max(t.epoch) AS epoch FROM attempt t WHERE t.error > 0"
    " AND t.error = error.id GROUP BY t.action ORDER BY max(t.ended_ms) DESC LIMIT 3) x CROSS JOIN"
    " action a ON a.id ="
    " x.action" PINGO__JOIN_WORKFLOW_NODE("CROSS") "), '');";

int pingo__store_summary_fill(struct pingo__store_db *db, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    int rc = fill_failures(db, &arena, err);
    pingo__arena_clear(&arena);
    return rc ? rc : pingo__store_db_simple(db, sums_of_all, err);
}
