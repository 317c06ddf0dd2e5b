/* test_parse.c - requests as a server reads them: good ones, each way of smuggling one, and any bytes in any pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

#include "fuzz/http_target.h"

#define CORPUS "test/fuzz/corpus/http"

struct row {
    const char *bytes;
    size_t n;
    const char *events; /* what they begin with */
};
/* clang-format off */
#define ROW(bytes, events) {bytes, sizeof(bytes) - 1, events}
#define A "Host: a\r\n"
#define REST "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
/* clang-format on */

static void check(const struct row *r)
{
    struct pingo__buffer events = {0};
    http_events((const uint8_t *)r->bytes, r->n, r->n, r->n, &events);
    if (strncmp(pingo__buffer_cstr(&events), r->events, strlen(r->events)) != 0)
        fail_msg("%s\ngives\n%s\nnot\n%s", r->bytes, pingo__buffer_cstr(&events), r->events);
    pingo__buffer_clear(&events);
    fuzz_http((const uint8_t *)r->bytes, r->n);
}

static void test_parse__requests_are_read(void **state)
{
    (void)state;
    static const struct row rows[] = {
        ROW("GET / HTTP/1.1\r\n" A "\r\n", "GET / 0 1 0 0\nhost: a\nended\n"),
        ROW("GET / HTTP/1.0\r\n\r\n", "GET / 1 0 0 0\nended\n"),
        ROW("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / 1 1 0 0\n"),
        ROW("GET / HTTP/1.1\r\n" A "Connection: x, close\r\n\r\n", "GET / 0 0 0 0\n"),
        ROW("GET / HTTP/1.1\r\n" A "Connection: closed\r\n\r\n", "GET / 0 1 0 0\n"),
        ROW("GET /a%5cb?x=%0a HTTP/1.1\r\n" A "\r\n", "GET /a\\b 0 1 0 0 x=\n\nhost: a\nended\n"),
        ROW("GET /a%20b/?x=1&y&&z=%26=+ HTTP/1.1\r\n" A "\r\n", "GET /a b/ 0 1 0 0 x=1 y= z=&= \n"),
        ROW("GET /%C3%A4 HTTP/1.1\r\n" A "\r\n", "GET /\xc3\xa4 0 1 0 0\n"),
        ROW("GET /...?/?.. HTTP/1.1\r\n" A "\r\n", "GET /... 0 1 0 0 /?..=\n"),
        ROW("GET / HTTP/1.1\r\n" A "X:  a b\t\r\nx: c\r\nY:\r\n\r\n",
            "GET / 0 1 0 0\nhost: a\nx: a b, c\ny: \nended\n"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3\r\n\r\nabc" REST,
            "POST / 0 1 0 3\nhost: a\ncontent-length: 3\nbody abc\nended\nGET /x 0"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 003\r\nExpect: 100-Continue\r\n\r\nabc",
            "POST / 0 1 1 3\n"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 0\r\n\r\n" REST,
            "POST / 0 1 0 0\nhost: a\ncontent-length: 0\nended\nGET /x 0"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n00A; "
            "x=y\r\n0123456789\r\n0\r\n\r\n" REST,
            "POST / 0 1 0 -1\nhost: a\ntransfer-encoding: Chunked\nbody abc0123456789\nended\nGET "
            "/x 0"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" REST,
            "POST / 0 1 0 -1\nhost: a\ntransfer-encoding: chunked\nended\nGET /x 0"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3\r\n\r\nab", "POST / 0 1 0 3\nhost: a\n"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
}

/* Each is refused before anything is told of it, so that nothing behind it is taken for a request. */
static void test_parse__what_two_could_read_differently_is_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc" REST,
            "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc" REST,
            "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 5\r\nContent-Length: 3\r\n\r\nabc" REST,
            "400"),
        ROW("POST / HTTP/1.1\r\n" A
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" REST,
            "400"),
        ROW("POST / HTTP/1.1\r\n" A
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" REST,
            "400"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" REST, "400"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" REST, "501"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "501"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", "501"),
        ROW("POST / HTTP/1.1\r\n" A "Transfer-Encoding:\r\n\r\n0\r\n\r\n", "501"),
        ROW("POST / HTTP/1.1\r\n" A
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400"),
        ROW("POST / HTTP/1.0\r\n" A "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\n" A "\r\n", "400"),
        ROW("GET / HTTP/1.1\r\nHost: a\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X: y\rZ: w\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X: y\r\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X: y\r\n z\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n " A "\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A A "\r\n", "400"),
        ROW("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\nHost:\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: +3\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: -1\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3, 3\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 0x3\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3 3\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length:\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length : 3\r\n\r\nabc", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 18446744073709551619\r\n\r\nabc", "413"),
        ROW("GET / HTTP/1.1\r\n" A "X: a\0b\r\n\r\n", "400"),
        ROW("GET /\0 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X\0: a\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X: \x7f\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A ": y\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "X Y: z\r\n\r\n", "400"),
        ROW("GET / HTTP/1.1\r\n" A "\xc3\xa4: z\r\n\r\n", "400"),
        ROW("GET / HTTP/9.9\r\n" A "\r\n", "505"),
        ROW("GET / HTTP/2.0\r\n" A "\r\n", "505"),
        ROW("GET / HTTP/1.2\r\n" A "\r\n", "505"),
        ROW("GET / HTTP/0.9\r\n" A "\r\n", "505"),
        ROW("GET / HTTP/1.10\r\n" A "\r\n", "400"),
        ROW("GET / http/1.1\r\n" A "\r\n", "400"),
        ROW("GET /\r\n" A "\r\n", "400"),
        ROW("GET /a b HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET  / HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /\tHTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET / HTTP/1.1 \r\n" A "\r\n", "400"),
        ROW(" GET / HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("\r\nGET / HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET http:/// HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("OPTIONS * HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("CONNECT a:80 HTTP/1.1\r\n" A "\r\n", "501"),
        ROW("TRACE / HTTP/1.1\r\n" A "\r\n", "501"),
        ROW("get / HTTP/1.1\r\n" A "\r\n", "501"),
        ROW("G(T / HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET //a HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a//b HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a/../b HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a/.. HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /%2e%2E/b HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /. HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a%2fb HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a\\b HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a%00 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a%0a HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a% HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a%4 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a%g0 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /%C3 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /\xc3\xa4 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /a#b HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /?a=%00 HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /?a=%zz HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /?a=<b> HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("GET /?%ff HTTP/1.1\r\n" A "\r\n", "400"),
        ROW("POST / HTTP/1.1\r\n" A "Content-Length: 3\r\nExpect: 200-ok\r\n\r\nabc", "417"),
        ROW("GET / HTTP/1.1\r\n" A "Authorization: a\r\nAuthorization: b\r\n\r\n", "400"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
}

#define CHUNKED "POST / HTTP/1.1\r\n" A "Transfer-Encoding: chunked\r\n\r\n"
#define HEADED "POST / 0 1 0 -1\nhost: a\ntransfer-encoding: chunked\n"

static void test_parse__chunks_are_exact(void **state)
{
    (void)state;
    static const struct row rows[] = {
        ROW(CHUNKED "3;a\n\r\nabc\r\n0\r\n\r\n", HEADED "400"),
        ROW(CHUNKED "3;a\nabc\r\n0\r\n\r\n", HEADED "400"),
        ROW(CHUNKED "3\nabc\r\n0\r\n\r\n", HEADED "400"),
        ROW(CHUNKED "3\r\nabcd\r\n0\r\n\r\n", HEADED "body abc\n400"),
        ROW(CHUNKED "3\r\nabc\n0\r\n\r\n", HEADED "body abc\n400"),
        ROW(CHUNKED "3\r\nabc0\r\n\r\n", HEADED "body abc\n400"),
        ROW(CHUNKED "\r\n", HEADED "400"),
        ROW(CHUNKED ";a\r\n", HEADED "400"),
        ROW(CHUNKED " 3\r\n", HEADED "400"),
        ROW(CHUNKED "3 \r\n", HEADED "400"),
        ROW(CHUNKED "+3\r\n", HEADED "400"),
        ROW(CHUNKED "-3\r\n", HEADED "400"),
        ROW(CHUNKED "0x3\r\n", HEADED "400"),
        ROW(CHUNKED "g\r\n", HEADED "400"),
        ROW(CHUNKED "0\r\nX: y\r\n\r\n", HEADED "400"),
        ROW(CHUNKED "0\r\n\n", HEADED "400"),
        ROW(CHUNKED "0\n\n", HEADED "400"),
        ROW(CHUNKED "10000000000000000\r\n", HEADED "413"),
        ROW(CHUNKED "186a1\r\n", HEADED "413"),
        ROW(CHUNKED "3\r\nabc\r\n1869e\r\n", HEADED "body abc\n413"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
}

/* A request with a part that is repeated n times. */
static void check_long(const char *before, const char *part, size_t n, const char *events)
{
    struct pingo__buffer b = {0};
    pingo__buffer_text(&b, before);
    for (size_t i = 0; i < n; i++)
        pingo__buffer_format(&b, part, (int)i);
    pingo__buffer_text(&b, "\r\n\r\n");
    struct row row = {pingo__buffer_cstr(&b), b.length, events};
    check(&row);
    pingo__buffer_clear(&b);
}

static void test_parse__heads_have_limits(void **state)
{
    (void)state;
    check_long("GET /", "a", 9000, "414");
    check_long("GET / HTTP/1.1\r\n" A "X: ", "a", 9000, "431");
    check_long("GET / HTTP/1.1\r\n" A "X: ", "a", 8189, "GET / 0");
    check_long("GET / HTTP/1.1\r\n" A "X: ", "a", 8190, "431");
    check_long("GET / HTTP/1.1\r\nHost: a", "\r\nX%d: y", 99, "GET / 0");
    check_long("GET / HTTP/1.1\r\nHost: a", "\r\nX%d: y", 100, "431");
    check_long("GET / HTTP/1.1\r\nHost: a", "\r\nX:", 99, "GET / 0");
    check_long("GET / HTTP/1.1\r\nHost: a", "\r\nX:", 100, "431");
    check_long("GET / HTTP/1.1\r\nHost: a", "\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", 1000, "431");
    check_long("POST / HTTP/1.1\r\n" A "Content-Length: 100001", "", 0,
               "POST / 0 1 0 100001\nhost: a\ncontent-length: 100001\n413");
    check_long(CHUNKED "1;", "a", 300, HEADED "400");
}

static void test_parse__any_bytes_in_any_pieces(void **state)
{
    (void)state;
    DIR *dir = opendir(CORPUS);
    size_t files = 0;
    uint32_t seed = 1;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[512];
        uint8_t bytes[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, CORPUS "/%s", e->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        fuzz_http(bytes, n);
        for (int round = 0; round < 60; round++) {
            uint8_t copy[4096];
            memcpy(copy, bytes, n);
            for (int k = 0; k <= round % 3; k++) {
                seed = seed * 1664525 + 1013904223;
                copy[(seed >> 8) % n] =
                    (uint8_t) "\r\n\0 :;%/0123456789abcdefXx,\t\x80?&=."[(seed >> 24) % 34];
            }
            fuzz_http(copy, n);
        }
        files++;
    }
    closedir(dir);
    assert_true(files >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__requests_are_read),
        cmocka_unit_test(test_parse__what_two_could_read_differently_is_refused),
        cmocka_unit_test(test_parse__chunks_are_exact),
        cmocka_unit_test(test_parse__heads_have_limits),
        cmocka_unit_test(test_parse__any_bytes_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
