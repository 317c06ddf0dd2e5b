/* content.c - the bytes of a dataset: a file with ranges, a directory as tar.
 *
 * An open file stays as it is whatever is deleted.  A directory is held until its tar was sent; where tar fails, the
 * connection is cut, and the client knows that it has not all of it. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "serve/work/work.h"

#define PIECE (256 << 10) /* of a tar, at once */
#define PATIENCE_MS 10000 /* for the store's lock */
#define HELD_MOST 32 /* directories at once: each takes a process, and of descriptors a dozen */
#define PAUSE_MS 10  /* that a reader waits for a tar, and then the tar for a reader */

struct content {
    struct serve_ask *ask;
    char path[4096], name[256];
    bool is_there;
};

static int on_dataset(void *context, const struct pingo_dataset_status *s)
{
    struct content *c = context;
    c->is_there = pingo_dataset_state_is_there(s->state) && s->path && s->path[0] == '/' &&
                  strlen(s->path) < sizeof c->path;
    if (c->is_there)
        strcpy(c->path, s->path);
    snprintf(c->name, sizeof c->name, "%s", serve_own_row(c->ask, s).name);
    return 0;
}

/* A name that a browser may give to a file: whatever else is in it becomes "_". */
static void put_name(struct serve_answer *answer, char *name, const char *suffix)
{
    for (char *p = name; *p; p++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", *p) ||
            (*p == '.' && p == name))
            *p = '_';
    serve_header(answer, "Content-Disposition", "attachment; filename=\"%.200s%s\"", name, suffix);
    serve_header(answer, "Content-Security-Policy", "default-src 'none'; sandbox");
}

/* ---- a directory --------------------------------------------------------------------------------- */

static atomic_int nheld;

/* With a handle of its own, for whichever reader is there lets it go. */
struct held {
    struct serve_job job;
    struct pingo_store *store;
    struct pingo_content *content;
};

static void release(struct serve_worker *worker, struct serve_job *job)
{
    struct held *h = (struct held *)job;
    (void)worker;
    pingo_content_close(h->content);
    pingo_store_close(h->store);
    nheld--;
}

/* *fd: of the directory, -1 after an answer that tells what is wrong. */
static void hold(struct serve_ask *ask, const struct pingo_hash *hash, int *fd)
{
    struct pingo_store_options options = {.version = 1, .lock_timeout_ms = PATIENCE_MS};
    bool has_room = ++nheld <= HELD_MOST;
    struct held *h = has_room ? calloc(1, sizeof *h) : NULL;
    int64_t size;
    *fd = -1;
    if (!h) {
        nheld--;
        serve_refuse(ask->answer, 503,
                     has_room ? "out of memory" : "too many directories are being sent; try again");
        return;
    }
    h->job = (struct serve_job){.run = release, .is_own = true};
    ask->answer->held = &h->job;
    int rc = pingo_store_open(ask->worker->serve->directory, &options, &h->store, ask->err);
    if (rc == 0)
        rc = pingo_store_content(h->store, hash, &h->content, ask->err);
    if (rc == 0)
        rc = pingo_content_open(h->content, NULL, fd, &size, ask->err);
    serve_end(ask, rc);
}

struct tar {
    pid_t pid; /* 0: it has ended */
    int fd;
};

static void drop(void *state)
{
    struct tar *t = state;
    if (t->pid > 0) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, NULL, 0);
    }
    pingo__file_close(t->fd);
    free(t);
}

/* Of a directory, as its descriptor 3: 0 or a negative errno. */
static int start(struct tar *t, int directory)
{
    static const char *const argv[] = {
        "tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-C", "/proc/self/fd/3",
        "-cf", "-",           ".",         NULL};
    struct pingo__process_start how = {
        .path = "tar",
        .argv = argv,
        .env = (const char *const *)environ,
        .fds = {PINGO__PROCESS_NULL, -1, PINGO__PROCESS_NULL, directory},
        .nfds = 4};
    int ends[2], error = pingo__process_pipe(ends, how.nfds);
    if (error != 0)
        return error;
    how.fds[STDOUT_FILENO] = ends[1];
    t->fd = ends[0];
    error = pingo__process_start(&how, &t->pid);
    close(ends[1]);
    if (error != 0)
        t->pid = 0;
    return error;
}

/* directory: or a negative errno. */
static struct tar *begin(struct serve_ask *ask, int directory)
{
    struct tar *t = directory < 0 ? NULL : calloc(1, sizeof *t);
    int error = directory < 0 ? directory : -ENOMEM;
    if (t) {
        t->fd = -1;
        error = start(t, directory);
    }
    if (error == 0)
        return t;
    if (t)
        drop(t);
    serve_refuse(ask->answer, 503, "cannot start tar: %s", strerror(-error));
    return NULL;
}

/* It has said all: did it end well? */
static bool is_whole(struct tar *t)
{
    int status;
    if (waitpid(t->pid, &status, 0) != t->pid)
        status = -1;
    t->pid = 0;
    return status == 0;
}

static void go_on(struct serve_answer *answer, struct tar *t)
{
    char bytes[16384];
    struct pollfd more = {.fd = t->fd, .events = POLLIN};
    ssize_t n = 1;
    answer->state = t;
    answer->drop = drop;
    answer->type = "application/x-tar";
    poll(&more, 1, PAUSE_MS);
    while (n > 0 && answer->body.length < PIECE) {
        n = read(t->fd, bytes, sizeof bytes);
        if (n > 0)
            pingo__buffer_append(&answer->body, bytes, (size_t)n);
    }
    bool has_ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
    answer->next = has_ended ? SERVE_WHOLE : SERVE_STREAM;
    answer->pause_ms = answer->body.length > 0 ? 0 : PAUSE_MS;
    if (has_ended && !is_whole(t))
        serve_refuse(answer, 500, "the dataset could not be read to its end");
}

/* ---- the handler --------------------------------------------------------------------------------- */

static void send_tar(struct serve_ask *ask, const struct pingo_hash *hash, char *name)
{
    int fd, directory;
    hold(ask, hash, &fd);
    if (fd < 0)
        return;
    directory = fcntl(fd, F_DUPFD_CLOEXEC, 4);
    directory = directory < 0 ? -errno : directory;
    close(fd);
    struct tar *t = begin(ask, directory);
    pingo__file_close(directory);
    if (t) {
        go_on(ask->answer, t);
        put_name(ask->answer, name, ".tar");
    }
}

void serve_api_content(struct serve_ask *ask)
{
    struct content c = {.ask = ask};
    if (ask->request->state) {
        go_on(ask->answer, ask->request->state);
        return;
    }
    serve_ask_private(ask);
    struct pingo_hash hash = serve_ask_dataset(ask, ask->request->parts[0]);
    SERVE_CALL(ask, pingo_store_dataset, &hash, on_dataset, &c);
    if (ask->is_wrong)
        return;
    struct stat st = {0};
    int fd = serve_open(c.is_there ? c.path : NULL);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        send_tar(ask, &hash, c.name);
        return;
    }
    bool runs = fd >= 0 && st.st_mode & S_IXUSR;
    serve_file(ask, &(struct serve_file){fd, 0, -1,
                                         runs ? "application/octet-stream; executable=true"
                                              : "application/octet-stream"});
    if (ask->answer->fd >= 0)
        put_name(ask->answer, c.name, "");
}
