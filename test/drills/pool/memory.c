/* memory.c - pools in memory: memory://NAME is a directory of the system's file system in memory, where processes of
 * this machine find it.  It is gone when the machine is started anew.
 *
 * Only where it lies is its own; what lies there is done as in any directory. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pool/backend.h"

#define SCHEME "memory"

extern const struct pingo__pool_backend pingo__pool_posix;
#define LIKE pingo__pool_posix
#define AT(site, path) ((struct pingo__pool_site){(site)->world, path, (site)->near})

/* false: no name. */
static bool find(const char *place, char path[256])
{
    const char *name = place + strlen(SCHEME "://");
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    snprintf(path, 256, "/dev/shm/pingo-pool-%s", name);
    return n > 0 && n <= 64 && name[n] == '\0';
}

static int no_name(const char *place, struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINVAL,
                       "%s: write memory://NAME, a name of letters, digits, '-' and '_'", place);
}

static int create(const struct pingo__pool_site *site, const char *store_id, struct pingo_error *err)
{
    char path[256];
    return find(site->place, path) ? LIKE.create(&AT(site, path), store_id, err)
                                   : no_name(site->place, err);
}

static int open_pool(const struct pingo__pool_site *site, const char *store_id, void **pool,
                     struct pingo_error *err)
{
    char path[256];
    return find(site->place, path) ? LIKE.open(&AT(site, path), store_id, pool, err)
                                   : no_name(site->place, err);
}

static void close_pool(void *pool)
{
    LIKE.close(pool);
}

static bool is_of(const struct pingo__pool_site *site, const char *store_id)
{
    char path[256];
    return find(site->place, path) && LIKE.is_of(&AT(site, path), store_id);
}

static bool is_destroyed(const struct pingo__pool_site *site)
{
    char path[256];
    return find(site->place, path) && LIKE.is_destroyed(&AT(site, path));
}

static int destroy(void *pool, const struct pingo__pool_told *told, struct pingo_error *err)
{
    return LIKE.destroy(pool, told, err);
}

static int identity(void *pool, char text[64], struct pingo_error *err)
{
    return LIKE.identity(pool, text, err);
}

static void noted(void *pool, char *text, size_t size)
{
    LIKE.noted(pool, text, size);
}

static void note(void *pool, const char *text)
{
    LIKE.note(pool, text);
}

static int state(void *pool, const char *name, struct pingo__pool_state *s, struct pingo_error *err)
{
    return LIKE.state(pool, name, s, err);
}

static int read_content(void *pool, const char *name,
                        const struct pingo__digest_content_options *options,
                        struct pingo__digest_content *content, struct pingo_error *err)
{
    return LIKE.read(pool, name, options, content, err);
}

static int stage(void *pool, const char *path, const char *name, struct pingo_error *err)
{
    return LIKE.stage(pool, path, name, err);
}

static int move(void *pool, const char *from, const char *to, struct pingo_error *err)
{
    return LIKE.move(pool, from, to, err);
}

static int seal(void *pool, const char *name, struct pingo_error *err)
{
    return LIKE.seal(pool, name, err);
}

static int copy_out(void *pool, const char *name, const char *path, mode_t most,
                    struct pingo_error *err)
{
    return LIKE.copy_out(pool, name, path, most, err);
}

static int list(void *pool, const char *name, pingo__pool_name_fn fn, void *context,
                struct pingo_error *err)
{
    return LIKE.list(pool, name, fn, context, err);
}

static int measure(void *pool, const char *name, size_t most, struct pingo__pool_extent *extent,
                   struct pingo_error *err)
{
    return LIKE.measure(pool, name, most, extent, err);
}

static bool remove_entry(void *pool, const char *name, struct pingo__pool_rest *rest)
{
    return LIKE.remove(pool, name, rest);
}

/* Memory is on no disk. */
static int sync_nothing(void *pool, struct pingo_error *err)
{
    (void)pool;
    (void)err;
    return 0;
}

static struct pingo__pool_space space(void *pool)
{
    return LIKE.space(pool);
}

static int path_of(void *pool, const char *name, char **path, struct pingo_error *err)
{
    return LIKE.path(pool, name, path, err);
}

extern const struct pingo__pool_backend pingo__pool_memory;
const struct pingo__pool_backend pingo__pool_memory = {
    .scheme = SCHEME,
    .create = create,
    .open = open_pool,
    .close = close_pool,
    .is_of = is_of,
    .is_destroyed = is_destroyed,
    .destroy = destroy,
    .identity = identity,
    .noted = noted,
    .note = note,
    .state = state,
    .read = read_content,
    .stage = stage,
    .move = move,
    .seal = seal,
    .copy_out = copy_out,
    .list = list,
    .measure = measure,
    .remove = remove_entry,
    .sync = sync_nothing,
    .space = space,
    .path = path_of,
};
