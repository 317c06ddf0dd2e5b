/* pool.c - see pool.h.  Emptying the trash is in trash.c, listing what is there in pool_each.c. */
#include "manager/dataset/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "manager/context.h"

#define MARKER "pingo-pool"
/* https://bford.info/cachedir/ */
#define CACHE_TAG "CACHEDIR.TAG"
#define CACHE_TEXT                                                                                 \
    "Signature: 8a477f597d28d172789f06886806bc55\n"                                                \
    "# The pool of a Pingo store: what it holds can be computed again."

static const char *const parts[] = {"objects", "attempts", "staged", "trash"};

/* ---- create, open -------------------------------------------------------------------- */

static int make_directories(const struct pingo__world *w, const char *path, struct pingo_error *err)
{
    char *copy = strdup(path);
    int rc = 0;

    if (!copy)
        return pingo__fail_memory(err);
    for (char *p = copy + 1; !rc; p++) {
        char c = *p;

        if (c != '/' && c != '\0')
            continue;
        *p = '\0';
        rc = w->mkdir(w->context, AT_FDCWD, copy, 0755);
        rc = rc == -EEXIST ? 0 : rc;
        *p = c;
        if (!c)
            break;
    }
    if (rc)
        rc = pingo__fail_os(err, -rc, "making the directory", copy);
    free(copy);
    return rc;
}

/* The store's id in the marker; "" when there is none.  A FIFO there is no reason to wait. */
static int read_marker(const struct pingo__world *w, int dir, char id[80])
{
    int fd = w->open(w->context, dir, MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    struct stat st;
    ssize_t n;

    id[0] = '\0';
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    n = w->stat(w->context, fd, "", AT_EMPTY_PATH, &st);
    if (n >= 0 && !S_ISREG(st.st_mode))
        n = -ELOOP; /* as a link is refused */
    if (n >= 0)
        n = w->read(w->context, fd, id, 79);
    w->close(w->context, fd);
    if (n < 0)
        return (int)n;
    id[n] = '\0';
    id[strcspn(id, "\n")] = '\0';
    return 0;
}

bool pingo__pool_is_of(const struct pingo__world *w, const char *directory, const char *store_id)
{
    int fd = w->open(w->context, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    char id[80];
    bool found = fd >= 0 && read_marker(w, fd, id) == 0 && strcmp(id, store_id) == 0;

    if (fd >= 0)
        w->close(w->context, fd);
    return found;
}

/* A new file with this text and an end of line. */
static int write_file(const struct pingo__world *w, int dir, const char *name, const char *text)
{
    int fd = w->open(w->context, dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    ssize_t n;

    if (fd < 0)
        return fd;
    n = w->write(w->context, fd, text, strlen(text));
    if (n >= 0)
        n = w->write(w->context, fd, "\n", 1);
    if (n >= 0)
        n = w->fsync(w->context, fd);
    w->close(w->context, fd);
    return n < 0 ? (int)n : 0;
}

/* What is there is not ours: a tick would empty it. */
static int check_part(const struct pingo__world *w, int dir, const char *directory,
                      const char *part, struct pingo_error *err)
{
    struct pingo__dir *entries = NULL;
    const char *name;
    int rc = w->open(w->context, dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

    if (rc == -ENOENT)
        return 0;
    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &entries);
    if (rc >= 0)
        rc = w->dir_next(w->context, entries, &name);
    if (entries)
        w->dir_close(w->context, entries);
    if (rc == 0)
        return 0;
    return pingo__fail(err, PINGO_EEXISTS,
                       "%s/%s: is there already and is %s; a pool keeps its own files under that "
                       "name: choose another directory",
                       directory, part,
                       rc == -ENOTDIR || rc == -ELOOP ? "no directory" : "not empty");
}

static int make_parts(const struct pingo__world *w, int dir, const char *directory,
                      struct pingo_error *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < sizeof parts / sizeof *parts; i++)
        rc = check_part(w, dir, directory, parts[i], err);
    for (size_t i = 0; !rc && i < sizeof parts / sizeof *parts; i++) {
        rc = w->mkdir(w->context, dir, parts[i], 0700);
        rc = rc == -EEXIST ? 0
             : rc < 0      ? pingo__fail_os(err, -rc, "making the pool", directory)
                           : 0;
    }
    return rc;
}

int pingo__pool_create(const struct pingo__world *w, const char *directory, const char *store_id,
                       struct pingo_error *err)
{
    char id[80];
    int fd = -1;
    int rc = make_directories(w, directory, err);

    if (rc)
        return rc;
    fd = w->open(w->context, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return pingo__fail_os(err, -fd, "opening the pool", directory);
    rc = read_marker(w, fd, id);
    if (!rc && *id) {
        rc = pingo__fail(err, PINGO_ESTORE, "%s: is the pool of another store (%s)", directory, id);
        goto out;
    }
    if (rc) {
        rc = pingo__fail_os(err, -rc, "making the pool", directory);
        goto out;
    }
    rc = make_parts(w, fd, directory, err);
    if (rc)
        goto out;
    rc = write_file(w, fd, MARKER, store_id);
    if (!rc) { /* backups need not hold it; a tag that is there says the same */
        rc = write_file(w, fd, CACHE_TAG, CACHE_TEXT);
        rc = rc == -EEXIST ? 0 : rc;
    }
    if (rc)
        rc = pingo__fail_os(err, -rc, "making the pool", directory);
out:
    w->close(w->context, fd);
    return rc;
}

static int check_marker(const struct pingo__pool *pool, const char *store_id,
                        struct pingo_error *err)
{
    char id[80];
    int rc = read_marker(pool->world, pool->fd, id);

    if (rc == -ELOOP)
        return pingo__fail(err, PINGO_ESTORE, "%s: is not a pool: its %s is not a file", pool->path,
                           MARKER);
    if (rc < 0)
        return pingo__fail(err, PINGO_ESTORE, "%s: its %s cannot be read: %s", pool->path, MARKER,
                           strerror(-rc));
    if (!*id)
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: is not a pool: it has no %s, which should say \"%s\"", pool->path,
                           MARKER, store_id);
    if (strcmp(id, store_id) != 0)
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: is not this store's pool: its %s says \"%s\", where \"%s\" should "
                           "stand",
                           pool->path, MARKER, id, store_id);
    return 0;
}

/* A copy may have left out what was empty.  Through a link we would touch what is not ours. */
static int check_parts(const struct pingo__pool *pool, struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    struct stat st;
    int rc = 0;

    for (size_t i = 0; rc >= 0 && i < sizeof parts / sizeof *parts; i++) {
        rc = w->stat(w->context, pool->fd, parts[i], AT_SYMLINK_NOFOLLOW, &st);
        if (rc == -ENOENT) {
            rc = w->mkdir(w->context, pool->fd, parts[i], 0700);
            rc = rc == -EEXIST ? 0 : rc;
        } else if (rc >= 0 && !S_ISDIR(st.st_mode)) {
            return pingo__fail(
                err, PINGO_ESTORE,
                "%s/%s: is not a directory of the pool; a pool elsewhere is a link in "
                "place of the whole pool",
                pool->path, parts[i]);
        }
        if (rc < 0)
            return pingo__fail_os(err, -rc, "looking at the pool's directory", parts[i]);
    }
    return 0;
}

int pingo__pool_open(struct pingo__pool *pool, const struct pingo__world *w, const char *directory,
                     const char *store_id, struct pingo_error *err)
{
    int rc;

    memset(pool, 0, sizeof *pool);
    pool->world = w;
    pool->path = strdup(directory);
    if (!pool->path) {
        pool->fd = -1;
        return pingo__fail_memory(err);
    }
    pool->fd = w->open(w->context, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (pool->fd < 0) {
        rc = pingo__fail(err, PINGO_ESTORE,
                         "%s: the pool cannot be opened: %s; if it was "
                         "moved, leave a symbolic link there",
                         directory, strerror(-pool->fd));
        goto out;
    }
    rc = check_marker(pool, store_id, err);
    if (!rc)
        rc = check_parts(pool, err);
    if (rc)
        goto out;
    rc = w->random(w->context, &pool->token, sizeof pool->token);
    rc = rc < 0 ? pingo__fail_os(err, -rc, "reading random bytes for", directory) : 0;
out:
    if (rc)
        pingo__pool_close(pool);
    return rc;
}

void pingo__pool_close(struct pingo__pool *pool)
{
    if (pool->world && pool->fd >= 0)
        pool->world->close(pool->world->context, pool->fd);
    free(pool->path);
    pool->path = NULL;
    pool->fd = -1;
}

void pingo__pool_unmark(struct pingo__pool *pool)
{
    const struct pingo__world *w = pool->world;
    char text[sizeof CACHE_TEXT + 8];
    int fd = w->open(w->context, pool->fd, CACHE_TAG, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    ssize_t n = fd >= 0 ? w->read(w->context, fd, text, sizeof text) : -1;

    if (fd >= 0)
        w->close(w->context, fd);
    if (n == (ssize_t)sizeof CACHE_TEXT && memcmp(text, CACHE_TEXT "\n", sizeof CACHE_TEXT) == 0)
        w->unlink(w->context, pool->fd, CACHE_TAG, 0);
    w->unlink(w->context, pool->fd, "pingo-store", 0);
    w->unlink(w->context, pool->fd, MARKER, 0);
}

/* ---- paths ------------------------------------------------------------------------------- */

char *pingo__pool_attempt_dir(const struct pingo__pool *pool, struct pingo__arena *arena,
                              struct pingo_job_key key)
{
    return pingo__text(arena, "%s/attempts/%" PRId64 ".%" PRId64, pool->path, key.action, key.epoch);
}

char *pingo__pool_staged_path(const struct pingo__pool *pool, struct pingo__arena *arena,
                              struct pingo_job_key key)
{
    return pingo__text(arena, "%s/staged/%" PRId64 ".%" PRId64, pool->path, key.action, key.epoch);
}

char *pingo__pool_object_name(struct pingo__arena *arena, const struct pingo_hash *hash,
                              struct pingo_job_key key)
{
    char hex[PINGO_HASH_HEX_SIZE];

    pingo_hash_to_hex(hash, hex);
    return pingo__text(arena, "objects/%.2s/%s.%" PRId64 ".%" PRId64, hex, hex, key.action,
                       key.epoch);
}

char *pingo__pool_full_path(const struct pingo__pool *pool, struct pingo__arena *arena,
                            const char *name)
{
    return *name == '/' ? pingo__text(arena, "%s", name)
                        : pingo__text(arena, "%s/%s", pool->path, name);
}

int pingo__pool_stat(const struct pingo__pool *pool, const char *name, struct pingo__pool_stat *out,
                     struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    struct stat st;
    int rc = w->stat(w->context, pool->fd, name, AT_SYMLINK_NOFOLLOW, &st);

    memset(out, 0, sizeof *out);
    if (rc == -ENOENT || rc == -ENOTDIR)
        return 0;
    if (rc < 0)
        return pingo__fail_os(err, -rc, "looking at", name);
    out->exists = true;
    out->directory = S_ISDIR(st.st_mode);
    out->other_kind = !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode);
    out->link = S_ISLNK(st.st_mode);
    out->executable = (st.st_mode & S_IXUSR) != 0;
    out->inode = (int64_t)st.st_ino;
    out->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    out->size_bytes = (int64_t)st.st_size;
    return 0;
}

/* ---- publishing ------------------------------------------------------------------------------ */

/* Moving a directory to another parent rewrites its "..", for which its owner needs to be able
 * to write it; afterwards it is read-only again. */
static int move(struct pingo__pool *pool, const char *from, const char *to, unsigned flags)
{
    const struct pingo__world *w = pool->world;
    struct stat st;
    int rc = w->stat(w->context, pool->fd, from, AT_SYMLINK_NOFOLLOW, &st);

    if (rc < 0)
        return rc;
    if (S_ISDIR(st.st_mode) && !(st.st_mode & 0200))
        rc = w->chmod(w->context, pool->fd, from, (st.st_mode & 07777) | 0700);
    if (rc >= 0)
        rc = w->rename(w->context, pool->fd, from, pool->fd, to, flags);
    return rc;
}

static int make_readonly(struct pingo__pool *pool, const char *name)
{
    const struct pingo__world *w = pool->world;
    struct stat st;
    int rc = w->stat(w->context, pool->fd, name, AT_SYMLINK_NOFOLLOW, &st);

    if (rc < 0 || !(st.st_mode & 0222) || S_ISLNK(st.st_mode))
        return rc;
    return w->chmod(w->context, pool->fd, name, st.st_mode & 07555);
}

static bool is_there(struct pingo__pool *pool, const char *name)
{
    const struct pingo__world *w = pool->world;
    struct stat st;

    return w->stat(w->context, pool->fd, name, AT_SYMLINK_NOFOLLOW, &st) == 0;
}

int pingo__pool_publish(struct pingo__pool *pool, struct pingo_job_key key, const char *object,
                        struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    char staged[64], shard[16];
    int rc;

    snprintf(staged, sizeof staged, "staged/%" PRId64 ".%" PRId64, key.action, key.epoch);
    snprintf(shard, sizeof shard, "%.10s", object); /* objects/HH */
    rc = move(pool, staged, object, 1 /* RENAME_NOREPLACE */);
    if (rc == -ENOTDIR) { /* a file of somebody else's lies there */
        rc = pingo__pool_trash(pool, shard, err);
        if (rc)
            return rc;
        rc = -ENOENT;
    }
    if (rc == -ENOENT && is_there(pool, staged)) {
        rc = w->mkdir(w->context, pool->fd, shard, 0700);
        rc = rc == -EEXIST || rc == 0 ? move(pool, staged, object, 1) : rc;
    }
    if (rc == -EEXIST && is_there(pool, staged)) {
        rc = pingo__pool_trash(pool, object, err);
        if (rc)
            return rc;
        rc = move(pool, staged, object, 1);
    }
    if ((rc == -ENOENT || rc == -EEXIST) && !is_there(pool, staged)) {
        if (!is_there(pool, object)) /* else moved by an earlier try, whose commit never came */
            return pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: the output is gone", pool->path,
                               staged);
        rc = 0;
    }
    if (rc >= 0)
        rc = make_readonly(pool, object);
    return rc < 0 ? pingo__fail_os(err, -rc, "publishing", object) : 0;
}

int pingo__pool_sync(struct pingo__pool *pool, struct pingo_error *err)
{
    int rc = pool->world->syncfs(pool->world->context, pool->fd);

    return rc < 0 ? pingo__fail_os(err, -rc, "syncing", pool->path) : 0;
}

int64_t pingo__pool_free_bytes(const struct pingo__pool *pool)
{
    struct statvfs fs;

    if (fstatvfs(pool->fd, &fs) != 0)
        return -1;
    return (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
}

int64_t pingo__pool_taken_bytes(const struct pingo__pool *pool)
{
    struct statvfs fs;

    if (fstatvfs(pool->fd, &fs) != 0)
        return -1;
    return (int64_t)(fs.f_blocks - fs.f_bfree) * (int64_t)fs.f_frsize;
}
