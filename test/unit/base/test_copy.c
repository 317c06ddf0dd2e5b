/* test_copy.c - copying a file or a tree: copy.c. */
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
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/tree.h"

static char dir[32];

/* As in a container whose list of what may be called does not have it. */
static bool is_refused;

ssize_t copy_file_range(int from, off64_t *at_from, int to, off64_t *at_to, size_t n, unsigned flags)
{
    if (!is_refused)
        return syscall(SYS_copy_file_range, from, at_from, to, at_to, n, flags);
    errno = EPERM;
    return -1;
}

static const char *at(const char *name)
{
    static char paths[4][256];
    static size_t n;
    char *path = paths[n++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/pingo-copy-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return pingo__tree_remove(AT_FDCWD, dir);
}

static int copy(const char *from, const char *to)
{
    return pingo__copy_tree(pingo__world_real(), at(from), at(to), 0777, NULL);
}

static void write_at(const char *name, const char *text, off_t where, mode_t mode)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, text, strlen(text), where), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* Bytes between holes, and a hole at the end. */
static void test_copy__holes_stay_holes(void **state)
{
    struct stat from, to;
    char text[4] = "";
    int fd;

    (void)state;
    write_at("a", "one", 1 << 20, 0755);
    write_at("a", "two", 8 << 20, 0755);
    assert_int_equal(truncate(at("a"), 16 << 20), 0);
    assert_int_equal(copy("a", "b"), 0);
    assert_int_equal(stat(at("a"), &from), 0);
    assert_int_equal(stat(at("b"), &to), 0);
    assert_int_equal(to.st_size, 16 << 20);
    assert_true(to.st_blocks <= from.st_blocks + 16);
    assert_int_equal(to.st_mode & 0777, 0755);
    fd = open(at("b"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, text, 3, 8 << 20), 3);
    assert_string_equal(text, "two");
    assert_int_equal(pread(fd, text, 3, 1 << 20), 3);
    assert_string_equal(text, "one");
    assert_int_equal(pread(fd, text, 3, 4 << 20), 3);
    assert_string_equal(text, "");
    close(fd);
    assert_int_equal(unlink(at("a")), 0);
    write_at("a", "", 0, 0444); /* of nothing */
    assert_int_equal(copy("a", "c"), 0);
    assert_int_equal(stat(at("c"), &to), 0);
    assert_int_equal(to.st_size, 0);
    assert_int_equal(to.st_mode & 0777, 0644);
}

static bool is_now(void *context)
{
    return --*(int *)context < 0;
}

static void test_copy__stops(void **state)
{
    int from, to, looks = 1;

    (void)state;
    from = open(at("a"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    to = open("/dev/shm/.", O_RDWR | O_TMPFILE | O_CLOEXEC,
              0600); /* no clone of another file system's */
    if (to < 0)
        to = open(at("b"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (int i = 0; i < 48; i++)
        assert_int_equal(pwrite(from, at("x"), 8, (off_t)i << 20), 8);
    if (pingo__copy_bytes(from, to, is_now, &looks) == 0)
        assert_int_equal(looks, 1); /* the file system shares them: nobody asked */
    else
        assert_int_equal(looks, -1);
    close(from);
    close(to);
}

/* Cuts the file when it is asked first, and has it go on. */
static bool cut(void *file)
{
    int *fd = file;
    if (*fd >= 0)
        assert_int_equal(ftruncate(*fd, 1 << 20), 0);
    *fd = -1;
    return false;
}

static void test_copy__of_a_file_that_is_cut_meanwhile_is_none(void **state)
{
    (void)state;
    for (int holes = 0; holes < 2; holes++) {
        int from = open(at("a"), O_RDWR | O_CREAT | O_CLOEXEC, 0600), file = from;
        int to = open("/dev/shm/.", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
        if (to < 0)
            to = open(at("b"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        for (int i = 0; i < 4; i++)
            assert_int_equal(pwrite(from, at("x"), 8, (off_t)i << (holes ? 22 : 3)), 8);
        if (!holes)
            assert_int_equal(posix_fallocate(from, 0, 3 << 20), 0);
        int rc = pingo__copy_bytes(from, to, cut, &file);
        if (file < 0) /* else the file system shares them: nobody was asked */
            assert_int_equal(rc, -EIO);
        close(from);
        close(to);
        unlink(at("a"));
    }
}

/* sysfs says a page of each file, whatever is in it. */
static void test_copy__of_a_file_that_holds_less_than_its_size_is_none(void **state)
{
    static const char name[] = "/sys/kernel/fscaps";
    struct stat st;
    (void)state;
    if (stat(name, &st) != 0 || st.st_size < 100)
        skip();
    assert_int_equal(pingo__copy_tree(pingo__world_real(), name, at("a"), 0777, NULL), -EIO);
}

static void test_copy__a_tree(void **state)
{
    char target[8] = "";
    struct stat st;

    (void)state;
    assert_int_equal(mkdir(at("t"), 0755), 0);
    assert_int_equal(mkdir(at("t/closed"), 0755), 0);
    write_at("t/closed/file", "x", 0, 0400);
    assert_int_equal(chmod(at("t/closed"), 0555), 0);
    assert_int_equal(symlink("gone", at("t/link")), 0);
    assert_int_equal(copy("t", "u"), 0);
    assert_int_equal(lstat(at("u/closed/file"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(lstat(at("u/closed"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    assert_int_equal(readlink(at("u/link"), target, sizeof target), 4);
    assert_memory_equal(target, "gone", 4);
    assert_int_equal(copy("t/link", "v"), 0); /* a link as such */
    assert_int_equal(lstat(at("v"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));

    /* Closed is the root, and what is in it lies behind it. */
    assert_int_equal(pingo__copy_tree(pingo__world_real(), at("t"), at("w"), 0, NULL), 0);
    assert_int_equal(lstat(at("w"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(lstat(at("w/closed"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    write_at("file", "x", 0, 0444);
    assert_int_equal(pingo__copy_tree(pingo__world_real(), at("file"), at("x"), 0040, NULL), 0);
    assert_int_equal(lstat(at("x"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);

    assert_int_equal(copy("t", "u"), -EEXIST);
    assert_int_equal(copy("t", "v"), -EEXIST);
    assert_int_equal(copy("nothing", "w"), -ENOENT);
    assert_int_equal(mkfifo(at("t/fifo"), 0644), 0);
    struct pingo__buffer where = {0};
    assert_int_equal(pingo__copy_tree(pingo__world_real(), at("t"), at("y"), 0777, &where), -ENXIO);
    assert_string_equal(pingo__buffer_cstr(&where), "/fifo");
    pingo__buffer_reset(&where);
    assert_int_equal(pingo__copy_tree(pingo__world_real(), at("t/fifo"), at("z"), 0777, &where),
                     -ENXIO);
    assert_int_equal(where.length, 0);
    pingo__buffer_clear(&where);
}

static void test_copy__goes_without_a_call_that_is_not_allowed(void **state)
{
    char text[16] = "";
    (void)state;
    write_at("from", "some text", 0, 0644);
    is_refused = true;
    int rc = copy("from", "to");
    is_refused = false;
    assert_int_equal(rc, 0);
    int fd = open(at("to"), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, text, sizeof text), 9);
    close(fd);
    assert_string_equal(text, "some text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_copy__holes_stay_holes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copy__stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copy__of_a_file_that_is_cut_meanwhile_is_none, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_copy__of_a_file_that_holds_less_than_its_size_is_none,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copy__goes_without_a_call_that_is_not_allowed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_copy__a_tree, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
