/* trash.c - the way out of the pool.
 *
 * What always holds: a tree is taken apart in place, one directory at a time;
 * a directory below is renamed up into the trash before it is entered, so that
 * no path, stack or descriptor grows with depth.  Links are unlinked, never
 * followed; another file system's entries are left alone and reported. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "manager/pool.h"

/* Takes name in dir apart; directories below it move up into dir under names of our own. */
static int remove_one(struct pingo__pool *pool, int dir, dev_t device, const char *name,
                      size_t *removed)
{
    const struct pingo__world *w = pool->world;
    struct pingo__dir *entries = NULL;
    const char *child = NULL;
    struct stat st;
    int fd, copy, rc = w->stat(w->context, dir, name, AT_SYMLINK_NOFOLLOW, &st);

    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return rc;
    (*removed)++;
    if (!S_ISDIR(st.st_mode))
        return w->unlink(w->context, dir, name, 0);
    if (st.st_dev != device)
        return -EXDEV;
    if ((st.st_mode & 0700) != 0700)
        w->chmod(w->context, dir, name, 0700);
    fd = w->open(w->context, dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    rc = copy < 0 ? -errno : w->dir_open(w->context, copy, &entries);
    while (rc >= 0 && (rc = w->dir_next(w->context, entries, &child)) == 1) {
        char up[64];

        rc = w->stat(w->context, fd, child, AT_SYMLINK_NOFOLLOW, &st);
        if (rc >= 0 && !S_ISDIR(st.st_mode)) {
            (*removed)++;
            rc = w->unlink(w->context, fd, child, 0);
        } else if (rc >= 0) {
            if (!(st.st_mode & 0200))
                w->chmod(w->context, fd, child, 0700);
            snprintf(up, sizeof up, ".pingo-%016" PRIx64 ".%" PRIu64, pool->token, pool->serial++);
            rc = w->rename(w->context, fd, child, dir, up, 1 /* RENAME_NOREPLACE */);
        }
        rc = rc == -ENOENT ? 0 : rc; /* somebody else is at it, too */
    }
    if (entries)
        w->dir_close(w->context, entries);
    w->close(w->context, fd);
    if (rc >= 0)
        rc = w->unlink(w->context, dir, name, AT_REMOVEDIR);
    return rc == -ENOENT ? 0 : rc;
}

/* Empties a directory of its entries (only those named with prefix, if any). */
static int empty(struct pingo__pool *pool, int dir, const char *prefix, size_t limit, bool *left)
{
    const struct pingo__world *w = pool->world;
    struct stat st;
    size_t removed = 0;
    bool again = true;
    int failed = 0, rc = w->stat(w->context, dir, ".", 0, &st);

    while (rc >= 0 && again) { /* directories that came up are found by the next round */
        struct pingo__dir *entries = NULL;
        const char *name = NULL;
        int copy = w->open(w->context, dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

        again = false;
        rc = copy < 0 ? copy : w->dir_open(w->context, copy, &entries);
        while (rc >= 0 && (!limit || removed < limit) &&
               (rc = w->dir_next(w->context, entries, &name)) == 1) {
            int one;

            if (prefix && strncmp(name, prefix, strlen(prefix)) != 0)
                continue;
            one = remove_one(pool, dir, st.st_dev, name, &removed);
            again = again || one >= 0;
            failed = one < 0 ? one : failed;
        }
        if (entries)
            w->dir_close(w->context, entries);
        if (limit && removed >= limit)
            break;
    }
    *left = again || failed < 0;
    return rc < 0 ? rc : failed;
}

int pingo__pool_trash(struct pingo__pool *pool, const char *name, struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    char to[64];
    struct stat st;
    int rc = w->stat(w->context, pool->fd, name, AT_SYMLINK_NOFOLLOW, &st);

    if (rc == -ENOENT)
        return 0;
    if (rc >= 0 && S_ISDIR(st.st_mode) && !(st.st_mode & 0200))
        w->chmod(w->context, pool->fd, name, (st.st_mode & 07777) | 0700);
    if (rc >= 0) {
        snprintf(to, sizeof to, "trash/%016" PRIx64 ".%" PRIu64, pool->token, pool->serial++);
        rc = w->rename(w->context, pool->fd, name, pool->fd, to, 1 /* RENAME_NOREPLACE */);
    }
    return rc < 0 && rc != -ENOENT ? pingo__fail_os(err, -rc, "moving to the trash", name) : 0;
}

int pingo__pool_empty_trash(struct pingo__pool *pool, size_t limit, bool *left,
                            struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    bool rest = false;
    int fd =
        w->open(w->context, pool->fd, "trash", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    int rc;

    if (fd < 0)
        return pingo__fail_os(err, -fd, "opening", "trash");
    rc = empty(pool, fd, NULL, limit, &rest);
    w->close(w->context, fd);
    if (left)
        *left = rest;
    return rc < 0 ? pingo__fail_os(err, -rc, "emptying the trash of", pool->path) : 0;
}

int pingo__remove_tree(const struct pingo__world *w, struct pingo__pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
    struct stat st;
    size_t removed = 0;
    bool rest = false;
    int dir, rc;

    if (!parent)
        return -ENOMEM;
    dir = w->open(w->context, AT_FDCWD, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    free(parent);
    if (dir < 0)
        return dir == -ENOENT ? 0 : dir;
    rc = w->stat(w->context, dir, ".", 0, &st);
    if (rc >= 0)
        rc = remove_one(pool, dir, st.st_dev, slash + 1, &removed);
    if (rc >= 0) { /* what moved up beside it */
        char prefix[64];

        snprintf(prefix, sizeof prefix, ".pingo-%016" PRIx64 ".", pool->token);
        rc = empty(pool, dir, prefix, 0, &rest);
    }
    w->close(w->context, dir);
    return rc;
}
