/* measure.c - how many bytes a tree of the pool holds, for what has no row that says so.
 *
 * What always holds: links and other file systems are not entered; a tree that is larger or
 * deeper than the bounds is measured as far as they reach.  Nothing is changed. */
#include <errno.h>
#include <fcntl.h>

#include "manager/dataset/pool.h"

#define DEEPEST 100 /* each level is an open descriptor */
#define MOST_ENTRIES 1000000

struct measure {
    const struct pingo__world *w;
    dev_t device;
    size_t nentries;
    int64_t bytes;
    size_t depth;
    struct {
        int fd;
        struct pingo__dir *dir;
    } levels[DEEPEST];
};

/* One level down.  What cannot be read, or is gone, counts as empty. */
static void enter(struct measure *m, int parent, const char *name)
{
    const struct pingo__world *w = m->w;
    struct pingo__dir *dir = NULL;
    int fd, again;

    if (m->depth == DEEPEST)
        return;
    fd = w->open(w->context, parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    again = w->open(w->context, fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (again < 0 || w->dir_open(w->context, again, &dir) < 0) {
        w->close(w->context, fd);
        return;
    }
    m->levels[m->depth].fd = fd;
    m->levels[m->depth++].dir = dir;
}

static void leave(struct measure *m)
{
    m->depth--;
    m->w->dir_close(m->w->context, m->levels[m->depth].dir);
    m->w->close(m->w->context, m->levels[m->depth].fd);
}

/* A file counts as long as it is, but holes are no bytes. */
static void add(struct measure *m, int parent, const char *name, const struct stat *st)
{
    int64_t on_disk = (int64_t)st->st_blocks * 512;

    m->nentries++;
    if (S_ISDIR(st->st_mode) && st->st_dev == m->device)
        enter(m, parent, name);
    else if (!S_ISDIR(st->st_mode))
        m->bytes += st->st_size < on_disk ? (int64_t)st->st_size : on_disk;
}

int pingo__pool_measure(const struct pingo__pool *pool, const char *name, int64_t *bytes)
{
    const struct pingo__world *w = pool->world;
    struct measure m = {.w = w};
    struct stat st;
    int rc = w->stat(w->context, pool->fd, name, AT_SYMLINK_NOFOLLOW, &st);

    *bytes = 0;
    if (rc < 0)
        return rc;
    m.device = st.st_dev;
    add(&m, pool->fd, name, &st);
    while (m.depth) {
        int fd = m.levels[m.depth - 1].fd;
        const char *entry = NULL;

        if (m.nentries >= MOST_ENTRIES ||
            w->dir_next(w->context, m.levels[m.depth - 1].dir, &entry) != 1)
            leave(&m);
        else if (w->stat(w->context, fd, entry, AT_SYMLINK_NOFOLLOW, &st) >= 0)
            add(&m, fd, entry, &st);
    }
    *bytes = m.bytes;
    return 0;
}
