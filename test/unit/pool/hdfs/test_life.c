/* test_life.c - a pool in HDFS whose NameNode takes what it is asked and says nothing. */
#include "../pools.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include "pool/backend.h"

static struct {
    int fd, port;
} server;

static int listen_here(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    (void)state;
    server.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server.fd < 0 || bind(server.fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(server.fd, 8) != 0 || getsockname(server.fd, (struct sockaddr *)&at, &size) != 0)
        return -1;
    server.port = ntohs(at.sin_port);
    return 0;
}

static int hang_up(void **state)
{
    (void)state;
    return close(server.fd);
}

/* As the pool notes it, so that it opens without an answer. */
static void write_known(const struct pools *p)
{
    struct stat st;
    char text[512], path[128];
    assert_int_equal(mkdir(p->near, 0700), 0);
    assert_int_equal(stat(p->near, &st), 0);
    snprintf(text, sizeof text, ID "\n%s\n%s\n%ju.%ju\n1.2.3\n", p->place, p->dir,
             (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    snprintf(path, sizeof path, "%s/known", p->near);
    pools_write(path, text, 0600);
}

static void *hurry_when_asked(void *pool)
{
    int fd = accept(server.fd, NULL, NULL);
    pingo__pool_hurry(pool, true);
    return (void *)(intptr_t)fd;
}

static void test_life__who_hurries_does_not_wait_for_the_first_look(void **state)
{
    struct pools p = {.world = *pingo__world_real()};
    struct pingo_error why = {0};
    struct pingo__pool_state found;
    pthread_t thread;
    void *fd;
    (void)state;
    pools_scratch(p.dir);
    snprintf(p.near, sizeof p.near, "%s/near", p.dir);
    snprintf(p.place, sizeof p.place, "webhdfs://me@127.0.0.1:%d/pool", server.port);
    p.site = (struct pingo__pool_site){&p.world, p.place, p.near};
    write_known(&p);
    pools_open(&p);
    assert_int_equal(pthread_create(&thread, NULL, hurry_when_asked, &p.pool), 0);
    assert_int_equal(pingo__pool_state(&p.pool, "objects/aa/" HASH ".7.2", &found, &why),
                     PINGO_EAWAY);
    assert_non_null(strstr(why.message, "nobody waits longer"));
    assert_int_equal(pthread_join(thread, &fd), 0);
    close((int)(intptr_t)fd);
    pingo__pool_close(&p.pool);
    assert_int_equal(pingo__tree_remove(AT_FDCWD, p.dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life__who_hurries_does_not_wait_for_the_first_look),
    };
    return cmocka_run_group_tests(tests, listen_here, hang_up);
}
