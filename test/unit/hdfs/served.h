/* served.h - a small server that does what it is told, as no real NameNode does, and files in it; trees to send there. */
#ifndef TEST_HDFS_SERVED_H
#define TEST_HDFS_SERVED_H

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

static struct {
    pid_t pid;
    int in, ports[2];
} server;
static char scratch[] = "/tmp/pingo-hdfs-XXXXXX";

static inline void start_server(bool tls)
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

static inline void stop_server(void)
{
    kill(server.pid, SIGKILL);
    close(server.in);
    waitpid(server.pid, NULL, 0);
}

static inline int set_up(void **state)
{
    (void)state;
    start_server(false);
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    stop_server();
    return pingo__tree_remove(AT_FDCWD, scratch);
}

/* What the server is told by a way of its own; the number that it answers. */
static inline int order(const char *path)
{
    static const struct pingo__http_options usual = {
        .connect_ms = 5000, .whole_ms = 30000, .max_bytes = 1000, .connections = 1};
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
static inline void fault(int name_node, const char *word, const char *op, int times)
{
    char path[128];
    snprintf(path, sizeof path, "/fault/%d/%s/%s/%d", name_node, word, op, times);
    order(path);
}

static inline struct pingo__hdfs *open_fs(const char *format, int64_t patience_ms)
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

static inline bool is_there(struct pingo__hdfs *fs, const char *path)
{
    struct pingo__hdfs_status status;
    WELL(pingo__hdfs_status(fs, path, &status, err));
    return status.exists;
}

static inline int count_one(void *context, const char *name,
                            const struct pingo__hdfs_status *status, struct pingo_error *err)
{
    (void)name;
    (void)status;
    (void)err;
    ++*(size_t *)context;
    return 0;
}

static inline size_t entries(struct pingo__hdfs *fs, const char *path)
{
    size_t n = 0;
    WELL(pingo__hdfs_list(fs, path, count_one, &n, err));
    return n;
}

static inline void put(struct pingo__hdfs *fs, const char *path, const char *text)
{
    WELL(pingo__hdfs_put_bytes(fs, path, text, strlen(text), err));
}

static inline bool holds(struct pingo__hdfs *fs, const char *path, const char *text)
{
    struct pingo__buffer bytes = {0};
    WELL(pingo__hdfs_get_bytes(fs, path, (struct pingo__hdfs_range){0, 1000}, &bytes, err));
    bool is = strcmp(pingo__buffer_cstr(&bytes), text) == 0;
    pingo__buffer_clear(&bytes);
    return is;
}

/* ---- trees ---- */

static inline const char *at(const char *format, const char *name)
{
    static char path[4][256];
    static unsigned n;
    n = (n + 1) % 4;
    snprintf(path[n], sizeof path[n], format, scratch, name);
    return path[n];
}

static inline void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

/* tree/: a, b/c (executable), b/empty/, l -> a, m -> b, odd names */
static inline void make_tree(const char *name)
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

static inline void check_trees(struct pingo__hdfs *fs)
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
    WELL(pingo__hdfs_get_tree(fs, "t/tree", at("%s/%s", "back"), 0555, err));
    assert_true(stat(at("%s/%s", "back/b/c"), &st) == 0 && (st.st_mode & 0777) == 0555);
    assert_true(stat(at("%s/%s", "back/a"), &st) == 0 && (st.st_mode & 0777) == 0444);
    assert_true(stat(at("%s/%s", "back/b/empty"), &st) == 0 && S_ISDIR(st.st_mode));
    assert_true(stat(at("%s/%s", "back/100%25+&;?#="), &st) == 0 && st.st_size == 12);
    FAILS(pingo__hdfs_get_tree(fs, "t/tree", at("%s/%s", "back"), 0555, err), PINGO_EEXISTS, "");
    WELL(pingo__hdfs_get_tree(fs, "t/tree", at("%s/%s", "mine"), 0700, err));
    assert_true(stat(at("%s/%s", "mine"), &st) == 0 && (st.st_mode & 0777) == 0700);
    assert_true(stat(at("%s/%s", "mine/a"), &st) == 0 && (st.st_mode & 0777) == 0644);
    assert_true(stat(at("%s/%s", "mine/b"), &st) == 0 && (st.st_mode & 0777) == 0755);
    WELL(pingo__hdfs_get_tree(fs, "t/tree/b/c", at("%s/%s", "run"), 0750, err));
    assert_true(stat(at("%s/%s", "run"), &st) == 0 && (st.st_mode & 0777) == 0750);
    FAILS(pingo__hdfs_get_tree(fs, "t/none", at("%s/%s", "none"), 0555, err), PINGO_ENOTFOUND, "");
    WELL(pingo__hdfs_put_tree(fs, at("%s/%s", "tree/a"), "t/file", "t/by", err));
    assert_true(holds(fs, "t/file", "one"));
    WELL(pingo__hdfs_remove(fs, "t", err));
}

#endif
