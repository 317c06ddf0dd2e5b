/* test_scan.c - strings, numbers and words of JSON text: where each ends, what it means, what is wrong and where.
 * Each text lies in memory of exactly its length, so that a sanitizer sees a byte that is read behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "json/scan.h"

static struct pingo__json_scan scan_of(const char *text, size_t n)
{
    char *exact = malloc(n);
    assert_non_null(exact);
    memcpy(exact, text, n);
    return (struct pingo__json_scan){.text = exact, .length = n};
}

static void clear(struct pingo__json_scan *s)
{
    free((char *)s->text);
}

static const struct {
    const char *text;
    size_t end;
    int64_t integer; /* of a number */
} good[] = {
    {"0,", 1, 0},
    {"9007199254740991", 16, PINGO__JSON_INTEGER_MAX},
    {"9007199254740992", 16, -1},
    {"18446744073709551617", 20, -1}, /* 2^64 + 1 */
    {"-1]", 2, -1},
    {"1.0", 3, -1},
    {"1e2", 3, -1},
    {"1.7976931348623157e308", 22, -1},
    {"0e99999999", 10, -1},
    {"1e-99999999", 11, -1},
    {"0.00000000000000000001e327", 26, -1},
    {"truex", 4, 0},
    {"false", 5, 0},
    {"null", 4, 0},
    {"\"\" ", 2, 0},
    {"\"1234567\\\"89\"x", 13, 0},
    {"\"\\ud83d\\ude00\"", 14, 0},
};

static void test_scan__ends_behind_a_scalar(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct pingo__json_scan s = scan_of(good[i].text, strlen(good[i].text));
        struct pingo__json_token token = {0};
        assert_true(pingo__json_scan_scalar(&s, &token));
        assert_int_equal(token.offset, 0);
        assert_int_equal(token.end, good[i].end);
        assert_int_equal(s.at, good[i].end);
        assert_int_equal(token.integer, good[i].integer);
        assert_string_equal(s.message, "");
        clear(&s);
    }
}

static const struct {
    const char *text;
    size_t offset;
    const char *said;
} bad[] = {
    {"tru", 0, "expected JSON, which begins with '{', found 't'"},
    {"\"abcdefgh", 0, "a string without an end: \" is missing"},
    {"\"abcdefg\\", 8, "a backslash in a string begins"},
    {"\"\\q\"", 1, "a backslash in a string begins"},
    {"\"\\u12", 1, "\\u needs four hexadecimal digits"},
    {"\"\\u123", 1, "\\u needs four hexadecimal digits"},
    {"\"\\u12g4\"", 1, "\\u needs four hexadecimal digits"},
    {"\"\\u0000\"", 1, "U+0000 may not stand in a string"},
    {"\"\\ud83d\"", 1, "\\ud83d is half of a surrogate pair"},
    {"\"\\ude00\\ud83d\"", 1, "\\ude00 is half of a surrogate pair"},
    {"\"\\ud83d\\u0041\"", 1, "\\ud83d is half of a surrogate pair"},
    {"\"abcdefghi\n\"", 10, "a raw line end in a string: write \\n"},
    {"\"\x1f\"", 1, "a raw control character in a string: write \\u001f"},
    {"\"\xc0\x80\"", 1, "byte 0xc0 is not valid UTF-8 here"},
    {"\"\xe2\x82", 1, "byte 0xe2 is not valid UTF-8 here"},
    {"-", 0, "a number needs a digit after '-'"},
    {"1.e5", 0, "a number has digits before 'e'"},
    {"1e+", 0, "a number needs a digit after '+'"},
    {"-012", 0, "a number may not begin with 0"},
    {"1.7976931348623158e308", 0, "the number 1.7976931348623158e308 is out of range"},
    {"1e99999999999999999999", 0, "the number 1e99999999999999999999 is out of range"},
};

static void test_scan__tells_what_is_wrong_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pingo__json_scan s = scan_of(bad[i].text, strlen(bad[i].text));
        struct pingo__json_token token = {0};
        assert_false(pingo__json_scan_scalar(&s, &token));
        assert_int_equal(s.fault_offset, bad[i].offset);
        s.message[strlen(bad[i].said)] = '\0';
        assert_string_equal(s.message, bad[i].said);
        clear(&s);
    }
}

static void test_scan__keeps_the_first_fault(void **state)
{
    struct pingo__json_scan s = scan_of(" \t\r\n", 4);
    (void)state;
    pingo__json_skip_space(&s);
    assert_int_equal(s.at, 4);
    assert_false(pingo__json_expected(&s, "a value"));
    assert_false(pingo__json_fault_at(&s, 0, "another"));
    assert_int_equal(s.fault_offset, 4);
    assert_string_equal(s.message, "expected a value, found the end of the text");
    clear(&s);
}

static void test_scan__a_number_has_a_longest_length(void **state)
{
    char text[PINGO__JSON_NUMBER_LENGTH + 1];
    (void)state;
    memset(text, '1', sizeof text);
    text[1] = '.';
    for (size_t over = 0; over < 2; over++) {
        struct pingo__json_scan s = scan_of(text, PINGO__JSON_NUMBER_LENGTH + over);
        struct pingo__json_token token = {0};
        assert_int_equal(pingo__json_scan_scalar(&s, &token), !over);
        clear(&s);
    }
}

static void test_scan__decodes_what_it_accepted(void **state)
{
    static const char text[] =
        "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\xc3\xa9z\"";
    struct pingo__json_scan s = scan_of(text, sizeof text - 1);
    struct pingo__json_token token = {0};
    struct pingo__arena arena = {0};
    size_t length = 0;
    (void)state;
    assert_true(pingo__json_scan_string(&s, &token));
    assert_true(token.has_escapes);
    const char *decoded = pingo__json_decode(&s, &token, &arena, &length);
    assert_non_null(decoded);
    assert_string_equal(decoded, "a\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9z");
    assert_int_equal(length, strlen(decoded));
    pingo__arena_clear(&arena);
    clear(&s);
}

static void test_scan__skips_a_value_whole(void **state)
{
    static const char text[] = "{\"]}\": [1, {\"a\\\"\": null}, []], \"b\": {}}, 7";
    struct pingo__json_scan s = scan_of(text, sizeof text - 1);
    (void)state;
    assert_int_equal(pingo__json_kind_of(s.text[0]), PINGO__JSON_OBJECT);
    pingo__json_skip_value(&s);
    assert_string_equal(text + s.at, ", 7");
    s.at += 2;
    assert_int_equal(pingo__json_kind_of(s.text[s.at]), PINGO__JSON_NUMBER);
    pingo__json_skip_value(&s);
    assert_int_equal(s.at, s.length);
    clear(&s);
}

static void test_scan__reads_a_number_as_a_decimal(void **state)
{
    struct pingo__json_decimal d = pingo__json_decimal("-12.50e-3", 9);
    (void)state;
    assert_true(d.below);
    assert_int_equal(d.digits, 1250);
    assert_int_equal(d.power, -5);
    d = pingo__json_decimal("1234567890123456789012", 22);
    assert_false(d.below);
    assert_int_equal(d.digits, 123456789012345678);
    assert_int_equal(d.power, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan__ends_behind_a_scalar),
        cmocka_unit_test(test_scan__tells_what_is_wrong_and_where),
        cmocka_unit_test(test_scan__keeps_the_first_fault),
        cmocka_unit_test(test_scan__a_number_has_a_longest_length),
        cmocka_unit_test(test_scan__decodes_what_it_accepted),
        cmocka_unit_test(test_scan__skips_a_value_whole),
        cmocka_unit_test(test_scan__reads_a_number_as_a_decimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
