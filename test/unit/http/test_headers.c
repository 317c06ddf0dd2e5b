/* test_headers.c - the lines of a head, and what they say together: what two servers could understand differently is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/server/parse.h"

/* Reads lines, each ended by "|", and then the head; 0, or the status. */
static int read_head(struct pingo__http_parser *p, const char *lines, bool is_old)
{
    int rc = 0;
    pingo__http_parser_init(p);
    p->is_old = is_old;
    while (!rc && *lines) {
        size_t n = strcspn(lines, "|");
        char *line = malloc(n + 1); /* no longer than it is */
        assert_non_null(line);
        memcpy(line, lines, n);
        line[n] = '\0';
        rc = pingo__http_read_header(p, line, n);
        free(line);
        lines += n + (lines[n] == '|');
    }
    return rc ? rc : pingo__http_check_head(p);
}

static const char *value_of(const struct pingo__http_parser *p, const char *name)
{
    for (size_t i = 0; i < p->nheaders; i++)
        if (strcmp(p->headers[i].name, name) == 0)
            return p->headers[i].value;
    return NULL;
}

#define A "Host: a|"

static void test_headers__names_and_values(void **state)
{
    struct pingo__http_parser p;
    (void)state;
    assert_int_equal(
        read_head(&p, A "X-Some: \t a  b \t|x-SOME:c|Empty:|Y:a:b|Accept: x|accept:|", false), 0);
    assert_int_equal(p.nheaders, 5);
    assert_string_equal(value_of(&p, "x-some"), "a  b, c");
    assert_string_equal(value_of(&p, "empty"), "");
    assert_string_equal(value_of(&p, "y"), "a:b");
    assert_string_equal(value_of(&p, "accept"), "x, ");
    assert_null(value_of(&p, "X-Some"));
    pingo__http_parser_clear(&p);
}

static void test_headers__what_is_none_is_refused(void **state)
{
    static const struct {
        const char *lines;
        int status;
    } rows[] = {
        {A ":x|", 400},
        {A "x|", 400},
        {A "x : y|", 400},
        {A " x: y|", 400},
        {A "\tx: y|", 400},
        {A "x\"y: z|", 400},
        {A "x(y): z|", 400},
        {A "\xc3\xa9: z|", 400},
        {"", 400},
        {"Host:|", 400},
        {A "host: a|", 400},
        {"Host: a/b|", 400},
        {"Host: a b|", 400},
        {"Host: a@b|", 400},
        {"Host: a,b|", 400},
        {"Host: \xc3\xa9|", 400},
        {A "Authorization: a|authorization: a|", 400},
        {A "Origin: a|ORIGIN: b|", 400},
        {A "Range: a|Range: b|", 400},
        {A "Idempotency-Key: a|Idempotency-Key: a|", 400},
        {A "X-Forwarded-User: a|X-Forwarded-User: root|", 400},
        {A "Content-Length: 1|Content-Length: 1|", 400},
        {A "Transfer-Encoding: chunked|Transfer-Encoding: chunked|", 400},
        {A "Content-Length: 1|Transfer-Encoding: chunked|", 400},
        {A "Content-Length: 0|Transfer-Encoding: chunked|", 400},
        {A "Content-Length:|", 400},
        {A "Content-Length: +1|", 400},
        {A "Content-Length: -1|", 400},
        {A "Content-Length: 0x1|", 400},
        {A "Content-Length: 1 2|", 400},
        {A "Content-Length: 1, 1|", 400},
        {A "Content-Length: 1e3|", 400},
        {A "Content-Length: 9999999999999999999|", 413},
        {A "Content-Length: 0000000000000000001|", 413},
        {A "Transfer-Encoding: gzip|", 501},
        {A "Transfer-Encoding: gzip, chunked|", 501},
        {A "Transfer-Encoding: chunked, chunked|", 501},
        {A "Transfer-Encoding:|", 501},
        {A "Expect: 200-ok|", 417},
        {A "Expect:|", 417},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_parser p;
        if (read_head(&p, rows[i].lines, false) != rows[i].status)
            fail_msg("row %zu: %s: %d", i, rows[i].lines, p.status);
        assert_non_null(p.wrong);
        pingo__http_parser_clear(&p);
    }
}

static void test_headers__say_of_body_and_connection(void **state)
{
    static const struct {
        const char *lines;
        bool is_old;
        int64_t length;
        bool keeps_alive, expects;
    } rows[] = {
        {A, false, 0, true, false},
        {"", true, 0, false, false},
        {"Host: [::1]:80|", false, 0, true, false},
        {A "Connection: close|", false, 0, false, false},
        {A "Connection: x,\tCLOSE|", false, 0, false, false},
        {A "Connection: x|Connection: close|", false, 0, false, false},
        {A "Connection: closed|", false, 0, true, false},
        {A "Connection: not-close|", false, 0, true, false},
        {A "Connection: ,,|", false, 0, true, false},
        {"Connection: keep-alive|", true, 0, true, false},
        {"Connection: keep-alive, close|", true, 0, false, false},
        {A "Content-Length: 0|", false, 0, true, false},
        {A "Content-Length: 007|", false, 7, true, false},
        {A "Content-Length: 999999999999999999|", false, INT64_C(999999999999999999), true, false},
        {A "Transfer-Encoding: Chunked|", false, -1, true, false},
        {A "Expect: 100-Continue|Content-Length: 5|", false, 5, true, true},
        {A "Expect: 100-continue|Transfer-Encoding: chunked|", false, -1, true, true},
        {A "Expect: 100-continue|", false, 0, true, false}, /* there is nothing to send */
        {"Expect: 100-continue|Content-Length: 5|", true, 5, false, false},
    };
    struct pingo__http_parser p;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (read_head(&p, rows[i].lines, rows[i].is_old) != 0)
            fail_msg("row %zu: %s", i, p.wrong);
        assert_int_equal(p.length, rows[i].length);
        assert_int_equal(p.keeps_alive, rows[i].keeps_alive);
        assert_int_equal(p.expects, rows[i].expects);
        pingo__http_parser_clear(&p);
    }
    assert_int_equal(read_head(&p, "Transfer-Encoding: chunked|", true), 400);
    pingo__http_parser_clear(&p);
}

static void test_headers__are_a_hundred_at_most(void **state)
{
    struct pingo__http_parser p;
    char lines[2048] = A;
    (void)state;
    for (int i = 1; i < PINGO__HTTP_HEADERS; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "x%d: y|", i);
    assert_int_equal(read_head(&p, lines, false), 0);
    assert_int_equal(p.nheaders, PINGO__HTTP_HEADERS);
    pingo__http_parser_clear(&p);
    size_t n = strlen(lines);
    static const char *const more[] = {"z: y|", "x7: again|"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        strcpy(lines + n, more[i]);
        assert_int_equal(read_head(&p, lines, false), 431);
        pingo__http_parser_clear(&p);
    }
}

/* Or whoever sends 32 KiB takes fifty times as much of our memory. */
static void test_headers__of_one_name_take_no_more_room_than_others(void **state)
{
    enum { MANY = 90, BYTES = 300 };
    struct pingo__http_parser p;
    static char lines[PINGO__HTTP_HEAD] = A;
    char value[BYTES + 1];
    (void)state;
    memset(value, 'v', BYTES);
    value[BYTES] = '\0';
    for (int i = 0; i < MANY; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "x: %s|", value);
    assert_int_equal(read_head(&p, lines, false), 0);
    assert_int_equal(p.nheaders, 2);
    assert_int_equal(strlen(p.headers[1].value), MANY * (BYTES + 2) - 2);
    assert_true(p.arena.size <= 4 * PINGO__HTTP_HEAD);
    pingo__http_parser_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers__names_and_values),
        cmocka_unit_test(test_headers__what_is_none_is_refused),
        cmocka_unit_test(test_headers__say_of_body_and_connection),
        cmocka_unit_test(test_headers__are_a_hundred_at_most),
        cmocka_unit_test(test_headers__of_one_name_take_no_more_room_than_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
