/* test_content.c - what lies in HDFS is told apart by Hadoop's checksums, names and kinds, and by nothing else. */
#include "unit/pool/hdfs/far.h"

static struct pingo__digest_content content_of(const char *name)
{
    struct pingo__digest_content_options options = {.no_follow = true};
    struct pingo__digest_content content;
    WELL(pingo__pool_hdfs_read(far.pool, name, &options, &content, err));
    return content;
}

static bool are_same(const char *a, const char *b)
{
    struct pingo__digest_content x = content_of(a), y = content_of(b);
    assert_int_not_equal(memcmp(&x.stamp, &y.stamp, sizeof x.stamp),
                         0); /* other files, in any case */
    return memcmp(&x.hash, &y.hash, sizeof x.hash) == 0;
}

static void put_tree(const char *top, const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", top, file);
    put(far.fs, path, text);
    snprintf(path, sizeof path, "%s/b/c", top);
    put(far.fs, path, "two");
}

static void test_content__is_what_is_in_it(void **state)
{
    struct pingo__digest_content content;
    (void)state;
    put_tree("objects/1", "a", "one");
    put_tree("objects/2", "a", "one");
    put_tree("objects/3", "a", "two");
    put_tree("objects/4", "d", "one");
    put_tree("objects/5", "a", "one");
    assert_true(are_same("objects/1", "objects/2"));
    assert_false(are_same("objects/1", "objects/3"));
    assert_false(are_same("objects/1", "objects/4"));
    assert_true(are_same("objects/1", "objects/5"));
    WELL(pingo__hdfs_set_mode(far.fs, "objects/5/a", 0755, err));
    assert_false(are_same("objects/1", "objects/5")); /* it can be run */
    WELL(pingo__hdfs_make(far.fs, "objects/2/empty", err));
    assert_false(are_same("objects/1", "objects/2"));
    assert_false(are_same("objects/1/a", "objects/3/b/c"));
    assert_true(are_same("objects/1/b/c", "objects/3/a"));
    content = content_of("objects/1");
    assert_true(content.is_directory && content.files == 2 && content.size_bytes == 6);
    content = content_of("objects/5/a");
    assert_true(!content.is_directory && content.is_executable && content.size_bytes == 3);
}

static void test_content__a_stamp_asks_for_no_checksums(void **state)
{
    struct pingo__digest_content_options options = {.no_follow = true, .only_stamp = true};
    struct pingo__digest_content first, again;
    (void)state;
    put_tree("objects/1", "a", "one");
    order("/clear");
    WELL(pingo__pool_hdfs_read(far.pool, "objects/1", &options, &first, err));
    assert_int_equal(order("/count/GETFILECHECKSUM"), 0);
    WELL(pingo__pool_hdfs_read(far.pool, "objects/1", &options, &again, err));
    assert_memory_equal(&first.stamp, &again.stamp, sizeof first.stamp);
    WELL(pingo__hdfs_remove(far.fs, "objects/1/a", err));
    put(far.fs, "objects/1/a", "one");
    WELL(pingo__pool_hdfs_read(far.pool, "objects/1", &options, &again, err));
    assert_int_not_equal(memcmp(&first.stamp, &again.stamp, sizeof first.stamp), 0);
    content_of("objects/1");
    assert_int_equal(order("/count/GETFILECHECKSUM"), 2);
}

static void test_content__nobody_writes_it_any_more(void **state)
{
    struct pingo__digest_content_options options = {.no_follow = true, .make_readonly = true};
    struct pingo__digest_content content;
    struct pingo__hdfs_status status;
    (void)state;
    put_tree("objects/1", "a", "one");
    WELL(pingo__hdfs_set_mode(far.fs, "objects/1/b/c", 0764, err));
    WELL(pingo__pool_hdfs_read(far.pool, "objects/1", &options, &content, err));
    WELL(pingo__hdfs_status(far.fs, "objects/1/b/c", &status, err));
    assert_int_equal(status.mode & 0777, 0544);
    WELL(pingo__hdfs_status(far.fs, "objects/1/a", &status, err));
    assert_int_equal(status.mode & 0222, 0);
}

static int stop(void *context, uint64_t files, uint64_t bytes)
{
    (void)context;
    return files > 0 || bytes > 0;
}

static void test_content__what_cannot_be_read(void **state)
{
    struct pingo__digest_content_options options = {.label = "LABEL", .progress = stop};
    struct pingo__digest_content content;
    (void)state;
    FAILS(pingo__pool_hdfs_read(far.pool, "objects/none", &options, &content, err), PINGO_EINPUT,
          "LABEL: ");
    put_tree("objects/1", "a", "one");
    FAILS(pingo__pool_hdfs_read(far.pool, "objects/1", &options, &content, err), PINGO_EINTERRUPTED,
          "LABEL: stopped");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_content__##name, far_open, far_end)
    const struct CMUnitTest tests[] = {
        TEST(is_what_is_in_it),
        TEST(a_stamp_asks_for_no_checksums),
        TEST(nobody_writes_it_any_more),
        TEST(what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
