/* store.c - finding, opening and closing a store. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/growing.h"
#include "base/path.h"
#include "base/process.h"
#include "base/text.h"
#include "engine/engine.h"
#include "store/meta.h"

int pingo__engine_absolute(const char *path, char **absolute, struct pingo_error *err)
{
    *absolute = NULL;
    if (!path || !*path)
        return pingo__fail(err, PINGO_EINVAL, "\"\" is no directory");
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (path[0] != '/' && !here)
        return pingo__fail_os(err, errno, "finding the working directory", path);
    *absolute = pingo__path_join(here, path);
    free(here);
    return *absolute ? 0 : pingo__fail_memory(err);
}

/* ---- discover ---------------------------------------------------------------------------------- */

static bool is_store(const char *directory)
{
    char *path = pingo__path_child(directory, "pingo.db");
    struct stat st;
    bool found = path && access(path, F_OK) == 0;
    /* Closed to us, or on a disk that does not answer: opening it says so. */
    if (path && !found && errno == EACCES)
        found = stat(directory, &st) == 0 && S_ISDIR(st.st_mode);
    else if (path && !found)
        found = !pingo__error_is_absent(errno);
    free(path);
    return found;
}

/* directory/.pingo, or directory itself; NULL. */
static char *store_at(const char *directory)
{
    char *below = pingo__path_child(directory, ".pingo");
    if (below && is_store(below))
        return below;
    free(below);
    return is_store(directory) ? strdup(directory) : NULL;
}

/* From a directory upwards, which is cut short. */
static char *search_upwards(char *at)
{
    char *found = NULL;
    for (;;) {
        char *below = pingo__path_child(at, ".pingo");
        char *slash = strrchr(at, '/');
        if (below && is_store(below)) {
            found = below;
            break;
        }
        free(below);
        if (!slash || (slash == at && at[1] == '\0'))
            break;
        slash[slash == at ? 1 : 0] = '\0';
    }
    return found;
}

int pingo_store_discover(const char *explicit_dir, const char *environment_dir,
                         const char *start_dir, char **directory, struct pingo_error *err)
{
    const char *given = explicit_dir ? explicit_dir : environment_dir;
    char *from;
    *directory = NULL;
    int rc = pingo__engine_absolute(given ? given : start_dir ? start_dir : ".", &from, err);
    if (rc)
        return rc;
    *directory = given ? store_at(from) : search_upwards(from);
    free(from);
    if (*directory)
        return 0;
    return given ? pingo__fail(err, PINGO_ENOSTORE, "%s: there is no store here%s", given,
                               explicit_dir ? "" : " (it is named by PINGO_DIR)")
                 : pingo__fail(err, PINGO_ENOSTORE, "there is no store in %s or above it",
                               start_dir ? start_dir : "this directory");
}

/* ---- a store or a pool that is not where it was ------------------------------------------------------
 *
 * The store remembers where it was, and which pool it had.  A pool elsewhere remembers where its store is: two stores
 * of one id, of which one is a copy, would take each other's datasets for nobody's. */

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

static struct pingo__pool_site site_of(const struct pingo_store *s)
{
    return (struct pingo__pool_site){s->context.world, s->pool_dir, s->near};
}

/* Fills in pool_dir, given the path that the store remembers.  A pool in the store's own directory comes first, so that
 * the copy of a store whose pool lies elsewhere can be given one of its own; then the one that was moved or copied
 * together with the store. */
static int find_pool(struct pingo_store *s, const char *remembered, struct pingo_error *err)
{
    char *before = NULL, here[PATH_MAX];
    int rc = pingo__store_meta_get(&s->db, "store.place", &before, err);
    if (rc)
        return rc;
    bool has_moved = before && realpath(s->directory, here) && strcmp(before, here) != 0;
    char *const places[] = {pingo__path_child(s->directory, PINGO__ENGINE_OWN_POOL),
                            has_moved ? shifted(remembered, before, here) : NULL};
    for (size_t i = 0; i < 2; i++) { /* a path elsewhere may have moved with the store */
        struct pingo__pool_site site = {s->context.world, places[i], s->near};
        if (*remembered == '/' && places[i] && !s->pool_dir && pingo__pool_is_of(&site, s->id))
            s->pool_dir = places[i];
        else
            free(places[i]);
    }
    if (!s->pool_dir)
        s->pool_dir = pingo__pool_place(s->directory, remembered);
    free(before);
    return s->pool_dir ? 0 : pingo__fail_memory(err);
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
    if (*other == '/' && access(other, X_OK) == 0 && is_store(other) && stat(other, &theirs) == 0 &&
        (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino))
        return pingo__fail(
            err, PINGO_ESTORE,
            "%s: is a copy of the store %s, and would share its pool; give it one of "
            "its own: cp -a %s %s/" PINGO__ENGINE_OWN_POOL,
            s->directory, other, s->pool_dir, s->directory);
    s->pool.backend->note(s->pool.handle, here);
    return 0;
}

/* ---- noticed, and told once -------------------------------------------------------------------- */

static int tell_and_remember(struct pingo_store *s, const char *here, const char *before,
                             const char *now, struct pingo_error *err)
{
    char *own = pingo__path_child(s->directory, PINGO__ENGINE_OWN_POOL);
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
        rc = pingo__store_meta_set(&s->db, "pool.path",
                                   is_own ? PINGO__ENGINE_OWN_POOL : s->pool_dir, err);
    return rc;
}

/* After the pool was opened.  A store that was copied, moved to another disk or put back from a copy is noticed, and
 * that is told once.  Errors: PINGO_ESTORE: this is the copy of another store, which uses the same pool. */
static int look_for_move(struct pingo_store *s, struct pingo_error *err)
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

/* ---- open, close ------------------------------------------------------------------------------------ */

static char *user_label(void)
{
    char name[PINGO__PROCESS_USER_SIZE];
    if (!pingo__process_user(name))
        snprintf(name, sizeof name, "%lu", (unsigned long)geteuid());
    return strdup(name);
}

/* Asked only when something is submitted: where memory is short, the system's look-up may end the process. */
const char *pingo__engine_store_user(struct pingo_store *s)
{
    if (s->caller.role)
        return s->caller.user;
    if (!s->user)
        s->user = user_label();
    return s->user ? s->user : "";
}

static int open_pool(struct pingo_store *s, struct pingo_error *err)
{
    char *path = NULL;
    int rc = pingo__store_meta_get(&s->db, "store.id", &s->id, err);
    s->near = pingo__path_child(s->directory, PINGO__ENGINE_NEAR);
    if (!rc && !s->near)
        rc = pingo__fail_memory(err);
    if (!rc)
        rc = pingo__store_meta_get(&s->db, "pool.path", &path, err);
    if (!rc && path && s->id)
        rc = find_pool(s, path, err);
    free(path);
    if (!rc && (!s->id || !s->pool_dir))
        rc = pingo__fail(err, PINGO_ESTORE,
                         "%s: making the store was interrupted; remove the directory and make it "
                         "anew",
                         s->directory);
    struct pingo__pool_site site = site_of(s);
    if (!rc)
        rc = pingo__pool_open(&s->pool, &site, s->id, err);
    return rc ? rc : look_for_move(s, err);
}

static const struct pingo__growing_options_type options_type = {
    "pingo_store_options",
    {offsetof(struct pingo_store_options, syncs_later), sizeof(struct pingo_store_options)}};

int pingo_store_open(const char *directory, const struct pingo_store_options *options,
                     struct pingo_store **store, struct pingo_error *err)
{
    struct pingo_store *s = NULL;
    *store = NULL;
    if (!directory || !*directory)
        return pingo__fail(err, PINGO_EINVAL, "no directory is given for the store");
    s = calloc(1, sizeof *s);
    if (!s)
        return pingo__fail_memory(err);
    s->db.lock_fd = -1;
    int rc = pingo__growing_options_take(&options_type, options, &s->options, err);
    s->context = (struct pingo__manager_context){.db = &s->db,
                                                 .pool = &s->pool,
                                                 .patient = &s->pool,
                                                 .world = pingo__world_real(),
                                                 .types = s->options.types,
                                                 .ntypes = s->options.ntypes,
                                                 .log = s->options.log,
                                                 .log_context = s->options.context};
    if (!rc)
        rc = pingo__engine_absolute(directory, &s->directory, err);
    if (!rc && s->options.nexecutors && !s->options.executors)
        rc = pingo__fail(err, PINGO_EINVAL, "%zu executors, but executors is NULL",
                         s->options.nexecutors);
    for (size_t i = 0; !rc && i < s->options.nexecutors; i++)
        rc = pingo__executor_check(s->options.executors[i], err);
    if (!rc)
        rc = pingo__store_db_open(&s->db, s->directory, s->options.lock_timeout_ms, err);
    if (rc) {
        s->db.sqlite = NULL;
        goto out;
    }
    s->db.on_event = s->options.event;
    s->db.event_context = s->options.context;
    if (s->options.syncs_later)
        rc = pingo__store_db_sync_later(&s->db, err);
    if (!rc)
        rc = open_pool(s, err);
    s->context.store_id = s->id;
    if (!rc && s->db.migrated)
        pingo__manager_log(&s->context, PINGO_LOG_WARNING,
                           "the store was brought up to date for Pingo " PINGO_VERSION
                           ": an older Pingo cannot use it any more");
out:
    if (rc)
        pingo_store_close(s);
    else
        *store = s;
    return rc;
}

int pingo_store_sync(struct pingo_store *store, struct pingo_error *err)
{
    return pingo__store_db_sync(&store->db, err);
}

void pingo_store_close(struct pingo_store *s)
{
    if (!s)
        return;
    if (s->db.sqlite)
        pingo__store_db_close(&s->db);
    if (s->pool.handle)
        pingo__pool_close(&s->pool);
    free(s->directory);
    free(s->near);
    free(s->pool_dir);
    free(s->id);
    free(s->user);
    free(s);
}

const char *pingo_store_directory(const struct pingo_store *store)
{
    return store->directory;
}

const char *pingo_store_pool(const struct pingo_store *store)
{
    return store->pool_dir;
}

const char *pingo_store_id(const struct pingo_store *store)
{
    return store->id;
}
