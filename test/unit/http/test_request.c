/* test_request.c - a request as it is sent, and what comes back, in pieces as curl hands them over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "http/request.h"

static struct pingo__http_curl curl;

static int set_up(void **state)
{
    (void)state;
    return pingo__http_curl_load(&curl, NULL);
}

static struct pingo__http_entry *made(const struct pingo__http_request *request)
{
    struct pingo__http_entry *e;
    struct pingo_error err = {0};
    if (pingo__http_entry_new(&curl, "http://h:1", request, &e, &err))
        fail_msg("%s", err.message);
    e->max_bytes = 100;
    return e;
}

static void test_request__those_that_cannot_be(void **state)
{
    static const char *const split[] = {"X: a\r\nY: b", NULL}, *const bare[] = {"word", NULL};
    static const struct pingo__http_stream stream = {.length = 1};
    static const struct pingo__http_request rows[] = {
        {.method = "GET", .path = "echo"},
        {.method = "GET", .path = ""},
        {.method = "GET", .path = "/echo HTTP/1.1"},
        {.method = "GET", .path = "/echo\r\nX: y"},
        {.method = "GET", .path = "/\xc3\xa9"},
        {.method = "BREW", .path = "/echo"},
        {.method = "get", .path = "/echo"},
        {.method = "PUT", .path = "/echo", .body = "a", .length = 1, .stream = &stream},
        {.method = "GET", .path = "/echo", .headers = split},
        {.method = "GET", .path = "/echo", .headers = bare}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_entry *e;
        assert_int_equal(pingo__http_entry_new(&curl, "http://h:1", &rows[i], &e, NULL),
                         PINGO_EINVAL);
        assert_null(e);
    }
}

static void test_request__is_a_copy(void **state)
{
    char body[] = "a\0b", path[] = "/x?y=1";
    struct pingo__http_request request = {
        .method = "PUT", .path = path, .body = body, .length = 3, .own = body};
    struct pingo__http_entry *e = made(&request);
    (void)state;
    memset(body, 'z', sizeof body);
    memset(path, 'z', sizeof path);
    assert_string_equal(e->url, "http://h:1/x?y=1");
    assert_int_equal(e->length, 3);
    assert_memory_equal(e->body, "a\0b", 3);
    assert_ptr_equal(e->reply.own, body);
    assert_string_equal(e->headers->data, "Expect:"); /* no server is asked for leave */
    pingo__http_entry_free(&curl, e);
    e = made(&(struct pingo__http_request){.method = "GET", .path = "https://other:2/x"});
    assert_string_equal(e->url, "https://other:2/x"); /* of another server */
    pingo__http_entry_free(&curl, e);
    pingo__http_entry_free(&curl, NULL);
}

static void test_request__needs_a_curl_with_kerberos_to_negotiate(void **state)
{
    struct pingo__http_curl without = curl;
    struct pingo__http_entry *e;
    struct pingo_error err;
    (void)state;
    without.can_negotiate = false;
    assert_int_equal(pingo__http_entry_new(&without, "http://h:1",
                                           &(struct pingo__http_request){
                                               .method = "GET", .path = "/", .negotiates = true},
                                           &e, &err),
                     PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "Kerberos"));
}

/* Lines of a head; what is told of it. */
static bool takes(struct pingo__http_entry *e, const char *line)
{
    char copy[200]; /* curl's lines have no NUL */
    size_t n = strlen(line);
    memcpy(copy, line, n);
    return pingo__http_entry_take_header(copy, 1, n, e) == n;
}

static void test_request__reads_what_it_needs_of_a_head(void **state)
{
    struct pingo__http_entry *e = made(&(struct pingo__http_request){.method = "GET", .path = "/"});
    (void)state;
    e->max_bytes = 300;
    assert_true(takes(e, "HTTP/1.1 100 Continue\r\n"));
    assert_true(takes(e, "HTTP/1.1 307 Elsewhere\r\n"));
    assert_true(takes(e, "LOCATION:  http://b/c \r\n"));
    assert_true(takes(e, "Content-Type: text/plain\r\n"));
    assert_int_equal(e->status, 307);
    assert_string_equal(e->location, "http://b/c");
    assert_string_equal(e->type, "text/plain");
    assert_true(takes(e, "Location: http://b/c d\r\n")); /* it leads nowhere */
    assert_null(e->location);
    assert_true(takes(e, "Content-Type: a\x1b[1m\r\n"));
    assert_null(e->type);
    pingo__http_entry_free(&curl, e);
    e = made(&(struct pingo__http_request){.method = "GET", .path = "/"});
    e->max_bytes = 300;
    assert_true(takes(e, "HTTP/2 200 \r\n"));
    assert_int_equal(e->status, 200);
    for (int i = 0; i < 11; i++)
        assert_true(takes(e, "X-Filler: 012345678901\r\n"));
    assert_false(takes(e, "X-Filler: 012345678901\r\n"));
    assert_true(e->too_much);
    pingo__http_entry_free(&curl, e);
}

static bool keep_first(void *context, const char *bytes, size_t n)
{
    *(size_t *)context += n;
    return bytes[0] != 'e';
}

static ssize_t give_two(void *context, char *bytes, size_t size)
{
    int *left = context;
    if (*left == 0)
        return 0;
    (*left)--;
    memset(bytes, 'x', 2);
    return size >= 2 ? 2 : -1;
}

static void test_request__a_body_goes_where_it_is_wanted(void **state)
{
    char bytes[80] = "some", end[] = "end";
    size_t taken = 0;
    struct pingo__http_stream stream = {.take = keep_first, .context = &taken};
    struct pingo__http_entry *e =
        made(&(struct pingo__http_request){.method = "GET", .path = "/", .stream = &stream});
    (void)state;
    e->status = 200;
    assert_int_equal(pingo__http_entry_take_body(bytes, 1, 4, e), 4);
    assert_int_equal(taken, 4);
    assert_int_not_equal(pingo__http_entry_take_body(end, 1, 3, e), 3); /* no more is wanted */
    e->status = 404; /* that is told as usual, and no more of it than was asked for */
    assert_int_equal(pingo__http_entry_take_body(bytes, 1, 80, e), 80);
    assert_int_equal(e->in.length, 80);
    assert_int_not_equal(pingo__http_entry_take_body(bytes, 1, 80, e), 80);
    assert_true(e->too_much);
    assert_int_equal(e->moved, 167);
    pingo__http_entry_free(&curl, e);
}

static void test_request__a_stream_that_ends_too_early_ends_it(void **state)
{
    char bytes[8];
    int left = 2;
    struct pingo__http_stream stream = {.give = give_two, .length = 6, .context = &left};
    struct pingo__http_entry *e =
        made(&(struct pingo__http_request){.method = "PUT", .path = "/", .stream = &stream});
    (void)state;
    assert_int_equal(pingo__http_entry_give(bytes, 1, 8, e), 2);
    assert_int_equal(pingo__http_entry_give(bytes, 1, 8, e), 2);
    assert_int_equal(pingo__http_entry_give(bytes, 1, 8, e), CURL_READFUNC_ABORT);
    stream.length = 4;
    assert_int_equal(pingo__http_entry_give(bytes, 1, 8, e), 0);
    left = 1;
    assert_int_equal(pingo__http_entry_give(bytes, 1, 1, e), CURL_READFUNC_ABORT); /* its -1 */
    pingo__http_entry_free(&curl, e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request__those_that_cannot_be),
        cmocka_unit_test(test_request__is_a_copy),
        cmocka_unit_test(test_request__needs_a_curl_with_kerberos_to_negotiate),
        cmocka_unit_test(test_request__reads_what_it_needs_of_a_head),
        cmocka_unit_test(test_request__a_body_goes_where_it_is_wanted),
        cmocka_unit_test(test_request__a_stream_that_ends_too_early_ends_it),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
