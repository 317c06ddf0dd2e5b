/* file.c - see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/copy.h"

#define READING (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define CHUNK 4096
#define SECOND_NS INT64_C(1000000000)

int64_t pingo__file_time_ns(const struct timespec *t)
{
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)t->tv_sec, SECOND_NS, &ns) ||
        __builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns))
        return t->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

bool pingo__file_is_unchanged(const struct stat *before, const struct stat *now)
{
    return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
           before->st_mode == now->st_mode && before->st_size == now->st_size &&
           before->st_mtim.tv_sec == now->st_mtim.tv_sec &&
           before->st_mtim.tv_nsec == now->st_mtim.tv_nsec &&
           before->st_ctim.tv_sec == now->st_ctim.tv_sec &&
           before->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

/* Up to n bytes; fewer: that is all. */
static ssize_t read_up_to(int fd, char *bytes, size_t n)
{
    size_t length = 0;
    while (length < n) {
        ssize_t got = read(fd, bytes + length, n - length);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -errno;
        length += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)length;
}

ssize_t pingo__file_read(int dir, const char *name, char *text, size_t size)
{
    int fd = openat(dir, name, READING);
    ssize_t n = fd < 0 ? -errno : read_up_to(fd, text, size - 1);
    pingo__file_close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n;
}

void pingo__file_read_end(int dir, const char *name, char *text, size_t size)
{
    struct stat st;
    int fd = openat(dir, name, READING);
    off_t most = (off_t)size - 1;
    ssize_t n = 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        n = pread(fd, text, size - 1, st.st_size > most ? st.st_size - most : 0);
    pingo__file_close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (ssize_t i = 0; i < n; i++)
        if (text[i] == '\0')
            text[i] = ' ';
}

/* By reading, for files of /proc do not say how long they are. */
int pingo__file_read_whole(int dir, const char *name, size_t most, char **bytes, size_t *n)
{
    struct stat st;
    int fd = openat(dir, name, READING);
    ssize_t got = fd < 0 || fstat(fd, &st) != 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
    size_t size = got == 0 && st.st_size > CHUNK ? (size_t)st.st_size : CHUNK;
    *bytes = NULL;
    *n = 0;
    while (got >= 0) {
        size = size < most ? size : most + 1;
        char *more = realloc(*bytes, size + 1);
        got = more ? read_up_to(fd, more + *n, size - *n) : -ENOMEM;
        *bytes = more ? more : *bytes;
        *n += got > 0 ? (size_t)got : 0;
        if (*n > most)
            got = -EFBIG;
        if (*n < size)
            break;
        size *= 2;
    }
    pingo__file_close(fd);
    if (got < 0) {
        free(*bytes);
        *bytes = NULL;
        return (int)got;
    }
    (*bytes)[*n] = '\0';
    return 0;
}

int pingo__file_make_directory(const struct pingo__world *w, const char *path, mode_t mode)
{
    char *copy = strdup(path);
    int rc = copy ? 0 : -ENOMEM;
    for (char *p = copy; rc == 0 && (p = strchr(p + 1, '/'));) {
        *p = '\0';
        rc = w->mkdir(w->context, AT_FDCWD, copy, 0755);
        rc = rc == -EEXIST ? 0 : rc;
        *p = '/';
    }
    if (rc == 0)
        rc = w->mkdir(w->context, AT_FDCWD, path, mode);
    free(copy);
    return rc == -EEXIST ? 0 : rc;
}

int pingo__file_open(int dir, const char *name, int *fd)
{
    struct stat st;
    *fd = openat(dir, name, READING | O_NOCTTY);
    if (*fd < 0)
        return errno == ENOTDIR || errno == ELOOP ? -ENOENT : -errno;
    if (fstat(*fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        return 0;
    close(*fd);
    *fd = -1;
    return -EINVAL;
}

bool pingo__file_put(int dir, const char *name, const char *text)
{
    int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
    bool is = fd >= 0 && pingo__copy_write(fd, text, strlen(text)) == 0;
    pingo__file_close(fd);
    return is;
}

int pingo__file_write(int dir, const char *name, const char *bytes, size_t n, bool sync)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    int rc = fd < 0 ? -errno : pingo__copy_write(fd, bytes, n);
    if (rc == 0 && (ftruncate(fd, (off_t)n) != 0 || (sync && fsync(fd) != 0)))
        rc = -errno;
    if (fd >= 0 && close(fd) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

int pingo__file_replace(int dir, const char *name, const char *bytes, size_t n, bool sync)
{
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s" PINGO__FILE_PART, name) >= sizeof part)
        return -ENAMETOOLONG;
    int rc = pingo__file_write(dir, part, bytes, n, sync);
    if (rc == 0 && (renameat(dir, part, dir, name) != 0 || (sync && fsync(dir) != 0)))
        rc = -errno;
    return rc;
}

void pingo__file_close(int fd)
{
    int error_number = errno;
    if (fd >= 0)
        close(fd);
    errno = error_number;
}

int pingo__file_keep(const char *path, const char *bytes, size_t n)
{
    const char *slash = strrchr(path, '/');
    char *above = strndup(path, (size_t)(slash + 1 - path));
    int dir = above ? open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = dir >= 0 ? pingo__file_replace(dir, slash + 1, bytes, n, true)
             : above  ? -errno
                      : -ENOMEM;
    pingo__file_close(dir);
    free(above);
    return rc;
}

mode_t pingo__file_may(mode_t replaced, bool is_of_same_group)
{
    return replaced & (is_of_same_group ? 077 : 07 | (replaced & 07) << 3);
}

int pingo__file_ask_modes(const struct pingo__world *w, int dir, const char *name, bool *has)
{
    struct stat before, after;
    int fd = w->open(w->context, dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    *has = false;
    if (fd < 0)
        return fd;
    int rc = w->stat(w->context, fd, "", AT_EMPTY_PATH, &before);
    *has = !rc && !(before.st_mode & 0100) && w->chmod(w->context, dir, name, 0700) >= 0 &&
           w->stat(w->context, fd, "", AT_EMPTY_PATH, &after) >= 0 && (after.st_mode & 0100);
    w->close(w->context, fd);
    w->unlink(w->context, dir, name, 0);
    return rc;
}

DIR *pingo__file_list(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (!list && fd >= 0)
        close(fd);
    return list;
}

int64_t pingo__file_blocks(const struct statvfs *fs, uint64_t blocks)
{
    return blocks > INT64_MAX / (fs->f_frsize | 1) ? INT64_MAX : (int64_t)(blocks * fs->f_frsize);
}

const char *pingo__file_next(DIR *list)
{
    const struct dirent *entry;
    errno = 0;
    while (list && (entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    return NULL;
}

void pingo__file_end_list(DIR *list)
{
    if (list)
        closedir(list);
}
