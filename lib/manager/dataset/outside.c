/* outside.c - see outside.h.  Looking and names; writing is in outside_write.c. */
#include "manager/dataset/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "digest/content.h"
#include "digest/originals.h"
#include "digest/sha256.h"

/* ---- names ----------------------------------------------------------------------------- */

char *pingo__manager_outside_resolve(const struct pingo__world *w, const char *path)
{
    char *copy = strdup(path), *joined = NULL, real[PATH_MAX];
    char *slash = copy;
    while (copy && (slash = strrchr(copy, '/')) && slash != copy) {
        *slash = '\0';
        if (w->resolve(w->context, copy, real) == 0)
            break;
    }
    if (!copy)
        return NULL;
    if (slash && slash != copy)
        joined = pingo__path_join(real, path + (slash - copy) + 1);
    else
        joined = strdup(path);
    free(copy);
    return joined;
}

/* The directory that holds the store, whose lock is named without links.  Yours. */
static char *base_of(const struct pingo__manager_context *c)
{
    return pingo__path_join(c->db->lock_path, "../..");
}

/* Under which name the store remembers it: what is left of x->real below that directory.  PINGO_ENOMEM. */
static int find_key(struct pingo__manager_outside *x, struct pingo_error *err)
{
    if (!x->real)
        x->real = pingo__manager_outside_resolve(x->c->world, x->path);
    char *base = base_of(x->c);
    x->key = x->real;
    if (x->real && base && pingo__path_is_below(x->real, base) && strcmp(x->real, base) != 0)
        x->key += strlen(base) + (base[1] != '\0');
    free(base);
    return x->real && base ? 0 : pingo__fail_memory(err);
}

char *pingo__manager_outside_path_of(const struct pingo__manager_context *c, const char *key)
{
    char *base = base_of(c);
    char *path = base ? pingo__path_join(base, key) : NULL;
    free(base);
    return path;
}

bool pingo__manager_outside_lacks(const struct pingo__world *world, const char *path,
                                  char above[PATH_MAX])
{
    struct stat st;
    size_t n = (size_t)(strrchr(path, '/') - path);
    snprintf(above, PATH_MAX, "%.*s", (int)n, path);
    int rc = n ? world->stat(world->context, AT_FDCWD, above, 0, &st) : -EINVAL;
    return rc == -ENOENT || rc == -ENOTDIR || (!rc && !S_ISDIR(st.st_mode));
}

/* ---- what lies at a path ---------------------------------------------------------------- */

static bool is_zero(const struct pingo_hash *h)
{
    static const struct pingo_hash zero;
    return memcmp(h, &zero, sizeof zero) == 0;
}

static bool is_equal(const struct pingo_hash *a, const struct pingo_hash *b)
{
    return !is_zero(a) && memcmp(a, b, sizeof *a) == 0;
}

/* A link is its text. */
static int read_link(const struct pingo__manager_context *c, const char *path,
                     struct pingo__store_written *there, struct pingo_error *err)
{
    char text[PATH_MAX + 1];
    ssize_t n = c->world->readlink(c->world->context, AT_FDCWD, path, text, sizeof text);
    if (n < 0)
        return pingo__fail_os(err, (int)-n, "looking at", path);
    there->kind = PINGO__WRITTEN_LINK;
    there->size_bytes = n;
    pingo__digest_sha256(text, (size_t)n, &there->content);
    there->stamp = there->content;
    return 0;
}

int pingo__manager_outside_read(const struct pingo__manager_context *c, const char *path, bool whole,
                                struct pingo__manager_outside_found *found, struct pingo_error *err)
{
    struct pingo__digest_content_options options = {
        .world = c->world, .only_stamp = !whole, .root_may_move = true};
    struct pingo_error why = {0};
    int rc = c->world->stat(c->world->context, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &found->st);
    memset(&found->what, 0, sizeof found->what);
    found->is_there = rc == 0;
    found->is_young = false;
    if (rc < 0)
        return rc == -ENOENT || rc == -ENOTDIR ? 0 : pingo__fail_os(err, -rc, "looking at", path);
    if (S_ISLNK(found->st.st_mode))
        return read_link(c, path, &found->what, err);
    if (!S_ISREG(found->st.st_mode) && !S_ISDIR(found->st.st_mode))
        return 0;
    struct pingo__digest_content content;
    rc = pingo__digest_content_read(path, &options, &content, &why);
    if (rc == PINGO_EINPUT)
        return 0; /* it cannot be read, or changes right now: nothing that we know */
    if (rc)
        return pingo__fail(err, rc, "%s", why.message);
    found->is_young = content.stamp_is_young;
    found->what = (struct pingo__store_written){
        .kind = content.is_directory ? PINGO__WRITTEN_DIRECTORY : PINGO__WRITTEN_FILE,
        .content = content.hash,
        .stamp = content.stamp,
        .size_bytes = content.size_bytes};
    return 0;
}

/* ---- whose it is --------------------------------------------------------------------------- */

/* What it may be: what we put there, what others of us are putting there now, what is to be put there. */
struct known {
    struct pingo__store_written row;
    bool has_row;
    struct pingo__store_writing_list writing;
};

static int load_known(struct pingo__manager_outside *x, struct pingo__arena *arena, struct known *k,
                      struct pingo_error *err)
{
    *k = (struct known){.writing = {.arena = arena}};
    int rc = pingo__store_written_get(x->c->db, x->key, &k->row, err);
    if (!rc && !k->row.kind && strcmp(x->key, x->path) != 0) /* of a store of version 0.1 */
        rc = pingo__store_written_get(x->c->db, x->path, &k->row, err);
    k->has_row = k->row.kind;
    return rc ? rc : pingo__store_writing_list(x->c->db, x->key, &k->writing, err);
}

/* May reading it tell more than its stamp and size? */
static bool must_read(const struct pingo__manager_outside *x, const struct known *k,
                      const struct pingo__store_written *there)
{
    if (there->kind == x->made.kind && there->size_bytes == x->made.size_bytes)
        return true;
    if (k->has_row && k->row.kind == there->kind && !is_zero(&k->row.content) &&
        (k->row.size_bytes < 0 || k->row.size_bytes == there->size_bytes))
        return true;
    for (size_t i = 0; i < k->writing.n; i++)
        if (k->writing.rows[i].kind == there->kind)
            return true;
    return false;
}

static enum pingo__manager_outside_there whose(const struct pingo__manager_outside *x,
                                               const struct known *k,
                                               const struct pingo__store_written *there)
{
    if (there->kind == x->made.kind && is_equal(&x->made.content, &there->content))
        return PINGO__OUTSIDE_SAME;
    if (k->has_row && k->row.kind == there->kind &&
        (is_equal(&k->row.stamp, &there->stamp) || is_equal(&k->row.content, &there->content)))
        return PINGO__OUTSIDE_OURS;
    for (size_t i = 0; i < k->writing.n; i++)
        if (k->writing.rows[i].kind == there->kind &&
            is_equal(&k->writing.rows[i].content, &there->content))
            return PINGO__OUTSIDE_OURS;
    return k->has_row ? PINGO__OUTSIDE_CHANGED : PINGO__OUTSIDE_FOREIGN;
}

/* Is its content as the pool tells it?  What is put here may be told in another way: by a pool elsewhere, or where the
 * file system says what is executable. */
static bool is_told(const struct pingo__manager_outside *x)
{
    return !x->is_here && x->from && *x->from != '/' && x->made.kind != PINGO__WRITTEN_LINK;
}

/* What was put there once is known again; else it has to be here. */
static void translate(struct pingo__manager_outside *x, const struct known *k)
{
    if (!is_told(x) || !is_zero(&x->made.told))
        return;
    if (k->has_row && k->row.kind == x->made.kind && k->row.size_bytes == x->made.size_bytes &&
        is_equal(&k->row.told, &x->made.content)) {
        x->made.told = x->made.content;
        x->made.content = k->row.content;
        x->is_here = true;
    }
}

static int judge(struct pingo__manager_outside *x, const struct known *k, struct pingo_error *err)
{
    struct pingo__manager_outside_found found;
    int rc = pingo__manager_outside_read(x->c, x->path, false, &found, err);
    x->there = PINGO__OUTSIDE_NOTHING;
    x->in_doubt = false;
    x->seen_mode = 0;
    if (rc || !found.is_there)
        return rc;
    if (k->has_row && k->row.kind == found.what.kind && is_equal(&k->row.stamp, &found.what.stamp))
        found.what.content = k->row.content;
    else if (found.what.kind != PINGO__WRITTEN_LINK && must_read(x, k, &found.what))
        rc = pingo__manager_outside_read(x->c, x->path, true, &found, err);
    if (rc || !found.is_there)
        return rc;
    x->seen = found.what;
    x->seen_mode = S_ISLNK(found.st.st_mode) ? 0 : found.st.st_mode;
    x->seen_group = found.st.st_gid;
    x->there = whose(x, k, &found.what);
    x->in_doubt = is_told(x) && pingo__pool_is_remote(x->c->pool) &&
                  x->there >= PINGO__OUTSIDE_CHANGED && found.what.kind == x->made.kind &&
                  found.what.size_bytes == x->made.size_bytes;
    x->recorded = k->has_row && (x->there == PINGO__OUTSIDE_OURS ||
                                 (x->there == PINGO__OUTSIDE_SAME && k->row.kind == x->made.kind &&
                                  is_equal(&k->row.content, &x->made.content)));
    if (x->there == PINGO__OUTSIDE_SAME && !found.is_young)
        x->made.stamp = found.what.stamp;
    return 0;
}

int pingo__manager_outside_look(struct pingo__manager_outside *x, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct known k;
    int rc = x->key ? 0 : find_key(x, err);
    if (!rc)
        rc = load_known(x, &arena, &k, err);
    if (!rc)
        translate(x, &k);
    if (!rc)
        rc = judge(x, &k, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__manager_outside_allowed(const struct pingo__manager_outside *x, struct pingo_error *err)
{
    bool is_special = x->seen_mode && !S_ISREG(x->seen_mode) && !S_ISDIR(x->seen_mode);
    if (!is_special && (x->force || x->in_doubt || x->there < PINGO__OUTSIDE_CHANGED))
        return 0;
    return pingo__fail(err, PINGO_EEXISTS, "%s: %s, and is not replaced: %s", x->path,
                       is_special && x->force ? "is neither a file nor a directory"
                       : x->there == PINGO__OUTSIDE_CHANGED
                           ? "was changed since Pingo wrote it"
                           : "is there, and was not written by Pingo",
                       is_special ? "move it away" : x->hint);
}

const char *pingo__manager_outside_output_hint(const struct pingo__manager_outside *x)
{
    bool is_known = x->there == PINGO__OUTSIDE_NOTHING || x->seen.kind;
    return is_known ? "move it away, or submit with --force-outputs" : "move it away";
}

int pingo__manager_outside_see(struct pingo__manager_outside *x, struct pingo_error *err)
{
    struct pingo__manager_outside_found found;
    int rc = pingo__manager_outside_read(x->c, x->path, false, &found, err);
    if (!rc && found.is_there && found.is_young)
        rc = pingo__manager_outside_read(x->c, x->path, true, &found, err);
    if (rc)
        return rc;
    if (found.is_there && !found.what.kind)
        return pingo__fail(err, PINGO_EEXISTS,
                           "%s: is neither a file nor a directory, or cannot be read, and is not "
                           "replaced: move it away",
                           x->path);
    x->seen = found.what;
    if (found.is_young)
        memset(&x->seen.stamp, 0, sizeof x->seen.stamp);
    return 0;
}

int pingo__manager_outside_permit(const struct pingo__manager_outside *x, struct pingo_error *err)
{
    return pingo__store_written_set(x->c->db, x->key, &x->seen, err);
}
