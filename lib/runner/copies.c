/* copies.c - see steps.h.  The file is in memory whole, so what was compared is what is written. */
#include "runner/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/file.h"
#include "base/tree.h"
#include "digest/sha256.h"

#define CLONE_FROM 65536 /* bytes; less is written more cheaply than shared */

static int read_all(int fd, char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = pread(fd, bytes + at, n - at, (off_t)at);
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got == 0)
            return -ESTALE; /* it became shorter */
        at += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* Nobody is to write into it, who may execute the original may execute it. */
static mode_t mode_of(const struct stat *st)
{
    return (st->st_mode & 0111) != 0 ? 0555 : 0444;
}

/* Is there, from an earlier job, a file of our own with these bytes?  Its command may have done
 * anything to it, so the bytes are compared. */
static bool is_there(int dir, const char *name, const struct stat *st, const char *bytes)
{
    struct stat old;
    size_t n = (size_t)st->st_size;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *there = fd < 0 ? NULL : malloc(n + 1);
    bool equal = there && fstat(fd, &old) == 0 && S_ISREG(old.st_mode) && old.st_nlink == 1 &&
                 (old.st_mode & 07777) == mode_of(st) && old.st_uid == geteuid() &&
                 old.st_size == st->st_size && read_all(fd, there, n) == 0 &&
                 memcmp(there, bytes, n) == 0;
    pingo__file_close(fd);
    free(there);
    return equal;
}

/* from: the original, as *st says and bytes hold it. */
static int make(int dir, const char *name, int from, const struct stat *st, const char *bytes)
{
    const struct timespec times[2] = {{0, UTIME_OMIT}, st->st_mtim};
    struct stat now;
    int rc = pingo__tree_remove(dir, name);
    if (rc != 0)
        return rc;
    int to = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return -errno;
    if (st->st_size < CLONE_FROM || ioctl(to, FICLONE, from) != 0)
        rc = pingo__copy_write(to, bytes, (size_t)st->st_size);
    else if (fstat(from, &now) != 0 || !pingo__file_is_unchanged(st, &now))
        rc = -ESTALE;
    if (rc == 0 && (futimens(to, times) != 0 || fchmod(to, mode_of(st)) != 0))
        rc = -errno;
    if (close(to) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

static int put(int dir, const char *name, const struct pingo_job_link *link, int from,
               const struct stat *st)
{
    struct stat now;
    struct pingo_hash hash;
    size_t n = (size_t)st->st_size;
    char *bytes = malloc(n + 1);
    int rc = !bytes ? -ENOMEM : read_all(from, bytes, n);
    if (rc == 0 && fstat(from, &now) != 0)
        rc = -errno;
    if (rc == 0 && !pingo__file_is_unchanged(st, &now))
        rc = -ESTALE;
    if (rc == 0 && link->content) {
        pingo__digest_sha256(bytes, n, &hash);
        if (memcmp(&hash, link->content, sizeof hash) != 0)
            rc = -ESTALE;
    }
    if (rc == 0 && !is_there(dir, name, st, bytes))
        rc = make(dir, name, from, st, bytes);
    free(bytes);
    return rc;
}

int pingo__runner_copies_put(int dir, const char *name, const struct pingo_job_link *link,
                             bool *copied)
{
    struct stat st;
    *copied = false;
    int from = open(link->target, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (from < 0) /* the command finds the link, and no file behind it */
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : 0;
    int rc = fstat(from, &st) == 0 ? 0 : -errno;
    if (rc == 0 && S_ISREG(st.st_mode) && st.st_size <= PINGO_JOB_COPY_MAX) {
        rc = put(dir, name, link, from, &st);
        *copied = rc == 0;
    }
    close(from);
    return rc;
}
