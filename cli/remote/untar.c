/* untar.c - unpacks a directory that came as tar, from whom nothing is believed.
 *
 * The system's tar does it, into a new directory that nobody else can enter: it makes no name outside, follows no link
 * that could lead there, and whatever it complains of is a reason to refuse.  What it has made is looked through before
 * anybody sees it: files, directories, and links that a dataset may have, which stay within or lead into the system;
 * all else is refused. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/error.h"
#include "base/links.h"
#include "base/walk.h"
#include "remote/remote.h"

#define END_SIZE 1024  /* of zeros, behind which nothing comes */
#define SAID_MOST 1000 /* of what it complains of: then it is over */
#define LOOK_MS 100

/* w: what is wrong with where it is; NULL: with the whole. */
static int refuse(const struct pingo__walk *w, const char *what, struct pingo_error *err)
{
    struct pingo__buffer path = {0};
    if (w)
        pingo__walk_path(w, &path);
    const char *name = pingo__buffer_cstr(&path);
    int rc = pingo__fail(err, PINGO_EIO, "the server's archive is refused: %.200s%s%s",
                         name ? name : "", w ? ": " : "", what);
    pingo__buffer_clear(&path);
    return rc;
}

/* Has it its end?  tar takes one that was cut between two entries as well. */
static int check_end(int fd, struct pingo_error *err)
{
    static const char zeros[END_SIZE];
    char bytes[END_SIZE];
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < END_SIZE ||
        pread(fd, bytes, END_SIZE, st.st_size - END_SIZE) != END_SIZE ||
        memcmp(bytes, zeros, END_SIZE) != 0)
        return refuse(NULL, "it ends before its end", err);
    return 0;
}

/* Is that said of a disk that is full?  At its end tar writes a part, and does not ask why no more. */
static bool is_full(const char *said)
{
    return strstr(said, ": Wrote only ") || strstr(said, ": No space left on device") ||
           strstr(said, ": Disk quota exceeded");
}

static int unpack(int fd, const char *path, struct pingo_error *err)
{
    const char *const argv[] = {"tar", "-xmkf", "-", "--no-same-owner", "--no-same-permissions",
                                "-C",  path,    NULL};
    const char *const env[] = {"LC_ALL=C", NULL}; /* without TAR_OPTIONS */
    const struct pingo__child_program program = {
        .argv = argv, .env = env, .limit_ms = INT32_MAX, .in_file = fd, .in_our_group = true};
    struct pingo__child *tar;
    struct pingo__buffer said = {0};
    bool has_ended = false;
    int status = -1, error = pingo__child_start(&program, &tar);
    if (error != 0)
        return pingo__fail_os(err, -error, "a directory comes as tar, and this cannot be run",
                              "tar");
    while (!has_ended && pingo__child_length(tar, true) < SAID_MOST) {
        poll(&(struct pollfd){pingo__child_fd(tar), POLLIN, 0}, 1, LOOK_MS);
        has_ended = pingo__child_has_ended(tar, &status);
    }
    pingo__child_said(tar, true, SAID_MOST, &said);
    pingo__child_free(tar);
    char *text = pingo__buffer_take(&said), *end = text ? strchr(text, '\n') : NULL;
    if (end)
        *end = '\0';
    int rc = 0;
    if (!text)
        rc = pingo__fail_memory(err);
    else if (is_full(text))
        rc = pingo__fail(err, PINGO_ENOSPACE, "%s: no room for what comes: %s", path, text);
    else if (*text || status != 0)
        rc = refuse(NULL, *text ? text : "tar was ended by a signal", err);
    free(text);
    return rc;
}

/* ---- what it has made --------------------------------------------------------------------------------------- */

static int check_link(const struct pingo__walk *w, const char *name, struct pingo_error *err)
{
    const struct pingo__links_place place = {w->world, w->fd, w->depth - 1, ""};
    char target[4096];
    ssize_t n = w->world->readlink(w->world->context, w->fd, name, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    return n > 0 && !pingo__links_lead_out(&place, target)
               ? 0
               : refuse(w, "is a link that leads out", err);
}

/* All may read it who may by the umask, and write it too, whatever the archive says; a directory is entered. */
static int look(struct pingo__walk *w, const char *name, const struct stat *like,
                struct pingo_error *err)
{
    const struct pingo__world *world = w->world;
    struct stat st = {0};
    int error = world->stat(world->context, w->fd, name, AT_SYMLINK_NOFOLLOW, &st);
    if (error == 0 && S_ISLNK(st.st_mode))
        return check_link(w, name, err);
    if (error == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return refuse(w, "is of a kind that is not taken", err);
    if (error == 0 && S_ISREG(st.st_mode) && st.st_size > like->st_size)
        return refuse(w, "is longer than what came", err); /* a hole, of any size */
    mode_t all = S_ISDIR(st.st_mode) ? 07777 : st.st_mode & 0111 ? 0777 : 0666;
    if (error == 0)
        error = world->chmod(world->context, w->fd, name, like->st_mode & all);
    if (error == 0 && S_ISDIR(st.st_mode))
        error = pingo__walk_enter(w, w->fd, name, O_NOFOLLOW);
    return error == 0 ? 0 : pingo__fail_os(err, -error, "cannot be looked at", name);
}

/* like: with the mode of a new directory, and the size of all that came. */
static int look_through(const char *path, const struct stat *like, struct pingo_error *err)
{
    struct pingo__walk w;
    pingo__walk_init(&w, pingo__world_real(), false);
    int rc = 0, error = pingo__walk_enter(&w, AT_FDCWD, path, O_NOFOLLOW);
    while (rc == 0 && error == 0 && w.depth > 0) {
        const char *name = pingo__walk_next(&w);
        if (name)
            rc = look(&w, name, like, err);
        else
            error = pingo__walk_leave(&w);
    }
    pingo__walk_clear(&w);
    return error == 0 ? rc : pingo__fail_os(err, -error, "cannot be looked at", path);
}

int cli_remote_untar(int fd, const char *path, struct pingo_error *err)
{
    struct stat archive, top;
    int rc = check_end(fd, err);
    if (rc != 0)
        return rc;
    if (fstat(fd, &archive) != 0 || mkdir(path, 0777) != 0 || stat(path, &top) != 0 ||
        chmod(path, 0700) != 0)
        return pingo__fail_os(err, errno, "cannot be made", path);
    top.st_size = archive.st_size;
    mode_t kept_out = top.st_mode & 0666 & ~archive.st_mode; /* who may not read the archive */
    top.st_mode &= ~(kept_out | (kept_out & 0444) >> 2);
    rc = unpack(fd, path, err);
    if (rc == 0)
        rc = look_through(path, &top, err);
    if (rc == 0 && chmod(path, top.st_mode & 07777) != 0)
        rc = pingo__fail_os(err, errno, "cannot be opened", path);
    return rc;
}
