/* test_target.c - the target of a request: a path and a query that all who read them read alike, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "http/server/parse.h"

static int read_target(struct pingo__http_parser *p, const char *target, size_t n)
{
    pingo__http_parser_init(p);
    return pingo__http_read_target(p, target, n);
}

static void test_target__paths_are_decoded(void **state)
{
    static const struct {
        const char *target, *path;
    } rows[] = {{"/", "/"},
                {"/a/b", "/a/b"},
                {"/a/", "/a/"},
                {"/%61%2D", "/a-"},
                {"/a%20b", "/a b"},
                {"/%c3%A9", "/\xc3\xa9"},
                {"/...", "/..."},
                {"/.a/..b/c..", "/.a/..b/c.."},
                {"/-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@"},
                {"/%3F%23%25", "/?#%"},    /* they part nothing any more */
                {"/DOM%5cal", "/DOM\\al"}, /* a user of a domain */
                {"/a?", "/a"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_parser p;
        assert_int_equal(read_target(&p, rows[i].target, strlen(rows[i].target)), 0);
        assert_string_equal(p.path, rows[i].path);
        assert_int_equal(p.nquery, 0);
        pingo__http_parser_clear(&p);
    }
}

/* As a proxy is asked: the host is told apart. */
static void test_target__a_host_before_the_path(void **state)
{
    static const struct {
        const char *target, *authority, *path;
        size_t nquery;
    } rows[] = {{"http://h/", "h", "/", 0},
                {"HTTPS://a.b:80/c/d?e=http://f/", "a.b:80", "/c/d", 1},
                {"http://[::1]:7", "[::1]:7", "/", 0},
                {"http://h?a=b&c", "h", "/", 2},
                {"http:///a", "", "/a", 0}}; /* which is no host, as the head then tells */
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_parser p;
        assert_int_equal(read_target(&p, rows[i].target, strlen(rows[i].target)), 0);
        assert_string_equal(p.authority, rows[i].authority);
        assert_string_equal(p.path, rows[i].path);
        assert_int_equal(p.nquery, rows[i].nquery);
        pingo__http_parser_clear(&p);
    }
}

static void test_target__what_could_be_read_in_two_ways_is_refused(void **state)
{
#define ROW(text)                                                                                  \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    static const struct {
        const char *target;
        size_t n;
    } rows[] = {ROW(""),          ROW("a"),
                ROW("*"),         ROW("ftp://h/"),
                ROW("//"),        ROW("//a"),
                ROW("/a//b"),     ROW("/."),
                ROW("/.."),       ROW("/./a"),
                ROW("/a/../b"),   ROW("/a/."),
                ROW("/a/.."),     ROW("/%2e"),
                ROW("/%2E%2e/a"), ROW("/.%2e"),
                ROW("/a%2fb"),    ROW("/a%2F"),
                ROW("/a%1f"),     ROW("/a\\b"),
                ROW("/%00"),      ROW("/a\0b"),
                ROW("/a%"),       ROW("/a%4"),
                ROW("/a%zz"),     ROW("/a%4g"),
                ROW("/a%+1"),     ROW("/%7f"),
                ROW("/%0a"),      ROW("/%0D%0A"),
                ROW("/a b"),      ROW("/a#b"),
                ROW("/\xc3\xa9"), ROW("/%c3"),
                ROW("/%c0%ae"),   ROW("/%ed%a0%80"),
                ROW("/a?b c"),    ROW("/a?b#c"),
                ROW("/a?%"),      ROW("/a?%0"),
                ROW("/a?b=%00"),  ROW("/a?b\0"),
                ROW("/a?b=\n"),   ROW("/a?%ff=1"),
                ROW("/a?b=%ff"),  ROW("/a?b=\xff"),
                ROW("/a?%00=1"),  ROW("/a?b\x7f"),
                ROW("/a?b=\\"),   ROW("/a?%0g=1"),
                ROW("/a?[b]=1"),  ROW("http://h//"),
                ROW("http:/h/"),  ROW("http://h/a/.."),
                ROW("http"),      ROW("http:///a/../b")};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_parser p;
        if (read_target(&p, rows[i].target, rows[i].n) != 400)
            fail_msg("row %zu: \"%s\" is taken", i, rows[i].target);
        assert_int_equal(p.status, 400);
        assert_non_null(p.wrong);
        pingo__http_parser_clear(&p);
    }
}

static void test_target__queries_are_pairs(void **state)
{
    static const struct {
        const char *query, *pairs; /* NAME:VALUE; */
    } rows[] = {{"a", "a:;"},
                {"a=", "a:;"},
                {"=b", ":b;"},
                {"=", ":;"},
                {"a=b=c", "a:b=c;"},
                {"a%3Db=c%26d", "a=b:c&d;"},
                {"a+b=c%2Bd+", "a b:c+d ;"},
                {"a=1&b=2&a=3", "a:1;b:2;a:3;"},
                {"&&a&&b&", "a:;b:;"},
                {"a=/?x", "a:/?x;"},
                {"a=../..", "a:../..;"},
                {"%01=a%0a%0D%1F%7f", "\x01:a\n\r\x1f\x7f;"}, /* as an action may be called */
                {"%c3%a9=%E2%82%AC", "\xc3\xa9:\xe2\x82\xac;"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_parser p;
        char target[64], pairs[64] = "";
        snprintf(target, sizeof target, "/?%s", rows[i].query);
        assert_int_equal(read_target(&p, target, strlen(target)), 0);
        for (size_t k = 0; k < p.nquery; k++)
            snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs), "%s:%s;", p.query[k].name,
                     p.query[k].value);
        assert_string_equal(pairs, rows[i].pairs);
        pingo__http_parser_clear(&p);
    }
}

static void test_target__a_query_has_a_hundred_parts_at_most(void **state)
{
    struct pingo__http_parser p;
    char target[256] = "/?a";
    (void)state;
    for (int n = 1; n < PINGO__HTTP_QUERIES; n++)
        strcat(target, "&a");
    assert_int_equal(read_target(&p, target, strlen(target)), 0);
    assert_int_equal(p.nquery, PINGO__HTTP_QUERIES);
    pingo__http_parser_clear(&p);
    strcat(target, "&");
    assert_int_equal(read_target(&p, target, strlen(target)), 400);
    pingo__http_parser_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target__paths_are_decoded),
        cmocka_unit_test(test_target__a_host_before_the_path),
        cmocka_unit_test(test_target__what_could_be_read_in_two_ways_is_refused),
        cmocka_unit_test(test_target__queries_are_pairs),
        cmocka_unit_test(test_target__a_query_has_a_hundred_parts_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
