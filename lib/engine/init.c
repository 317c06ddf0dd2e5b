/* init.c - makes a store: whole, or not at all; of those who make one at the same place one does, and the others see
 * what became of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "engine/engine.h"
#include "store/meta.h"

static int new_id(char id[33], struct pingo_error *err)
{
    unsigned char bytes[16];
    const struct pingo__world *w = pingo__world_real();
    if (w->random(w->context, bytes, sizeof bytes) < 0)
        return pingo__fail(err, PINGO_EIO, "the system gives no random bytes");
    pingo__text_hex(bytes, sizeof bytes, id);
    return 0;
}

/* The id of a new store, and where its pool will be, before that is made: if this is cut short, the next one goes on
 * with the same. */
static int write_meta(struct pingo__store_db *db, const char *pool, char id[33],
                      struct pingo_error *err)
{
    char *begun = NULL, *place = NULL;
    int rc = pingo__store_meta_get(db, "store.id", &begun, err);
    if (!rc)
        rc = pingo__store_meta_get(db, "pool.path", &place, err);
    if (!rc && begun && place && strcmp(place, pool) == 0)
        snprintf(id, 33, "%s", begun);
    else if (!rc)
        rc = new_id(id, err);
    free(begun);
    free(place);
    if (!rc)
        rc = pingo__store_db_begin(db, err);
    if (!rc) {
        char now[32];
        snprintf(now, sizeof now, "%lld", (long long)pingo__world_wall_ms());
        const char *const rows[][2] = {{"sweep.at", now}, {"store.id", id}, {"pool.path", pool}};
        for (size_t i = 0; !rc && i < sizeof rows / sizeof *rows; i++)
            rc = pingo__store_meta_set(db, rows[i][0], rows[i][1], err);
        rc = pingo__store_db_end(db, rc, err);
    }
    return rc;
}

static int place_of(const char *pool, char **place, struct pingo_error *err)
{
    *place = pingo__pool_place(NULL, pool);
    return *place ? 0 : pingo__engine_absolute(pool, place, err);
}

/* The store lies in somebody's project: version control shall not take it.  What is there stays. */
static int write_ignore(const char *dir, bool *made, struct pingo_error *err)
{
    char *path = pingo__path_child(dir, ".gitignore");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1, rc = 0;
    *made = fd >= 0;
    if (!path)
        rc = pingo__fail_memory(err);
    else if (fd < 0 ? errno != EEXIST : write(fd, "*\n", 2) != 2)
        rc = pingo__fail_os(err, errno, "writing", path);
    pingo__file_close(fd);
    free(path);
    return rc;
}

/* The directory of a new store, and the turn to make one in it: others wait, and see then what became of it.  What lies
 * there and is no directory stays as it is.  Where no store may lie, on NFS, there is no such lock either: that is told
 * first. */
static int take_turn(const char *dir, int *turn, struct pingo_error *err)
{
    struct stat st;
    int rc = pingo__file_make_directory(pingo__world_real(), dir, 0700);
    *turn = rc ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Whose turn it was, was refused, and took it with him: here, and after we have waited. */
    if (!rc && *turn < 0 && errno == ENOENT && lstat(dir, &st) != 0)
        return take_turn(dir, turn, err);
    if (!rc && (*turn < 0 || fchmod(*turn, 0700) != 0))
        rc = -errno;
    if (rc)
        return pingo__fail_os(err, -rc, "making the directory", dir);
    rc = pingo__store_db_check_file_system(dir, err);
    if (!rc && flock(*turn, LOCK_EX) != 0)
        rc = pingo__fail_os(err, errno, "locking", dir);
    if (rc || (fstat(*turn, &st) == 0 && st.st_nlink > 0))
        return rc;
    pingo__file_close(*turn);
    return take_turn(dir, turn, err);
}

/* A pool's files would be taken for the store's, and the other way round. */
static int check_apart(const char *dir, const char *pool, struct pingo_error *err)
{
    struct stat ours, its;
    if (stat(dir, &ours) != 0 || stat(pool, &its) != 0 || ours.st_dev != its.st_dev ||
        ours.st_ino != its.st_ino)
        return 0;
    return pingo__fail(err, PINGO_EINVAL,
                       "%s: is the directory of the store itself; a pool has one of its own, "
                       "which is %s/" PINGO__ENGINE_OWN_POOL " where none is named",
                       pool, dir);
}

/* Nothing half made is left: a store without its id cannot be opened. */
static void unmake(const char *dir, bool with_ignore)
{
    static const char *const names[] = {".gitignore", "lock", "reserve"};
    for (size_t i = !with_ignore; i < sizeof names / sizeof *names; i++) {
        char *path = pingo__path_child(dir, names[i]);
        if (path)
            unlink(path);
        free(path);
    }
}

int pingo_store_init(const char *directory, const char *pool, struct pingo_error *err)
{
    char *dir = NULL, *pool_dir = NULL, *inside = NULL, *near = NULL;
    bool ignored = false, has_pool = false;
    int turn = -1;
    if (!directory || !*directory || (pool && !*pool))
        return pingo__fail(err, PINGO_EINVAL, "no directory is given for the %s",
                           directory && *directory ? "pool" : "store");
    int rc = pingo__engine_absolute(directory, &dir, err);
    inside = dir ? pingo__path_child(dir, PINGO__ENGINE_OWN_POOL) : NULL;
    near = dir ? pingo__path_child(dir, PINGO__ENGINE_NEAR) : NULL;
    if (!rc && (!inside || !near))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = place_of(pool ? pool : inside, &pool_dir, err);
    char id[33];
    bool is_new = !rc && access(dir, F_OK) != 0;
    if (!rc)
        rc = take_turn(dir, &turn, err);
    if (!rc)
        rc = check_apart(dir, pool_dir, err);
    struct pingo__store_db db;
    if (!rc)
        rc = pingo__store_db_create(&db, dir, err);
    if (rc)
        goto out;
    struct pingo__pool_site site = {pingo__world_real(), pool_dir, near};
    rc = write_ignore(dir, &ignored, err);
    if (!rc)
        rc = write_meta(&db, pool ? pool_dir : PINGO__ENGINE_OWN_POOL, id, err);
    if (!rc) {
        rc = pingo__pool_create(&site, id, err);
        has_pool = !rc;
    }
    rc = pingo__store_db_appear(&db, rc, err);
    if (rc && has_pool) /* it would be another store's to the next one */
        pingo__pool_destroy(&site, id, &(struct pingo__pool_told){.kept = NULL}, NULL);
    if (rc)
        unmake(dir, ignored);
out:
    if (is_new && rc) /* before it is the next one's turn */
        rmdir(dir);
    pingo__file_close(turn);
    free(inside);
    free(near);
    free(pool_dir);
    free(dir);
    return rc;
}
