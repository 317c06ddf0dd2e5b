/* moved.c - see moved.h.
 *
 * The store remembers the pool by the inodes of its directory and its marker.  A pool elsewhere remembers its store by
 * path: two stores of one id, of which one is a copy, would take each other's datasets for nobody's. */
#include "engine/moved.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "store/meta.h"

#define OWN_POOL "pool"
#define STORE_NAME "pingo-store" /* in a pool elsewhere: the directory of its store */

char *pingo__moved_pool(const struct pingo_store *store, const char *remembered)
{
    char *own = *remembered == '/' ? pingo__path_child(store->directory, OWN_POOL) : NULL;

    if (own && pingo__pool_is_of(store->context.world, own, store->id))
        return own;
    free(own);
    return pingo__path_join(store->directory, remembered);
}

/* ---- one pool, one store ---------------------------------------------------------------------- */

static void read_name(struct pingo_store *s, char name[PATH_MAX])
{
    const struct pingo__world *w = s->context.world;
    int fd = w->open(w->context, s->pool.fd, STORE_NAME,
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? 0 : w->read(w->context, fd, name, PATH_MAX - 1);

    name[n > 0 ? n : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (fd >= 0)
        w->close(w->context, fd);
}

/* Where that cannot be written it is tried again next time. */
static void write_name(struct pingo_store *s, const char *name)
{
    const struct pingo__world *w = s->context.world;
    char temporary[64];
    int fd;

    snprintf(temporary, sizeof temporary, STORE_NAME ".%016" PRIx64, s->pool.token);
    fd = w->open(w->context, s->pool.fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    if (w->write(w->context, fd, name, strlen(name)) < 0 || w->write(w->context, fd, "\n", 1) < 0 ||
        w->rename(w->context, s->pool.fd, temporary, s->pool.fd, STORE_NAME, 0) < 0)
        w->unlink(w->context, s->pool.fd, temporary, 0);
    w->close(w->context, fd);
}

static bool is_store(const char *directory)
{
    char *path = pingo__path_child(directory, "pingo.db");
    struct stat st;
    bool found = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);

    free(path);
    return found;
}

static int check_sharing(struct pingo_store *s, struct pingo_error *err)
{
    char here[PATH_MAX], pool[PATH_MAX], other[PATH_MAX];
    struct stat ours, theirs;

    if (!realpath(s->directory, here) || !realpath(s->pool_dir, pool) || stat(here, &ours) != 0 ||
        pingo__path_is_below(pool, here))
        return 0;
    read_name(s, other);
    if (strcmp(other, here) == 0)
        return 0;
    if (*other == '/' && is_store(other) && stat(other, &theirs) == 0 &&
        (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino))
        return pingo__fail(
            err, PINGO_ESTORE,
            "%s: is a copy of the store %s, and would share its pool; give it one of "
            "its own: cp -a %s %s/" OWN_POOL,
            s->directory, other, s->pool_dir, s->directory);
    write_name(s, here);
    return 0;
}

/* ---- noticed, and told once -------------------------------------------------------------------- */

/* *text: what the file system says of the pool; "" where it says nothing. */
static void place_of(struct pingo_store *s, char text[64])
{
    struct pingo__pool_stat pool, marker;

    *text = '\0';
    if (pingo__pool_stat(&s->pool, ".", &pool, NULL) == 0 &&
        pingo__pool_stat(&s->pool, "pingo-pool", &marker, NULL) == 0)
        snprintf(text, 64, "%" PRId64 ".%" PRId64, pool.inode, marker.inode);
}

int pingo__moved_look(struct pingo_store *s, struct pingo_error *err)
{
    char now[64], *before = NULL;
    int rc = check_sharing(s, err);

    if (!rc)
        rc = pingo__meta_get(&s->db, "pool.place", &before, err);
    if (rc)
        return rc;
    place_of(s, now);
    if (*now && (!before || strcmp(before, now) != 0)) {
        if (before)
            pingo__log(&s->context, PINGO_LOG_WARNING,
                       "this store was copied, moved to another disk or put back from a copy: its "
                       "datasets are compared by content before they are used again");
        if (pingo__db_begin(&s->db, NULL) == 0) /* else it is told once more */
            pingo__db_end(&s->db, pingo__meta_set(&s->db, "pool.place", now, NULL), NULL);
    }
    free(before);
    return 0;
}
