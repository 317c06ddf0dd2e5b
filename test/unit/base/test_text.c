/* test_text.c - strings: the nearest word, UTF-8, numbers, hex, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

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

static void test_text__finds_a_word_in_a_list(void **state)
{
    (void)state;
    assert_int_equal(pingo__text_place("a|bc|d", "a"), 0);
    assert_int_equal(pingo__text_place("a|bc|d", "bc"), 1);
    assert_int_equal(pingo__text_place("a|bc|d", "d"), 2);
    assert_int_equal(pingo__text_place("a|bc|d", "b"), -1);
    assert_int_equal(pingo__text_place("a|bc|d", "bcd"), -1);
    assert_int_equal(pingo__text_place("a|bc|d", "a|bc"), -1);
    assert_int_equal(pingo__text_place("a|bc|d", ""), -1);
    assert_int_equal(pingo__text_place("", ""), -1);
    assert_int_equal(pingo__text_place(NULL, "a"), -1);
    assert_true(pingo__text_is_among("a|bc|d", "a"));
    assert_false(pingo__text_is_among("a|bc|d", "c"));
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
    for (size_t i = 0; i < 20; i++) { /* wherever it stands, and whatever stands around it */
        static const char bytes[] = {'\0', '\x80', '\xff', '\xc3', '\x01', '\x7f'};
        char text[20];
        for (size_t k = 0; k < sizeof bytes; k++) {
            memset(text, 'a', sizeof text);
            text[i] = bytes[k];
            assert_int_equal(pingo__text_is_utf8(text, sizeof text), k >= 4);
        }
    }
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

static void test_text__knows_hexadecimal_digits(void **state)
{
    static const char digits[] = "0123456789abcdef", capitals[] = "0123456789ABCDEF";
    (void)state;
    for (int i = 0; i < 16; i++) {
        assert_int_equal(pingo__text_hex_digit(digits[i]), i);
        assert_int_equal(pingo__text_hex_digit(capitals[i]), i);
    }
    for (const char *c = "gG/:@`\x10\x11\xc1\xe1"; *c; c++)
        assert_int_equal(pingo__text_hex_digit(*c), -1);
    assert_int_equal(pingo__text_hex_digit('\0'), -1);
}

static void test_text__writes_what_stands_in_a_url(void **state)
{
    struct pingo__buffer b = {0};
    (void)state;
    pingo__text_percent(&b, "azAZ09/-._~", "/-");
    pingo__text_percent(&b, " [`{@%\x7f\xc3\xa9", "");
    assert_string_equal(pingo__buffer_cstr(&b), "azAZ09/-%2E%5F%7E%20%5B%60%7B%40%25%7F%C3%A9");
    pingo__buffer_clear(&b);
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

static void test_text__reads_numbers_with_a_fraction(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0}, {"12", 12}, {"-0.5", -0.5}, {"0.1", 0.1}, {"9007199254740992", 0x1p53}};
    static const char *const bad[] = {"",      "-",
                                      ".5",    "5.",
                                      "1e3",   "1,5",
                                      " 1",    "1 ",
                                      "+1",    "0x1",
                                      "nan",   "9007199254740993",
                                      "1.2.3", "12345678901234567"};
    double value = 7;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(pingo__text_to_real(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(pingo__text_to_real(bad[i], &value));
}

static void test_text__joins_words(void **state)
{
    static const char *const words[] = {"one", "two", "three"};
    char text[32], small[8];
    (void)state;
    assert_string_equal(pingo__text_join(text, sizeof text, words, 3, ", "), "one, two, three");
    assert_string_equal(pingo__text_join(text, sizeof text, words, 1, ", "), "one");
    assert_string_equal(pingo__text_join(text, sizeof text, words, 0, ", "), "");
    assert_string_equal(pingo__text_join(small, sizeof small, words, 3, ", "), "one, tw");
}

/* RFC 4648, section 10, without the padding. */
static void test_text__base64url(void **state)
{
    static const char *const coded[] = {"", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"};
    struct pingo__buffer b = {0};
    unsigned char bytes[8];
    (void)state;
    for (size_t n = 0; n < sizeof coded / sizeof *coded; n++) {
        pingo__buffer_reset(&b);
        pingo__text_base64url(&b, "foobar", n);
        assert_string_equal(pingo__buffer_cstr(&b), coded[n]);
        assert_int_equal(pingo__text_from_base64url(coded[n], bytes, sizeof bytes), n);
        assert_memory_equal(bytes, "foobar", n);
    }
    pingo__buffer_reset(&b);
    pingo__text_base64url(&b, "\xfb\xff", 2);
    assert_string_equal(pingo__buffer_cstr(&b), "-_8");
    assert_int_equal(pingo__text_from_base64url("Zm9v.YmFy", bytes, sizeof bytes), 3);
    assert_int_equal(pingo__text_from_base64url("Zm9vYmFy", bytes, 4), 4);
    assert_memory_equal(bytes, "foob", 4);
    pingo__buffer_clear(&b);
}

static void test_text__what_is_cut_is_fit_to_be_shown(void **state)
{
    static const char *const rows[][2] = {
        {"short", "short"},
        {"a\x1b[1mb", "a?[1mb"},
        {"12345678901234567890", "12345678901..."}, /* with its NUL 15 bytes */
        {"1234567890\xc3\xa4\xc3\xb6\xc3\xbc", "1234567890..."},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
    };
    char text[15];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pingo__text_clean_to(text, sizeof text, rows[i][0]);
        assert_string_equal(text, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__what_is_cut_is_fit_to_be_shown),
        cmocka_unit_test(test_text__suggests_the_nearest_word),
        cmocka_unit_test(test_text__finds_a_word_in_a_list),
        cmocka_unit_test(test_text__knows_utf8),
        cmocka_unit_test(test_text__reads_integers),
        cmocka_unit_test(test_text__reads_hex),
        cmocka_unit_test(test_text__knows_hexadecimal_digits),
        cmocka_unit_test(test_text__writes_what_stands_in_a_url),
        cmocka_unit_test(test_text__matches_patterns),
        cmocka_unit_test(test_text__writes_hex),
        cmocka_unit_test(test_text__reads_numbers_with_a_fraction),
        cmocka_unit_test(test_text__joins_words),
        cmocka_unit_test(test_text__base64url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
