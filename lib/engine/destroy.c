/* destroy.c - a store goes, with its pool: what Pingo made, and nothing else.
 *
 * What always holds: nobody else uses the store meanwhile; the database goes last, so that what was
 * cut short can be done again. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "engine/engine.h"
#include "executor/local/place.h"
#include "pool/posix/destroy.h"
#include "store/submission/driving.h"
#include "store/meta.h"

/* A helper process without work ends after five seconds. */
#define HELPER_WAIT_MS 8000
#define LOCK_MS 5000

struct destruction {
    struct pingo__store_db db;
    struct pingo__manager_context context;
    char *directory, *id, *pool, *near;
    int fd;          /* of the directory */
    int helper;      /* the lock of the helper processes, held; -1: there is none */
    bool lacks_pool; /* nothing of one is at its place */
    pingo_kept_fn fn;
    void *fn_context;
};

static struct pingo__pool_site site_of(const struct destruction *d)
{
    return (struct pingo__pool_site){pingo__world_real(), d->pool, d->near};
}

/* ---- who uses it ------------------------------------------------------------------------------- */

static int check_owners(struct destruction *d, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_owner_list owners = {.arena = &arena};
    int rc = pingo__store_owner_rows(&d->db, &owners, err);
    for (size_t i = 0; !rc && i < owners.n; i++)
        if (pingo__manager_owner_is_alive(&d->context, owners.rows[i].id))
            rc = pingo__fail(err, PINGO_EBUSY, "%s: a process runs workflows of this store",
                             d->directory);
    pingo__arena_clear(&arena);
    return rc;
}

/* Actions that run keep the lock; a helper that is idle lets go of it soon. */
static int check_helpers(struct destruction *d, struct pingo_error *err)
{
    d->helper = openat(d->fd, "executor/" PINGO__PLACE_LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (d->helper < 0)
        return 0;
    for (int waited = 0; flock(d->helper, LOCK_EX | LOCK_NB) != 0; waited += 50) {
        if (waited >= HELPER_WAIT_MS)
            return pingo__fail(err, PINGO_EBUSY, "%s: actions of this store still run",
                               d->directory);
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    return 0;
}

/* ---- what is ours --------------------------------------------------------------------------------- */

#define MONTH "[0-9][0-9][0-9][0-9]-[0-9][0-9]."
static const struct pingo__pool_part parts[] = {
    {.name = NULL}, /* a pool in the store, which is taken apart before */
    {.name = "owners", .pattern = "+([0-9])"},
    {.name = "executor",
     .pattern = "@(" PINGO__PLACE_SOCKET "|" PINGO__PLACE_LOCK "|" PINGO__PLACE_JOURNAL
                ".*|" PINGO__PLACE_RUNNING ".*)"},
    {.name = "runs", .pattern = "@(all|+([0-9])).log"}, /* of pingo run --detach */
    {.name = "archive",
     .pattern = "@(lock|" MONTH "db*|" MONTH "*.db*)"}, /* month files, and their logs */
    {.name = NULL}};

/* As init wrote it. */
static void remove_ignore(const struct destruction *d)
{
    char text[8];
    if (pingo__file_read(d->fd, ".gitignore", text, sizeof text) == 2 && strcmp(text, "*\n") == 0)
        unlinkat(d->fd, ".gitignore", 0);
}

/* What was cut short has removed it, or it was moved, or its disk is not mounted: nobody can tell. */
static int tell_of_pool(const struct destruction *d)
{
    if (!d->lacks_pool || !d->fn || pingo__path_is_below(d->pool, d->directory))
        return 0;
    return d->fn(d->fn_context, d->pool,
                 "no pool is there: where it was moved, or its disk is not mounted, it stays");
}

static int remove_all(struct destruction *d, struct pingo_error *err)
{
    static const char *const files[] = {"reserve",          "pingo.db-wal", "pingo.db-shm",
                                        "pingo.db-journal", "serve.sock",   "serve.lock",
                                        "serve.html",       "pingo.db",     "lock"};
    struct pingo__pool_told told = {d->fn, d->fn_context};
    struct pingo__pool_ruin ruin = {d->context.world, d->fd, d->directory, &told};
    struct pingo__pool_site site = site_of(d);
    struct pingo__pool_part all[sizeof parts / sizeof *parts];
    memcpy(all, parts, sizeof parts);
    bool is_inside = pingo__path_is_below(d->pool, d->directory);
    all[0].name = is_inside ? strrchr(d->pool, '/') + 1 : PINGO__ENGINE_NEAR;
    int rc = tell_of_pool(d);
    if (!rc)
        rc = pingo__pool_destroy(&site, d->id, &told, err);
    if (!rc)
        rc = pingo__pool_clear_parts(&ruin, all + 1, err);
    if (rc)
        return rc;
    remove_ignore(d);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(d->fd, files[i], 0);
    return pingo__pool_clear_rest(&ruin, all, err);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/* What a store cannot be opened for is an error here as well, but for a pool that was taken apart before. */
static int find_pool(struct destruction *d, struct pingo_error *err)
{
    struct pingo_store_options options = {.version = 1, .lock_timeout_ms = LOCK_MS};
    struct pingo_store *store = NULL;
    int rc = pingo_store_open(d->directory, &options, &store, err);
    if (rc == 0 && !(d->pool = strdup(pingo_store_pool(store))))
        rc = pingo__fail_memory(err);
    pingo_store_close(store);
    return rc;
}

static int open_database(struct destruction *d, int found, struct pingo_error *err)
{
    struct pingo_error why = {0};
    char *path = NULL;
    int rc = pingo__store_db_open(&d->db, d->directory, LOCK_MS, &why);
    if (!rc)
        rc = pingo__store_meta_get(&d->db, "store.id", &d->id, &why);
    if (!rc)
        rc = pingo__store_meta_get(&d->db, "pool.path", &path, &why);
    if (!rc && !d->pool && path)
        d->pool = pingo__pool_place(d->directory, path);
    free(path);
    d->context = (struct pingo__manager_context){.db = &d->db, .world = pingo__world_real()};
    struct pingo__pool_site site = site_of(d);
    d->lacks_pool = found && !rc && d->pool && pingo__pool_is_destroyed(&site);
    if (found && !d->lacks_pool)
        return found; /* as it was said before */
    if (!rc && (!d->id || !d->pool))
        rc = PINGO_ESTORE;
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

static int begin(struct destruction *d, struct pingo_error *err)
{
    int found = find_pool(d, err), rc = open_database(d, found, err);
    if (rc)
        return rc;
    d->fd = open(d->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0)
        return pingo__fail_os(err, errno, "opening the store", d->directory);
    rc = check_owners(d, err);
    if (!rc)
        rc = check_helpers(d, err);
    return rc ? rc : pingo__store_db_take_alone(&d->db, err);
}

int pingo_store_destroy(const char *directory, pingo_kept_fn fn, void *context,
                        struct pingo_error *err)
{
    struct destruction d = {.fd = -1, .helper = -1, .fn = fn, .fn_context = context};
    if (!directory || !*directory) /* it would be the working directory */
        return pingo__fail(err, PINGO_EINVAL, "no directory is given for the store");
    int rc = pingo__engine_absolute(directory, &d.directory, err);
    d.near = d.directory ? pingo__path_child(d.directory, PINGO__ENGINE_NEAR) : NULL;
    d.db.lock_fd = -1;
    if (!rc)
        rc = d.near ? begin(&d, err) : pingo__fail_memory(err);
    if (!rc)
        rc = remove_all(&d, err);
    if (d.db.sqlite)
        pingo__store_db_close(&d.db);
    pingo__file_close(d.helper);
    pingo__file_close(d.fd);
    free(d.pool);
    free(d.id);
    free(d.near);
    free(d.directory);
    return rc;
}
