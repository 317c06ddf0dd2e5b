/* archive_seal.c - see archive.h: a month file is written anew, and never changes again.
 *
 * It gets another name with the transaction that says so: no log of the old one can lie beside it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/archive/archive_file.h"
#include "store/meta.h"

/* Of submissions that are read elsewhere: copied, and cut short; or of a database that is no more. */
#define ELSEWHERE(action)                                                                          \
    " WHERE NOT EXISTS (SELECT 1 FROM action a CROSS JOIN workflow w ON w.id = a.workflow WHERE"   \
    " a.id = " action " AND w.archived = (SELECT archive FROM here));"
#define ATTEMPTS "DELETE FROM main.attempt" ELSEWHERE("attempt.action")
#define DEPENDENCIES "DELETE FROM main.dependency" ELSEWHERE("dependency.child")

static int clean(struct pingo__store_db *month, struct pingo_error *err)
{
    int rc = pingo__store_db_simple(
        month,
        "BEGIN;" ATTEMPTS DEPENDENCIES
        "DELETE FROM moved WHERE NOT EXISTS (SELECT 1 FROM workflow w"
        " WHERE w.id = moved.workflow AND w.archived = (SELECT archive FROM here)); COMMIT",
        err);
    if (rc)
        pingo__store_db_rollback(month);
    return rc;
}

/* Of the file and, once it is on the disk, of its name. */
static int write_anew(struct pingo__store_move *move, struct pingo__arena *arena, const char *name,
                      struct pingo_error *err)
{
    int rc = pingo__store_move_make(move, arena, name, err);
    const char *path = rc ? NULL : pingo__store_archive_path(move->db, arena, name);
    if (!rc)
        rc = path ? pingo__db_write(move->month, err, "VACUUM main INTO ?", TEXT(path))
                  : pingo__fail_memory(err);
    int fd = rc ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (!rc && (fd < 0 || fsync(fd) != 0 || fchmod(fd, 0400) != 0))
        rc = pingo__fail_os(err, errno, "syncing", path);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* With the digest of what is in it from now on. */
static int rename_row(struct pingo__store_move *move, const struct pingo__store_archive_row *row,
                      struct pingo__arena *arena, struct pingo_error *err)
{
    char key[64], digest[PINGO_HASH_HEX_SIZE];
    struct pingo_hash hash;
    const char *path = pingo__store_archive_path(move->db, arena, row->name);
    int rc = path ? pingo_content_hash(path, &hash, err) : pingo__fail_memory(err);
    if (rc || (rc = pingo__store_db_begin(move->db, err)) != 0)
        return rc;
    snprintf(key, sizeof key, PINGO__ARCHIVE_DIGEST "%lld", (long long)row->id);
    pingo_hash_to_hex(&hash, digest);
    rc = pingo__db_write(move->db, err, "UPDATE archive SET sealed = 1, name = ?2 WHERE id = ?1",
                         INT(row->id), TEXT(row->name));
    if (!rc)
        rc = pingo__store_meta_set(move->db, key, digest, err);
    return pingo__store_move_unlock(move, rc, err);
}

/* Does what was written anew hold what the store says was moved there? */
static int check_new(struct pingo__store_move *move, const struct pingo__store_archive_row *row,
                     struct pingo_error *err)
{
    struct pingo__store_db file;
    int rc = pingo__store_archive_file_open(move->db, row, PINGO__ARCHIVE_READ, &file, err);
    if (!rc) {
        rc = pingo__store_archive_file_check(&file, true, err);
        pingo__store_db_close(&file);
    }
    return rc;
}

static int seal(struct pingo__store_move *move, struct pingo__store_archive_row *row,
                struct pingo__arena *arena, struct pingo_error *err)
{
    const char *old = row->name;
    const char *name = pingo__store_archive_sealed_name(arena, old);
    struct pingo_error why;
    pingo__store_move_close(move);
    int rc = name ? pingo__store_move_open(move, row->id, err) : pingo__fail_memory(err);
    if (!rc)
        rc = clean(move->month, err);
    if (!rc)
        rc = write_anew(move, arena, name, err);
    row->name = name;
    row->sealed = true;
    if (!rc && (rc = check_new(move, row, &why)) != 0)
        pingo__fail(err, rc, "%s stays unsealed: %s", old, why.message);
    pingo__store_move_close(move);
    if (!rc)
        rc = rename_row(move, row, arena, err);
    if (!rc)
        pingo__store_move_unlink(move->db, arena, old);
    move->sealed += rc == 0;
    return rc;
}

/* The sealed file that is there instead of the one that the store knows, if it holds what that held.  Else it stays
 * where it is, and who asks is told. */
static int adopt(struct pingo__store_move *move, const struct pingo__store_archive_row *row,
                 struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo_error why;
    int rc = check_new(move, row, &why);
    if (rc)
        return rc == PINGO_ECORRUPT ? 0 : pingo__fail(err, rc, "%s", why.message);
    return rename_row(move, row, arena, err);
}

/* What a crash left of sealing, or an older copy of the database: the file that was written anew is not needed, and who
 * was sealed stays so. */
int pingo__store_move_mend(struct pingo__store_move *move, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_list list = {.arena = &arena};
    int rc = pingo__store_archive_list(move->db, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        struct pingo__store_archive_row *row = &list.rows[i];
        size_t n = strlen(row->name), suffix = strlen(".sealed.db");
        const char *old = row->sealed && n > suffix
                              ? pingo__arena_format(&arena, "%.*s.db", (int)(n - suffix), row->name)
                              : NULL;
        const char *path = old ? pingo__store_archive_path(move->db, &arena, old) : NULL;
        struct pingo_error why;
        struct stat st;
        if (pingo__store_archive_was_sealed(move->db, &arena, row))
            rc = adopt(move, row, &arena, err);
        else if (path && lstat(path, &st) == 0 && check_new(move, row, &why) == 0)
            pingo__store_move_unlink(move->db, &arena, old);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__store_move_seal(struct pingo__store_move *move, bool *more, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_row row;
    int64_t id = 0;
    int rc = pingo__db_number(move->db, err, &id,
                              "SELECT min(id) FROM archive WHERE sealed = 0 AND"
                              " substr(name, 1, 7) < ?",
                              TEXT(move->sealed_before));
    *more = id != 0;
    if (!rc && id)
        rc = pingo__store_archive_row(move->db, id, &arena, &row, err);
    if (!rc && id)
        rc = seal(move, &row, &arena, err);
    pingo__arena_clear(&arena);
    return rc;
}
