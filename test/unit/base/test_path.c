/* test_path.c - paths as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/path.h"

static void test_path__joins_lexically(void **state)
{
    static const char *const rows[][3] = {
        {"/base", "a", "/base/a"},  {"/base", "./a//b/.", "/base/a/b"},
        {"/base", "../a", "/a"},    {"/base", "../../../a", "/a"},
        {"/base/", "", "/base"},    {"/base", "/a/../b", "/b"},
        {NULL, "/", "/"},           {NULL, "/..", "/"},
        {"/", "a", "/a"},           {"/b/./c/../d//", "e/", "/b/d/e"},
        {"/base", "..", "/"},       {"/base", "...", "/base/..."},
        {"/base", "a/..", "/base"}, {NULL, "//a", "/a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *path = pingo__path_join(rows[i][0], rows[i][1]);
        assert_string_equal(path, rows[i][2]);
        free(path);
    }
    assert_null(pingo__path_join(NULL, "a"));
    assert_null(pingo__path_join("base", "a"));
}

static void test_path__plain_names_children_and_below(void **state)
{
    char *child = pingo__path_child("a/b", "c");

    (void)state;
    assert_string_equal(child, "a/b/c");
    free(child);
    child = pingo__path_child("/", "c");
    assert_string_equal(child, "/c");
    free(child);
    assert_string_equal(pingo__path_last("/a/b.c"), "b.c");
    assert_string_equal(pingo__path_last("b"), "b");
    assert_string_equal(pingo__path_last("a/"), "");
    assert_true(pingo__path_is_plain("a.b"));
    assert_true(pingo__path_is_plain("..."));
    assert_false(pingo__path_is_plain(""));
    assert_false(pingo__path_is_plain("."));
    assert_false(pingo__path_is_plain(".."));
    assert_false(pingo__path_is_plain("a/b"));
    assert_true(pingo__path_is_below("/a/b", "/a"));
    assert_true(pingo__path_is_below("/a", "/a"));
    assert_true(pingo__path_is_below("/a", "/"));
    assert_false(pingo__path_is_below("/ab", "/a"));
    assert_false(pingo__path_is_below("/a", "/a/b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path__joins_lexically),
        cmocka_unit_test(test_path__plain_names_children_and_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
