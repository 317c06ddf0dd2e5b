/* test_api.c - handlers of the API without a loop: pages, errors, tags, ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/api/ask.h"
#include "serve/route/routes.h"
#include "serve/work/handle.h"
#include "serve/work/kept.h"
#include "serve/work/work.h"

static char directory[] = "/tmp/pingo-api-XXXXXX", store[64];
static struct serve serve;
static struct serve_worker worker = {.serve = &serve};

#define TEXT                                                                                       \
    "{\"name\": \"two\", \"actions\": ["                                                           \
    "{\"id\": 1, \"name\": \"a\", \"type\": \"command-line\", \"command\": \"echo a > output\"},"  \
    "{\"id\": 2, \"name\": \"b\", \"type\": \"command-line\", \"command\": \"echo b > output\"}]}"

/* Three submissions of two actions, none of which runs. */
static int make_store(void **state)
{
    (void)state;
    struct pingo_error err;
    struct pingo_submit_options options = {.version = 2, .user = "ann"};
    struct pingo_submission submission = {.size = sizeof submission};
    if (!mkdtemp(directory))
        return -1;
    snprintf(store, sizeof store, "%s/.pingo", directory);
    serve.directory = store;
    int rc = pingo_store_init(store, NULL, &err);
    if (!rc)
        rc = pingo_store_open(store, NULL, &worker.store, &err);
    for (int i = 0; i < 3 && !rc; i++)
        rc = pingo_store_submit(worker.store, &(struct pingo_document){TEXT, strlen(TEXT), NULL},
                                &options, &submission, &err);
    return rc;
}

static int remove_store(void **state)
{
    (void)state;
    struct pingo_error err;
    for (int i = 1; i <= 4; i++)
        pingo_store_kill(worker.store, &(struct pingo_action_name){i, NULL}, NULL, &err);
    pingo_store_close(worker.store);
    pingo__arena_clear(&worker.arena);
    return pingo_store_destroy(store, NULL, NULL, &err) || rmdir(directory);
}

/* One header, and a query of two pairs. */
struct asked {
    const char *path;
    struct pingo__http_field query[2], header;
};
/* Who asks, by which method, with which body; but for writes it is nobody's GET. */
static struct {
    const char *method, *user, *body;
} by = {"GET", NULL, NULL};

/* A file without a name that holds a text; -1 of NULL. */
static int file_of(const char *text)
{
    int fd = text ? open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    if (text)
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

static struct serve_answer ask(struct asked a)
{
    struct serve_answer answer;
    struct serve_match match;
    struct pingo__arena arena = {0};
    const struct serve_route *route = serve_match(&arena, by.method, a.path, &match);
    assert_non_null(route);
    struct serve_request request = {.method = route->method,
                                    .path = a.path,
                                    .route = route,
                                    .parts = match.parts,
                                    .nparts = match.nparts,
                                    .query = a.query,
                                    .nquery = a.query[1].name   ? 2
                                              : a.query[0].name ? 1
                                                                : 0,
                                    .headers = &a.header,
                                    .nheaders = a.header.name ? 1 : 0,
                                    .body = file_of(by.body),
                                    .body_bytes = by.body ? (int64_t)strlen(by.body) : 0,
                                    .who = {SERVE_SUBMITTER, by.user, "token t"}};
    serve_answer_init(&answer);
    serve_handle(&worker, &request, &answer);
    if (request.body >= 0)
        close(request.body);
    pingo__arena_clear(&arena);
    return answer;
}

/* Status and a part of the body; the answer is freed. */
static void answers(struct asked a, int status, const char *part)
{
    struct serve_answer answer = ask(a);
    if (answer.status != status || (part && !strstr(pingo__buffer_cstr(&answer.body), part)))
        fail_msg("%s: %d %s", a.path, answer.status, pingo__buffer_cstr(&answer.body));
    serve_answer_clear(&answer);
}

static void test_serve__lists_come_in_pages(void **state)
{
    (void)state;
    char cursor[PINGO_CURSOR_SIZE] = "";
    for (int i = 3; i >= 1; i--) {
        char part[32];
        struct asked a = {"/v1/workflows", {{"limit", "1"}, {"cursor", cursor}}, {NULL, NULL}};
        struct serve_answer answer = ask(a);
        const char *body = pingo__buffer_cstr(&answer.body), *next = strstr(body, "\"next\":");
        snprintf(part, sizeof part, "\"workflow\":%d,", i);
        assert_non_null(strstr(body, part));
        assert_non_null(next);
        assert_int_equal(sscanf(next, "\"next\":\"%111[^\"]", cursor), i > 1);
        serve_answer_clear(&answer);
    }
    answers((struct asked){"/v1/workflows", {{"user", "bob"}}, {0}}, 200, "\"items\":[]");
    answers((struct asked){"/v1/workflows/last/actions", {{"name", "b"}}, {0}}, 200, "\"id\":2");
    answers((struct asked){"/v1/workflows", {{"state", "RUNNING,FAILED"}}, {0}}, 200,
            "\"workflow\":3");
}

static void test_serve__what_is_wrong_is_told(void **state)
{
    (void)state;
    static const struct {
        struct asked asked;
        int status;
        const char *detail;
    } rows[] = {
        {{"/v1/workflows", {{"limit", "0"}}, {0}}, 400, "limit is a number from 1 to 1000"},
        {{"/v1/workflows", {{"limit", "1001"}}, {0}}, 400, "limit"},
        {{"/v1/workflows", {{"cursor", "x"}}, {0}}, 400, "PINGO_EINVAL"},
        {{"/v1/workflows", {{"state", "DONE"}}, {0}}, 400, "takes RUNNING, FINISHED"},
        {{"/v1/workflows", {{"state", ""}}, {0}}, 400, "state"},
        {{"/v1/workflows", {{"since", "soon"}}, {0}}, 400, "2026-11-20"},
        {{"/v1/workflows", {{"statte", "x"}}, {0}}, 400, "statte"},
        {{"/v1/workflows", {{"user", "ann"}, {"user", "bob"}}, {0}}, 400, "stands twice"},
        {{"/v1/datasets", {{"name", "a"}, {"name", "b"}}, {0}}, 200, "\"items\""},
        {{"/v1/datasets", {{"limit", "1"}, {"limit", "1"}}, {0}}, 400, "limit"},
        {{"/v1/datasets", {{"name*", "a"}}, {0}}, 400, "name*"},
        {{"/v1/workflows/7", {{0}}, {0}}, 404, "PINGO_ENOTFOUND"},
        {{"/v1/workflows/x/actions", {{0}}, {0}}, 404, "PINGO_ENOTFOUND"},
        {{"/v1/workflows/1/actions/9", {{0}}, {0}}, 404, "PINGO_ENOTFOUND"},
        {{"/v1/workflows/1/actions/1/attempts/1/stdout", {{0}}, {0}}, 404, "attempt"},
        {{"/v1/workflows/1/actions/1/attempts/x/stdout", {{0}}, {0}}, 404, "no number"},
        {{"/v1/workflows/1/actions/1/stdout", {{"tail", "lots"}}, {0}}, 400, "a size"},
        {{"/v1/datasets/zz", {{0}}, {0}}, 404, "PINGO_ENOTFOUND"},
        {{"/v1/datasets", {{"sort", "colour"}}, {0}}, 400, "age|state|size"},
        {{"/v1/datasets", {{"minSize", "-1"}}, {0}}, 400, "minSize"},
        {{"/v1/pool/decide", {{"algorithm", "oracle"}}, {0}}, 400, "oracle"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        answers(rows[i].asked, rows[i].status, rows[i].detail);
}

static void test_serve__what_is_known_is_not_sent_again(void **state)
{
    (void)state;
    char etag[90];
    struct asked a = {"/v1/workflows/1", {{0}}, {"if-none-match", etag}};
    struct serve_answer answer = ask((struct asked){"/v1/workflows/1", {{0}}, {0}});
    snprintf(etag, sizeof etag, "\"%s\"", answer.etag);
    assert_int_equal(strlen(etag), 34);
    serve_answer_clear(&answer);
    answer = ask(a);
    assert_int_equal(answer.status, 304);
    assert_int_equal(answer.body.length, 0);
    assert_string_equal(answer.etag, strtok(etag, "\""));
    serve_answer_clear(&answer);
    strcpy(etag, "\"another\"");
    answers(a, 200, "\"workflow\":1,");
    /* Of another document the tag is another. */
    answer = ask((struct asked){"/v1/workflows/2", {{0}}, {0}});
    snprintf(etag, sizeof etag, "\"%s\"", answer.etag);
    serve_answer_clear(&answer);
    answers(a, 200, "\"workflow\":1,");
    bool changed;
    assert_int_equal(pingo_store_pause_workflow(worker.store, 1, &changed, NULL), 0);
    answers(a, 200, "PAUSED");
}

/* By a key that anybody can reckon, this viewer would have had what was answered to an admin just before: his Accept was
 * reckoned so, of two questions whose keys began with their roles alone, in 2^32 steps. */
static void test_serve__nobody_has_anothers_answer(void **state)
{
    static const char *const names[] = {"/v1/tokens", "/v1/me"};
    const struct pingo__http_field accepts[] = {
        {"accept", "*/*"},
        {"accept", "*/*,x/y;"
                   "\xcf\x99\xd7\xfd\xd8\x94\xd2\xa5\xf5\x83\x80\x80\x80\x80\x80\x80"
                   "\xc7\x80\xd3\x35\x33\x91\x85\x5e\xd8\xff\xcf\xe9\xbe\xb8\xf0\x8c"
                   "\xb3\x82\x80\x80\x80\x80\x80\x80\x9c\x82\x9e\xd5\xaa\x69\x80\x37"}};
    const struct serve_who who[] = {{SERVE_ADMIN, "alice", "socket"},
                                    {SERVE_VIEWER, "bob", "token t"}};
    (void)state;
    assert_int_equal(serve_kept_open(store, &serve.kept, &worker.err), 0);
    for (int i = 0; i < 2; i++) {
        struct serve_answer answer;
        struct serve_match match;
        struct pingo__arena arena = {0};
        struct serve_request request = {.method = "GET",
                                        .path = names[i],
                                        .route = serve_match(&arena, "GET", names[i], &match),
                                        .headers = &accepts[i],
                                        .nheaders = 1,
                                        .body = -1,
                                        .who = who[i]};
        serve_answer_init(&answer);
        serve_handle(&worker, &request, &answer);
        assert_non_null(strstr(pingo__buffer_cstr(&answer.body), i == 0 ? "\"items\"" : "bob"));
        serve_answer_clear(&answer);
        pingo__arena_clear(&arena);
    }
    serve_kept_close(serve.kept);
    serve.kept = NULL;
}

static void test_serve__who_waits_is_put_off(void **state)
{
    (void)state;
    struct serve_answer answer =
        ask((struct asked){"/v1/workflows/2", {{0}}, {"prefer", "respond-async, wait=5"}});
    assert_int_equal(answer.next, SERVE_AGAIN);
    assert_true(answer.on_change);
    assert_int_equal(answer.pause_ms, 5000);
    serve_answer_clear(&answer);
    answers((struct asked){"/v1/workflows/2", {{0}}, {"prefer", "await=5"}}, 200, "\"workflow\":2");
}

/* Which bytes of a file of ten a range is. */
static void test_serve__a_range_of_a_file(void **state)
{
    (void)state;
    static const struct {
        const char *range;
        int status;
        int64_t from, length;
    } rows[] = {
        {"bytes=0-3", 206, 0, 4},
        {"bytes=4-", 206, 4, 6},
        {"bytes=-3", 206, 7, 3},
        {"bytes=-30", 206, 0, 10},
        {"bytes=8-99", 206, 8, 2},
        {"bytes=9-9", 206, 9, 1},
        {"bytes=10-", 416, 0, 0},
        {"bytes=-0", 416, 0, 0},
        {"bytes=3-2", 200, 0, 10},
        {"bytes=0-1,3-4", 200, 0, 10},
        {"bytes=", 200, 0, 10},
        {"bytes=-", 200, 0, 10},
        {"lines=0-3", 200, 0, 10},
        {"bytes= 0-3", 200, 0, 10},
        {"bytes=99999999999999999999-", 200, 0, 10},
        {"bytes=0-922337203685477580", 206, 0, 10},
    };
    char path[80];
    snprintf(path, sizeof path, "%s/ten", directory);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    close(fd);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_field header = {"range", rows[i].range};
        struct serve_request request = {.headers = &header, .nheaders = 1, .body = -1};
        struct serve_answer answer;
        struct serve_ask it = {.worker = &worker, .request = &request, .answer = &answer};
        serve_answer_init(&answer);
        serve_file(&it, &(struct serve_file){open(path, O_RDONLY | O_CLOEXEC), 0, -1, "text/plain"});
        if (answer.status != rows[i].status || answer.offset != rows[i].from ||
            answer.length != rows[i].length)
            fail_msg("%s: %d, %ld bytes from %ld", rows[i].range, answer.status,
                     (long)answer.length, (long)answer.offset);
        serve_answer_clear(&answer);
    }
    unlink(path);
}

static void test_serve__who_asks_is_who_does_it(void **state)
{
    (void)state;
    static const struct {
        struct asked asked;
        int status;
        const char *part, *method, *user, *body;
    } rows[] = {
        {{"/v1/workflows/1/kill", {{0}}, {0}}, 403, "PINGO_EFORBIDDEN", "POST", "bob", NULL},
        {{"/v1/workflows/1/kill", {{0}}, {0}}, 403, "not known", "POST", NULL, NULL},
        {{"/v1/workflows/1/kill", {{0}}, {0}}, 202, "\"workflow\":1", "POST", "ann", NULL},
        {{"/v1/workflows/1/kill", {{0}}, {0}}, 409, "PINGO_ESTATE", "POST", "ann", NULL},
        {{"/v1/settings", {{0}}, {0}}, 403, NULL, "PATCH", "ann", "{\"executor.slots\": 7}"},
        {{"/v1/workflows", {{0}}, {"idempotency-key", "k"}}, 201, ":4,", "POST", "bob", TEXT},
        {{"/v1/workflows", {{0}}, {"idempotency-key", "k"}}, 200, ":4,", "POST", "bob", TEXT},
        {{"/v1/workflows", {{"strict", "1"}}, {"idempotency-key", "k"}},
         422,
         "PINGO_EKEY",
         "POST",
         "bob",
         TEXT},
        {{"/v1/workflows", {{"priority", "1"}}, {0}}, 403, NULL, "POST", "bob", TEXT},
        {{"/v1/workflows", {{"baseDir", "/"}}, {0}}, 403, "socket", "POST", "bob", TEXT},
        {{"/v1/workflows", {{"once", ""}}, {0}}, 400, "tag", "POST", "bob", TEXT},
        {{"/v1/workflows", {{0}}, {0}}, 422, "the document is empty", "POST", "bob", NULL},
        {{"/v1/workflows", {{0}}, {0}}, 422, "\"errors\":[{", "POST", "bob", "{}"},
        {{"/v1/plan", {{0}}, {0}}, 200, "\"join\":2", "POST", "bob", TEXT},
        {{"/v1/validate", {{0}}, {0}}, 200, "\"valid\":false", "POST", "bob", "{}"},
        {{"/v1/workflows/4", {{0}}, {0}}, 200, "\"user\":\"bob\"", "GET", "eve", NULL},
        {{"/v1/workflows/4/kill", {{0}}, {0}}, 202, NULL, "POST", "bob", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        by.method = rows[i].method;
        by.user = rows[i].user;
        by.body = rows[i].body;
        answers(rows[i].asked, rows[i].status, rows[i].part);
        if (!by.user && rows[i].status == 403) /* as the audit has it */
            assert_non_null(strstr(worker.err.message, rows[i].part));
    }
    by.method = "GET";
    by.user = by.body = NULL;
}

/* What a flat object is read as: keys and values with "=" and ";", or why not. */
static void test_serve__a_flat_object(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{}", ""},
        {" {\n} ", ""},
        {"{\"a\": \"b\", \"c\":null}", "a=b;c=(null);"},
        {"{\"a\": -1.5, \"b\": true, \"c\": 10 }", "a=-1.5;b=true;c=10;"},
        {"{\"a\": \"\\u00e4\\ud83d\\ude00\\u20ac\\n\\/\"}",
         "a=\xc3\xa4\xf0\x9f\x98\x80\xe2\x82\xac\n/;"},
        {"", "line 1, column 1: the text is empty: the body is an object"},
        {"[]", "line 1, column 1: the body is an object"},
        {"{\"a\": \"b\",}", "line 1, column 11: /a: a comma before '}': remove it"},
        {"{\"a\": \"b", "line 1, column 7: /a: a string without an end: \" is missing"},
        {"{\"a\":\n[1]}", "line 2, column 1: /a: expected a text, a number, true, false or null"},
        {"{\"a\": 1, \"a\": 2}",
         "line 1, column 10: /a: the key \"a\" stands twice in this object: remove one"},
        {"{\"a\": 01}", "line 1, column 7: /a: a number may not begin with 0: leave the zero out"},
        {"{\"a\": \"\xff\"}", "line 1, column 8: /a: byte 0xff is not valid UTF-8 here"},
        {"{} {}",
         "line 1, column 4: expected nothing more after the end of the document, found '{'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__buffer b = {0};
        struct serve_flat *members;
        size_t n, length = strlen(rows[i][0]);
        char *text = malloc(length); /* so that a reader past its end is found */
        memcpy(text, rows[i][0], length);
        const char *wrong = serve_flat_read(&arena, text, length, &members, &n);
        for (size_t j = 0; !wrong && j < n; j++)
            pingo__buffer_format(&b, "%s=%s;", members[j].key,
                                 members[j].value ? members[j].value : "(null)");
        assert_string_equal(wrong ? wrong : pingo__buffer_cstr(&b), rows[i][1]);
        pingo__buffer_clear(&b);
        pingo__arena_clear(&arena);
        free(text);
    }
}

static void test_serve__the_document_tells_all_routes(void **state)
{
    (void)state;
    struct serve_answer answer = ask((struct asked){"/openapi.json", {{0}}, {0}});
    const char *text = pingo__buffer_cstr(&answer.body);
    for (const struct serve_route *r = serve_routes; r->method; r++) {
        char id[80];
        snprintf(id, sizeof id, "\"operationId\":\"%s\"", r->operation);
        if (!strstr(text, id))
            fail_msg("%s %s: %s is not in operations.json", r->method, r->pattern, r->operation);
    }
    assert_null(strstr(text, "@VIEWS@"));
    assert_null(strstr(text, "@PATHS@"));
    serve_answer_clear(&answer);
}

/* What clients look at before all else, byte by byte. */
static void test_serve__says_what_it_is_and_who_asks(void **state)
{
    static const struct {
        const char *path, *user, *said;
    } rows[] = {
        {"/version", NULL, "{\"version\":\"" PINGO_VERSION "\",\"api\":\"v1\"}\n"},
        {"/healthz", NULL, "{\"status\":\"ok\"}\n"},
        {"/readyz", NULL, "{\"status\":\"ready\"}\n"},
        {"/v1/me", NULL, "{\"user\":null,\"role\":\"submitter\"}\n"},
        {"/v1/me", "a\"\x07", "{\"user\":\"a\\\"\\u0007\",\"role\":\"submitter\"}\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        by.user = rows[i].user;
        struct serve_answer answer = ask((struct asked){rows[i].path, {{0}}, {0}});
        assert_string_equal(pingo__buffer_cstr(&answer.body), rows[i].said);
        serve_answer_clear(&answer);
    }
    by.user = NULL;
}

/* A reader that keeps answers tells what others have written at once, and each who is asked for himself. */
static void test_serve__what_is_kept_is_true(void **state)
{
    (void)state;
    struct pingo_error err;
    struct pingo_store *other;
    assert_int_equal(pingo_store_open(store, NULL, &other, &err), 0);
    assert_int_equal(serve_kept_open(store, &serve.kept, &err), 0);
    for (int priority = 1; priority < 5; priority++) {
        char part[32];
        snprintf(part, sizeof part, "\"priority\":%d,", priority);
        assert_int_equal(pingo_store_set_priority(other, 3, priority, &err), 0);
        answers((struct asked){"/v1/workflows/3", {{0}}, {0}}, 200, part);
        answers((struct asked){"/v1/workflows/3", {{0}}, {0}}, 200, part);
    }
    by.user = "ann";
    answers((struct asked){"/v1/me", {{0}}, {0}}, 200, "ann");
    by.user = "bob";
    answers((struct asked){"/v1/me", {{0}}, {0}}, 200, "bob");
    by.user = NULL;
    serve_kept_close(serve.kept);
    serve.kept = NULL;
    pingo_store_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serve__lists_come_in_pages),
        cmocka_unit_test(test_serve__what_is_wrong_is_told),
        cmocka_unit_test(test_serve__what_is_known_is_not_sent_again),
        cmocka_unit_test(test_serve__says_what_it_is_and_who_asks),
        cmocka_unit_test(test_serve__what_is_kept_is_true),
        cmocka_unit_test(test_serve__nobody_has_anothers_answer),
        cmocka_unit_test(test_serve__who_waits_is_put_off),
        cmocka_unit_test(test_serve__a_range_of_a_file),
        cmocka_unit_test(test_serve__who_asks_is_who_does_it),
        cmocka_unit_test(test_serve__a_flat_object),
        cmocka_unit_test(test_serve__the_document_tells_all_routes),
    };
    return cmocka_run_group_tests(tests, make_store, remove_store);
}
