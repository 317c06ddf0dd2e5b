/* archive_file.c - see archive_file.h: who moves holds a lock, and writes one month file at a time. */
#include "store/archive/archive_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* ---- the lock, the directory ------------------------------------------------------------------ */

static int sync_directory(const char *path, struct pingo_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) != 0 ? pingo__fail_os(err, errno, "syncing", path) : 0;
    pingo__file_close(fd);
    return rc;
}

int pingo__store_move_begin(struct pingo__store_move *move, bool *had, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    const char *directory = pingo__store_archive_path(move->db, &arena, "");
    const char *path = pingo__store_archive_path(move->db, &arena, "lock");
    int rc = directory && path ? 0 : pingo__fail_memory(err);
    *had = false;
    move->lock = -1;
    if (!rc && mkdir(directory, 0700) != 0 && errno != EEXIST)
        rc = pingo__fail_os(err, errno, "making", directory);
    if (!rc)
        move->lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (!rc && move->lock < 0)
        rc = pingo__fail_os(err, errno, "opening", path);
    move->db->held_ms = 0;
    *had = !rc && flock(move->lock, LOCK_EX | LOCK_NB) == 0;
    pingo__arena_clear(&arena);
    return rc;
}

void pingo__store_move_close(struct pingo__store_move *move)
{
    if (move->month) {
        sqlite3_busy_timeout(move->month->sqlite, 0); /* somebody may read */
        sqlite3_wal_checkpoint_v2(move->month->sqlite, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                  NULL);
        pingo__store_db_close(move->month);
    }
    free(move->month);
    move->month = NULL;
    move->month_id = 0;
}

void pingo__store_move_end(struct pingo__store_move *move)
{
    pingo__store_move_close(move);
    pingo__file_close(move->lock);
    move->lock = -1;
}

int pingo__store_move_unlock(struct pingo__store_move *move, int rc, struct pingo_error *err)
{
    rc = pingo__store_db_end(move->db, rc, err);
    if (rc)
        return rc;
    pingo__store_db_let_others(move->db);
    pingo__store_db_write_back_soon(move->db);
    pingo__store_db_let_others(move->db);
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------------ */

void pingo__store_move_unlink(const struct pingo__store_db *db, struct pingo__arena *arena,
                              const char *name)
{
    const char *path = name ? pingo__store_archive_path(db, arena, name) : NULL;
    if (path)
        pingo__store_db_unlink(path);
}

/* An empty file, of ours alone. */
int pingo__store_move_make(struct pingo__store_move *move, struct pingo__arena *arena,
                           const char *name, struct pingo_error *err)
{
    const char *path = pingo__store_archive_path(move->db, arena, name);
    const char *directory = pingo__store_archive_path(move->db, arena, "");
    if (!path || !directory)
        return pingo__fail_memory(err);
    pingo__store_move_unlink(move->db, arena, name);
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return pingo__fail_os(err, errno, "making", path);
    close(fd);
    return sync_directory(directory, err);
}

/* One in which nothing is read yet may be made anew: it was cut short. */
int pingo__store_move_open(struct pingo__store_move *move, int64_t id, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_row row;
    struct pingo_error why = {0};
    int rc = pingo__store_archive_row(move->db, id, &arena, &row, err);
    if (!rc && !(move->month = calloc(1, sizeof *move->month)))
        rc = pingo__fail_memory(err);
    if (!rc) {
        rc = pingo__store_archive_file_open(move->db, &row, PINGO__ARCHIVE_WRITE, move->month, &why);
        if (rc == PINGO_ECORRUPT && !row.workflows) {
            rc = pingo__store_move_make(move, &arena, row.name, &why);
            if (!rc)
                rc = pingo__store_archive_file_open(move->db, &row, PINGO__ARCHIVE_MAKE,
                                                    move->month, &why);
        }
        if (rc)
            pingo__fail(err, rc, "%s", why.message);
    }
    if (rc) {
        free(move->month);
        move->month = NULL;
    } else {
        move->month_id = id;
    }
    pingo__arena_clear(&arena);
    return rc;
}
