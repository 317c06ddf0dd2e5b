/* test_full.c - a disk that is full, and that it was: full.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/full.h"
#include "base/tree.h"

static struct statvfs disk;
static bool is_away;

int fstatvfs(int fd, struct statvfs *fs)
{
    (void)fd;
    *fs = disk;
    errno = EIO;
    return is_away ? -1 : 0;
}

static int allocating;

int posix_fallocate(int fd, off_t offset, off_t length)
{
    (void)fd, (void)offset;
    assert_true(length > 0);
    return allocating;
}

static void test_full__by_bytes_or_by_files(void **state)
{
    (void)state;
    disk = (struct statvfs){.f_frsize = 4096, .f_bavail = 1024, .f_files = 10, .f_favail = 1};
    assert_int_equal(pingo__full_free_bytes(0), 4 << 20);
    assert_false(pingo__full_is(4 << 20));
    disk.f_favail = 0;
    assert_int_equal(pingo__full_free_bytes(0), 0);
    disk.f_files = 0; /* one that does not count them */
    assert_int_equal(pingo__full_free_bytes(0), 4 << 20);
    disk.f_bavail = 500;
    assert_true(pingo__full_is(pingo__full_free_bytes(0)));
    is_away = true;
    assert_false(pingo__full_is(pingo__full_free_bytes(0)));
    is_away = false;
}

static struct timespec at(int dir)
{
    struct stat st;
    assert_int_equal(fstatat(dir, "mark", &st, 0), 0);
    return st.st_mtim;
}

static void test_full__that_it_was(void **state)
{
    char path[] = "/tmp/pingo-full-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(path));
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    close(openat(dir, "mark", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    struct timespec made = at(dir), later = {made.tv_sec + 1, 0};
    usleep(20000);
    assert_false(pingo__full_note(dir, "mark", false));
    assert_int_equal(at(dir).tv_nsec, made.tv_nsec);
    assert_true(pingo__full_note(dir, "mark", true));
    struct timespec noted = at(dir);
    assert_true(noted.tv_sec > made.tv_sec || noted.tv_nsec > made.tv_nsec);
    assert_true(pingo__full_was(dir, "mark", &made));
    assert_true(pingo__full_was(dir, "mark", &noted)); /* within one tick of the clock */
    later.tv_sec = noted.tv_sec + 1;
    assert_false(pingo__full_was(dir, "mark", &later));
    later = (struct timespec){noted.tv_sec, noted.tv_nsec + 1};
    assert_false(pingo__full_was(dir, "mark", &later));
    assert_false(pingo__full_was(dir, "absent", &made));
    /* Long ago. */
    struct timespec old[2] = {{made.tv_sec - 60, 0}, {made.tv_sec - 60, 0}};
    assert_int_equal(utimensat(dir, "mark", old, 0), 0);
    assert_false(pingo__full_was(dir, "mark", &(struct timespec){0, 0}));
    close(dir);
    pingo__tree_remove(AT_FDCWD, path);
}

/* A quota: the file system has room, and refuses. */
static void test_full__what_refuses_to_be_written(void **state)
{
    char path[] = "/tmp/pingo-full-XXXXXX";
    static const struct {
        int why;
        bool refuses;
    } cases[] = {{0, false}, {EDQUOT, true}, {ENOSPC, true}, {EOPNOTSUPP, false}};
    (void)state;
    assert_non_null(mkdtemp(path));
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        allocating = cases[i].why;
        assert_int_equal(pingo__full_refuses(dir, "room"), cases[i].refuses);
        assert_int_equal(faccessat(dir, "room", F_OK, 0), -1);
    }
    allocating = EDQUOT;
    assert_int_equal(mkdirat(dir, "room", 0700), 0); /* somebody's: it tells nothing, and stays */
    assert_false(pingo__full_refuses(dir, "room"));
    assert_int_equal(unlinkat(dir, "room", AT_REMOVEDIR), 0);
    close(dir);
    assert_int_equal(rmdir(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full__by_bytes_or_by_files),
        cmocka_unit_test(test_full__what_refuses_to_be_written),
        cmocka_unit_test(test_full__that_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
