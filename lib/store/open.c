/* open.c - making, opening and closing the database, and where it may lie.  What always holds: see db.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/process.h"
#include "store/db.h"
#include "store/identity.h"
#include "store/reserve.h"
#include "store/migrations/migrations.h"

#define DATABASE_NAME "pingo.db"
#define NAME_WHILE_MADE "pingo.db.new"

/* ---- where it may lie ---------------------------------------------------------- */

static const struct {
    unsigned long magic;
    const char *name;
} network_file_systems[] = {
    {0x6969, "NFS"},        {0x0BD00BD0, "Lustre"}, {0x01021997, "9p"},  {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB"},    {0x00C36400, "Ceph"},   {0x5346414F, "AFS"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x73757245, "Coda"},
};

/* virtiofs and network file systems in user space all say "FUSE"; only the mount table tells them apart. */
static bool fuse_is_remote(dev_t device, char *type, size_t size)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char line[4096];
    bool remote = false;
    if (!file)
        return false;
    while (!remote && fgets(line, sizeof line, file)) {
        unsigned major_id = 0, minor_id = 0;
        const char *dash = strstr(line, " - ");
        if (sscanf(line, "%*d %*d %u:%u", &major_id, &minor_id) != 2 || !dash ||
            makedev(major_id, minor_id) != device)
            continue;
        snprintf(type, size, "%.*s", (int)strcspn(dash + 3, " "), dash + 3);
        remote = strcmp(type, "virtiofs") == 0 || strcmp(type, "fuse.sshfs") == 0 ||
                 strcmp(type, "fuse.glusterfs") == 0 || strcmp(type, "fuse.ceph") == 0 ||
                 strcmp(type, "fuse.s3fs") == 0 || strcmp(type, "fuse.rclone") == 0;
    }
    fclose(file);
    return remote;
}

int pingo__store_db_check_file_system(const char *directory, struct pingo_error *err)
{
    struct statfs fs;
    struct stat st;
    char type[64] = "";
    const char *name = NULL;
    if (statfs(directory, &fs) != 0 || stat(directory, &st) != 0)
        return pingo__fail_os(err, errno, "looking at the file system", directory);
    for (size_t i = 0; i < sizeof network_file_systems / sizeof *network_file_systems; i++)
        if ((unsigned long)fs.f_type == network_file_systems[i].magic)
            name = network_file_systems[i].name;
    if (!name && (unsigned long)fs.f_type == 0x65735546 &&
        fuse_is_remote(st.st_dev, type, sizeof type))
        name = type;
    if (!name)
        return 0;
    return pingo__fail(
        err, PINGO_ESTORE,
        "%s: lies on %s, where a database in WAL mode can be damaged; put the store on "
        "a local disk and the pool there: pingo -C LOCAL_DIRECTORY init --pool %s",
        directory, name, directory);
}

/* ---- create and open ---------------------------------------------------------------- */

static int on_wal(void *context, sqlite3 *sqlite, const char *name, int pages)
{
    (void)sqlite;
    (void)name;
    ((struct pingo__store_db *)context)->wal_pages = pages;
    return SQLITE_OK;
}

PINGO__EXISTS(uses_wal(DB, bool *uses, ERR), uses,
              "SELECT 1 FROM pragma_journal_mode WHERE journal_mode = 'wal'", NONE);

/* The mode stays in the file; changing it writes, so it is changed once, under the lock. */
static int use_wal(struct pingo__store_db *db, struct pingo_error *err)
{
    bool uses = false;
    int rc = uses_wal(db, &uses, err);
    if (rc || uses)
        return rc;
    rc = pingo__store_db_lock(db, err);
    if (rc)
        return rc;
    rc = pingo__store_db_simple(db, "PRAGMA journal_mode=WAL", err);
    if (!rc)
        rc = uses_wal(db, &uses, err);
    pingo__store_db_unlock(db);
    if (!rc && !uses)
        rc = pingo__fail(err, PINGO_ESTORE, "%s: the database cannot use a write-ahead log here",
                         db->directory);
    return rc;
}

static int configure(struct pingo__store_db *db, struct pingo_error *err)
{
    sqlite3_busy_timeout(db->sqlite, PINGO__DB_BUSY_MS);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_wal_hook(db->sqlite, on_wal, db); /* also replaces the automatic checkpoint */
    int rc = pingo__store_db_simple(db,
                                    "PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;"
                                    "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-32768;",
                                    err);
    if (!rc && sqlite3_prepare_v3(db->sqlite, "ROLLBACK", -1, SQLITE_PREPARE_PERSISTENT,
                                  &db->rollback, NULL) != SQLITE_OK)
        rc = pingo__store_db_fail(db, err, "preparing SQL");
    return rc ? rc : use_wal(db, err);
}

/* A link is not followed, and what another user made is not written to. */
static int open_lock(struct pingo__store_db *db, struct pingo_error *err)
{
    db->lock_fd = open(db->lock_path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (db->lock_fd >= 0)
        return pingo__store_identity_check_file(db->lock_fd, db->lock_path, err);
    if (errno == ELOOP || errno == EISDIR)
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: is %s; in a store it is a plain file, so this is none",
                           db->lock_path, errno == ELOOP ? "a link" : "a directory");
    if (errno == EROFS || errno == EACCES || errno == EPERM)
        return pingo__fail(err, PINGO_ESTORE, "%s: the store cannot be written: %s", db->directory,
                           errno == EROFS ? "its file system is read-only" : "permission denied");
    return pingo__fail_os(err, errno, "opening the lock", db->lock_path);
}

static int open_sqlite(struct pingo__store_db *db, const char *path, struct pingo_error *err)
{
    if (sqlite3_open_v2(path, &db->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
                        NULL) == SQLITE_OK)
        return 0;
    return db->sqlite ? pingo__store_db_fail(db, err, "opening") : pingo__fail_memory(err);
}

static void read_space(char *space, size_t size)
{
    char boot[40];
    pingo__file_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(space, size, "%s %llu", boot, pingo__process_namespace());
}

/* make: the one that is being made may be empty, and becomes a store's; else it must be one. */
static int open_as(struct pingo__store_db *db, const char *directory, int64_t lock_timeout_ms,
                   bool make, struct pingo_error *err)
{
    const char *name = make ? NAME_WHILE_MADE : DATABASE_NAME;
    char *path = NULL, *real = NULL;
    sqlite3 *looking = NULL;
    bool is_empty = false;
    memset(db, 0, sizeof *db);
    db->pid = (int64_t)getpid();
    read_space(db->space, sizeof db->space);
    db->lock_fd = -1;
    db->world = pingo__world_real();
    db->lock_timeout_ms = lock_timeout_ms ? lock_timeout_ms : 60000;
    db->directory = strdup(directory);
    int rc;
    if (!db->directory) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    rc = pingo__store_identity_check_places(directory, name, &real, &is_empty, err);
    if (!rc && (!(path = pingo__path_child(real, name)) ||
                !(db->lock_path = pingo__path_child(real, "lock"))))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__store_identity_check_length(path, err);
    if (!rc)
        rc = pingo__store_db_check_file_system(real, err);
    if (!rc && is_empty && !make)
        rc = pingo__store_identity_fail_empty(directory, err);
    if (!rc && !is_empty)
        rc = pingo__store_identity_check_database(directory, path, &looking, err);
    if (!rc)
        rc = open_lock(db, err);
    if (!rc)
        rc = open_sqlite(db, path, err);
    if (!rc)
        rc = configure(db, err);
    sqlite3_close(looking);
    if (!rc)
        rc = pingo__store_schema_migrate(db, err);
out:
    free(real);
    free(path);
    if (rc)
        pingo__store_db_close(db);
    return rc;
}

int pingo__store_db_open(struct pingo__store_db *db, const char *directory, int64_t lock_timeout_ms,
                         struct pingo_error *err)
{
    int rc = open_as(db, directory, lock_timeout_ms, false, err);
    if (rc != PINGO_ENOSPACE)
        return rc;
    /* Where nothing is written in place, a full disk refuses even that. */
    pingo__store_reserve_spend(directory);
    return open_as(db, directory, lock_timeout_ms, false, err);
}

/* Who leaves the log's mode must be alone, and then holds the file. */
int pingo__store_db_take_alone(struct pingo__store_db *db, struct pingo_error *err)
{
    static const char sql[] = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE;";
    if (db->close_months)
        db->close_months(db);
    int rc = pingo__store_db_lock(db, err);
    if (rc || sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK)
        return rc;
    return pingo__store_db_fail(db, err, "another process uses the store");
}

void pingo__store_db_unlink(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[PATH_MAX];
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (snprintf(name, sizeof name, "%s%s", path, suffixes[i]) < (int)sizeof name)
            unlink(name);
}

/* SQLite gives the WAL the mode of the database, so the mode is set before SQLite sees it. */
static int make_empty(const char *path, struct pingo_error *err)
{
    pingo__store_db_unlink(path);
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return pingo__fail_os(err, errno, "making", path);
    close(fd);
    return 0;
}

/* Where modes are not kept, others could read and write what is the owner's alone. */
static int check_modes(const char *directory, struct pingo_error *err)
{
    const struct pingo__world *w = pingo__world_real();
    bool has_modes = false;
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/.%016llx", directory, (unsigned long long)pingo__world_token(w));
    int rc = pingo__file_ask_modes(w, AT_FDCWD, name, &has_modes);
    if (rc)
        return pingo__fail_os(err, -rc, "making a file", directory);
    return has_modes ? 0
                     : pingo__fail(err, PINGO_ESTORE,
                                   "%s: its file system has no modes for each file, which a store "
                                   "needs: make it on another",
                                   directory);
}

int pingo__store_db_create(struct pingo__store_db *db, const char *directory,
                           struct pingo_error *err)
{
    char *made = pingo__path_child(directory, NAME_WHILE_MADE);
    char *path = pingo__path_child(directory, DATABASE_NAME);
    struct stat st;
    int rc = made && path ? pingo__store_identity_check_length(path, err) : pingo__fail_memory(err);
    if (!rc && lstat(path, &st) == 0)
        rc = pingo__fail(err, PINGO_EEXISTS, "%s: there is a store already", directory);
    if (!rc)
        rc = check_modes(directory, err);
    if (!rc && open_as(db, directory, 0, true, NULL) != 0) { /* none was begun that is of use */
        rc = make_empty(made, err);
        if (!rc && (rc = open_as(db, directory, 0, true, err)))
            pingo__store_db_unlink(made);
    }
    free(made);
    free(path);
    return rc;
}

int pingo__store_db_appear(struct pingo__store_db *db, int rc, struct pingo_error *err)
{
    char *made = pingo__path_child(db->directory, NAME_WHILE_MADE);
    char *path = pingo__path_child(db->directory, DATABASE_NAME);
    if (!rc && (!made || !path))
        rc = pingo__fail_memory(err);
    if (!rc && !(rc = pingo__store_db_lock(db, err))) { /* its log has another name than theirs */
        if (!pingo__store_db_write_back(db, true))
            rc = pingo__store_db_fail(db, err, "making the database");
        pingo__store_db_unlock(db);
    }
    pingo__store_db_close(db);
    if (!rc && rename(made, path) != 0)
        rc = pingo__fail_os(err, errno, "making", path);
    if (made)
        pingo__store_db_unlink(made);
    free(made);
    free(path);
    return rc;
}

void pingo__store_db_close(struct pingo__store_db *db)
{
    if (db->sqlite &&
        !pingo__store_db_is_ours(db)) { /* SQLite forbids so much as closing it: left as it is */
        pingo__file_close(db->lock_fd);
        memset(db, 0, sizeof *db);
        db->lock_fd = -1;
        return;
    }
    if (db->close_months)
        db->close_months(db);
    if (db->sqlite)
        pingo__store_db_rollback(db);
    pingo__store_db_leave_log_short(db);
    sqlite3_finalize(db->rollback);
    for (size_t i = 0; i < db->nstatements; i++)
        sqlite3_finalize(db->statements[i]);
    pingo__map_clear(&db->prepared);
    pingo__arena_clear(&db->statements_arena);
    free(db->events);
    pingo__arena_clear(&db->events_arena);
    free(db->noted);
    pingo__buffer_clear(&db->feed_bytes);
    free(db->sayings);
    sqlite3_close(db->sqlite);
    pingo__file_close(db->lock_fd);
    free(db->lock_path);
    free(db->directory);
    memset(db, 0, sizeof *db);
    db->lock_fd = -1;
}
