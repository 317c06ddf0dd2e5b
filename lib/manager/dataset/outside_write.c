/* outside_write.c - see outside.h: a name beside the target, the copy and the rename. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/acl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/tree.h"
#include "manager/dataset/outside.h"
#include "store/dataset/datasets.h"

#define EXCHANGE 2u   /* RENAME_EXCHANGE */
#define NO_REPLACE 1u /* RENAME_NOREPLACE */
#define ROUNDS 8      /* how often the target may change under our hands */

/* What is larger is worth a wait, so that its stamp can be trusted and it need not be read the next time. */
#define LARGE INT64_C(16777216)
#define SETTLE_NS 25000000

/* ---- begin ------------------------------------------------------------------------------ */

/* Hidden, and no one else's: .NAME.pingo-RANDOM. */
static char *name_beside(const char *path, uint64_t token)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    size_t size = strlen(path) + 64;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.%.150s.pingo-%016" PRIx64, (int)(last - path), path, last, token);
    return name;
}

int pingo__manager_outside_begin(struct pingo__manager_outside *x, struct pingo_error *err)
{
    struct pingo__store_writing row = {
        .path = x->key, .owner = x->c->owner, .kind = x->made.kind, .content = x->made.content};
    uint64_t token = 0;
    if (x->there == PINGO__OUTSIDE_SAME)
        return 0;
    int rc = x->c->world->random(x->c->world->context, &token, sizeof token);
    if (rc < 0)
        return pingo__fail_os(err, -rc, "making a name beside", x->path);
    x->temporary = name_beside(x->path, token);
    x->temporary_key = name_beside(x->key, token);
    if (!x->temporary || !x->temporary_key)
        return pingo__fail_memory(err);
    row.temporary = x->temporary_key;
    rc = pingo__store_writing_insert(x->c->db, &row, err);
    x->noted = rc == 0;
    return rc;
}

int pingo__manager_outside_remove_beside(const struct pingo__manager_context *c, const char *path)
{
    struct pingo__tree_removal removal = {.world = c->world};
    return pingo__tree_take(&removal, AT_FDCWD, path);
}

/* ---- copy -------------------------------------------------------------------------------- */

/* Its stamp, that the next one who looks need not read it; where its content may be told in another way than the pool
 * has told it, what it is here, too. */
static int stamp(struct pingo__manager_outside *x, bool whole, struct pingo_error *err)
{
    struct pingo__manager_outside_found found;
    int rc = pingo__manager_outside_read(x->c, x->temporary, whole, &found, err);
    if (!rc && whole)
        x->made.content = found.what.content;
    if (!rc && found.is_young && found.what.size_bytes >= LARGE) {
        x->c->world->sleep(x->c->world->context, SETTLE_NS);
        rc = pingo__manager_outside_read(x->c, x->temporary, false, &found, err);
    }
    if (rc)
        return rc;
    x->device = (uint64_t)found.st.st_dev;
    x->inode = (uint64_t)found.st.st_ino;
    x->made.size_bytes = found.what.size_bytes;
    if (!found.is_young)
        x->made.stamp = found.what.stamp;
    return 0;
}

/* What it is was not known before it was here: it is noted for who comes when we are dead, and what lies at the path
 * is looked at with that knowledge.  Where it is the same, it stays, and the copy goes. */
static int look_anew(struct pingo__manager_outside *x, struct pingo_error *err)
{
    struct pingo_hash stamp = x->made.stamp;
    memset(&x->made.stamp, 0, sizeof stamp);
    int rc = pingo__store_db_begin(x->c->db, err);
    if (!rc)
        rc = pingo__store_db_end(
            x->c->db,
            pingo__store_writing_set_content(x->c->db, x->temporary_key, &x->made.content, err),
            err);
    if (!rc)
        rc = pingo__manager_outside_look(x, err);
    if (!rc)
        rc = pingo__manager_outside_allowed(x, err);
    if (!rc && x->there == PINGO__OUTSIDE_SAME)
        pingo__manager_outside_remove_beside(x->c, x->temporary);
    else
        x->made.stamp = stamp;
    return rc;
}

/* Of which group is what is made beside it? */
static bool is_of_group(const struct pingo__manager_context *c, const char *path, gid_t group)
{
    char above[PATH_MAX];
    struct stat st;
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') + 1 - path), path);
    int rc = c->world->stat(c->world->context, AT_FDCWD, above, 0, &st);
    return rc >= 0 && (st.st_mode & S_ISGID ? st.st_gid : pingo__process_group()) == group;
}

/* From the first byte on. */
static mode_t most_of(const struct pingo__manager_outside *x)
{
    if (!x->seen_mode)
        return 0777;
    mode_t may = pingo__file_may(x->seen_mode, is_of_group(x->c, x->path, x->seen_group));
    return may | (may & 044) >> 2; /* who may read it may run it, where it can be run now */
}

/* What a dataset of the pool lets its group do; a pool that lies elsewhere lets it do what it lets its owner do. */
static mode_t group_of(const struct pingo__manager_context *c, const char *name, mode_t copied)
{
    const struct pingo__world *w = c->world;
    struct stat st = {.st_mode = copied >> 3};
    int fd;
    if (!pingo__pool_is_remote(c->pool) && pingo__pool_open_entry(c->pool, name, &fd, NULL) == 0) {
        w->stat(w->context, fd, "", AT_EMPTY_PATH, &st);
        w->close(w->context, fd);
    }
    return st.st_mode & 070;
}

/* Whom a list lets in with what lies there is let in with what replaces it, as far as the dataset lets its group in;
 * and nobody whom the directory's list would let in besides. */
static int keep_list(const struct pingo__manager_outside *x, const struct pingo__acl *list,
                     struct pingo_error *err)
{
    const struct pingo__world *w = x->c->world;
    struct stat st;
    int rc = w->stat(w->context, AT_FDCWD, x->temporary, 0, &st);
    if (rc >= 0)
        rc = pingo__acl_write(x->temporary, list,
                              (st.st_mode & 07707) |
                                  (group_of(x->c, x->from, st.st_mode) & most_of(x)));
    return rc < 0 ? pingo__fail_os(err, -rc, "keeping its access control list", x->path) : 0;
}

static int copy_out(const struct pingo__manager_outside *x, bool *has_modes, struct pingo_error *err)
{
    struct pingo__acl list = {.n = 0};
    char above[PATH_MAX];
    int failed = 0, rc;
    if (x->seen_mode)
        pingo__acl_read(x->path, &list);
    bool has_list = list.n || (x->seen_mode && pingo__acl_is_given(x->path));
    if (x->made.kind == PINGO__WRITTEN_DIRECTORY)
        failed = pingo__file_ask_modes(x->c->world, AT_FDCWD, x->temporary, has_modes);
    rc = failed ? pingo__fail_os(err, -failed, "making", x->temporary)
                : pingo__pool_copy_out(x->c->pool, x->from, x->temporary,
                                       most_of(x) & (has_list ? 0707 : 0777), err);
    if (!rc && has_list)
        rc = keep_list(x, &list, err);
    if (rc && pingo__manager_outside_lacks(x->c->world, x->path, above))
        pingo__fail(err, rc, "%s: there is no directory %s", x->path, above);
    else if (rc)
        pingo__error_prefix(err, "%s", x->path);
    return rc;
}

int pingo__manager_outside_copy(struct pingo__manager_outside *x, struct pingo_error *err)
{
    const struct pingo__world *w = x->c->world;
    struct pingo_hash told = x->made.content;
    bool is_link = x->made.kind == PINGO__WRITTEN_LINK, has_modes = true;
    int rc = 0;
    if (x->there == PINGO__OUTSIDE_SAME)
        return 0;
    if (is_link) {
        rc = w->symlink(w->context, x->from, AT_FDCWD, x->temporary);
        rc = rc < 0 ? pingo__fail_os(err, -rc, "linking to", x->path) : 0;
    } else {
        rc = copy_out(x, &has_modes, err);
    }
    if (!rc)
        rc = stamp(x, !is_link && (!has_modes || pingo__pool_is_remote(x->c->pool)), err);
    bool is_other = memcmp(&told, &x->made.content, sizeof told) != 0;
    if (!rc && is_other && !x->is_here)
        x->made.told = told;
    x->is_here = true;
    return rc || (!is_other && !x->in_doubt) ? rc : look_anew(x, err);
}

/* ---- place ------------------------------------------------------------------------------- */

static int rename_to(const struct pingo__manager_outside *x, unsigned flags)
{
    return x->c->world->rename(x->c->world->context, AT_FDCWD, x->temporary, x->path, flags);
}

/* Is what lies there what was looked at? */
static int is_as_seen(const struct pingo__manager_outside *x, const char *path, bool *is,
                      struct pingo_error *err)
{
    struct pingo__manager_outside_found found;
    int rc = pingo__manager_outside_read(x->c, path, false, &found, err);
    *is = !rc && found.is_there && found.what.kind == x->seen.kind && found.what.kind != 0 &&
          memcmp(&found.what.stamp, &x->seen.stamp, sizeof found.what.stamp) == 0;
    return rc;
}

/* A file system that cannot exchange (NFS) gives a moment between the last look and the rename; a directory
 * cannot be replaced there. */
static int replace_plainly(struct pingo__manager_outside *x, struct pingo_error *err)
{
    bool may_go = x->force;
    int rc = may_go ? 0 : is_as_seen(x, x->path, &may_go, err);
    if (rc || !may_go)
        return rc;
    rc = rename_to(x, 0);
    x->placed = rc >= 0;
    return rc < 0 ? pingo__fail_os(err, -rc, "writing to", x->path) : 0;
}

static bool is_our_copy(const struct pingo__manager_outside *x)
{
    struct stat st;
    return x->c->world->stat(x->c->world->context, AT_FDCWD, x->temporary, AT_SYMLINK_NOFOLLOW,
                             &st) == 0 &&
           (uint64_t)st.st_dev == x->device && (uint64_t)st.st_ino == x->inode;
}

/* What came out of the exchange is not what was seen: it goes back. */
static int put_back(struct pingo__manager_outside *x, struct pingo_error *err)
{
    int rc = rename_to(x, EXCHANGE);
    if (rc == -ENOENT && rename_to(x, NO_REPLACE) >= 0)
        return pingo__fail(err, PINGO_EEXISTS, "%s: was changed while it was replaced", x->path);
    if (rc >= 0 && is_our_copy(x))
        return 0;
    x->stuck = true;
    return pingo__fail(err, PINGO_EEXISTS,
                       "%s: was changed while it was replaced; what was there before is kept at %s",
                       x->path, x->temporary);
}

/* Where it is not placed: look again. */
static int exchange(struct pingo__manager_outside *x, struct pingo_error *err)
{
    int rc = rename_to(x, EXCHANGE);
    if (rc == -EINVAL || rc == -ENOSYS || rc == -EOPNOTSUPP)
        return replace_plainly(x, err);
    if (rc == -EXDEV)
        return pingo__fail(
            err, PINGO_EIO,
            "%s: is a directory of a layer below, which this overlay cannot replace: "
            "remove it by hand",
            x->path);
    if (rc < 0)
        return rc == -ENOENT ? 0 : pingo__fail_os(err, -rc, "writing to", x->path);
    bool may_go = x->force;
    rc = may_go ? 0 : is_as_seen(x, x->temporary, &may_go, err);
    x->placed = x->left = !rc && may_go;
    x->stuck = rc != 0;
    return rc || may_go ? rc : put_back(x, err);
}

int pingo__manager_outside_place(struct pingo__manager_outside *x, struct pingo_error *err)
{
    for (int i = 0; i < ROUNDS; i++) {
        int rc = 0;
        if (x->there == PINGO__OUTSIDE_SAME)
            return 0;
        if (x->there == PINGO__OUTSIDE_NOTHING) {
            int failed = -rename_to(x, NO_REPLACE);
            x->placed = failed <= 0;
            if (failed > 0 && failed != EEXIST)
                return pingo__fail_os(err, failed, "writing to", x->path);
        } else {
            rc = exchange(x, err);
        }
        if (rc || x->placed)
            return rc;
        rc = pingo__manager_outside_look(x, err);
        if (!rc)
            rc = pingo__manager_outside_allowed(x, err);
        if (rc)
            return rc;
    }
    return pingo__fail(err, PINGO_EEXISTS, "%s: is changed again and again, and is not replaced",
                       x->path);
}

/* ---- end ---------------------------------------------------------------------------------- */

void pingo__manager_outside_remove_former(struct pingo__manager_outside *x)
{
    x->left = x->left && pingo__manager_outside_remove_beside(x->c, x->temporary) < 0;
}

static int retire_at(struct pingo__manager_context *c, const char *path, int64_t but,
                     struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_list there = {.arena = &arena};
    int rc = pingo__store_dataset_list_at(c->db, path, &there, err);
    for (size_t i = 0; !rc && i < there.n; i++) {
        if (there.rows[i].id == but || there.rows[i].state != PINGO_DATASET_LEAF)
            continue;
        rc = pingo__store_dataset_move(c->db, &there.rows[i], PINGO_DATASET_DELETED, err);
        if (!rc)
            rc = pingo__store_lost_note(c->db, there.rows[i].id, err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* Older versions noted a path as it was spelled. */
static int retire_both(struct pingo__manager_context *c, const char *path, const char *real,
                       int64_t but, struct pingo_error *err)
{
    int rc = retire_at(c, real, but, err);
    return rc || strcmp(real, path) == 0 ? rc : retire_at(c, path, but, err);
}

int pingo__manager_outside_retire(struct pingo__manager_context *c, const char *path, int64_t but,
                                  struct pingo_error *err)
{
    char *real = pingo__manager_outside_resolve(c->world, path);
    int rc = real ? retire_both(c, path, real, but, err) : pingo__fail_memory(err);
    free(real);
    return rc;
}

int pingo__manager_outside_end(struct pingo__manager_outside *x, struct pingo_error *err)
{
    int rc = 0;
    if (x->placed || (x->there == PINGO__OUTSIDE_SAME && x->recorded))
        rc = pingo__store_written_set(x->c->db, x->key, &x->made, err);
    if (!rc && x->placed)
        rc = retire_both(x->c, x->path, x->real, 0, err);
    if (rc || !x->noted)
        return rc;
    if (x->left)
        return pingo__store_writing_set_placed(x->c->db, x->temporary_key, err);
    rc = pingo__store_writing_delete(x->c->db, x->temporary_key, err);
    x->noted = rc != 0;
    return rc;
}

void pingo__manager_outside_leave_noted(struct pingo__manager_outside *x)
{
    x->noted = x->noted && !x->placed;
}

void pingo__manager_outside_tell_left(struct pingo__manager_context *c, const char *path, int rc)
{
    pingo__manager_log(c, PINGO_LOG_WARNING,
                       "%s: was made for a moment, and cannot be removed: %s; the next runs and "
                       "exports try again",
                       path, strerror(-rc));
}

/* What cannot be removed now is left to who looks at it when we are gone. */
static void forget(struct pingo__manager_context *c, const char *temporary_key, bool stays)
{
    if (pingo__store_db_begin(c->db, NULL) == 0)
        pingo__store_db_end(c->db,
                            stays ? pingo__store_writing_set_placed(c->db, temporary_key, NULL)
                                  : pingo__store_writing_delete(c->db, temporary_key, NULL),
                            NULL);
}

void pingo__manager_outside_clear(struct pingo__manager_outside *x)
{
    bool is_ours = x->left || (x->noted && !x->placed && !x->stuck);
    int rc = is_ours ? pingo__manager_outside_remove_beside(x->c, x->temporary) : 0;
    if (rc < 0)
        pingo__manager_outside_tell_left(x->c, x->temporary, rc);
    if (x->noted && !x->stuck) /* what is stuck is looked at when we are gone */
        forget(x->c, x->temporary_key, rc < 0);
    free(x->temporary);
    free(x->temporary_key);
    free(x->real);
    x->temporary = x->temporary_key = x->real = NULL;
    x->key = NULL;
    x->noted = x->left = false;
}
