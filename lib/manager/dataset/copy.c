/* copy.c - see copy.h.  Directories still to be copied are kept as a list of
 * relative paths, so that neither depth nor descriptors grow with the tree. */
#include "manager/dataset/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"

struct copy {
    const struct pingo__world *world;
    char **pending; /* relative paths of directories; "" is the root */
    size_t npending, cpending;
};

/* Both descriptors stand at the same place; up to n bytes, or to the end of in. */
static int copy_range(const struct pingo__world *w, int in, int out, off_t n)
{
    char buffer[65536];

    while (n > 0) { /* within one file system the kernel may copy without us */
        ssize_t got = copy_file_range(in, NULL, out, NULL, (size_t)(n < 1 << 30 ? n : 1 << 30), 0);

        if (got == 0)
            return 0;
        if (got < 0)
            break;
        n -= got;
    }
    while (n > 0) {
        size_t part = n < (off_t)sizeof buffer ? (size_t)n : sizeof buffer;
        ssize_t got = w->read(w->context, in, buffer, part);
        ssize_t put = got > 0 ? w->write(w->context, out, buffer, (size_t)got) : got;

        if (put <= 0)
            return (int)put;
        n -= got;
    }
    return 0;
}

/* Holes stay holes. */
static int copy_bytes(const struct pingo__world *w, int in, int out)
{
    off_t size = lseek(in, 0, SEEK_END), data = 0, hole;
    int rc;

    if (ioctl(out, FICLONE, in) == 0)
        return 0;
    if (size < 0)
        return -errno;
    while (data < size && (data = lseek(in, data, SEEK_DATA)) >= 0) {
        hole = lseek(in, data, SEEK_HOLE);
        if (hole < 0 || lseek(in, data, SEEK_SET) < 0 || lseek(out, data, SEEK_SET) < 0)
            return -errno;
        rc = copy_range(w, in, out, hole - data);
        if (rc < 0)
            return rc;
        data = hole;
    }
    if (data < 0 && errno != ENXIO) /* ENXIO: nothing but a hole up to the end */
        return -errno;
    return ftruncate(out, size) < 0 ? -errno : 0;
}

static int copy_file(const struct pingo__world *w, const char *from, const char *to, mode_t mode)
{
    int in = w->open(w->context, AT_FDCWD, from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    int out, rc;

    if (in < 0)
        return in;
    out = w->open(w->context, AT_FDCWD, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  (mode & 0777) | 0200);
    rc = out < 0 ? out : copy_bytes(w, in, out);
    if (out >= 0) {
        int closed = w->close(w->context, out);

        rc = rc < 0 ? rc : closed;
    }
    w->close(w->context, in);
    return rc;
}

static int copy_link(const struct pingo__world *w, const char *from, const char *to)
{
    char target[4096];
    ssize_t n = w->readlink(w->context, AT_FDCWD, from, target, sizeof target - 1);

    if (n < 0)
        return (int)n;
    target[n] = '\0';
    return w->symlink(w->context, target, AT_FDCWD, to);
}

static int push(struct copy *c, const char *path)
{
    char *copy = strdup(path);

    if (!copy || !pingo__array_room((void **)&c->pending, &c->cpending, c->npending, 1,
                                    sizeof *c->pending)) {
        free(copy);
        return -ENOMEM;
    }
    c->pending[c->npending++] = copy;
    return 0;
}

static int copy_entry(struct copy *c, const char *from, const char *to, const char *relative)
{
    const struct pingo__world *w = c->world;
    struct stat st;
    int rc = w->stat(w->context, AT_FDCWD, from, AT_SYMLINK_NOFOLLOW, &st);

    if (rc < 0)
        return rc;
    if (S_ISREG(st.st_mode))
        return copy_file(w, from, to, st.st_mode);
    if (S_ISLNK(st.st_mode))
        return copy_link(w, from, to);
    if (!S_ISDIR(st.st_mode))
        return -EINVAL;
    rc = w->mkdir(w->context, AT_FDCWD, to, (st.st_mode & 0777) | 0700);
    return rc < 0 ? rc : push(c, relative);
}

/* The children of from/relative. */
static int copy_directory(struct copy *c, const char *from, const char *to, const char *relative)
{
    const struct pingo__world *w = c->world;
    char *source = *relative ? pingo__path_child(from, relative) : strdup(from);
    struct pingo__dir *dir = NULL;
    const char *name = NULL;
    int rc = source ? w->open(w->context, AT_FDCWD, source, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
                    : -ENOMEM;

    if (rc >= 0)
        rc = w->dir_open(w->context, rc, &dir);
    while (rc >= 0 && (rc = w->dir_next(w->context, dir, &name)) == 1) {
        char *below = *relative ? pingo__path_child(relative, name) : strdup(name);
        char *a = pingo__path_child(source, name);
        char *b = below ? pingo__path_child(to, below) : NULL;

        rc = a && b ? copy_entry(c, a, b, below) : -ENOMEM;
        free(a);
        free(b);
        free(below);
    }
    if (dir)
        w->dir_close(w->context, dir);
    free(source);
    return rc;
}

int pingo__copy_tree(const struct pingo__world *world, const char *from, const char *to)
{
    struct copy c = {.world = world};
    int rc = copy_entry(&c, from, to, "");

    while (rc >= 0 && c.npending) {
        char *relative = c.pending[--c.npending];

        rc = copy_directory(&c, from, to, relative);
        free(relative);
    }
    while (c.npending)
        free(c.pending[--c.npending]);
    free(c.pending);
    return rc < 0 ? rc : 0;
}
