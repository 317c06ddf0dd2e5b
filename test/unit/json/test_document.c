/* test_document.c - the strict pass: what it refuses, and where; what it accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/document.h"

/* In rows a ' stands for ", and a ` for '. */
static size_t translate(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '\'' ? '"' : text[i] == '`' ? '\'' : text[i];
    return length;
}

struct bad {
    const char *text;
    const char *expected; /* LINE:COLUMN POINTER MESSAGE */
};

static const struct bad bad_rows[] = {
    {"", "1:1  the document is empty: it begins with '{'"},
    {" \n\t\r ", "2:4  the document is empty: it begins with '{'"},
    {"\xef\xbb\xbf{}", "1:1  a byte order mark: JSON text has none, remove it"},
    {"{", "1:2  expected a key in double quotes, found the end of the text"},
    {"[", "1:2 /0 expected a value, found the end of the text"},
    {"{'a'}", "1:5 /a expected ':' after a key, found '}'"},
    {"{'a':}", "1:6 /a expected a value, found '}'"},
    {"{'a':1,}", "1:8 /a a comma before '}': remove it"},
    {"[1,]", "1:4 /0 a comma before ']': remove it"},
    {"[,]", "1:2 /0 expected a value, found ','"},
    {"[1 2]", "1:4 /0 expected ',' or ']' after an element, found '2'"},
    {"{'a':1 'b':2}", "1:8 /a expected ',' or '}' after a member, found '\"'"},
    {"{'a':1]", "1:7 /a expected ',' or '}' after a member, found ']'"},
    {"[1}", "1:3 /0 expected ',' or ']' after an element, found '}'"},
    {"{a:1}", "1:2  expected a key in double quotes, found 'a'"},
    {"{`a`:1}", "1:2  expected a key in double quotes, found ': strings are in double quotes"},
    {"{'b':{'a':[1,{'c':\n  x}]}}", "2:3 /b/a/1/c expected a value, found 'x'"},
    {"{'a/b~c':x}", "1:10 /a~1b~0c expected a value, found 'x'"},
    {"{} x", "1:4  expected nothing more after the end of the document, found 'x'"},
    {"{}{}", "1:3  expected nothing more after the end of the document, found '{'"},
    {"1 // no", "1:3  expected nothing more after the end of the document, found '/': JSON has no "
                "comments; a key that starts with \"x-\" is a free annotation"},
    {"{} \x01", "1:4  expected nothing more after the end of the document, found byte 0x01"},
    /* words and numbers */
    {"True", "1:1  expected JSON, which begins with '{', found 'T'"},
    {"nul", "1:1  expected JSON, which begins with '{', found 'n'"},
    {"truex", "1:5  expected nothing more after the end of the document, found 'x'"},
    {"NaN", "1:1  expected JSON, which begins with '{', found 'N'"},
    {"-Infinity", "1:1  a number needs a digit after '-'"},
    {"+1", "1:1  expected JSON, which begins with '{', found '+'"},
    {".5", "1:1  expected JSON, which begins with '{', found '.'"},
    {"01", "1:1  a number may not begin with 0: leave the zero out"},
    {"-01", "1:1  a number may not begin with 0: leave the zero out"},
    {"00", "1:1  a number may not begin with 0: leave the zero out"},
    {"0x10", "1:2  expected nothing more after the end of the document, found 'x'"},
    {"1.", "1:1  a number needs a digit after '.'"},
    {"-.5", "1:1  a number has digits before '.'"},
    {"1e", "1:1  a number needs a digit after 'e'"},
    {"1e+", "1:1  a number needs a digit after '+'"},
    {"[1.e5]", "1:2 /0 a number has digits before 'e'"},
    {"1e309", "1:1  the number 1e309 is out of range: at most 1.7976931348623157e308"},
    {"-1.8e308", "1:1  the number -1.8e308 is out of range: at most 1.7976931348623157e308"},
    {"0.0001e999999999", "1:1  the number 0.0001e999999999 is out of range: at most "
                         "1.7976931348623157e308"},
    {"17976931348623158e292", "1:1  the number 17976931348623158e292 is out of range: at most "
                              "1.7976931348623157e308"},
    {"1234567890123456789012345678901234567890123456789012345678901234",
     "1:1  a number may have at most 63 characters"},
    /* strings */
    {"'abc", "1:1  a string without an end: \" is missing"},
    {"['a\nb']", "1:4 /0 a raw line end in a string: write \\n"},
    {"['a\tb']", "1:4 /0 a raw tab in a string: write \\t"},
    {"['a\rb']", "1:4 /0 a raw carriage return in a string: write \\r"},
    {"['\x1f']", "1:3 /0 a raw control character in a string: write \\u001f"},
    {"['\\x41']", "1:3 /0 a backslash in a string begins \\\" \\\\ \\/ \\b \\f \\n \\r \\t or "
                  "\\uXXXX; write \\\\ for a backslash"},
    {"'\\", "1:2  a backslash in a string begins \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX; "
            "write \\\\ for a backslash"},
    {"'\\u12g4'", "1:2  \\u needs four hexadecimal digits"},
    {"'\\u12", "1:2  \\u needs four hexadecimal digits"},
    {"'\\u0000'", "1:2  U+0000 may not stand in a string"},
    {"'\\ud800'", "1:2  \\ud800 is half of a surrogate pair and the other half is missing"},
    {"'\\udc00'", "1:2  \\udc00 is half of a surrogate pair and the other half is missing"},
    {"'\\ud800\\ud800'", "1:2  \\ud800 is half of a surrogate pair and the other half is missing"},
    {"'\\ud83dx'", "1:2  \\ud83d is half of a surrogate pair and the other half is missing"},
    {"['ab\xff']", "1:5 /0 byte 0xff is not valid UTF-8 here"},
    {"['\xc0\x80']", "1:3 /0 byte 0xc0 is not valid UTF-8 here"},
    {"['\xed\xa0\x80']", "1:3 /0 byte 0xed is not valid UTF-8 here"},
    {"['\xf4\x90\x80\x80']", "1:3 /0 byte 0xf4 is not valid UTF-8 here"},
    {"['12345678\xe2\x82']", "1:11 /0 byte 0xe2 is not valid UTF-8 here"},
    {"{'a':1,'\xff':2}", "1:9  byte 0xff is not valid UTF-8 here"},
    /* keys twice */
    {"{'a':1,'b':2,'a':3}", "1:14 /a the key \"a\" stands twice in this object: remove one"},
    {"{'x':[{'a':{},'\\u0061':1}]}",
     "1:15 /x/0/a the key \"a\" stands twice in this object: remove one"},
    {"{'':1,'':1}", "1:7 / the key \"\" stands twice in this object: remove one"},
    {"{'\\ud83d\\ude00':1,'\xf0\x9f\x98\x80':1}",
     "1:19 /\xf0\x9f\x98\x80 the key \"\xf0\x9f\x98\x80\" stands twice in this object: remove one"},
};

static void check_bad(const char *text, size_t length, const char *expected)
{
    struct pingo__json_document d;
    struct pingo__json_fault fault;
    struct pingo_error err;
    char *copy = malloc(length > 0 ? length : 1); /* exactly as long: no byte behind is read */
    char said[600];
    struct pingo__json_place place = {0};

    assert_non_null(copy);
    memcpy(copy, text, length);
    translate(copy, length);
    assert_int_equal(pingo__json_open(&d, copy, length, &fault, &err), PINGO_EWORKFLOW);
    pingo__json_go_on(&d, &place, fault.offset);
    snprintf(said, sizeof said, "%zu:%zu %s %s", place.line, place.column, fault.pointer,
             fault.message);
    assert_string_equal(said, expected);
    free(fault.pointer);
    pingo__json_close(&d);
    free(copy);
}

static void test_document__refuses_what_is_no_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof bad_rows[0]; i++)
        check_bad(bad_rows[i].text, strlen(bad_rows[i].text), bad_rows[i].expected);
    check_bad("['a\0b']", 7, "1:4 /0 U+0000 may not stand in a string");
    check_bad("{}\0", 3,
              "1:3  expected nothing more after the end of the document, found byte 0x00");
}

static int open_text(struct pingo__json_document *d, char *text)
{
    struct pingo__json_fault fault;
    struct pingo_error err;
    int r = pingo__json_open(d, text, translate(text, strlen(text)), &fault, &err);

    free(fault.pointer);
    return r;
}

static void test_document__accepts_what_is_json(void **state)
{
    static const char *const rows[] = {
        "{}",
        " [ ] ",
        "\n{\t\r}\n",
        "0",
        "-0",
        "-1.5e-7",
        "1E+308",
        "1.7976931348623157e308",
        "17976931348623157e292",
        "1e-400",
        "0e999999999",
        "0.000000000000000000001e320",
        "123456789012345678901234567890123456789012345678901234567890123",
        "true",
        "false",
        "null",
        "''",
        "'\\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u20ac'",
        "'\\ud83d\\ude00'",
        "'\xf0\x9f\x98\x80 \x7f \xed\x9f\xbf \xee\x80\x80'",
        "[1,[2,{'a':[]},'x'],null]",
        "{'a':{'a':{'a':1}},'b':{'a':1}}",
        "{'A':1,'a':2}",
        "[{'a':1},{'a':1}]",
        "{'ab':1,'a':1,'b':1,'':2}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo__json_document d;
        char *copy = strdup(rows[i]);

        assert_int_equal(open_text(&d, copy), 0);
        pingo__json_close(&d);
        free(copy);
    }
}

static void test_document__notes_the_outermost_members(void **state)
{
    char text[] = " {'name' : 'x', 'actions': [1, [2, 3], {}], '\\u0065nv':{'a':{'b':1},'c':2},"
                  "'n':null,'t':true,'i':-1}";
    static const struct {
        const char *key;
        uint32_t key_offset, offset, count;
        enum pingo__json_kind kind;
    } rows[] = {
        {"name", 2, 11, 0, PINGO__JSON_STRING}, {"actions", 16, 27, 3, PINGO__JSON_ARRAY},
        {"env", 44, 55, 2, PINGO__JSON_OBJECT}, {"n", 75, 79, 0, PINGO__JSON_NULL},
        {"t", 84, 88, 0, PINGO__JSON_BOOLEAN},  {"i", 93, 97, 0, PINGO__JSON_NUMBER},
    };
    struct pingo__json_document d;

    (void)state;
    assert_int_equal(open_text(&d, text), 0);
    assert_int_equal(d.kind, PINGO__JSON_OBJECT);
    assert_int_equal(d.offset, 1);
    assert_int_equal(d.nmembers, 6);
    assert_int_equal(d.nvalues, 15);
    assert_false(d.only_plain_integers);
    for (size_t i = 0; i < 6; i++) {
        const struct pingo__json_member *m = pingo__json_member(&d, rows[i].key);

        assert_ptr_equal(m, &d.members[i]);
        assert_int_equal(m->key_offset, rows[i].key_offset);
        assert_int_equal(m->offset, rows[i].offset);
        assert_int_equal(m->count, rows[i].count);
        assert_int_equal(m->kind, rows[i].kind);
    }
    assert_null(pingo__json_member(&d, "absent"));
    pingo__json_close(&d);
}

/* depth arrays and objects in turn, within each other */
static char *nested(size_t depth)
{
    char *text = calloc(1, depth * 6 + 1), *at = text;

    assert_non_null(text);
    for (size_t i = 0; i < depth; i++)
        at = stpcpy(at, i % 2 == 0 ? "{'a':" : "[");
    if (depth % 2 == 1) /* an object needs a value */
        *at++ = '0';
    for (size_t i = depth; i > 0; i--)
        *at++ = (i - 1) % 2 == 0 ? '}' : ']';
    return text;
}

static void test_document__has_a_limit_of_depth(void **state)
{
    struct pingo__json_document d;
    struct pingo__json_fault fault;
    struct pingo_error err;
    char *deep = nested(64), *deeper = nested(65), *deepest = malloc(1000000);

    (void)state;
    assert_int_equal(open_text(&d, deep), 0);
    pingo__json_close(&d);
    assert_int_equal(open_text(&d, deeper), PINGO_EWORKFLOW);
    pingo__json_close(&d);
    assert_non_null(deepest);
    memset(deepest, '[', 1000000);
    assert_int_equal(pingo__json_open(&d, deepest, 1000000, &fault, &err), PINGO_EWORKFLOW);
    assert_int_equal(fault.offset, 64);
    assert_string_equal(fault.message,
                        "arrays and objects may stand within each other at most 64 deep");
    free(fault.pointer);
    pingo__json_close(&d);
    free(deep);
    free(deeper);
    free(deepest);
}

static void test_document__has_a_limit_of_size(void **state)
{
    struct pingo__json_document d;
    struct pingo__json_fault fault;
    struct pingo_error err;

    (void)state;
    assert_int_equal(pingo__json_open(&d, "[1]", 3, &fault, &err), 0);
    pingo__json_close(&d);
    assert_int_equal(pingo__json_open(&d, "[1]", (size_t)UINT32_MAX + 1, &fault, &err),
                     PINGO_ELIMIT);
    assert_string_equal(err.message,
                        "the document has 4294967296 bytes: at most 4294967295 are allowed");
    pingo__json_close(&d);
}

/* An object of n keys, of which the last may repeat the first. */
static char *wide(size_t n, bool twice)
{
    char *text = malloc(n * 16 + 3), *at = text;

    assert_non_null(text);
    *at++ = '{';
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s\"k%zu\":0", i == 0 ? "" : ",", twice && i == n - 1 ? 0 : i);
    stpcpy(at, "}");
    return text;
}

static void test_document__finds_keys_twice_among_many(void **state)
{
    static const size_t sizes[] = {2, 15, 16, 17, 18, 100, 100000};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct pingo__json_document d;
        struct pingo__json_fault fault;
        struct pingo_error err;
        char *good = wide(sizes[i], false), *bad = wide(sizes[i], true);

        assert_int_equal(pingo__json_open(&d, good, strlen(good), &fault, &err), 0);
        assert_int_equal(d.nmembers, sizes[i]);
        pingo__json_close(&d);
        assert_int_equal(pingo__json_open(&d, bad, strlen(bad), &fault, &err), PINGO_EWORKFLOW);
        assert_string_equal(fault.pointer, "/k0");
        free(fault.pointer);
        pingo__json_close(&d);
        free(good);
        free(bad);
    }
}

/* What a foreign server says may name a key twice, and hold bytes of no encoding: what it means can be read all the
 * same.  What is no JSON besides is none. */
static void test_document__takes_more_of_what_is_foreign(void **state)
{
    static const char text[] = "{\"a\":\"caf\xe9\",\"a\":1,\"b\xff\":\"\xc3\xa9\"}",
                      read[] = "{\"a\":\"caf?\",\"a\":1,\"b?\":\"\xc3\xa9\"}";
    static const char *const none[] = {"\xff", "{\xff\"a\":1}", "{\"a\":\"\xe9\n\"}",
                                       "{\"a\":\"\xe9"};
    struct pingo__json_document d;
    (void)state;
    assert_int_equal(pingo__json_open_foreign(&d, text, sizeof text - 1), 0);
    assert_string_equal(d.text, read);
    assert_int_equal(d.nmembers, 3);
    assert_string_equal(d.members[2].key, "b?");
    pingo__json_close(&d);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(pingo__json_open_foreign(&d, none[i], strlen(none[i])), PINGO_EWORKFLOW);
        pingo__json_close(&d);
    }
}

static void test_document__counts_lines_and_columns(void **state)
{
    enum { N = 20000 };
    struct pingo__json_document d;
    struct pingo__json_fault fault;
    struct pingo_error err;
    char *text = malloc(N);
    size_t line = 1, column = 1;
    struct pingo__json_place place = {0};

    (void)state;
    assert_non_null(text);
    memset(text, ' ', N);
    for (size_t i = 0; i < N; i += 1 + i % 977)
        text[i] = '\n';
    text[N - 1] = '1';
    assert_int_equal(pingo__json_open(&d, text, N, &fault, &err), 0);
    for (size_t i = 0; i < N; i++) {
        struct pingo__json_place alone = {0};

        if (i % 3 > 0) /* a place goes on over several bytes */
            pingo__json_go_on(&d, &place, i);
        if (i % 997 == 0)
            pingo__json_go_on(&d, &alone, i);
        assert_true(i % 3 == 0 || (place.line == line && place.column == column));
        assert_true(i % 997 > 0 || (alone.line == line && alone.column == column));
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    pingo__json_go_on(&d, &place, SIZE_MAX); /* behind the end: its end */
    assert_int_equal(place.offset, N);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    pingo__json_close(&d);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document__refuses_what_is_no_json),
        cmocka_unit_test(test_document__accepts_what_is_json),
        cmocka_unit_test(test_document__notes_the_outermost_members),
        cmocka_unit_test(test_document__has_a_limit_of_depth),
        cmocka_unit_test(test_document__has_a_limit_of_size),
        cmocka_unit_test(test_document__finds_keys_twice_among_many),
        cmocka_unit_test(test_document__takes_more_of_what_is_foreign),
        cmocka_unit_test(test_document__counts_lines_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
