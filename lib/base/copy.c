/* copy.c - see copy.h. */
#include "base/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/walk.h"

#define AT_ONCE ((size_t)16 << 20) /* bytes between two looks whether to stop */
#define CHUNK 65536

/* ---- a file ------------------------------------------------------------------------------ */

int pingo__copy_write(int to, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t put = write(to, bytes, n);
        if (put < 0 && errno != EINTR)
            return -errno;
        bytes += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* At most n bytes from where both stand.  *done: 0 at the end.  Within one file system the kernel may copy without
 * us. */
static int copy_some(int from, int to, size_t n, size_t *done)
{
    ssize_t got;
    do
        got = copy_file_range(from, NULL, to, NULL, n, 0);
    while (got < 0 && errno == EINTR);
    /* 0: at the end, or of a file of the kernel's own; EPERM: a container does not let anybody call it */
    bool by_hand = got == 0 || (got < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
                                            errno == EOPNOTSUPP || errno == EPERM));
    *done = got > 0 ? (size_t)got : 0;
    if (!by_hand)
        return got < 0 ? -errno : 0;
    char chunk[CHUNK];
    do
        got = read(from, chunk, n < sizeof chunk ? n : sizeof chunk);
    while (got < 0 && errno == EINTR);
    *done = got > 0 ? (size_t)got : 0;
    return got < 0 ? -errno : pingo__copy_write(to, chunk, *done);
}

/* So many bytes from where both stand.  -EIO: there are fewer. */
static int copy_range(int from, int to, off_t length, bool (*stop)(void *), void *context)
{
    while (length > 0) {
        size_t n = (size_t)length < AT_ONCE ? (size_t)length : AT_ONCE, done = 0;
        if (stop && stop(context))
            return -ECANCELED;
        int rc = copy_some(from, to, n, &done);
        if (rc || done == 0)
            return rc ? rc : -EIO;
        length -= (off_t)done;
    }
    return 0;
}

int pingo__copy_bytes(int from, int to, bool (*stop)(void *), void *context)
{
    off_t size = lseek(from, 0, SEEK_END), at = 0;
    if (size < 0)
        return -errno;
    if (ioctl(to, FICLONE, from) == 0)
        return 0;
    while (at < size) {
        off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) { /* nothing but a hole is left */
            if (ftruncate(to, size) != 0)
                return -errno;
            break;
        }
        off_t end = data < 0 ? size : lseek(from, data, SEEK_HOLE);
        data = data < 0 ? at : data; /* a file system that knows no holes */
        end = end < 0 ? size : end;
        if (lseek(from, data, SEEK_SET) < 0 || lseek(to, data, SEEK_SET) < 0)
            return -errno;
        int rc = copy_range(from, to, end - data, stop, context);
        if (rc)
            return rc;
        at = end;
    }
    return lseek(from, 0, SEEK_END) < size ? -EIO : 0; /* it was cut meanwhile */
}

/* ---- a tree ------------------------------------------------------------------------------ */

struct copy {
    const struct pingo__world *world;
    struct pingo__walk from, to; /* side by side */
    mode_t most;                 /* of the modes of the root; what is below it is behind it */
};

static mode_t mode_of(const struct copy *c, const struct stat *st, mode_t owner)
{
    return (st->st_mode & (c->from.depth > 0 ? 0777 : 0700 | c->most)) | owner;
}

static int copy_file(struct copy *c, int dir, const char *name, int to, const char *to_name)
{
    const struct pingo__world *w = c->world;
    struct stat st;
    int in = w->open(w->context, dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (in < 0)
        return in;
    int rc = w->stat(w->context, in, "", AT_EMPTY_PATH, &st);
    int out = rc < 0 ? rc
                     : w->open(w->context, to, to_name, O_WRONLY | O_CREAT | O_EXCL,
                               mode_of(c, &st, 0200));
    rc = out < 0 ? out : pingo__copy_bytes(in, out, NULL, NULL);
    if (out >= 0) {
        int closed = w->close(w->context, out);
        rc = rc < 0 ? rc : closed;
    }
    w->close(w->context, in);
    return rc;
}

static int copy_link(struct copy *c, int dir, const char *name, int to, const char *to_name)
{
    const struct pingo__world *w = c->world;
    char target[4096];
    ssize_t n = w->readlink(w->context, dir, name, target, sizeof target - 1);
    if (n < 0)
        return (int)n;
    target[n] = '\0';
    return w->symlink(w->context, target, to, to_name);
}

/* Copies an entry, or makes a directory and goes down into both. */
static int copy_entry(struct copy *c, int dir, const char *name, int to, const char *to_name)
{
    const struct pingo__world *w = c->world;
    struct stat st;
    int rc = w->stat(w->context, dir, name, AT_SYMLINK_NOFOLLOW, &st);
    if (rc < 0)
        return rc;
    if (S_ISREG(st.st_mode))
        return copy_file(c, dir, name, to, to_name);
    if (S_ISLNK(st.st_mode))
        return copy_link(c, dir, name, to, to_name);
    if (!S_ISDIR(st.st_mode))
        return -ENXIO;
    rc = w->mkdir(w->context, to, to_name, mode_of(c, &st, 0700));
    if (rc == 0)
        rc = pingo__walk_enter(&c->from, dir, name, O_NOFOLLOW);
    return rc < 0 ? rc : pingo__walk_enter(&c->to, to, to_name, O_NOFOLLOW);
}

int pingo__copy_tree(const struct pingo__world *world, const char *from, const char *to,
                     mode_t most, struct pingo__buffer *at)
{
    struct copy c = {.world = world, .most = most};
    pingo__walk_init(&c.from, world, false);
    pingo__walk_init(&c.to, world, false);
    int rc = copy_entry(&c, AT_FDCWD, from, AT_FDCWD, to);
    while (rc >= 0 && c.from.depth > 0) {
        const char *name = pingo__walk_next(&c.from);
        if (name) {
            rc = copy_entry(&c, c.from.fd, name, c.to.fd, name);
            continue;
        }
        rc = pingo__walk_leave(&c.from);
        if (rc >= 0)
            rc = pingo__walk_leave(&c.to);
    }
    if (rc < 0 && at && c.from.depth > 0) {
        pingo__buffer_char(at, '/');
        pingo__walk_path(&c.from, at);
    }
    pingo__walk_clear(&c.from);
    pingo__walk_clear(&c.to);
    return rc;
}
