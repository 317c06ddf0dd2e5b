/* test_client.c - requests and replies, good ones and hostile ones, against a small server that the tests start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "http/http.h"

#define PATIENCE_MS 300000

struct server {
    pid_t pid;
    int in; /* its end is the server's */
    char url[160];
};

static struct server server;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* path: of a socket; NULL: on a port of loopback. */
static void start_server(struct server *s, const char *path)
{
    char script[] = "test/unit/http/server.py", said[16] = "";
    char *argv[] = {script, (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    assert_int_equal(pipe(in) | pipe(out), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    assert_int_equal(posix_spawn(&s->pid, script, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    ssize_t got = read(out[0], said, sizeof said - 1);
    assert_true(got > 1);
    close(out[0]);
    s->in = in[1];
    if (path)
        snprintf(s->url, sizeof s->url, "unix:%s", path);
    else
        snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", atoi(said));
}

static void stop_server(struct server *s)
{
    kill(s->pid, SIGKILL);
    close(s->in);
    waitpid(s->pid, NULL, 0);
}

static int set_up(void **state)
{
    (void)state;
    setenv("http_proxy", "http://127.0.0.1:1", 1); /* nothing of the environment counts */
    start_server(&server, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stop_server(&server);
    return 0;
}

static const struct pingo__http_options usual = {
    .connect_ms = 5000, .whole_ms = 20000, .max_bytes = 1 << 20, .connections = 4};

static struct pingo__http_client *open_client(const char *url, const struct pingo__http_options *o)
{
    struct pingo__http_client *client = NULL;
    struct pingo_error err = {0};
    assert_int_equal(pingo__http_open(url, o, &client, &err), 0);
    assert_non_null(client);
    return client;
}

static void ask(struct pingo__http_client *client, const char *method, const char *path,
                const char *body)
{
    static const char *const headers[] = {"X-Word: hello", NULL};
    struct pingo_error err = {0};
    assert_int_equal(pingo__http_send(client,
                                      &(struct pingo__http_request){.method = method,
                                                                    .path = path,
                                                                    .headers = headers,
                                                                    .body = body,
                                                                    .length = body ? strlen(body) : 0,
                                                                    .own = (void *)(uintptr_t)path},
                                      &err),
                     0);
}

/* The next reply, by the descriptor alone; no drive takes long. */
static void await(struct pingo__http_client *client, struct pingo__http_reply *reply)
{
    struct pollfd polled = {pingo__http_poll_fd(client), POLLIN, 0};
    int64_t end = now_ms() + PATIENCE_MS;
    while (!pingo__http_next(client, reply)) {
        assert_true(now_ms() < end);
        assert_true(poll(&polled, 1, PATIENCE_MS) > 0);
        pingo__http_drive(client);
    }
}

/* Who has nothing else to wait for. */
static void test_client__waits_for_a_reply_or_some_time(void **state)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    (void)state;
    assert_false(pingo__http_wait(client, 1, &reply));
    ask(client, "GET", "/hello", NULL);
    ask(client, "GET", "/hello", NULL);
    for (int i = 0; i < 2; i++) {
        int64_t end = now_ms() + PATIENCE_MS;
        while (!pingo__http_wait(client, PATIENCE_MS, &reply))
            assert_true(now_ms() < end);
        assert_int_equal(reply.result, PINGO__HTTP_REPLIED);
    }
    assert_false(pingo__http_wait(client, 1, &reply));
    pingo__http_close(client);
}

static void one(const struct pingo__http_options *o, const char *method, const char *path,
                struct pingo__http_reply *reply)
{
    struct pingo__http_client *client = open_client(server.url, o);
    ask(client, method, path, NULL);
    await(client, reply);
    reply->body = NULL; /* gone with the client */
    assert_int_equal(pingo__http_count(client), 0);
    pingo__http_close(client);
}

/* What /count and /connections say. */
static int number(const char *path)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    ask(client, "GET", path, NULL);
    await(client, &reply);
    int n = atoi(reply.body);
    pingo__http_close(client);
    return n;
}

/* ---- what is right --------------------------------------------------------------------------- */

static void test_client__methods_headers_bodies(void **state)
{
    static const struct {
        const char *method, *path, *body, *expected;
    } rows[] = {{"GET", "/echo/a?b=c", NULL, "GET /echo/a?b=c hello - 0\n"},
                {"GET", "/echo/../a/./b", NULL, "GET /echo/../a/./b hello - 0\n"}, /* as it was said */
                {"DELETE", "/echo", NULL, "DELETE /echo hello - 0\n"},
                {"POST", "/echo", "some text", "POST /echo hello - 9\nsome text"},
                {"POST", "/echo", "", "POST /echo hello - 0\n"},
                {"PUT", "/echo", "x", "PUT /echo hello - 1\nx"}};
    struct pingo__http_client *client = open_client(server.url, &usual);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_reply reply;
        ask(client, rows[i].method, rows[i].path, rows[i].body);
        await(client, &reply);
        assert_int_equal(reply.result, PINGO__HTTP_REPLIED);
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, rows[i].expected);
        assert_int_equal(reply.length, strlen(rows[i].expected));
        assert_ptr_equal(reply.own, rows[i].path);
    }
    pingo__http_close(client);
}

static void test_client__status_is_told_and_not_obeyed(void **state)
{
    static const int statuses[] = {204, 302, 401, 404, 500, 503};
    (void)state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct pingo__http_reply reply;
        char path[32];
        snprintf(path, sizeof path, "/status/%d", statuses[i]);
        one(&usual, "GET", path, &reply);
        assert_int_equal(reply.result, PINGO__HTTP_REPLIED);
        assert_int_equal(reply.status, statuses[i]);
    }
}

/* A body beyond what libcurl would ask leave for. */
static void test_client__large_bodies(void **state)
{
    enum { N = 3 << 20 };
    struct pingo__http_options large = usual;
    char *body = malloc(N + 1);
    struct pingo__http_reply reply;
    (void)state;
    memset(body, 'b', N);
    body[N] = '\0';
    large.max_bytes = N + 1000;
    struct pingo__http_client *client = open_client(server.url, &large);
    ask(client, "POST", "/echo", body);
    await(client, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body + reply.length - N, body);
    assert_non_null(strstr(reply.body, "hello - "));
    pingo__http_close(client);
    free(body);
}

static void test_client__many_over_few_connections(void **state)
{
    enum { N = 500 };
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    int before = number("/connections"), told = 0;
    (void)state;
    for (int i = 0; i < N; i++)
        ask(client, "POST", "/echo", "x");
    assert_int_equal(pingo__http_count(client), N);
    for (; told < N; told++) {
        await(client, &reply);
        assert_int_equal(reply.status, 200);
    }
    assert_in_range(number("/connections") - before, 2, 5); /* one is that of the question */
    assert_false(pingo__http_next(client, &reply));
    pingo__http_close(client);
}

static void test_client__over_a_socket(void **state)
{
    char path[] = "/tmp/pingo-http-XXXXXX", at[64];
    struct server other;
    struct pingo__http_reply reply;
    (void)state;
    assert_non_null(mkdtemp(path));
    snprintf(at, sizeof at, "%s/a socket", path);
    start_server(&other, at);
    struct pingo__http_client *client = open_client(other.url, &usual);
    ask(client, "GET", "/echo", NULL);
    await(client, &reply);
    assert_string_equal(reply.body, "GET /echo hello - 0\n");
    pingo__http_close(client);
    stop_server(&other);
    unlink(at);
    rmdir(path);
}

/* ---- streams, redirections ------------------------------------------------------------------- */

struct streamed {
    int64_t at, end; /* of what is given */
    size_t taken, most;
    unsigned char wrong;
};

static ssize_t give(void *context, char *bytes, size_t size)
{
    struct streamed *s = context;
    size_t n = (size_t)(s->end - s->at) < size ? (size_t)(s->end - s->at) : size;
    memset(bytes, 3, n);
    s->at += (int64_t)n;
    return (ssize_t)n;
}

static bool take(void *context, const char *bytes, size_t n)
{
    struct streamed *s = context;
    for (size_t i = 0; i < n; i++)
        s->wrong |= (unsigned char)bytes[i] ^ (unsigned char)((s->taken + i) % 251);
    s->taken += n;
    return s->taken <= s->most;
}

static void stream(const char *method, const char *path, int64_t length, struct streamed *s,
                   struct pingo__http_reply *reply)
{
    struct pingo__http_options strict = usual;
    strict.max_bytes = 1000; /* of what is not streamed */
    strict.stall_ms = 10000;
    strict.whole_ms = 1; /* counts for nothing */
    struct pingo__http_client *client = open_client(server.url, &strict);
    const struct pingo__http_stream body = {strcmp(method, "PUT") == 0 ? give : NULL, length, take,
                                            s};
    struct pingo_error err = {0};
    assert_int_equal(
        pingo__http_send(
            client, &(struct pingo__http_request){.method = method, .path = path, .stream = &body},
            &err),
        0);
    await(client, reply);
    reply->body = reply->length ? "some" : "";
    pingo__http_close(client);
}

static void test_client__streams(void **state)
{
    enum { N = 5000000 };
    struct pingo__http_reply reply;
    struct streamed s = {.end = N};
    (void)state;
    stream("PUT", "/sum", N, &s, &reply);
    assert_int_equal(reply.status, 201);
    assert_int_equal(s.at, N);
    assert_int_equal(reply.length, 8); /* 15000000 */
    s = (struct streamed){.end = N / 2};
    stream("PUT", "/sum", N, &s, &reply); /* less than was promised */
    assert_int_equal(reply.result, PINGO__HTTP_LOST);
    s = (struct streamed){.most = N};
    stream("GET", "/bytes/5000000", 0, &s, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(s.taken, N);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(reply.length, 0);
    s = (struct streamed){.most = 10};
    stream("GET", "/bytes/5000000", 0, &s, &reply); /* enough */
    assert_int_equal(reply.result, PINGO__HTTP_LOST);
    s = (struct streamed){.most = N};
    stream("GET", "/redirect", 0, &s, &reply); /* is no body that was asked for */
    assert_int_equal(reply.status, 307);
    assert_int_equal(s.taken, 0);
    assert_int_equal(reply.length, 9);
    stream("GET", "/halt", 0, &s, &reply);
    assert_int_equal(reply.result, PINGO__HTTP_LOST);
    assert_int_equal(s.taken, 4);
}

static void test_client__redirections_are_told(void **state)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    char url[200];
    (void)state;
    ask(client, "PUT", "/redirect", NULL);
    await(client, &reply);
    assert_int_equal(reply.status, 307);
    assert_string_equal(reply.location, "http://127.0.0.1:1/there?a=b");
    ask(client, "GET", reply.location, NULL); /* another server than the client's */
    await(client, &reply);
    assert_int_equal(reply.result, PINGO__HTTP_UNSENT);
    assert_non_null(strstr(reply.message, "http://127.0.0.1:1:"));
    assert_null(reply.location);
    snprintf(url, sizeof url, "%s/echo", server.url);
    ask(client, "GET", url, NULL);
    await(client, &reply);
    assert_string_equal(reply.body, "GET /echo hello - 0\n");
    pingo__http_close(client);
}

/* ---- what is wrong with a server ------------------------------------------------------------- */

static void test_client__hostile_replies_are_none(void **state)
{
    static const struct {
        const char *path, *message;
    } rows[] = {{"/truncated", ""},     {"/huge", "longer than"}, {"/huge/endless", "longer than"},
                {"/headers", "longer"}, {"/garbage", ""},         {"/slam", ""},
                {"/chunked/bad", ""}};
    struct pingo__http_options strict = usual;
    (void)state;
    strict.max_bytes = 100000;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__http_reply reply;
        one(&strict, "GET", rows[i].path, &reply);
        assert_int_equal(reply.result, *rows[i].message ? PINGO__HTTP_UNREAD : PINGO__HTTP_LOST);
        assert_int_equal(reply.status, 0);
        assert_non_null(strstr(reply.message, server.url));
        assert_non_null(strstr(reply.message, rows[i].message));
    }
}

/* What stands behind a reply is no part of it, nor of the next one. */
static void test_client__more_than_was_promised(void **state)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ask(client, "GET", "/longer", NULL);
        await(client, &reply);
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, "four");
    }
    ask(client, "GET", "/chunked", NULL);
    await(client, &reply);
    assert_string_equal(reply.body, "hello");
    pingo__http_close(client);
}

/* Of all that are on their way: head and body, 43 bytes of each. */
static void test_client__what_has_moved_is_counted(void **state)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pollfd polled = {pingo__http_poll_fd(client), POLLIN, 0};
    struct pingo__http_reply reply;
    int64_t end = now_ms() + PATIENCE_MS;
    (void)state;
    assert_int_equal(pingo__http_moved(client), 0);
    for (int i = 0; i < 2; i++)
        ask(client, "GET", "/halt", NULL);
    while (pingo__http_moved(client) < 86) {
        assert_true(now_ms() < end);
        poll(&polled, 1, 1000);
        pingo__http_drive(client);
        assert_false(pingo__http_next(client, &reply));
    }
    assert_int_equal(pingo__http_moved(client), 86);
    pingo__http_close(client);
}

static void test_client__who_is_slow_or_silent_is_left(void **state)
{
    struct pingo__http_options hasty = usual;
    struct pingo__http_reply reply;
    int64_t began = now_ms();
    (void)state;
    hasty.whole_ms = 300;
    one(&hasty, "GET", "/slow", &reply);
    assert_int_equal(reply.result, PINGO__HTTP_LOST);
    one(&hasty, "GET", "/silent", &reply);
    assert_int_equal(reply.result, PINGO__HTTP_LOST);
    assert_non_null(strcasestr(reply.message, "timeout"));
    assert_true(now_ms() - began >= 600);
}

/* While one is silent, others are answered, and nothing waits. */
static void test_client__the_silent_holds_nobody_up(void **state)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    (void)state;
    ask(client, "GET", "/silent", NULL);
    for (int i = 0; i < 20; i++)
        ask(client, "GET", "/echo", NULL);
    for (int i = 0; i < 20; i++) {
        await(client, &reply);
        assert_int_equal(reply.status, 200);
    }
    int64_t began = now_ms();
    pingo__http_drive(client);
    assert_false(pingo__http_next(client, &reply));
    assert_int_equal(pingo__http_count(client), 1);
    pingo__http_close(client);
    assert_true(now_ms() - began < 10000);
}

/* Nor is one waited for that went without a word, such as behind a router that has forgotten us: the system asks. */
static void test_client__the_silent_is_asked_whether_it_is_there(void **state)
{
    struct pingo__http_client *client = open_client(server.url, &usual);
    struct pingo__http_reply reply;
    struct sockaddr_storage peer;
    int n = 0, idle, interval;
    (void)state;
    ask(client, "GET", "/silent", NULL);
    ask(client, "GET", "/echo", NULL);
    await(client, &reply);
    for (int fd = 3; fd < 100; fd++) {
        socklen_t size = sizeof peer, size_of_int = sizeof(int);
        int is_kept;
        if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0 || peer.ss_family != AF_INET)
            continue;
        assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &is_kept, &size_of_int), 0);
        assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size_of_int), 0);
        assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, &size_of_int), 0);
        assert_true(is_kept && idle <= 60 && interval <= 15);
        n++;
    }
    assert_int_equal(n, 2);
    pingo__http_close(client);
}

static void test_client__nobody_is_there(void **state)
{
    struct server gone;
    struct pingo__http_reply reply;
    (void)state;
    start_server(&gone, NULL);
    stop_server(&gone);
    const char *urls[] = {gone.url, "unix:/nonexistent/socket"};
    for (size_t i = 0; i < 2; i++) {
        struct pingo__http_client *client = open_client(urls[i], &usual);
        ask(client, "POST", "/echo", "x");
        await(client, &reply);
        assert_int_equal(reply.result, PINGO__HTTP_UNSENT);
        assert_non_null(strstr(reply.message, urls[i]));
        pingo__http_close(client);
    }
}

static atomic_int resolving;
static atomic_bool is_resolved;

/* libcurl's, on a thread: a name server that does not answer. */
__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **found)
{
    int64_t end = now_ms() + PATIENCE_MS / 2;
    (void)node;
    (void)service;
    (void)hints;
    *found = NULL;
    resolving++;
    while (!is_resolved && now_ms() < end)
        usleep(10000);
    resolving--;
    return EAI_AGAIN;
}

static void test_client__a_name_server_holds_nobody_up(void **state)
{
    struct pingo__http_options o = usual;
    struct pingo__http_client *client = open_client("http://nowhere.invalid:1", &o);
    struct pingo__http_reply reply;
    (void)state;
    pingo__http_close(client);
    o.connect_ms = 100;
    client = open_client("http://nowhere.invalid:1", &o);
    ask(client, "POST", "/echo", "x");
    await(client, &reply);
    assert_int_equal(reply.result, PINGO__HTTP_UNSENT);
    assert_int_equal(resolving, 1); /* nobody has waited for it */
    ask(client, "POST", "/echo", "x");
    while (resolving < 2) {
        pingo__http_drive(client);
        usleep(1000);
    }
    pingo__http_close(client);
    assert_int_equal(resolving, 2);
    is_resolved = true;
    while (resolving)
        usleep(1000);
}

static void test_client__nothing_is_sent_twice(void **state)
{
    static const char *const methods[] = {"GET", "POST", "DELETE"};
    struct pingo__http_reply reply;
    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[32], count[48];
        snprintf(path, sizeof path, "/third/%d", i);
        snprintf(count, sizeof count, "/count%s", path);
        one(&usual, methods[i], path, &reply);
        assert_int_equal(reply.result, PINGO__HTTP_LOST);
        assert_int_equal(number(count), 1);
    }
}

/* A server that begins anew: what was kept open is noticed to be gone. */
static void test_client__a_kept_connection_that_died(void **state)
{
    struct pingo__http_reply reply;
    (void)state;
    struct pingo__http_client *client = open_client(server.url, &usual);
    for (int i = 0; i < 5; i++) {
        ask(client, "GET", "/once", NULL);
        await(client, &reply);
        assert_string_equal(reply.body, "once");
    }
    pingo__http_close(client);
}

/* ---- what is wrong with a caller ------------------------------------------------------------- */

static void test_client__urls(void **state)
{
    static const struct {
        const char *url;
        bool is_valid;
    } rows[] = {{"http://localhost", true},
                {"http://127.0.0.1:6820", true},
                {"http://[::1]:6820", true},
                {"unix:/run/slurmrestd.sock", true},
                {"http://a.b-c.example:1", true},
                {"https://a", true},
                {"https://", false},
                {"https://a/b", false},
                {"httpx://a", false},
                {"http://", false},
                {"http://a:0", false},
                {"http://a:99999", false},
                {"http://a/b", false},
                {"http://a b", false},
                {"http://u:p@host", false},
                {"http://a:1\r\nX: y", false},
                {"unix:relative", false},
                {"unix:/", false},
                {"", false},
                {"ftp://a", false},
                {"http://[::1", false}};
    char path[200] = "unix:/";
    const char *wrong;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(pingo__http_url_is_valid(rows[i].url, &wrong), rows[i].is_valid);
        assert_int_equal(!wrong, rows[i].is_valid);
    }
    memset(path + strlen(path), 'x', 120);
    assert_false(pingo__http_url_is_valid(path, &wrong));
    struct pingo__http_client *client;
    struct pingo_error err = {0};
    assert_int_equal(pingo__http_open("gopher:", &usual, &client, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "gopher:"));
    assert_null(client);
}

/* What is on its way, waits or is over goes with the client. */
static int dropped;

static void count_drop(void *own)
{
    dropped += own != NULL;
}

static void test_client__close_in_the_middle(void **state)
{
    struct pingo__http_options patient = usual;
    struct pingo__http_reply reply;
    (void)state;
    patient.drop = count_drop;
    struct pingo__http_client *client = open_client(server.url, &patient);
    ask(client, "GET", "/slam", NULL);
    for (int i = 0; i < 9; i++)
        ask(client, "GET", i % 2 ? "/silent" : "/echo", NULL);
    await(client, &reply);
    pingo__http_close(client);
    pingo__http_close(NULL);
    assert_int_equal(dropped, 9); /* all but the one that was taken */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client__waits_for_a_reply_or_some_time),
        cmocka_unit_test(test_client__methods_headers_bodies),
        cmocka_unit_test(test_client__status_is_told_and_not_obeyed),
        cmocka_unit_test(test_client__large_bodies),
        cmocka_unit_test(test_client__many_over_few_connections),
        cmocka_unit_test(test_client__over_a_socket),
        cmocka_unit_test(test_client__streams),
        cmocka_unit_test(test_client__redirections_are_told),
        cmocka_unit_test(test_client__hostile_replies_are_none),
        cmocka_unit_test(test_client__more_than_was_promised),
        cmocka_unit_test(test_client__what_has_moved_is_counted),
        cmocka_unit_test(test_client__who_is_slow_or_silent_is_left),
        cmocka_unit_test(test_client__the_silent_holds_nobody_up),
        cmocka_unit_test(test_client__the_silent_is_asked_whether_it_is_there),
        cmocka_unit_test(test_client__nobody_is_there),
        cmocka_unit_test(test_client__a_name_server_holds_nobody_up),
        cmocka_unit_test(test_client__nothing_is_sent_twice),
        cmocka_unit_test(test_client__a_kept_connection_that_died),
        cmocka_unit_test(test_client__urls),
        cmocka_unit_test(test_client__close_in_the_middle),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
