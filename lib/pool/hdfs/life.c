/* life.c - making, opening and taking apart a pool in HDFS, and what tells it from others. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "pool/hdfs/hdfs.h"
#include "pool/posix/destroy.h"

#define MARKER "pingo-pool"
#define NOTE "pingo-store"
#define CACHE "cache"
#define FIRST_PATIENCE_MS 5000 /* of somebody who sits before it */

static const char *const others[] = {"programs", "originals", "bundles"}; /* of executors */

/* ---- create, open ------------------------------------------------------------------------------- */

/* "": there is none. */
static int read_marker(struct pingo__hdfs *fs, char id[80], struct pingo_error *err)
{
    struct pingo__buffer text = {0};
    struct pingo_error why = {0};
    int rc = pingo__hdfs_get_bytes(fs, MARKER, (struct pingo__hdfs_range){0, 79}, &text, &why);
    snprintf(id, 80, "%.*s", rc ? 0 : (int)text.length, text.data ? text.data : "");
    id[strcspn(id, "\n")] = '\0';
    pingo__buffer_clear(&text);
    return rc && rc != PINGO_ENOTFOUND ? pingo__fail(err, rc, "%s", why.message) : 0;
}

static int connect_to(const struct pingo__pool_site *site, struct pingo__hdfs **fs,
                      struct pingo_error *err)
{
    struct pingo__hdfs_options options = {.patience_ms = FIRST_PATIENCE_MS, .world = site->world};
    const char *wrong;
    int rc = pingo__hdfs_open(site->place, &options, fs, err);
    const char *path = strstr(site->place, "://");
    path = path ? strchr(path + 3, '/') : NULL;
    if (!rc && (!path || !path[strspn(path, "/")]) && pingo__hdfs_url_is_valid(site->place, &wrong)) {
        pingo__hdfs_close(*fs);
        *fs = NULL;
        rc = pingo__fail(err, PINGO_EINVAL, "%s: a pool has a directory of its own", site->place);
    }
    return rc;
}

struct count {
    size_t n;
};

static int count_one(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    (void)name;
    (void)status;
    (void)err;
    ((struct count *)context)->n++;
    return PINGO_EINTERRUPTED;
}

/* What is there is not ours: a tick would empty it. */
static int make_part(struct pingo__hdfs *fs, const char *place, const char *part,
                     struct pingo_error *err)
{
    struct pingo__hdfs_status status;
    struct count count = {0};
    int rc = pingo__hdfs_status(fs, part, &status, err);
    if (rc)
        return rc;
    if (status.exists && status.is_directory)
        rc = pingo__hdfs_list(fs, part, count_one, &count, err);
    if (status.exists && (!status.is_directory || count.n))
        return pingo__fail(err, PINGO_EEXISTS,
                           "%s/%s: is there already and is %s; a pool keeps its own files under "
                           "that name: choose another directory",
                           place, part, status.is_directory ? "not empty" : "no directory");
    if (!rc)
        rc = pingo__hdfs_make(fs, part, err);
    return rc ? rc : pingo__hdfs_set_mode(fs, part, 0700, err);
}

int pingo__pool_hdfs_create(const struct pingo__pool_site *site, const char *store_id,
                            struct pingo_error *err)
{
    struct pingo__hdfs *fs;
    char id[80], text[80];
    int rc = connect_to(site, &fs, err);
    if (rc)
        return rc;
    rc = read_marker(fs, id, err);
    if (!rc && *id)
        rc = pingo__fail(err, PINGO_ESTORE, "%s: is the pool of another store (%s)", site->place,
                         id);
    for (size_t i = 0; !rc && i < PINGO__PARTS; i++)
        rc = make_part(fs, site->place, pingo__name_parts[i], err);
    snprintf(text, sizeof text, "%s\n", store_id);
    if (!rc)
        rc = pingo__hdfs_put_bytes(fs, MARKER, text, strlen(text), err);
    pingo__hdfs_close(fs);
    return rc;
}

static int open_near(struct pingo__pool_hdfs *p, const char *near, struct pingo_error *err)
{
    const struct pingo__world *w = p->world;
    int rc = near ? pingo__file_make_directory(w, near, 0700) : -EINVAL;
    p->near =
        (struct pingo__pool_directory){.world = w, .path = near ? strdup(near) : NULL, .fd = -1};
    if (rc >= 0 && !p->near.path)
        return pingo__fail_memory(err);
    if (rc >= 0)
        rc = p->near.fd = w->open(w->context, AT_FDCWD, near, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    for (size_t i = 0; rc >= 0 && i <= PINGO__PARTS; i++) {
        const char *part = i < PINGO__PARTS ? pingo__name_parts[i] : CACHE;
        rc = i == PINGO__OBJECTS ? 0 : w->mkdir(w->context, p->near.fd, part, 0700);
        rc = rc == -EEXIST ? 0 : rc;
    }
    return rc < 0 ? pingo__fail_os(err, -rc, "making the directory near the store", near ? near : "")
                  : 0;
}

static int check_marker(struct pingo__pool_hdfs *p, const char *place, const char *store_id,
                        struct pingo_error *err)
{
    struct pingo__hdfs_status status;
    char id[80];
    int rc = read_marker(p->fs, id, err);
    if (!rc && !*id)
        rc = pingo__fail(err, PINGO_ESTORE,
                         "%s: is not a pool: it has no %s, which should say \"%s\"", place, MARKER,
                         store_id);
    else if (!rc && strcmp(id, store_id) != 0)
        rc = pingo__fail(err, PINGO_ESTORE,
                         "%s: is not this store's pool: its %s says \"%s\", where \"%s\" should "
                         "stand",
                         place, MARKER, id, store_id);
    if (!rc)
        rc = pingo__hdfs_status(p->fs, MARKER, &status, err);
    p->replicas = rc ? 1 : status.replicas;
    return rc;
}

int pingo__pool_hdfs_open(const struct pingo__pool_site *site, const char *store_id, void **pool,
                          struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = calloc(1, sizeof *p);
    *pool = NULL;
    if (!p)
        return pingo__fail_memory(err);
    p->world = site->world;
    p->near.fd = -1;
    int rc = connect_to(site, &p->fs, err);
    if (!rc)
        rc = check_marker(p, site->place, store_id, err);
    if (!rc)
        rc = open_near(p, site->near, err);
    if (rc) {
        pingo__pool_hdfs_close(p);
        return rc;
    }
    pingo__hdfs_set_patience(p->fs, PINGO__POOL_HDFS_PATIENCE_MS);
    *pool = p;
    return 0;
}

void pingo__pool_hdfs_close(void *pool)
{
    struct pingo__pool_hdfs *p = pool;
    pingo__hdfs_close(p->fs);
    if (p->near.fd >= 0)
        p->world->close(p->world->context, p->near.fd);
    free(p->near.path);
    free(p);
}

bool pingo__pool_hdfs_is_of(const struct pingo__pool_site *site, const char *store_id)
{
    struct pingo__hdfs *fs;
    char id[80] = "";
    if (connect_to(site, &fs, NULL) != 0)
        return false;
    bool is = read_marker(fs, id, NULL) == 0 && strcmp(id, store_id) == 0;
    pingo__hdfs_close(fs);
    return is;
}

bool pingo__pool_hdfs_is_destroyed(const struct pingo__pool_site *site)
{
    struct pingo__hdfs *fs;
    struct pingo__hdfs_status status = {.exists = true};
    if (connect_to(site, &fs, NULL) != 0)
        return false;
    bool is = pingo__hdfs_status(fs, MARKER, &status, NULL) == 0 && !status.exists;
    for (size_t i = 0; is && i < PINGO__PARTS; i++)
        is = pingo__hdfs_status(fs, pingo__name_parts[i], &status, NULL) == 0 && !status.exists;
    pingo__hdfs_close(fs);
    return is;
}

/* ---- which of several it is ---------------------------------------------------------------------- */

int pingo__pool_hdfs_identity(void *pool, char text[64], struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_status own, marker = {.exists = false};
    int rc = pingo__hdfs_status(p->fs, "", &own, err);
    if (!rc)
        rc = pingo__hdfs_status(p->fs, MARKER, &marker, err);
    if (!rc && (!own.exists || !marker.exists))
        rc = pingo__fail(err, PINGO_ESTORE, "%s: is not there any more", MARKER);
    if (!rc)
        snprintf(text, 64, "%" PRId64 ".%" PRId64 ".%" PRId64, own.file_id, marker.file_id,
                 marker.mtime_ms);
    return rc;
}

void pingo__pool_hdfs_noted(void *pool, char *text, size_t size)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__buffer note = {0};
    struct pingo__hdfs_status own = {.exists = false};
    int64_t number = -1;
    const char *end = NULL, *all = NULL;
    if (pingo__hdfs_status(p->fs, "", &own, NULL) == 0 &&
        pingo__hdfs_get_bytes(p->fs, NOTE, (struct pingo__hdfs_range){0, PATH_MAX + 32}, &note,
                              NULL) == 0)
        all = pingo__buffer_cstr(&note);
    if (all)
        end = strchr(all, '\n');
    bool is_ours = end && sscanf(end + 1, "%" SCNd64, &number) == 1 && number == own.file_id;
    snprintf(text, size, "%.*s", is_ours ? (int)(end - all) : 0, is_ours ? all : "");
    pingo__buffer_clear(&note);
}

/* Where that cannot be written it is tried again next time. */
void pingo__pool_hdfs_note(void *pool, const char *text)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__hdfs_status own;
    char note[PATH_MAX + 32];
    if (pingo__hdfs_status(p->fs, "", &own, NULL) != 0 || !own.exists)
        return;
    snprintf(note, sizeof note, "%.*s\n%" PRId64 "\n", PATH_MAX, text, own.file_id);
    if (pingo__hdfs_remove(p->fs, NOTE, NULL) == 0)
        pingo__hdfs_put_bytes(p->fs, NOTE, note, strlen(note), NULL);
}

/* ---- the way out ------------------------------------------------------------------------------------ */

static int open_up(void *context, const char *path, const struct pingo__hdfs_status *status,
                   struct pingo_error *err)
{
    const char *const *of = context; /* the pool, a name */
    struct pingo__pool_hdfs *p = (struct pingo__pool_hdfs *)(uintptr_t)of[0];
    if (!status->is_directory || (status->mode & 0700) == 0700)
        return 0;
    char *name = *path ? pingo__path_child(of[1], path) : strdup(of[1]);
    int rc = name ? pingo__hdfs_set_mode(p->fs, name, status->mode | 0700, err)
                  : pingo__fail_memory(err);
    free(name);
    return rc;
}

/* HDFS lets no owner remove what lies in a directory that he may not write. */
int pingo__pool_hdfs_remove(struct pingo__pool_hdfs *p, const char *name, struct pingo_error *err)
{
    const char *of[] = {(const char *)p, name};
    struct pingo_error why = {0};
    int rc = pingo__hdfs_remove(p->fs, name, &why);
    if (rc == PINGO_EIO) {
        rc = pingo__hdfs_walk(p->fs, name, open_up, of, NULL);
        rc = rc ? why.code : pingo__hdfs_remove(p->fs, name, &why);
    }
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

struct ruin {
    struct pingo__pool_hdfs *pool;
    const struct pingo__pool_told *told;
    const char *directory;
    enum pingo__name_part part; /* PINGO__PARTS: nothing is ours */
    bool below;
};

static int clear(const struct ruin *r, struct pingo_error *err);

static int clear_entry(void *context, const char *entry, const struct pingo__hdfs_status *status,
                       struct pingo_error *err)
{
    const struct ruin *r = context;
    char *name = *r->directory ? pingo__path_child(r->directory, entry) : strdup(entry), *uri = NULL;
    bool is_shard = r->part == PINGO__OBJECTS && !r->below;
    int rc = name ? 0 : pingo__fail_memory(err);
    if (rc)
        goto out;
    if (r->part < PINGO__PARTS && pingo__name_is_ours(r->part, r->below, entry) &&
        (!is_shard || status->is_directory)) {
        rc = is_shard ? clear(&(struct ruin){r->pool, r->told, name, r->part, true}, err)
                      : pingo__pool_hdfs_remove(r->pool, name, err);
    } else if (r->told && r->told->kept) {
        rc = pingo__hdfs_uri(r->pool->fs, name, &uri, err);
        if (!rc && r->told->kept(r->told->context, uri, "Pingo did not make it"))
            rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped");
    }
out:
    free(uri);
    free(name);
    return rc;
}

/* What is ours in a directory, and the directory where it is empty then. */
static int clear(const struct ruin *r, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = pingo__hdfs_list(r->pool->fs, r->directory, clear_entry, (void *)(uintptr_t)r, &why);
    if (!rc)
        rc = pingo__hdfs_remove_empty(r->pool->fs, r->directory, &why);
    return rc && rc != PINGO_ENOTFOUND && rc != PINGO_EEXISTS
               ? pingo__fail(err, rc, "%s", why.message)
               : 0;
}

static bool is_ours(const struct pingo__pool_part *part, const char *name)
{
    return !part || part->part == PINGO__PARTS || pingo__name_is_ours(part->part, true, name);
}

static int clear_near(struct pingo__pool_hdfs *p, const struct pingo__pool_told *told,
                      struct pingo_error *err)
{
    const char *const *names = pingo__name_parts;
    const struct pingo__pool_part parts[] = {{names[PINGO__ATTEMPTS], is_ours, NULL, PINGO__ATTEMPTS},
                                             {names[PINGO__STAGED], is_ours, NULL, PINGO__STAGED},
                                             {names[PINGO__TRASH], is_ours, NULL, PINGO__TRASH},
                                             {CACHE, is_ours, NULL, PINGO__PARTS},
                                             {.name = NULL}};
    struct pingo__pool_ruin ruin = {p->world, p->near.fd, p->near.path, told};
    int rc = pingo__pool_clear_parts(&ruin, parts, err);
    return rc ? rc : pingo__pool_clear_rest(&ruin, err);
}

int pingo__pool_hdfs_destroy(void *pool, const struct pingo__pool_told *told,
                             struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    int rc = clear_near(p, told, err);
    for (enum pingo__name_part i = 0; !rc && i < PINGO__PARTS; i++)
        rc = clear(&(struct ruin){p, told, pingo__name_parts[i], i, false}, err);
    for (size_t i = 0; !rc && i < sizeof others / sizeof *others; i++)
        rc = pingo__pool_hdfs_remove(p, others[i], err);
    if (!rc)
        rc = pingo__hdfs_remove(p->fs, NOTE, err);
    if (!rc)
        rc = pingo__hdfs_remove(p->fs, MARKER, err);
    return rc ? rc : clear(&(struct ruin){p, told, "", PINGO__PARTS, false}, err);
}
