/* test_world.c - the real world: results and negative errno values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/tree.h"
#include "base/world.h"

/* What was asked for anew, in place of the C library's own. */
static char asked[2][64];
static int nasked;

int statx(int dir, const char *name, int flags, unsigned mask, struct statx *st)
{
    if ((flags & AT_STATX_FORCE_SYNC) != 0 && nasked < 2)
        snprintf(asked[nasked++], sizeof asked[0], "%s", name);
    return (int)syscall(SYS_statx, dir, name, flags, mask, st);
}

struct place {
    const struct pingo__world *w;
    char path[64];
    int dir;
};

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    if (p == NULL)
        return -1;
    p->w = pingo__world_real();
    snprintf(p->path, sizeof p->path, "%s", "/tmp/pingo-world-XXXXXX");
    if (mkdtemp(p->path) == NULL)
        return -1;
    p->dir = p->w->open(NULL, AT_FDCWD, p->path, O_RDONLY | O_DIRECTORY, 0);
    *state = p;
    return p->dir < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    struct place *p = *state;

    p->w->close(NULL, p->dir);
    int rc = pingo__tree_remove(AT_FDCWD, p->path);
    free(p);
    return rc;
}

static void put(struct place *p, const char *name, const char *text)
{
    int fd = p->w->open(NULL, p->dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(p->w->write(NULL, fd, text, strlen(text)), strlen(text));
    assert_int_equal(p->w->fsync(NULL, fd), 0);
    assert_int_equal(p->w->syncfs(NULL, fd), 0);
    assert_int_equal(p->w->close(NULL, fd), 0);
}

static void test_world__clocks_and_randomness(void **state)
{
    struct place *p = *state;
    unsigned char a[32] = {0}, b[32] = {0};
    int64_t before = p->w->monotonic_ns(NULL);

    assert_true(p->w->monotonic_ns(NULL) >= before);
    assert_true(p->w->now_ns(NULL) > INT64_C(1600000000000000000));
    assert_int_equal(p->w->random(NULL, a, sizeof a), 0);
    assert_int_equal(p->w->random(NULL, b, sizeof b), 0);
    assert_memory_not_equal(a, b, sizeof a);
}

static void test_world__files(void **state)
{
    struct place *p = *state;
    char text[16] = "";
    struct stat st;
    int fd;

    put(p, "a", "hello");
    fd = p->w->open(NULL, p->dir, "a", O_RDONLY, 0);
    assert_int_equal(p->w->read(NULL, fd, text, sizeof text), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(p->w->write(NULL, fd, "x", 1), -EBADF);
    p->w->close(NULL, fd);
    assert_int_equal(p->w->close(NULL, fd), -EBADF);
    assert_int_equal(p->w->open(NULL, p->dir, "b", O_RDONLY, 0), -ENOENT);
    assert_int_equal(p->w->stat(NULL, p->dir, "a", 0, &st), 0);
    assert_int_equal(st.st_size, 5);
    put(p, "b", "other");
    assert_int_equal(p->w->rename(NULL, p->dir, "a", "b", RENAME_NOREPLACE), -EEXIST);
    assert_int_equal(p->w->rename(NULL, p->dir, "a", "b", RENAME_EXCHANGE), 0);
    assert_int_equal(p->w->rename(NULL, p->dir, "a", "b", 0), 0);
    assert_int_equal(p->w->unlink(NULL, p->dir, "b", 0), 0);
    assert_int_equal(p->w->unlink(NULL, p->dir, "b", 0), -ENOENT);
}

/* A network file system remembers for a while what a file was, and which file a name in a folder means.  Like one, what
 * is in memory has no device. */
static void test_world__what_is_on_no_disk_here_is_asked_for_anew(void **state)
{
    struct place *p = *state;
    char root[] = "/dev/shm/pingo-world-XXXXXX", path[64];
    struct stat st;

    if (!mkdtemp(root))
        skip();
    snprintf(path, sizeof path, "%s/file", root);
    p->w->close(NULL, p->w->open(NULL, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600));
    nasked = 0;
    assert_int_equal(p->w->stat(NULL, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &st), 0);
    assert_int_equal(nasked, major(st.st_dev) == 0 ? 2 : 0);
    if (nasked) {
        assert_string_equal(asked[0], root);
        assert_string_equal(asked[1], path);
    }
    assert_int_equal(unlink(path), 0);
    nasked = 0; /* another machine may have made it */
    assert_int_equal(p->w->stat(NULL, AT_FDCWD, path, 0, &st), -ENOENT);
    assert_int_equal(nasked, 2);
    assert_int_equal(rmdir(root), 0);
    put(p, "file", "x");
    nasked = 0;
    assert_int_equal(p->w->stat(NULL, p->dir, "file", 0, &st), 0);
    assert_int_equal(nasked, major(st.st_dev) == 0 ? 1 : 0);
    p->w->unlink(NULL, p->dir, "file", 0);
}

static void test_world__links_are_left_alone(void **state)
{
    struct place *p = *state;
    char target[16];
    struct stat st;

    put(p, "file", "x");
    assert_int_equal(p->w->symlink(NULL, "file", p->dir, "link"), 0);
    assert_int_equal(p->w->readlink(NULL, p->dir, "link", target, sizeof target), 4);
    assert_memory_equal(target, "file", 4);
    assert_int_equal(p->w->readlink(NULL, p->dir, "file", target, sizeof target), -EINVAL);
    assert_int_equal(p->w->chmod(NULL, p->dir, "link", 0444), 0);
    assert_int_equal(p->w->stat(NULL, p->dir, "file", 0, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(p->w->chmod(NULL, p->dir, "file", 0444), 0);
    assert_int_equal(p->w->stat(NULL, p->dir, "link", 0, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
    assert_int_equal(p->w->chmod(NULL, p->dir, "absent", 0444), -ENOENT);
    p->w->unlink(NULL, p->dir, "link", 0);
    p->w->unlink(NULL, p->dir, "file", 0);
}

static void test_world__reads_directories(void **state)
{
    struct place *p = *state;
    struct pingo__dir *dir;
    const char *name;
    bool seen[2] = {false, false};
    int fd, n = 0;

    assert_int_equal(p->w->mkdir(NULL, p->dir, "sub", 0700), 0);
    assert_int_equal(p->w->mkdir(NULL, p->dir, "sub", 0700), -EEXIST);
    fd = p->w->open(NULL, p->dir, "sub", O_RDONLY | O_DIRECTORY, 0);
    assert_int_equal(p->w->dir_open(NULL, fd, &dir), 0);
    assert_int_equal(p->w->dir_next(NULL, dir, &name), 0);
    assert_null(name);
    p->w->dir_close(NULL, dir);
    put(p, "sub/one", "1");
    put(p, "sub/..two", "2");
    fd = p->w->open(NULL, p->dir, "sub", O_RDONLY | O_DIRECTORY, 0);
    assert_int_equal(p->w->dir_open(NULL, fd, &dir), 0);
    while (p->w->dir_next(NULL, dir, &name) == 0 && name) {
        seen[strcmp(name, "..two") == 0] = true;
        n++;
    }
    p->w->dir_close(NULL, dir);
    assert_int_equal(n, 2);
    assert_true(seen[0] && seen[1]);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(p->w->dir_open(NULL, fd, &dir), -ENOTDIR);
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* taken over all the same */
    p->w->unlink(NULL, p->dir, "sub/one", 0);
    p->w->unlink(NULL, p->dir, "sub/..two", 0);
    assert_int_equal(p->w->unlink(NULL, p->dir, "sub", AT_REMOVEDIR), 0);
}

static void test_world__locks_are_not_waited_for(void **state)
{
    struct place *p = *state;
    int one, other;

    put(p, "file", "");
    one = p->w->open(NULL, p->dir, "file", O_RDWR, 0);
    other = p->w->open(NULL, p->dir, "file", O_RDWR, 0);
    assert_int_equal(p->w->lock(NULL, one), 0);
    assert_int_equal(p->w->lock(NULL, one), 0); /* it has it */
    assert_int_equal(p->w->lock(NULL, other), -EWOULDBLOCK);
    p->w->close(NULL, one);
    assert_int_equal(p->w->lock(NULL, other), 0);
    p->w->close(NULL, other);
    assert_int_equal(p->w->process(NULL), getpid());
}

static void test_world__resolves_links(void **state)
{
    struct place *p = *state;
    char path[PATH_MAX], real[PATH_MAX], expected[PATH_MAX];

    assert_int_equal(p->w->mkdir(NULL, p->dir, "sub", 0700), 0);
    assert_int_equal(p->w->symlink(NULL, "sub", p->dir, "way"), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d/way/../way", p->dir);
    assert_int_equal(p->w->resolve(NULL, path, real), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d/sub", p->dir);
    assert_non_null(realpath(path, expected));
    assert_string_equal(real, expected);
    snprintf(path, sizeof path, "/proc/self/fd/%d/none", p->dir);
    assert_int_equal(p->w->resolve(NULL, path, real), -ENOENT);
}

static void test_world__sleeps_as_long_as_it_says(void **state)
{
    struct place *p = *state;
    int64_t before = p->w->monotonic_ns(NULL);

    p->w->sleep(NULL, 3000000);
    assert_true(p->w->monotonic_ns(NULL) - before >= 3000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_world__clocks_and_randomness, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__what_is_on_no_disk_here_is_asked_for_anew,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__links_are_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__reads_directories, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__locks_are_not_waited_for, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__resolves_links, setup, teardown),
        cmocka_unit_test_setup_teardown(test_world__sleeps_as_long_as_it_says, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
