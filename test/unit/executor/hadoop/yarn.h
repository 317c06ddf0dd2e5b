/* yarn.h - a ResourceManager that says what it is told to, and keeps what it was asked. */
#ifndef TEST_EXECUTOR_HADOOP_YARN_H
#define TEST_EXECUTOR_HADOOP_YARN_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/executor/hadoop/before.h"

static struct {
    int fd;
    pthread_t thread;
    struct yarn_row {
        const char *asked, *status, *body; /* the request begins so; the last row: NULL */
    } rows[6];
    char text[65536]; /* the last request */
} yarn;

/* Answers each connection once.  A body is there when as much of it is as the head says. */
static inline void *yarn_serve(void *context)
{
    char reply[2048];
    (void)context;
    for (int fd; (fd = accept(yarn.fd, NULL, NULL)) >= 0; close(fd)) {
        const struct yarn_row *row = yarn.rows;
        size_t n = 0, wanted = sizeof yarn.text - 1;
        for (ssize_t got; n < wanted; n += (size_t)got) {
            if ((got = recv(fd, yarn.text + n, sizeof yarn.text - 1 - n, 0)) <= 0)
                break;
            yarn.text[n + (size_t)got] = '\0';
            const char *end = strstr(yarn.text, "\r\n\r\n"),
                       *length = strcasestr(yarn.text, "\r\nContent-Length: ");
            if (end)
                wanted =
                    (size_t)(end + 4 - yarn.text) + (length ? strtoul(length + 18, NULL, 10) : 0);
        }
        while (row->asked && strncmp(yarn.text, row->asked, strlen(row->asked)) != 0)
            row++;
        const char *body = row->asked ? row->body : "{}";
        int length = snprintf(reply, sizeof reply,
                              "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                              row->asked ? row->status : "500 x", strlen(body), body);
        send(fd, reply, (size_t)length, MSG_NOSIGNAL);
    }
    return NULL;
}

/* It answers so from now on. */
static inline void yarn_says(const struct yarn_row *rows, size_t n)
{
    memset(yarn.rows, 0, sizeof yarn.rows);
    assert_true(n < sizeof yarn.rows / sizeof *yarn.rows);
    memcpy(yarn.rows, rows, n * sizeof *rows);
}

/* The executor asks it, and no longer one that is away. */
static inline void yarn_open(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    char rm[32];
    yarn.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(yarn.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(yarn.fd, 64), 0);
    assert_int_equal(getsockname(yarn.fd, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(pthread_create(&yarn.thread, NULL, yarn_serve, NULL), 0);
    snprintf(rm, sizeof rm, "127.0.0.1:%d", ntohs(at.sin_port));
    pingo__executor_hadoop_rm_close(h.rm);
    assert_int_equal(pingo__executor_hadoop_rm_open(
                         rm, "me", pingo__executor_hadoop_box_bells(h.box), &h.rm, NULL),
                     0);
}

static inline void yarn_close(void)
{
    shutdown(yarn.fd, SHUT_RDWR);
    pthread_join(yarn.thread, NULL);
    close(yarn.fd);
}

#endif
