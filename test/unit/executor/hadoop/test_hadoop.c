/* test_hadoop.c - the executor hadoop before a cluster that takes what it is asked and never answers; in one test
 * HDFS does, which is test/unit/hdfs/server.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tree.h"
#include "executor/bundles.h"
#include "executor/hadoop/hadoop.h"
#include "executor/registry.h"
#include "hdfs/hdfs.h"

#define KEY(n) ((struct pingo_job_key){n, 1})

struct silent {
    const struct pingo_executor_type *type;
    void *executor;
    int fd; /* connections are taken by the system alone */
    char dir[64], place[96];
};

/* hdfs: its port; 0: it is as silent. */
static void silent_open(struct silent *s, int hdfs)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof at;
    char rm[32], path[80], *texts[32] = {NULL};
    *s = (struct silent){.type = &pingo__executor_hadoop, .fd = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s->fd, 64), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &n), 0);
    strcpy(s->dir, "/tmp/pingo-silent-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    snprintf(path, sizeof path, "%s/attempts", s->dir);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(rm, sizeof rm, "127.0.0.1:%d", ntohs(at.sin_port));
    snprintf(s->place, sizeof s->place, "webhdfs://me@127.0.0.1:%d/p",
             hdfs ? hdfs : ntohs(at.sin_port));
    struct pingo__executor_values values = {s->type->settings, s->type->nsettings, texts};
    assert_true(values.n <= 32);
    for (size_t i = 0; i < values.n; i++)
        texts[i] = strcmp(values.rows[i].key, "rm") == 0 ? rm : NULL;
    struct pingo_executor_context context = {.version = 3,
                                             .store_dir = s->dir,
                                             .store_id = "s",
                                             .pool_dir = s->dir,
                                             .name = "hadoop",
                                             .settings = &values,
                                             .pool_place = s->place};
    assert_int_equal(s->type->open(&context, &s->executor, NULL), 0);
    alarm(120); /* a list that goes in circles has no end */
}

static void silent_close(struct silent *s)
{
    s->type->close(s->executor);
    close(s->fd);
    pingo__tree_remove(AT_FDCWD, s->dir);
    alarm(0);
}

static int revoke_it(struct silent *s, int64_t action)
{
    bool revoked = true;
    int rc = s->type->revoke(s->executor, KEY(action), s->dir, &revoked, NULL);
    assert_int_equal(revoked, rc == 0);
    return rc;
}

static int start_it(struct silent *s, int64_t action)
{
    static const char *const argv[] = {"true", NULL};
    const struct pingo_job job = {.key = KEY(action),
                                  .name = "a",
                                  .type = "command-line",
                                  .argv = argv,
                                  .attempt_dir = s->dir,
                                  .staged_path = s->dir,
                                  .attempt_place = s->place,
                                  .staged_place = s->place};
    return s->type->start(s->executor, &job, NULL);
}

/* While the thread waits for an answer, what is asked waits in the box and with who asked: in two lists. */
static void test_hadoop__many_questions_wait_at_once(void **state)
{
    struct silent s;
    (void)state;
    silent_open(&s, 0);
    for (int round = 0; round < 2; round++)
        for (int64_t action = 1; action <= 4; action++)
            assert_int_equal(revoke_it(&s, action), PINGO_EAWAY);
    assert_int_equal(start_it(&s, 9), 0);
    assert_int_equal(revoke_it(&s, 2), PINGO_EAWAY);
    assert_int_equal(revoke_it(&s, 9), 0); /* nobody has taken it: it is taken back */
    silent_close(&s);
}

/* Whether it may start is known here, and HDFS is neither asked nor told; all of it stays. */
static void test_hadoop__a_mapreduce_job_that_runs_is_not_given_up(void **state)
{
    struct silent s;
    char path[128];
    bool revoked = true;
    (void)state;
    silent_open(&s, 0);
    snprintf(path, sizeof path, "%s/attempts/5.1", s.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    strcat(path, "/started.node1.1");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    for (int i = 0; i < 6000 && (i == 0 || revoked); i++) {
        revoked = true;
        if (s.type->revoke(s.executor, KEY(5), s.dir, &revoked, NULL) == PINGO_EAWAY)
            revoked = usleep(10000) == 0; /* the thread was not there yet */
    }
    assert_false(revoked);
    assert_int_equal(access(path, F_OK), 0);
    silent_close(&s);
}

static void test_hadoop__who_leaves_does_not_wait_for_a_silent_resource_manager(void **state)
{
    struct timespec from = {0}, to = {.tv_sec = 15}; /* its patience with one that answers */
    (void)state;
    for (int i = 0; i < 3 && to.tv_sec - from.tv_sec >= 14; i++) { /* this machine may stand still */
        struct silent s;
        struct pingo_job_key key = KEY(1);
        bool found = false;
        silent_open(&s, 0);
        assert_int_equal(start_it(&s, 1), 0);
        clock_gettime(CLOCK_MONOTONIC, &from);
        assert_int_equal(s.type->adopt(s.executor, &key, 1, &found, NULL), 0);
        assert_true(found);
        clock_gettime(CLOCK_MONOTONIC, &to);
        silent_close(&s);
    }
    assert_true(to.tv_sec - from.tv_sec < 14);
}

static FILE *serve_hdfs(int *port)
{
    char said[] = "/tmp/pingo-thread-XXXXXX", words[128];
    int fd = mkstemp(said);
    snprintf(words, sizeof words, "exec test/unit/hdfs/server.py >%s", said);
    FILE *server = popen(words, "w"); /* it ends when this does */
    *port = 0;
    for (int i = 0; i < 600 && *port == 0; i++) {
        FILE *f = fopen(said, "re");
        if (f && fscanf(f, "%d %*d", port) != 1)
            *port = 0;
        if (f)
            fclose(f);
        poll(NULL, 0, 100);
    }
    close(fd);
    unlink(said);
    return server;
}

/* As who was there before has left it. */
static void keep_bundle(const struct silent *s, const struct pingo_job_key *keys, size_t n)
{
    const struct pingo__executor_bundle_list list = {"application_1700000000000_0001", keys, n};
    char name[PINGO__BUNDLE_SIZE];
    assert_int_equal(pingo__executor_bundle_save(s->dir, &list, true, name), 0);
}

static bool is_armed(struct pingo__hdfs *hdfs, int64_t action)
{
    struct pingo__hdfs_status status;
    char path[64];
    snprintf(path, sizeof path, "attempts/%d.1/job", (int)action);
    assert_int_equal(pingo__hdfs_status(hdfs, path, &status, NULL), 0);
    return status.exists;
}

/* A gate lies in HDFS, which answers: it is closed though the thread is waiting for the ResourceManager, be it that who
 * wants that waits for it, or that he asks and leaves. */
static void test_hadoop__a_gate_is_closed_before_a_silent_resource_manager(void **state)
{
    const struct pingo_job_key keys[] = {KEY(7), KEY(8)};
    struct pingo__hdfs *hdfs;
    struct silent s;
    bool found[2] = {false, false};
    int port, rc = PINGO_EAWAY;
    FILE *server = serve_hdfs(&port);
    (void)state;
    silent_open(&s, port);
    keep_bundle(&s, keys, 2);
    assert_int_equal(pingo__hdfs_open(s.place, NULL, &hdfs, NULL), 0);
    assert_int_equal(pingo__hdfs_put_bytes(hdfs, "attempts/7.1/job", "x", 1, NULL), 0);
    assert_int_equal(pingo__hdfs_put_bytes(hdfs, "attempts/8.1/job", "x", 1, NULL), 0);
    while ((rc = s.type->adopt(s.executor, keys, 2, found, NULL)) == PINGO_EAWAY)
        ;
    assert_int_equal(rc, 0);
    assert_true(found[0] && found[1]);
    struct pollfd asked = {s.fd, POLLIN, 0};
    assert_int_equal(poll(&asked, 1, 60000), 1); /* the ResourceManager is being asked */
    for (int i = 0; i < 60 && (rc = revoke_it(&s, 7)) == PINGO_EAWAY; i++)
        ; /* 9 s: its patience with one that answers is 15 s */
    assert_int_equal(rc, 0);
    assert_false(is_armed(hdfs, 7));
    assert_true(is_armed(hdfs, 8));
    poll(NULL, 0, 1000); /* it is asked again */
    revoke_it(&s, 8);
    silent_close(&s);
    assert_false(is_armed(hdfs, 8));
    pingo__hdfs_close(hdfs);
    pclose(server);
}

/* Who ticks and leaves does not stay for it for long. */
static void test_hadoop__a_silent_resource_manager_does_not_get_on(void **state)
{
    struct silent s;
    int port, tenths = 0;
    FILE *server = serve_hdfs(&port);
    (void)state;
    silent_open(&s, port);
    assert_int_equal(start_it(&s, 9), 0);
    assert_int_equal(s.type->busy(s.executor), 1);
    struct pollfd asked = {s.fd, POLLIN, 0};
    assert_int_equal(poll(&asked, 1, 60000), 1);
    for (; tenths < 600 && s.type->busy(s.executor); tenths++)
        poll(NULL, 0, 100);
    assert_true(tenths < 120); /* its patience with one that answers is 15 s */
    silent_close(&s);
    pclose(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hadoop__many_questions_wait_at_once),
        cmocka_unit_test(test_hadoop__a_mapreduce_job_that_runs_is_not_given_up),
        cmocka_unit_test(test_hadoop__a_gate_is_closed_before_a_silent_resource_manager),
        cmocka_unit_test(test_hadoop__a_silent_resource_manager_does_not_get_on),
        cmocka_unit_test(test_hadoop__who_leaves_does_not_wait_for_a_silent_resource_manager),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
