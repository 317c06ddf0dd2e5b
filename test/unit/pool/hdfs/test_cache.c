/* test_cache.c - copies of objects on this machine: brought once, dropped when they are of something else, trimmed by use. */
#include "unit/pool/hdfs/far.h"

#include <pthread.h>
#include <time.h>

#include "base/process.h"

static void fetch(const char *name)
{
    WELL(pingo__pool_hdfs_fetch(far.pool, name, err));
}

/* Where the copy is; NULL: there is none.  Good until the next call. */
static const char *cached(const char *name)
{
    static char *path;
    free(path);
    WELL(pingo__pool_hdfs_cached(far.pool, name, &path, err));
    return path;
}

static void check_copy(const char *name, const char *text)
{
    char got[64] = "";
    const char *path = cached(name);
    assert_non_null(path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && read(fd, got, sizeof got - 1) >= 0);
    close(fd);
    assert_string_equal(got, text);
}

/* Another content in the copy itself, by which it is known again. */
static void mark_copy(const char *name, const char *text)
{
    const char *path = cached(name);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(unlink(path), 0);
    write_file(path, text, 0644);
}

static void test_cache__is_brought_once(void **state)
{
    (void)state;
    put(far.fs, OBJECT, "one");
    assert_null(cached(OBJECT));
    fetch(OBJECT);
    check_copy(OBJECT, "one");
    mark_copy(OBJECT, "copy");
    fetch(OBJECT);
    check_copy(OBJECT, "copy"); /* it was not asked for again */
    WELL(pingo__hdfs_remove(far.fs, OBJECT, err));
    put(far.fs, OBJECT, "two");
    fetch(OBJECT); /* another one lies there now */
    check_copy(OBJECT, "two");
    pingo__pool_hdfs_forget(far.pool, OBJECT);
    assert_null(cached(OBJECT));
}

static void test_cache__a_tree_and_what_is_in_it(void **state)
{
    (void)state;
    put(far.fs, OBJECT "/below/file", "text");
    fetch(OBJECT "/below/file");
    check_copy(OBJECT "/below/file", "text");
    assert_non_null(cached(OBJECT));
}

static void test_cache__what_is_not_there(void **state)
{
    (void)state;
    FAILS(pingo__pool_hdfs_fetch(far.pool, OBJECT, err), PINGO_ENOTFOUND, "is not there");
    fetch("staged/7.2"); /* no object: it is found as it is */
    assert_null(cached("staged/7.2"));
    assert_null(cached(OBJECT));
}

static void test_cache__a_log_may_have_grown(void **state)
{
    (void)state;
    put(far.fs, "attempts/7.2/stdout", "one");
    fetch("attempts/7.2/stdout");
    check_copy("attempts/7.2/stdout", "one");
    WELL(pingo__hdfs_remove(far.fs, "attempts/7.2/stdout", err));
    put(far.fs, "attempts/7.2/stdout", "one two");
    fetch("attempts/7.2/stdout");
    check_copy("attempts/7.2/stdout", "one two");
}

#define READERS 4
#define READS 25
#define LOG_BYTES 300000

struct reader {
    pthread_t thread;
    int failed; /* reads that gave no error, and not all of it */
    int errors;
};

static void *read_log(void *context)
{
    struct reader *r = context;
    for (int i = 0; i < READS; i++) {
        struct pingo_error why = {0};
        struct stat st = {.st_size = -1};
        char *path = NULL;
        int rc = pingo__pool_hdfs_fetch(far.pool, "attempts/7.2/stdout", &why);
        if (!rc)
            rc = pingo__pool_hdfs_cached(far.pool, "attempts/7.2/stdout", &path, &why);
        r->errors += rc != 0;
        if (!rc && (!path || stat(path, &st) != 0 || st.st_size != LOG_BYTES))
            r->failed++;
        free(path);
    }
    return NULL;
}

/* A server's threads show it to several at once. */
static void test_cache__a_log_that_several_read(void **state)
{
    static char text[LOG_BYTES];
    struct reader readers[READERS] = {{.failed = 0}};
    (void)state;
    memset(text, 'x', sizeof text);
    WELL(pingo__hdfs_put_bytes(far.fs, "attempts/7.2/stdout", text, sizeof text, err));
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_log, &readers[i]), 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i].thread, NULL);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(readers[i].errors, 0);
        assert_int_equal(readers[i].failed, 0);
    }
}

static bool is_needed(void *context, const char *name)
{
    return context && strcmp(name, context) == 0;
}

static void test_cache__goes_by_last_use(void **state)
{
    static char needed[] = OTHER;
    struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    (void)state;
    put(far.fs, OBJECT, "one");
    put(far.fs, OTHER, "two");
    fetch(OBJECT);
    fetch(OTHER);
    assert_int_equal(utimensat(AT_FDCWD, far_near("cache/" HASH ".8.1.id"), then, 0), 0);
    WELL(pingo__pool_hdfs_shed(far.pool, 6, is_needed, NULL, err)); /* there is room for both */
    assert_true(far_is_near("cache/" HASH ".7.2") && far_is_near("cache/" HASH ".8.1"));
    WELL(pingo__pool_hdfs_shed(far.pool, 5, is_needed, NULL, err));
    assert_true(far_is_near("cache/" HASH ".7.2") && !far_is_near("cache/" HASH ".8.1"));
    fetch(OTHER);
    WELL(pingo__pool_hdfs_shed(far.pool, 0, is_needed, needed, err));
    assert_true(!far_is_near("cache/" HASH ".7.2") && far_is_near("cache/" HASH ".8.1"));
}

/* What a process that is gone was making, and what one that lives is; of another container's, what is old. */
static void test_cache__what_was_left_half_made_goes(void **state)
{
    char left[128], made[128], old[128], fresh[128];
    const unsigned long long here = pingo__process_namespace();
    const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, &status, 0);
    snprintf(left, sizeof left, "cache/" HASH ".7.2.making.%ld.%llu.00ff", (long)pid, here);
    snprintf(made, sizeof made, "cache/" HASH ".8.1.making.%ld.%llu.00ff", (long)getpid(), here);
    snprintf(old, sizeof old, "cache/" HASH ".8.1.making.%ld.%llu.00ff", (long)pid, here + 1);
    snprintf(fresh, sizeof fresh, "cache/" HASH ".7.2.making.%ld.%llu.00ff", (long)pid, here + 1);
    put(far.fs, OBJECT, "one");
    fetch(OBJECT); /* so that there is a cache */
    write_file(far_near(left), "half", 0600);
    write_file(far_near(made), "half", 0600);
    write_file(far_near(old), "half", 0600);
    write_file(far_near(fresh), "half", 0600);
    assert_int_equal(utimensat(AT_FDCWD, far_near(old), long_ago, 0), 0);
    WELL(pingo__pool_hdfs_shed(far.pool, 100, NULL, NULL, err));
    assert_false(far_is_near(left) || far_is_near(old));
    assert_true(far_is_near(made) && far_is_near(fresh));
    assert_non_null(cached(OBJECT));
}

static void test_cache__what_was_sent_is_a_copy_already(void **state)
{
    (void)state;
    put(far.fs, OBJECT, "one");
    write_file(far_near("staged/7.2"), "one", 0644);
    pingo__pool_hdfs_adopt(far.pool, "staged/7.2", OBJECT);
    assert_false(far_is_near("staged/7.2"));
    mark_copy(OBJECT, "copy");
    fetch(OBJECT);
    check_copy(OBJECT, "copy");
    put(far.fs, OTHER "/a", "one"); /* what HDFS has without links is no copy of one with them */
    assert_int_equal(mkdir(far_near("staged/8.1"), 0755), 0);
    assert_int_equal(symlink("a", far_near("staged/8.1/link")), 0);
    pingo__pool_hdfs_adopt(far.pool, "staged/8.1", OTHER);
    assert_false(far_is_near("staged/8.1"));
    assert_null(cached(OTHER));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_cache__##name, far_open, far_end)
    const struct CMUnitTest tests[] = {
        TEST(is_brought_once),
        TEST(a_tree_and_what_is_in_it),
        TEST(what_is_not_there),
        TEST(a_log_may_have_grown),
        TEST(a_log_that_several_read),
        TEST(goes_by_last_use),
        TEST(what_was_left_half_made_goes),
        TEST(what_was_sent_is_a_copy_already),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
