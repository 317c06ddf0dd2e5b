/* fake.h - a container of Hadoop's and an HDFS in memory, whose NameNode and DataNode are a thread of this test: what it
 * is asked, one question a connection, it does, or refuses or loses as a test wants. */
#ifndef PINGO_TEST_HADOOP_NODE_FAKE_H
#define PINGO_TEST_HADOOP_NODE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tree.h"
#include "executor/hadoop/node/node.h"

#define KEY(n) ((struct pingo_job_key){n, 1})
#define APPLICATION "application_1_0001"
#define CONTAINER "container_1_0001_01_000002"
#define STARTED "started." CONTAINER ".node1.45454.8042"

/* ---- HDFS ---------------------------------------------------------------------------------------- */

struct hdfs_entry {
    char path[200]; /* absolute */
    char *bytes;    /* NULL: a directory */
    size_t n;
    int id;
    char mode[8];
};

static struct {
    int fd, port;
    pthread_t thread;
    pthread_mutex_t mutex; /* holds what follows */
    struct hdfs_entry list[64];
    size_t n;
    int ids;
    struct {
        char op[24], part[64]; /* of a question, and a part of its path */
        const char *exception; /* with which it is refused; NULL: it is done, and the answer lost */
        int times;
    } fault;
    char asked[8192]; /* "OP PATH\n" of each question that changes something */
    void (*on_question)(const char *op,
                        const char *path); /* on the thread of the server; may be NULL */
} hdfs = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static inline struct hdfs_entry *hdfs_find(const char *path)
{
    for (size_t i = 0; i < hdfs.n; i++)
        if (strcmp(hdfs.list[i].path, path) == 0)
            return &hdfs.list[i];
    return NULL;
}

static inline bool hdfs_is_in(const char *path, const char *directory)
{
    size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && (!path[n] || path[n] == '/');
}

static inline void hdfs_drop(size_t i)
{
    free(hdfs.list[i].bytes);
    hdfs.list[i] = hdfs.list[--hdfs.n];
}

/* With the directories above it.  bytes NULL: a directory. */
static inline void hdfs_add(const char *path, const void *bytes, size_t n)
{
    char above[200];
    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    if (*above && !hdfs_find(above))
        hdfs_add(above, NULL, 0);
    struct hdfs_entry *e = hdfs_find(path);
    if (e)
        return;
    if (hdfs.n == sizeof hdfs.list / sizeof *hdfs.list)
        abort();
    e = &hdfs.list[hdfs.n++];
    *e = (struct hdfs_entry){.id = ++hdfs.ids, .n = n};
    snprintf(e->path, sizeof e->path, "%s", path);
    strcpy(e->mode, bytes ? "644" : "755");
    e->bytes = bytes ? malloc(n + 1) : NULL;
    if (bytes)
        memcpy(e->bytes, bytes, n);
}

/* The word of a query; "" where there is none. */
static inline void hdfs_word(const char *query, const char *name, char *word, size_t size)
{
    char key[32];
    size_t n = 0;
    int k = snprintf(key, sizeof key, "%s=", name);
    const char *at = query;
    while (at && strncmp(at, key, (size_t)k) != 0)
        at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL;
    for (at = at ? at + k : ""; *at && *at != '&' && n + 1 < size; n++) {
        unsigned c;
        if (*at == '%' && sscanf(at + 1, "%2x", &c) == 1) {
            word[n] = (char)c;
            at += 3;
        } else
            word[n] = *at++;
    }
    word[n] = '\0';
}

static inline void hdfs_status_of(struct pingo__buffer *b, const struct hdfs_entry *e,
                                  const char *name)
{
    pingo__buffer_format(
        b,
        "{\"fileId\":%d,\"length\":%zu,\"modificationTime\":5,\"childrenNum\":0,"
        "\"replication\":1,\"permission\":\"%s\",\"type\":\"%s\",\"pathSuffix\":\"%s\"}",
        e->id, e->n, e->mode, e->bytes ? "FILE" : "DIRECTORY", name);
}

static inline int by_path(const void *a, const void *b)
{
    return strcmp(((const struct hdfs_entry *)a)->path, ((const struct hdfs_entry *)b)->path);
}

static inline void hdfs_list_of(struct pingo__buffer *b, const char *path)
{
    size_t n = strlen(path), told = 0;
    qsort(hdfs.list, hdfs.n, sizeof *hdfs.list, by_path);
    pingo__buffer_text(
        b, "{\"DirectoryListing\":{\"partialListing\":{\"FileStatuses\":{\"FileStatus\":[");
    for (size_t i = 0; i < hdfs.n; i++) {
        const char *name = hdfs.list[i].path + n + 1;
        if (!hdfs_is_in(hdfs.list[i].path, path) || !hdfs.list[i].path[n] || strchr(name, '/'))
            continue;
        pingo__buffer_text(b, told++ ? "," : "");
        hdfs_status_of(b, &hdfs.list[i], name);
    }
    pingo__buffer_text(b, "]}},\"remainingEntries\":0}}");
}

static inline const char *hdfs_rename(const char *from, const char *to)
{
    char above[200];
    size_t n = strlen(from);
    snprintf(above, sizeof above, "%s", to);
    *strrchr(above, '/') = '\0';
    if (hdfs_find(to))
        return "FileAlreadyExistsException";
    if (!hdfs_find(from) || !hdfs_find(above))
        return "FileNotFoundException";
    for (size_t i = 0; i < hdfs.n; i++) {
        char path[200];
        if (!hdfs_is_in(hdfs.list[i].path, from))
            continue;
        snprintf(path, sizeof path, "%s%s", to, hdfs.list[i].path + n);
        strcpy(hdfs.list[i].path, path);
    }
    return NULL;
}

static inline void hdfs_summary_of(struct pingo__buffer *b, const char *path)
{
    size_t bytes = 0;
    for (size_t i = 0; i < hdfs.n; i++)
        bytes += hdfs_is_in(hdfs.list[i].path, path) ? hdfs.list[i].n : 0;
    pingo__buffer_format(
        b,
        "{\"ContentSummary\":{\"length\":%zu,\"spaceConsumed\":%zu,\"fileCount\":1,"
        "\"directoryCount\":1,\"spaceQuota\":-1}}",
        bytes, bytes);
}

struct hdfs_question {
    char op[32], path[200], query[1024];
    bool is_data; /* of the DataNode */
    const char *body;
    size_t n;
};

/* What is done; else the exception. */
static inline const char *hdfs_do(const struct hdfs_question *q, struct pingo__buffer *answer)
{
    struct hdfs_entry *e = hdfs_find(q->path);
    char word[200];
    if (strcmp(q->op, "MKDIRS") == 0) {
        hdfs_add(q->path, NULL, 0);
        return e && e->bytes ? "FileAlreadyExistsException" : NULL;
    }
    if (strcmp(q->op, "DELETE") == 0) {
        for (size_t i = hdfs.n; i-- > 0;)
            if (hdfs_is_in(hdfs.list[i].path, q->path))
                hdfs_drop(i);
        return NULL;
    }
    if (strcmp(q->op, "CREATE") == 0) {
        if (e)
            return "FileAlreadyExistsException";
        if (q->is_data) {
            hdfs_add(q->path, q->body, q->n);
            hdfs_word(q->query, "permission", word, sizeof word);
            snprintf(hdfs_find(q->path)->mode, 8, "%.7s", word);
        }
        return NULL;
    }
    if (strcmp(q->op, "RENAME") == 0) {
        hdfs_word(q->query, "destination", word, sizeof word);
        return hdfs_rename(q->path, word);
    }
    if (!e)
        return "FileNotFoundException";
    if (strcmp(q->op, "GETFILESTATUS") == 0) {
        pingo__buffer_text(answer, "{\"FileStatus\":");
        hdfs_status_of(answer, e, "");
        pingo__buffer_text(answer, "}");
    } else if (strcmp(q->op, "LISTSTATUS_BATCH") == 0)
        hdfs_list_of(answer, q->path);
    else if (strcmp(q->op, "GETCONTENTSUMMARY") == 0)
        hdfs_summary_of(answer, q->path);
    else if (q->is_data) /* OPEN */
        pingo__buffer_append(answer, e->bytes, e->n);
    return NULL;
}

/* false: the answer is lost. */
static inline bool hdfs_answer(const struct hdfs_question *q, struct pingo__buffer *reply)
{
    struct pingo__buffer answer = {0};
    char location[1400] = "";
    bool is_faulty = hdfs.fault.times > 0 && strcmp(hdfs.fault.op, q->op) == 0 &&
                     strstr(q->path, hdfs.fault.part);
    bool redirects = !q->is_data && (strcmp(q->op, "CREATE") == 0 || strcmp(q->op, "OPEN") == 0);
    hdfs.fault.times -= is_faulty;
    const char *exception =
        is_faulty && hdfs.fault.exception ? hdfs.fault.exception : hdfs_do(q, &answer);
    if (!redirects && strncmp(q->op, "GET", 3) != 0 && strncmp(q->op, "LIST", 4) != 0)
        snprintf(hdfs.asked + strlen(hdfs.asked), sizeof hdfs.asked - strlen(hdfs.asked), "%s %s\n",
                 q->op, q->path);
    if (exception) {
        pingo__buffer_reset(&answer);
        pingo__buffer_format(
            &answer, "{\"RemoteException\":{\"exception\":\"%s\",\"message\":\"it says no\"}}",
            exception);
    } else if (redirects)
        snprintf(location, sizeof location, "Location: http://127.0.0.1:%d/data%s?%s\r\n",
                 hdfs.port, q->path, q->query);
    pingo__buffer_format(reply,
                         "HTTP/1.1 %d x\r\nContent-Length: %zu\r\n%sConnection: close\r\n\r\n",
                         exception   ? 403
                         : *location ? 307
                                     : 200,
                         answer.length, location);
    pingo__buffer_append(reply, answer.data, answer.length);
    pingo__buffer_clear(&answer);
    return !is_faulty || hdfs.fault.exception;
}

/* Reads one question whole. */
static inline bool hdfs_read(int fd, struct pingo__buffer *text, struct hdfs_question *q)
{
    char chunk[16384], target[1400];
    const char *end = NULL;
    size_t length = 0;
    *q = (struct hdfs_question){.is_data = false};
    while (!end || text->length < (size_t)(end - text->data) + length) {
        ssize_t n = recv(fd, chunk, sizeof chunk, 0);
        if (n <= 0)
            return false;
        pingo__buffer_append(text, chunk, (size_t)n);
        end = strstr(pingo__buffer_cstr(text), "\r\n\r\n");
        end = end ? end + 4 : NULL;
        const char *field = end ? strcasestr(text->data, "content-length:") : NULL;
        length = field && field < end ? (size_t)atol(field + 15) : 0;
    }
    if (sscanf(text->data, "%*s %1399s", target) != 1 || !strchr(target, '?'))
        return false;
    q->body = end;
    q->n = length;
    char *mark = strchr(target, '?');
    *mark = '\0';
    snprintf(q->query, sizeof q->query, "%s", mark + 1);
    hdfs_word(q->query, "op", q->op, sizeof q->op);
    q->is_data = strncmp(target, "/data", 5) == 0;
    snprintf(q->path, sizeof q->path, "%s",
             target + (q->is_data ? strlen("/data") : strlen("/webhdfs/v1")));
    return true;
}

static inline void *hdfs_serve(void *context)
{
    (void)context;
    for (int fd; (fd = accept4(hdfs.fd, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(fd)) {
        struct pingo__buffer text = {0}, reply = {0};
        struct hdfs_question q;
        if (hdfs_read(fd, &text, &q)) {
            if (hdfs.on_question)
                hdfs.on_question(q.op, q.path);
            pthread_mutex_lock(&hdfs.mutex);
            bool is_heard = hdfs_answer(&q, &reply);
            pthread_mutex_unlock(&hdfs.mutex);
            for (size_t at = 0; is_heard && at < reply.length;) {
                ssize_t n = send(fd, reply.data + at, reply.length - at, MSG_NOSIGNAL);
                at = n > 0 ? at + (size_t)n : reply.length;
            }
        }
        pingo__buffer_clear(&text);
        pingo__buffer_clear(&reply);
    }
    return NULL;
}

static inline void hdfs_start(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof at;
    sigset_t all, before;
    hdfs.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(hdfs.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(hdfs.fd, 64), 0);
    assert_int_equal(getsockname(hdfs.fd, (struct sockaddr *)&at, &n), 0);
    hdfs.port = ntohs(at.sin_port);
    sigfillset(&all); /* they are the test's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    assert_int_equal(pthread_create(&hdfs.thread, NULL, hdfs_serve, NULL), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* From now on nobody is there. */
static inline void hdfs_end(void)
{
    if (hdfs.fd < 0)
        return;
    shutdown(hdfs.fd, SHUT_RDWR);
    pthread_join(hdfs.thread, NULL);
    close(hdfs.fd);
    hdfs.fd = -1;
}

/* The next questions of this kind about such a path are refused, or, exception NULL, done and not answered. */
static inline void hdfs_refuse(const char *op, const char *part, const char *exception, int times)
{
    pthread_mutex_lock(&hdfs.mutex);
    snprintf(hdfs.fault.op, sizeof hdfs.fault.op, "%s", op);
    snprintf(hdfs.fault.part, sizeof hdfs.fault.part, "%s", part);
    hdfs.fault.exception = exception;
    hdfs.fault.times = times;
    pthread_mutex_unlock(&hdfs.mutex);
}

/* A file below the pool; text NULL: a directory. */
static inline void hdfs_put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "/p/%s", name);
    pthread_mutex_lock(&hdfs.mutex);
    hdfs_add(path, text, text ? strlen(text) : 0);
    pthread_mutex_unlock(&hdfs.mutex);
}

static inline bool hdfs_has(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "/p/%s", name);
    pthread_mutex_lock(&hdfs.mutex);
    bool has = hdfs_find(path);
    pthread_mutex_unlock(&hdfs.mutex);
    return has;
}

static inline void hdfs_expect(const char *name, const char *text)
{
    char path[200], own[512] = "it is not there";
    snprintf(path, sizeof path, "/p/%s", name);
    pthread_mutex_lock(&hdfs.mutex);
    const struct hdfs_entry *e = hdfs_find(path);
    if (e)
        snprintf(own, sizeof own, "%.*s", (int)e->n, e->bytes ? e->bytes : "");
    pthread_mutex_unlock(&hdfs.mutex);
    assert_string_equal(own, text);
}

/* How often this test has asked for a change whose line holds this. */
static inline size_t hdfs_count(const char *line)
{
    size_t n = 0;
    pthread_mutex_lock(&hdfs.mutex);
    for (const char *at = hdfs.asked; (at = strstr(at, line)); at++)
        n++;
    pthread_mutex_unlock(&hdfs.mutex);
    return n;
}

/* The outcome of an attempt. */
static inline struct pingo_job_end hdfs_outcome(int64_t action)
{
    char path[200];
    struct pingo_job_end end = {.size = sizeof end};
    snprintf(path, sizeof path, "/p/attempts/%d.1/outcome", (int)action);
    pthread_mutex_lock(&hdfs.mutex);
    const struct hdfs_entry *e = hdfs_find(path);
    bool is_whole =
        e && e->n == PINGO__RUNNER_OUTCOME_SIZE && pingo__runner_outcome_decode(e->bytes, &end);
    pthread_mutex_unlock(&hdfs.mutex);
    if (!is_whole)
        fail_msg("%s: no outcome", path);
    return end;
}

/* A job that runs a script, as a scheduler leaves it; what its links lead to lies below the pool. */
static inline void hdfs_put_job(int64_t action, const char *script, const char *input)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const argv[] = {"sh", "-c", script, NULL};
    char url[128], path[64];
    const struct pingo_job_link link = {.name = "words", .target = url};
    struct pingo__buffer bytes = {0};
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/p/%s", hdfs.port, input ? input : "");
    snprintf(path, sizeof path, "/p/attempts/%d.1/job", (int)action);
    pingo__runner_errand_put(
        &bytes,
        &(struct pingo_job){.key = KEY(action),
                            .cpus = 1,
                            .attempt_dir = "webhdfs://x/a",
                            .staged_path = "webhdfs://x/s",
                            .output = "out",
                            .argv = argv,
                            .env = env,
                            .links = &link,
                            .nlinks = input ? 1 : 0},
        &(struct pingo_runner_options){.version = 1, .log_bytes = 65536, .grace_ms = 300});
    assert_non_null(pingo__buffer_cstr(&bytes));
    pthread_mutex_lock(&hdfs.mutex);
    hdfs_add(path, bytes.data, bytes.length);
    pthread_mutex_unlock(&hdfs.mutex);
    pingo__buffer_clear(&bytes);
}

/* ---- the container --------------------------------------------------------------------------------- */

/* Pauses are cut short; nothing here means more by them. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    const struct timespec t = {0, (timeout < 10 ? timeout : 10) * 1000000L};
    return ppoll(fds, n, timeout < 0 ? NULL : &t, NULL);
}

static char said[600]; /* to who reads standard error, last */

void warnx(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
}

/* ---- what main.c has ---- */

/* Nobody waits long for one who does not serve. */
static const struct pingo__hdfs_options hdfs_options = {.patience_ms = 1};

struct pingo__hdfs *pingo__executor_node_open(const struct pingo__executor_node *n,
                                              struct pingo_error *err)
{
    struct pingo__hdfs *fs = NULL;
    return pingo__hdfs_open(n->pool, &hdfs_options, &fs, err) == 0 ? fs : NULL;
}

struct container {
    struct pingo__executor_node n;
    char root[64], pool[64], objects[80];
};

static struct container container;

static inline int set_up(void **state)
{
    static const char *const parts[] = {"attempts", "staged", "objects"};
    struct pingo__executor_node *n = &container.n;
    char path[96];
    memset(&container, 0, sizeof container);
    *hdfs.asked = *said = '\0';
    hdfs.fault.times = 0;
    hdfs.on_question = NULL;
    hdfs_start();
    hdfs_put("attempts", NULL);
    hdfs_put("staged", NULL);
    strcpy(container.root, "/tmp/pingo-node-XXXXXX");
    assert_non_null(mkdtemp(container.root));
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", container.root, parts[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    snprintf(container.pool, sizeof container.pool, "webhdfs://me@127.0.0.1:%d/p", hdfs.port);
    snprintf(container.objects, sizeof container.objects, "%s/objects", container.root);
    n->pool = n->inputs.url = container.pool;
    n->application = APPLICATION;
    n->containers = 1;
    n->root = container.root;
    n->inputs.directory = container.objects;
    strcpy(n->owner.container, CONTAINER);
    strcpy(n->owner.node, "node1");
    strcpy(n->started, STARTED);
    assert_int_equal(pingo__executor_node_watch_init(&n->watch), 0);
    assert_int_equal(pingo__runner_alone_listen(&n->alone, n->watch.ended), 0);
    n->alone.is_hurried = true;
    n->fs = pingo__executor_node_open(n, NULL);
    *state = n;
    alarm(120); /* who waits for what does not come has no end */
    return n->fs ? 0 : -1;
}

static inline int tear_down(void **state)
{
    static const int ours[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};
    struct pingo__executor_node *n = *state;
    sigset_t none;
    pingo__executor_node_inputs_clear(&n->inputs);
    pingo__executor_node_claims_clear(&n->claims);
    pingo__executor_node_watch_clear(&n->watch);
    pingo__hdfs_close(n->fs);
    hdfs_end();
    while (hdfs.n)
        hdfs_drop(0);
    if (n->alone.runner.master)
        pingo__runner_close(&n->alone.runner);
    if (n->alone.master.fd != n->alone.signals)
        close(n->alone.master.fd);
    close(n->alone.signals);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) { /* what was not asked for ends nobody */
        signal(ours[i], SIG_IGN);
        signal(ours[i], SIG_DFL);
    }
    sigemptyset(&none);
    assert_int_equal(sigprocmask(SIG_SETMASK, &none, NULL), 0);
    alarm(0);
    return pingo__tree_remove(AT_FDCWD, container.root);
}

#endif
