/* archive_move.c - see archive.h: what ended long ago is copied to its month file, marked, and deleted here.
 *
 * What always holds: a submission is marked only when all of it is in the file, and on the disk; what is deleted is
 * marked.  Copying again gives the same rows, deleting again nothing, so each step may be cut short anywhere.  A
 * transaction of a month file is never begun IMMEDIATE: that would lock the store, which is attached, for as long. */
#include <string.h>

#include "store/archive/archive_file.h"

enum {
    AT_ONCE = 1000,  /* submissions, */
    MARKED = 250,    /* and in a transaction */
    DELETED = 5000,  /* rows in a transaction, */
    DELETING_MS = 8, /* or so long; then the disk is waited for, under the same lock */
    PARENTS = 1000   /* dependencies of one action at once */
};

/* ---- which submissions --------------------------------------------------------------------------- */

struct leaver {
    int64_t workflow, ended_ms;
    const char *month;
    int64_t attempts, first_failed_ms, last_failed_ms; /* once they are copied */
};
PINGO__STORE_LIST(leaver_list, struct leaver);
/* clang-format off */
#define LEAVER(F, T)                                                                               \
    F(T, INT, workflow, "w.id") F(T, INT, ended_ms, "w.ended_ms")                                  \
    F(T, TEXT, month, "strftime('%Y-%m', w.ended_ms / 1000, 'unixepoch')")
#define COPIED(F, T)                                                                               \
    F(T, INT, attempts, "count(*)")                                                                \
    F(T, OPT, first_failed_ms, "min(iif(t.error > 0, t.ended_ms, NULL))")                          \
    F(T, OPT, last_failed_ms, "max(iif(t.error > 0, t.ended_ms, NULL))")
/* clang-format on */
PINGO__KIND(leavers, struct leaver, LEAVER);
PINGO__KIND(copied_kind, struct leaver, COPIED);

/* What has ended claims nothing, and what joined it has ended with it; scratch directories that are kept, and attempts
 * that are killed and still run, have rows that change. */
#define OLD                                                                                        \
    " FROM workflow w INDEXED BY workflow_old WHERE w.archived = 0 AND w.state "                   \
    "> " WORKFLOW_RUNNING                                                                          \
    " AND w.ended_ms < ?1 AND w.unfinished = 0 AND w.id NOT IN (SELECT a.workflow FROM attempt t"  \
    " INDEXED BY attempt_scratch CROSS JOIN action a ON a.id = t.action WHERE t.scratch_bytes IS"  \
    " NOT NULL) AND w.id NOT IN (SELECT a.workflow FROM attempt t INDEXED BY attempt_open CROSS"   \
    " JOIN action a ON a.id = t.action WHERE t.state < " ATTEMPT_ENDED ")"

PINGO__FUNCTION(pingo__store_move_is_due(const struct pingo__store_move *move, bool *is, ERR),
                return pingo__db_exists(
                    move->db, err, is,
                    "SELECT EXISTS (SELECT 1 FROM leaving) OR EXISTS (SELECT 1 FROM archive WHERE"
                    " sealed = 0 AND substr(name, 1, 7) < ?2) OR EXISTS (SELECT 1" OLD ")",
                    INT(move->before_ms), TEXT(move->sealed_before)));

int pingo__store_move_count(struct pingo__store_db *db, int64_t before_ms, int64_t *workflows,
                            int64_t *attempts, struct pingo_error *err)
{
    *workflows = *attempts = 0;
    int rc = pingo__db_number(db, err, workflows, "SELECT count(*)" OLD, INT(before_ms));
    return rc ? rc
              : pingo__db_number(db, err, attempts,
                                 "SELECT count(*) FROM (SELECT w.id AS id" OLD
                                 ") x CROSS JOIN action a ON a.workflow = x.id CROSS JOIN"
                                 " attempt t ON t.action = a.id",
                                 INT(before_ms));
}

/* ---- its file -------------------------------------------------------------------------------------- */

static int add_row(struct pingo__store_move *move, const char *month, int64_t *id,
                   struct pingo_error *err)
{
    int rc = pingo__store_db_begin(move->db, err);
    if (rc)
        return rc;
    rc = pingo__db_write(move->db, err,
                         "INSERT INTO archive(name) SELECT ?1 || iif(n = 0, '', '.' || (n + 1))"
                         " || '.db' FROM (SELECT count(*) AS n FROM archive WHERE"
                         " substr(name, 1, 7) = ?1)",
                         TEXT(month));
    *id = sqlite3_last_insert_rowid(move->db->sqlite);
    return pingo__store_move_unlock(move, rc, err);
}

static int is_large(struct pingo__store_move *move, bool *is, struct pingo_error *err)
{
    int64_t bytes = 0;
    int rc = pingo__db_number(move->month, err, &bytes,
                              "SELECT page_count * page_size FROM pragma_page_count('main'),"
                              " pragma_page_size('main')",
                              NONE);
    *is = bytes >= move->part_bytes;
    return rc;
}

static int use_month(struct pingo__store_move *move, const char *month, struct pingo_error *err)
{
    int64_t id = 0;
    bool large = false;
    int rc = pingo__db_number(move->db, err, &id,
                              "SELECT max(id) FROM archive WHERE substr(name, 1, 7) = ? AND"
                              " sealed = 0",
                              TEXT(month));
    if (!rc && id && id != move->month_id) {
        pingo__store_move_close(move);
        rc = pingo__store_move_open(move, id, err);
    }
    if (!rc && id)
        rc = is_large(move, &large, err);
    if (rc || (id && !large))
        return rc;
    pingo__store_move_close(move);
    rc = add_row(move, month, &id, err);
    return rc ? rc : pingo__store_move_open(move, id, err);
}

/* ---- copying --------------------------------------------------------------------------------------- */

#define PAGE " WHERE a.workflow = ?1 AND a.position >= ?2 AND a.position < ?2 + ?3"

/* First what is of actions that had these numbers before the database was put back from an older copy. */
static const char *const copied[] = {
    "DELETE FROM main.attempt WHERE action IN (SELECT a.id FROM action a" PAGE ")",
    "DELETE FROM main.dependency WHERE child IN (SELECT a.id FROM action a" PAGE ")",
    ("INSERT OR REPLACE INTO main.attempt SELECT t.* FROM action a CROSS JOIN store.attempt t"
     " ON t.action = a.id" PAGE),
    ("INSERT OR REPLACE INTO main.dependency SELECT d.* FROM action a CROSS JOIN store.dependency d"
     " ON d.child = a.id" PAGE),
};

/* Up to so many of its actions.  *done: all of it is copied. */
static int copy_some(struct pingo__store_move *move, struct leaver *l, int64_t *budget, bool *done,
                     struct pingo_error *err)
{
    struct pingo__store_db *m = move->month;
    int64_t at = 0, last = -1, n = *budget;
    struct leaver sums = {0};
    *done = false;
    int rc = pingo__db_number(m, err, &at,
                              "SELECT position FROM moved WHERE workflow = ? AND ended_ms = ?",
                              INT(l->workflow), INT(l->ended_ms));
    if (!rc)
        rc = pingo__db_number(m, err, &last, "SELECT max(position) FROM action WHERE workflow = ?",
                              INT(l->workflow));
    for (size_t i = 0; !rc && i < sizeof copied / sizeof *copied; i++)
        rc = pingo__db_write(m, err, copied[i], INT(l->workflow), INT(at), INT(n));
    if (rc)
        return rc;
    *done = at + n > last;
    *budget -= last - at < n ? last - at + 2 : n; /* and one for itself */
    if (*done)
        rc = pingo__db_row(m, err, &copied_kind, NULL, &sums,
                           PINGO__SELECT(COPIED) " FROM action a CROSS JOIN attempt t"
                                                 " ON t.action = a.id WHERE a.workflow = ?",
                           INT(l->workflow));
    l->attempts = sums.attempts;
    l->first_failed_ms = sums.first_failed_ms;
    l->last_failed_ms = sums.last_failed_ms;
    if (!rc)
        rc = pingo__db_write(m, err, "INSERT OR REPLACE INTO moved VALUES(?, ?, ?, ?)",
                             INT(l->workflow), INT(l->ended_ms), INT(at + n), INT(l->attempts));
    return rc;
}

static int copy(struct pingo__store_move *move, struct leaver_list *list, size_t *ncopied,
                struct pingo_error *err)
{
    int64_t budget = move->step;
    bool done = true;
    *ncopied = 0;
    int rc = use_month(move, list->rows[0].month, err);
    if (!rc)
        rc = pingo__store_db_simple(move->month, "BEGIN", err);
    if (rc)
        return rc;
    for (size_t i = 0; !rc && done && budget > 0 && i < list->n &&
                       strcmp(list->rows[i].month, list->rows[0].month) == 0;
         i++) {
        rc = copy_some(move, &list->rows[i], &budget, &done, err);
        *ncopied += !rc && done;
    }
    if (!rc)
        rc = pingo__store_db_simple(move->month, "COMMIT", err);
    if (rc)
        pingo__store_db_rollback(move->month);
    return rc;
}

/* ---- marking --------------------------------------------------------------------------------------- */

static int mark_one(struct pingo__store_move *move, const struct leaver *l, struct pingo_error *err)
{
    int rc = pingo__db_write(move->db, err,
                             "UPDATE workflow SET archived = ?2 WHERE id = ?1 AND archived = 0 AND"
                             " unfinished = 0 AND state > " WORKFLOW_RUNNING,
                             INT(l->workflow), INT(move->month_id));
    if (rc || !pingo__store_db_has_changed(move->db))
        return rc;
    move->workflows++;
    move->attempts += l->attempts;
    rc = pingo__db_write(move->db, err, "INSERT INTO leaving VALUES(?, -1, 0)", INT(l->workflow));
    return rc ? rc
              : pingo__db_write(
                    move->db, err,
                    "UPDATE archive SET workflows = workflows + 1, attempts = attempts + ?2,"
                    " first_ms = min(coalesce(first_ms, ?3), ?3),"
                    " last_ms = max(coalesce(last_ms, ?3), ?3),"
                    " first_failed_ms = min(coalesce(first_failed_ms, ?4), coalesce(?4,"
                    " first_failed_ms)), last_failed_ms = max(coalesce(last_failed_ms, ?5),"
                    " coalesce(?5, last_failed_ms)) WHERE id = ?1",
                    INT(move->month_id), INT(l->attempts), INT(l->ended_ms),
                    OPT(l->first_failed_ms), OPT(l->last_failed_ms));
}

static int mark(struct pingo__store_move *move, const struct leaver_list *list, size_t n,
                struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i += MARKED) {
        rc = pingo__store_db_begin(move->db, err);
        if (rc)
            break;
        for (size_t k = i; !rc && k < n && k < i + MARKED; k++)
            rc = mark_one(move, &list->rows[k], err);
        rc = pingo__store_move_unlock(move, rc, err);
    }
    return rc;
}

/* ---- deleting -------------------------------------------------------------------------------------- */

#define GONE(F, T)                                                                                 \
    F(T, INT, workflow, "workflow") F(T, INT, position, "position") F(T, INT, action, "action")
PINGO__ROW(gone_kind, struct gone, GONE);
#define NEXT(F, T) F(T, INT, position, "position") F(T, INT, action, "id")
PINGO__KIND(next_kind, struct gone, NEXT);

/* The rows of one action.  *whole: all are gone. */
static int delete_of(struct pingo__store_db *db, int64_t action, int64_t *n, bool *whole,
                     struct pingo_error *err)
{
    int64_t parents = 0;
    bool any = false;
    int rc =
        pingo__db_exists(db, err, &any, "SELECT 1 FROM dependency WHERE child = ?", INT(action));
    if (!rc && any) {
        rc = pingo__db_write(db, err,
                             "DELETE FROM dependency WHERE child = ?1 AND parent IN (SELECT parent"
                             " FROM dependency WHERE child = ?1 LIMIT ?2)",
                             INT(action), INT(PARENTS));
        parents = rc ? 0 : sqlite3_changes(db->sqlite);
    }
    *whole = parents < PARENTS;
    if (!rc && *whole)
        rc = pingo__db_write(db, err, "DELETE FROM attempt WHERE action = ?", INT(action));
    *n += parents + (rc || !*whole ? 0 : sqlite3_changes(db->sqlite));
    return rc;
}

/* *at: how far it is. */
static int delete_some(struct pingo__store_db *db, struct gone *at, int64_t *n,
                       struct pingo_error *err)
{
    bool whole = true;
    int rc = 0;
    do {
        struct gone next = {0};
        rc = pingo__db_row(db, err, &next_kind, NULL, &next,
                           PINGO__SELECT(NEXT) " FROM action WHERE workflow = ?1 AND"
                                               " (position, id) > (?2, ?3) ORDER BY"
                                               " position, id LIMIT 1",
                           INT(at->workflow), INT(at->position), INT(at->action));
        if (rc || !next.action)
            return rc ? rc
                      : pingo__db_write(db, err, "DELETE FROM leaving WHERE workflow = ?",
                                        INT(at->workflow));
        rc = delete_of(db, next.action, n, &whole, err);
        if (!rc && whole) {
            at->position = next.position;
            at->action = next.action;
        }
    } while (!rc && *n < DELETED && pingo__world_monotonic_ms() - db->locked_ms < DELETING_MS);
    return rc ? rc
              : pingo__db_write(db, err,
                                "UPDATE leaving SET position = ?2, action = ?3 WHERE workflow = ?1",
                                INT(at->workflow), INT(at->position), INT(at->action));
}

static int delete_step(struct pingo__store_move *move, bool *any, struct pingo_error *err)
{
    static const char sql[] = PINGO__SELECT(GONE) " FROM leaving LIMIT 1";
    struct gone at = {0};
    int64_t n = 0;
    int rc = pingo__db_row(move->db, err, &gone_kind, NULL, &at, sql, NONE);
    *any = at.workflow != 0;
    if (rc || !*any || (rc = pingo__store_db_begin(move->db, err)) != 0)
        return rc;
    do {
        rc = pingo__db_row(move->db, err, &gone_kind, NULL, &at, sql, NONE);
        if (rc || !at.workflow)
            break;
        rc = delete_some(move->db, &at, &n, err);
        n++; /* what had nothing costs as well */
    } while (!rc && n < DELETED && pingo__world_monotonic_ms() - move->db->locked_ms < DELETING_MS);
    return pingo__store_move_unlock(move, rc, err);
}

int pingo__store_move_step(struct pingo__store_move *move, bool *more, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct leaver_list list = {.arena = &arena};
    size_t ncopied = 0;
    int rc = move->mended ? 0 : pingo__store_move_mend(move, err);
    move->mended = !rc;
    if (!rc)
        rc = delete_step(move, more, err);
    if (rc || *more)
        return rc;
    rc = pingo__db_list(move->db, err, &leavers, &list,
                        PINGO__SELECT(LEAVER) OLD " ORDER BY w.ended_ms, w.id LIMIT ?2",
                        INT(move->before_ms), INT(AT_ONCE));
    *more = !rc && list.n > 0;
    if (*more)
        rc = copy(move, &list, &ncopied, err);
    if (!rc && *more)
        rc = mark(move, &list, ncopied, err);
    else if (!rc)
        rc = pingo__store_move_seal(move, more, err);
    pingo__arena_clear(&arena);
    return rc;
}
