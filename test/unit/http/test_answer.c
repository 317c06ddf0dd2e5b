/* test_answer.c - heads of answers: what a status means, how the end of a body is told, and chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "http/server/answer.h"

static void test_answer__heads_of_answers(void **state)
{
    (void)state;
    struct pingo__buffer b = {0};
    struct pingo__http_head head = {
        .status = 200, .date_ms = 784111777000, .length = 5, .keeps_alive = true};
    pingo__http_head(&b, &head);
    assert_string_equal(pingo__buffer_cstr(&b),
                        "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 "
                        "GMT\r\nContent-Length: 5\r\n");
    pingo__buffer_reset(&b);
    head = (struct pingo__http_head){
        .status = 431, .date_ms = 951782400000, .framing = PINGO__HTTP_CHUNKS};
    pingo__http_head(&b, &head);
    pingo__http_chunk(&b, 255);
    assert_string_equal(
        pingo__buffer_cstr(&b),
        "HTTP/1.1 431 Request Header Fields Too Large\r\nDate: Tue, 29 Feb 2000 "
        "00:00:00 GMT\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nff\r\n");
    pingo__buffer_clear(&b);
}

/* Of what has no body nothing is told, and of what ends with the connection only that it does. */
static void test_answer__how_a_body_ends(void **state)
{
    static const struct {
        struct pingo__http_head head;
        const char *said; /* behind the date */
    } rows[] = {
        {{.status = 204, .framing = PINGO__HTTP_NONE, .keeps_alive = true}, ""},
        {{.status = 304, .framing = PINGO__HTTP_NONE}, "Connection: close\r\n"},
        {{.status = 200, .framing = PINGO__HTTP_CLOSE}, "Connection: close\r\n"},
        {{.status = 200, .framing = PINGO__HTTP_LENGTH, .keeps_alive = true},
         "Content-Length: 0\r\n"},
        {{.status = 200, .length = INT64_MAX, .keeps_alive = true},
         "Content-Length: 9223372036854775807\r\n"},
    };
    static const char date[] = "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer b = {0};
        pingo__http_head(&b, &rows[i].head);
        const char *at = strstr(pingo__buffer_cstr(&b), date);
        assert_non_null(at);
        assert_string_equal(at + strlen(date), rows[i].said);
        pingo__buffer_clear(&b);
    }
}

static void test_answer__what_a_status_means(void **state)
{
    (void)state;
    assert_string_equal(pingo__http_reason(404), "Not Found");
    assert_string_equal(pingo__http_reason(507), "Insufficient Storage");
    assert_string_equal(pingo__http_reason(0), "Unknown");
    assert_string_equal(pingo__http_reason(-1), "Unknown");
    assert_string_equal(pingo__http_reason(999), "Unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer__heads_of_answers),
        cmocka_unit_test(test_answer__how_a_body_ends),
        cmocka_unit_test(test_answer__what_a_status_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
