/* identity.c - see identity.h.
 *
 * What always holds: who follows somebody else's .pingo loses nothing.  The directory is ours, so
 * that nobody else can exchange what is in it; of the database and the lock it is asked again.  A
 * database is looked at through a connection that cannot write, and where no log lies beside it,
 * through one that makes none. */
#include "store/identity.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "store/db.h"

/* SQLite's own limit, which it tells as "unable to open". */
int pingo__store_identity_check_length(const char *path, struct pingo_error *err)
{
    const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL); /* NULL: SQLite had no memory for its start */
    if (!vfs)
        return pingo__fail_memory(err);

    size_t most = (size_t)vfs->mxPathname - sizeof "-journal";
    if (strlen(path) <= most)
        return 0;
    return pingo__fail(
        err, PINGO_ESTORE,
        "%s: has %zu bytes, and the path of a store's database may have %zu: put the "
        "store nearer to the root, and the pool where you like (init --pool)",
        path, strlen(path), most);
}

/* ---- whose it is ------------------------------------------------------------------ */

static int not_ours(const char *path, const char *what, uid_t owner, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ESTORE,
                       "%s: %s belongs to the user with the id %lu, and this is %lu: only its "
                       "owner can use it; others ask pingo serve, which the owner starts",
                       path, what, (unsigned long)owner, (unsigned long)geteuid());
}

/* error_number: of who looked for it. */
static int no_store(const char *directory, const char *name, int error_number,
                    struct pingo_error *err)
{
    if (error_number == EACCES)
        return pingo__fail(err, PINGO_ESTORE, "%s: the store belongs to another user", directory);
    if (pingo__error_is_absent(error_number))
        return pingo__fail(err, PINGO_ENOSTORE, "%s: there is no store here (no %s)", directory,
                           name);
    return pingo__fail_os(err, error_number, "looking at the store", directory);
}

static int check_directory(const char *directory, const char *name, struct pingo_error *err)
{
    struct stat st;
    if (lstat(directory, &st) != 0)
        return no_store(directory, name, errno, err);
    if (st.st_uid != geteuid())
        return not_ours(directory, S_ISLNK(st.st_mode) ? "this link" : "the store", st.st_uid, err);
    if (stat(directory, &st) != 0)
        return no_store(directory, name, errno, err);
    if (!S_ISDIR(st.st_mode))
        return no_store(directory, name, ENOTDIR, err);
    return st.st_uid == geteuid() ? 0 : not_ours(directory, "the store", st.st_uid, err);
}

static int check_stat(const struct stat *st, const char *path, struct pingo_error *err)
{
    if (!S_ISREG(st->st_mode))
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: is %s; in a store it is a plain file, so this is none", path,
                           S_ISLNK(st->st_mode) ? "a link" : "no plain file");
    return st->st_uid == geteuid() ? 0 : not_ours(path, "it", st->st_uid, err);
}

int pingo__store_identity_check_places(const char *directory, const char *database, char **real,
                                       bool *is_empty, struct pingo_error *err)
{
    char *path = NULL;
    int rc = check_directory(directory, database, err);
    *real = NULL;
    *is_empty = false;
    if (rc)
        return rc;
    *real = realpath(directory, NULL);
    path = *real ? pingo__path_child(*real, database) : NULL;
    struct stat st;
    if (!path)
        rc = *real || errno == ENOMEM ? pingo__fail_memory(err)
                                      : pingo__fail_os(err, errno, "resolving", directory);
    else if (lstat(path, &st) != 0)
        rc = no_store(directory, database, errno, err);
    else
        rc = check_stat(&st, path, err);
    *is_empty = !rc && st.st_size == 0;
    free(path);
    return rc;
}

int pingo__store_identity_fail_empty(const char *directory, struct pingo_error *err)
{
    return pingo__fail(
        err, PINGO_ESTORE,
        "%s: the database is empty: it was cut, or making the store was interrupted; "
        "put a copy back, or remove the directory and make the store anew",
        directory);
}

int pingo__store_identity_check_file(int fd, const char *path, struct pingo_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return pingo__fail_os(err, errno, "looking at", path);
    return check_stat(&st, path, err);
}

/* ---- what it is -------------------------------------------------------------------- */

/* What is too long for a name is as if it were there. */
static bool has_beside(const char *path, const char *suffix)
{
    char name[PATH_MAX];
    return snprintf(name, sizeof name, "%s%s", path, suffix) >= (int)sizeof name ||
           access(name, F_OK) == 0;
}

void pingo__store_identity_uri(struct pingo__buffer *uri, const char *path, bool immutable)
{
    pingo__buffer_text(uri, "file:");
    pingo__text_percent(uri, path, "-._~/");
    pingo__buffer_text(uri, immutable ? "?immutable=1" : "");
}

static int ask(sqlite3 *sqlite, const char *sql, int64_t *value)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(sqlite, sql, -1, &stmt, NULL);
    *value = 0;
    if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
        *value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

struct looked {
    int64_t id, version, ntables, nours; /* nours: tables with names of ours */
};

/* Stores of version 0.1 have no application id; they are known by all of their tables, which takes reading all of
 * them. */
static int look(sqlite3 *sqlite, struct looked *l)
{
    int rc = ask(sqlite, "PRAGMA application_id", &l->id);
    if (rc == SQLITE_OK)
        rc = ask(sqlite, "PRAGMA user_version", &l->version);
    if (rc != SQLITE_OK || l->id)
        return rc;
    rc = ask(sqlite, "SELECT count(*) FROM sqlite_master", &l->ntables);
    if (rc == SQLITE_OK)
        rc = ask(sqlite,
                 "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('meta',"
                 " 'setting', 'owner', 'file_content', 'definition', 'document',"
                 " 'document_original', 'graph', 'workflow', 'workflow_plan', 'action',"
                 " 'dependency', 'action_original', 'dataset', 'claim', 'hold', 'attempt')",
                 &l->nours);
    return rc;
}

static int judge(const char *directory, const struct looked *l, struct pingo_error *err)
{
    bool is_old = l->id == 0 && l->nours == 17 && l->version <= 2;
    if (l->id != PINGO__APPLICATION_ID && !is_old)
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: pingo.db is a database of another program (application id %" PRId64
                           "), not of Pingo; it is left as it is",
                           directory, l->id);
    if (l->version < 1 || (l->id && l->version < 3))
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: the database pingo.db is damaged: its version is %" PRId64,
                           directory, l->version);
    return 0;
}

static int fail_sqlite(sqlite3 *sqlite, int code, const char *directory, struct pingo_error *err)
{
    if (code == SQLITE_NOMEM || !sqlite)
        return pingo__fail_memory(err);
    bool is_full = pingo__store_db_is_full(sqlite);
    return pingo__fail(err,
                       code == SQLITE_BUSY ? PINGO_EBUSY
                       : is_full           ? PINGO_ENOSPACE
                                           : PINGO_ESTORE,
                       "%s: the database pingo.db %s: %s%s", directory,
                       code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? "is damaged"
                       : is_full ? "cannot be opened: its disk is full, or a quota is reached"
                                 : "cannot be read",
                       sqlite3_errmsg(sqlite), pingo__store_db_hint(sqlite));
}

static int look_at(const char *path, bool immutable, sqlite3 **sqlite, struct looked *l)
{
    struct pingo__buffer uri = {0};
    pingo__store_identity_uri(&uri, path, immutable);
    const char *name = pingo__buffer_cstr(&uri);
    int rc = !name ? SQLITE_NOMEM
                   : sqlite3_open_v2(name, sqlite,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                                         SQLITE_OPEN_NOFOLLOW,
                                     NULL);
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(*sqlite, 10000);
        sqlite3_db_config(*sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        sqlite3_db_config(*sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(*sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        rc = look(*sqlite, l);
    }
    pingo__buffer_clear(&uri);
    return rc;
}

int pingo__store_identity_check_database(const char *directory, const char *path, sqlite3 **looking,
                                         struct pingo_error *err)
{
    bool has_log = has_beside(path, "-wal") || has_beside(path, "-journal");
    sqlite3 *sqlite = NULL;
    struct looked l = {0};
    int rc = look_at(path, !has_log, &sqlite, &l);
    if (rc == SQLITE_READONLY &&
        has_log) { /* a transaction was cut off, and is to be rolled back: by us? */
        sqlite3_close(sqlite);
        sqlite = NULL;
        rc = look_at(path, true, &sqlite, &l);
    }
    if (rc != SQLITE_OK)
        rc = fail_sqlite(sqlite, rc, directory, err);
    else if (l.id == 0 && l.version == 0 && l.ntables == 0)
        rc = pingo__store_identity_fail_empty(directory, err);
    else
        rc = judge(directory, &l, err);
    *looking = sqlite;
    return rc;
}
