/* pool_each.c - what lies in the pool, entry by entry. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "manager/dataset/pool.h"

static int each_in(struct pingo__pool *pool, const char *part,
                   int (*fn)(void *context, const char *name, struct pingo_error *err),
                   void *context, struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    struct pingo__dir *dir = NULL;
    const char *name = NULL;
    int rc = w->open(w->context, pool->fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &dir);
    if (rc < 0)
        return pingo__fail_os(err, -rc, "reading", part);
    while ((rc = w->dir_next(w->context, dir, &name)) == 1) {
        char *below = pingo__path_child(part, name);

        rc = below ? fn(context, below, err) : pingo__fail_memory(err);
        free(below);
        if (rc)
            break;
    }
    w->dir_close(w->context, dir);
    return rc;
}

struct each_shard {
    struct pingo__pool *pool;
    int (*fn)(void *context, const char *name, struct pingo_error *err);
    void *context;
};

/* What is no directory there is nothing of ours; who looks may tell of it. */
static int on_shard(void *context, const char *name, struct pingo_error *err)
{
    struct each_shard *e = context;
    struct pingo__pool_stat st;
    int rc = pingo__pool_stat(e->pool, name, &st, err);

    if (rc || !st.exists)
        return rc;
    return st.directory ? each_in(e->pool, name, e->fn, e->context, err)
                        : e->fn(e->context, name, err);
}

int pingo__pool_each(struct pingo__pool *pool, const char *part,
                     int (*fn)(void *context, const char *name, struct pingo_error *err),
                     void *context, struct pingo_error *err)
{
    struct each_shard e = {pool, fn, context};

    if (strcmp(part, "objects") == 0)
        return each_in(pool, part, on_shard, &e, err);
    return each_in(pool, part, fn, context, err);
}
