/* test_route.c - routes, what handlers ask and answer, and the threads that call them, without a loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "serve/api/ask.h"
#include "serve/route/routes.h"
#include "serve/work/counts.h"
#include "serve/work/handle.h"
#include "serve/work/work.h"

static char directory[] = "/tmp/pingo-route-XXXXXX";
static char store[64];

static int make_store(void **state)
{
    (void)state;
    struct pingo_error err;
    if (!mkdtemp(directory))
        return -1;
    snprintf(store, sizeof store, "%s/.pingo", directory);
    return pingo_store_init(store, NULL, &err);
}

static int remove_store(void **state)
{
    (void)state;
    struct pingo_error err;
    return pingo_store_destroy(store, NULL, NULL, &err) || rmdir(directory);
}

/* What a route answers, on this thread, with a handle that is opened for it. */
static void ask(const char *method, const char *path, struct serve_answer *answer)
{
    struct serve serve = {.directory = store, .started_ms = 1};
    struct serve_worker worker = {.serve = &serve};
    struct serve_match match;
    struct pingo__arena arena = {0};
    assert_int_equal(pingo_store_open(store, NULL, &worker.store, &worker.err), 0);
    const struct serve_route *route = serve_match(&arena, method, path, &match);
    assert_non_null(route);
    struct serve_request request = {.method = route->method,
                                    .path = path,
                                    .route = route,
                                    .parts = match.parts,
                                    .nparts = match.nparts,
                                    .body = -1};
    serve_answer_init(answer);
    serve_handle(&worker, &request, answer);
    pingo_store_close(worker.store);
    pingo__arena_clear(&worker.arena);
    pingo__arena_clear(&arena);
}

static void test_serve__a_route_answers_without_a_loop(void **state)
{
    (void)state;
    struct serve_answer answer;
    ask("GET", "/readyz", &answer);
    assert_int_equal(answer.status, 200);
    assert_string_equal(pingo__buffer_cstr(&answer.body), "{\"status\":\"ready\"}\n");
    serve_answer_clear(&answer);
    ask("HEAD", "/version", &answer);
    assert_non_null(strstr(pingo__buffer_cstr(&answer.body), PINGO_VERSION));
    serve_answer_clear(&answer);
}

static void test_serve__the_closest_range_says_how_gladly_a_type_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *accept, *type;
        int quality;
    } rows[] = {
        {"", "text/plain", 1000},
        {"*/*", "text/plain", 1000},
        {"text/*", "text/plain; charset=utf-8", 1000},
        {"text/*", "application/json", 0},
        {"TEXT/Plain", "text/plain", 1000},
        {"text/plain;q=0.5", "text/plain", 500},
        {"text/plain ; version=1 ; q=0.123", "text/plain", 123},
        {"*/*, text/plain;q=0", "text/plain", 0},
        {"text/plain;q=0, */*;q=0.1", "text/html", 100},
        {"text/*;q=0.3, text/html;q=0.7, text/plain", "text/html", 700},
        {"text/plainer", "text/plain", 0},
        {"text/plain;q=", "text/plain", 0},
        {"text/plain;q=1.000", "text/plain", 1000},
        {"text/plain;", "text/plain", 1000},
        {";;,,;q", "text/plain", 0},
        {"*", "text/plain", 0},
        {"application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3,*/*;q=0.1",
         "application/openmetrics-text", 500},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_field accept = {"accept", rows[i].accept};
        struct serve_request request = {.headers = &accept, .nheaders = 1};
        if (serve_quality(&request, "accept", rows[i].type) != rows[i].quality)
            fail_msg("%s: %s: %d", rows[i].accept, rows[i].type,
                     serve_quality(&request, "accept", rows[i].type));
    }
    assert_int_equal(serve_quality(&(struct serve_request){0}, "accept", "a/b"), 1000);
}

static void test_serve__a_path_has_one_route_or_methods(void **state)
{
    (void)state;
    struct serve_match match;
    struct pingo__arena arena = {0};
    assert_null(serve_match(&arena, "POST", "/healthz", &match));
    assert_string_equal(match.allowed, "GET, HEAD");
    static const char *const none[] = {"/nothing", "/healthz/", "/health", "/healthzz", ""};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_null(serve_match(&arena, "GET", none[i], &match));
        assert_string_equal(match.allowed, "");
    }
    pingo__arena_clear(&arena);
}

static void test_serve__each_route_is_told_once(void **state)
{
    (void)state;
    for (const struct serve_route *r = serve_routes; r->method; r++) {
        assert_true(r->pattern[0] == '/' && r->operation[0] != '\0');
        assert_true(r->role == SERVE_NOBODY || r->by != SERVE_BY_LOOP);
        for (const struct serve_route *s = serve_routes; s != r; s++) {
            assert_string_not_equal(r->operation, s->operation);
            assert_false(strcmp(r->method, s->method) == 0 && strcmp(r->pattern, s->pattern) == 0);
        }
    }
}

static bool is_called;

static void note_call(struct serve_ask *ask)
{
    is_called = !ask->is_wrong;
}

static void test_serve__what_is_asked_is_checked(void **state)
{
    (void)state;
    const struct pingo__http_field query[] = {{"limit", "20"}, {"limitt", "x"}};
    struct serve_route route = {.handler = note_call, .names = "limit|cursor"};
    struct serve_request request = {.query = query, .nquery = 2, .route = &route};
    struct serve_answer answer;
    struct serve_ask it = {.request = &request, .answer = &answer};
    struct serve_range range = {1, 1000, 50};
    serve_answer_init(&answer);
    assert_int_equal(serve_ask_number(&it, "limit", range), 20);
    assert_int_equal(serve_ask_number(&it, "cursor", range), 50);
    assert_false(it.is_wrong);
    serve_ask_number(&it, "limitt", range);
    assert_true(it.is_wrong);
    assert_int_equal(answer.status, 400);
    serve_call(NULL, &request, &answer);
    assert_non_null(strstr(pingo__buffer_cstr(&answer.body), "there is no \\\"limitt\\\""));
    assert_false(is_called);
    route.names = "limit|limitt";
    serve_call(NULL, &request, &answer);
    assert_true(is_called);
    serve_answer_clear(&answer);
}

static void test_serve__an_error_is_a_problem(void **state)
{
    (void)state;
    struct pingo_error err = {PINGO_ENOTFOUND, "there is no workflow 7\r\nX: y"};
    struct serve_answer answer;
    serve_answer_init(&answer);
    pingo__buffer_text(&answer.body, "half an answer");
    serve_problem(&answer, &err, NULL);
    assert_int_equal(answer.status, 404);
    assert_string_equal(answer.type, "application/problem+json");
    const char *body = pingo__buffer_cstr(&answer.body);
    assert_null(strstr(body, "half"));
    assert_non_null(strstr(body, "\"code\":\"PINGO_ENOTFOUND\""));
    assert_non_null(strstr(body, "\"title\":\"Not Found\""));
    serve_header(&answer, "X-Bad", "%s", "a\r\nb: c");
    assert_int_equal(answer.headers.length, 0);
    serve_answer_clear(&answer);
    for (int code = 0; code > -30; code--)
        assert_true(serve_status_of(code) >= 400);
}

static void test_serve__lines_of_an_event_stay_in_it(void **state)
{
    (void)state;
    struct serve_answer answer;
    serve_answer_init(&answer);
    serve_event(&answer, "7", "action", "a\n\nid: 9\r\nb", 11);
    assert_string_equal(pingo__buffer_cstr(&answer.body),
                        "id: 7\nevent: action\ndata: a\ndata: \ndata: id: 9\ndata: b\n\n");
    serve_answer_clear(&answer);
}

static void test_serve__what_is_known_is_not_sent(void **state)
{
    (void)state;
    const struct pingo__http_field header = {"if-none-match", "\"a\", \"b7\""};
    struct serve_request request = {.headers = &header, .nheaders = 1};
    struct serve_answer answer;
    serve_answer_init(&answer);
    assert_false(serve_is_known(&request, &answer));
    snprintf(answer.etag, sizeof answer.etag, "b");
    assert_false(serve_is_known(&request, &answer));
    snprintf(answer.etag, sizeof answer.etag, "b7");
    int fd = answer.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(serve_is_known(&request, &answer));
    assert_int_equal(answer.fd, -1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(answer.status, 304);
    serve_answer_clear(&answer);
}

struct work {
    struct serve_job job;
    bool done;
};

static void run_work(struct serve_worker *worker, struct serve_job *job)
{
    struct work *w = (struct work *)job;
    char *value = NULL;
    w->done = pingo_store_get(worker->store, "executor", &value, &worker->err) == 0;
    free(value);
}

static void wake(void *context)
{
    uint64_t one = 1;
    assert_int_equal(write(*(int *)context, &one, sizeof one), sizeof one);
}

static void test_serve__threads_work_and_have_a_limit(void **state)
{
    (void)state;
    enum { N = 200 };
    static struct work all[N];
    int fd = eventfd(0, EFD_CLOEXEC);
    struct serve_counts counts = {0};
    struct serve serve = {.directory = store, .counts = &counts};
    struct serve_work_options options = {
        .serve = &serve, .readers = 3, .most = N / 4, .wake = wake, .context = &fd};
    struct serve_work *work = NULL;
    struct pingo_error err;
    assert_int_equal(serve_work_start(&options, &work, &err), 0);
    size_t given = 0, back = 0;
    while (back < N) {
        for (; given < N; given++) {
            all[given].job.run = run_work;
            if (!serve_work_give(work, given % 3 ? SERVE_BY_READER : SERVE_BY_WRITER,
                                 &all[given].job))
                break;
        }
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 60000), 1);
        uint64_t n;
        assert_int_equal(read(fd, &n, sizeof n), sizeof n);
        for (struct serve_job *job = serve_work_done(work); job; job = job->next)
            back++;
    }
    for (size_t i = 0; i < N; i++)
        assert_true(all[i].done);
    serve_work_stop(work);
    close(fd);
}

static int free_to_go;

static void run_long(struct serve_worker *worker, struct serve_job *job)
{
    (void)worker, (void)job;
    uint64_t n;
    assert_int_equal(read(free_to_go, &n, sizeof n), sizeof n);
}

/* Inputs that are read for hours keep nobody from ending something. */
static void test_serve__what_ends_something_waits_for_no_inputs(void **state)
{
    (void)state;
    int fd = eventfd(0, EFD_CLOEXEC);
    struct pingo__arena arena = {0};
    struct serve_match match;
    struct serve_counts counts = {0};
    struct serve serve = {.directory = store, .counts = &counts};
    struct serve_work_options options = {
        .serve = &serve, .readers = 1, .most = 9, .wake = wake, .context = &fd};
    struct serve_work *work = NULL;
    struct serve_job slow[2] = {{.run = run_long}, {.run = run_long}};
    struct work quick[2] = {{.job.run = run_work}, {.job.run = run_work}};
    struct pingo_error err;
    free_to_go = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    assert_int_equal(serve_work_start(&options, &work, &err), 0);
    static const char *const reading[] = {"/v1/workflows", "/v1/plan"};
    for (size_t i = 0; i < 2; i++)
        assert_true(
            serve_work_give(work, serve_match(&arena, "POST", reading[i], &match)->by, &slow[i]));
    static const char *const others[][2] = {{"POST", "/v1/workflows/1/kill"},
                                            {"GET", "/v1/workflows/1"}};
    for (size_t i = 0; i < 2; i++)
        assert_true(serve_work_give(
            work, serve_match(&arena, others[i][0], others[i][1], &match)->by, &quick[i].job));
    for (size_t back = 0; back < 2;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        uint64_t n;
        assert_int_equal(poll(&p, 1, 60000), 1);
        assert_int_equal(read(fd, &n, sizeof n), sizeof n);
        for (struct serve_job *job = serve_work_done(work); job; job = job->next)
            back++;
    }
    assert_true(quick[0].done && quick[1].done);
    uint64_t two = 2;
    assert_int_equal(write(free_to_go, &two, sizeof two), sizeof two);
    serve_work_stop(work);
    pingo__arena_clear(&arena);
    close(free_to_go);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serve__a_route_answers_without_a_loop),
        cmocka_unit_test(test_serve__the_closest_range_says_how_gladly_a_type_is_taken),
        cmocka_unit_test(test_serve__a_path_has_one_route_or_methods),
        cmocka_unit_test(test_serve__each_route_is_told_once),
        cmocka_unit_test(test_serve__what_is_asked_is_checked),
        cmocka_unit_test(test_serve__an_error_is_a_problem),
        cmocka_unit_test(test_serve__lines_of_an_event_stay_in_it),
        cmocka_unit_test(test_serve__what_is_known_is_not_sent),
        cmocka_unit_test(test_serve__threads_work_and_have_a_limit),
        cmocka_unit_test(test_serve__what_ends_something_waits_for_no_inputs),
    };
    return cmocka_run_group_tests(tests, make_store, remove_store);
}
