/* test_tree.c - walking through a tree of directories, and removing one: walk.c and tree.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tree.h"
#include "base/walk.h"

static int open_scratch(char path[32])
{
    strcpy(path, "/tmp/pingo-tree-XXXXXX");
    assert_non_null(mkdtemp(path));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void close_scratch(int fd, const char *path)
{
    assert_int_equal(pingo__tree_empty(fd, NULL), 0);
    assert_int_equal(rmdir(path), 0);
    close(fd);
}

static void make_file(int dir, const char *name, size_t bytes)
{
    static const char block[4096] = "x";
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, block, bytes), bytes);
    close(fd);
}

/* t: b/x, b/y/z, a, c -> /etc, d (closed). */
static void make_tree(int dir)
{
    assert_int_equal(mkdirat(dir, "t", 0755), 0);
    assert_int_equal(mkdirat(dir, "t/b", 0755), 0);
    assert_int_equal(mkdirat(dir, "t/b/y", 0755), 0);
    assert_int_equal(mkdirat(dir, "t/d", 0755), 0);
    make_file(dir, "t/b/x", 1);
    make_file(dir, "t/b/y/z", 4096);
    make_file(dir, "t/a", 0);
    make_file(dir, "t/d/e", 0);
    assert_int_equal(symlinkat("/etc", dir, "t/c"), 0);
    assert_int_equal(fchmodat(dir, "t/d", 0, 0), 0);
}

static bool is_there(int dir, const char *name)
{
    return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* All of a tree: "a b/ b/x b/y/ ..."; sorted. */
static int list(const struct pingo__world *world, int dir, const char *name,
                struct pingo__buffer *out)
{
    struct pingo__walk walk;
    pingo__walk_init(&walk, world, true);
    int rc = pingo__walk_enter(&walk, dir, name, O_NOFOLLOW);
    while (rc == 0 && walk.depth > 0) {
        const char *entry = pingo__walk_next(&walk);
        struct stat st;
        if (!entry) {
            rc = pingo__walk_leave(&walk);
            continue;
        }
        rc = world->stat(world->context, walk.fd, entry, AT_SYMLINK_NOFOLLOW, &st);
        pingo__walk_path(&walk, out);
        if (rc == 0 && S_ISDIR(st.st_mode) && (rc = pingo__walk_enter(&walk, walk.fd, entry, 0)) == 0)
            pingo__buffer_char(out, '/');
        pingo__buffer_char(out, ' ');
    }
    pingo__walk_clear(&walk);
    return rc;
}

static void test_walk__tells_everything_in_order(void **state)
{
    char path[32];
    int dir = open_scratch(path);
    struct pingo__buffer said = {0};
    (void)state;
    make_tree(dir);
    assert_int_equal(fchmodat(dir, "t/d", 0755, 0), 0);
    assert_int_equal(list(pingo__world_real(), dir, "t", &said), 0);
    assert_string_equal(pingo__buffer_cstr(&said), "a b/ b/x b/y/ b/y/z c d/ d/e ");
    assert_int_equal(list(pingo__world_real(), dir, "t/a", &said), -ENOTDIR);
    assert_int_equal(list(pingo__world_real(), dir, "t/c", &said), -ENOTDIR);
    assert_int_equal(list(pingo__world_real(), dir, "nothing", &said), -ENOENT);
    pingo__buffer_clear(&said);
    close_scratch(dir, path);
}

static void test_walk__a_directory_that_was_moved_is_noticed(void **state)
{
    char path[32];
    int dir = open_scratch(path);
    struct pingo__walk walk;
    (void)state;
    make_tree(dir);
    pingo__walk_init(&walk, pingo__world_real(), true);
    assert_int_equal(pingo__walk_enter(&walk, dir, "t", O_NOFOLLOW), 0);
    assert_string_equal(pingo__walk_next(&walk), "a");
    assert_string_equal(pingo__walk_next(&walk), "b");
    assert_int_equal(pingo__walk_enter(&walk, walk.fd, "b", O_NOFOLLOW), 0);
    assert_int_equal(renameat(dir, "t/b", dir, "b"), 0);
    assert_int_equal(pingo__walk_leave(&walk), -ESTALE);
    assert_int_equal(walk.depth, 2);
    assert_string_equal(pingo__walk_next(&walk), "x");
    pingo__walk_clear(&walk);
    assert_int_equal(walk.fd, -1);
    close_scratch(dir, path);
}

static void test_tree__removes_files_links_and_closed_directories(void **state)
{
    char path[32];
    int dir = open_scratch(path);
    (void)state;
    make_tree(dir);
    assert_int_equal(pingo__tree_remove(dir, "t/c"), 0);
    assert_true(access("/etc", F_OK) == 0);
    assert_int_equal(pingo__tree_remove(dir, "t"), 0);
    assert_false(is_there(dir, "t"));
    assert_int_equal(pingo__tree_remove(dir, "t"), 0);
    close_scratch(dir, path);
}

static bool is_b(const char *name)
{
    return strcmp(name, "b") == 0 || strcmp(name, "z") == 0;
}

static void test_tree__spares_what_is_kept_and_counts_the_rest(void **state)
{
    char path[32];
    int dir = open_scratch(path), t;
    int64_t bytes = 0;
    struct pingo__tree_removal removal = {
        .world = pingo__world_real(), .keep = is_b, .bytes = &bytes};
    struct stat st;
    (void)state;
    make_tree(dir);
    assert_int_equal(mkdirat(dir, "t/e", 0755), 0);
    make_file(dir, "t/e/z", 4096); /* a name that is kept at the top only */
    assert_int_equal(fstatat(dir, "t/e/z", &st, 0), 0);
    assert_int_equal(linkat(dir, "t/b/y/z", dir, "t/other", 0), 0); /* its bytes stay */
    t = openat(dir, "t", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pingo__tree_strip(&removal, t), 0);
    assert_true(is_there(t, "b/y/z"));
    assert_false(is_there(t, "e") || is_there(t, "a") || is_there(t, "d") || is_there(t, "other"));
    assert_true(bytes >= (int64_t)st.st_blocks * 512);
    assert_int_equal(fstat(t, &st), 0);
    assert_int_equal(st.st_nlink, 3);
    close(t);
    close_scratch(dir, path);
}

static void test_tree__depth_is_no_limit(void **state)
{
    char path[32];
    int dir = open_scratch(path), at = dup(dir);
    (void)state;
    for (int i = 0; i < 3000; i++) { /* twelve times PATH_MAX */
        assert_int_equal(mkdirat(at, "directory", 0755), 0);
        int below = openat(at, "directory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(below >= 0);
        close(at);
        at = below;
    }
    make_file(at, "file", 1);
    close(at);
    assert_int_equal(pingo__tree_remove(dir, "directory"), 0);
    close_scratch(dir, path);
}

/* ---- a world that fails -------------------------------------------------------------------- */

static int calls, fail_at;
static const char *never; /* a name that cannot be removed */

static int fails(void)
{
    return ++calls == fail_at;
}

static int failing_open(void *context, int dir, const char *name, int flags, mode_t mode)
{
    return fails() ? -EIO : pingo__world_real()->open(context, dir, name, flags, mode);
}

static int failing_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    return fails() ? -EIO : pingo__world_real()->stat(context, dir, name, flags, st);
}

static int failing_next(void *context, struct pingo__dir *dir, const char **name)
{
    return fails() ? -EIO : pingo__world_real()->dir_next(context, dir, name);
}

static int failing_unlink(void *context, int dir, const char *name, int flags)
{
    if (never && strcmp(name, never) == 0)
        return flags ? -ENOTDIR : -EPERM;
    return fails() ? -EIO : pingo__world_real()->unlink(context, dir, name, flags);
}

static struct pingo__world failing_world(void)
{
    struct pingo__world world = *pingo__world_real();
    world.open = failing_open;
    world.stat = failing_stat;
    world.dir_next = failing_next;
    world.unlink = failing_unlink;
    return world;
}

static void test_tree__goes_on_where_something_cannot_be_removed(void **state)
{
    char path[32];
    int dir = open_scratch(path);
    struct pingo__world world = failing_world();
    struct pingo__tree_removal removal = {.world = &world};
    (void)state;
    make_tree(dir);
    never = "z";
    assert_int_equal(pingo__tree_take(&removal, dir, "t"), -EPERM);
    assert_string_equal(removal.what, "b/y/z");
    assert_true(is_there(dir, "t/b/y/z"));
    assert_false(is_there(dir, "t/b/x") || is_there(dir, "t/a") || is_there(dir, "t/d"));
    never = NULL;
    close_scratch(dir, path);
}

static void test_tree__whatever_fails_is_told_and_mended_by_another_try(void **state)
{
    char path[32];
    int dir = open_scratch(path), failures = 0;
    struct pingo__world world = failing_world();
    struct pingo__tree_removal removal = {.world = &world};
    struct pingo__buffer said = {0};
    (void)state;
    for (fail_at = 1;; fail_at++) {
        make_tree(dir);
        assert_int_equal(fchmodat(dir, "t/d", 0755, 0), 0);
        calls = 0;
        int rc = list(&world, dir, "t", &said);
        assert_int_equal(rc, calls >= fail_at ? -EIO : 0);
        calls = 0;
        rc = pingo__tree_take(&removal, dir, "t");
        assert_int_equal(rc < 0, is_there(dir, "t"));
        failures += rc < 0;
        bool done = calls < fail_at;
        assert_int_equal(pingo__tree_remove(dir, "t"), 0);
        if (done)
            break;
    }
    assert_true(failures > 0);
    fail_at = 0;
    pingo__buffer_clear(&said);
    close_scratch(dir, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk__tells_everything_in_order),
        cmocka_unit_test(test_walk__a_directory_that_was_moved_is_noticed),
        cmocka_unit_test(test_tree__removes_files_links_and_closed_directories),
        cmocka_unit_test(test_tree__spares_what_is_kept_and_counts_the_rest),
        cmocka_unit_test(test_tree__depth_is_no_limit),
        cmocka_unit_test(test_tree__goes_on_where_something_cannot_be_removed),
        cmocka_unit_test(test_tree__whatever_fails_is_told_and_mended_by_another_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
