/* archive.c - see archive.h: handles of month files, and reading. */
#include "store/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/archive/archive_file.h"
#include "store/identity.h"

enum { HANDLES = 4, TRIES = 20 /* of reading all anew */ };

/* Open files, the last used first. */
struct pingo__store_months {
    size_t n;
    struct {
        int64_t id;
        struct pingo__store_db *db;
    } open[HANDLES];
};

/* clang-format off */
#define ROW(F, T)                                                                                  \
    F(T, INT, id, "id") F(T, TEXT, name, "name") F(T, INT, sealed, "sealed")                       \
    F(T, INT, workflows, "workflows") F(T, INT, attempts, "archive.attempts")                              \
    F(T, OPT, first_ms, "first_ms") F(T, OPT, last_ms, "last_ms")                                  \
    F(T, OPT, first_failed_ms, "first_failed_ms") F(T, OPT, last_failed_ms, "last_failed_ms")
/* clang-format on */
PINGO__KIND(rows, struct pingo__store_archive_row, ROW);
#define SELECT PINGO__SELECT(ROW) " FROM archive "

/* ---- which ones ----------------------------------------------------------------------------- */

PINGO__LIST(pingo__store_archive_list(DB, struct pingo__store_archive_list *list, ERR), rows, list,
            SELECT "ORDER BY id", NONE);

PINGO__LIST(pingo__store_archive_failed(DB, int64_t since_ms, int64_t until_ms,
                                        struct pingo__store_archive_list *list, ERR),
            rows, list,
            SELECT "WHERE last_failed_ms >= ?1 AND first_failed_ms < ?2"
                   " ORDER BY last_failed_ms DESC, id",
            INT(since_ms), INT(until_ms));

int pingo__store_archive_row(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                             struct pingo__store_archive_row *row, struct pingo_error *err)
{
    int rc = pingo__db_row(db, err, &rows, arena, row, SELECT "WHERE id = ?", INT(id));
    return rc || row->id ? rc
                         : pingo__fail(err, PINGO_ECORRUPT,
                                       "%s: the archive has no file with the number %lld",
                                       db->directory, (long long)id);
}

const char *pingo__store_archive_path(const struct pingo__store_db *db, struct pingo__arena *arena,
                                      const char *name)
{
    int n = (int)(strrchr(db->lock_path, '/') - db->lock_path); /* of the directory, without links */
    return pingo__arena_format(arena, "%.*s/" PINGO__ARCHIVE "%s%s", n, db->lock_path,
                               *name ? "/" : "", name);
}

static bool is_there(const struct pingo__store_db *db, struct pingo__arena *arena, const char *name)
{
    struct stat st;
    const char *path = name ? pingo__store_archive_path(db, arena, name) : NULL;
    return path && lstat(path, &st) == 0;
}

const char *pingo__store_archive_sealed_name(struct pingo__arena *arena, const char *name)
{
    return pingo__arena_format(arena, "%.*s.sealed.db", (int)strlen(name) - 3, name);
}

bool pingo__store_archive_was_sealed(const struct pingo__store_db *db, struct pingo__arena *arena,
                                     struct pingo__store_archive_row *row)
{
    if (row->sealed || is_there(db, arena, row->name))
        return false;
    const char *name = pingo__store_archive_sealed_name(arena, row->name);
    if (!is_there(db, arena, name))
        return false;
    row->name = name;
    row->sealed = true;
    return true;
}

/* ---- handles -------------------------------------------------------------------------------- */

/* A lost one must not be made anew, nor a link be followed. */
static int check_file(const char *path, struct pingo_error *err)
{
    struct stat st;
    bool is_there = lstat(path, &st) == 0;
    if (!is_there && errno == ENOENT)
        return pingo__fail(err, PINGO_ECORRUPT,
                           "%s: this month file of the archive is gone; the attempts of what ended "
                           "then are in it: put it back from a copy of the store",
                           path);
    if (!is_there || access(path, R_OK) != 0)
        return pingo__fail(err, PINGO_ECORRUPT,
                           "%s: this month file of the archive cannot be read: %s", path,
                           strerror(errno));
    return S_ISREG(st.st_mode) ? 0
                               : pingo__fail(err, PINGO_ECORRUPT,
                                             "%s: is no plain file; in a store it is a month file "
                                             "of the archive",
                                             path);
}

/* On a medium that is only read, with all of it in it: it cannot change, and no log can be made beside it. */
static bool is_fixed(struct pingo__arena *arena, const char *path)
{
    struct stat st;
    const char *log = pingo__arena_format(arena, "%s-wal", path);
    if (!log || access(path, W_OK) == 0 || errno != EROFS)
        return false;
    return lstat(log, &st) == 0 ? st.st_size == 0 : errno == ENOENT;
}

static int attach(struct pingo__store_db *month, const struct pingo__store_db *db,
                  struct pingo__arena *arena, struct pingo_error *err)
{
    int n = (int)(strrchr(db->lock_path, '/') - db->lock_path);
    const char *path = pingo__arena_format(arena, "%.*s/pingo.db", n, db->lock_path);
    return path ? pingo__db_write(month, err, "ATTACH ? AS store", TEXT(path))
                : pingo__fail_memory(err);
}

static int configure(struct pingo__store_db *month, bool writes, struct pingo_error *err)
{
    sqlite3_busy_timeout(month->sqlite, PINGO__DB_BUSY_MS);
    sqlite3_db_config(month->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(month->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (sqlite3_prepare_v3(month->sqlite, "ROLLBACK", -1, SQLITE_PREPARE_PERSISTENT,
                           &month->rollback, NULL) != SQLITE_OK)
        return pingo__store_db_fail(month, err, "preparing SQL");
    return pingo__store_db_simple(
        month,
        writes ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;"
               : "PRAGMA query_only=1; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192;",
        err);
}

/* Is it the file with that number, and with all tables?  What it has not, SQL would find in the store. */
static int check_number(struct pingo__store_db *month, int64_t id, struct pingo_error *err)
{
    int64_t number = 0;
    int rc = pingo__db_number(month, err, &number,
                              "SELECT archive FROM here WHERE 4 = (SELECT count(*) FROM"
                              " main.sqlite_master WHERE type = 'table' AND name IN ('here',"
                              " 'moved', 'attempt', 'dependency'))",
                              NONE);
    return rc || number == id
               ? rc
               : pingo__fail(err, PINGO_ECORRUPT,
                             "%s: is not this month's file of the archive, or is damaged: put it "
                             "back from a copy of the store",
                             month->directory);
}

/* Those that move are as they are in the store. */
static int make_tables(struct pingo__store_db *month, int64_t id, struct pingo__arena *arena,
                       struct pingo_error *err)
{
    struct pingo__store_text_list tables = {.arena = arena};
    int rc = pingo__db_list(month, err, &pingo__store_texts, &tables,
                            "SELECT 0, sql FROM store.sqlite_master WHERE name IN ('attempt',"
                            " 'dependency', 'attempt_error', 'attempt_failed') ORDER BY type DESC",
                            NONE);
    if (!rc)
        rc = pingo__store_db_simple(month, "BEGIN", err);
    for (size_t i = 0; !rc && i < tables.n; i++)
        rc = pingo__store_db_simple(month, tables.rows[i], err);
    if (!rc) /* what of which submission is in it, as it ended then: a database that was put back from an older copy may
              * have another of that number; position: up to that it is copied; 0 attempts: not all yet */
        rc = pingo__store_db_simple(month,
                                    "CREATE TABLE here(archive INTEGER NOT NULL) STRICT;"
                                    "CREATE TABLE moved(workflow INTEGER PRIMARY KEY, ended_ms"
                                    " INTEGER NOT NULL, position INTEGER NOT NULL, attempts"
                                    " INTEGER NOT NULL) STRICT;",
                                    err);
    if (!rc)
        rc = pingo__db_write(month, err, "INSERT INTO here VALUES(?)", INT(id));
    return rc ? rc : pingo__store_db_simple(month, "COMMIT", err);
}

int pingo__store_archive_file_open(struct pingo__store_db *db,
                                   const struct pingo__store_archive_row *row,
                                   enum pingo__store_archive_mode mode,
                                   struct pingo__store_db *month, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_row at = *row;
    bool found = mode == PINGO__ARCHIVE_READ && pingo__store_archive_was_sealed(db, &arena, &at);
    memset(month, 0, sizeof *month);
    month->lock_fd = -1;
    month->pid = db->pid;
    month->world = db->world;
    month->is_month = true;
    const char *path = pingo__store_archive_path(db, &arena, at.name);
    bool fixed = at.sealed || (path && mode == PINGO__ARCHIVE_READ && is_fixed(&arena, path));
    struct pingo__buffer uri = {0};
    pingo__store_identity_uri(&uri, path ? path : "", fixed);
    const char *name = pingo__buffer_cstr(&uri);
    month->directory = path ? strdup(path) : NULL;
    int rc = name && month->directory ? check_file(path, err) : pingo__fail_memory(err);
    if (!rc && sqlite3_open_v2(name, &month->sqlite,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
                                   SQLITE_OPEN_URI,
                               NULL) != SQLITE_OK)
        rc = month->sqlite ? pingo__store_db_fail(month, err, "opening") : pingo__fail_memory(err);
    if (!rc)
        rc = configure(month, mode != PINGO__ARCHIVE_READ, err);
    if (!rc)
        rc = attach(month, db, &arena, err);
    if (!rc && mode == PINGO__ARCHIVE_MAKE)
        rc = make_tables(month, row->id, &arena, err);
    if (!rc)
        rc = check_number(month, row->id, err);
    if (!rc && mode != PINGO__ARCHIVE_READ && !fixed) /* older files have none */
        rc = pingo__store_db_simple(
            month, "CREATE INDEX IF NOT EXISTS main.dependency_child ON dependency(child)", err);
    if (!rc && found)
        rc = pingo__store_archive_file_check(month, false, err);
    if (rc)
        pingo__store_db_close(month);
    pingo__buffer_clear(&uri);
    pingo__arena_clear(&arena);
    return rc;
}

static void close_at(struct pingo__store_months *m, size_t i)
{
    pingo__store_db_close(m->open[i].db);
    free(m->open[i].db);
    memmove(&m->open[i], &m->open[i + 1], (--m->n - i) * sizeof *m->open);
}

static void close_all(struct pingo__store_db *db)
{
    while (db->months->n)
        close_at(db->months, 0);
    free(db->months);
    db->months = NULL;
    db->close_months = NULL;
}

static int open_new(struct pingo__store_db *db, int64_t id, struct pingo__store_db **month,
                    struct pingo_error *err)
{
    struct pingo__store_months *m = db->months;
    struct pingo__store_archive_row row;
    struct pingo__arena arena = {0};
    *month = malloc(sizeof **month);
    int rc = *month ? pingo__store_archive_row(db, id, &arena, &row, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__store_archive_file_open(db, &row, PINGO__ARCHIVE_READ, *month, err);
    pingo__arena_clear(&arena);
    if (rc) {
        free(*month);
        *month = NULL;
        return rc;
    }
    if (m->n == HANDLES)
        close_at(m, HANDLES - 1);
    memmove(&m->open[1], &m->open[0], m->n++ * sizeof *m->open);
    m->open[0].id = id;
    m->open[0].db = *month;
    return 0;
}

int pingo__store_archive_open(struct pingo__store_db *db, int64_t id,
                              struct pingo__store_db **month, struct pingo_error *err)
{
    *month = db;
    if (!id)
        return 0;
    if (!db->months && !(db->months = calloc(1, sizeof *db->months)))
        return pingo__fail_memory(err);
    db->close_months = close_all;
    struct pingo__store_months *m = db->months;
    for (size_t i = 0; i < m->n; i++)
        if (m->open[i].id == id) {
            *month = m->open[i].db;
            memmove(&m->open[1], &m->open[0], i * sizeof *m->open);
            m->open[0].id = id;
            m->open[0].db = *month;
            return 0;
        }
    return open_new(db, id, month, err);
}

/* ---- reading -------------------------------------------------------------------------------- */

int pingo__store_archive_begin(struct pingo__store_db *db, int64_t workflow,
                               struct pingo__store_reading *reading, struct pingo_error *err)
{
    int64_t id = 0;
    *reading = (struct pingo__store_reading){.db = db};
    int rc = 0;
    if (sqlite3_get_autocommit(db->sqlite)) { /* else both are seen together anyhow */
        rc = pingo__store_db_begin_read(db, err);
        reading->own = rc ? NULL : db;
    }
    if (!rc)
        rc = pingo__db_number(db, err, &id, "SELECT archived FROM workflow WHERE id = ?",
                              INT(workflow));
    return rc ? rc : pingo__store_archive_open(db, id, &reading->db, err);
}

int pingo__store_archive_end(struct pingo__store_reading *reading, int rc)
{
    if (reading->month)
        pingo__store_db_rollback(reading->month);
    if (reading->own)
        pingo__store_db_rollback(reading->own);
    reading->own = reading->month = NULL;
    return rc;
}

int pingo__store_archive_of_action(struct pingo__store_db *db, int64_t action,
                                   struct pingo__store_db **month, struct pingo_error *err)
{
    int64_t id = 0;
    int rc = pingo__db_number(db, err, &id,
                              "SELECT w.archived FROM action a CROSS JOIN workflow w ON"
                              " w.id = a.workflow WHERE a.id = ?",
                              INT(action));
    return rc ? rc : pingo__store_archive_open(db, id, month, err);
}

/* ---- all that failed -------------------------------------------------------------------------- */

static int begin_walk(struct pingo__store_db *db, struct pingo__store_archive_walk *w,
                      struct pingo_error *err)
{
    int rc = pingo__store_archive_begin(db, 0, &w->at, err);
    w->n = 1;
    w->enough_ms = w->since_ms;
    if (rc || w->action)
        return rc ? rc : pingo__store_archive_of_action(db, w->action, &w->at.db, err);
    return pingo__store_archive_failed(db, w->since_ms, w->until_ms, &w->files, err);
}

bool pingo__store_archive_next(struct pingo__store_db *db, struct pingo__store_archive_walk *w,
                               int *rc, struct pingo_error *err)
{
    int64_t workflows = 0;
    if (w->at.month)
        pingo__store_db_rollback(w->at.month);
    if (!*rc && !w->n)
        return !(*rc = begin_walk(db, w, err));
    if (*rc || w->n > w->files.n || w->files.rows[w->n - 1].last_failed_ms < w->enough_ms)
        return false;
    const struct pingo__store_archive_row *row = &w->files.rows[w->n++ - 1];
    *rc = pingo__store_archive_open(db, row->id, &w->at.db, err);
    w->at.month = *rc ? NULL : w->at.db;
    if (!*rc)
        *rc = pingo__store_db_begin_read(w->at.month, err);
    if (!*rc)
        *rc = pingo__db_number(w->at.db, err, &workflows,
                               "SELECT workflows FROM archive WHERE id = ?", INT(row->id));
    if (*rc || workflows == row->workflows)
        return !*rc;
    pingo__store_archive_end(&w->at, 0); /* something was marked since the row was read */
    w->n = 0;
    return ++w->tries < TRIES && pingo__store_archive_next(db, w, rc, err);
}
