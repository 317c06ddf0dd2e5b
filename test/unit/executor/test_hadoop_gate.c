/* test_hadoop_gate.c - the gate of an attempt in HDFS, closed over whatever lies there; test/unit/hdfs/server.py is the
 * HDFS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/hadoop/bundle.h"
#include "hdfs/hdfs.h"

#define STARTED "started.container_1_0001_01_000002.node1.45454.8042"

static FILE *server;
static struct pingo__executor_hadoop hadoop;

static int set_up(void **state)
{
    char said[] = "/tmp/pingo-gate-XXXXXX", words[128], url[64];
    int port = 0, fd = mkstemp(said);
    (void)state;
    snprintf(words, sizeof words, "exec test/unit/hdfs/server.py >%s", said);
    server = popen(words, "w"); /* it ends when this does */
    for (int i = 0; i < 600 && port == 0; i++) {
        FILE *f = fopen(said, "re");
        if (f && fscanf(f, "%d %*d", &port) != 1)
            port = 0;
        if (f)
            fclose(f);
        poll(NULL, 0, 100);
    }
    close(fd);
    unlink(said);
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/p", port);
    return server ? pingo__hdfs_open(url, NULL, &hadoop.hdfs, NULL) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pingo__hdfs_close(hadoop.hdfs);
    pclose(server);
    return 0;
}

static int take_name(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    char *names = context;
    (void)err;
    snprintf(names + strlen(names), 200 - strlen(names), "%s%s ", name,
             status->is_directory ? "/" : "");
    return 0;
}

static void test_gate__it_is_closed_whatever_lies_there(void **state)
{
    static const struct {
        const char *lie[3]; /* before; with '/' behind it: a directory */
        const char *after;
        bool revoked;
    } rows[] = {
        {{NULL}, "revoked/ ", true},
        {{"job"}, "revoked ", true},
        {{"revoked"}, "revoked ", true},
        {{"revoked", "job"}, "revoked ", true},
        {{"revoked/", "job"}, "revoked/ ", true},
        {{STARTED}, STARTED " ", false},
        {{"revoked/", STARTED}, "revoked/ " STARTED " ", false},
        {{"revoked/", "job", STARTED}, "revoked/ " STARTED " ", false},
        {{STARTED, "outcome"}, "outcome " STARTED " ", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_job_key key = {(int64_t)i + 1, 1};
        char path[128], names[200] = "";
        bool revoked = !rows[i].revoked;
        for (size_t k = 0; k < 3 && rows[i].lie[k]; k++) {
            const char *name = rows[i].lie[k];
            snprintf(path, sizeof path, "attempts/%zu.1/%s", i + 1, name);
            assert_int_equal(
                path[strlen(path) - 1] == '/'
                    ? (path[strlen(path) - 1] = '\0', pingo__hdfs_make(hadoop.hdfs, path, NULL))
                    : pingo__hdfs_put_bytes(hadoop.hdfs, path, "x", 1, NULL),
                0);
        }
        for (int again = 0; again < 2; again++) {
            assert_int_equal(pingo__executor_hadoop_close_gate(&hadoop, key, &revoked, NULL), 0);
            assert_int_equal(revoked, rows[i].revoked);
        }
        snprintf(path, sizeof path, "attempts/%zu.1", i + 1);
        assert_int_equal(pingo__hdfs_list(hadoop.hdfs, path, take_name, names, NULL), 0);
        assert_string_equal(names, rows[i].after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate__it_is_closed_whatever_lies_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
