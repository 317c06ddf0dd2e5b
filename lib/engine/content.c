/* content.c - what is in a dataset, read while it is held: nobody deletes it before it is closed.
 *
 * What always holds: no link is followed below the dataset, and nothing but files and directories is opened. */
#include <pingo/dataset.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "engine/engine.h"

struct pingo_content {
    struct pingo_store *store;
    struct pingo__manager_context context; /* with an owner of our own */
    struct pingo__manager_owner owner;
    struct pingo__arena arena;
    struct pingo__store_dataset_row row;
    int fd; /* of the file or the directory */
};

static int hold(struct pingo_content *c, const struct pingo_hash *hash, struct pingo_error *err)
{
    int rc = pingo__engine_dataset_row(c->store, hash, &c->arena, &c->row, err);
    if (!rc && (!c->row.path || !pingo__store_dataset_is_whole(&c->row)))
        rc = pingo__fail(err, PINGO_ESTATE, "the dataset is not there: it is %s",
                         pingo_dataset_state_name(c->row.state));
    return rc ? rc : pingo__store_hold_insert(&c->store->db, c->row.id, c->context.owner, err);
}

/* A name below a directory, which may be no link. */
static int open_at(int dir, const char *name, int *fd, struct pingo_error *err)
{
    int failed = pingo__file_open(dir, name, fd);
    return failed == -ENOENT
               ? pingo__fail(err, PINGO_ENOTFOUND, "%s: there is no such file in the dataset", name)
           : failed == -EINVAL
               ? pingo__fail(err, PINGO_ENOTFOUND, "%s: is neither a file nor a directory", name)
           : failed ? pingo__fail_os(err, -failed, "reading", name)
                    : 0;
}

/* Part by part, so that no link is followed on the way. */
static int walk(const struct pingo_content *c, const char *path, int *fd, struct pingo_error *err)
{
    char *copy = strdup(path ? path : ""), *rest = copy, *part;
    int rc = copy ? 0 : pingo__fail_memory(err);
    char again[32]; /* with an offset of its own */
    snprintf(again, sizeof again, "/proc/self/fd/%d", c->fd);
    *fd = rc ? -1 : open(again, O_RDONLY | O_CLOEXEC);
    if (!rc && *fd < 0)
        rc = pingo__fail_os(err, errno, "reading", c->row.path);
    while (!rc && *copy && (part = strsep(&rest, "/"))) {
        int below = -1;
        rc = !*part || strcmp(part, ".") == 0 || strcmp(part, "..") == 0
                 ? pingo__fail(err, PINGO_EINVAL, "\"%.200s\" is no path below a dataset", path)
                 : open_at(*fd, part, &below, err);
        close(*fd);
        *fd = below;
    }
    if (rc && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    free(copy);
    return rc;
}

static int open_root(struct pingo_content *c, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = pingo__pool_open_entry(&c->store->pool, c->row.path, &c->fd, &why);
    if (rc == PINGO_ENOTFOUND)
        return pingo__fail(err, PINGO_ESTATE, "the dataset is gone from its place: %.200s",
                           why.message);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

int pingo_store_content(struct pingo_store *store, const struct pingo_hash *hash,
                        struct pingo_content **content, struct pingo_error *err)
{
    struct pingo_content *c = calloc(1, sizeof *c);
    *content = NULL;
    if (!c)
        return pingo__fail_memory(err);
    c->store = store;
    c->context = store->context;
    c->owner.fd = c->fd = -1;
    int rc = pingo__manager_owner_register(&c->owner, &c->context, NULL, err);
    if (!rc)
        rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = pingo__store_db_end(&store->db, hold(c, hash, err), err);
    if (!rc)
        rc = open_root(c, err);
    if (rc)
        pingo_content_close(c);
    else
        *content = c;
    return rc;
}

void pingo_content_close(struct pingo_content *c)
{
    if (!c)
        return;
    pingo__file_close(c->fd);
    pingo__manager_owner_release(&c->owner, &c->context);
    pingo__arena_clear(&c->arena);
    free(c);
}

int pingo_content_open(const struct pingo_content *c, const char *path, int *fd, int64_t *size,
                       struct pingo_error *err)
{
    struct stat st;
    int rc = walk(c, path, fd, err);
    if (rc)
        return rc;
    if (fstat(*fd, &st) != 0)
        rc = pingo__fail_os(err, errno, "reading", c->row.path);
    *size = rc || S_ISDIR(st.st_mode) ? -1 : (int64_t)st.st_size;
    if (rc) {
        close(*fd);
        *fd = -1;
    }
    return rc;
}

int pingo_content_list(const struct pingo_content *c, const char *path, pingo_content_fn fn,
                       void *context, struct pingo_error *err)
{
    int fd = -1;
    int rc = walk(c, path, &fd, err);
    DIR *dir = rc ? NULL : fdopendir(fd);
    if (!rc && !dir) {
        rc = pingo__fail(err, PINGO_ESTATE, "it is no directory");
        close(fd);
    }
    const char *name = NULL;
    while (!rc && (name = pingo__file_next(dir))) {
        struct stat st;
        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        int64_t size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
        if (fn(context, name, S_ISDIR(st.st_mode), size))
            rc = pingo__engine_stopped(err);
    }
    if (!rc && errno) /* it is not the end */
        rc = pingo__fail_os(err, errno, "reading", c->row.path);
    pingo__file_end_list(dir);
    return rc;
}
