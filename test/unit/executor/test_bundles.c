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

static int save(const char *head, bool synced, char name[PINGO__BUNDLE_SIZE])
{
    return pingo__executor_bundle_save(pool, &(struct pingo__executor_bundle_list){head, keys, 2},
                                       synced, name);
}

static void take(void *context, const char *name, const struct pingo__executor_bundle_list *list)
{
    char *all = context;
    size_t at = strlen(all);
    snprintf(all + at, sizeof seen - at, "%s=%s", name, list->head);
    for (size_t i = 0; i < list->n; i++)
        snprintf(all + strlen(all), sizeof seen - strlen(all), "%s%d.%d", i ? "," : ":",
                 (int)list->keys[i].action, (int)list->keys[i].epoch);
    strcat(all, ";");
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

/* Those that may go. */
static const char *trim(const struct pingo_job_key *unsettled, size_t n)
{
    seen[0] = '\0';
    pingo__executor_bundles_trim(pool, unsettled, n, take, seen);
    return seen;
}

static void test_bundles__are_found_until_they_are_removed(void **state)
{
    char name[PINGO__BUNDLE_SIZE], other[PINGO__BUNDLE_SIZE], expected[96];
    (void)state;
    assert_string_equal(see(), "");
    assert_int_equal(save("", true, name), 0);
    assert_int_equal(save("", false, other), 0);
    assert_string_equal(name, other);
    snprintf(expected, sizeof expected, "%s=:7.1,8.2;", name);
    assert_string_equal(see(), expected);
    pingo__executor_bundle_remove(pool, name);
    assert_int_equal(save("an id", true, name), 0);
    snprintf(expected, sizeof expected, "%s=an id:7.1,8.2;", name);
    assert_string_equal(see(), expected);
    pingo__executor_bundle_remove(pool, name);
    assert_string_equal(see(), "");
}

static void plant(const char *name, const char *text)
{
    char path[PATH_MAX];
    path_of(path, name, "");
    mkdir(path, 0755);
    path_of(path, name, "list");
    assert_int_equal(pingo__file_write(AT_FDCWD, path, text, strlen(text), false), 0);
}

/* Under the name that is its own, or that of its first line. */
static void test_bundles__hold_keys_and_nothing_else(void **state)
{
    static const char *const texts[][2] = {
        {"7.1\n8.2\n", ":7.1,8.2"}, {"7.1\n8\n", ""}, {"7.1\n\n", ""},
        {"7.1\n8.2", ""},           {"0.1\n", ""},    {"x/7.1\n", ""},
        {"7.1\n8.2\n9\n", ""}};
    char name[PINGO__BUNDLE_SIZE], path[PATH_MAX], text[64], expected[96];
    (void)state;
    path_of(path, "", "");
    assert_int_equal(mkdir(path, 0755), 0);
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        const char *head = i % 2 ? "an id" : "";
        snprintf(text, sizeof text, "%s%s%s", head, i % 2 ? "\n" : "", texts[i / 2][0]);
        pingo__digest_short(text, i % 2 ? strlen(head) : strlen(text), name);
        plant(name, text);
        snprintf(expected, sizeof expected, "%s=%s%s;", name, head, texts[i / 2][1]);
        assert_string_equal(see(), expected);
        pingo__executor_bundle_remove(pool, name);
    }
    plant("0123456789abcdef", "7.1\n"); /* what has another name than its own is none */
    assert_string_equal(see(), "0123456789abcdef=;");
}

/* A pool that is away is not made anew where it was. */
static void test_bundles__are_not_where_there_is_no_pool(void **state)
{
    char path[96], name[PINGO__BUNDLE_SIZE];
    (void)state;
    snprintf(path, sizeof path, "%s/attempts", pool);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(save("", true, name), -ENOENT);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_bundles__what_cannot_be_read_is_passed_over(void **state)
{
    char path[PATH_MAX], name[PINGO__BUNDLE_SIZE], expected[64];
    (void)state;
    assert_int_equal(save("", false, name), 0);
    path_of(path, name, "list");
    assert_int_equal(unlink(path), 0);
    snprintf(expected, sizeof expected, "%s=;", name);
    assert_string_equal(see(), expected); /* it has none */
    assert_int_equal(symlink("list", path), 0);
    assert_string_equal(see(), "");
    path_of(path, "b", "");
    close(open(path, O_WRONLY | O_CREAT, 0600));
    assert_string_equal(see(), "b=;");
}

/* A list is as old as it is; a directory without one, as that. */
static void test_bundles__go_when_they_are_old_and_nobody_waits_for_them(void **state)
{
    const struct pingo_job_key others[] = {{9, 1}, {8, 2}};
    char path[PATH_MAX], name[PINGO__BUNDLE_SIZE], expected[64];
    (void)state;
    assert_int_equal(save("", false, name), 0);
    snprintf(expected, sizeof expected, "%s=:7.1,8.2;", name);
    grow_old(name, "");
    assert_string_equal(trim(NULL, 0), "");
    grow_old(name, "list");
    assert_string_equal(trim(others, 2), "");
    assert_string_equal(trim(others, 1), expected);
    assert_string_equal(trim(NULL, 0), expected);
    path_of(path, name, "list");
    assert_int_equal(unlink(path), 0);
    assert_string_equal(trim(NULL, 0), ""); /* the directory is new by that */
    grow_old(name, "");
    assert_string_equal(trim(others, 1), ""); /* whose it was nobody knows */
    snprintf(expected, sizeof expected, "%s=;", name);
    assert_string_equal(trim(NULL, 0), expected);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_bundles__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(are_found_until_they_are_removed),
        TEST(hold_keys_and_nothing_else),
        TEST(are_not_where_there_is_no_pool),
        TEST(what_cannot_be_read_is_passed_over),
        TEST(go_when_they_are_old_and_nobody_waits_for_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
