/* files.c - the table of a pool in a directory, and what it does to entries. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file.h"
#include "base/full.h"
#include "base/path.h"
#include "base/tree.h"
#include "base/walk.h"
#include "pool/posix/posix.h"

static char *path_of(void *pool, const char *name)
{
    const struct pingo__pool_directory *p = pool;
    return *name == '/' ? strdup(name) : pingo__path_below(p->path, name);
}

static int give_path(void *pool, const char *name, char **path, struct pingo_error *err)
{
    *path = path_of(pool, name);
    return *path ? 0 : pingo__fail_memory(err);
}

/* Others may be looked at all the same, and this one again. */
static int fail_away(struct pingo_error *err, int failed, const char *what, const char *name)
{
    struct pingo_error why;
    int rc = pingo__fail_os(&why, -failed, what, name);
    return rc == PINGO_EIO ? pingo__fail(err, PINGO_EAWAY, "%s" PINGO__POOL_UNTIL, why.message)
                           : pingo__fail(err, rc, "%s", why.message);
}

static int look(const struct pingo__pool_directory *p, const char *name, struct stat *st)
{
    return p->world->stat(p->world->context, p->fd, name, AT_SYMLINK_NOFOLLOW, st);
}

static int state(void *pool, const char *name, struct pingo__pool_state *out,
                 struct pingo_error *err)
{
    const struct pingo__pool_directory *p = pool;
    const struct pingo__world *w = p->world;
    struct stat st;
    int rc = look(p, name, &st);
    memset(out, 0, sizeof *out);
    if (rc == -ENOENT || rc == -ENOTDIR)
        return 0;
    if (rc < 0)
        return fail_away(err, rc, "looking at", name);
    if (st.st_uid != geteuid() && S_ISREG(st.st_mode)) {
        rc = w->open(w->context, p->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
        out->closed = rc == -EACCES;
        if (rc >= 0)
            w->close(w->context, rc);
    }
    out->exists = true;
    out->directory = S_ISDIR(st.st_mode);
    out->other_kind = !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode);
    out->link = S_ISLNK(st.st_mode);
    out->executable = (st.st_mode & S_IXUSR) != 0;
    out->size_bytes = (int64_t)st.st_size;
    out->stamp = (struct pingo__stamp){{(int64_t)st.st_ino, pingo__file_time_ns(&st.st_mtim)}};
    return 0;
}

static int read_content(void *pool, const char *name,
                        const struct pingo__digest_content_options *options,
                        struct pingo__digest_content *content, struct pingo_error *err)
{
    struct pingo__digest_content_options here = *options;
    char *path = path_of(pool, name);
    here.world = ((struct pingo__pool_directory *)pool)->world;
    here.us = geteuid();
    here.may_be_away =
        !pingo__name_is_in(PINGO__STAGED, name); /* what a command has made is as it is */
    int rc = path ? pingo__digest_content_read(path, &here, content, err) : pingo__fail_memory(err);
    free(path);
    if (rc == PINGO_EAWAY && err)
        strncat(err->message, PINGO__POOL_UNTIL, sizeof err->message - strlen(err->message) - 1);
    return rc;
}

/* ---- in, about and out ------------------------------------------------------------------------ */

/* from, to: NULL for want of memory. */
static int copy(const struct pingo__pool_directory *p, const char *from, const char *to,
                mode_t most, struct pingo_error *err)
{
    struct pingo__buffer at = {0};
    if (!from || !to)
        return pingo__fail_memory(err);
    pingo__buffer_text(&at, from);
    int rc = pingo__copy_tree(p->world, from, to, most, &at);
    const char *text = pingo__buffer_cstr(&at), *where = text ? text : from;
    if (rc == -EEXIST)
        rc = pingo__fail(err, PINGO_EEXISTS, "%s: copying: %s%s is there already", where, to,
                         text ? text + strlen(from) : "");
    else if (rc == -ENXIO) /* see pingo__copy_tree() */
        rc = pingo__fail(err, PINGO_EINPUT, "%s: is neither a file, a directory nor a link", where);
    else if (rc < 0)
        rc = pingo__fail_os(err, -rc, "copying", where);
    pingo__buffer_clear(&at);
    return rc;
}

static int stage(void *pool, const char *path, const char *name, struct pingo_error *err)
{
    char *to = path_of(pool, name);
    int rc = copy(pool, path, to, 0777, err);
    free(to);
    return rc;
}

static int copy_out(void *pool, const char *name, const char *path, mode_t most,
                    struct pingo_error *err)
{
    char *from = path_of(pool, name);
    int rc = copy(pool, from, path, most, err);
    free(from);
    return rc;
}

/* To change its parent a directory must be writable: its ".." is another.  But never what is mounted. */
static int make_ours(const struct pingo__pool_directory *p, const char *name)
{
    struct stat st;
    int rc = look(p, name, &st);
    if (rc < 0 || !S_ISDIR(st.st_mode))
        return rc < 0 ? rc : -EACCES;
    if (pingo__tree_is_mount(p->fd, name))
        return -EBUSY;
    return p->world->chmod(p->world->context, p->fd, name, (st.st_mode & 07777) | 0700);
}

/* Are all parts above an entry directories, and none a link?  Opening them would say the same at ten times the cost,
 * and each output is moved so. */
static int reach(const struct pingo__pool_directory *p, const char *name)
{
    int rc = 0;
    for (const char *slash = strchr(name, '/'); rc >= 0 && slash; slash = strchr(slash + 1, '/')) {
        char part[PINGO__NAME_SIZE];
        struct stat st;
        snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        rc = look(p, part, &st);
        if (rc >= 0 && !S_ISDIR(st.st_mode))
            rc = -ENOTDIR;
    }
    return rc;
}

static int shift(const struct pingo__pool_directory *p, const char *from, const char *to)
{
    const struct pingo__world *w = p->world;
    int rc = reach(p, from);
    if (rc >= 0)
        rc = reach(p, to);
    if (rc < 0)
        return rc;
    rc = w->rename(w->context, p->fd, from, to, 1 /* RENAME_NOREPLACE */);
    if (rc == -EACCES && make_ours(p, from) == 0)
        rc = w->rename(w->context, p->fd, from, to, 1);
    return rc;
}

/* A directory of objects comes with the first of them. */
static int make_parent(const struct pingo__pool_directory *p, const char *name)
{
    char parent[PINGO__NAME_SIZE];
    const char *slash = strrchr(name, '/');
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - name) : 0, name);
    int rc = p->world->mkdir(p->world->context, p->fd, parent, 0700);
    return rc == -EEXIST ? 0 : rc;
}

static int take(const struct pingo__pool_directory *p, const char *name,
                struct pingo__tree_removal *removal)
{
    int rc = reach(p, name);
    return rc < 0 ? rc : pingo__tree_take(removal, p->fd, name);
}

static int move(void *pool, const char *from, const char *to, struct pingo_error *err)
{
    const struct pingo__pool_directory *p = pool;
    struct stat st;
    int rc = shift(p, from, to);
    if (rc == -ENOENT && look(p, from, &st) == 0 && (rc = make_parent(p, to)) == 0)
        rc = shift(p, from, to);
    /* An overlay moves no directory of a layer below, as of a store in a container's image; and where nothing is
     * written in place, a name needs room on a full disk. */
    if ((rc == -EXDEV || pingo__error_is_full(-rc)) && pingo__name_is_in(PINGO__TRASH, to) &&
        (rc = take(p, from, &(struct pingo__tree_removal){.world = p->world})) == 0)
        rc = -ENOENT;
    if (rc == -ENOENT)
        return pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: is not there", p->path, from);
    if (rc == -EEXIST || rc == -ENOTEMPTY || rc == -ENOTDIR || rc == -EISDIR || rc == -ELOOP)
        return pingo__fail(err, PINGO_EEXISTS, "%s/%s: something is in the way", p->path, to);
    if (rc == 0)
        return 0;
    bool read_only = rc == -EROFS;
    rc = pingo__fail_os(err, -rc, "moving", from);
    pingo__error_prefix(err, "%s/%s", p->path, to);
    return read_only ? PINGO_ESTATE : rc;
}

static int seal(void *pool, const char *name, struct pingo_error *err)
{
    const struct pingo__pool_directory *p = pool;
    struct stat st;
    int rc = look(p, name, &st);
    if (rc >= 0 && (st.st_mode & 0222) && !S_ISLNK(st.st_mode))
        rc = p->world->chmod(p->world->context, p->fd, name, st.st_mode & 07555);
    return rc < 0 ? pingo__fail_os(err, -rc, "making read-only", name) : 0;
}

/* ---- all that is in it ------------------------------------------------------------------------ */

static int list(void *pool, const char *directory, pingo__pool_name_fn fn, void *context,
                struct pingo_error *err)
{
    const struct pingo__pool_directory *p = pool;
    const struct pingo__world *w = p->world;
    struct pingo__dir *dir = NULL;
    const char *entry = NULL;
    int rc =
        w->open(w->context, p->fd, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &dir);
    if (rc < 0)
        return fail_away(err, rc, "reading", directory);
    int told = 0;
    while (!told && !(rc = w->dir_next(w->context, dir, &entry)) && entry) {
        char *name = pingo__path_child(directory, entry);
        told = name ? fn(context, name, err) : pingo__fail_memory(err);
        free(name);
    }
    w->dir_close(w->context, dir);
    return told ? told : rc < 0 ? fail_away(err, rc, "reading", directory) : 0;
}

/* A file counts as long as it is, but holes are no bytes. */
static void add(struct pingo__pool_extent *extent, const struct stat *st)
{
    int64_t on_disk = (int64_t)st->st_blocks * 512;
    extent->entries++;
    if (S_ISDIR(st->st_mode))
        return;
    extent->bytes += (int64_t)st->st_size;
    extent->held_bytes += st->st_size < on_disk ? (int64_t)st->st_size : on_disk;
}

/* What is in a directory that was entered.  What cannot be read, or is just going, counts as empty. */
static int add_all(struct pingo__walk *walk, size_t most, struct pingo__pool_extent *extent)
{
    const struct pingo__world *w = walk->world;
    dev_t device = walk->levels[0].st.st_dev;
    int rc = 0;
    while (rc >= 0 && walk->depth > 0) {
        const char *name = pingo__walk_next(walk);
        struct stat st;
        if (!name) {
            rc = pingo__walk_leave(walk);
            continue;
        }
        extent->whole = extent->entries < most;
        if (!extent->whole)
            break;
        if (w->stat(w->context, walk->fd, name, AT_SYMLINK_NOFOLLOW, &st) < 0)
            continue;
        add(extent, &st);
        if (S_ISDIR(st.st_mode) && st.st_dev == device &&
            pingo__walk_enter(walk, walk->fd, name, O_NOFOLLOW) == -ENOMEM)
            rc = -ENOMEM;
    }
    return rc == -ESTALE ? 0 : rc;
}

static int measure(void *pool, const char *name, size_t most, struct pingo__pool_extent *extent,
                   struct pingo_error *err)
{
    const struct pingo__pool_directory *p = pool;
    struct pingo__walk walk;
    struct stat st;
    int rc = look(p, name, &st);
    *extent = (struct pingo__pool_extent){.whole = true};
    pingo__walk_init(&walk, p->world, false);
    if (rc >= 0)
        add(extent, &st);
    if (rc >= 0 && S_ISDIR(st.st_mode) && pingo__walk_enter(&walk, p->fd, name, O_NOFOLLOW) >= 0)
        rc = add_all(&walk, most, extent);
    pingo__walk_clear(&walk);
    if (rc == -ENOENT)
        return pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: is not there", p->path, name);
    return rc < 0 ? pingo__fail_os(err, -rc, "measuring", name) : 0;
}

static bool remove_all(void *pool, const char *name, struct pingo__pool_rest *rest)
{
    const struct pingo__pool_directory *p = pool;
    struct pingo__tree_removal removal = {.world = p->world};
    char why[sizeof rest->why];
    bool full = pingo__full_is(pingo__full_free_bytes(p->fd));
    pingo__full_note(p->fd, PINGO__NAME_MARKER, full);
    int rc = take(p, name, &removal);
    pingo__full_note(p->fd, PINGO__NAME_MARKER, full);
    *rest = (struct pingo__pool_rest){.read_only = rc == -EROFS};
    if (rc == 0 || rc == -ENOENT)
        return true;
    memcpy(rest->what, removal.what, sizeof rest->what);
    snprintf(rest->why, sizeof rest->why, "%s", strerror_r(-rc, why, sizeof why));
    return false;
}

/* ---- the file system ---------------------------------------------------------------------------- */

static int sync_all(void *pool, struct pingo_error *err)
{
    const struct pingo__pool_directory *p = pool;
    char name[PINGO__NAME_SIZE]; /* whoever sweeps removes it, if it should stay */
    int rc = p->world->syncfs(p->world->context, p->fd);
    pingo__name_dropped(name, (uint64_t)p->world->monotonic_ns(p->world->context), 0);
    if (rc == -EIO && pingo__full_refuses(p->fd, name)) /* the kernel says so of a quota, too */
        rc = -ENOSPC;
    return rc < 0 ? pingo__fail_os(err, -rc, "syncing", p->path) : 0;
}

static struct pingo__pool_space space(void *pool)
{
    struct statvfs fs;
    if (fstatvfs(((struct pingo__pool_directory *)pool)->fd, &fs) != 0)
        return (struct pingo__pool_space){-1, -1, -1, -1};
    return (struct pingo__pool_space){pingo__file_blocks(&fs, fs.f_bavail),
                                      pingo__file_blocks(&fs, fs.f_blocks - fs.f_bfree), -1, -1};
}

const struct pingo__pool_backend pingo__pool_posix = {
    .scheme = "",
    .create = pingo__pool_directory_create,
    .open = pingo__pool_directory_open,
    .close = pingo__pool_directory_close,
    .is_of = pingo__pool_directory_is_of,
    .is_destroyed = pingo__pool_directory_is_destroyed,
    .destroy = pingo__pool_directory_destroy,
    .identity = pingo__pool_directory_identity,
    .noted = pingo__pool_directory_noted,
    .note = pingo__pool_directory_note,
    .state = state,
    .read = read_content,
    .stage = stage,
    .move = move,
    .seal = seal,
    .copy_out = copy_out,
    .list = list,
    .measure = measure,
    .remove = remove_all,
    .sync = sync_all,
    .space = space,
    .path = give_path,
};
