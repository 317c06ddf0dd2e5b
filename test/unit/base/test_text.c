/* test_text.c - strings and paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"

static void test_text__suggests_the_nearest_word(void **state)
{
    static const char *const words[] = {"id", "name", "type", "parentActions", "command", "env"};
    static const struct {
        const char *word, *nearest;
    } rows[] = {
        {"nmae", "name"},
        {"Name", "name"},
        {"comand", "command"},
        {"ids", "id"},
        {"parents", "parentActions"},
        {"xyz", NULL},
        {"", NULL},
        {"q", NULL},
        {"envs", "env"},
        {"tpye", "type"},
        {"parentactions", "parentActions"},
        {"description", NULL},
    };
    char longest[200];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *found = pingo__text_nearest(rows[i].word, words, 6);
        if (rows[i].nearest == NULL)
            assert_null(found);
        else
            assert_string_equal(found, rows[i].nearest);
    }
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_null(pingo__text_nearest(longest, words, 6));
}

static void test_text__knows_utf8(void **state)
{
    static const char *const valid[] = {"",
                                        "a",
                                        "\xc2\x80",
                                        "\xdf\xbf",
                                        "\xe0\xa0\x80",
                                        "\xed\x9f\xbf",
                                        "\xee\x80\x80",
                                        "\xf0\x90\x80\x80",
                                        "\xf4\x8f\xbf\xbf",
                                        "\xe2\x82\xac z"};
    static const char *const invalid[] = {"\x80",
                                          "\xc0\x80",
                                          "\xc1\xbf",
                                          "\xc3",
                                          "\xc3(",
                                          "\xe0\x80\x80",
                                          "\xe0\x9f\xbf",
                                          "\xed\xa0\x80",
                                          "\xed\xbf\xbf",
                                          "\xe2\x82",
                                          "\xf0\x80\x80\x80",
                                          "\xf0\x8f\xbf\xbf",
                                          "\xf4\x90\x80\x80",
                                          "\xf5\x80\x80\x80",
                                          "\xfe",
                                          "\xff",
                                          "\xf0\x90\x80",
                                          "a\xbf"};

    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        assert_true(pingo__text_is_utf8(valid[i], strlen(valid[i])));
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        assert_false(pingo__text_is_utf8(invalid[i], strlen(invalid[i])));
    assert_false(pingo__text_is_utf8("a\0b", 3));
}

static void test_text__reads_integers(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-1", -1},
                {"42", 42},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN}};
    static const char *const bad[] = {"",
                                      "-",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "0x1",
                                      "--1",
                                      "1e3",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    int64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pingo__text_to_int64(good[i].text, INT64_MIN, INT64_MAX, &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(pingo__text_to_int64(bad[i], INT64_MIN, INT64_MAX, &value));
    assert_false(pingo__text_to_int64("5", 0, 4, &value));
    assert_false(pingo__text_to_int64("-1", 0, 4, &value));
}

static void test_text__reads_sizes(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"0", 0},
                {"4096", 4096},
                {"7B", 7},
                {"7 b", 7},
                {"1K", 1024},
                {"1k", 1024},
                {"1KiB", 1024},
                {"1kB", 1000},
                {"1KB", 1000},
                {"10G", INT64_C(10) << 30},
                {"10 GiB", INT64_C(10) << 30},
                {"10GB", INT64_C(10000000000)},
                {"1.5GB", 1500000000},
                {"1.5G", INT64_C(3) << 29},
                {"0.001K", 1},
                {"1.9999kB", 1999},
                {"2T", INT64_C(1) << 41},
                {"3PiB", INT64_C(3) << 50},
                {"9223372036854775807", INT64_MAX},
                {"8191P", INT64_C(8191) << 50}};
    static const char *const bad[] = {"",
                                      " ",
                                      "K",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1  K",
                                      "1.",
                                      "1.K",
                                      ".5K",
                                      "1.5",
                                      "1.5B",
                                      "1Q",
                                      "1Ki",
                                      "1KiBB",
                                      "1i",
                                      "1BB",
                                      "1K ",
                                      "1,5K",
                                      "8192P",
                                      "9223372036854775808",
                                      "99999999999999999999",
                                      "0x10",
                                      "1e3"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t bytes = -1;

        if (!pingo__text_to_size(good[i].text, &bytes) || bytes != good[i].bytes)
            fail_msg("%s gives %lld", good[i].text, (long long)bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t bytes = -1;

        if (pingo__text_to_size(bad[i], &bytes))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)bytes);
    }
}

static void test_text__matches_patterns(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } rows[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"**", "abc", true},
        {"align_*", "align_s1", true},
        {"align_*", "calign_s1", false},
        {"*s1*", "align_s1_x", true},
        {"*ab*ab", "ababab", true},
        {"*ab*abc", "ababab", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"a?c",
         "a\xc3\xa4"
         "c",
         true},
        {"[a-c]1", "b1", true},
        {"[!a-c]1", "b1", false},
        {"[^a-c]1", "d1", true},
        {"[]]", "]", true},
        {"[a", "[a", true},
        {"x[1]", "x[1]", false},
        {"x[1]", "x1", true},
        {"[\xc3\xa4-\xc3\xb6]", "\xc3\xa5", true},
        {"[a-\xc3\xb6]", "\xc3\xa5", true},
        {"[a-z]", "\xc3\xa5", false},
        {"[a-", "[a-", true},
        {"*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (pingo__text_glob(rows[i].pattern, rows[i].text) != rows[i].matches)
            fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].text);
}

static void test_text__writes_hex(void **state)
{
    char out[9];

    (void)state;
    pingo__text_hex("\x00\x0f\xa5\xff", 4, out);
    assert_string_equal(out, "000fa5ff");
}

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
        cmocka_unit_test(test_text__suggests_the_nearest_word),
        cmocka_unit_test(test_text__knows_utf8),
        cmocka_unit_test(test_text__reads_integers),
        cmocka_unit_test(test_text__reads_sizes),
        cmocka_unit_test(test_text__matches_patterns),
        cmocka_unit_test(test_text__writes_hex),
        cmocka_unit_test(test_path__joins_lexically),
        cmocka_unit_test(test_path__plain_names_children_and_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
