/* private.c - see private.h.  A worker has one thread and needs no working directory, so the
 * walk may use it: then no path is too long. */
#include "executor/local/supervisor/private.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536

static int copy_by_hand(int from, int to)
{
    char chunk[CHUNK];
    for (;;) {
        ssize_t n = read(from, chunk, sizeof chunk);
        if (n == 0)
            return 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        for (ssize_t at = 0; at < n;) {
            ssize_t put = write(to, chunk + at, (size_t)(n - at));
            if (put < 0 && errno != EINTR)
                return -errno;
            at += put > 0 ? put : 0;
        }
    }
}

static int copy(int from, int to)
{
    for (;;) {
        ssize_t n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
        if (n == 0)
            return 0;
        if (n < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
            return copy_by_hand(from, to);
        if (n < 0 && errno != EINTR)
            return -errno;
    }
}

/* Puts a copy over dir/name. */
static int part(int dir, const char *name, const struct stat *st)
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
    result = copy(from, to);
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

static int part_tree(int dir, const char *name)
{
    char *paths[] = {(char *)(uintptr_t)name, NULL};
    if (fchdir(dir) != 0)
        return -errno;
    FTS *walk = fts_open(paths, FTS_PHYSICAL, NULL);
    FTSENT *entry;
    int result = walk == NULL ? -errno : 0;
    while (result == 0 && (entry = fts_read(walk)) != NULL) {
        if (entry->fts_info == FTS_F && entry->fts_statp->st_nlink > 1)
            result = part(AT_FDCWD, entry->fts_accpath, entry->fts_statp);
        else if (entry->fts_info == FTS_ERR)
            result = -entry->fts_errno;
        errno = 0;
    }
    if (result == 0 && errno != 0)
        result = -errno;
    if (walk != NULL)
        fts_close(walk);
    if (chdir("/") != 0 && result == 0)
        result = -errno;
    return result;
}

int pingo__private_make(int dir, const char *name)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return part_tree(dir, name);
    return S_ISREG(st.st_mode) && st.st_nlink > 1 ? part(dir, name, &st) : 0;
}
