/* test_trees.c - trees there and back. */
#include "unit/hdfs/served.h"

static void test_trees__trees(void **state)
{
    struct pingo__hdfs *fs = open_fs("/trees", 0);
    (void)state;
    check_trees(fs);
    fault(0, "cut", "DATA-CREATE", 3);
    fault(0, "lost", "RENAME", 1);
    WELL(pingo__hdfs_put_tree(fs, at("%s/%s", "tree"), "t/tree", NULL, err));
    assert_true(holds(fs, "t/tree/a", "one") && holds(fs, "t/tree/b/c", "two"));
    order("/clear");
    fault(0, "short", "DATA-CREATE", 1);
    FAILS(pingo__hdfs_put_tree(fs, at("%s/%s", "tree"), "t/again", NULL, err), PINGO_EIO,
          "not as it was sent");
    assert_int_equal(entries(fs, "t"), 1);
    pingo__hdfs_close(fs);
}

static void test_trees__trees_that_cannot_be_held(void **state)
{
    static const struct {
        const char *link, *to, *words;
    } rows[] = {{"out", "/etc/passwd", "leads out"},
                {"dangling", "nothing", "or nowhere"},
                {"up", "..", "leads out"},
                {"self", ".", "in a circle"},
                {"a:b", NULL, "colon"},
                {"\xff", NULL, "UTF-8"},
                {"fifo", "", "neither"}};
    struct pingo__hdfs *fs = open_fs("/cannot", 0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char top[128], path[256];
        snprintf(top, sizeof top, "%s/cannot", scratch);
        snprintf(path, sizeof path, "%s/%s", top, rows[i].link);
        assert_int_equal(mkdir(top, 0755), 0);
        if (!rows[i].to)
            write_file(path, "", 0644);
        else
            assert_int_equal(*rows[i].to ? symlink(rows[i].to, path) : mkfifo(path, 0600), 0);
        order("/clear");
        FAILS(pingo__hdfs_put_tree(fs, top, "x", NULL, err), PINGO_EINPUT, rows[i].words);
        assert_int_equal(order("/count/CREATE") + order("/count/MKDIRS"), 0);
        assert_int_equal(pingo__tree_remove(AT_FDCWD, top), 0);
    }
    pingo__hdfs_close(fs);
}

/* So many directories of this name, one in the other; depth is what counts, and not how long it makes a path. */
static void test_trees__trees_that_are_deep(void **state)
{
    static const struct {
        const char *name;
        int n;
        bool fits;
    } rows[] = {{"d", 502, false}, {"a name that is longer than most names are", 30, true}};
    struct pingo__hdfs *fs = open_fs("/deep", 0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char top[128], path[4096];
        snprintf(top, sizeof top, "%s/deep", scratch);
        size_t n = (size_t)snprintf(path, sizeof path, "%s", top);
        assert_int_equal(mkdir(path, 0755), 0);
        for (int k = 0; k < rows[i].n; k++) {
            n += (size_t)snprintf(path + n, sizeof path - n, "/%s", rows[i].name);
            assert_int_equal(mkdir(path, 0755), 0);
        }
        order("/clear");
        if (rows[i].fits)
            WELL(pingo__hdfs_put_tree(fs, top, "x", NULL, err));
        else
            FAILS(pingo__hdfs_put_tree(fs, top, "x", NULL, err), PINGO_EINPUT, "too deep");
        assert_int_equal(is_there(fs, "x"), rows[i].fits);
        assert_int_equal(pingo__tree_remove(AT_FDCWD, top), 0);
    }
    pingo__hdfs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees__trees),
        cmocka_unit_test(test_trees__trees_that_cannot_be_held),
        cmocka_unit_test(test_trees__trees_that_are_deep),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
