/* copy.c - see copy.h.  Directories still to be copied are kept as a list of
 * relative paths, so that neither depth nor descriptors grow with the tree. */
#include "manager/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/path.h"

struct copy {
    const struct pingo__world *world;
    char **pending; /* relative paths of directories; "" is the root */
    size_t npending, cpending;
};

static int copy_bytes(const struct pingo__world *w, int in, int out)
{
    char buffer[65536];
    ssize_t n;

    if (ioctl(out, FICLONE, in) == 0)
        return 0;
    for (;;) { /* within one file system the kernel may copy without us */
        n = copy_file_range(in, NULL, out, NULL, (size_t)1 << 30, 0);
        if (n == 0)
            return 0;
        if (n < 0)
            break;
    }
    while ((n = w->read(w->context, in, buffer, sizeof buffer)) > 0) {
        ssize_t put = w->write(w->context, out, buffer, (size_t)n);

        if (put < 0)
            return (int)put;
    }
    return (int)n;
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

int pingo__copy_tree(const struct pingo__world *world, const char *from, const char *to,
                     struct pingo_error *err)
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
    return rc < 0 ? pingo__fail_os(err, -rc, "copying to", to) : 0;
}
