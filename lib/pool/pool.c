/* pool.c - see pool.h: what holds for pools of every kind is done here, by what their tables can do. */
#include "pool/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "pool/memo.h"
#include "pool/posix/posix.h"

#define MEASURED_MOST 1000000 /* entries */

/* ---- life -------------------------------------------------------------------------------- */

/* "x" of x://...; "" of a path. */
static void scheme_of(const char *place, char scheme[32])
{
    size_t n = strspn(place, "abcdefghijklmnopqrstuvwxyz0123456789");
    bool has = n > 0 && n < 32 && strncmp(place + n, "://", 3) == 0;
    snprintf(scheme, 32, "%.*s", has ? (int)n : 0, place);
}

static int find(const char *place, const struct pingo__pool_backend **backend,
                struct pingo_error *err)
{
    char scheme[32];
    scheme_of(place, scheme);
    for (size_t i = 0; pingo__pool_backends[i]; i++) {
        *backend = pingo__pool_backends[i];
        if (strcmp(scheme, (*backend)->scheme) == 0)
            return 0;
    }
    return pingo__fail(err, PINGO_EINVAL, "%s: this library knows no pools of the kind %s", place,
                       scheme);
}

char *pingo__pool_place(const char *directory, const char *given)
{
    char scheme[32];
    scheme_of(given, scheme);
    return *scheme ? strdup(given) : pingo__path_join(directory, given);
}

int pingo__pool_create(const struct pingo__pool_site *site, const char *store_id,
                       struct pingo_error *err)
{
    const struct pingo__pool_backend *backend;
    int rc = find(site->place, &backend, err);
    return rc ? rc : backend->create(site, store_id, err);
}

int pingo__pool_open(struct pingo__pool *pool, const struct pingo__pool_site *site,
                     const char *store_id, struct pingo_error *err)
{
    const struct pingo__world *world = site->world;
    *pool = (struct pingo__pool){.world = world, .place = strdup(site->place)};
    int rc = pool->place ? find(site->place, &pool->backend, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pool->backend->open(site, store_id, &pool->handle, err);
    if (!rc && world->random(world->context, &pool->token, sizeof pool->token) < 0)
        rc = pingo__fail(err, PINGO_EIO, "%s: the system gives no random bytes", site->place);
    if (rc)
        pingo__pool_close(pool);
    return rc;
}

void pingo__pool_close(struct pingo__pool *pool)
{
    if (pool->handle)
        pool->backend->close(pool->handle);
    free(pool->place);
    *pool = (struct pingo__pool){.backend = NULL};
}

bool pingo__pool_is_of(const struct pingo__pool_site *site, const char *store_id)
{
    const struct pingo__pool_backend *backend;
    return find(site->place, &backend, NULL) == 0 && backend->is_of(site, store_id);
}

bool pingo__pool_is_destroyed(const struct pingo__pool_site *site)
{
    const struct pingo__pool_backend *backend;
    return find(site->place, &backend, NULL) == 0 && backend->is_destroyed(site);
}

int pingo__pool_destroy(const struct pingo__pool_site *site, const char *store_id,
                        const struct pingo__pool_told *told, struct pingo_error *err)
{
    struct pingo__pool pool;
    if (pingo__pool_is_destroyed(site))
        return 0;
    int rc = pingo__pool_open(&pool, site, store_id, err);
    if (rc)
        return rc;
    rc = pool.backend->destroy(pool.handle, told, err);
    pingo__pool_close(&pool);
    return rc;
}

struct pingo__pool pingo__pool_fork(const struct pingo__pool *pool, struct pingo_job_key key)
{
    struct pingo__pool fork = *pool;
    fork.token ^= (uint64_t)key.action << 20 ^ (uint64_t)key.epoch ^ UINT64_C(1) << 63;
    fork.trashed = 0;
    fork.memo = NULL;
    return fork;
}

bool pingo__pool_is_remote(const struct pingo__pool *pool)
{
    return pool->backend->is_remote;
}

bool pingo__pool_is_shut(const struct pingo__pool *pool, int rc)
{
    return rc == PINGO_EAWAY && !pingo__pool_is_remote(pool);
}

/* ---- what lies there ------------------------------------------------------------------------ */

/* What is unmanaged lies outside, at a path of this machine. */
static const struct pingo__pool_backend *of(const struct pingo__pool *pool, const char *name,
                                            struct pingo__pool_directory *outside, void **handle)
{
    *outside = (struct pingo__pool_directory){.world = pool->world, .fd = AT_FDCWD};
    *handle = *name == '/' ? outside : pool->handle;
    return *name == '/' ? &pingo__pool_posix : pool->backend;
}

int pingo__pool_state(const struct pingo__pool *pool, const char *name,
                      struct pingo__pool_state *state, struct pingo_error *err)
{
    if (pool->memo && *name != '/')
        return pingo__pool_memo_state(pool->memo, name, state, err);
    struct pingo__pool_directory outside;
    void *handle;
    const struct pingo__pool_backend *backend = of(pool, name, &outside, &handle);
    return backend->state(handle, name, state, err);
}

int pingo__pool_read(const struct pingo__pool *pool, const char *name,
                     const struct pingo__digest_content_options *options,
                     struct pingo__digest_content *content, struct pingo_error *err)
{
    if (pool->memo && *name != '/')
        return pingo__pool_memo_read(pool->memo, name, options, content, err);
    struct pingo__pool_directory outside;
    void *handle;
    const struct pingo__pool_backend *backend = of(pool, name, &outside, &handle);
    return backend->read(handle, name, options, content, err);
}

int pingo__pool_copy_out(const struct pingo__pool *pool, const char *name, const char *path,
                         mode_t most, struct pingo_error *err)
{
    struct pingo__pool_directory outside;
    void *handle;
    const struct pingo__pool_backend *backend = of(pool, name, &outside, &handle);
    return backend->copy_out(handle, name, path, most, err);
}

bool pingo__pool_is_large(const struct pingo__pool *pool, const char *name, int64_t bytes,
                          size_t files)
{
    struct pingo__pool_extent extent;
    return !pool->memo && pool->backend->measure(pool->handle, name, files, &extent, NULL) == 0 &&
           (!extent.whole || extent.bytes > bytes);
}

int64_t pingo__pool_held_bytes(const struct pingo__pool *pool, const char *name)
{
    struct pingo__pool_extent extent = {.held_bytes = 0};
    if (!pool->memo)
        pool->backend->measure(pool->handle, name, MEASURED_MOST, &extent, NULL);
    return extent.held_bytes;
}

struct pingo__pool_space pingo__pool_space(const struct pingo__pool *pool)
{
    return pool->known_space ? *pool->known_space : pool->backend->space(pool->handle);
}

int pingo__pool_sync(const struct pingo__pool *pool, struct pingo_error *err)
{
    return pool->memo || !pool->backend->sync ? 0 : pool->backend->sync(pool->handle, err);
}

struct each_object {
    const struct pingo__pool *pool;
    pingo__pool_name_fn fn;
    void *context;
    struct pingo_error shut; /* the first that is */
};

/* What is no directory there is nothing of ours; who looks may tell of it.  One that cannot be looked at on this
 * machine keeps nobody from the others. */
static int on_shard(void *context, const char *name, struct pingo_error *err)
{
    struct each_object *e = context;
    struct pingo__pool_state state;
    int rc = pingo__pool_state(e->pool, name, &state, err);
    if (rc || !state.exists)
        return rc;
    if (!state.directory)
        return e->fn(e->context, name, err);
    struct pingo_error why = {0};
    rc = e->pool->backend->list(e->pool->handle, name, e->fn, e->context, &why);
    if (pingo__pool_is_shut(e->pool, rc)) {
        if (!e->shut.code)
            e->shut = why;
        return 0;
    }
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

int pingo__pool_each(const struct pingo__pool *pool, enum pingo__name_part part,
                     pingo__pool_name_fn fn, void *context, struct pingo_error *err)
{
    if (pool->memo)
        return pingo__pool_memo_each(pool->memo, part, fn, context, err);
    struct each_object objects = {.pool = pool, .fn = fn, .context = context};
    bool is_objects = part == PINGO__OBJECTS;
    int rc = pool->backend->list(pool->handle, pingo__name_parts[part], is_objects ? on_shard : fn,
                                 is_objects ? &objects : context, err);
    return !rc && objects.shut.code ? pingo__fail(err, PINGO_EAWAY, "%s", objects.shut.message) : rc;
}

bool pingo__pool_shares_space(const struct pingo__pool *pool, const char *path)
{
    const struct pingo__world *w = pool->world;
    struct stat there, here;
    char *mine = NULL, *parent = pingo__path_join(path, "..");
    bool shares =
        parent &&
        pool->backend->path(pool->handle, pingo__name_parts[PINGO__OBJECTS], &mine, NULL) == 0 &&
        mine && w->stat(w->context, AT_FDCWD, parent, 0, &there) >= 0 &&
        w->stat(w->context, AT_FDCWD, mine, 0, &here) >= 0 && there.st_dev == here.st_dev;
    free(parent);
    free(mine);
    return shares;
}

/* *path NULL: there is none. */
static int find_path(const struct pingo__pool *pool, struct pingo__arena *arena, const char *name,
                     const char **path, struct pingo_error *err)
{
    char *found = NULL;
    int rc = *name == '/' ? 0 : pool->backend->path(pool->handle, name, &found, err);
    const char *text = *name == '/' ? name : found;
    *path = text ? pingo__arena_text(arena, text, strlen(text)) : NULL;
    free(found);
    return rc || !text || *path ? rc : pingo__fail_memory(err);
}

int pingo__pool_path(const struct pingo__pool *pool, struct pingo__arena *arena, const char *name,
                     const char **path, struct pingo_error *err)
{
    int rc = find_path(pool, arena, name, path, err);
    if (rc || *path)
        return rc;
    return pingo__fail(err, PINGO_ESTATE,
                       "%s/%s: lies in no directory of this machine; pingo export copies it to one",
                       pool->place, name);
}

int pingo__pool_open_entry(const struct pingo__pool *pool, const char *name, int *fd,
                           struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    const char *path = NULL;
    int failed = 0, rc = *name == '/' ? 0 : pingo__pool_fetch(pool, name, err);
    *fd = -1;
    if (!rc)
        rc = pingo__pool_path(pool, &arena, name, &path, err);
    if (!rc)
        failed = pingo__file_open(AT_FDCWD, path, fd);
    if (failed == -ENOENT || failed == -EINVAL)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "%s: there is no such file or directory", path);
    else if (failed)
        rc = pingo__fail_os(err, -failed, "reading", path);
    pingo__arena_clear(&arena);
    return rc;
}

const char *pingo__pool_shown(const struct pingo__pool *pool, struct pingo__arena *arena,
                              const char *name)
{
    const char *path;
    if (pool->backend->place && *name != '/') /* a copy of it comes and goes */
        return pingo__pool_uri(pool, arena, name, &path, NULL) == 0 ? path : NULL;
    if (find_path(pool, arena, name, &path, NULL) != 0 || path)
        return path;
    char *place = pingo__path_child(pool->place, name);
    path = place ? pingo__arena_text(arena, place, strlen(place)) : NULL;
    free(place);
    return path;
}

int pingo__pool_attempt_dir(const struct pingo__pool *pool, struct pingo__arena *arena,
                            struct pingo_job_key key, const char **dir, struct pingo_error *err)
{
    char name[PINGO__NAME_SIZE];
    pingo__name_attempt(name, key.action, key.epoch);
    return pingo__pool_path(pool, arena, name, dir, err);
}

int pingo__pool_make_attempt_dir(const struct pingo__pool *pool, struct pingo_job_key key,
                                 struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    const char *dir;
    int failed = 0, rc = pingo__pool_attempt_dir(pool, &arena, key, &dir, err);
    if (!rc)
        failed = pingo__file_make_directory(pool->world, dir, 0755);
    if (failed)
        rc = pingo__fail_os(err, -failed, "making", dir);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__pool_attempt_left(const struct pingo__pool *pool, struct pingo__arena *arena,
                             struct pingo_job_key key, const char **dir, struct pingo_error *err)
{
    struct stat st;
    int rc = pingo__pool_attempt_dir(pool, arena, key, dir, err);
    if (rc || pool->world->stat(pool->world->context, AT_FDCWD, *dir, AT_SYMLINK_NOFOLLOW, &st) < 0 ||
        !S_ISDIR(st.st_mode))
        *dir = NULL;
    return rc;
}

int pingo__pool_staged_path(const struct pingo__pool *pool, struct pingo__arena *arena,
                            struct pingo_job_key key, const char **path, struct pingo_error *err)
{
    char name[PINGO__NAME_SIZE];
    pingo__name_staged(name, key.action, key.epoch);
    return pingo__pool_path(pool, arena, name, path, err);
}

char *pingo__pool_object_name(struct pingo__arena *arena, const struct pingo_hash *hash,
                              struct pingo_job_key key)
{
    char name[PINGO__NAME_SIZE], hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    pingo__name_object(name, hex, key.action, key.epoch);
    return pingo__arena_text(arena, name, strlen(name));
}

/* ---- what lies elsewhere ----------------------------------------------------------------------- */

int pingo__pool_fetch(const struct pingo__pool *pool, const char *name, struct pingo_error *err)
{
    if (*name == '/' || !pool->backend->fetch)
        return 0;
    return pool->memo ? pingo__pool_memo_fetch(pool->memo, name, err)
                      : pool->backend->fetch(pool->handle, name, err);
}

int pingo__pool_shed(const struct pingo__pool *pool, int64_t keep_bytes,
                     bool (*is_needed)(void *context, const char *name), void *context,
                     struct pingo_error *err)
{
    return pool->backend->shed
               ? pool->backend->shed(pool->handle, keep_bytes, is_needed, context, err)
               : 0;
}

int pingo__pool_trim(struct pingo__pool *pool, int64_t before_ms, struct pingo_error *err)
{
    return pool->backend->trim ? pool->backend->trim(pool->handle, before_ms, err) : 0;
}

void pingo__pool_hurry(struct pingo__pool *pool, bool hurries)
{
    if (pool->backend->hurry)
        pool->backend->hurry(pool->handle, hurries);
}

int pingo__pool_uri(const struct pingo__pool *pool, struct pingo__arena *arena, const char *name,
                    const char **uri, struct pingo_error *err)
{
    char *found = NULL;
    if (*name == '/' || !pool->backend->place)
        return pingo__pool_path(pool, arena, name, uri, err);
    int rc = pool->backend->place(pool->handle, name, &found, err);
    *uri = found ? pingo__arena_text(arena, found, strlen(found)) : NULL;
    free(found);
    return rc || *uri ? rc : pingo__fail_memory(err);
}

/* ---- publishing -------------------------------------------------------------------------------- */

bool pingo__pool_has(const struct pingo__pool *pool, const char *name)
{
    struct pingo__pool_state state;
    return pingo__pool_state(pool, name, &state, NULL) == 0 && state.exists;
}

/* Makes room for an object: what lies there, or a file where a directory of objects belongs. */
static int clear_the_way(struct pingo__pool *pool, const char *object, struct pingo_error *err)
{
    char shard[PINGO__NAME_SIZE];
    struct pingo__pool_state state;
    int rc = pingo__pool_state(pool, object, &state, err);
    if (rc || state.exists)
        return rc ? rc : pingo__pool_trash(pool, object, err);
    snprintf(shard, sizeof shard, "%.*s", (int)(strrchr(object, '/') - object), object);
    rc = pingo__pool_state(pool, shard, &state, err);
    return rc || !state.exists || state.directory ? rc : pingo__pool_trash(pool, shard, err);
}

/* Whether something is there has to be known: a pool that does not answer says nothing of it. */
static int settle_publishing(struct pingo__pool *pool, const char *staged, const char *object,
                             int refused, struct pingo_error *err)
{
    struct pingo_error why = {0};
    struct pingo__pool_state state;
    int rc = pingo__pool_state(pool, staged, &state, &why);
    if (!rc && state.exists && refused != PINGO_EEXISTS)
        return refused;
    if (!rc && state.exists) {
        rc = clear_the_way(pool, object, &why);
        if (!rc)
            rc = pool->backend->move(pool->handle, staged, object, &why);
    } else if (!rc) {
        rc = pingo__pool_state(pool, object, &state, &why);
        if (!rc && !state.exists) /* else moved by an earlier try, whose commit never came */
            return pingo__fail(err, PINGO_ENOTFOUND, "%s/%s: the output is gone", pool->place,
                               staged);
    }
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

int pingo__pool_publish(struct pingo__pool *pool, struct pingo_job_key key, const char *object,
                        struct pingo_error *err)
{
    const struct pingo__pool_backend *b = pool->backend;
    char staged[PINGO__NAME_SIZE];
    if (pool->memo)
        return pingo__pool_memo_publish(pool->memo, key, object, err);
    pingo__name_staged(staged, key.action, key.epoch);
    int rc = b->move(pool->handle, staged, object, err);
    if (rc == PINGO_ENOTFOUND || rc == PINGO_EEXISTS)
        rc = settle_publishing(pool, staged, object, rc, err);
    return rc ? rc : b->seal(pool->handle, object, err);
}

int pingo__pool_make_private(struct pingo__pool *pool, const char *name, struct pingo_error *err)
{
    const struct pingo__pool_backend *b = pool->backend;
    char copy[PINGO__NAME_SIZE], *path;
    if (pool->memo)
        return pingo__pool_memo_make_private(pool->memo, name, err);
    int rc = b->path(pool->handle, name, &path, err);
    if (rc || !path) /* who has no path has no other name */
        return rc;
    pingo__name_copy(copy, name);
    rc = pingo__pool_trash(pool, copy, err); /* of a try that was cut short */
    if (!rc)
        rc = b->stage(pool->handle, path, copy, err);
    if (!rc)
        rc = pingo__pool_trash(pool, name, err);
    if (!rc)
        rc = b->move(pool->handle, copy, name, err);
    free(path);
    return rc;
}
