/* test_text.c - strings, paths, units, times and quoting: what base knows of words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/quoting.h"
#include "base/text.h"
#include "base/times.h"
#include "base/units.h"

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

static void test_units__reads_sizes(void **state)
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

        if (!pingo__units_parse_size(good[i].text, &bytes) || bytes != good[i].bytes)
            fail_msg("%s gives %lld", good[i].text, (long long)bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t bytes = -1;

        if (pingo__units_parse_size(bad[i], &bytes))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)bytes);
    }
}

static void test_units__prints_what_people_read(void **state)
{
    static const struct {
        int64_t number;
        const char *size, *duration;
    } rows[] = {
        {-1, "-", "-"},
        {0, "0 B", "0 ms"},
        {999, "999 B", "999 ms"},
        {1023, "1023 B", "1.0 s"},
        {1536, "1.5 KiB", "1.5 s"},
        {59949, "58.5 KiB", "59.9 s"},
        {59950, "58.5 KiB", "1 min 00 s"},
        {102348, "99.9 KiB", "1 min 42 s"},
        {102349, "100 KiB", "1 min 42 s"},
        {7384000, "7.0 MiB", "2 h 03 min"},
        {1048523, "1.0 MiB", "17 min 29 s"},
        {INT64_C(10) << 30, "10.0 GiB", "124 d 06 h"},
        {INT64_MAX, "8.0 EiB", "106751991167 d 07 h"},
    };
    char text[PINGO__UNITS_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(pingo__units_print_size(text, rows[i].number), rows[i].size);
        assert_string_equal(pingo__units_print_duration(text, rows[i].number), rows[i].duration);
    }
}

static void test_units__reads_durations(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"250ms", 250},    {"0s", 0},
                {"90s", 90000},    {"15m", 900000},
                {"7d", 604800000}, {"1000000000w", INT64_C(604800000) * 1000000000}};
    static const char *const bad[] = {"", "s", "1", "-1s", "1.5s", "1 s", "1sec", "1000000001s"};
    int64_t ms;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pingo__units_parse_duration(good[i].text, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (pingo__units_parse_duration(bad[i], &ms))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)ms);
}

static void test_times__reads_rfc_3339(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"1970-01-01T00:00:00Z", 0},
                {"2026-11-20T12:00:00Z", INT64_C(1795176000000)},
                {"2026-11-20t12:00:00.1234z", INT64_C(1795176000123)},
                {"2026-11-20T13:30:00+01:30", INT64_C(1795176000000)},
                {"2026-11-20T10:30:00-01:30", INT64_C(1795176000000)},
                {"2024-02-29T00:00:00Z", INT64_C(1709164800000)},
                {"2026-06-30T23:59:60Z", INT64_C(1782864000000)}};
    static const char *const bad[] = {"",
                                      "2026-11-20",
                                      "2026-11-20 12:00:00Z",
                                      "2026-11-20T12:00:00",
                                      "2026-11-20T12:00:00.Z",
                                      "2026-11-20T12:00:00Zz",
                                      "2026-11-20T24:00:00Z",
                                      "2026-13-20T12:00:00Z",
                                      "2026-02-29T12:00:00Z",
                                      "2026-00-01T12:00:00Z",
                                      "2026-1-20T12:00:00Z",
                                      "2026-11-20T12:00:00+0130",
                                      "1969-12-31T23:59:59Z"};
    int64_t ms;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pingo__times_parse(good[i].text, false, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (pingo__times_parse(bad[i], false, &ms))
            fail_msg("\"%s\" gives %lld", bad[i], (long long)ms);
    assert_true(pingo__times_parse("2026-11-20", true, &ms));
    assert_int_equal(ms, INT64_C(1795132800000));
    assert_false(pingo__times_parse("2026-11-20T", true, &ms));
}

static void test_times__prints_what_it_reads(void **state)
{
    char text[PINGO__TIMES_SIZE];
    int64_t ms;
    (void)state;
    for (int64_t t = 7; t < INT64_C(253402300800000); t = t * 3 + 86399977) {
        assert_true(pingo__times_parse(pingo__times_print(text, t), false, &ms));
        assert_int_equal(ms, t);
    }
    assert_string_equal(pingo__times_print(text, INT64_MAX), "9999-12-31T23:59:59.999Z");
    assert_string_equal(pingo__times_print_seconds(text, 1999), "1970-01-01T00:00:01Z");
}

static void test_quoting__writes_words_and_fields(void **state)
{
    static const struct {
        const char *text, *shell, *shown, *csv;
    } rows[] = {
        {"", "''", "''", ""},
        {"a-b/c.d=1", "a-b/c.d=1", "a-b/c.d=1", "a-b/c.d=1"},
        {"a b", "'a b'", "'a b'", "a b"},
        {"it's", "'it'\\''s'", "'it'\\''s'", "it's"},
        {"a\nb\x1b", "'a\nb\x1b'", "'a\\nb\\x1b'", "\"a\nb\x1b\""},
        {"\xc3\xa4\xff", "'\xc3\xa4\xff'", "'\xc3\xa4\\xff'", "\xc3\xa4\xff"},
        {"\xc2\x9b", "'\xc2\x9b'", "'\\xc2\\x9b'", "\xc2\x9b"},
        {"a,\"b\"", "'a,\"b\"'", "'a,\"b\"'", "\"a,\"\"b\"\"\""},
    };
    struct pingo__buffer b;
    (void)state;
    pingo__buffer_init(&b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pingo__quoting_shell(&b, rows[i].text);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].shell);
        pingo__buffer_reset(&b);
        pingo__quoting_shell_shown(&b, rows[i].text);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].shown);
        pingo__buffer_reset(&b);
        pingo__quoting_csv(&b, rows[i].text);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].csv);
        pingo__buffer_reset(&b);
    }
    pingo__buffer_clear(&b);
}

static void test_text__reads_hex(void **state)
{
    unsigned char bytes[3] = {0};
    (void)state;
    assert_true(pingo__text_from_hex("00ff1a", 3, bytes));
    assert_memory_equal(bytes, "\x00\xff\x1a", 3);
    assert_false(pingo__text_from_hex("00ff1", 3, bytes));
    assert_false(pingo__text_from_hex("00FF1a", 3, bytes));
    assert_false(pingo__text_from_hex("0g0000", 3, bytes));
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
        cmocka_unit_test(test_units__reads_sizes),
        cmocka_unit_test(test_units__prints_what_people_read),
        cmocka_unit_test(test_units__reads_durations),
        cmocka_unit_test(test_times__reads_rfc_3339),
        cmocka_unit_test(test_times__prints_what_it_reads),
        cmocka_unit_test(test_quoting__writes_words_and_fields),
        cmocka_unit_test(test_text__reads_hex),
        cmocka_unit_test(test_text__matches_patterns),
        cmocka_unit_test(test_text__writes_hex),
        cmocka_unit_test(test_path__joins_lexically),
        cmocka_unit_test(test_path__plain_names_children_and_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
