/* files.h - a scratch directory for tests, and files in it. */
#ifndef TEST_DIGEST_FILES_H
#define TEST_DIGEST_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

static char scratch[PATH_MAX]; /* absolute */

static inline int make_scratch(void **state)
{
    const char *tmp =
        getenv("TMPDIR"); /* else on a disk: what lies in memory is always read again */
    char name[PATH_MAX];

    (void)state;
    snprintf(name, sizeof name, "%s/pingo-digest-XXXXXX", tmp != NULL ? tmp : "/var/tmp");
    if (mkdtemp(name) == NULL || realpath(name, scratch) == NULL)
        return -1;
    return 0;
}

static inline int remove_scratch(void **state)
{
    char command[3 * PATH_MAX];

    (void)state;
    if (chdir("/") != 0)
        return -1;
    snprintf(command, sizeof command, "chmod -R u+rwX '%s'; rm -rf '%s'", scratch, scratch);
    return system(command) == 0 ? 0 : -1;
}

/* The path of a thing in the scratch directory; a handful are good at a time. */
static inline const char *at(const char *name)
{
    static char paths[16][2 * PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 16];

    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

static inline void put_bytes(const char *name, const void *bytes, size_t n)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    assert_int_equal(close(fd), 0);
}

static inline void put_file(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static inline void put_dir(const char *name)
{
    assert_int_equal(mkdir(at(name), 0755), 0);
}

static inline void put_link(const char *name, const char *target)
{
    assert_int_equal(symlink(target, at(name)), 0);
}

/* Sets the modification time; the change time cannot be set, it is now. */
static inline void set_mtime(const char *name, int64_t ns)
{
    struct timespec times[2] = {{.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000},
                                {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}};

    assert_int_equal(utimensat(AT_FDCWD, at(name), times, AT_SYMLINK_NOFOLLOW), 0);
}

#endif
