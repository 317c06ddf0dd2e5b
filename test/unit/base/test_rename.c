/* test_rename.c - renaming on a file system that knows no flags, such as NFS: the renameat2 of this
 * program takes libc's place and is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/world.h"

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (flags == 0)
        return renameat(from_dir, from, to_dir, to);
    errno = EINVAL;
    return -1;
}

static int dir = -1;
static char path[] = "/tmp/pingo-rename-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return dir < 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unlinkat(dir, "a", 0);
    unlinkat(dir, "b", 0);
    close(dir);
    return rmdir(path);
}

static void make(const char *name)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
}

static bool is_there(const char *name)
{
    return faccessat(dir, name, F_OK, 0) == 0;
}

static void test_rename__replaces_nothing_without_flags_of_the_kernel(void **state)
{
    const struct pingo__world *w = pingo__world_real();

    (void)state;
    make("a");
    assert_int_equal(w->rename(w->context, dir, "a", "b", RENAME_NOREPLACE), 0);
    assert_true(is_there("b") && !is_there("a"));
    make("a");
    assert_int_equal(w->rename(w->context, dir, "a", "b", RENAME_NOREPLACE), -EEXIST);
    assert_true(is_there("a") && is_there("b"));
    assert_int_equal(w->rename(w->context, dir, "none", "c", RENAME_NOREPLACE), -ENOENT);
    assert_int_equal(w->rename(w->context, dir, "a", "b", RENAME_EXCHANGE), -EINVAL);
    assert_int_equal(w->rename(w->context, dir, "a", "b", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rename__replaces_nothing_without_flags_of_the_kernel),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
