/* test_walk.c - a tree, step by step: deeper than a path may be long, in order, and never out of it. */
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

#include "base/walk.h"

static char root[] = "/tmp/pingo-walk-XXXXXX";
static int top;

static int make_root(void **state)
{
    (void)state;
    top = mkdtemp(root) ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return top < 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[100];
    close(top);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void make_file(const char *name)
{
    int fd = openat(top, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static void path_is(const struct pingo__walk *w, const char *expected)
{
    struct pingo__buffer path = {0};
    pingo__walk_path(w, &path);
    assert_string_equal(pingo__buffer_cstr(&path), expected);
    pingo__buffer_clear(&path);
}

static void test_walk__names_come_in_order_and_once(void **state)
{
    static const char *const names[] = {"Z", "a", "a b", "b", "\xc3\xa4"};
    struct pingo__walk w;
    (void)state;
    assert_int_equal(mkdirat(top, "order", 0700), 0);
    for (size_t i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "order/%s", names[4 - i]);
        make_file(name);
    }
    pingo__walk_init(&w, pingo__world_real(), true);
    assert_int_equal(pingo__walk_enter(&w, top, "order", 0), 0);
    path_is(&w, ""); /* nothing was told yet */
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(pingo__walk_next(&w), names[i]);
        path_is(&w, names[i]);
    }
    assert_null(pingo__walk_next(&w));
    assert_null(pingo__walk_next(&w));
    path_is(&w, ""); /* nor is anything any more */
    assert_int_equal(pingo__walk_leave(&w), 0);
    assert_int_equal(w.depth, 0);
    pingo__walk_clear(&w);
}

/* Deeper than PATH_MAX, and than there are descriptors for: down, and up again to where it was. */
static void test_walk__depth_is_no_limit(void **state)
{
    enum { DEPTH = 3000 };
    struct pingo__walk w;
    struct pingo__buffer path = {0};
    int fd = dup(top);
    (void)state;
    for (int i = 0; i < DEPTH; i++) {
        assert_int_equal(mkdirat(fd, "deep", 0700), 0);
        int below = openat(fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = below;
        assert_true(fd >= 0);
    }
    close(fd);
    pingo__walk_init(&w, pingo__world_real(), false);
    assert_int_equal(pingo__walk_enter(&w, top, "deep", O_NOFOLLOW), 0);
    for (const char *name; (name = pingo__walk_next(&w)) != NULL;)
        assert_int_equal(pingo__walk_enter(&w, w.fd, name, O_NOFOLLOW), 0);
    assert_int_equal(w.depth, DEPTH);
    pingo__walk_path(&w, &path);
    assert_int_equal(path.length, (DEPTH - 1) * 5 - 1);
    for (; w.depth > 0; assert_int_equal(pingo__walk_leave(&w), 0))
        assert_null(pingo__walk_next(&w));
    pingo__buffer_clear(&path);
    pingo__walk_clear(&w);
}

static void test_walk__a_link_is_not_followed(void **state)
{
    struct pingo__walk w;
    (void)state;
    assert_int_equal(mkdirat(top, "real", 0700), 0);
    assert_int_equal(symlinkat("real", top, "link"), 0);
    make_file("file");
    pingo__walk_init(&w, pingo__world_real(), false);
    assert_int_equal(pingo__walk_enter(&w, top, "link", O_NOFOLLOW), -ENOTDIR);
    assert_int_equal(pingo__walk_enter(&w, top, "file", 0), -ENOTDIR);
    assert_int_equal(pingo__walk_enter(&w, top, "nothing", 0), -ENOENT);
    assert_int_equal(w.depth, 0); /* it is where it was */
    assert_int_equal(w.fd, -1);
    assert_int_equal(pingo__walk_enter(&w, top, "link", 0), 0);
    assert_null(pingo__walk_next(&w));
    pingo__walk_clear(&w);
}

/* Whoever moves a directory while one is in it would lead the way back into another tree. */
static void test_walk__the_way_back_leads_to_where_it_came_from(void **state)
{
    struct pingo__walk w;
    (void)state;
    assert_int_equal(mkdirat(top, "here", 0700), 0);
    assert_int_equal(mkdirat(top, "here/in", 0700), 0);
    assert_int_equal(mkdirat(top, "there", 0700), 0);
    pingo__walk_init(&w, pingo__world_real(), true);
    assert_int_equal(pingo__walk_enter(&w, top, "here", O_NOFOLLOW), 0);
    assert_string_equal(pingo__walk_next(&w), "in");
    assert_int_equal(pingo__walk_enter(&w, w.fd, "in", O_NOFOLLOW), 0);
    assert_int_equal(renameat(top, "here/in", top, "there/in"), 0);
    assert_int_equal(pingo__walk_leave(&w), -ESTALE);
    assert_int_equal(w.depth, 2);
    assert_int_equal(renameat(top, "there/in", top, "here/in"), 0);
    assert_int_equal(pingo__walk_leave(&w), 0);
    path_is(&w, "in");
    assert_null(pingo__walk_next(&w));
    pingo__walk_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk__names_come_in_order_and_once),
        cmocka_unit_test(test_walk__depth_is_no_limit),
        cmocka_unit_test(test_walk__a_link_is_not_followed),
        cmocka_unit_test(test_walk__the_way_back_leads_to_where_it_came_from),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
