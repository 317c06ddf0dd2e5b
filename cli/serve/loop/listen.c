/* listen.c - the sockets that the server listens on.
 *
 * The store's own unix socket always; one for other users, TCP of this machine, and what systemd hands over, as asked.
 * A lock that lives as long as the process says whose the store's socket is: one that a dead server left is taken. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "serve/loop/connection.h"

#define FIRST_FD 3 /* of systemd's */
#define BACKLOG 511

static int fail(struct pingo_error *err, const char *what, int error)
{
    return pingo__fail(err, PINGO_EIO, "cannot listen on %.512s: %s", what, strerror(error));
}

static void on_connection(uv_stream_t *stream, int status)
{
    struct listener *l = stream->data;
    if (status != 0)
        return;
    if (l->loop->nconnections < l->loop->most)
        l->loop->steps->connect(l);
    else
        l->waits = true; /* libuv looks no further until it is accepted */
}

/* fd is taken over. */
static int add(struct loop *loop, int fd, bool is_socket, struct pingo_error *err, const char *what)
{
    if (loop->nlisteners == LISTENERS) {
        close(fd);
        return fail(err, what, EMFILE);
    }
    struct listener *l = &loop->listeners[loop->nlisteners++];
    l->loop = loop;
    l->is_socket = is_socket;
    int rc = is_socket ? uv_pipe_init(&loop->uv, &l->pipe, 0) : uv_tcp_init(&loop->uv, &l->tcp);
    l->handle.data = l;
    if (rc == 0)
        rc = is_socket ? uv_pipe_open(&l->pipe, fd) : uv_tcp_open(&l->tcp, fd);
    if (rc == 0)
        rc = uv_listen(&l->stream, BACKLOG, on_connection);
    return rc == 0 ? 0 : fail(err, what, -rc);
}

/* A path that is longer than a socket's may be is reached through its directory: its descriptor, to be closed, or an
 * error, negative. */
static int address_of(const char *path, struct sockaddr_un *address)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", dir,
                     slash ? slash + 1 : path);
    if ((size_t)n < sizeof address->sun_path)
        return dir;
    close(dir);
    return -ENAMETOOLONG;
}

static int bind_path(int fd, const char *path, mode_t mode)
{
    struct sockaddr_un address;
    int dir = address_of(path, &address), rc = 0;
    if (dir < 0)
        return -dir;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(address.sun_path, mode) != 0)
        rc = errno;
    close(dir);
    return rc;
}

/* Is it a socket that nobody listens on? */
static bool is_dead(const char *path)
{
    struct sockaddr_un address;
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
        return false;
    int dir = address_of(path, &address);
    int fd = dir < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0 &&
              errno == ECONNREFUSED;
    pingo__file_close(fd);
    pingo__file_close(dir);
    return is;
}

static int listen_path(struct loop *loop, const char *path, mode_t mode, struct pingo_error *err)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int rc = fd < 0 ? errno : bind_path(fd, path, mode);
    if (rc == EADDRINUSE && is_dead(path) && unlink(path) == 0)
        rc = bind_path(fd, path, mode);
    if (rc == 0) {
        loop->bound[loop->nbound++] = path;
        return add(loop, fd, true, err, path);
    }
    pingo__file_close(fd);
    return fail(err, path, rc);
}

/* Whoever has the lock may take away what lies at the socket's path. */
static int listen_store(struct loop *loop, struct pingo_error *err)
{
    char lock[PATH_MAX];
    int n = snprintf(loop->socket, sizeof loop->socket, "%s/serve.sock", loop->serve->directory);
    snprintf(lock, sizeof lock, "%s/serve.lock", loop->serve->directory);
    if ((size_t)n >= sizeof loop->socket)
        return fail(err, lock, ENAMETOOLONG);
    loop->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (loop->lock < 0)
        return fail(err, lock, errno);
    if (flock(loop->lock, LOCK_EX | LOCK_NB) != 0)
        return pingo__fail(err, PINGO_EBUSY, "a server of this store runs already: %.512s",
                           loop->socket);
    unlink(loop->socket);
    return listen_path(loop, loop->socket, 0600, err);
}

/* By its name, or by its number, where it has none here. */
static int give_to_group(const char *path, const char *name, struct pingo_error *err)
{
    const struct group *group = getgrnam(name);
    int64_t number = 0;
    if (!group && !pingo__text_to_int64(name, 0, (int64_t)UINT32_MAX - 1, &number))
        return pingo__fail(err, PINGO_EIO, "serve.group: there is no group %.256s here", name);
    gid_t id = group ? group->gr_gid : (gid_t)number;
    if (chown(path, (uid_t)-1, id) == 0)
        return 0;
    return pingo__fail(err, PINGO_EIO,
                       "%.512s cannot be given to the group %.256s (serve.group): %s", path, name,
                       strerror(errno));
}

static int listen_others(struct loop *loop, struct pingo_error *err)
{
    const struct serve_loop_options *o = loop->options;
    int rc = listen_path(loop, o->socket, 0660, err);
    if (rc != 0 || !o->group || !*o->group)
        return rc;
    return give_to_group(o->socket, o->group, err);
}

static int listen_tcp(struct loop *loop, const char *ip, int *port, struct pingo_error *err)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)*port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    bool is_four = inet_pton(AF_INET, ip, &four.sin_addr) == 1;
    struct sockaddr *address = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t size = is_four ? sizeof four : sizeof six;
    char what[80];
    int one = 1;
    snprintf(what, sizeof what, is_four ? "%s:%d" : "[%s]:%d", ip, *port);
    if (!is_four && inet_pton(AF_INET6, ip, &six.sin6_addr) != 1)
        return pingo__fail(err, PINGO_EINVAL, "%.64s is no IP address", ip);
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(err, what, errno);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!is_four)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, address, size) != 0 || getsockname(fd, address, &size) != 0) {
        int rc = fail(err, what, errno);
        close(fd);
        return rc;
    }
    *port = ntohs(is_four ? four.sin_port : six.sin6_port);
    return add(loop, fd, false, err, what);
}

/* [::1] too, where there is one. */
static int listen_loopback(struct loop *loop, struct pingo_error *err)
{
    int port = loop->options->port;
    int rc = listen_tcp(loop, "127.0.0.1", &port, err);
    if (rc != 0)
        return rc;
    listen_tcp(loop, "::1", &port, NULL);
    snprintf(loop->url, sizeof loop->url, "http://127.0.0.1:%d/", port);
    return loop->options->address ? listen_tcp(loop, loop->options->address, &port, err) : 0;
}

/* What systemd has opened (sd_listen_fds(3)): *n of them; then there is no TCP of our own. */
static int listen_given(struct loop *loop, int *n, struct pingo_error *err)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    *n = pid && fds && atol(pid) == (long)getpid() ? atoi(fds) : 0;
    for (int i = 0; i < *n; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        int fd = FIRST_FD + i, one = 0;
        socklen_t length = sizeof one;
        if (getsockname(fd, (struct sockaddr *)&address, &size) != 0 ||
            getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &one, &length) != 0 || !one)
            return fail(err, "what LISTEN_FDS says", errno ? errno : EINVAL);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        if (add(loop, fd, address.ss_family == AF_UNIX, err, "what LISTEN_FDS says") != 0)
            return err->code;
        if (address.ss_family != AF_UNIX)
            snprintf(loop->url, sizeof loop->url, "http://127.0.0.1:%d/",
                     ntohs(((struct sockaddr_in *)&address)->sin_port));
    }
    return 0;
}

int loop_listen(struct loop *loop, struct pingo_error *err)
{
    int given = 0, rc = listen_given(loop, &given, err);
    if (rc == 0)
        rc = listen_store(loop, err);
    if (rc == 0 && loop->options->socket)
        rc = listen_others(loop, err);
    if (rc == 0 && !loop->options->no_tcp && given == 0)
        rc = listen_loopback(loop, err);
    return rc;
}

void loop_listen_stop(struct loop *loop)
{
    for (size_t i = 0; i < loop->nlisteners; i++)
        if (!uv_is_closing(&loop->listeners[i].handle))
            uv_close(&loop->listeners[i].handle, NULL);
    while (loop->nbound > 0)
        unlink(loop->bound[--loop->nbound]);
}

void loop_listen_again(struct loop *loop)
{
    bool is_full = false;
    for (size_t i = 0; i < loop->nlisteners; i++) {
        struct listener *l = &loop->listeners[i];
        if (!l->waits || uv_is_closing(&l->handle))
            continue;
        l->waits = loop->nconnections >= loop->most;
        if (l->waits)
            is_full = true;
        else
            l->loop->steps->connect(l);
    }
    int64_t less_ms = loop->idle_ms / 2;
    loop->idle_ms = !is_full ? IDLE_MS : less_ms > IDLE_LEAST_MS ? less_ms : IDLE_LEAST_MS;
}
