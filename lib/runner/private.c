/* private.c - see private.h.
 *
 * The walk holds one open directory, goes down into each directory in turn and back up by "..",
 * which is compared with where it came from. */
#include "runner/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/tree.h"

#define CHUNK 65536
#define COPY_AT_ONCE ((size_t)16 << 20) /* bytes between two looks at the orders */

/* ---- a file ------------------------------------------------------------------------------ */

static int write_all(int to, const char *bytes, size_t n)
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

/* At most n bytes from where both stand.  *done: 0 at the end. */
static int copy_some(int from, int to, size_t n, size_t *done)
{
    char chunk[CHUNK];
    ssize_t got = copy_file_range(from, NULL, to, NULL, n, 0);
    bool by_hand =
        got < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP);
    *done = got > 0 ? (size_t)got : 0;
    if (!by_hand)
        return got < 0 && errno != EINTR ? -errno : 0;
    do
        got = read(from, chunk, n < sizeof chunk ? n : sizeof chunk);
    while (got < 0 && errno == EINTR);
    *done = got > 0 ? (size_t)got : 0;
    return got < 0 ? -errno : write_all(to, chunk, *done);
}

/* The bytes from `at` up to `end`, which are no hole. */
static int copy_range(int from, int to, off_t at, off_t end, struct pingo__runner_orders *orders)
{
    if (lseek(from, at, SEEK_SET) < 0 || lseek(to, at, SEEK_SET) < 0)
        return -errno;
    while (at < end) {
        size_t n = (size_t)(end - at) < COPY_AT_ONCE ? (size_t)(end - at) : COPY_AT_ONCE, done = 0;
        if (pingo__runner_orders_stop(orders))
            return -ECANCELED;
        int result = copy_some(from, to, n, &done);
        if (result != 0 || done == 0)
            return result;
        at += (off_t)done;
    }
    return 0;
}

static int copy(int from, int to, off_t size, struct pingo__runner_orders *orders)
{
    off_t at = 0;
    if (ftruncate(to, size) != 0)
        return -errno;
    while (at < size) {
        off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            return 0; /* nothing but a hole is left */
        off_t end = data < 0 ? size : lseek(from, data, SEEK_HOLE);
        data = data < 0 ? at : data; /* a file system that knows no holes */
        int result = copy_range(from, to, data, end < 0 ? size : end, orders);
        if (result != 0)
            return result;
        at = end < 0 ? size : end;
    }
    return 0;
}

/* Puts a copy over dir/name. */
static int part(int dir, const char *name, const struct stat *st,
                struct pingo__runner_orders *orders)
{
    char other[32];
    int from = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), to = -1, result = 0;
    if (from < 0)
        return -errno;
    for (unsigned i = 0; to < 0; i++) {
        snprintf(other, sizeof other, ".pingo-copy.%u", i);
        to = openat(dir, other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (to < 0 && errno != EEXIST) {
            result = -errno;
            close(from);
            return result;
        }
    }
    result = copy(from, to, st->st_size, orders);
    if (result == 0 && fchmod(to, st->st_mode & 0777) != 0)
        result = -errno;
    if (result == 0 && renameat(dir, other, dir, name) != 0)
        result = -errno;
    if (result != 0)
        unlinkat(dir, other, 0);
    close(from);
    close(to);
    return result;
}

static int open_up(int dir, const char *name, struct stat *st, mode_t wanted)
{
    if ((st->st_mode & wanted) == wanted)
        return 0;
    if (fchmodat(dir, name, (st->st_mode & 07777) | wanted, 0) != 0)
        return -errno;
    st->st_mode |= wanted;
    return 0;
}

/* What is mounted there is somebody else's.  A file is ready afterwards, a directory can be entered; what is neither
 * is refused by who reads it. */
static int visit(int dir, const char *name, struct stat *st, struct pingo__runner_orders *orders)
{
    int result = fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
    if (result == 0 && pingo__tree_is_mount(dir, name))
        return -EBUSY;
    if (result == 0 && S_ISDIR(st->st_mode))
        return open_up(dir, name, st, 0700);
    if (result != 0 || !S_ISREG(st->st_mode))
        return result;
    if (st->st_nlink == 1)
        return open_up(dir, name, st, 0400);
    if ((st->st_mode & 0400) == 0 && geteuid() != 0)
        return -EACCES; /* to open it up would change what is somebody else's too */
    result = part(dir, name, st, orders);
    st->st_mode &= 07777;
    if (result == 0 && (st->st_mode & 0400) == 0 && fchmodat(dir, name, st->st_mode | 0400, 0) != 0)
        result = -errno;
    return result;
}

/* ---- a tree ------------------------------------------------------------------------------ */

struct level { /* a directory on the way down */
    dev_t device;
    ino_t inode;
    struct pingo__buffer below; /* names of directories in it, each with a NUL */
    size_t at;                  /* the next of them */
};

struct walk {
    struct level *levels;
    size_t depth, capacity;
    int fd; /* of the deepest */
    struct pingo__runner_orders *orders;
};

static int list(struct walk *walk, struct level *level)
{
    int copy = openat(walk->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    if (entries == NULL) {
        result = -errno;
        if (copy >= 0)
            close(copy);
        return result;
    }
    while (result == 0 && (errno = 0, entry = readdir(entries)) != NULL) {
        const char *name = entry->d_name;
        struct stat st;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        result = pingo__runner_orders_stop(walk->orders) ? -ECANCELED
                                                         : visit(walk->fd, name, &st, walk->orders);
        if (result == 0 && S_ISDIR(st.st_mode))
            pingo__buffer_append(&level->below, name, strlen(name) + 1);
    }
    if (result == 0 && errno != 0)
        result = -errno;
    closedir(entries);
    return result == 0 && level->below.failed ? -ENOMEM : result;
}

/* Into parent/name, whose entries are looked at. */
static int descend(struct walk *walk, int parent, const char *name)
{
    struct stat st;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (walk->fd >= 0)
        close(walk->fd);
    walk->fd = fd;
    if (!pingo__array_room((void **)&walk->levels, &walk->capacity, walk->depth, 1,
                           sizeof *walk->levels))
        return -ENOMEM;
    if (fstat(fd, &st) != 0)
        return -errno;
    struct level *level = &walk->levels[walk->depth++];
    *level = (struct level){.device = st.st_dev, .inode = st.st_ino};
    pingo__buffer_init(&level->below);
    return list(walk, level);
}

static int ascend(struct walk *walk)
{
    struct stat st;
    pingo__buffer_clear(&walk->levels[--walk->depth].below);
    if (walk->depth == 0)
        return 0;
    const struct level *above = &walk->levels[walk->depth - 1];
    int up = openat(walk->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (up < 0)
        return -errno;
    close(walk->fd);
    walk->fd = up;
    if (fstat(up, &st) != 0)
        return -errno;
    return st.st_dev == above->device && st.st_ino == above->inode ? 0 : -EIO;
}

static int make_tree(int dir, const char *name, struct pingo__runner_orders *orders)
{
    struct walk walk = {.fd = -1, .orders = orders};
    int result = descend(&walk, dir, name);
    while (result == 0 && walk.depth > 0) {
        struct level *level = &walk.levels[walk.depth - 1];
        if (level->at < level->below.length) {
            const char *next = level->below.data + level->at;
            level->at += strlen(next) + 1;
            result = descend(&walk, walk.fd, next);
        } else {
            result = ascend(&walk);
        }
    }
    while (walk.depth > 0)
        pingo__buffer_clear(&walk.levels[--walk.depth].below);
    free(walk.levels);
    if (walk.fd >= 0)
        close(walk.fd);
    return result;
}

int pingo__runner_private_make(int dir, const char *name, struct pingo__runner_orders *orders)
{
    struct stat st;
    int result = visit(dir, name, &st, orders);
    return result == 0 && S_ISDIR(st.st_mode) ? make_tree(dir, name, orders) : result;
}
