/* test_bundles.c - lists of attempts that go together: what lies on the disk, and how old it is. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tree.h"
#include "executor/bundles.h"

static const struct pingo_job_key keys[] = {{7, 1}, {8, 2}};
static char pool[64], seen[200];

static int begin(void **state)
{
    char path[96];
    (void)state;
    strcpy(pool, "/tmp/pingo-bundles-XXXXXX");
    assert_non_null(mkdtemp(pool));
    snprintf(path, sizeof path, "%s/attempts", pool);
    return mkdir(path, 0755);
}

static int finish(void **state)
{
    (void)state;
    return pingo__tree_remove(AT_FDCWD, pool);
}

static void path_of(char path[PATH_MAX], const char *name, const char *file)
{
    char *text = pingo__executor_bundle_path(pool, name, file);
    assert_non_null(text);
    snprintf(path, PATH_MAX, "%s", text);
    free(text);
}

static int save(const char *name, bool synced)
{
    struct pingo__buffer text = {0};
    pingo__executor_bundle_put(&text, keys, 2);
    int rc = pingo__executor_bundle_save(pool, name, &text, synced);
    pingo__buffer_clear(&text);
    return rc;
}

static void take(void *context, const char *name, char *text, bool is_old)
{
    char *all = context;
    size_t at = strlen(all);
    snprintf(all + at, sizeof seen - at, "%s=%s%s;", name, text, is_old ? "old" : "");
}

static const char *see(void)
{
    seen[0] = '\0';
    pingo__executor_bundles_each(pool, take, seen);
    return seen;
}

static void grow_old(const char *name, const char *file)
{
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[PATH_MAX];
    path_of(path, name, file);
    assert_int_equal(utimensat(AT_FDCWD, path, old, AT_SYMLINK_NOFOLLOW), 0);
}

static void test_bundles__are_found_until_they_are_removed(void **state)
{
    char name[PINGO__BUNDLE_SIZE];
    (void)state;
    assert_string_equal(see(), "");
    assert_string_equal(pingo__executor_bundle_name("abc", 3, name), "ba7816bf8f01cfea");
    assert_int_equal(save(name, true), 0);
    assert_int_equal(save(name, false), 0);
    assert_string_equal(see(), "ba7816bf8f01cfea=7.1\n8.2\n;");
    pingo__executor_bundle_remove(pool, name);
    assert_string_equal(see(), "");
}

static void test_bundles__hold_keys_and_nothing_else(void **state)
{
    static const struct {
        const char *text;
        int n; /* -1: none */
    } rows[] = {{"7.1\n8.2\n", 2}, {"", 0},         {"7.1\n8\n", -1},
                {"7.1\n\n", -1},   {"7.1\n8.2", 1}, {"99999999999999999999.1\n", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n;
        char *text = strdup(rows[i].text);
        struct pingo_job_key *read = pingo__executor_bundle_keys(text, &n);
        assert_int_equal(read ? (int)n : -1, rows[i].n);
        assert_true(rows[i].n < 1 || memcmp(read, keys, n * sizeof *keys) == 0);
        free(read);
        free(text);
    }
}

/* A pool that is away is not made anew where it was. */
static void test_bundles__are_not_where_there_is_no_pool(void **state)
{
    char path[96];
    (void)state;
    snprintf(path, sizeof path, "%s/attempts", pool);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(save("0123456789abcdef", true), -ENOENT);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_bundles__what_cannot_be_read_is_passed_over(void **state)
{
    char path[PATH_MAX];
    (void)state;
    assert_int_equal(save("a", false), 0);
    path_of(path, "a", "list");
    assert_int_equal(unlink(path), 0);
    assert_string_equal(see(), "a=;"); /* it has none */
    assert_int_equal(symlink("list", path), 0);
    assert_string_equal(see(), "");
    path_of(path, "b", "");
    close(open(path, O_WRONLY | O_CREAT, 0600));
    assert_string_equal(see(), "b=;");
}

static void test_bundles__are_as_old_as_their_lists(void **state)
{
    char path[PATH_MAX];
    (void)state;
    assert_int_equal(save("a", false), 0);
    grow_old("a", "");
    assert_string_equal(see(), "a=7.1\n8.2\n;");
    grow_old("a", "list");
    assert_string_equal(see(), "a=7.1\n8.2\nold;");
    path_of(path, "a", "list");
    assert_int_equal(unlink(path), 0);
    assert_string_equal(see(), "a=;"); /* the directory is new by that */
    grow_old("a", "");
    assert_string_equal(see(), "a=old;");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_bundles__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(are_found_until_they_are_removed), TEST(hold_keys_and_nothing_else),
        TEST(are_not_where_there_is_no_pool),   TEST(what_cannot_be_read_is_passed_over),
        TEST(are_as_old_as_their_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
