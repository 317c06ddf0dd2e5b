/* trees.c - files and trees of this machine to HDFS and back.
 *
 * What is sent is looked at as a whole before: nothing begins that could not end.  What arrived is compared by its
 * list. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/tree.h"
#include "base/walk.h"
#include "hdfs/inside.h"

#define THREADS 8            /* a DataNode needs up to half a second to end a file, however small */
#define LINKS_MOST 8         /* directories within each other that links lead to */
#define ENTRIES_MOST 4000000 /* where links make copies of copies */

struct entry {
    const char *path;   /* below the tree; "" is it */
    const char *source; /* of this machine; NULL: found by path */
    int64_t length;
    bool is_directory, is_executable, is_filled; /* something lies in it */
};

struct plan {
    struct pingo__hdfs *fs;
    const struct pingo__world *world;
    const char *here, *there; /* the tree on this machine, and in HDFS */
    struct pingo__arena arena;
    struct entry *entries;
    size_t n, capacity, seen;
    mode_t most; /* see pingo__hdfs_get_tree() */
    char *real;  /* the tree's path without links */
};

static int add(struct plan *p, const struct entry *e, struct pingo_error *err)
{
    if (p->n >= ENTRIES_MOST)
        return pingo__fail(err, PINGO_ELIMIT, "%s: has more than %d entries", p->here, ENTRIES_MOST);
    if (!PINGO__ARENA_ROOM(&p->arena, p->entries, p->n, p->capacity))
        return pingo__fail_memory(err);
    struct entry *own = &p->entries[p->n];
    *own = *e;
    own->path = pingo__arena_text(&p->arena, e->path, strlen(e->path));
    own->source = e->source ? pingo__arena_text(&p->arena, e->source, strlen(e->source)) : NULL;
    if (!own->path || (e->source && !own->source))
        return pingo__fail_memory(err);
    p->n++;
    return 0;
}

/* ---- what is to be sent -------------------------------------------------------------------------- */

static int refuse(const struct plan *p, const char *path, const char *why, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINPUT, "%s%s%s: %s", p->here, *path ? "/" : "", path, why);
}

/* A directory on this machine, and where it is to be in the tree. */
struct part {
    const char *source, *path;
    int links; /* that led to it */
};

static int collect(struct plan *p, const struct part *part, struct pingo_error *err);

/* As it is copied: what it leads to. */
static int collect_link(struct plan *p, const struct part *link, struct pingo_error *err)
{
    char real[PATH_MAX], own[PATH_MAX];
    char *above = pingo__path_join(link->source, "..");
    bool found = above && realpath(link->source, real) && realpath(above, own);
    free(above);
    if (!found || !pingo__path_is_below(real, p->real))
        return refuse(p, link->path,
                      "is a link that leads out of the output, or nowhere; HDFS has no links, and "
                      "takes copies of what lies in it",
                      err);
    if (pingo__path_is_below(own, real) || link->links >= LINKS_MOST)
        return refuse(p, link->path, "is a link that leads round in a circle", err);
    return collect(p, &(struct part){real, link->path, link->links + 1}, err);
}

static int check_name(const struct plan *p, const char *path, struct pingo_error *err)
{
    const char *name = pingo__path_last(path);
    const char *fault = *path ? pingo__hdfs_name_fault(name, strlen(name)) : NULL;
    size_t depth = 0;
    for (const char *c = path; *c; c++)
        depth += *c == '/';
    if (!fault && (strlen(path) > PINGO__HDFS_PATH_MOST / 2 || depth > PINGO__HDFS_DEPTH_MOST / 2))
        fault = "lies too deep for HDFS";
    return fault ? refuse(p, path, fault, err) : 0;
}

/* One that is no directory. */
static int collect_one(struct plan *p, const char *source, const char *path, const struct stat *st,
                       struct pingo_error *err)
{
    struct entry e = {.path = path,
                      .source = source,
                      .length = (int64_t)st->st_size,
                      .is_directory = S_ISDIR(st->st_mode),
                      .is_executable = (st->st_mode & S_IXUSR) != 0};
    if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
        return refuse(p, path, "is neither a file nor a directory", err);
    return add(p, &e, err);
}

static int collect_below(struct plan *p, struct pingo__walk *walk, const struct part *part,
                         struct pingo_error *err)
{
    const char *name = pingo__walk_next(walk);
    struct pingo__buffer at = {0}, there = {0};
    struct stat st;
    int rc = 0;
    if (!name) {
        rc = pingo__walk_leave(walk);
        return rc < 0 && rc != -ESTALE ? pingo__fail_os(err, -rc, "reading", part->source) : 0;
    }
    pingo__buffer_format(&at, "%s/", part->source);
    pingo__walk_path(walk, &at);
    pingo__buffer_format(&there, "%s%s", part->path, *part->path ? "/" : "");
    pingo__walk_path(walk, &there);
    if (!pingo__buffer_cstr(&at) || !pingo__buffer_cstr(&there))
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = check_name(p, there.data, err);
    int looked =
        rc ? 0 : p->world->stat(p->world->context, walk->fd, name, AT_SYMLINK_NOFOLLOW, &st);
    if (looked < 0)
        rc = pingo__fail_os(err, -looked, "looking at", at.data);
    else if (!rc && S_ISLNK(st.st_mode))
        rc = collect_link(p, &(struct part){at.data, there.data, part->links}, err);
    else if (!rc)
        rc = collect_one(p, at.data, there.data, &st, err);
    if (!rc && !looked && S_ISDIR(st.st_mode)) {
        looked = pingo__walk_enter(walk, walk->fd, name, O_NOFOLLOW);
        rc = looked < 0 ? pingo__fail_os(err, -looked, "reading", at.data) : 0;
    }
    pingo__buffer_clear(&at);
    pingo__buffer_clear(&there);
    return rc;
}

static int collect(struct plan *p, const struct part *part, struct pingo_error *err)
{
    struct pingo__walk walk;
    struct stat st;
    int rc = p->world->stat(p->world->context, AT_FDCWD, part->source, AT_SYMLINK_NOFOLLOW, &st);
    if (rc < 0)
        return pingo__fail_os(err, -rc, "looking at", part->source);
    rc = collect_one(p, part->source, part->path, &st, err);
    if (rc || !S_ISDIR(st.st_mode))
        return rc;
    pingo__walk_init(&walk, p->world, false);
    int entered = pingo__walk_enter(&walk, AT_FDCWD, part->source, O_NOFOLLOW);
    if (entered < 0)
        rc = pingo__fail_os(err, -entered, "reading", part->source);
    while (!rc && walk.depth > 0)
        rc = collect_below(p, &walk, part, err);
    pingo__walk_clear(&walk);
    return rc;
}

/* Sorted; directories know whether they come with what is in them. */
static void sort(struct plan *p)
{
    qsort(p->entries, p->n, sizeof *p->entries, pingo__array_by_text);
    for (size_t i = 0; i < p->n; i++) {
        char above[PINGO__HDFS_PATH_MOST + 1];
        const char *slash = strrchr(p->entries[i].path, '/');
        snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - p->entries[i].path) : 0,
                 p->entries[i].path);
        struct entry key = {.path = above};
        struct entry *e = *p->entries[i].path
                              ? bsearch(&key, p->entries, p->n, sizeof key, pingo__array_by_text)
                              : NULL;
        if (e)
            e->is_filled = true;
    }
}

/* ---- sending ---------------------------------------------------------------------------------------- */

static int send_entry(void *context, size_t i, struct pingo_error *err)
{
    struct plan *p = context;
    const struct entry *e = &p->entries[i];
    struct pingo__hdfs_source source = {
        .fd = -1, .length = e->length, .mode = e->is_executable ? 0555 : 0444};
    if (e->is_directory && e->is_filled)
        return 0;
    char *to = pingo__path_below(p->there, e->path);
    int rc = !to ? pingo__fail_memory(err) : e->is_directory ? pingo__hdfs_make(p->fs, to, err) : 0;
    if (!rc && !e->is_directory) {
        source.fd = p->world->open(p->world->context, AT_FDCWD, e->source,
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
        rc = source.fd < 0 ? pingo__fail_os(err, -source.fd, "opening", e->source)
                           : pingo__hdfs_upload(p->fs, to, &source, err);
        if (source.fd >= 0)
            p->world->close(p->world->context, source.fd);
    }
    free(to);
    return rc;
}

static int compare(void *context, const char *path, const struct pingo__hdfs_status *status,
                   struct pingo_error *err)
{
    struct plan *p = context;
    struct entry key = {.path = path};
    const struct entry *e = bsearch(&key, p->entries, p->n, sizeof key, pingo__array_by_text);
    p->seen++;
    if (e && e->is_directory == status->is_directory && !status->is_link &&
        (e->is_directory || e->length == status->length))
        return 0;
    return pingo__fail(err, PINGO_EIO, "%s/%s: is not as it was sent", p->there, path);
}

static int send_all(struct plan *p, struct pingo_error *err)
{
    struct pingo__parallel all = {
        .n = p->n, .threads = p->n < THREADS ? 1 : THREADS, .run = send_entry, .context = p};
    int rc = pingo__parallel_run(&all, err);
    if (!rc)
        rc = pingo__hdfs_walk(p->fs, p->there, compare, p, err);
    if (!rc && p->seen != p->n)
        rc = pingo__fail(err, PINGO_EIO, "%s: of %zu entries that were sent %zu are there",
                         p->there, p->n, p->seen);
    return rc;
}

int pingo__hdfs_put_tree(struct pingo__hdfs *fs, const char *source, const char *path,
                         const char *by, struct pingo_error *err)
{
    char *own = by ? NULL : pingo__hdfs_beside(path);
    struct plan p = {.fs = fs, .world = fs->world, .here = source, .there = by ? by : own};
    p.real = realpath(source, NULL);
    bool begun = false;
    int rc = !p.there  ? pingo__fail_memory(err)
             : !p.real ? pingo__fail_os(err, errno, "looking at", source)
                       : collect(&p, &(struct part){p.real, "", 0}, err);
    if (!rc) {
        sort(&p);
        begun = true;
        rc = send_all(&p, err);
    }
    if (!rc)
        rc = pingo__hdfs_move(fs, p.there, path, err);
    if (rc && begun)
        pingo__hdfs_remove(fs, p.there, NULL);
    pingo__arena_clear(&p.arena);
    free(p.real);
    free(own);
    return rc;
}

/* ---- fetching ----------------------------------------------------------------------------------------- */

/* What is below the root is behind it. */
static mode_t mode_of(const struct plan *p, const char *path, mode_t mode)
{
    return *path ? mode : mode & p->most;
}

static int note(void *context, const char *path, const struct pingo__hdfs_status *status,
                struct pingo_error *err)
{
    struct plan *p = context;
    struct entry e = {.path = path,
                      .length = status->length,
                      .is_directory = status->is_directory,
                      .is_executable = (status->mode & 0111) != 0};
    if (status->is_link)
        return pingo__fail(err, PINGO_EIO, "%s/%s: is a link", p->there, path);
    int rc = add(p, &e, err);
    char *at = rc || !status->is_directory ? NULL : pingo__path_below(p->here, path);
    if (!rc && status->is_directory) {
        rc = at ? p->world->mkdir(p->world->context, AT_FDCWD, at, mode_of(p, path, 0755) | 0700)
                : -ENOMEM;
        rc = rc == -EEXIST ? pingo__fail(err, PINGO_EEXISTS, "%s: is there already", at)
             : rc < 0      ? pingo__fail_os(err, -rc, "making the directory", p->here)
                           : 0;
    }
    free(at);
    return rc;
}

struct writing {
    const struct pingo__world *world;
    int fd, failed;
};

static int write_some(void *context, const char *bytes, size_t n)
{
    struct writing *w = context;
    ssize_t rc = w->world->write(w->world->context, w->fd, bytes, n);
    w->failed = rc < 0 ? (int)-rc : 0;
    return rc < 0 ? PINGO_EIO : 0;
}

static int fetch_entry(void *context, size_t i, struct pingo_error *err)
{
    struct plan *p = context;
    const struct pingo__world *w = p->world;
    const struct entry *e = &p->entries[i];
    struct writing writing = {w, -1, 0};
    const struct pingo__hdfs_sink sink = {write_some, &writing};
    bool is_ours = p->most & 0200;
    mode_t mode = mode_of(p, e->path, (e->is_executable ? 0555 : 0444) | (is_ours ? 0200 : 0));
    if (e->is_directory)
        return 0;
    char *from = pingo__path_below(p->there, e->path), *to = pingo__path_below(p->here, e->path);
    int rc = from && to ? 0 : pingo__fail_memory(err);
    if (!rc)
        writing.fd =
            w->open(w->context, AT_FDCWD, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    is_ours ? mode : 0600);
    if (!rc && writing.fd < 0)
        rc = writing.fd == -EEXIST ? pingo__fail(err, PINGO_EEXISTS, "%s: is there already", to)
                                   : pingo__fail_os(err, -writing.fd, "making the file", to);
    if (!rc)
        rc = pingo__hdfs_download(p->fs, from, (struct pingo__hdfs_range){0, e->length}, &sink, err);
    if (writing.failed)
        rc = pingo__fail_os(err, writing.failed, "writing", to);
    int changed = rc || is_ours ? 0 : w->chmod(w->context, AT_FDCWD, to, mode);
    int closed = writing.fd >= 0 ? w->close(w->context, writing.fd) : 0;
    if (!rc && (changed < 0 || closed < 0))
        rc = pingo__fail_os(err, changed < 0 ? -changed : -closed, "writing", to);
    free(from);
    free(to);
    return rc;
}

int pingo__hdfs_get_tree(struct pingo__hdfs *fs, const char *path, const char *target, mode_t most,
                         struct pingo_error *err)
{
    struct plan p = {.fs = fs, .world = fs->world, .here = target, .there = path, .most = most};
    struct pingo__parallel all = {.run = fetch_entry, .context = &p};
    int rc = pingo__hdfs_walk(fs, path, note, &p, err);
    all.n = p.n;
    all.threads = p.n < THREADS ? 1 : THREADS;
    if (!rc)
        rc = pingo__parallel_run(&all, err);
    if (rc && p.n > 0 && rc != PINGO_EEXISTS)
        pingo__tree_remove(AT_FDCWD, target);
    pingo__arena_clear(&p.arena);
    return rc;
}
