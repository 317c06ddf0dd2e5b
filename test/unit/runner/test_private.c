/* test_private.c - an output becomes the pool's, and what is somebody else's stays as it was: private.c. */
#include "unit/runner/ground.h"
#include "unit/runner/late.h"

#include "runner/steps.h"

static int make_private(struct ground *g, const char *name)
{
    return pingo__runner_private_make(g->scratch.work, name, &g->orders);
}

static nlink_t names_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_nlink;
}

static void test_private__a_file_with_other_names_is_copied(void **state)
{
    struct ground *g = ground_new();
    struct stat theirs, ours;
    (void)state;
    const char *outside = ground_path(g, "theirs");
    ground_write(outside, "one", 0640);
    int fd = open(outside, O_WRONLY | O_CLOEXEC); /* a hole of a megabyte, and a byte behind it */
    assert_int_equal(pwrite(fd, "x", 1, 1 << 20), 1);
    close(fd);
    assert_int_equal(mkdir(ground_work(g, "output"), 0755), 0);
    assert_int_equal(link(outside, ground_work(g, "output/a")), 0);
    ground_write(ground_work(g, "output/b"), "own", 0644);
    assert_int_equal(stat(ground_work(g, "output/b"), &ours), 0);
    ino_t own = ours.st_ino;
    assert_int_equal(make_private(g, "output"), 0);
    assert_int_equal(stat(outside, &theirs), 0);
    assert_int_equal(stat(ground_work(g, "output/a"), &ours), 0);
    assert_int_not_equal(theirs.st_ino, ours.st_ino);
    assert_int_equal(names_of(outside), 1);
    assert_int_equal(theirs.st_mode & 07777, 0640);
    assert_int_equal(ours.st_mode & 07777, 0640);
    assert_int_equal(ours.st_size, theirs.st_size);
    assert_true(ours.st_blocks * 512 < 1 << 20); /* still a hole */
    assert_int_equal(stat(ground_work(g, "output/b"), &ours), 0);
    assert_int_equal(ours.st_ino, own); /* what was ours is not copied */
    ground_free(g);
}

static void test_private__what_is_shut_is_opened(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    assert_int_equal(mkdir(ground_work(g, "output"), 0755), 0);
    assert_int_equal(mkdir(ground_work(g, "output/d"), 0755), 0);
    ground_write(ground_work(g, "output/d/f"), "x", 0);
    assert_int_equal(symlink("d/f", ground_work(g, "output/l")), 0);
    assert_int_equal(chmod(ground_work(g, "output/d"), 0), 0);
    assert_int_equal(make_private(g, "output"), 0);
    assert_int_equal(ground_mode(ground_work(g, "output/d")), 0700);
    assert_int_equal(ground_mode(ground_work(g, "output/d/f")), 0400);
    ground_free(g);
}

static void test_private__it_can_be_stopped(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    assert_int_equal(mkdir(ground_work(g, "output"), 0755), 0);
    ground_write(ground_work(g, "output/f"), "x", 0644);
    g->order = PINGO_END_KILLED;
    assert_int_equal(make_private(g, "output"), -ECANCELED);
    assert_int_equal(make_private(g, "absent"), -ENOENT);
    ground_free(g);
}

static void test_private__a_copy_that_was_not_written_is_no_output(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    const char *outside = ground_path(g, "theirs");
    ground_write(outside, "one", 0644);
    assert_int_equal(link(outside, ground_work(g, "output")), 0);
    is_late = true;
    assert_int_equal(make_private(g, "output"), -EDQUOT);
    is_late = false;
    assert_int_equal(names_of(outside), 2); /* the copy has gone, and what was there is there */
    assert_int_equal(make_private(g, "output"), 0);
    assert_int_equal(names_of(outside), 1);
    ground_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private__a_file_with_other_names_is_copied),
        cmocka_unit_test(test_private__what_is_shut_is_opened),
        cmocka_unit_test(test_private__it_can_be_stopped),
        cmocka_unit_test(test_private__a_copy_that_was_not_written_is_no_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
