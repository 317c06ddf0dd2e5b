/* trash.c - the way out of the pool.
 *
 * What always holds: a tree is taken apart in place, one directory at a time; a
 * directory below is renamed up into the root of its own tree before it is entered,
 * so that no path, stack or descriptor grows with depth, and two removals never
 * meet.  Links are unlinked, never followed.  No mount point is entered: the kernel
 * renames none, and where permissions are changed first it is asked for. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "manager/dataset/pool.h"

/* A tree that is taken apart. */
struct tree {
    const struct pingo__world *w;
    int root;
    struct statx beside; /* the directory that the tree lies in: of the same file system */
    char prefix[56];     /* directories that came up are named so, and by a number */
    uint64_t next, end;  /* those from next on are still to be emptied */
    struct pingo__removal *removal;
};

static bool is_full(int rc)
{
    return rc == -ENOTEMPTY || rc == -EEXIST;
}

/* The first failure is what is told. */
static void note(struct tree *t, const char *parent, const char *name, int rc)
{
    struct pingo__removal *r = t->removal;

    if (r->failed)
        return;
    r->failed = rc;
    snprintf(r->what, sizeof r->what, "%.60s%s%.60s", parent, *parent ? "/" : "", name);
}

static int look(int dir, const char *name, struct statx *st)
{
    return statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_MODE, st) == 0
               ? 0
               : -errno;
}

/* A directory whose permissions keep us from emptying or moving it gets others; but never another mount's.
 * 0 or -errno. */
static int make_ours(struct tree *t, int dir, const char *name)
{
    struct statx st;
    int rc = look(dir, name, &st);

    if (rc < 0)
        return rc;
    if (!S_ISDIR(st.stx_mode))
        return -ENOTDIR;
    if ((st.stx_attributes & STATX_ATTR_MOUNT_ROOT) ||
        st.stx_dev_major != t->beside.stx_dev_major || st.stx_dev_minor != t->beside.stx_dev_minor)
        return -EBUSY;
    if ((st.stx_mode & 0700) == 0700)
        return 0;
    return t->w->chmod(t->w->context, dir, name, 0700);
}

/* A directory of the tree comes up to its root.  To change its parent it must be writable. */
static int come_up(struct tree *t, int dir, const char *name)
{
    char up[80];
    int rc;

    snprintf(up, sizeof up, "%s%" PRIu64, t->prefix, t->end);
    rc = t->w->rename(t->w->context, dir, name, t->root, up, 0);
    if (rc == -EACCES && make_ours(t, dir, name) == 0)
        rc = t->w->rename(t->w->context, dir, name, t->root, up, 0);
    if (rc >= 0)
        t->end++;
    return rc;
}

/* Unlinks what is in an open directory; directories come up.  *removed: how many entries went. */
static int empty(struct tree *t, int fd, const char *label, size_t *removed)
{
    const struct pingo__world *w = t->w;
    struct pingo__dir *entries = NULL;
    const char *name = NULL;
    int rc = w->open(w->context, fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

    *removed = 0;
    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &entries);
    while (rc >= 0 && (rc = w->dir_next(w->context, entries, &name)) == 1) {
        int one;

        if (fd == t->root && strncmp(name, t->prefix, strlen(t->prefix)) == 0)
            continue;
        one = w->unlink(w->context, fd, name, 0);
        if (one == -EISDIR)
            one = come_up(t, fd, name);
        if (one >= 0 || one == -ENOENT)
            ++*removed;
        else
            note(t, label, name, one);
    }
    if (entries)
        w->dir_close(w->context, entries);
    return rc;
}

/* The next one that came up is emptied and removed.  It is read again as long as that helps: file systems
 * may pass over entries while others go. */
static void remove_next(struct tree *t)
{
    const struct pingo__world *w = t->w;
    char up[80];
    size_t removed = 0;
    int fd, rc;

    snprintf(up, sizeof up, "%s%" PRIu64, t->prefix, t->next++);
    rc = make_ours(t, t->root, up);
    fd = rc < 0
             ? rc
             : w->open(w->context, t->root, up, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0) {
        if (fd != -ENOENT)
            note(t, "", up, fd);
        return;
    }
    do {
        rc = empty(t, fd, up, &removed);
        if (rc >= 0)
            rc = w->unlink(w->context, t->root, up, AT_REMOVEDIR);
    } while (is_full(rc) && removed > 0);
    w->close(w->context, fd);
    if (rc < 0 && rc != -ENOENT)
        note(t, "", up, rc);
}

static void take_apart(struct tree *t, int dir, const char *name)
{
    const struct pingo__world *w = t->w;
    size_t removed = 0;
    int rc = look(dir, ".", &t->beside);

    if (rc >= 0)
        rc = make_ours(t, dir, name);
    t->root =
        rc < 0 ? rc
               : w->open(w->context, dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (t->root < 0) {
        if (t->root != -ENOENT)
            note(t, "", "", t->root);
        return;
    }
    do {
        rc = empty(t, t->root, "", &removed);
        while (t->next < t->end)
            remove_next(t);
        if (rc >= 0)
            rc = w->unlink(w->context, dir, name, AT_REMOVEDIR);
    } while (is_full(rc) && removed > 0);
    w->close(w->context, t->root);
    if (rc < 0 && rc != -ENOENT)
        note(t, "", "", rc);
}

/* Removes a file, a link or a tree. */
static void remove_at(const struct pingo__world *w, uint64_t token, int dir, const char *name,
                      struct pingo__removal *r)
{
    struct tree t = {.w = w, .root = -1, .removal = r};
    int rc = w->unlink(w->context, dir, name, 0);

    if (rc == -EISDIR) {
        snprintf(t.prefix, sizeof t.prefix, ".pingo-%016" PRIx64 ".%" PRIu64 ".", token, r->serial);
        take_apart(&t, dir, name);
    } else if (rc < 0 && rc != -ENOENT) {
        note(&t, "", "", rc);
    }
}

/* ---- the trash ------------------------------------------------------------------------- */

static int open_trash(const struct pingo__pool *pool)
{
    const struct pingo__world *w = pool->world;

    return w->open(w->context, pool->fd, "trash", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                   0);
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
        rc = w->rename(w->context, pool->fd, name, pool->fd, to, 0);
        pool->trashed++;
    }
    return rc < 0 && rc != -ENOENT ? pingo__fail_os(err, -rc, "moving to the trash", name) : 0;
}

static void begin(struct pingo__removal *r, const char *name)
{
    r->failed = 0;
    r->in_trash = false;
    snprintf(r->name, sizeof r->name, "%s", name);
    *r->what = '\0';
}

static void lies_in_trash(struct pingo__removal *r, const char *name)
{
    r->in_trash = true;
    snprintf(r->name, sizeof r->name, "trash/%s", name);
}

/* 0: it is in the trash now, or was before, or is nowhere. */
static int bring(const struct pingo__pool *pool, const char *name, int trash, const char *to,
                 struct pingo__removal *r)
{
    const struct pingo__world *w = pool->world;
    struct tree t = {.w = w, .removal = r};
    int rc = w->rename(w->context, pool->fd, name, trash, to, 0);

    if (rc == -EACCES && look(pool->fd, ".", &t.beside) == 0 && make_ours(&t, pool->fd, name) == 0)
        rc = w->rename(w->context, pool->fd, name, trash, to, 0);
    if (is_full(rc) || rc == -ENOTDIR || rc == -EISDIR) { /* left there by a store that is no more */
        remove_at(w, pool->token, trash, to, r);
        rc = r->failed ? r->failed : w->rename(w->context, pool->fd, name, trash, to, 0);
    }
    return rc == -ENOENT ? 0 : rc;
}

void pingo__pool_remove_dataset(const struct pingo__pool *pool, int64_t dataset, const char *name,
                                struct pingo__removal *r)
{
    char mine[40];
    int rc, trash = open_trash(pool);

    begin(r, name);
    snprintf(mine, sizeof mine, "d.%" PRId64, dataset);
    rc = trash < 0 ? trash : 0;
    if (!rc && strncmp(name, "objects/", 8) == 0 && !strstr(name, ".."))
        rc = bring(pool, name, trash, mine, r);
    else if (!rc && (strncmp(name, "trash/", 6) != 0 || strcmp(name + 6, mine) != 0))
        rc = -EINVAL; /* no path that a generation of ours has */
    if (rc < 0) {
        r->failed = rc;
    } else {
        remove_at(pool->world, pool->token, trash, mine, r);
        if (r->failed)
            lies_in_trash(r, mine);
    }
    if (trash >= 0)
        pool->world->close(pool->world->context, trash);
}

void pingo__pool_remove_trash(const struct pingo__pool *pool, const char *name, int64_t owner,
                              struct pingo__removal *r)
{
    const struct pingo__world *w = pool->world;
    char mine[96];
    int rc, trash = open_trash(pool);

    begin(r, name);
    lies_in_trash(r, name);
    snprintf(mine, sizeof mine, "o.%" PRId64 ".%016" PRIx64 ".%" PRIu64, owner, pool->token,
             r->serial);
    rc = trash < 0 ? trash : w->rename(w->context, trash, name, trash, mine, 0);
    if (rc >= 0) {
        remove_at(w, pool->token, trash, mine, r);
        lies_in_trash(r, mine);
    } else if (rc != -ENOENT) {
        r->failed = rc;
    }
    if (trash >= 0)
        w->close(w->context, trash);
}

int pingo__pool_list_trash(const struct pingo__pool *pool, size_t limit,
                           struct pingo__buffer *names, bool *more)
{
    const struct pingo__world *w = pool->world;
    struct pingo__dir *dir = NULL;
    const char *name = NULL;
    size_t n = 0;
    int rc = open_trash(pool);

    *more = false;
    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &dir);
    while (rc >= 0 && (rc = w->dir_next(w->context, dir, &name)) == 1) {
        *more = n++ == limit;
        if (*more)
            break;
        pingo__buffer_append(names, name, strlen(name) + 1);
    }
    if (dir)
        w->dir_close(w->context, dir);
    return rc < 0 ? rc : names->failed ? -ENOMEM : 0;
}

void pingo__pool_trash_parse(const char *name, int64_t *dataset, int64_t *owner)
{
    const char *dot = strncmp(name, "o.", 2) == 0 ? strchr(name + 2, '.') : NULL;
    char id[24];

    *dataset = *owner = 0;
    if (strncmp(name, "d.", 2) == 0 &&
        (name[2] == '0' || !pingo__text_to_int64(name + 2, 1, INT64_MAX, dataset)))
        *dataset = 0;
    if (!dot || (size_t)(dot - name - 2) >= sizeof id)
        return;
    snprintf(id, sizeof id, "%.*s", (int)(dot - name - 2), name + 2);
    if (!pingo__text_to_int64(id, 1, INT64_MAX, owner))
        *owner = 0;
}

/* ---- outside the pool --------------------------------------------------------------------- */

int pingo__remove_tree(const struct pingo__world *w, struct pingo__pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
    struct pingo__removal r = {.serial = pool->serial++};
    int dir;

    if (!parent)
        return -ENOMEM;
    dir = w->open(w->context, AT_FDCWD, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    free(parent);
    if (dir < 0)
        return dir == -ENOENT ? 0 : dir;
    remove_at(w, pool->token, dir, slash + 1, &r);
    w->close(w->context, dir);
    return r.failed;
}

int pingo__remove_at(const struct pingo__world *w, uint64_t token, int dir, const char *name)
{
    struct pingo__removal r = {.serial = 0};

    remove_at(w, token, dir, name, &r);
    return r.failed;
}
