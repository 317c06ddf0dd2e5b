/* test_make.c - a pool is made in HDFS where nothing is in its way; what cannot be made leaves nothing. */
#include "unit/pool/hdfs/far.h"

static void test_make__what_a_pool_has(void **state)
{
    struct pingo__hdfs_status status;
    (void)state;
    WELL(pingo__pool_hdfs_create(&far.site, ID, err));
    for (enum pingo__name_part i = 0; i < PINGO__PARTS; i++) {
        WELL(pingo__hdfs_status(far.fs, pingo__name_parts[i], &status, err));
        assert_true(status.is_directory);
        assert_int_equal(status.mode & 0777, 0700);
    }
    assert_true(holds(far.fs, PINGO__NAME_MARKER, ID "\n"));
    FAILS(pingo__pool_hdfs_create(&far.site, "another", err), PINGO_ESTORE, ID);
    WELL(pingo__pool_hdfs_create(&far.site, ID, err)); /* its own, whose store did not appear */
    assert_true(holds(far.fs, PINGO__NAME_MARKER, ID "\n"));
}

static void test_make__an_empty_directory_is_taken(void **state)
{
    (void)state;
    WELL(pingo__hdfs_make(far.fs, "trash", err));
    WELL(pingo__pool_hdfs_create(&far.site, ID, err));
}

static void test_make__what_is_in_the_way_stays_and_nothing_else(void **state)
{
    (void)state;
    put(far.fs, "trash/mine", "text");
    FAILS(pingo__pool_hdfs_create(&far.site, ID, err), PINGO_EEXISTS,
          "trash is there already and is not empty");
    assert_true(holds(far.fs, "trash/mine", "text"));
    assert_int_equal(entries(far.fs, ""), 1);
    WELL(pingo__hdfs_remove(far.fs, "trash", err));
    put(far.fs, "staged", "text");
    FAILS(pingo__pool_hdfs_create(&far.site, ID, err), PINGO_EEXISTS,
          "staged is there already and is no directory");
    assert_int_equal(entries(far.fs, ""), 1);
}

static void test_make__a_file_is_no_place(void **state)
{
    struct pingo__hdfs *root = NULL;
    char url[64];
    (void)state;
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/", server.ports[0]);
    WELL(pingo__hdfs_open(url, NULL, &root, err));
    WELL(pingo__hdfs_remove(far.fs, "", err));
    put(root, "pool", "text");
    FAILS(pingo__pool_hdfs_create(&far.site, ID, err), PINGO_EEXISTS, "it is a file");
    assert_true(holds(root, "pool", "text"));
    WELL(pingo__hdfs_remove(root, "pool", err));
    pingo__hdfs_close(root);
}

static void test_make__a_directory_of_its_own_goes_with_what_failed(void **state)
{
    (void)state;
    WELL(pingo__hdfs_remove(far.fs, "", err));
    fault(0, "quota", "CREATE", 9);
    assert_int_not_equal(pingo__pool_hdfs_create(&far.site, ID, NULL), 0);
    order("/clear");
    assert_false(is_there(far.fs, ""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_make__##name, far_begin, far_end)
    const struct CMUnitTest tests[] = {
        TEST(what_a_pool_has),
        TEST(an_empty_directory_is_taken),
        TEST(what_is_in_the_way_stays_and_nothing_else),
        TEST(a_file_is_no_place),
        TEST(a_directory_of_its_own_goes_with_what_failed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
