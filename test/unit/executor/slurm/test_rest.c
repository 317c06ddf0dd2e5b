/* test_rest.c - Slurm is asked through slurmrestd, which is a thread of this test: what it is asked, in which version of its
 * interface, and what its answers mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/slurm/slurm.h"

static const struct pingo__executor_slurm_way *const way = &pingo__executor_slurm_rest;

/* ---- slurmrestd ------------------------------------------------------------------------------------ */

static struct {
    int fd, port;
    pthread_t thread;
    pthread_mutex_t mutex; /* holds what follows */
    int speaks;            /* the one version that it has; 0: none */
    int ping;              /* the status of a ping of that */
    int status;            /* of all else; 0: the connection ends without a word */
    const char *body;
    char asked[8192]; /* the last question but for pings */
} server = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Reads one question whole. */
static bool read_one(int fd, char *text, size_t size)
{
    size_t n = 0, length = 0;
    const char *end = NULL;
    while (!end || n < (size_t)(end - text) + 4 + length) {
        ssize_t got = recv(fd, text + n, size - 1 - n, 0);
        if (got <= 0)
            return false;
        n += (size_t)got;
        text[n] = '\0';
        end = strstr(text, "\r\n\r\n");
        const char *field = strcasestr(text, "content-length:");
        length = field ? (size_t)atol(field + 15) : 0;
    }
    return true;
}

static void *serve(void *context)
{
    static char text[8192], reply[16384];
    (void)context;
    for (int fd; (fd = accept4(server.fd, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(fd)) {
        char version[32];
        if (!read_one(fd, text, sizeof text))
            continue;
        pthread_mutex_lock(&server.mutex);
        snprintf(version, sizeof version, "/slurm/v0.0.%d/", server.speaks);
        bool is_ping = strstr(text, "/ping HTTP"), is_known = strstr(text, version);
        int status = !is_known ? 404 : is_ping ? server.ping : server.status;
        const char *body = is_ping || !is_known ? "{}" : server.body;
        if (!is_ping)
            snprintf(server.asked, sizeof server.asked, "%s", text);
        int n = snprintf(reply, sizeof reply,
                         "HTTP/1.1 %d x\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                         status, strlen(body), body);
        pthread_mutex_unlock(&server.mutex);
        if (status && send(fd, reply, (size_t)n, MSG_NOSIGNAL) != n)
            continue;
    }
    return NULL;
}

static void answer_with(int status, const char *body)
{
    pthread_mutex_lock(&server.mutex);
    server.status = status;
    server.body = body;
    pthread_mutex_unlock(&server.mutex);
}

static void end_server(void)
{
    if (server.fd < 0)
        return;
    shutdown(server.fd, SHUT_RDWR);
    pthread_join(server.thread, NULL);
    close(server.fd);
    server.fd = -1;
}

/* ---- the executor ----------------------------------------------------------------------------------- */

static struct {
    struct pingo__executor_slurm s;
    struct pingo__executor_slurm_job seen; /* what was told last of a job */
    void *handle;
    char url[64], logged[300];
    size_t nlogs;
} box;

static char user[] = "me";

static void note(void *context, const char *message)
{
    (void)context;
    box.nlogs++;
    snprintf(box.logged, sizeof box.logged, "%s", message);
}

static int set_up(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof at;
    (void)state;
    memset(&box, 0, sizeof box);
    server.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(server.fd, 64), 0);
    assert_int_equal(getsockname(server.fd, (struct sockaddr *)&at, &n), 0);
    server.speaks = 38;
    server.ping = 200;
    answer_with(200, "{}");
    assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
    snprintf(box.url, sizeof box.url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    box.s.url = box.url;
    box.s.user = user;
    box.s.log.take = note;
    box.s.seen = &box.seen;
    box.s.poll_fd = epoll_create1(EPOLL_CLOEXEC);
    alarm(120); /* who waits for what does not come has no end */
    return way->open(&box.s, &box.handle, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    way->close(box.handle);
    end_server();
    free(box.s.sizes.list);
    close(box.s.poll_fd);
    alarm(0);
    return 0;
}

/* One step: true: there is an answer. */
static bool go_on(struct pingo__executor_slurm_answer *answer)
{
    bool is = way->next(box.handle, answer);
    if (!is)
        poll(&(struct pollfd){box.s.poll_fd, POLLIN, 0}, 1, 50);
    return is;
}

/* NULL: it can be asked; else what is in the way. */
static const char *meet(void)
{
    const char *why = NULL;
    struct pingo__executor_slurm_answer none;
    while (!way->is_ready(box.handle, &why) && !why)
        assert_false(go_on(&none));
    return why;
}

static struct pingo__executor_slurm_answer ask(const struct pingo__executor_slurm_call *call,
                                               const struct pingo__executor_slurm_request *request)
{
    struct pingo__executor_slurm_answer answer;
    assert_int_equal(way->ask(box.handle, call, request, NULL), 0);
    while (!go_on(&answer))
        continue;
    assert_int_equal(answer.call.kind, call->kind);
    return answer;
}

static const struct pingo__executor_slurm_request request = {
    .name = "pingo-s-1.2", .comment = "c", .log = "/l", .script = "#!/bin/sh\n", .cpus = 2};

/* ---- the tests ------------------------------------------------------------------------------------- */

static void test_rest__which_version_it_speaks(void **state)
{
    static const struct {
        int speaks, ping;
        const char *why, *about; /* behind the url */
        size_t nlogs;
    } rows[] = {
        {38, 200, NULL, " answers user me, by v0.0.38", 0},
        {41, 200, NULL, " answers user me, by v0.0.41", 0},
        {37, 200, NULL, " answers user me, by v0.0.37", 0},
        {45, 200, NULL, " answers user me, by v0.0.45, which is newer than what Pingo knows", 1},
        {40, 500, NULL, " answers user me, by v0.0.40", 0}, /* it has it, and will say more */
        {39, 200,
         ": it has none of the interfaces v0.0.37, v0.0.38, v0.0.40 to v0.0.59; is it slurmrestd?",
         NULL, 0},
        {36, 200,
         ": it has none of the interfaces v0.0.37, v0.0.38, v0.0.40 to v0.0.59; is it slurmrestd?",
         NULL, 0},
        {38, 401, ": user me is not let in (status 401); executor.slurm.token is not set", NULL, 0},
        {38, 403, ": user me is not let in (status 403); executor.slurm.token is not set", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        server.speaks = rows[i].speaks;
        server.ping = rows[i].ping;
        box.nlogs = 0;
        const char *why = meet(), *said = why ? why : way->about(box.handle);
        const char *expected = rows[i].why ? rows[i].why : rows[i].about;
        assert_int_equal(why != NULL, rows[i].why != NULL);
        assert_memory_equal(said, box.url, strlen(box.url));
        assert_string_equal(said + strlen(box.url), expected);
        assert_false(box.s.is_unreached);
        assert_int_equal(box.nlogs, rows[i].nlogs);
        way->close(box.handle);
        assert_int_equal(way->open(&box.s, &box.handle, NULL), 0);
    }
    end_server();
    const char *why = meet();
    assert_non_null(why);
    assert_true(box.s.is_unreached);
    assert_non_null(strstr(why, "127.0.0.1"));
}

static void test_rest__what_it_is_asked(void **state)
{
    static const struct {
        int speaks;
        struct pingo__executor_slurm_call call;
        const char *line; /* without the version */
        const char *body; /* what it has in it; NULL: there is none */
    } rows[] = {
        {38, {.kind = PINGO__SLURM_LIST}, "GET jobs", NULL},
        {38, {.kind = PINGO__SLURM_LIST, .since = 17}, "GET jobs?update_time=17", NULL},
        {40, {.kind = PINGO__SLURM_LIST, .since = 17}, "GET jobs", NULL},
        {38, {.kind = PINGO__SLURM_LOOK, .id = 12}, "GET job/12", NULL},
        {38, {.kind = PINGO__SLURM_LOOK, .id = 12, .task = 7, .ntasks = 1}, "GET job/12_7", NULL},
        {38, {.kind = PINGO__SLURM_CANCEL, .id = 12}, "DELETE job/12", NULL},
        {38,
         {.kind = PINGO__SLURM_CANCEL, .id = 12, .task = 7, .ntasks = 3},
         "DELETE job/12_%5B7-9%5D",
         NULL},
        {42, {.kind = PINGO__SLURM_CANCEL, .id = 12}, "DELETE job/12", NULL},
        {40,
         {.kind = PINGO__SLURM_CANCEL, .id = 12, .task = 7, .ntasks = 1},
         "DELETE jobs",
         "\r\n\r\n{\"jobs\":[\"12_7\"]}"},
        {42,
         {.kind = PINGO__SLURM_CANCEL, .id = 12, .task = 7, .ntasks = 3},
         "DELETE jobs",
         "\r\n\r\n{\"jobs\":[\"12_[7-9]\"]}"},
        {38, {.kind = PINGO__SLURM_NODES}, "GET nodes", NULL},
        {40, {.kind = PINGO__SLURM_PARTITIONS}, "GET partitions", NULL},
        {40, {.kind = PINGO__SLURM_SUBMIT}, "POST job/submit", "\"name\":\"pingo-s-1.2\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[128];
        const char *word = strchr(rows[i].line, ' ');
        server.speaks = rows[i].speaks;
        way->close(box.handle);
        assert_int_equal(way->open(&box.s, &box.handle, NULL), 0);
        assert_null(meet());
        ask(&rows[i].call, &request);
        snprintf(line, sizeof line, "%.*s /slurm/v0.0.%d/%s HTTP/1.1\r\n",
                 (int)(word - rows[i].line), rows[i].line, rows[i].speaks, word + 1);
        if (strncmp(server.asked, line, strlen(line)) != 0)
            fail_msg("%s: %s", line, server.asked);
        assert_non_null(strstr(server.asked, "\r\nX-SLURM-USER-NAME: me\r\n"));
        assert_null(strstr(server.asked, "X-SLURM-USER-TOKEN"));
        assert_int_equal(rows[i].body != NULL,
                         strstr(server.asked, "\r\nContent-Type: application/json\r\n") != NULL);
        assert_non_null(strstr(server.asked, rows[i].body ? rows[i].body : "\r\n\r\n"));
    }
}

static void test_rest__what_it_answers(void **state)
{
    static struct pingo__executor_slurm_bundle bundle;
    static const struct pingo__executor_slurm_call submit = {.kind = PINGO__SLURM_SUBMIT},
                                                   array = {.kind = PINGO__SLURM_SUBMIT,
                                                            .bundle = &bundle},
                                                   list = {.kind = PINGO__SLURM_LIST},
                                                   since = {.kind = PINGO__SLURM_LIST, .since = 17},
                                                   look = {.kind = PINGO__SLURM_LOOK, .id = 12},
                                                   task = {.kind = PINGO__SLURM_LOOK,
                                                           .id = 12,
                                                           .task = 7,
                                                           .ntasks = 1},
                                                   cancel = {.kind = PINGO__SLURM_CANCEL, .id = 12};
#define ERROR(number) "{\"errors\":[{\"error_number\":" number ",\"error\":\"why\"}]}"
    static const struct {
        const struct pingo__executor_slurm_call *call;
        int status;
        const char *body;
        enum pingo__executor_slurm_said said;
        const char *message; /* a part of it; NULL: there is none */
    } rows[] = {
        {&submit, 200, "{\"job_id\":12,\"errors\":[]}", PINGO__SLURM_DONE, NULL},
        {&submit, 200, "{\"job_id\":12,\"errors\":[{\"error_number\":2015,\"error\":\"never\"}]}",
         PINGO__SLURM_DONE, "never"}, /* it was taken, and will not start */
        {&submit, 200, "{\"errors\":[]}", PINGO__SLURM_UNSURE, "slurmrestd does not reach"},
        {&submit, 200, "no JSON", PINGO__SLURM_UNSURE, ": an answer that cannot be read"},
        {&submit, 500, ERROR("2000"), PINGO__SLURM_REFUSED, "why"},
        {&submit, 500, "{\"errors\":[{\"error\":\"Unspecified error\",\"error_code\":-1}]}",
         PINGO__SLURM_REFUSED, "Unspecified error; it may be that the site's rules"}, /* a plug-in's */
        {&submit,
         500, "{\"errors\":[{\"error\":\"Unspecified error\",\"error_number\":-1,\"description\":\"x\"}]}",
         PINGO__SLURM_REFUSED, "Unspecified error; it may be that the site's rules"}, /* of 24.11 */
        {&list, 500, "{\"errors\":[{\"error\":\"Unspecified error\",\"error_code\":-1}]}",
         PINGO__SLURM_UNSURE, "does not reach"}, /* its controller is away */
        {&submit, 400, "no JSON", PINGO__SLURM_REFUSED, "an answer that cannot be read"},
        {&submit, 500, ERROR("11"), PINGO__SLURM_FULL, "why"},
        {&submit, 500, ERROR("2081"), PINGO__SLURM_REFUSED, "why"},
        {&array, 500, ERROR("2081"), PINGO__SLURM_FULL, "why"},
        {&array, 500, ERROR("2050"), PINGO__SLURM_FULL, "why"},
        {&submit, 500, ERROR("2017"), PINGO__SLURM_REFUSED, "why"},
        {&submit, 500, ERROR("1800"), PINGO__SLURM_DOWN, "why"},
        {&submit, 500, ERROR("9001"), PINGO__SLURM_UNSURE, "does not take the token (why)"},
        {&submit, 511, ERROR("1007"), PINGO__SLURM_UNSURE, "does not take the token (why)"},
        {&submit, 401, "Authentication failure", PINGO__SLURM_DOWN, "does not take the token"},
        {&submit, 502, "<html>", PINGO__SLURM_UNSURE, "does not reach"},
        {&look, 500, ERROR("2017"), PINGO__SLURM_UNKNOWN, "why"},
        {&look, 500, ERROR("9002"), PINGO__SLURM_UNSURE, "why"},
        {&task, 500, ERROR("9002"), PINGO__SLURM_UNKNOWN, "why"},
        {&list, 200, "{\"jobs\":[]}", PINGO__SLURM_DONE, NULL},
        {&list, 200, "{\"errors\":[]}", PINGO__SLURM_UNSURE, "does not reach"}, /* no word of jobs */
        {&since, 304, "", PINGO__SLURM_DONE, NULL},
        {&list, 304, "", PINGO__SLURM_UNSURE, "does not reach"},
        {&cancel, 200, "{}", PINGO__SLURM_DONE, NULL},
        {&cancel, 200, "{\"status\":[{\"error\":{\"code\":2017,\"string\":\"why\"}}]}",
         PINGO__SLURM_UNKNOWN, "why"},
        {&cancel, 200, "{\"status\":[{\"error\":{\"code\":2002,\"string\":\"why\"}}]}",
         PINGO__SLURM_REFUSED, "why"},
        {&cancel, 500, ERROR("2017"), PINGO__SLURM_UNKNOWN, "why"},
    };
    (void)state;
    assert_null(meet());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer_with(rows[i].status, rows[i].body);
        const struct pingo__executor_slurm_answer a = ask(rows[i].call, &request);
        if (a.said != rows[i].said ||
            (rows[i].message ? !strstr(a.message, rows[i].message) : *a.message != '\0'))
            fail_msg("row %zu: %d %s", i, (int)a.said, a.message);
        assert_int_equal(a.id, strstr(rows[i].body, "job_id") ? 12 : 0);
        assert_int_equal(a.is_unchanged, rows[i].status == 304 && a.said == PINGO__SLURM_DONE);
    }
}

static void test_rest__jobs_and_nodes_are_told(void **state)
{
    (void)state;
    assert_null(meet());
    answer_with(200, "{\"jobs\":[{\"job_id\":12,\"name\":\"n\",\"job_state\":\"RUNNING\",\"nodes\":"
                     "\"n1\",\"state_reason\":\"None\"}],\"errors\":[]}");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LOOK, .id = 12}, NULL);
    assert_int_equal(box.seen.state, PINGO__SLURM_RUNS);
    assert_string_equal(box.seen.node, "n1");
    /* An answer that is none tells nothing. */
    answer_with(500, "{\"jobs\":[{\"job_id\":12,\"name\":\"n\",\"job_state\":\"FAILED\"}]}");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LOOK, .id = 12}, NULL);
    assert_int_equal(box.seen.state, PINGO__SLURM_RUNS);
    answer_with(200, "{\"nodes\":[{\"name\":\"n1\",\"real_memory\":4000,\"partitions\":[\"a\"]}]}");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_NODES}, NULL);
    assert_int_equal(box.s.sizes.n, 1);
    assert_int_equal(box.s.sizes.list[0].memory_mb, 4000);
}

/* Whoever submits a job may give it any name; one of ours is found behind one of another user's. */
static void test_rest__a_job_of_another_user_is_none_of_ours(void **state)
{
    static const struct {
        const char *user;
        int uid;
        bool is_ours;
    } rows[] = {{"mallory", 4242, false},
                {"me", 4242, true},
                {"nobody", 65534, true}, /* slurmrestd's machine does not know who it is */
                {"", 4242, true}};
    char path[] = "/tmp/pingo-rest-XXXXXX", body[900];
    int fd = mkstemp(path);
    (void)state;
    way->close(box.handle);
    box.s.token = path;
    box.s.seen = NULL;
    strcpy(box.s.mark, "s");
    assert_int_equal(write(fd, "secret\n", 7), 7);
    assert_int_equal(way->open(&box.s, &box.handle, NULL), 0);
    assert_null(meet());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body,
                 "{\"jobs\":[{\"job_id\":12,\"name\":\"pingo-s-1.2\",\"comment\":\"pingo-s-1.2 x\","
                 "\"job_state\":\"RUNNING\",\"user_name\":\"%s\",\"user_id\":%d}],\"errors\":[]}",
                 rows[i].user, rows[i].uid);
        assert_non_null(box.s.jobs = pingo_jobs_new(sizeof(struct pingo__executor_slurm_job)));
        struct pingo__executor_slurm_job *job =
            pingo_jobs_add(box.s.jobs, (struct pingo_job_key){1, 2});
        job->phase = PINGO__SLURM_SEARCHED;
        answer_with(200, body);
        ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LIST}, NULL);
        assert_int_equal(job->id, rows[i].is_ours ? 12 : 0);
        pingo_jobs_free(box.s.jobs);
    }
    close(fd);
    unlink(path);
}

/* A submission whose answer does not come may have been taken; one that nobody heard was not. */
static void test_rest__no_answer(void **state)
{
    const struct pingo__executor_slurm_call submit = {.kind = PINGO__SLURM_SUBMIT};
    (void)state;
    assert_null(meet());
    answer_with(0, "");
    assert_int_equal(ask(&submit, &request).said, PINGO__SLURM_UNSURE);
    end_server();
    struct pingo__executor_slurm_answer a = ask(&submit, &request);
    assert_int_equal(a.said, PINGO__SLURM_DOWN);
    assert_non_null(strstr(a.message, "127.0.0.1"));
    /* Who leaves drops what is on its way. */
    assert_int_equal(way->ask(box.handle, &submit, &request, NULL), 0);
}

/* Another slurmrestd has taken its place: what it speaks is found anew. */
static void test_rest__it_speaks_another_version_by_now(void **state)
{
    const struct pingo__executor_slurm_call list = {.kind = PINGO__SLURM_LIST};
    (void)state;
    assert_null(meet());
    pthread_mutex_lock(&server.mutex);
    server.speaks = 41;
    server.body = "{\"jobs\":[]}";
    pthread_mutex_unlock(&server.mutex);
    assert_int_equal(ask(&list, NULL).said, PINGO__SLURM_AGAIN);
    assert_null(meet());
    assert_non_null(strstr(way->about(box.handle), "v0.0.41"));
    assert_int_equal(ask(&list, NULL).said, PINGO__SLURM_DONE);
}

static void test_rest__its_token(void **state)
{
    char path[] = "/tmp/pingo-rest-XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    way->close(box.handle);
    box.s.token = path;
    assert_int_equal(way->open(&box.s, &box.handle, NULL), 0);
    assert_non_null(strstr(meet(), path)); /* there is nothing in it */
    assert_int_equal(write(fd, "SLURM_JWT=secret\n", 17), 17);
    server.ping = 401;
    const char *why = meet();
    assert_non_null(
        strstr(why, "user me is not let in (status 401); is executor.slurm.token right?"));
    assert_null(strstr(why, "secret"));
    server.ping = 200;
    assert_null(meet());
    answer_with(200, "{\"jobs\":[]}");
    ask(&(struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LIST}, NULL);
    assert_non_null(strstr(server.asked, "\r\nX-SLURM-USER-TOKEN: secret\r\n"));
    close(fd);
    unlink(path);
}

static void test_rest__settings_that_cannot_be(void **state)
{
    static const struct {
        const char *url, *user, *token, *why;
    } rows[] = {
        {"ftp://x", "me", NULL, "executor.slurm.url: "},
        {"http://127.0.0.1:1/path", "me", NULL, "executor.slurm.url: "},
        {"http://127.0.0.1:1", "me\r\nX-Other: 1", NULL, "executor.slurm.user: \"me"},
        {"http://127.0.0.1:1", "me", "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.x",
         "executor.slurm.token is a token itself"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm s = {.poll_fd = box.s.poll_fd,
                                          .url = (char *)(uintptr_t)rows[i].url,
                                          .user = (char *)(uintptr_t)rows[i].user,
                                          .token = (char *)(uintptr_t)rows[i].token};
        struct pingo_error err = {0};
        void *handle = NULL;
        assert_int_equal(way->open(&s, &handle, &err), PINGO_EINVAL);
        assert_null(handle);
        assert_memory_equal(err.message, rows[i].why, strlen(rows[i].why));
        assert_true(!rows[i].token || !strstr(err.message, rows[i].token));
    }
    box.s.user = NULL; /* whoever we are */
    way->close(box.handle);
    assert_int_equal(way->open(&box.s, &box.handle, NULL), 0);
    assert_null(meet());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_rest__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(which_version_it_speaks),
        TEST(what_it_is_asked),
        TEST(what_it_answers),
        TEST(jobs_and_nodes_are_told),
        TEST(a_job_of_another_user_is_none_of_ours),
        TEST(no_answer),
        TEST(it_speaks_another_version_by_now),
        TEST(its_token),
        TEST(settings_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
