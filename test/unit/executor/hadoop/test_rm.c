/* test_rm.c - which of several ResourceManagers is asked, where some take what they are asked and never answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executor/hadoop/rm.h"

struct server {
    int fd, port;
    pthread_t thread;
    const char *status, *body;
    char text[4096]; /* the last that it was asked */
};

/* Connections are taken by the system alone. */
static void listen_at(struct server *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof at;
    s->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s->fd, 64), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &n), 0);
    s->port = ntohs(at.sin_port);
}

/* Answers each connection once. */
static void *serve(void *context)
{
    struct server *s = context;
    char *text = s->text, reply[1024];
    for (int fd; (fd = accept(s->fd, NULL, NULL)) >= 0; close(fd)) {
        size_t n = 0;
        for (ssize_t got = 1; got > 0 && n + 1 < sizeof s->text; n += got > 0 ? (size_t)got : 0) {
            got = recv(fd, text + n, sizeof s->text - 1 - n, 0);
            text[got > 0 ? n + (size_t)got : n] = '\0';
            if (strstr(text, "\r\n\r\n")) /* what is asked here has no body */
                break;
        }
        int length = snprintf(reply, sizeof reply,
                              "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                              s->status, strlen(s->body), s->body);
        assert_int_equal(send(fd, reply, (size_t)length, MSG_NOSIGNAL), length);
    }
    return NULL;
}

static void start(struct server *s, const char *status, const char *body)
{
    *s = (struct server){.status = status, .body = body};
    listen_at(s);
    if (body)
        assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    if (s->body)
        pthread_join(s->thread, NULL);
    close(s->fd);
}

static bool is_asked(const struct server *s)
{
    struct pollfd waits = {s->fd, POLLIN, 0};
    if (poll(&waits, 1, 0) != 1)
        return false;
    close(accept(s->fd, NULL, NULL));
    return true;
}

static struct pingo__executor_hadoop_rm *open_all(const struct server *servers, size_t n,
                                                  bool urgent)
{
    static struct pingo__executor_hadoop_bells bells = {.told = -1};
    struct pingo__executor_hadoop_rm *rm;
    char list[256] = "";
    bells.urgent = urgent;
    for (size_t i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s127.0.0.1:%d", i ? "," : "",
                 servers[i].port);
    assert_int_equal(pingo__executor_hadoop_rm_open(list, "me", &bells, &rm, NULL), 0);
    return rm;
}

static int ask(struct pingo__executor_hadoop_rm *rm, struct pingo_error *err)
{
    const struct pingo__executor_hadoop_question q = {.method = "GET",
                                                      .path = "/ws/v1/cluster/info"};
    struct pingo__executor_hadoop_reply a;
    return pingo__executor_hadoop_rm_ask(rm, &q, &a, err);
}

/* Orders wait for nobody who is silent, and are carried out by who answers; he is asked first from then on. */
static void test_rm__in_haste_the_next_one_is_asked(void **state)
{
    struct server s[3];
    (void)state;
    alarm(120);
    start(&s[0], NULL, NULL);
    start(&s[1], "307 x", "This is standby RM.");
    start(&s[2], "200 OK", "{\"clusterInfo\":{}}");
    struct pingo__executor_hadoop_rm *rm = NULL;
    int rc = PINGO_EAWAY, n = 0;
    while (rc == PINGO_EAWAY) { /* a busy machine takes longer than haste waits */
        pingo__executor_hadoop_rm_close(rm);
        rm = open_all(s, 3, false);
        pingo__executor_hadoop_rm_hurry(rm, true);
        rc = ask(rm, NULL);
    }
    assert_int_equal(rc, 0);
    char name[64];
    snprintf(name, sizeof name, "http://127.0.0.1:%d", s[2].port);
    assert_string_equal(pingo__executor_hadoop_rm_name(rm), name);
    while (is_asked(&s[0]))
        n++;
    assert_true(n > 0);
    pingo__executor_hadoop_rm_hurry(rm, false);
    assert_int_equal(ask(rm, NULL), 0);
    assert_false(is_asked(&s[0]));
    pingo__executor_hadoop_rm_close(rm);
    for (size_t i = 0; i < 3; i++)
        stop(&s[i]);
    alarm(0);
}

/* What somebody is waiting for is not kept up by a question that was there before. */
static void test_rm__somebody_in_haste_ends_a_wait(void **state)
{
    struct server s[2];
    (void)state;
    alarm(120);
    start(&s[0], NULL, NULL);
    start(&s[1], "200 OK", "{\"clusterInfo\":{}}");
    struct pingo__executor_hadoop_rm *rm = open_all(s, 2, true);
    int rc = PINGO_EAWAY;
    while (rc == PINGO_EAWAY)
        rc = ask(rm, NULL);
    assert_int_equal(rc, 0);
    pingo__executor_hadoop_rm_close(rm);
    for (size_t i = 0; i < 2; i++)
        stop(&s[i]);
    alarm(0);
}

/* In haste nobody is asked twice who said nothing; without, all are. */
static void test_rm__who_is_silent_is_not_asked_again_in_haste(void **state)
{
    struct server s[2];
    struct pingo_error err = {0};
    char name[64];
    (void)state;
    for (size_t i = 0; i < 2; i++)
        start(&s[i], NULL, NULL);
    struct pingo__executor_hadoop_rm *rm = open_all(s, 2, false);
    pingo__executor_hadoop_rm_hurry(rm, true);
    assert_int_equal(ask(rm, &err), PINGO_EAWAY);
    snprintf(name, sizeof name, ":%d: it does not answer", s[0].port);
    assert_non_null(strstr(err.message, name));
    assert_true(is_asked(&s[0]) && is_asked(&s[1]));
    assert_int_equal(ask(rm, &err), PINGO_EAWAY);
    assert_non_null(strstr(err.message, name));
    assert_false(is_asked(&s[0]) || is_asked(&s[1]));
    pingo__executor_hadoop_rm_close(rm);
    for (size_t i = 0; i < 2; i++)
        stop(&s[i]);
    alarm(0);
}

/* Where Kerberos is asked for, who has let us in knows us again. */
static void test_rm__a_cookie_is_kept(void **state)
{
    struct server s;
    (void)state;
    alarm(120);
    start(&s, "401 x\r\nSet-Cookie: hadoop.auth=t", "{}");
    struct pingo__executor_hadoop_rm *rm = open_all(&s, 1, false);
    assert_int_equal(ask(rm, NULL), PINGO_EAWAY);
    assert_int_equal(ask(rm, NULL), PINGO_EAWAY);
    assert_non_null(strstr(s.text, "Cookie: hadoop.auth=t\r\n"));
    pingo__executor_hadoop_rm_close(rm);
    stop(&s);
    alarm(0);
}

/* Whoever answers at a node's address now need not be its NodeManager. */
static void test_rm__what_a_node_asks_for_the_cluster_need_not(void **state)
{
    struct server s, node;
    char name[32];
    struct pingo__executor_hadoop_question q = {.method = "GET", .path = "/ws/v1/node/info"};
    struct pingo__executor_hadoop_reply a;
    struct pingo_error err = {0};
    (void)state;
    start(&s, "200 OK", "{}");
    start(&node, "401 x", "{}");
    struct pingo__executor_hadoop_rm *rm = open_all(&s, 1, false);
    snprintf(name, sizeof name, "127.0.0.1:%d", node.port);
    pingo__executor_hadoop_rm_ask_node(rm, name, &q, &a);
    assert_int_equal(ask(rm, &err), 0);
    assert_non_null(strstr(s.text, "user.name="));
    pingo__executor_hadoop_rm_close(rm);
    stop(&s);
    stop(&node);
}

/* Who refuses a ticket as well is asked as before: he, or the other one, may want none. */
static void test_rm__who_lets_nobody_in_need_not_want_a_ticket(void **state)
{
    struct server s;
    (void)state;
    alarm(120);
    start(&s, "401 x", "{}");
    struct pingo__executor_hadoop_rm *rm = open_all(&s, 1, false);
    struct pingo_error err = {0};
    assert_int_equal(ask(rm, &err), PINGO_EAWAY);
    assert_non_null(strstr(err.message, "Kerberos"));
    assert_non_null(strstr(err.message, "kinit"));
    assert_null(strstr(s.text, "user.name="));
    s.status = "200 OK";
    assert_int_equal(ask(rm, NULL), 0);
    assert_non_null(strstr(s.text, "user.name="));
    pingo__executor_hadoop_rm_close(rm);
    stop(&s);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rm__who_lets_nobody_in_need_not_want_a_ticket),
        cmocka_unit_test(test_rm__a_cookie_is_kept),
        cmocka_unit_test(test_rm__what_a_node_asks_for_the_cluster_need_not),
        cmocka_unit_test(test_rm__in_haste_the_next_one_is_asked),
        cmocka_unit_test(test_rm__somebody_in_haste_ends_a_wait),
        cmocka_unit_test(test_rm__who_is_silent_is_not_asked_again_in_haste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
