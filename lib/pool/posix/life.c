/* life.c - making and opening a pool in a directory, and what tells it from others. */
#include "pool/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/room.h"
#include "base/walk.h"

#define MARKER PINGO__NAME_MARKER
#define NOTE PINGO__POOL_NOTE
/* https://bford.info/cachedir/ */
#define CACHE_TAG "CACHEDIR.TAG"
#define CACHE_TEXT                                                                                 \
    "Signature: 8a477f597d28d172789f06886806bc55\n"                                                \
    "# The pool of a Pingo store: what it holds can be computed again."

/* ---- create, open -------------------------------------------------------------------- */

/* The beginning of a small file, with a NUL; "" when there is none.  A FIFO there is no reason to wait.  0 or a
 * negative errno; -ELOOP: it is a link, or no file. */
static int read_file(const struct pingo__world *w, int dir, const char *name, char *text,
                     size_t size)
{
    struct stat st;
    int fd = w->open(w->context, dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? fd : w->stat(w->context, fd, "", AT_EMPTY_PATH, &st);
    if (n >= 0)
        n = S_ISREG(st.st_mode) ? w->read(w->context, fd, text, size - 1) : -ELOOP;
    if (fd >= 0)
        w->close(w->context, fd);
    text[n > 0 ? n : 0] = '\0';
    return n >= 0 || n == -ENOENT ? 0 : (int)n;
}

/* The store's id in the marker; "" when there is none. */
static int read_marker(const struct pingo__world *w, int dir, char id[80])
{
    int rc = read_file(w, dir, MARKER, id, 80);
    id[strcspn(id, "\n")] = '\0';
    return rc;
}

bool pingo__pool_directory_is_of(const struct pingo__pool_site *site, const char *store_id)
{
    const struct pingo__world *w = site->world;
    int fd = w->open(w->context, AT_FDCWD, site->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    char id[80];
    bool found = fd >= 0 && read_marker(w, fd, id) == 0 && strcmp(id, store_id) == 0;
    if (fd >= 0)
        w->close(w->context, fd);
    return found;
}

/* A new file with this text and an end of line, whole or not at all. */
static int write_file(const struct pingo__world *w, int dir, const char *name, const char *text,
                      mode_t mode)
{
    int fd = w->open(w->context, dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    ssize_t n;
    if (fd < 0)
        return fd;
    n = w->write(w->context, fd, text, strlen(text));
    if (n >= 0)
        n = w->write(w->context, fd, "\n", 1);
    if (n >= 0)
        n = w->fsync(w->context, fd);
    int closed = w->close(w->context, fd);
    n = n < 0 ? n : closed;
    if (n < 0)
        w->unlink(w->context, dir, name, 0);
    return n < 0 ? (int)n : 0;
}

/* What is there is not ours: a tick would empty it. */
static int check_part(const struct pingo__world *w, int dir, const char *directory,
                      const char *part, struct pingo_error *err)
{
    struct pingo__walk entries;
    pingo__walk_init(&entries, w, false);
    int rc = pingo__walk_enter(&entries, dir, part, O_NOFOLLOW);
    bool is_free = rc == -ENOENT || (rc >= 0 && !pingo__walk_next(&entries));
    pingo__walk_clear(&entries);
    if (is_free)
        return 0;
    return pingo__fail(err, PINGO_EEXISTS,
                       "%s/%s: is there already and is %s; a pool keeps its own files under that "
                       "name: choose another directory",
                       directory, part,
                       rc == -ENOTDIR || rc == -ELOOP ? "no directory" : "not empty");
}

static int make_parts(const struct pingo__world *w, int dir, const char *directory,
                      struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < PINGO__PARTS; i++)
        rc = check_part(w, dir, directory, pingo__name_parts[i], err);
    for (size_t i = 0; !rc && i < PINGO__PARTS; i++) {
        rc = w->mkdir(w->context, dir, pingo__name_parts[i], 0700);
        rc = rc == -EEXIST ? 0
             : rc < 0      ? pingo__fail_os(err, -rc, "making the pool", directory)
                           : 0;
    }
    return rc;
}

/* Inputs are links, and what a command made executable, or not, is so for whoever reads it. */
static int check_kind(const struct pingo__world *w, int dir, const char *directory,
                      struct pingo_error *err)
{
    char name[64];
    bool has_modes = false;
    snprintf(name, sizeof name, MARKER ".%016" PRIx64, pingo__world_token(w));
    int rc = w->symlink(w->context, MARKER, dir, name);
    bool has_links = rc >= 0;
    if (has_links)
        rc = w->unlink(w->context, dir, name, 0);
    else if (rc == -EPERM || rc == -ENOSYS || rc == -EOPNOTSUPP)
        rc = 0;
    if (!rc && has_links)
        rc = pingo__file_ask_modes(w, dir, name, &has_modes);
    if (rc)
        return pingo__fail_os(err, -rc, "making the pool", directory);
    return has_modes ? 0
                     : pingo__fail(err, PINGO_ESTORE,
                                   "%s: its file system has no %s, which a pool needs: choose a "
                                   "directory on another (init --pool)",
                                   directory, has_links ? "modes for each file" : "symbolic links");
}

int pingo__pool_fail_taken(const struct pingo__pool_site *site, const char *id,
                           struct pingo_error *err)
{
    return pingo__fail(err, PINGO_ESTORE,
                       "%s: is the pool of another store (%s); if that was never made, for its "
                       "init was cut short, remove " MARKER " there",
                       site->place, id);
}

int pingo__pool_directory_create(const struct pingo__pool_site *site, const char *store_id,
                                 struct pingo_error *err)
{
    const struct pingo__world *w = site->world;
    const char *directory = site->place;
    char id[80];
    struct stat st;
    int fd = -1;
    bool is_new = w->stat(w->context, AT_FDCWD, directory, 0, &st) == -ENOENT;
    int rc = pingo__file_make_directory(w, directory, 0700);
    if (rc)
        return pingo__fail_os(err, -rc, "making the directory", directory);
    fd = w->open(w->context, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return pingo__fail_os(err, -fd, "opening the pool", directory);
    int failed = read_marker(w, fd, id);
    if (!failed && *id && strcmp(id, store_id) != 0)
        rc = pingo__pool_fail_taken(site, id, err);
    else if (!failed)
        rc = check_kind(w, fd, directory, err);
    if (!failed && !rc)
        rc = make_parts(w, fd, directory, err);
    if (!failed && !rc) { /* backups need not hold it; a tag that is there says the same */
        failed = write_file(w, fd, CACHE_TAG, CACHE_TEXT, 0444);
        failed = failed == -EEXIST ? 0 : failed;
    }
    if (!failed && !rc && !*id) {             /* last, for with it the pool is a store's */
        w->unlink(w->context, fd, MARKER, 0); /* an empty one: its writing was cut short */
        failed = write_file(w, fd, MARKER, store_id, 0444);
    }
    w->close(w->context, fd);
    if (is_new && (failed || rc)) /* goes, where nothing is in it */
        w->unlink(w->context, AT_FDCWD, directory, AT_REMOVEDIR);
    return failed ? pingo__fail_os(err, -failed, "making the pool", directory) : rc;
}

int pingo__pool_check_marker(const char *place, const char *says, const char *store_id,
                             struct pingo_error *err)
{
    if (!*says)
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: is not a pool: it has no %s, which should say \"%s\"", place,
                           MARKER, store_id);
    if (strcmp(says, store_id) != 0)
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: is not this store's pool: its %s says \"%s\", where \"%s\" should "
                           "stand",
                           place, MARKER, says, store_id);
    return 0;
}

static int check_marker(const struct pingo__pool_directory *pool, const char *store_id,
                        struct pingo_error *err)
{
    char id[80];
    int rc = read_marker(pool->world, pool->fd, id);
    if (rc == -ELOOP)
        return pingo__fail(err, PINGO_ESTORE, "%s: is not a pool: its %s is not a file", pool->path,
                           MARKER);
    if (rc < 0)
        return pingo__fail(err, PINGO_ESTORE, "%s: its %s cannot be read: %s%s", pool->path, MARKER,
                           strerror(-rc), PINGO__ROOM_FILES(-rc));
    return pingo__pool_check_marker(pool->path, id, store_id, err);
}

/* A copy may have left out what was empty.  Through a link we would touch what is not ours.  What an attempt has made
 * is moved from one part to the next. */
static int check_parts(const struct pingo__pool_directory *pool, struct pingo_error *err)
{
    const struct pingo__world *w = pool->world;
    struct stat own, st;
    int rc = w->stat(w->context, pool->fd, "", AT_EMPTY_PATH, &own);
    for (size_t i = 0; rc >= 0 && i < PINGO__PARTS; i++) {
        rc = w->stat(w->context, pool->fd, pingo__name_parts[i], AT_SYMLINK_NOFOLLOW, &st);
        if (rc == -ENOENT) {
            rc = w->mkdir(w->context, pool->fd, pingo__name_parts[i], 0700);
            rc = rc == -EEXIST ? 0 : rc;
        } else if (rc >= 0 && !S_ISDIR(st.st_mode)) {
            return pingo__fail(
                err, PINGO_ESTORE,
                "%s/%s: is not a directory of the pool; a pool elsewhere is a link in "
                "place of the whole pool",
                pool->path, pingo__name_parts[i]);
        } else if (rc >= 0 && st.st_dev != own.st_dev && i != PINGO__TRASH) {
            return pingo__fail(err, PINGO_ESTORE,
                               "%s/%s: is a file system of its own, to which nothing of the pool "
                               "can be moved: a pool lies on one, as a whole",
                               pool->path, pingo__name_parts[i]);
        }
    }
    return rc < 0 ? pingo__fail_os(err, -rc, "looking at the pool", pool->path) : 0;
}

int pingo__pool_directory_open(const struct pingo__pool_site *site, const char *store_id,
                               void **pool, struct pingo_error *err)
{
    const struct pingo__world *w = site->world;
    const char *directory = site->place;
    struct pingo__pool_directory *p = calloc(1, sizeof *p);
    int rc = 0;
    *pool = NULL;
    if (!p)
        return pingo__fail_memory(err);
    *p = (struct pingo__pool_directory){.world = w, .path = strdup(directory)};
    p->fd = w->open(w->context, AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (!p->path)
        rc = pingo__fail_memory(err);
    else if (p->fd == -ENOENT || p->fd == -ENOTDIR)
        rc = pingo__fail(
            err, PINGO_ESTORE,
            "%s: the pool cannot be opened: %s; if it was moved, leave a symbolic "
            "link there; if it is lost, make a directory of mode 700 with a file %s that "
            "says \"%s\"",
            directory, strerror(-p->fd), MARKER, store_id);
    else if (p->fd < 0)
        rc = pingo__fail(err, PINGO_ESTORE, "%s: the pool cannot be opened: %s%s", directory,
                         strerror(-p->fd), PINGO__ROOM_FILES(-p->fd));
    if (!rc)
        rc = check_marker(p, store_id, err);
    if (!rc)
        rc = check_parts(p, err);
    if (rc)
        pingo__pool_directory_close(p);
    else
        *pool = p;
    return rc;
}

void pingo__pool_directory_close(void *pool)
{
    struct pingo__pool_directory *p = pool;
    if (p->fd >= 0)
        p->world->close(p->world->context, p->fd);
    free(p->path);
    free(p);
}

void pingo__pool_directory_unmark(struct pingo__pool_directory *p)
{
    const struct pingo__world *w = p->world;
    char text[sizeof CACHE_TEXT + 8];
    if (read_file(w, p->fd, CACHE_TAG, text, sizeof text) == 0 && strcmp(text, CACHE_TEXT "\n") == 0)
        w->unlink(w->context, p->fd, CACHE_TAG, 0);
    w->unlink(w->context, p->fd, NOTE, 0);
    w->unlink(w->context, p->fd, MARKER, 0);
}

/* ---- which of several it is ------------------------------------------------------------------ */

/* An inode; -1: none. */
static int64_t number_of(const struct pingo__pool_directory *p, const char *name)
{
    struct stat st;
    return p->world->stat(p->world->context, p->fd, name, AT_SYMLINK_NOFOLLOW, &st) < 0
               ? -1
               : (int64_t)st.st_ino;
}

int pingo__pool_directory_identity(void *pool, char text[64], struct pingo_error *err)
{
    int64_t own = number_of(pool, "."), marker = number_of(pool, MARKER);
    snprintf(text, 64, "%" PRId64 ".%" PRId64, own, marker);
    return own >= 0 && marker >= 0 ? 0 : pingo__fail_os(err, EIO, "looking at the pool", MARKER);
}

void pingo__pool_read_note(const char *note, int64_t number, char *text, size_t size)
{
    int64_t noted = -1;
    const char *end = strchr(note, '\n');
    bool is_this = end && sscanf(end + 1, "%" SCNd64, &noted) == 1 && noted == number;
    snprintf(text, size, "%.*s", is_this ? (int)(end - note) : 0, note);
}

void pingo__pool_directory_noted(void *pool, char *text, size_t size)
{
    char note[PATH_MAX + 32];
    const struct pingo__pool_directory *p = pool;
    read_file(p->world, p->fd, NOTE, note, sizeof note);
    pingo__pool_read_note(note, number_of(p, "."), text, size);
}

/* Where that cannot be written it is tried again next time. */
void pingo__pool_directory_note(void *pool, const char *text)
{
    const struct pingo__pool_directory *p = pool;
    const struct pingo__world *w = p->world;
    char note[PATH_MAX + 32], temporary[64];
    snprintf(note, sizeof note, "%.*s\n%" PRId64, PATH_MAX, text, number_of(p, "."));
    snprintf(temporary, sizeof temporary, NOTE ".%016" PRIx64, pingo__world_token(w));
    int rc = write_file(w, p->fd, temporary, note, 0644);
    if (rc >= 0 && w->rename(w->context, p->fd, temporary, NOTE, 0) < 0)
        w->unlink(w->context, p->fd, temporary, 0);
}
