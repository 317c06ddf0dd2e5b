/* scratch.c - see runner.h. */
#include "runner/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tree.h"
#include "base/world.h"

/* What is in an attempt's directory; the logs last. */
static const char *const parts[] = {"work", "tmp", "stdout", "stderr"};
#define NPARTS (sizeof parts / sizeof *parts)
#define FIRST_LOG 2

void pingo__runner_scratch_init(struct pingo__runner_scratch *scratch, int attempts)
{
    memset(scratch, 0, sizeof *scratch);
    scratch->attempts = attempts;
    scratch->dir = scratch->work = scratch->tmp = scratch->ruleset = -1;
}

static void let_go(struct pingo__runner_scratch *scratch)
{
    int *const fds[] = {&scratch->ruleset, &scratch->tmp, &scratch->work, &scratch->dir};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        pingo__file_close(*fds[i]);
        *fds[i] = -1;
    }
}

void pingo__runner_scratch_finish(struct pingo__runner_scratch *scratch)
{
    if (scratch->dir >= 0)
        pingo__tree_remove(scratch->dir, "work");
    pingo__runner_scratch_leave(scratch);
}

void pingo__runner_scratch_leave(struct pingo__runner_scratch *scratch)
{
    if (scratch->dir >= 0)
        pingo__tree_remove(scratch->dir, "tmp");
    let_go(scratch);
}

static int open_directory(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_log(int dir, const char *name)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    pingo__file_close(fd);
    return fd;
}

/* Into the directory that is open. */
static bool furnish(struct pingo__runner_scratch *scratch)
{
    if (mkdirat(scratch->dir, "work", 0755) == 0)
        scratch->work = open_directory(scratch->dir, "work");
    if (scratch->work >= 0 && mkdirat(scratch->dir, "tmp", 0700) == 0)
        scratch->tmp = open_directory(scratch->dir, "tmp");
    return scratch->tmp >= 0 && make_log(scratch->dir, "stdout") >= 0 &&
           make_log(scratch->dir, "stderr") >= 0;
}

int pingo__runner_scratch_enter(struct pingo__runner_scratch *scratch, int dir)
{
    scratch->dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
    return scratch->dir >= 0 && furnish(scratch) ? 0 : -errno;
}

int pingo__runner_scratch_prepare(struct pingo__runner_scratch *scratch)
{
    if (scratch->dir >= 0)
        return 0;
    pingo__name_ready(scratch->ready, getpid(), (int64_t)scratch->made++);
    if (mkdirat(scratch->attempts, scratch->ready, 0755) != 0)
        return -errno;
    scratch->dir = open_directory(scratch->attempts, scratch->ready);
    if (scratch->dir >= 0 && furnish(scratch))
        return 0;
    int rc = -errno;
    let_go(scratch);
    pingo__tree_remove(scratch->attempts, scratch->ready);
    return rc;
}

/* For file systems that cannot rename without replacing: mkdir is the gate, and what is ready
 * moves in. */
static int claim_by_mkdir(struct pingo__runner_scratch *scratch, const char *attempt_dir)
{
    if (mkdir(attempt_dir, 0755) != 0)
        return -errno;
    int dir = open_directory(AT_FDCWD, attempt_dir);
    if (dir < 0)
        return -errno;
    for (size_t i = 0; i < NPARTS; i++) {
        if (renameat(scratch->dir, parts[i], dir, parts[i]) != 0) {
            int rc = -errno;
            close(dir);
            pingo__runner_scratch_clear(scratch); /* half of it has moved: the next one is made anew */
            return rc == -EEXIST ? -EIO : rc;
        }
    }
    unlinkat(scratch->attempts, scratch->ready, AT_REMOVEDIR);
    close(scratch->dir);
    scratch->dir = dir;
    return 0;
}

int pingo__runner_scratch_claim(struct pingo__runner_scratch *scratch, const char *attempt_dir)
{
    int rc = pingo__runner_scratch_prepare(scratch);
    if (rc != 0)
        return rc == -EEXIST ? -EIO : rc;
    if (renameat2(scratch->attempts, scratch->ready, AT_FDCWD, attempt_dir, RENAME_NOREPLACE) == 0)
        return 0;
    return errno == EINVAL ? claim_by_mkdir(scratch, attempt_dir) : -errno;
}

static bool is_log(const char *name)
{
    for (size_t i = FIRST_LOG; i < NPARTS; i++)
        if (strcmp(name, parts[i]) == 0)
            return true;
    return false;
}

/* How many entries a directory has; -1: not readable. */
static int count(int dir)
{
    DIR *list = pingo__file_list(dir);
    int n = 0;
    while (list && pingo__file_next(list))
        n++;
    n = list && errno == 0 ? n : -1;
    pingo__file_end_list(list);
    return n;
}

/* Is dir/name the open directory fd, of this mode, and empty? */
static bool is_clean(int dir, const char *name, int fd, mode_t mode)
{
    struct stat st, named;
    return fstat(fd, &st) == 0 && (st.st_mode & 07777) == mode &&
           fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == st.st_ino &&
           named.st_dev == st.st_dev && count(fd) == 0;
}

/* Empties it if it is not clean; is it now? */
static bool tidy(int dir, const char *name, int fd, mode_t mode)
{
    if (is_clean(dir, name, fd, mode))
        return true;
    fchmod(fd, mode);
    pingo__tree_empty(fd, NULL);
    return is_clean(dir, name, fd, mode);
}

/* Where all is there that prepare made: does it hold nothing else? */
static bool is_as_made(int dir)
{
    struct stat st;
    return fstat(dir, &st) == 0 && (st.st_mode & 07777) == 0755 && count(dir) == NPARTS;
}

/* Are both there, as they were made? */
static bool logs_are_empty(const struct pingo__runner_scratch *scratch)
{
    for (size_t i = FIRST_LOG; i < NPARTS; i++) {
        struct stat st;
        if (fstatat(scratch->dir, parts[i], &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
            (st.st_mode & 07777) != 0644 || st.st_nlink != 1 || st.st_size > 0)
            return false;
    }
    return true;
}

void pingo__runner_scratch_release(struct pingo__runner_scratch *scratch, const char *attempt_dir)
{
    char apart[PINGO__NAME_SIZE + 8];
    struct stat st;
    if (fstatat(scratch->dir, "stdout", &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        make_log(scratch->dir, "stdout"); /* it was the output */
    bool empty = logs_are_empty(scratch);
    if (empty && renameat2(AT_FDCWD, attempt_dir, scratch->attempts, scratch->ready,
                           RENAME_NOREPLACE) == 0) {
        if (!tidy(scratch->dir, "work", scratch->work, 0755) ||
            !tidy(scratch->dir, "tmp", scratch->tmp, 0700) || !is_as_made(scratch->dir))
            pingo__runner_scratch_clear(scratch);
        return;
    }
    fchmod(scratch->dir, 0755);
    mkdirat(scratch->attempts, scratch->ready, 0755);
    for (size_t i = 0; i < FIRST_LOG; i++) {
        snprintf(apart, sizeof apart, "%s/%s", scratch->ready, parts[i]);
        renameat(scratch->dir, parts[i], scratch->attempts, apart);
    }
    pingo__tree_empty(scratch->dir, is_log);
    pingo__runner_scratch_clear(scratch);
    if (empty) /* nothing worth keeping */
        pingo__tree_remove(AT_FDCWD, attempt_dir);
}

/* It is the output, and no log that somebody would read. */
static int64_t drop_stdout(const struct pingo__runner_scratch *scratch)
{
    struct stat st;
    int fd = openat(scratch->dir, "stdout", O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool dropped = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(fd, 0) == 0;
    pingo__file_close(fd);
    return dropped ? (int64_t)st.st_blocks * 512 : 0;
}

int64_t pingo__runner_scratch_drop(struct pingo__runner_scratch *scratch, bool with_stdout)
{
    int64_t held = with_stdout ? drop_stdout(scratch) : 0;
    struct pingo__tree_removal removal = {.world = pingo__world_real(), .bytes = &held};
    fchmod(scratch->work, 0755);
    pingo__tree_strip(&removal, scratch->work);
    pingo__tree_strip(&removal, scratch->tmp);
    return held;
}

void pingo__runner_scratch_clear(struct pingo__runner_scratch *scratch)
{
    if (scratch->dir >= 0)
        pingo__tree_remove(scratch->attempts, scratch->ready);
    let_go(scratch);
}

void pingo__runner_scratch_sweep(int attempts, pid_t pid)
{
    DIR *list = pingo__file_list(attempts);
    const char *name;
    while ((name = pingo__file_next(list)))
        if (pingo__name_is_ready(name, pid))
            pingo__tree_remove(attempts, name);
    pingo__file_end_list(list);
}
