/* test_files.c - names that cannot be, changes that nobody answered, and words that are hostile. */
#include "unit/hdfs/served.h"

static void test_files__names_that_cannot_be(void **state)
{
    struct pingo__hdfs *fs = open_fs("/names", 0);
    struct pingo__hdfs_status status;
    char name[9000];
    (void)state;
    memset(name, 'x', sizeof name);
    name[256] = '\0';
    order("/clear");
    FAILS(pingo__hdfs_put_bytes(fs, "a:b", "", 0, err), PINGO_EINVAL, "a colon");
    FAILS(pingo__hdfs_make(fs, name, err), PINGO_EINVAL, "255 bytes");
    FAILS(pingo__hdfs_rename(fs, "a", name, err), PINGO_EINVAL, "255 bytes");
    FAILS(pingo__hdfs_make(fs, "a/\xc3", err), PINGO_EINVAL, "UTF-8");
    FAILS(pingo__hdfs_status(fs, "a/../../b", &status, err), PINGO_EINVAL, "\"..\"");
    FAILS(pingo__hdfs_remove(fs, ".snapshot", err), PINGO_EINVAL, "for itself");
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 2 ? '/' : 'x';
    name[4000] = '\0';
    FAILS(pingo__hdfs_make(fs, name, err), PINGO_EINVAL, "1000 directories");
    memset(name, 'x', sizeof name);
    for (size_t i = 0; i < 8500; i += 200)
        name[i] = '/';
    name[8500] = '\0';
    FAILS(pingo__hdfs_make(fs, name, err), PINGO_EINVAL, "8000 bytes");
    assert_int_equal(order("/count/MKDIRS") + order("/count/CREATE") + order("/count/DELETE"), 0);
    pingo__hdfs_close(fs);
}

static void test_files__a_rename_that_nobody_answered(void **state)
{
    struct pingo__hdfs *fs = open_fs("/rename", 0);
    (void)state;
    put(fs, "a", "text");
    put(fs, "z", "other");
    order("/clear");
    WELL(pingo__hdfs_rename(fs, "z", "y", err));
    WELL(pingo__hdfs_rename(fs, "y", "z", err));
    assert_int_equal(order("/count/RENAME"), 2);
    fault(0, "lost", "RENAME", 1); /* it was done */
    WELL(pingo__hdfs_rename(fs, "a", "b", err));
    fault(0, "slam", "RENAME", 2); /* it was not */
    WELL(pingo__hdfs_rename(fs, "b", "c", err));
    assert_true(holds(fs, "c", "text"));
    assert_int_equal(entries(fs, ""), 2);
    fault(0, "lost", "RENAME", 1); /* of one that is refused */
    FAILS(pingo__hdfs_rename(fs, "c", "z", err), PINGO_EEXISTS, "AlreadyExists");
    assert_true(holds(fs, "z", "other"));
    FAILS(pingo__hdfs_rename(fs, "nothing", "d", err), PINGO_ENOTFOUND, "not there");
    WELL(pingo__hdfs_move(fs, "c", "deep/er/c", err));
    FAILS(pingo__hdfs_move(fs, "nothing", "no/where/d", err), PINGO_ENOTFOUND, "not there");
    assert_false(is_there(fs, "no"));
    fault(0, "slam", "RENAME", 1000);
    FAILS(pingo__hdfs_rename(fs, "deep/er/c", "d", err), PINGO_EAWAY, "");
    assert_true(is_there(fs, "deep/er/c"));
    pingo__hdfs_close(fs);
}

static void test_files__other_changes_that_nobody_answered(void **state)
{
    struct pingo__hdfs *fs = open_fs("/others", 0);
    struct pingo__hdfs_status status;
    (void)state;
    fault(0, "lost", "MKDIRS", 1);
    WELL(pingo__hdfs_make(fs, "d", err));
    put(fs, "d/f", "text");
    fault(0, "slam", "SETPERMISSION", 1);
    WELL(pingo__hdfs_set_mode(fs, "d/f", 0444, err));
    WELL(pingo__hdfs_status(fs, "d/f", &status, err));
    assert_int_equal(status.mode, 0444);
    fault(0, "lost", "DELETE", 1);
    WELL(pingo__hdfs_remove(fs, "d", err));
    assert_false(is_there(fs, "d"));
    pingo__hdfs_close(fs);
}

/* Of a cluster that does not tell its own. */
static void test_files__a_quota_is_the_space(void **state)
{
    struct pingo__hdfs *fs = open_fs("/quota", 0);
    struct pingo__hdfs_space space;
    (void)state;
    WELL(pingo__hdfs_make(fs, "limited", err));
    put(fs, "limited/f", "text");
    WELL(pingo__hdfs_space(fs, "limited", &space, err));
    assert_true(space.free_bytes == 2 && space.used_bytes == 4 && space.own_bytes == 4);
    put(fs, "limited/g", "more");
    WELL(pingo__hdfs_space(fs, "limited", &space, err));
    assert_true(space.free_bytes == 0 && space.used_bytes == 8 && space.own_stored_bytes == 8);
    pingo__hdfs_close(fs);
}

/* What is lost, and what may come back. */
static void test_files__checksums_that_cannot_be_had(void **state)
{
    struct pingo__hdfs *fs = open_fs("/checksums", 0);
    char text[PINGO__HDFS_CHECKSUM_SIZE];
    (void)state;
    put(fs, "a", "text");
    fault(0, "lost-block", "GETFILECHECKSUM", 2);
    fault(0, "denied", "DATA-GETFILECHECKSUM", 1);
    WELL(pingo__hdfs_checksum(fs, "a", text, err));
    order("/clear");
    fault(0, "lost-block", "GETFILECHECKSUM", 100);
    FAILS(pingo__hdfs_checksum(fs, "a", text, err), PINGO_EINPUT, "No active nodes");
    order("/dead/1");
    FAILS(pingo__hdfs_checksum(fs, "a", text, err), PINGO_EIO, "No active nodes");
    order("/dead/0");
    order("/clear");
    fault(0, "denied", "DATA-GETFILECHECKSUM", 100);
    FAILS(pingo__hdfs_checksum(fs, "a", text, err), PINGO_EIO, "AccessControl");
    pingo__hdfs_close(fs);
}

static void test_files__hostile_answers(void **state)
{
    struct pingo__hdfs *fs = open_fs("/hostile", SHORT_MS);
    struct pingo__hdfs_status status;
    struct pingo__hdfs_summary summary;
    struct pingo__hdfs_space space;
    char sum[PINGO__HDFS_CHECKSUM_SIZE], *token, word[24];
    (void)state;
    for (int i = 0; i < 14; i++) {
        size_t n = 0;
        snprintf(word, sizeof word, "garbage%d", i);
        order("/clear");
        fault(0, word, "-", 1000);
        FAILS(pingo__hdfs_status(fs, "x", &status, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_list(fs, "x", count_one, &n, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_walk(fs, "x", count_one, &n, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_summary(fs, "x", &summary, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_checksum(fs, "x", sum, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_token(fs, "me", &token, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_put_bytes(fs, "x", "", 0, err), PINGO_EIO, "WebHDFS");
        WELL(pingo__hdfs_space(fs, "x", &space, err));
        assert_true(space.free_bytes == -1 && space.used_bytes == -1);
        assert_true(n <= 2);
    }
    order("/clear");
    WELL(pingo__hdfs_token(fs, "me", &token, err));
    assert_string_equal(token, "a-token");
    free(token);
    pingo__hdfs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files__names_that_cannot_be),
        cmocka_unit_test(test_files__a_rename_that_nobody_answered),
        cmocka_unit_test(test_files__other_changes_that_nobody_answered),
        cmocka_unit_test(test_files__a_quota_is_the_space),
        cmocka_unit_test(test_files__checksums_that_cannot_be_had),
        cmocka_unit_test(test_files__hostile_answers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
