/* test_files.c - where a name is looked for, near or there; what goes there; and what executors keep. */
#include "unit/pool/hdfs/far.h"

extern const struct pingo__pool_backend pingo__pool_hdfs;
#define TABLE pingo__pool_hdfs

static struct pingo__pool_state state_of(const char *name)
{
    struct pingo__pool_state found;
    WELL(TABLE.state(far.pool, name, &found, err));
    return found;
}

static void test_files__what_has_not_left_is_found_near(void **state)
{
    struct pingo__pool_state found;
    (void)state;
    write_file(far_near("staged/7.2"), "near", 0644);
    put(far.fs, "staged/7.2", "far away");
    put(far.fs, "staged/8.1", "far away");
    found = state_of("staged/7.2");
    assert_true(found.exists && found.size_bytes == 4);
    found = state_of("staged/8.1");
    assert_true(found.exists && found.size_bytes == 8 && !found.directory);
    assert_false(state_of("staged/9.1").exists);
    found = state_of("staged");
    assert_true(found.exists && found.directory);
    put(far.fs, OBJECT, "text"); /* objects are there alone */
    assert_int_equal(mkdir(far_near("objects"), 0700), 0);
    assert_true(state_of(OBJECT).size_bytes == 4);
}

static void test_files__what_becomes_an_object_is_sent(void **state)
{
    char *path = NULL;
    (void)state;
    WELL(pingo__hdfs_make(far.fs, "objects/aa", err));
    write_file(far_near("staged/7.2"), "text", 0644);
    WELL(TABLE.move(far.pool, "staged/7.2", OBJECT, err));
    assert_true(holds(far.fs, OBJECT, "text"));
    assert_int_equal(entries(far.fs, "staged"), 0); /* no part of the way is left */
    assert_false(far_is_near("staged/7.2"));
    WELL(TABLE.path(far.pool, OBJECT, &path, err)); /* it is a copy already */
    assert_non_null(path);
    free(path);
    write_file(far_near("staged/7.2"), "other", 0644);
    FAILS(TABLE.move(far.pool, "staged/7.2", OBJECT, err), PINGO_EEXISTS, "is there already");
    assert_true(holds(far.fs, OBJECT, "text"));
    assert_true(far_is_near("staged/7.2"));
    WELL(TABLE.move(far.pool, OBJECT, "trash/1", err));
    assert_true(is_there(far.fs, "trash/1") && !is_there(far.fs, OBJECT));
    WELL(TABLE.path(far.pool, OBJECT, &path, err)); /* with what it was a copy of */
    assert_null(path);
}

static void test_files__what_cannot_be_sent_is_told_by_its_own_name(void **state)
{
    (void)state;
    WELL(pingo__hdfs_make(far.fs, "objects/aa", err));
    assert_int_equal(mkdir(far_near("staged/7.2"), 0755), 0);
    write_file(far_near("staged/7.2/a:b"), "text", 0644);
    struct pingo_error why = {0};
    assert_int_equal(TABLE.move(far.pool, "staged/7.2", OBJECT, &why), PINGO_EINPUT);
    assert_true(strncmp(why.message, "a:b", 3) == 0);
    assert_true(far_is_near("staged/7.2/a:b"));
    assert_false(is_there(far.fs, OBJECT));
}

static void test_files__what_executors_keep_goes_by_age(void **state)
{
    struct pingo__hdfs_status status;
    (void)state;
    WELL(TABLE.trim(far.pool, INT64_MAX, err)); /* there is nothing of it */
    put(far.fs, "originals/one", "text");
    put(far.fs, "bundles/two", "text");
    WELL(pingo__hdfs_touch(far.fs, "originals/one", 1000, err));
    WELL(pingo__hdfs_status(far.fs, "bundles/two", &status, err));
    WELL(TABLE.trim(far.pool, 1000, err));
    assert_true(is_there(far.fs, "originals/one"));
    WELL(TABLE.trim(far.pool, 1001, err));
    assert_false(is_there(far.fs, "originals/one"));
    assert_true(is_there(far.fs, "bundles/two"));
    assert_int_equal(entries(far.fs, "trash"), 1);
}

static void test_files__an_engine_finds_it_by_its_url(void **state)
{
    char *uri = NULL, expected[128];
    (void)state;
    WELL(TABLE.place(far.pool, OBJECT, &uri, err));
    snprintf(expected, sizeof expected, "/pool/%s", OBJECT);
    assert_non_null(strstr(uri, expected));
    assert_non_null(strstr(uri, "://"));
    free(uri);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_files__##name, far_open, far_end)
    const struct CMUnitTest tests[] = {
        TEST(what_has_not_left_is_found_near),
        TEST(what_becomes_an_object_is_sent),
        TEST(what_cannot_be_sent_is_told_by_its_own_name),
        TEST(what_executors_keep_goes_by_age),
        TEST(an_engine_finds_it_by_its_url),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
