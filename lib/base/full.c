/* full.c - see full.h. */
#include "base/full.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* More than the store's reserve and its log, which may be given up between a command's failure and the look. */
#define LOW (INT64_C(2) << 20)
#define LATELY_S 10 /* what a full disk makes fail ends so soon */

int64_t pingo__full_free_bytes(int dir)
{
    struct statvfs fs;
    if (fstatvfs(dir, &fs) != 0)
        return INT64_MAX;
    return fs.f_files > 0 && fs.f_favail == 0 ? 0 : pingo__file_blocks(&fs, fs.f_bavail);
}

bool pingo__full_is(int64_t free_bytes)
{
    return free_bytes < LOW;
}

bool pingo__full_refuses(int dir, const char *name)
{
    int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    int why = fd < 0 ? errno : posix_fallocate(fd, 0, LOW);
    if (fd >= 0 && !why && fsync(fd) != 0) /* a server of files may say it only then */
        why = errno;
    if (fd >= 0)
        unlinkat(dir, name, 0);
    pingo__file_close(fd);
    return pingo__error_is_full(why);
}

bool pingo__full_note(int dir, const char *name, bool full)
{
    if (full)
        utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW);
    return full;
}

bool pingo__full_was(int dir, const char *name, const struct timespec *since)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           pingo__file_time_ns(&st.st_mtim) >= pingo__file_time_ns(since) &&
           pingo__world_wall_ms() / 1000 - st.st_mtim.tv_sec <= LATELY_S;
}
