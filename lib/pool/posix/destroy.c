/* pool_destroy.c - takes a pool apart: what Pingo made, by its names, and nothing else.
 *
 * What always holds: it is done only where the marker says that the pool is this store's; no link is
 * followed; the marker goes last, so that what was cut short can be done again. */
#include "pool/posix/destroy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/tree.h"
#include "pool/posix/posix.h"

struct demolition {
    const struct pingo__world *w;
    pingo__kept_fn fn;
    void *context;
};

/* ---- one directory -------------------------------------------------------------------------------- */

static int keep(const struct demolition *d, const char *path, const char *why,
                struct pingo_error *err)
{
    if (d->fn && d->fn(d->context, path, why))
        return pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    return 0;
}

static int read_names(const struct pingo__world *w, int fd, struct pingo__buffer *names)
{
    struct pingo__dir *entries = NULL;
    const char *name = NULL;
    int rc = w->open(w->context, fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &entries);
    while (rc >= 0 && (rc = w->dir_next(w->context, entries, &name)) == 1)
        pingo__buffer_append(names, name, strlen(name) + 1);
    if (entries)
        w->dir_close(w->context, entries);
    return rc < 0 ? rc : names->failed ? -ENOMEM : 0;
}

static int clear_part(struct demolition *d, int dir, const char *name, const char *path,
                      const struct pingo__part *part, struct pingo_error *err);

/* One entry of a directory: removed, entered, or left. */
static int clear_entry(struct demolition *d, int fd, const char *name, const char *directory,
                       const struct pingo__part *part, struct pingo_error *err)
{
    struct pingo__tree_removal removal = {.world = d->w};
    char *path = pingo__path_child(directory, name);
    int rc = 0, failed;

    if (!path)
        return pingo__fail_memory(err);
    if (!part->is_ours(name)) {
        rc = keep(d, path, "Pingo did not make it", err);
    } else if (part->below) {
        rc = clear_part(d, fd, name, path, part->below, err);
    } else {
        failed = pingo__tree_take(&removal, fd, name);
        if (failed)
            rc = keep(d, path, strerror(-failed), err);
    }
    free(path);
    return rc;
}

static int clear_open(struct demolition *d, int fd, const char *path,
                      const struct pingo__part *part, struct pingo_error *err)
{
    struct pingo__buffer names;
    size_t at = 0;
    int rc;

    pingo__buffer_init(&names);
    rc = read_names(d->w, fd, &names);
    rc = rc < 0 ? pingo__fail_os(err, -rc, "reading", path) : 0;
    while (!rc && at < names.length) {
        rc = clear_entry(d, fd, names.data + at, path, part, err);
        at += strlen(names.data + at) + 1;
    }
    pingo__buffer_clear(&names);
    return rc;
}

/* The directory name of an open directory, and what of it is ours. */
static int clear_part(struct demolition *d, int dir, const char *name, const char *path,
                      const struct pingo__part *part, struct pingo_error *err)
{
    const struct pingo__world *w = d->w;
    int fd = w->open(w->context, dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    int rc;

    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return keep(d, path,
                    fd == -ELOOP || fd == -ENOTDIR ? "Pingo did not make it" : strerror(-fd), err);
    rc = clear_open(d, fd, path, part, err);
    w->close(w->context, fd);
    if (!rc) /* not where something stays in it */
        w->unlink(w->context, dir, name, AT_REMOVEDIR);
    return rc;
}

int pingo__clear_parts(const struct pingo__world *w, int dir, const char *directory,
                       const struct pingo__part *parts, pingo__kept_fn fn, void *context,
                       struct pingo_error *err)
{
    struct demolition d = {.w = w, .fn = fn, .context = context};
    int rc = 0;

    for (; !rc && parts->name; parts++) {
        char *path = pingo__path_child(directory, parts->name);

        rc = path ? clear_part(&d, dir, parts->name, path, parts, err) : pingo__fail_memory(err);
        free(path);
    }
    return rc;
}

/* ---- the pool ----------------------------------------------------------------------------------------- */

static bool is_shard(const char *name)
{
    return pingo__name_is_ours(PINGO__OBJECTS, false, name);
}

static bool is_object(const char *name)
{
    return pingo__name_is_ours(PINGO__OBJECTS, true, name);
}

static bool is_attempt(const char *name)
{
    return pingo__name_is_ours(PINGO__ATTEMPTS, false, name);
}

static bool is_staged(const char *name)
{
    return pingo__name_is_ours(PINGO__STAGED, false, name);
}

static bool is_any(const char *name)
{
    return pingo__name_is_ours(PINGO__TRASH, false, name);
}

static bool is_none(const char *name)
{
    (void)name;
    return false;
}

int pingo__clear_rest(const struct pingo__world *w, int fd, const char *directory,
                      pingo__kept_fn fn, void *context, struct pingo_error *err)
{
    struct demolition d = {.w = w, .fn = fn, .context = context};
    static const struct pingo__part nothing = {NULL, is_none, NULL};
    char real[PATH_MAX];

    if (realpath(directory, real) && rmdir(real) == 0)
        return 0;
    return clear_open(&d, fd, directory, &nothing, err);
}

bool pingo__pool_directory_is_destroyed(const struct pingo__world *w, const char *directory)
{
    int dir = w->open(w->context, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    bool destroyed = dir == -ENOENT;
    struct stat st;

    if (dir < 0)
        return destroyed;
    destroyed = w->stat(w->context, dir, "pingo-pool", AT_SYMLINK_NOFOLLOW, &st) == -ENOENT;
    for (size_t i = 0; destroyed && i < PINGO__PARTS; i++)
        destroyed =
            w->stat(w->context, dir, pingo__name_parts[i], AT_SYMLINK_NOFOLLOW, &st) == -ENOENT;
    w->close(w->context, dir);
    return destroyed;
}

int pingo__pool_directory_destroy(void *pool, pingo__kept_fn fn, void *context,
                                  struct pingo_error *err)
{
    static const struct pingo__part shard = {NULL, is_object, NULL};
    const struct pingo__part parts[] = {{pingo__name_parts[PINGO__OBJECTS], is_shard, &shard},
                                        {pingo__name_parts[PINGO__ATTEMPTS], is_attempt, NULL},
                                        {pingo__name_parts[PINGO__STAGED], is_staged, NULL},
                                        {pingo__name_parts[PINGO__TRASH], is_any, NULL},
                                        {NULL, NULL, NULL}};
    struct pingo__pool_directory *p = pool;
    int rc = pingo__clear_parts(p->world, p->fd, p->path, parts, fn, context, err);

    if (rc)
        return rc;
    pingo__pool_directory_unmark(p);
    return pingo__clear_rest(p->world, p->fd, p->path, fn, context, err);
}
