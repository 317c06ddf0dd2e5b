/* test_hdfs.c - files in HDFS: names, and what becomes of calls where NameNodes stand by, answers are lost, uploads break
 * and what is said is hostile; against a small server, for no real one can be made to do these things when it is told.
 * Where PINGO_TEST_HDFS is a url, real daemons are asked, too (test/hadoop/hdfs.t). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tree.h"
#include "hdfs/hdfs.h"
#include "http/http.h"

#define SHORT_MS 400 /* patience that ends */
#define CERT "test/unit/hdfs/cert.pem"
#define KEY "test/unit/hdfs/key.pem"

#define WELL(call)                                                                                 \
    do {                                                                                           \
        struct pingo_error err_ = {0};                                                             \
        struct pingo_error *err = &err_;                                                           \
        if ((call) != 0)                                                                           \
            fail_msg("%s: %s", #call, err->message);                                               \
    } while (0)

/* It fails so, and says this. */
#define FAILS(call, code, words)                                                                   \
    do {                                                                                           \
        struct pingo_error err_ = {0};                                                             \
        struct pingo_error *err = &err_;                                                           \
        int rc_ = (call);                                                                          \
        if (rc_ != (code) || !strstr(err->message, (words)) || strchr(err->message, '\n'))         \
            fail_msg("%s: %d, not %d: %s", #call, rc_, (code), err->message);                      \
    } while (0)

extern char **environ;

static struct {
    pid_t pid;
    int in, ports[2];
} server;
static char scratch[] = "/tmp/pingo-hdfs-XXXXXX";

static void start_server(bool tls)
{
    static char script[] = "test/unit/hdfs/server.py", cert[] = CERT, key[] = KEY;
    char *argv[] = {script, tls ? cert : NULL, key, NULL}, said[32] = "";
    posix_spawn_file_actions_t actions;
    int in[2], out[2];
    assert_int_equal(pipe(in) | pipe(out), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    assert_int_equal(posix_spawn(&server.pid, script, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    assert_true(read(out[0], said, sizeof said - 1) > 3);
    close(out[0]);
    server.in = in[1];
    assert_int_equal(sscanf(said, "%d %d", &server.ports[0], &server.ports[1]), 2);
}

static void stop_server(void)
{
    kill(server.pid, SIGKILL);
    close(server.in);
    waitpid(server.pid, NULL, 0);
}

static int set_up(void **state)
{
    (void)state;
    start_server(false);
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    stop_server();
    return pingo__tree_remove(AT_FDCWD, scratch);
}

/* What the server is told by a way of its own; the number that it answers. */
static int order(const char *path)
{
    static const struct pingo__http_options usual = {
        .connect_ms = 5000, .whole_ms = 30000, .max_bytes = 1000, .connections = 1, .tries = 1};
    struct pingo__http_client *client;
    struct pingo__http_reply reply;
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", server.ports[0]);
    WELL(pingo__http_open(url, &usual, &client, err));
    WELL(pingo__http_send(client, &(struct pingo__http_request){.method = "PUT", .path = path}, err));
    while (!pingo__http_next(client, &reply)) {
        poll(&(struct pollfd){pingo__http_poll_fd(client), POLLIN, 0}, 1, 1000);
        pingo__http_drive(client);
    }
    assert_int_equal(reply.status, 200);
    int n = atoi(reply.body);
    pingo__http_close(client);
    return n;
}

/* The NameNode does so to the next requests with this op ("-": any; of a DataNode: "DATA-OP"). */
static void fault(int name_node, const char *word, const char *op, int times)
{
    char path[128];
    snprintf(path, sizeof path, "/fault/%d/%s/%s/%d", name_node, word, op, times);
    order(path);
}

static struct pingo__hdfs *open_fs(const char *format, int64_t patience_ms)
{
    struct pingo__hdfs_options options = {.patience_ms = patience_ms, .stall_ms = 3000};
    struct pingo__hdfs *fs = NULL;
    char url[256];
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d%s", server.ports[0], format);
    if (strchr(format, '%')) {
        char hosts[64];
        snprintf(hosts, sizeof hosts, ",127.0.0.1:%d", server.ports[1]);
        snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d%s%s", server.ports[0], hosts,
                 strchr(format, '/'));
    }
    order("/clear");
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    WELL(pingo__hdfs_remove(fs, "", err));
    WELL(pingo__hdfs_make(fs, "", err));
    return fs;
}

static bool is_there(struct pingo__hdfs *fs, const char *path)
{
    struct pingo__hdfs_status status;
    WELL(pingo__hdfs_status(fs, path, &status, err));
    return status.exists;
}

static int count_one(void *context, const char *name, const struct pingo__hdfs_status *status,
                     struct pingo_error *err)
{
    (void)name;
    (void)status;
    (void)err;
    ++*(size_t *)context;
    return 0;
}

static size_t entries(struct pingo__hdfs *fs, const char *path)
{
    size_t n = 0;
    WELL(pingo__hdfs_list(fs, path, count_one, &n, err));
    return n;
}

static void put(struct pingo__hdfs *fs, const char *path, const char *text)
{
    WELL(pingo__hdfs_put_bytes(fs, path, text, strlen(text), err));
}

static bool holds(struct pingo__hdfs *fs, const char *path, const char *text)
{
    struct pingo__buffer bytes = {0};
    WELL(pingo__hdfs_get_bytes(fs, path, (struct pingo__hdfs_range){0, 1000}, &bytes, err));
    bool is = strcmp(pingo__buffer_cstr(&bytes), text) == 0;
    pingo__buffer_clear(&bytes);
    return is;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void test_hdfs__urls(void **state)
{
    static const struct {
        const char *url, *wrong;
    } rows[] = {{"webhdfs://h/", NULL},
                {"webhdfs://h:9870/user/me/pool", NULL},
                {"swebhdfs://me@h:9871,[::1]:9871,h3/p", NULL},
                {"hdfs://h/p", "begins with"},
                {"webhdfs:///p", "one host"},
                {"webhdfs://h,/p", "one host"},
                {"webhdfs://,h/p", "one host"},
                {"webhdfs://h:0/p", "one host"},
                {"webhdfs://h:99999/p", "one host"},
                {"webhdfs://h h/p", "one host"},
                {"webhdfs://@h/p", "a user"},
                {"webhdfs://a:b@h/p", "a user"},
                {"webhdfs://h", "a path"},
                {"webhdfs://h/a:b", "colon"},
                {"webhdfs://h/a/../b", "\"..\""},
                {"webhdfs://1,2,3,4,5,6,7,8,9/p", "one host"},
                {"webhdfs://h/\xff", "UTF-8"}};
    const char *wrong;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__hdfs_place at;
        bool is = pingo__hdfs_read_url(rows[i].url, &at, &wrong);
        if (is != !rows[i].wrong || (!is && !strstr(wrong, rows[i].wrong)))
            fail_msg("%s: %s", rows[i].url, is ? "valid" : wrong);
    }
}

/* None of these is asked for. */
static void test_hdfs__names_that_cannot_be(void **state)
{
    struct pingo__hdfs *fs = open_fs("/names", 0);
    struct pingo__hdfs_status status;
    char name[9000];
    (void)state;
    memset(name, 'x', sizeof name);
    name[256] = '\0';
    order("/clear");
    FAILS(pingo__hdfs_put_bytes(fs, "a:b", "", 0, err), PINGO_EINVAL, "a colon");
    FAILS(pingo__hdfs_make(fs, name, err), PINGO_EINVAL, "255 bytes");
    FAILS(pingo__hdfs_rename(fs, "a", name, err), PINGO_EINVAL, "255 bytes");
    FAILS(pingo__hdfs_make(fs, "a/\xc3", err), PINGO_EINVAL, "UTF-8");
    FAILS(pingo__hdfs_status(fs, "a/../../b", &status, err), PINGO_EINVAL, "\"..\"");
    FAILS(pingo__hdfs_remove(fs, ".snapshot", err), PINGO_EINVAL, "for itself");
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 2 ? '/' : 'x';
    name[4000] = '\0';
    FAILS(pingo__hdfs_make(fs, name, err), PINGO_EINVAL, "1000 directories");
    memset(name, 'x', sizeof name);
    for (size_t i = 0; i < 8500; i += 200)
        name[i] = '/';
    name[8500] = '\0';
    FAILS(pingo__hdfs_make(fs, name, err), PINGO_EINVAL, "8000 bytes");
    assert_int_equal(order("/count/MKDIRS") + order("/count/CREATE") + order("/count/DELETE"), 0);
    pingo__hdfs_close(fs);
}

/* ---- whoever serves --------------------------------------------------------------------------- */

static void test_hdfs__another_one_serves(void **state)
{
    static const char *const faults[] = {"standby", "retriable", "slam", "502"};
    struct pingo__hdfs *fs = open_fs("%/ha", 0);
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%zu", i);
        fault(0, faults[i], "-", 1000);
        put(fs, name, "text");
        assert_true(holds(fs, name, "text"));
        order("/clear");
        fault(1, "standby", "-", 1000); /* and back */
        assert_true(holds(fs, name, "text"));
        order("/clear");
    }
    pingo__hdfs_close(fs);
}

static void test_hdfs__nobody_serves(void **state)
{
    struct pingo__hdfs *fs = open_fs("%/nobody", 0), *away;
    struct pingo__hdfs_options options = {.patience_ms = 200};
    (void)state;
    fault(0, "safemode", "-", 3); /* it ends */
    fault(1, "standby", "-", 3);
    put(fs, "f", "text");
    order("/clear");
    pingo__hdfs_close(fs);
    fs = open_fs("%/nobody", SHORT_MS);
    fault(0, "safemode", "-", 100000);
    fault(1, "standby", "-", 100000);
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_ESTATE, "Exception");
    order("/clear");
    WELL(pingo__hdfs_open("webhdfs://me@127.0.0.1:1,127.0.0.1:2/x", &options, &away, err));
    FAILS(pingo__hdfs_make(away, "d", err), PINGO_EAWAY, "127.0.0.1:");
    pingo__hdfs_close(away);
    pingo__hdfs_close(fs);
}

/* One call waits for an outage, and not each; when it is over the next one knows it soon. */
static void test_hdfs__an_outage_is_waited_for_once(void **state)
{
    struct pingo__hdfs_options options = {.patience_ms = 1000, .shares_outages = true};
    struct pingo__hdfs_status status;
    struct pingo__hdfs *fs;
    char url[64];
    int rc = -1;
    (void)state;
    pingo__hdfs_close(open_fs("/outage", 0));
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/outage", server.ports[0]);
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    WELL(pingo__hdfs_status(fs, "", &status, err));
    fault(0, "safemode", "-", 100000);
    FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_ESTATE, "SafeMode");
    int before = order("/count/-");
    int64_t begun_ms = pingo__world_monotonic_ms();
    for (int i = 0; i < 1000; i++)
        FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_ESTATE, "SafeMode");
    int64_t asked = order("/count/-") - before, took_ms = pingo__world_monotonic_ms() - begun_ms;
    assert_true(asked <= 1 + took_ms / 500); /* by one of them at a time */
    order("/clear");
    for (int i = 0; rc && i < 3000; i++) {
        rc = pingo__hdfs_status(fs, "", &status, NULL);
        usleep(20000);
    }
    assert_int_equal(rc, 0);
    pingo__hdfs_close(fs);
}

static void test_hdfs__asks_for_kerberos(void **state)
{
    struct pingo__hdfs *fs = open_fs("/kerberos", 0);
    struct pingo__hdfs_status status;
    (void)state;
    setenv("KRB5CCNAME", "/nonexistent/cache", 1);
    fault(0, "401", "-", 1000);
    FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_EIO, "kinit");
    pingo__hdfs_close(fs);
}

static void *stop_soon(void *fs)
{
    while (order("/count/MKDIRS") < 1)
        usleep(20000);
    pingo__hdfs_stop(fs);
    return NULL;
}

static void test_hdfs__can_be_stopped(void **state)
{
    struct pingo__hdfs *fs = open_fs("/stop", 0);
    pthread_t thread;
    (void)state;
    order("/clear");
    fault(0, "hang", "MKDIRS", 1);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, fs), 0);
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_EINTERRUPTED, "");
    pthread_join(thread, NULL);
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_EINTERRUPTED, "");
    pingo__hdfs_close(fs);
}

static void *hurry_soon(void *fs)
{
    while (order("/count/DATA-OPEN") < 1)
        usleep(20000);
    pingo__hdfs_hurry(fs, true);
    return NULL;
}

/* A DataNode that says nothing for a minute, and then all: who hurries has not waited for it. */
static void test_hdfs__bytes_that_do_not_come_are_not_waited_for(void **state)
{
    struct pingo__hdfs_options options = {.patience_ms = SHORT_MS, .stall_ms = 120000};
    struct pingo__hdfs *first = open_fs("/silent", 0), *fs = NULL;
    struct pingo__buffer bytes = {0};
    char url[64];
    pthread_t thread;
    (void)state;
    put(first, "f", "text");
    pingo__hdfs_close(first);
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/silent", server.ports[0]);
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    order("/clear");
    fault(0, "hang", "DATA-OPEN", 1000);
    assert_int_equal(pthread_create(&thread, NULL, hurry_soon, fs), 0);
    FAILS(pingo__hdfs_get_bytes(fs, "f", (struct pingo__hdfs_range){0, 4}, &bytes, err),
          PINGO_EAWAY, "");
    pthread_join(thread, NULL);
    assert_int_equal(bytes.length, 0);
    order("/clear");
    pingo__hdfs_hurry(fs, false);
    WELL(pingo__hdfs_get_bytes(fs, "f", (struct pingo__hdfs_range){0, 4}, &bytes, err));
    assert_string_equal(pingo__buffer_cstr(&bytes), "text");
    pingo__buffer_clear(&bytes);
    pingo__hdfs_close(fs);
}

/* ---- lost answers ------------------------------------------------------------------------------- */

static void test_hdfs__a_rename_that_nobody_answered(void **state)
{
    struct pingo__hdfs *fs = open_fs("/rename", 0);
    (void)state;
    put(fs, "a", "text");
    put(fs, "z", "other");
    fault(0, "lost", "RENAME", 1); /* it was done */
    WELL(pingo__hdfs_rename(fs, "a", "b", err));
    fault(0, "slam", "RENAME", 2); /* it was not */
    WELL(pingo__hdfs_rename(fs, "b", "c", err));
    assert_true(holds(fs, "c", "text"));
    assert_int_equal(entries(fs, ""), 2);
    fault(0, "lost", "RENAME", 1); /* of one that is refused */
    FAILS(pingo__hdfs_rename(fs, "c", "z", err), PINGO_EEXISTS, "AlreadyExists");
    assert_true(holds(fs, "z", "other"));
    FAILS(pingo__hdfs_rename(fs, "nothing", "d", err), PINGO_ENOTFOUND, "not there");
    WELL(pingo__hdfs_move(fs, "c", "deep/er/c", err));
    fault(0, "slam", "RENAME", 1000);
    FAILS(pingo__hdfs_rename(fs, "deep/er/c", "d", err), PINGO_EAWAY, "");
    assert_true(is_there(fs, "deep/er/c"));
    pingo__hdfs_close(fs);
}

static void test_hdfs__other_changes_that_nobody_answered(void **state)
{
    struct pingo__hdfs *fs = open_fs("/others", 0);
    struct pingo__hdfs_status status;
    (void)state;
    fault(0, "lost", "MKDIRS", 1);
    WELL(pingo__hdfs_make(fs, "d", err));
    put(fs, "d/f", "text");
    fault(0, "slam", "SETPERMISSION", 1);
    WELL(pingo__hdfs_set_mode(fs, "d/f", 0444, err));
    WELL(pingo__hdfs_status(fs, "d/f", &status, err));
    assert_int_equal(status.mode, 0444);
    fault(0, "lost", "DELETE", 1);
    WELL(pingo__hdfs_remove(fs, "d", err));
    assert_false(is_there(fs, "d"));
    pingo__hdfs_close(fs);
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

static void test_hdfs__uploads_that_break(void **state)
{
    static const struct {
        const char *word, *op;
        int times, rc;
        const char *words;
    } rows[] = {{"cut", "DATA-CREATE", 1, 0, ""},
                {"cut", "DATA-CREATE", 3, 0, ""},
                {"lost", "DATA-CREATE", 1, 0, ""},
                {"slam", "DATA-CREATE", 2, 0, ""},
                {"dead", "CREATE", 1, 0, ""},
                {"slam", "CREATE", 1, 0, ""},
                {"cut", "DATA-CREATE", 1000, PINGO_EAWAY, ""},
                {"short", "DATA-CREATE", 1, PINGO_EIO, "bytes"},
                {"quota", "DATA-CREATE", 1, PINGO_ENOSPACE, "quota"},
                {"full", "CREATE", 1, PINGO_ENOSPACE, "could only be written"},
                {"denied", "CREATE", 1, PINGO_EIO, "AccessControl"},
                {"httpfs", "CREATE", 1, PINGO_EUNSUPPORTED, "HttpFS"},
                {"nowhere", "CREATE", 1, PINGO_EIO, "WebHDFS"}};
    struct pingo__hdfs *fs = open_fs("/uploads", 0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fault(0, rows[i].word, rows[i].op, rows[i].times);
        if (rows[i].rc)
            FAILS(pingo__hdfs_put_bytes(fs, "d/f", "some text", 9, err), rows[i].rc, rows[i].words);
        else
            put(fs, "d/f", "some text");
        order("/clear");
        assert_int_equal(is_there(fs, "d/f"), !rows[i].rc);
        if (!rows[i].rc)
            assert_true(holds(fs, "d/f", "some text"));
        assert_int_equal(is_there(fs, "d") ? entries(fs, "d") : 0, !rows[i].rc); /* nothing else */
        WELL(pingo__hdfs_remove(fs, "d", err));
    }
    pingo__hdfs_close(fs);
}

static void test_hdfs__downloads_that_break(void **state)
{
    struct pingo__hdfs *fs = open_fs("/downloads", SHORT_MS);
    struct pingo__buffer bytes = {0};
    char target[64];
    (void)state;
    put(fs, "d/f", "a text of some length");
    fault(0, "cut", "DATA-OPEN", 3);
    assert_true(holds(fs, "d/f", "a text of some length"));
    fault(0, "slam", "DATA-OPEN", 2);
    fault(0, "dead", "OPEN", 1);
    assert_true(holds(fs, "d/f", "a text of some length"));
    fault(0, "more", "DATA-OPEN", 1);
    FAILS(pingo__hdfs_get_bytes(fs, "d/f", (struct pingo__hdfs_range){2, 4}, &bytes, err),
          PINGO_EIO, "");
    pingo__buffer_reset(&bytes);
    WELL(pingo__hdfs_get_bytes(fs, "d/f", (struct pingo__hdfs_range){2, 4}, &bytes, err));
    assert_string_equal(pingo__buffer_cstr(&bytes), "text");
    WELL(pingo__hdfs_get_bytes(fs, "d/f", (struct pingo__hdfs_range){100, 4}, &bytes, err));
    assert_int_equal(bytes.length, 4);
    FAILS(pingo__hdfs_get_bytes(fs, "d", (struct pingo__hdfs_range){0, 4}, &bytes, err),
          PINGO_ENOTFOUND, "no file");
    fault(0, "slam", "DATA-OPEN", 1000);
    snprintf(target, sizeof target, "%s/target", scratch);
    FAILS(pingo__hdfs_get_tree(fs, "d", target, true, err), PINGO_EAWAY, "");
    assert_int_not_equal(access(target, F_OK), 0);
    pingo__buffer_clear(&bytes);
    pingo__hdfs_close(fs);
}

/* ---- hostile words ------------------------------------------------------------------------------------ */

/* What is lost, and what may come back. */
static void test_hdfs__checksums_that_cannot_be_had(void **state)
{
    struct pingo__hdfs *fs = open_fs("/checksums", 0);
    char text[PINGO__HDFS_CHECKSUM_SIZE];
    (void)state;
    put(fs, "a", "text");
    fault(0, "lost-block", "GETFILECHECKSUM", 2);
    fault(0, "denied", "DATA-GETFILECHECKSUM", 1);
    WELL(pingo__hdfs_checksum(fs, "a", text, err));
    order("/clear");
    fault(0, "lost-block", "GETFILECHECKSUM", 100);
    FAILS(pingo__hdfs_checksum(fs, "a", text, err), PINGO_EINPUT, "No active nodes");
    order("/dead/1");
    FAILS(pingo__hdfs_checksum(fs, "a", text, err), PINGO_EIO, "No active nodes");
    order("/dead/0");
    order("/clear");
    fault(0, "denied", "DATA-GETFILECHECKSUM", 100);
    FAILS(pingo__hdfs_checksum(fs, "a", text, err), PINGO_EIO, "AccessControl");
    pingo__hdfs_close(fs);
}

static void test_hdfs__hostile_answers(void **state)
{
    struct pingo__hdfs *fs = open_fs("/hostile", SHORT_MS);
    struct pingo__hdfs_status status;
    struct pingo__hdfs_summary summary;
    struct pingo__hdfs_space space;
    char sum[PINGO__HDFS_CHECKSUM_SIZE], *token, word[24];
    (void)state;
    for (int i = 0; i < 11; i++) {
        size_t n = 0;
        snprintf(word, sizeof word, "garbage%d", i);
        order("/clear");
        fault(0, word, "-", 1000);
        FAILS(pingo__hdfs_status(fs, "x", &status, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_list(fs, "x", count_one, &n, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_walk(fs, "x", count_one, &n, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_summary(fs, "x", &summary, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_checksum(fs, "x", sum, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_token(fs, "me", &token, err), PINGO_EIO, "WebHDFS");
        FAILS(pingo__hdfs_put_bytes(fs, "x", "", 0, err), PINGO_EIO, "WebHDFS");
        WELL(pingo__hdfs_space(fs, "x", &space, err));
        assert_true(space.free_bytes == -1 && space.used_bytes == -1);
        assert_true(n <= 2);
    }
    order("/clear");
    WELL(pingo__hdfs_token(fs, "me", &token, err));
    assert_string_equal(token, "a-token");
    free(token);
    pingo__hdfs_close(fs);
}

/* ---- trees ---------------------------------------------------------------------------------------------- */

static const char *at(const char *format, const char *name)
{
    static char path[4][256];
    static unsigned n;
    n = (n + 1) % 4;
    snprintf(path[n], sizeof path[n], format, scratch, name);
    return path[n];
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

/* tree/: a, b/c (executable), b/empty/, l -> a, m -> b, odd names */
static void make_tree(const char *name)
{
    char top[200], path[256];
    snprintf(top, sizeof top, "%s/%s", scratch, name);
    static const char *const odd[] = {"a b", "100%25+&;?#=", "\"'\\", "\xc3\xa9\n", ".hidden"};
    assert_int_equal(mkdir(top, 0755), 0);
    snprintf(path, sizeof path, "%s/a", top);
    write_file(path, "one", 0644);
    snprintf(path, sizeof path, "%s/b", top);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/b/c", top);
    write_file(path, "two", 0755);
    snprintf(path, sizeof path, "%s/b/empty", top);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/l", top);
    assert_int_equal(symlink("a", path), 0);
    snprintf(path, sizeof path, "%s/m", top);
    assert_int_equal(symlink("b", path), 0);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        snprintf(path, sizeof path, "%s/%s", top, odd[i]);
        write_file(path, odd[i], 0644);
    }
}

static void check_trees(struct pingo__hdfs *fs)
{
    struct stat st;
    size_t n = 0;
    make_tree("tree");
    WELL(pingo__hdfs_put_tree(fs, at("%s/%s", "tree"), "t/tree", NULL, err));
    assert_int_equal(entries(fs, "t"), 1); /* no temporary name */
    WELL(pingo__hdfs_walk(fs, "t/tree", count_one, &n, err));
    assert_int_equal(n, 14);
    assert_true(holds(fs, "t/tree/l", "one"));
    assert_true(holds(fs, "t/tree/m/c", "two"));
    FAILS(pingo__hdfs_put_tree(fs, at("%s/%s", "tree"), "t/tree", NULL, err), PINGO_EEXISTS, "");
    assert_int_equal(entries(fs, "t"), 1);
    WELL(pingo__hdfs_get_tree(fs, "t/tree", at("%s/%s", "back"), false, err));
    assert_true(stat(at("%s/%s", "back/b/c"), &st) == 0 && (st.st_mode & 0777) == 0555);
    assert_true(stat(at("%s/%s", "back/a"), &st) == 0 && (st.st_mode & 0777) == 0444);
    assert_true(stat(at("%s/%s", "back/b/empty"), &st) == 0 && S_ISDIR(st.st_mode));
    assert_true(stat(at("%s/%s", "back/100%25+&;?#="), &st) == 0 && st.st_size == 12);
    FAILS(pingo__hdfs_get_tree(fs, "t/tree", at("%s/%s", "back"), false, err), PINGO_EEXISTS, "");
    FAILS(pingo__hdfs_get_tree(fs, "t/none", at("%s/%s", "none"), false, err), PINGO_ENOTFOUND, "");
    WELL(pingo__hdfs_put_tree(fs, at("%s/%s", "tree/a"), "t/file", "t/by", err));
    assert_true(holds(fs, "t/file", "one"));
    WELL(pingo__hdfs_remove(fs, "t", err));
}

static void test_hdfs__trees(void **state)
{
    struct pingo__hdfs *fs = open_fs("/trees", 0);
    (void)state;
    check_trees(fs);
    fault(0, "cut", "DATA-CREATE", 3);
    fault(0, "lost", "RENAME", 1);
    WELL(pingo__hdfs_put_tree(fs, at("%s/%s", "tree"), "t/tree", NULL, err));
    assert_true(holds(fs, "t/tree/a", "one") && holds(fs, "t/tree/b/c", "two"));
    order("/clear");
    fault(0, "short", "DATA-CREATE", 1);
    FAILS(pingo__hdfs_put_tree(fs, at("%s/%s", "tree"), "t/again", NULL, err), PINGO_EIO,
          "not as it was sent");
    assert_int_equal(entries(fs, "t"), 1);
    pingo__hdfs_close(fs);
}

static void test_hdfs__trees_that_cannot_be_held(void **state)
{
    static const struct {
        const char *link, *to, *words;
    } rows[] = {{"out", "/etc/passwd", "leads out"},
                {"dangling", "nothing", "or nowhere"},
                {"up", "..", "leads out"},
                {"self", ".", "in a circle"},
                {"a:b", NULL, "colon"},
                {"\xff", NULL, "UTF-8"},
                {"fifo", "", "neither"}};
    struct pingo__hdfs *fs = open_fs("/cannot", 0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char top[128], path[256];
        snprintf(top, sizeof top, "%s/cannot", scratch);
        snprintf(path, sizeof path, "%s/%s", top, rows[i].link);
        assert_int_equal(mkdir(top, 0755), 0);
        if (!rows[i].to)
            write_file(path, "", 0644);
        else
            assert_int_equal(*rows[i].to ? symlink(rows[i].to, path) : mkfifo(path, 0600), 0);
        order("/clear");
        FAILS(pingo__hdfs_put_tree(fs, top, "x", NULL, err), PINGO_EINPUT, rows[i].words);
        assert_int_equal(order("/count/CREATE") + order("/count/MKDIRS"), 0);
        assert_int_equal(pingo__tree_remove(AT_FDCWD, top), 0);
    }
    pingo__hdfs_close(fs);
}

/* ---- TLS ------------------------------------------------------------------------------------------------- */

static void test_hdfs__tls(void **state)
{
    struct pingo__hdfs_options options = {.ca_file = CERT, .patience_ms = SHORT_MS};
    struct pingo__hdfs *fs;
    char url[64];
    (void)state;
    stop_server();
    start_server(true);
    snprintf(url, sizeof url, "swebhdfs://me@127.0.0.1:%d/tls", server.ports[0]);
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    put(fs, "f", "secret");
    assert_true(holds(fs, "f", "secret"));
    pingo__hdfs_close(fs);
    options.ca_file = NULL; /* whom nobody vouches for is not spoken to */
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_EAWAY, "certificate");
    pingo__hdfs_close(fs);
    stop_server();
    start_server(false);
}

/* ---- real daemons ------------------------------------------------------------------------------------------ */

struct racer {
    pthread_t thread;
    struct pingo__hdfs *fs;
    char to[32];
    int rc;
};

static void *race(void *context)
{
    struct racer *r = context;
    r->rc = pingo__hdfs_rename(r->fs, "race/from", r->to, NULL);
    return NULL;
}

static void test_hdfs__real(void **state)
{
    enum { RACERS = 4, MANY = 1100 };
    struct racer racers[RACERS];
    struct pingo__hdfs *fs;
    struct pingo__hdfs_space space;
    struct pingo__hdfs_summary sum;
    char text[PINGO__HDFS_CHECKSUM_SIZE], again[PINGO__HDFS_CHECKSUM_SIZE], *token;
    (void)state;
    if (!getenv("PINGO_TEST_HDFS"))
        skip();
    WELL(pingo__hdfs_open(getenv("PINGO_TEST_HDFS"), NULL, &fs, err));
    pingo__tree_remove(AT_FDCWD, at("%s/%s", "tree"));
    pingo__tree_remove(AT_FDCWD, at("%s/%s", "back"));
    check_trees(fs);

    /* One of several who rename the same has it. */
    for (int round = 0; round < 5; round++) {
        put(fs, "race/from", "text");
        int won = 0;
        for (int i = 0; i < RACERS; i++) {
            racers[i] = (struct racer){.fs = fs};
            snprintf(racers[i].to, sizeof racers[i].to, "race/to.%d.%d", round, i);
            assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
        }
        for (int i = 0; i < RACERS; i++) {
            pthread_join(racers[i].thread, NULL);
            assert_true(racers[i].rc == 0 || racers[i].rc == PINGO_ENOTFOUND);
            assert_int_equal(is_there(fs, racers[i].to), racers[i].rc == 0);
            won += racers[i].rc == 0;
        }
        assert_int_equal(won, 1);
    }

    /* More than one answer holds; gone in one go. */
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%d", i);
        WELL(pingo__hdfs_make(fs, name, err));
    }
    assert_int_equal(entries(fs, "many"), MANY);
    WELL(pingo__hdfs_summary(fs, "many", &sum, err));
    assert_true(sum.directories == MANY + 1 && sum.files == 0 && sum.bytes == 0);
    WELL(pingo__hdfs_remove(fs, "many", err));
    assert_false(is_there(fs, "many"));

    put(fs, "c/1", "text");
    put(fs, "c/2", "text");
    WELL(pingo__hdfs_checksum(fs, "c/1", text, err));
    WELL(pingo__hdfs_checksum(fs, "c/2", again, err));
    assert_string_equal(text, again);
    WELL(pingo__hdfs_space(fs, "c", &space, err));
    assert_true(space.free_bytes > 0 && space.used_bytes >= 8);
    FAILS(pingo__hdfs_make(fs, "c/1/x", err), PINGO_EEXISTS, "not a directory");
    FAILS(pingo__hdfs_rename(fs, "c/2", "c/1/x", err), PINGO_EEXISTS, "not a directory");
    FAILS(pingo__hdfs_remove_empty(fs, "c", err), PINGO_EEXISTS, "not empty");
    WELL(pingo__hdfs_token(fs, "me", &token, err));
    free(token);
    WELL(pingo__hdfs_remove(fs, "c", err));
    pingo__hdfs_close(fs);
}

/* For test/hadoop/hdfs.t: one call; says what came of it. */
static int act(const char *what, const char *from, const char *to)
{
    struct pingo_error why = {0};
    struct pingo__hdfs *fs = NULL;
    const char *patience_ms = getenv("PINGO_TEST_PATIENCE_MS");
    struct pingo__hdfs_options options = {.patience_ms = patience_ms ? atoi(patience_ms) : 0};
    int rc = pingo__hdfs_open(getenv("PINGO_TEST_HDFS"), &options, &fs, &why);
    if (!rc && strcmp(what, "put") == 0)
        rc = pingo__hdfs_put_tree(fs, from, to, NULL, &why);
    else if (!rc && strcmp(what, "get") == 0)
        rc = pingo__hdfs_get_tree(fs, from, to, true, &why);
    for (int i = 0; !rc && strcmp(what, "move") == 0 && i < 300; i++) { /* FROM/0 to TO/0, ... */
        char a[64], b[64];
        snprintf(a, sizeof a, "%s/%d", from, i);
        snprintf(b, sizeof b, "%s/%d", to, i);
        rc = pingo__hdfs_make(fs, a, &why);
        if (!rc)
            rc = pingo__hdfs_move(fs, a, b, &why);
    }
    printf("%d %s\n", rc, rc ? why.message : "well");
    pingo__hdfs_close(fs);
    return rc != 0;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return act(argv[1], argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hdfs__urls),
        cmocka_unit_test(test_hdfs__names_that_cannot_be),
        cmocka_unit_test(test_hdfs__another_one_serves),
        cmocka_unit_test(test_hdfs__nobody_serves),
        cmocka_unit_test(test_hdfs__an_outage_is_waited_for_once),
        cmocka_unit_test(test_hdfs__asks_for_kerberos),
        cmocka_unit_test(test_hdfs__can_be_stopped),
        cmocka_unit_test(test_hdfs__bytes_that_do_not_come_are_not_waited_for),
        cmocka_unit_test(test_hdfs__a_rename_that_nobody_answered),
        cmocka_unit_test(test_hdfs__other_changes_that_nobody_answered),
        cmocka_unit_test(test_hdfs__uploads_that_break),
        cmocka_unit_test(test_hdfs__downloads_that_break),
        cmocka_unit_test(test_hdfs__checksums_that_cannot_be_had),
        cmocka_unit_test(test_hdfs__hostile_answers),
        cmocka_unit_test(test_hdfs__trees),
        cmocka_unit_test(test_hdfs__trees_that_cannot_be_held),
        cmocka_unit_test(test_hdfs__tls),
        cmocka_unit_test(test_hdfs__real),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
