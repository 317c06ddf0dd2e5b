/* cache.c - copies of objects on this machine.
 *
 * What always holds: a copy appears whole, by a rename, behind its id, when it is on the disk: nobody compares it ever
 * after; a copy whose id is not the object's is none. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/process.h"
#include "base/tree.h"
#include "base/walk.h"
#include "pool/hdfs/hdfs.h"

#define SHARD 11 /* "objects/HH/" */
#define ID ".id"
#define MAKING ".making." /* behind it: the process, its PID namespace, a token */
#define OLD_S 86400

struct names { /* in the near directory */
    char data[PINGO__NAME_SIZE], id[PINGO__NAME_SIZE + 8], temporary[PINGO__NAME_SIZE + 64];
};

/* false: it is no name of an object.  *rest: behind it, "" or "/...". */
static bool name_copy(struct pingo__pool_hdfs *p, const char *name, struct names *n,
                      const char **rest)
{
    size_t length = strlen(name) > SHARD ? strcspn(name + SHARD, "/") : 0;
    if (!pingo__name_is_in(PINGO__OBJECTS, name) || length == 0 || length > 120 ||
        name[SHARD - 1] != '/')
        return false;
    snprintf(n->data, sizeof n->data, "cache/%.*s", (int)length, name + SHARD);
    snprintf(n->id, sizeof n->id, "%s" ID, n->data);
    snprintf(n->temporary, sizeof n->temporary, "%s" MAKING "%ld.%llu.%016" PRIx64, n->data,
             (long)getpid(), pingo__process_namespace(), pingo__world_token(p->world));
    *rest = name + SHARD + length;
    return true;
}

static bool is_there(struct pingo__pool_hdfs *p, const char *name)
{
    struct stat st;
    return p->world->stat(p->world->context, p->near.fd, name, AT_SYMLINK_NOFOLLOW, &st) >= 0;
}

static void id_of(const struct pingo__stamp *stamp, char id[64])
{
    snprintf(id, 64, "%" PRId64 " %" PRId64 "\n", stamp->numbers[0], stamp->numbers[1]);
}

static bool is_copy_of(struct pingo__pool_hdfs *p, const struct names *n,
                       const struct pingo__stamp *stamp)
{
    char id[64], is[64];
    pingo__file_read(p->near.fd, n->id, is, sizeof is);
    id_of(stamp, id);
    return strcmp(id, is) == 0 && is_there(p, n->data);
}

static int write_id(struct pingo__pool_hdfs *p, const struct names *n,
                    const struct pingo__stamp *stamp)
{
    const struct pingo__world *w = p->world;
    char id[64], by[sizeof n->temporary + 8];
    id_of(stamp, id);
    snprintf(by, sizeof by, "%s" ID, n->temporary);
    int fd = w->open(w->context, p->near.fd, by, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t rc = fd < 0 ? fd : w->write(w->context, fd, id, strlen(id));
    if (fd >= 0)
        w->close(w->context, fd);
    if (rc >= 0)
        rc = w->rename(w->context, p->near.fd, by, n->id, 0);
    if (rc < 0)
        w->unlink(w->context, p->near.fd, by, 0);
    return rc < 0 ? (int)rc : 0;
}

/* First out of sight, so that nobody finds a part of it. */
static void drop(struct pingo__pool_hdfs *p, const struct names *n)
{
    const struct pingo__world *w = p->world;
    char away[sizeof n->temporary];
    snprintf(away, sizeof away, "%s", n->temporary);
    int rc = w->rename(w->context, p->near.fd, n->data, away, 1 /* RENAME_NOREPLACE */);
    if (rc == -EACCES && w->chmod(w->context, p->near.fd, n->data, 0700) == 0)
        rc = w->rename(w->context, p->near.fd, n->data, away, 1);
    if (rc >= 0)
        pingo__tree_remove(p->near.fd, away);
    w->unlink(w->context, p->near.fd, n->id, 0);
}

/* ---- in ---------------------------------------------------------------------------------------- */

static int bring(struct pingo__pool_hdfs *p, const char *object, const struct names *n,
                 const struct pingo__stamp *stamp, struct pingo_error *err)
{
    const struct pingo__world *w = p->world;
    char *path = pingo__path_child(p->near.path, n->temporary);
    int rc = path ? pingo__hdfs_get_tree(p->fs, object, path, 0555, err) : pingo__fail_memory(err);
    int kept = rc ? 0 : w->syncfs(w->context, p->near.fd);
    if (!rc && kept >= 0)
        kept = write_id(p, n, stamp);
    if (!rc && kept >= 0) {
        kept = w->rename(w->context, p->near.fd, n->temporary, n->data, 1);
        kept = kept == -EEXIST || kept == -ENOTEMPTY ? 0 : kept; /* somebody was faster */
    }
    if (kept < 0)
        rc = pingo__fail_os(err, -kept, "keeping a copy of", object);
    pingo__tree_remove(p->near.fd, n->temporary);
    free(path);
    return rc;
}

/* Of what lies in an attempt's directory, such as a log: it is there as long as the process.  false: it is none. */
static bool name_passing(const char *name, char copy[PINGO__NAME_SIZE])
{
    const char *what = strrchr(name, '/'), *key = strchr(name, '/');
    if (!pingo__name_is_in(PINGO__ATTEMPTS, name) || what == key)
        return false;
    snprintf(copy, PINGO__NAME_SIZE, "cache/%.*s.%.40s" MAKING "%ld.%llu", (int)(what - key - 1),
             key + 1, what + 1, (long)getpid(), pingo__process_namespace());
    return true;
}

/* Anew each time, for it may have grown.  What others of this process read meanwhile stays whole. */
static int fetch_passing(struct pingo__pool_hdfs *p, const char *name, const char *copy,
                         struct pingo_error *err)
{
    const struct pingo__world *w = p->world;
    struct pingo__pool_state here;
    char by[PINGO__NAME_SIZE + 20];
    if (pingo__pool_posix.state(&p->near, name, &here, NULL) == 0 && here.exists)
        return 0;
    snprintf(by, sizeof by, "%s.%016" PRIx64, copy, pingo__world_token(w));
    char *path = pingo__path_child(p->near.path, by);
    int rc = path ? pingo__hdfs_get_tree(p->fs, name, path, 0555, err) : pingo__fail_memory(err);
    int kept = rc ? 0 : w->rename(w->context, p->near.fd, by, copy, 0);
    if (kept < 0) {
        rc = pingo__fail_os(err, -kept, "keeping a copy of", name);
        pingo__tree_remove(p->near.fd, by);
    }
    free(path);
    return rc;
}

int pingo__pool_hdfs_fetch(void *pool, const char *name, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_status status;
    struct names n;
    const char *rest;
    char copy[PINGO__NAME_SIZE];
    if (name_passing(name, copy))
        return fetch_passing(p, name, copy, err);
    if (!name_copy(p, name, &n, &rest))
        return 0; /* what else lies in a pool is found as it is */
    char *object = strndup(name, (size_t)(rest - name));
    int rc = object ? pingo__hdfs_status(p->fs, object, &status, err) : pingo__fail_memory(err);
    if (!rc && !status.exists)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there", object);
    if (!rc) {
        struct pingo__stamp stamp = pingo__pool_hdfs_stamp(&status);
        if (!is_copy_of(p, &n, &stamp)) {
            if (is_there(p, n.data))
                drop(p, &n);
            rc = bring(p, object, &n, &stamp, err);
        }
        utimensat(p->near.fd, n.id, NULL, 0);
    }
    free(object);
    return rc;
}

static bool has_links(struct pingo__pool_hdfs *p, const char *name)
{
    const struct pingo__world *w = p->world;
    struct pingo__walk walk;
    struct stat st;
    const char *entry;
    bool found = w->stat(w->context, p->near.fd, name, AT_SYMLINK_NOFOLLOW, &st) < 0;
    pingo__walk_init(&walk, w, false);
    if (!found && S_ISDIR(st.st_mode))
        found = pingo__walk_enter(&walk, p->near.fd, name, O_NOFOLLOW) < 0;
    while (!found && walk.depth > 0) {
        if (!(entry = pingo__walk_next(&walk))) {
            found = pingo__walk_leave(&walk) < 0;
            continue;
        }
        found = w->stat(w->context, walk.fd, entry, AT_SYMLINK_NOFOLLOW, &st) < 0 ||
                S_ISLNK(st.st_mode) ||
                (S_ISDIR(st.st_mode) && pingo__walk_enter(&walk, walk.fd, entry, O_NOFOLLOW) < 0);
    }
    pingo__walk_clear(&walk);
    return found;
}

void pingo__pool_hdfs_adopt(struct pingo__pool_hdfs *p, const char *near, const char *object)
{
    const struct pingo__world *w = p->world;
    struct pingo__hdfs_status status;
    struct names n;
    const char *rest;
    bool is_kept = false;
    if (name_copy(p, object, &n, &rest) && !*rest && !has_links(p, near) &&
        pingo__hdfs_status(p->fs, object, &status, NULL) == 0 && status.exists) {
        struct pingo__stamp stamp = pingo__pool_hdfs_stamp(&status);
        drop(p, &n);
        is_kept = w->syncfs(w->context, p->near.fd) >= 0 && write_id(p, &n, &stamp) == 0 &&
                  w->rename(w->context, p->near.fd, near, n.data, 1) >= 0;
    }
    if (!is_kept)
        pingo__tree_remove(p->near.fd, near);
}

/* ---- out ----------------------------------------------------------------------------------------- */

int pingo__pool_hdfs_cached(struct pingo__pool_hdfs *p, const char *name, char **path,
                            struct pingo_error *err)
{
    struct names n;
    struct pingo__buffer text = {0};
    const char *rest;
    char copy[PINGO__NAME_SIZE];
    *path = NULL;
    if (name_passing(name, copy) && is_there(p, copy)) {
        *path = pingo__path_child(p->near.path, copy);
        return *path ? 0 : pingo__fail_memory(err);
    }
    if (!name_copy(p, name, &n, &rest) || !is_there(p, n.data))
        return 0;
    utimensat(p->near.fd, n.id, NULL, 0);
    pingo__buffer_format(&text, "%s/%s%s", p->near.path, n.data, rest);
    *path = pingo__buffer_take(&text);
    return *path ? 0 : pingo__fail_memory(err);
}

void pingo__pool_hdfs_forget(struct pingo__pool_hdfs *p, const char *object)
{
    struct names n;
    const char *rest;
    if (name_copy(p, object, &n, &rest) && !*rest)
        drop(p, &n);
}

struct copy {
    char name[PINGO__NAME_SIZE]; /* of the object */
    int64_t used_ns, bytes;
};

struct copies {
    struct pingo__pool_hdfs *pool;
    struct copy *list;
    size_t n, capacity;
    int64_t bytes;
};

/* What a process that is no more was making.  Whether one of another container is cannot be told: what that was making
 * is left over once it is old. */
static bool is_left_over(struct pingo__pool_hdfs *p, const char *name)
{
    const char *making = strstr(name, MAKING);
    struct stat st;
    char *rest = NULL;
    long pid = making ? strtol(making + strlen(MAKING), &rest, 10) : 0;
    if (pid <= 0)
        return false;
    if (*rest == '.' && strtoull(rest + 1, NULL, 10) == pingo__process_namespace())
        return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
    return p->world->stat(p->world->context, p->near.fd, name, AT_SYMLINK_NOFOLLOW, &st) >= 0 &&
           pingo__world_wall_ms() / 1000 - (int64_t)st.st_mtim.tv_sec > OLD_S;
}

static int on_copy(void *context, const char *name, struct pingo_error *err)
{
    struct copies *c = context;
    struct pingo__pool_hdfs *p = c->pool;
    const char *entry = strchr(name, '/') + 1;
    struct pingo__pool_extent extent = {.bytes = 0};
    char id[PINGO__NAME_SIZE + 8];
    struct stat st = {.st_mtim = {0}};
    struct pingo__name parsed;
    struct copy copy = {.name = ""};
    if (is_left_over(p, name))
        pingo__tree_remove(p->near.fd, name);
    pingo__name_object_of(copy.name, entry);
    if (!pingo__name_parse(copy.name, &parsed) || parsed.is_copy)
        return 0;
    pingo__pool_posix.measure(&p->near, name, SIZE_MAX, &extent, NULL);
    snprintf(id, sizeof id, "%.150s" ID, name);
    p->world->stat(p->world->context, p->near.fd, id, AT_SYMLINK_NOFOLLOW, &st);
    copy.used_ns = pingo__file_time_ns(&st.st_mtim);
    copy.bytes = extent.held_bytes;
    if (!PINGO__ARRAY_ROOM(c->list, c->capacity, c->n, 1))
        return pingo__fail_memory(err);
    c->list[c->n++] = copy;
    c->bytes += copy.bytes;
    return 0;
}

static int by_use(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

int pingo__pool_hdfs_shed(void *pool, int64_t keep_bytes,
                          bool (*is_needed)(void *context, const char *name), void *context,
                          struct pingo_error *err)
{
    struct copies c = {.pool = pool};
    int rc = pingo__pool_posix.list(&c.pool->near, "cache", on_copy, &c, err);
    if (c.n > 1)
        qsort(c.list, c.n, sizeof *c.list, by_use);
    for (size_t i = 0; !rc && i < c.n && c.bytes > keep_bytes; i++)
        if (!is_needed || !is_needed(context, c.list[i].name)) {
            pingo__pool_hdfs_forget(c.pool, c.list[i].name);
            c.bytes -= c.list[i].bytes;
        }
    free(c.list);
    return rc;
}
