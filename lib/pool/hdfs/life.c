/* life.c - opening and taking apart a pool in HDFS, and what tells it from others. */
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

#define NOTE PINGO__POOL_NOTE
#define CACHE "cache"
#define KNOWN "known" /* in the near directory: the pool, as it was when it answered last */
#define FIRST_PATIENCE_MS 5000 /* of somebody who sits before it, */
#define FIRST_ANSWER_MS 20000  /* also where a NameNode takes what it is asked and says nothing */
#define SAID_MS 250
#define PATIENCE_MS 15000 /* longer waits are those of who asks again */

/* ---- open ------------------------------------------------------------------------------- */

int pingo__pool_hdfs_marker(struct pingo__hdfs *fs, char id[80], struct pingo_error *err)
{
    struct pingo__buffer text = {0};
    struct pingo_error why = {0};
    int rc = pingo__hdfs_get_bytes(fs, PINGO__NAME_MARKER, (struct pingo__hdfs_range){0, 79}, &text,
                                   &why);
    snprintf(id, 80, "%.*s", rc ? 0 : (int)text.length, text.data ? text.data : "");
    id[strcspn(id, "\n")] = '\0';
    pingo__buffer_clear(&text);
    return rc && rc != PINGO_ENOTFOUND ? pingo__fail(err, rc, "%s", why.message) : 0;
}

static int connect_as(const struct pingo__pool_site *site, const struct pingo__hdfs_options *options,
                      struct pingo__hdfs **fs, struct pingo_error *err)
{
    const char *wrong;
    struct pingo__hdfs_place at;
    *fs = NULL;
    if (pingo__hdfs_read_url(site->place, &at, &wrong) && !at.path[strspn(at.path, "/")])
        return pingo__fail(err, PINGO_EINVAL, "%s: a pool has a directory of its own", site->place);
    return pingo__hdfs_open(site->place, options, fs, err);
}

int pingo__pool_hdfs_connect(const struct pingo__pool_site *site, struct pingo__hdfs **fs,
                             struct pingo_error *err)
{
    struct pingo__hdfs_options options = {
        .patience_ms = FIRST_PATIENCE_MS, .answer_ms = FIRST_ANSWER_MS, .world = site->world};
    return connect_as(site, &options, fs, err);
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

/* What is noted of a pool that this store knows, but its identity.  "": this directory has none, or no memory. */
static void head_of_known(const struct pingo__pool_hdfs *p, struct pingo__buffer *text)
{
    struct stat st;
    pingo__buffer_reset(text);
    if (p->world->stat(p->world->context, p->near.fd, ".", 0, &st) >= 0)
        pingo__buffer_format(text, "%s\n%s\n%s\n%ju.%ju\n", p->store_id, p->place, p->home,
                             (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    pingo__buffer_cstr(text);
}

/* A copy of the store has another directory, and so knows no pool. */
static void read_known(struct pingo__pool_hdfs *p)
{
    struct pingo__buffer head = {0};
    char *text = NULL;
    size_t n = 0;
    head_of_known(p, &head);
    if (head.length && pingo__file_read_whole(p->near.fd, KNOWN, 65536, &text, &n) == 0 &&
        n > head.length && strncmp(text, head.data, head.length) == 0 && text[n - 1] == '\n') {
        snprintf(p->identity, sizeof p->identity, "%.*s", (int)(n - head.length - 1),
                 text + head.length);
        p->is_known = true;
    }
    free(text);
    pingo__buffer_clear(&head);
}

/* Where that cannot be written HDFS is asked next time, as now. */
static void write_known(struct pingo__pool_hdfs *p)
{
    const struct pingo__world *w = p->world;
    struct pingo__buffer text = {0};
    head_of_known(p, &text);
    if (text.length)
        pingo__buffer_format(&text, "%s\n", p->identity);
    int fd = text.length && pingo__buffer_cstr(&text)
                 ? w->open(w->context, p->near.fd, KNOWN,
                           O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)
                 : -1;
    if (fd >= 0) { /* a part of it is known for one by its missing end */
        w->write(w->context, fd, text.data, text.length);
        w->close(w->context, fd);
    }
    pingo__buffer_clear(&text);
}

/* Is it ours, and which one? */
static int look_at(struct pingo__pool_hdfs *p, struct pingo_error *err)
{
    struct pingo__hdfs_status own, marker = {.exists = false};
    char is[sizeof p->identity] = "", id[80];
    int rc = pingo__hdfs_status(p->first, "", &own, err);
    if (!rc)
        rc = pingo__hdfs_status(p->first, PINGO__NAME_MARKER, &marker, err);
    if (!rc)
        snprintf(is, sizeof is, "%" PRId64 ".%" PRId64 ".%" PRId64, own.file_id, marker.file_id,
                 marker.mtime_ms);
    bool is_same = !rc && own.exists && marker.exists && p->is_known && !strcmp(is, p->identity);
    if (!rc && !is_same) /* what is the same says the same: no DataNode is asked for it */
        rc = pingo__pool_hdfs_marker(p->first, id, err);
    if (!rc && !is_same)
        rc = pingo__pool_check_marker(p->place, id, p->store_id, err);
    if (!rc && (!own.exists || !marker.exists))
        rc = pingo__fail(err, PINGO_ESTORE, "%s/%s: is not there any more", p->place,
                         PINGO__NAME_MARKER);
    if (p->is_known && (rc == PINGO_ESTORE || (!rc && strcmp(is, p->identity) != 0)))
        p->world->unlink(p->world->context, p->near.fd, KNOWN,
                         0); /* who opens it next is told what became of it */
    if (rc)
        return rc;
    if (!p->is_known)
        strcpy(p->identity, is);
    p->replicas = marker.replicas;
    return 0;
}

/* Before the first question: nothing is done to a pool that is not ours.  Who waits for another one's look has its
 * answer, and so has who comes soon after. */
static int meet(void *pool, struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    if (atomic_load(&p->is_met))
        return 0;
    unsigned seen = atomic_load(&p->looks);
    pthread_mutex_lock(&p->meeting);
    bool is_new = pingo__world_monotonic_ms() - p->looked_ms < SAID_MS;
    if (!atomic_load(&p->is_met) && atomic_load(&p->looks) == seen && !is_new) {
        p->why = (struct pingo_error){0};
        atomic_store(&p->is_met, look_at(p, &p->why) == 0);
        atomic_fetch_add(&p->looks, 1);
        p->looked_ms = pingo__world_monotonic_ms();
    }
    int rc = atomic_load(&p->is_met) ? 0 : pingo__fail(err, p->why.code, "%s", p->why.message);
    pthread_mutex_unlock(&p->meeting);
    return rc;
}

static int keep_site(struct pingo__pool_hdfs *p, const struct pingo__pool_site *site,
                     const char *store_id, struct pingo_error *err)
{
    char *near = site->near ? realpath(site->near, NULL) : NULL, *slash = NULL;
    p->place = strdup(site->place);
    p->store_id = strdup(store_id);
    if (near && (slash = strrchr(near, '/')))
        *slash = '\0';
    p->home = near;
    return p->place && p->store_id && near ? 0 : pingo__fail_memory(err);
}

/* A pool that is known is opened while HDFS is away, and looked at with its first answer. */
int pingo__pool_hdfs_open(const struct pingo__pool_site *site, const char *store_id, void **pool,
                          struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = calloc(1, sizeof *p);
    *pool = NULL;
    if (!p)
        return pingo__fail_memory(err);
    struct pingo__hdfs_options options = {.patience_ms = PATIENCE_MS,
                                          .world = site->world,
                                          .guard = meet,
                                          .guard_context = p,
                                          .shares_outages = true};
    p->world = site->world;
    p->near.fd = -1;
    p->looked_ms = -SAID_MS;
    pthread_mutex_init(&p->meeting, NULL);
    int rc = connect_as(site, &options, &p->fs, err);
    if (!rc)
        rc = pingo__pool_hdfs_connect(site, &p->first, err);
    if (!rc)
        rc = open_near(p, site->near, err);
    if (!rc)
        rc = keep_site(p, site, store_id, err);
    if (!rc)
        read_known(p);
    if (!rc && !p->is_known)
        rc = meet(p, err);
    if (rc)
        pingo__pool_hdfs_close(p);
    else
        *pool = p;
    return rc;
}

void pingo__pool_hdfs_close(void *pool)
{
    struct pingo__pool_hdfs *p = pool;
    pingo__hdfs_close(p->fs);
    pingo__hdfs_close(p->first);
    if (p->near.fd >= 0)
        p->world->close(p->world->context, p->near.fd);
    pthread_mutex_destroy(&p->meeting);
    free(p->near.path);
    free(p->place);
    free(p->store_id);
    free(p->home);
    free(p);
}

bool pingo__pool_hdfs_is_of(const struct pingo__pool_site *site, const char *store_id)
{
    struct pingo__hdfs *fs;
    char id[80] = "";
    if (pingo__pool_hdfs_connect(site, &fs, NULL) != 0)
        return false;
    bool is = pingo__pool_hdfs_marker(fs, id, NULL) == 0 && strcmp(id, store_id) == 0;
    pingo__hdfs_close(fs);
    return is;
}

bool pingo__pool_hdfs_is_destroyed(const struct pingo__pool_site *site)
{
    struct pingo__hdfs *fs;
    struct pingo__hdfs_status status = {.exists = true};
    if (pingo__pool_hdfs_connect(site, &fs, NULL) != 0)
        return false;
    bool is = pingo__hdfs_status(fs, PINGO__NAME_MARKER, &status, NULL) == 0 && !status.exists;
    for (size_t i = 0; is && i < PINGO__PARTS; i++)
        is = pingo__hdfs_status(fs, pingo__name_parts[i], &status, NULL) == 0 && !status.exists;
    pingo__hdfs_close(fs);
    return is;
}

/* ---- which of several it is ---------------------------------------------------------------------- */

int pingo__pool_hdfs_identity(void *pool, char text[64], struct pingo_error *err)
{
    (void)err;
    snprintf(text, 64, "%s", ((struct pingo__pool_hdfs *)pool)->identity);
    return 0;
}

/* From now on it is known, where it is noted in it that its store is the one here. */
static void learn(struct pingo__pool_hdfs *p, const char *noted)
{
    if (!p->is_known && strcmp(noted, p->home) == 0)
        write_known(p);
}

void pingo__pool_hdfs_noted(void *pool, char *text, size_t size)
{
    struct pingo__pool_hdfs *p = pool;
    struct pingo__buffer note = {0};
    struct pingo__hdfs_status own = {.exists = false};
    if (p->is_known) {
        snprintf(text, size, "%s", p->home);
        return;
    }
    bool is_told = pingo__hdfs_status(p->fs, "", &own, NULL) == 0 &&
                   pingo__hdfs_get_bytes(p->fs, NOTE, (struct pingo__hdfs_range){0, PATH_MAX + 32},
                                         &note, NULL) == 0 &&
                   pingo__buffer_cstr(&note);
    pingo__pool_read_note(is_told ? note.data : "", own.file_id, text, size);
    learn(p, text);
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
    if (pingo__hdfs_remove(p->fs, NOTE, NULL) == 0 &&
        pingo__hdfs_put_bytes(p->fs, NOTE, note, strlen(note), NULL) == 0)
        learn(p, text);
}

/* ---- the way out ------------------------------------------------------------------------------------ */

struct tree {
    struct pingo__hdfs *fs;
    const char *name;
};

static int open_up(void *context, const char *path, const struct pingo__hdfs_status *status,
                   struct pingo_error *err)
{
    const struct tree *tree = context;
    if (!status->is_directory || (status->mode & 0700) == 0700)
        return 0;
    char *name = pingo__path_below(tree->name, path);
    int rc = name ? pingo__hdfs_set_mode(tree->fs, name, status->mode | 0700, err)
                  : pingo__fail_memory(err);
    free(name);
    return rc;
}

/* HDFS lets no owner remove what lies in a directory that he may not write. */
int pingo__pool_hdfs_remove(struct pingo__pool_hdfs *p, const char *name, struct pingo_error *err)
{
    struct tree tree = {p->fs, name};
    struct pingo_error why = {0};
    int rc = pingo__hdfs_remove(p->fs, name, &why);
    if (rc == PINGO_EIO) {
        rc = pingo__hdfs_walk(p->fs, name, open_up, &tree, NULL);
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

static int clear_near(struct pingo__pool_hdfs *p, const struct pingo__pool_told *told,
                      struct pingo_error *err)
{
    const char *const *names = pingo__name_parts;
    const struct pingo__pool_part parts[] = {
        {.name = names[PINGO__ATTEMPTS], .part = PINGO__ATTEMPTS},
        {.name = names[PINGO__STAGED], .part = PINGO__STAGED},
        {.name = names[PINGO__TRASH], .part = PINGO__TRASH},
        {.name = CACHE, .pattern = "*"},
        {.name = NULL}};
    struct pingo__pool_ruin ruin = {p->world, p->near.fd, p->near.path, told};
    int rc = pingo__pool_clear_parts(&ruin, parts, err);
    return rc ? rc : pingo__pool_clear_rest(&ruin, parts, err);
}

int pingo__pool_hdfs_destroy(void *pool, const struct pingo__pool_told *told,
                             struct pingo_error *err)
{
    struct pingo__pool_hdfs *p = pool;
    int rc = meet(p, err);
    if (!rc)
        p->world->unlink(p->world->context, p->near.fd, KNOWN, 0);
    if (!rc)
        rc = clear_near(p, told, err);
    for (enum pingo__name_part i = 0; !rc && i < PINGO__PARTS; i++)
        rc = clear(&(struct ruin){p, told, pingo__name_parts[i], i, false}, err);
    for (const char *const *other = pingo__pool_hdfs_others; !rc && *other; other++)
        rc = pingo__pool_hdfs_remove(p, *other, err);
    if (!rc)
        rc = pingo__hdfs_remove(p->fs, NOTE, err);
    if (!rc)
        rc = pingo__hdfs_remove(p->fs, PINGO__NAME_MARKER, err);
    return rc ? rc : clear(&(struct ruin){p, told, "", PINGO__PARTS, false}, err);
}
