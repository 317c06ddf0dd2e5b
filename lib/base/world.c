/* world.c - the real world: thin system calls, negative errno values. */
#include "base/world.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/file.h"
#include "base/program.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 /* of Linux 6.6, and on every machine */
#endif

#define UNUSED __attribute__((unused)) /* the real world is one */

static int result(int r)
{
    return r < 0 ? -errno : r;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t); /* of these clocks it cannot fail */
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t pingo__world_wall_ms(void)
{
    return clock_ns(CLOCK_REALTIME) / 1000000;
}

int64_t pingo__world_monotonic_ms(void)
{
    return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static int64_t real_now_ns(UNUSED void *context)
{
    return clock_ns(CLOCK_REALTIME);
}

static int64_t real_monotonic_ns(UNUSED void *context)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static void real_sleep(UNUSED void *context, int64_t ns)
{
    struct timespec left = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static int64_t real_process(UNUSED void *context)
{
    return (int64_t)getpid();
}

static int real_random(UNUSED void *context, void *bytes, size_t n)
{
    return result(getentropy(bytes, n));
}

static int real_open(UNUSED void *context, int dir, const char *name, int flags, mode_t mode)
{
    int fd;
    do
        fd = openat(dir, name, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return result(fd);
}

static int real_close(UNUSED void *context, int fd)
{
    /* After EINTR the descriptor is gone on Linux: closing again could hit another's. */
    if (close(fd) != 0 && errno != EINTR)
        return -errno;
    return 0;
}

static ssize_t real_read(UNUSED void *context, int fd, void *bytes, size_t n)
{
    ssize_t got;
    do
        got = read(fd, bytes, n);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

static ssize_t real_write(UNUSED void *context, int fd, const void *bytes, size_t n)
{
    int rc = pingo__copy_write(fd, bytes, n);
    return rc ? rc : (ssize_t)n;
}

/* A network file system answers for up to a minute from what it remembers of a file, and of which file a name in a
 * folder means, while other machines write: both are asked for anew. */
static void ask_anew(int dir, const char *name, int flags)
{
    char above[PATH_MAX];
    struct statx fresh;
    const char *slash = strrchr(name, '/');
    if (slash && slash > name && (size_t)(slash - name) < sizeof above) {
        snprintf(above, sizeof above, "%.*s", (int)(slash - name), name);
        statx(dir, above, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &fresh);
    }
    statx(dir, name, flags | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &fresh);
}

static int real_stat(UNUSED void *context, int dir, const char *name, int flags, struct stat *st)
{
    int rc = result(fstatat(dir, name, st, flags));
    if (rc == 0 && major(st->st_dev) != 0) /* on a disk of this machine */
        return 0;
    ask_anew(dir, name, flags);
    return result(fstatat(dir, name, st, flags));
}

static int real_mkdir(UNUSED void *context, int dir, const char *name, mode_t mode)
{
    return result(mkdirat(dir, name, mode));
}

static int real_unlink(UNUSED void *context, int dir, const char *name, int flags)
{
    return result(unlinkat(dir, name, flags));
}

static int real_rename(UNUSED void *context, int dir, const char *from, const char *to,
                       unsigned flags)
{
    int rc = result(renameat2(dir, from, dir, to, flags));
    /* NFS knows no flags.  A name that must not be replaced is that of one attempt alone, so it is enough there
     * to look first. */
    if (rc != -EINVAL || flags != RENAME_NOREPLACE)
        return rc;
    struct stat st;
    if (fstatat(dir, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return -EEXIST;
    return result(renameat(dir, from, dir, to));
}

static int real_symlink(UNUSED void *context, const char *target, int dir, const char *name)
{
    return result(symlinkat(target, dir, name));
}

static ssize_t real_readlink(UNUSED void *context, int dir, const char *name, char *target,
                             size_t size)
{
    ssize_t n = readlinkat(dir, name, target, size);
    return n < 0 ? -errno : n;
}

static int real_chmod(UNUSED void *context, int dir, const char *name, mode_t mode)
{
    /* The C library takes four calls and goes by /proc; the kernel does it in one. */
    if (syscall(SYS_fchmodat2, dir, name, mode, AT_SYMLINK_NOFOLLOW) == 0 ||
        fchmodat(dir, name, mode, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (errno != EOPNOTSUPP)
        return -errno;
    struct stat st;
    /* That is what the C library says of a link; but also where /proc is not there. */
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    return S_ISLNK(st.st_mode) ? 0 : -EOPNOTSUPP;
}

static int real_resolve(UNUSED void *context, const char *path, char *resolved)
{
    return realpath(path, resolved) ? 0 : -errno;
}

static int real_lock(UNUSED void *context, int fd)
{
    return result(flock(fd, LOCK_EX | LOCK_NB));
}

static int real_file_system(UNUSED void *context, int fd, int64_t *magic)
{
    struct statfs st;
    if (fstatfs(fd, &st) != 0)
        return -errno;
    *magic = (int64_t)st.f_type;
    return 0;
}

static int real_syncfs(UNUSED void *context, int fd)
{
    return result(syncfs(fd));
}

static int real_fsync(UNUSED void *context, int fd)
{
    int r;
    do
        r = fsync(fd);
    while (r != 0 && errno == EINTR);
    return result(r);
}

static int real_write_out(UNUSED void *context, int fd)
{
    return result(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE));
}

static int real_dir_open(UNUSED void *context, int fd, struct pingo__dir **dir)
{
    DIR *stream = fdopendir(fd);
    int error = errno;
    *dir = (struct pingo__dir *)stream; /* the struct has no other body */
    if (stream)
        return 0;
    close(fd);
    return -error;
}

static int real_dir_next(UNUSED void *context, struct pingo__dir *dir, const char **name)
{
    *name = pingo__file_next((DIR *)dir);
    return *name ? 0 : -errno; /* 0 at the end */
}

static void real_dir_close(UNUSED void *context, struct pingo__dir *dir)
{
    pingo__file_end_list((DIR *)dir);
}

static int real_run(UNUSED void *context, const struct pingo__program *program,
                    struct pingo__program_end *end)
{
    return pingo__program_run(program, end);
}

static const struct pingo__world real = {
    .now_ns = real_now_ns,
    .monotonic_ns = real_monotonic_ns,
    .sleep = real_sleep,
    .random = real_random,
    .process = real_process,
    .open = real_open,
    .close = real_close,
    .read = real_read,
    .write = real_write,
    .stat = real_stat,
    .mkdir = real_mkdir,
    .unlink = real_unlink,
    .rename = real_rename,
    .symlink = real_symlink,
    .readlink = real_readlink,
    .resolve = real_resolve,
    .lock = real_lock,
    .chmod = real_chmod,
    .file_system = real_file_system,
    .syncfs = real_syncfs,
    .fsync = real_fsync,
    .write_out = real_write_out,
    .dir_open = real_dir_open,
    .dir_next = real_dir_next,
    .dir_close = real_dir_close,
    .run = real_run,
};

const struct pingo__world *pingo__world_real(void)
{
    return &real;
}

uint64_t pingo__world_token(const struct pingo__world *world)
{
    uint64_t token = 0;
    if (world->random(world->context, &token, sizeof token) != 0)
        token = (uint64_t)world->process(world->context);
    return token;
}
