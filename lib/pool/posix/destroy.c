/* destroy.c - takes a pool apart: what Pingo made, by its names, and nothing else.
 *
 * What always holds: it is done only where the marker says that the pool is this store's; no link is
 * followed; the marker goes last, so that what was cut short can be done again. */
#include "pool/posix/destroy.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/tree.h"
#include "base/walk.h"
#include "pool/posix/posix.h"

/* ---- one directory -------------------------------------------------------------------------------- */

static const char not_ours[] = "Pingo did not make it";

static int keep(const struct pingo__pool_ruin *r, const char *path, const char *why,
                struct pingo_error *err)
{
    if (r->told && r->told->kept && r->told->kept(r->told->context, path, why))
        return pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    return 0;
}

static int clear_part(const struct pingo__pool_ruin *above, const char *name,
                      const struct pingo__pool_part *part, struct pingo_error *err);

/* One entry of a directory: removed, entered, or left. */
static int clear_entry(const struct pingo__pool_ruin *r, const char *name,
                       const struct pingo__pool_part *part, struct pingo_error *err)
{
    struct pingo__tree_removal removal = {.world = r->world};
    bool is_ours = part && (part->pattern ? fnmatch(part->pattern, name, FNM_EXTMATCH) == 0
                                          : pingo__name_is_ours(part->part, !part->below, name));
    if (is_ours && part->below)
        return clear_part(r, name, part->below, err);
    int failed = is_ours ? pingo__tree_take(&removal, r->fd, name) : 0;
    if (is_ours && !failed)
        return 0;
    char *path = pingo__path_child(r->path, name);
    int rc =
        path ? keep(r, path, is_ours ? strerror(-failed) : not_ours, err) : pingo__fail_memory(err);
    free(path);
    return rc;
}

static bool is_among(const struct pingo__pool_part *parts, const char *name)
{
    while (parts && parts->name && strcmp(parts->name, name) != 0)
        parts++;
    return parts && parts->name;
}

/* part NULL: nothing in it is ours.  done: what stays of these was told. */
static int clear_all(const struct pingo__pool_ruin *r, const struct pingo__pool_part *part,
                     const struct pingo__pool_part *done, struct pingo_error *err)
{
    struct pingo__walk names;
    const char *name;
    pingo__walk_init(&names, r->world, false);
    int rc = pingo__walk_enter(&names, r->fd, ".", 0);
    if (rc < 0)
        return pingo__fail_os(err, -rc, "reading", r->path);
    while (!rc && (name = pingo__walk_next(&names)))
        rc = is_among(done, name) ? 0 : clear_entry(r, name, part, err);
    pingo__walk_clear(&names);
    return rc;
}

/* The directory name in another, and what of it is ours. */
static int clear_part(const struct pingo__pool_ruin *above, const char *name,
                      const struct pingo__pool_part *part, struct pingo_error *err)
{
    const struct pingo__world *w = above->world;
    char *path = pingo__path_child(above->path, name);
    struct pingo__pool_ruin r = {.world = w, .path = path, .told = above->told};
    int rc = 0;
    if (!path)
        return pingo__fail_memory(err);
    r.fd = w->open(w->context, above->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (r.fd >= 0) {
        rc = clear_all(&r, part, NULL, err);
        w->close(w->context, r.fd);
        int failed = rc ? 0 : w->unlink(w->context, above->fd, name, AT_REMOVEDIR);
        if (failed < 0 && failed != -ENOENT && failed != -ENOTEMPTY && failed != -EEXIST)
            rc = keep(&r, path, strerror(-failed), err); /* else what stays in it was told */
    } else if (r.fd != -ENOENT) {
        bool is_another = r.fd == -ELOOP || r.fd == -ENOTDIR;
        rc = keep(&r, path, is_another ? not_ours : strerror(-r.fd), err);
    }
    free(path);
    return rc;
}

int pingo__pool_clear_parts(const struct pingo__pool_ruin *ruin,
                            const struct pingo__pool_part *parts, struct pingo_error *err)
{
    int rc = 0;
    for (; !rc && parts->name; parts++)
        rc = clear_part(ruin, parts->name, parts, err);
    return rc;
}

int pingo__pool_clear_rest(const struct pingo__pool_ruin *ruin,
                           const struct pingo__pool_part *parts, struct pingo_error *err)
{
    char real[PATH_MAX];
    if (realpath(ruin->path, real) && rmdir(real) == 0)
        return 0;
    return clear_all(ruin, NULL, parts, err);
}

/* ---- the pool ----------------------------------------------------------------------------------------- */

bool pingo__pool_directory_is_destroyed(const struct pingo__pool_site *site)
{
    const struct pingo__world *w = site->world;
    int dir = w->open(w->context, AT_FDCWD, site->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (dir < 0)
        return dir == -ENOENT;
    struct stat st;
    bool destroyed =
        w->stat(w->context, dir, PINGO__NAME_MARKER, AT_SYMLINK_NOFOLLOW, &st) == -ENOENT;
    for (size_t i = 0; destroyed && i < PINGO__PARTS; i++)
        destroyed =
            w->stat(w->context, dir, pingo__name_parts[i], AT_SYMLINK_NOFOLLOW, &st) == -ENOENT;
    w->close(w->context, dir);
    return destroyed;
}

int pingo__pool_directory_destroy(void *pool, const struct pingo__pool_told *told,
                                  struct pingo_error *err)
{
    static const struct pingo__pool_part shard = {.part = PINGO__OBJECTS};
    struct pingo__pool_part parts[PINGO__PARTS + 1] = {{.name = NULL}};
    for (enum pingo__name_part i = 0; i < PINGO__PARTS; i++)
        parts[i] = (struct pingo__pool_part){
            .name = pingo__name_parts[i], .part = i, .below = i == PINGO__OBJECTS ? &shard : NULL};
    struct pingo__pool_directory *p = pool;
    struct pingo__pool_ruin ruin = {p->world, p->fd, p->path, told};
    int rc = pingo__pool_clear_parts(&ruin, parts, err);
    if (rc)
        return rc;
    pingo__pool_directory_unmark(p);
    return pingo__pool_clear_rest(&ruin, parts, err);
}
