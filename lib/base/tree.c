/* tree.c - see tree.h.
 *
 * The walk holds one open directory: it goes down into the first directory that it meets and
 * starts again in the parent, by "..", when that is empty.  What ".." leads to is compared with
 * where it came from. */
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

struct step { /* a directory above the open one */
    dev_t device;
    ino_t inode;
    char *name; /* of the next one, in it */
};

struct walk {
    struct step *steps;
    size_t depth, capacity;
    bool (*keep)(const char *name);
    int64_t *bytes; /* NULL: nobody asks */
};

bool pingo__is_mount_point(int parent, const char *name)
{
    struct statx above, st;
    if (statx(parent, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &st) != 0)
        return false; /* opening it says why */
    if ((st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
        return (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return parent != AT_FDCWD && statx(parent, "", AT_EMPTY_PATH, STATX_TYPE, &above) == 0 &&
           (st.stx_dev_major != above.stx_dev_major || st.stx_dev_minor != above.stx_dev_minor);
}

static int open_directory(int parent, const char *name)
{
    if (pingo__is_mount_point(parent, name))
        return -EBUSY;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* What goes from the disk with this name: a file that has others goes with the last. */
static void add(const struct walk *walk, int dir, const char *name)
{
    struct stat st;
    if (walk->bytes != NULL && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        (S_ISDIR(st.st_mode) || st.st_nlink == 1))
        *walk->bytes += (int64_t)st.st_blocks * 512;
}

/* Removes what is in fd, up to a directory that is not empty: *sub is its name, yours.  *sub NULL
 * and 0: nothing is left. */
static int strip(const struct walk *walk, int fd, char **sub)
{
    bool (*keep)(const char *name) = walk->depth == 0 ? walk->keep : NULL;
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    int result = 0;
    struct dirent *entry;
    if (list == NULL) {
        result = -errno;
        if (copy >= 0)
            close(copy);
        return result;
    }
    while (result == 0 && *sub == NULL && (entry = readdir(list)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (keep != NULL && keep(name)))
            continue;
        add(walk, fd, name);
        if (unlinkat(fd, name, 0) == 0 || errno == ENOENT || unlinkat(fd, name, AT_REMOVEDIR) == 0)
            continue;
        if (errno == ENOTDIR) { /* a file that cannot be unlinked: say why */
            result = unlinkat(fd, name, 0) == 0 ? 0 : -errno;
            continue;
        }
        *sub = strdup(name);
        result = *sub == NULL ? -ENOMEM : 0;
    }
    closedir(list);
    return result;
}

static int grow(struct walk *walk)
{
    return pingo__array_room((void **)&walk->steps, &walk->capacity, walk->depth, 1,
                             sizeof *walk->steps)
               ? 0
               : -ENOMEM;
}

/* Back to the parent, whose entry is now an empty directory. */
static int pop(struct walk *walk, int *fd)
{
    struct step *step = &walk->steps[walk->depth - 1];
    struct stat st;
    int up = openat(*fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = up < 0 ? -errno : 0;
    if (result == 0 && fstat(up, &st) != 0)
        result = -errno;
    if (result == 0 && (st.st_dev != step->device || st.st_ino != step->inode))
        result = -ESTALE;
    if (result == 0 && unlinkat(up, step->name, AT_REMOVEDIR) != 0)
        result = -errno;
    if (result != 0) {
        if (up >= 0)
            close(up);
        return result;
    }
    close(*fd);
    *fd = up;
    free(step->name);
    walk->depth--;
    return 0;
}

/* Into a directory below; takes over the name. */
static int descend(struct walk *walk, int *fd, char *name)
{
    struct stat st;
    int down = open_directory(*fd, name);
    int result = down < 0 ? down : grow(walk);
    if (result == 0 && fstat(*fd, &st) != 0)
        result = -errno;
    if (result != 0) {
        free(name);
        if (down >= 0)
            close(down);
        return result;
    }
    fchmod(down, 0700); /* so that its entries can be removed */
    walk->steps[walk->depth++] = (struct step){st.st_dev, st.st_ino, name};
    close(*fd);
    *fd = down;
    return 0;
}

static int empty(int dir, struct walk walk)
{
    int fd = fcntl(dir, F_DUPFD_CLOEXEC, 3);
    int result = fd < 0 ? -errno : 0;
    while (result == 0) {
        char *sub = NULL;
        result = strip(&walk, fd, &sub);
        if (sub != NULL)
            result = descend(&walk, &fd, sub);
        else if (result == 0 && walk.depth == 0)
            break;
        else if (result == 0)
            result = pop(&walk, &fd);
    }
    while (walk.depth > 0)
        free(walk.steps[--walk.depth].name);
    free(walk.steps);
    if (fd >= 0)
        close(fd);
    return result;
}

int pingo__tree_empty(int dir, bool (*keep)(const char *name))
{
    return empty(dir, (struct walk){.keep = keep});
}

int pingo__tree_drop(int dir, int64_t *bytes)
{
    return empty(dir, (struct walk){.bytes = bytes});
}

int pingo__tree_remove(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
        return 0;
    int fd = open_directory(parent, name);
    if (fd < 0)
        return fd;
    fchmod(fd, 0700);
    int result = pingo__tree_empty(fd, NULL);
    close(fd);
    if (result == 0 && unlinkat(parent, name, AT_REMOVEDIR) != 0)
        result = -errno;
    return result;
}
