/* files.c - the tables of pools in HDFS, and where a name is looked for. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "pool/hdfs/hdfs.h"

#define NEAR pingo__pool_posix

/* May it be on this machine? */
static bool is_of_here(const char *name)
{
    for (enum pingo__name_part part = 0; part < PINGO__PARTS; part++) {
        const char *dir = pingo__name_parts[part];
        if (part != PINGO__OBJECTS && (pingo__name_is_in(part, name) || strcmp(name, dir) == 0))
            return true;
    }
    return false;
}

static bool is_here(struct pingo__pool_hdfs *p, const char *name)
{
    struct pingo__pool_state state;
    return is_of_here(name) && NEAR.state(&p->near, name, &state, NULL) == 0 && state.exists;
}

static int state(void *pool, const char *name, struct pingo__pool_state *out,
                 struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_status status;
    int rc = is_of_here(name) ? NEAR.state(&p->near, name, out, err) : 0;
    if (rc || (is_of_here(name) && out->exists))
        return rc;
    memset(out, 0, sizeof *out);
    rc = pingo__hdfs_status(p->fs, name, &status, err);
    if (rc || !status.exists)
        return rc;
    out->exists = true;
    out->directory = status.is_directory;
    out->other_kind = out->link = status.is_link;
    out->executable = (status.mode & 0100) != 0;
    out->size_bytes = status.length;
    out->stamp = pingo__pool_hdfs_stamp(&status);
    return 0;
}

static int read_content(void *pool, const char *name,
                        const struct pingo__digest_content_options *options,
                        struct pingo__digest_content *content, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    return is_here(p, name) ? NEAR.read(&p->near, name, options, content, err)
                            : pingo__pool_hdfs_read(p, name, options, content, err);
}

/* ---- in, about and out -------------------------------------------------------------------------- */

static int look_for_room(struct pingo__pool_hdfs *p, const char *name, struct pingo_error *err)
{
    struct pingo__hdfs_status there;
    int rc = pingo__hdfs_status(p->fs, name, &there, err);
    return rc || !there.exists ? rc : pingo__fail(err, PINGO_EEXISTS, "%s: is there already", name);
}

/* By a name in staged/, which whoever sweeps leaves alone as long as the attempt is open. */
static int send_to(struct pingo__pool_hdfs *p, const char *path, const char *from, const char *to,
                   struct pingo_error *err)
{
    char by[PINGO__NAME_SIZE * 2];
    int rc = look_for_room(p, to, err);
    if (rc)
        return rc;
    snprintf(by, sizeof by, "%s.copy.%016llx", from,
             (unsigned long long)pingo__world_token(p->world));
    return pingo__hdfs_put_tree(p->fs, path, to, by, err);
}

static int stage(void *pool, const char *path, const char *name, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    if (!is_of_here(name))
        return send_to(p, path, name, name, err);
    int rc = is_here(p, name) ? 0 : look_for_room(p, name, err);
    return rc ? rc : NEAR.stage(&p->near, path, name, err);
}

static int publish(struct pingo__pool_hdfs *p, const char *from, const char *to,
                   struct pingo_error *err)
{
    struct pingo_error why = {0};
    char *path = pingo__path_child(p->near.path, from);
    int rc = path ? send_to(p, path, from, to, &why) : pingo__fail_memory(&why);
    size_t known = rc == PINGO_EINPUT ? strlen(path) : 0; /* who made it knows it by no such name */
    if (known && strncmp(why.message, path, known) == 0)
        known += strspn(why.message + known, "/: ");
    else
        known = 0;
    free(path);
    if (!rc)
        pingo__pool_hdfs_adopt(p, from, to);
    return rc ? pingo__fail(err, rc, "%s", why.message + known) : 0;
}

static int move(void *pool, const char *from, const char *to, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    if (is_here(p, from))
        return is_of_here(to) ? NEAR.move(&p->near, from, to, err) : publish(p, from, to, err);
    int rc = pingo__hdfs_move(p->fs, from, to, err);
    if (!rc && pingo__name_is_in(PINGO__OBJECTS, from))
        pingo__pool_hdfs_forget(p, from);
    return rc;
}

static int seal(void *pool, const char *name, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_status status;
    if (is_here(p, name))
        return NEAR.seal(&p->near, name, err);
    int rc = pingo__hdfs_status(p->fs, name, &status, err);
    if (!rc && status.exists && (status.mode & 0222))
        rc = pingo__hdfs_set_mode(p->fs, name, status.mode & 0555, err);
    return rc;
}

static int copy_out(void *pool, const char *name, const char *path, mode_t most,
                    struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    return is_here(p, name) ? NEAR.copy_out(&p->near, name, path, most, err)
                            : pingo__hdfs_get_tree(p->fs, name, path, 0700 | most, err);
}

/* ---- all that is in it ---------------------------------------------------------------------------- */

struct listing {
    struct pingo__pool_hdfs *pool;
    const char *directory;
    bool is_near; /* that one was told already */
    pingo__pool_name_fn fn;
    void *context;
};

static int on_entry(void *context, const char *entry, const struct pingo__hdfs_status *status,
                    struct pingo_error *err)
{
    const struct listing *l = context;
    char *name = pingo__path_child(l->directory, entry);
    (void)status;
    int rc = !name                                  ? pingo__fail_memory(err)
             : l->is_near && is_here(l->pool, name) ? 0
                                                    : l->fn(l->context, name, err);
    free(name);
    return rc;
}

/* A part that nobody has put anything into need not be there. */
static int list(void *pool, const char *name, pingo__pool_name_fn fn, void *context,
                struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    struct listing l = {p, name, is_here(p, name), fn, context};
    int rc = l.is_near ? NEAR.list(&p->near, name, fn, context, err) : 0;
    if (!rc)
        rc = pingo__hdfs_list(p->fs, name, on_entry, &l, err);
    return rc == PINGO_ENOTFOUND && (l.is_near || !strchr(name, '/')) ? 0 : rc;
}

static int measure(void *pool, const char *name, size_t most, struct pingo__pool_extent *extent,
                   struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_summary sum = {0};
    if (is_here(p, name))
        return NEAR.measure(&p->near, name, most, extent, err);
    int rc = pingo__hdfs_summary(p->fs, name, &sum, err);
    size_t entries = (size_t)(sum.files + sum.directories);
    *extent = (struct pingo__pool_extent){
        .held_bytes = sum.bytes, .bytes = sum.bytes, .entries = entries, .whole = entries <= most};
    return rc;
}

/* What is no trash is never removed, whoever asks. */
static bool remove_all(void *pool, const char *name, struct pingo__pool_rest *rest)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo_error why = {0};
    bool is_trash = pingo__name_is_in(PINGO__TRASH, name) && !strstr(name, "..");
    if (is_trash && !NEAR.remove(&p->near, name, rest))
        return false;
    int rc = is_trash ? pingo__pool_hdfs_remove(p, name, &why)
                      : pingo__fail(&why, PINGO_EIO, "only what is in trash/ is removed");
    *rest = (struct pingo__pool_rest){.read_only = pingo__pool_is_closed(rc)};
    snprintf(rest->why, sizeof rest->why, "%.399s", rc ? why.message : "");
    return rc == 0;
}

/* ---- what executors keep ------------------------------------------------------------------------- */

const char *const pingo__pool_hdfs_others[] = {"originals", "bundles", NULL};

struct trimming {
    struct pingo__pool_hdfs *pool;
    const char *directory;
    int64_t before_ms;
    uint64_t token, serial;
};

/* Whoever is about to use it touches it first, and has it back where that came too late for this look. */
static int trim_one(void *context, const char *entry, const struct pingo__hdfs_status *seen,
                    struct pingo_error *err)
{
    struct trimming *t = context;
    struct pingo__hdfs *fs = t->pool->fs;
    struct pingo__hdfs_status status;
    char to[PINGO__NAME_SIZE];
    if (seen->mtime_ms >= t->before_ms)
        return 0;
    char *name = pingo__path_child(t->directory, entry);
    pingo__name_dropped(to, t->token, t->serial++);
    int rc = name ? pingo__hdfs_move(fs, name, to, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__hdfs_status(fs, to, &status, err);
    if (!rc && status.exists && status.mtime_ms >= t->before_ms)
        rc = pingo__hdfs_move(fs, to, name, err);
    free(name);
    return rc == PINGO_ENOTFOUND || rc == PINGO_EEXISTS ? 0 : rc;
}

static int trim(void *pool, int64_t before_ms, struct pingo_error *err)
{
    struct trimming t = {.pool = pool, .before_ms = before_ms};
    struct pingo_error why = {0};
    int rc = 0;
    t.token = pingo__world_token(t.pool->world);
    for (size_t i = 0; !rc && (t.directory = pingo__pool_hdfs_others[i]); i++) {
        rc = pingo__hdfs_list(t.pool->fs, t.directory, trim_one, &t, &why);
        rc = rc == PINGO_ENOTFOUND ? 0 : rc;
    }
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* ---- the file system ------------------------------------------------------------------------------- */

/* What is free and used: without replicas. */
static struct pingo__pool_space space(void *pool)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_space s;
    if (pingo__hdfs_space(p->fs, "", &s, NULL) != 0)
        return (struct pingo__pool_space){-1, -1, -1, -1};
    int64_t n = p->replicas > 0 ? p->replicas : 1;
    return (struct pingo__pool_space){s.free_bytes < 0 ? -1 : s.free_bytes / n,
                                      s.used_bytes < 0 ? -1 : s.used_bytes / n, s.own_bytes,
                                      s.own_stored_bytes};
}

static int path_of(void *pool, const char *name, char **path, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    *path = NULL;
    int rc = *name ? pingo__pool_hdfs_cached(p, name, path, err) : 0;
    return rc || *path || (*name && !is_of_here(name)) ? rc : NEAR.path(&p->near, name, path, err);
}

static int place(void *pool, const char *name, char **uri, struct pingo_error *err)
{
    return pingo__hdfs_uri(((struct pingo__pool_hdfs *)pool)->fs, name, uri, err);
}

static void hurry(void *pool, bool hurries)
{
    struct pingo__pool_hdfs *p = pool;
    pingo__hdfs_hurry(p->fs, hurries);
    pingo__hdfs_hurry(p->first, hurries);
}

#define TABLE(of_scheme)                                                                           \
    {                                                                                              \
        .scheme = of_scheme, .create = pingo__pool_hdfs_create, .open = pingo__pool_hdfs_open,     \
        .close = pingo__pool_hdfs_close, .is_of = pingo__pool_hdfs_is_of,                          \
        .is_destroyed = pingo__pool_hdfs_is_destroyed, .destroy = pingo__pool_hdfs_destroy,        \
        .identity = pingo__pool_hdfs_identity, .noted = pingo__pool_hdfs_noted,                    \
        .note = pingo__pool_hdfs_note, .state = state, .read = read_content, .stage = stage,       \
        .move = move, .seal = seal, .copy_out = copy_out, .list = list, .measure = measure,        \
        .remove = remove_all, .space = space, .path = path_of, .is_remote = true,                  \
        .fetch = pingo__pool_hdfs_fetch, .shed = pingo__pool_hdfs_shed, .place = place,            \
        .trim = trim, .hurry = hurry,                                                              \
    }

extern const struct pingo__pool_backend pingo__pool_hdfs, pingo__pool_hdfs_tls;
const struct pingo__pool_backend pingo__pool_hdfs = TABLE("webhdfs");
const struct pingo__pool_backend pingo__pool_hdfs_tls = TABLE("swebhdfs");
