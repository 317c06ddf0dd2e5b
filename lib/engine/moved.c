/* moved.c - see moved.h.
 *
 * The store remembers where it was, and which pool it had.  A pool elsewhere remembers where its store is: two stores
 * of one id, of which one is a copy, would take each other's datasets for nobody's. */
#include "engine/moved.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "store/meta.h"

#define OWN_POOL "pool"

/* Where path is now, when what was at before is here: both lay below a directory that was moved or copied as a
 * whole.  NULL: it was not, or no memory. */
static char *shifted(const char *path, const char *before, const char *here)
{
    size_t common = 0, n = strlen(here);
    for (size_t i = 0; before[i] && before[i] == path[i]; i++)
        if (before[i] == '/')
            common = i;
    size_t rest = strlen(before + common);
    if (!common || n < rest || strcmp(here + n - rest, before + common) != 0)
        return NULL;
    char *out = malloc(n - rest + strlen(path + common) + 1);
    if (out)
        sprintf(out, "%.*s%s", (int)(n - rest), here, path + common);
    return out;
}

int pingo__engine_moved_pool(struct pingo_store *s, const char *remembered, struct pingo_error *err)
{
    const struct pingo__world *w = s->context.world;
    char *before = NULL;
    int rc = pingo__store_meta_get(&s->db, "store.place", &before, err);
    if (rc)
        return rc;
    if (*remembered == '/') /* a path that may have moved with it */
        s->pool_dir = pingo__path_child(s->directory, OWN_POOL);
    if (s->pool_dir && !pingo__pool_is_of(w, s->pool_dir, s->id)) {
        free(s->pool_dir);
        char here[PATH_MAX];
        s->pool_dir = before && realpath(s->directory, here) && strcmp(before, here) != 0
                          ? shifted(remembered, before, here)
                          : NULL;
    }
    if (s->pool_dir && !pingo__pool_is_of(w, s->pool_dir, s->id)) {
        free(s->pool_dir);
        s->pool_dir = NULL;
    }
    if (!s->pool_dir)
        s->pool_dir = pingo__pool_place(s->directory, remembered);
    free(before);
    return s->pool_dir ? 0 : pingo__fail_memory(err);
}

/* ---- one pool, one store ---------------------------------------------------------------------- */

static bool is_store(const char *directory)
{
    char *path = pingo__path_child(directory, "pingo.db");
    struct stat st;
    bool found = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    free(path);
    return found;
}

static int check_sharing(struct pingo_store *s, const char *here, struct pingo_error *err)
{
    char pool[PATH_MAX], other[PATH_MAX];
    struct stat ours, theirs;
    if (stat(here, &ours) != 0 || (realpath(s->pool_dir, pool) && pingo__path_is_below(pool, here)))
        return 0;
    s->pool.backend->noted(s->pool.handle, other, sizeof other);
    if (strcmp(other, here) == 0)
        return 0;
    if (*other == '/' && is_store(other) && stat(other, &theirs) == 0 &&
        (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino))
        return pingo__fail(
            err, PINGO_ESTORE,
            "%s: is a copy of the store %s, and would share its pool; give it one of "
            "its own: cp -a %s %s/" OWN_POOL,
            s->directory, other, s->pool_dir, s->directory);
    s->pool.backend->note(s->pool.handle, here);
    return 0;
}

/* ---- noticed, and told once -------------------------------------------------------------------- */

static int tell_and_remember(struct pingo_store *s, const char *here, const char *before,
                             const char *now, struct pingo_error *err)
{
    char *own = pingo__path_child(s->directory, OWN_POOL);
    bool is_own = own && strcmp(own, s->pool_dir) == 0; /* a pool in the store moves with it */
    int rc = own ? pingo__store_meta_set(&s->db, "pool.place", now, err) : pingo__fail_memory(err);
    free(own);
    if (before && strcmp(before, now) != 0)
        pingo__manager_log(
            &s->context, PINGO_LOG_WARNING,
            "this store was copied, moved to another disk or put back from a copy: its "
            "datasets are compared by content before they are used again");
    if (!rc)
        rc = pingo__store_meta_set(&s->db, "store.place", here, err);
    if (!rc)
        rc = pingo__store_meta_set(&s->db, "pool.path", is_own ? OWN_POOL : s->pool_dir, err);
    return rc;
}

int pingo__engine_moved_look(struct pingo_store *s, struct pingo_error *err)
{
    char here[PATH_MAX], now[64], *before = NULL, *place = NULL;
    if (!realpath(s->directory, here) || s->pool.backend->identity(s->pool.handle, now, NULL) != 0)
        return 0;
    int rc = check_sharing(s, here, err);
    if (!rc)
        rc = pingo__store_meta_get(&s->db, "pool.place", &before, err);
    if (!rc)
        rc = pingo__store_meta_get(&s->db, "store.place", &place, err);
    bool differs = !before || strcmp(before, now) != 0 || !place || strcmp(place, here) != 0;
    if (!rc && differs && pingo__store_db_begin(&s->db, NULL) == 0) /* else another time */
        pingo__store_db_end(&s->db, tell_and_remember(s, here, before, now, NULL), NULL);
    free(before);
    free(place);
    return rc;
}
