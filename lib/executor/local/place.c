/* place.c - see place.h. */
#include "executor/local/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/process.h"
#include "base/room.h"

int pingo__executor_place_open(const char *store_dir, bool make, struct pingo_error *err)
{
    char *path = pingo__path_child(store_dir, "executor");
    if (!path)
        return pingo__fail_memory(err);
    int rc = 0;
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        rc = pingo__fail_os(err, errno, "cannot be made", path);
    if (rc == 0) {
        rc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (rc < 0)
            rc = errno == ENOENT ? pingo__fail(err, PINGO_ENOTFOUND, "%s: is not there", path)
                                 : pingo__fail_os(err, errno, "cannot be opened", path);
    }
    free(path);
    return rc;
}

/* A socket, and where it is met: a path below /proc/self/fd is short whatever the store's path is. */
static int make_socket(int dir, struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/" PINGO__PLACE_SOCKET,
             dir);
    return fd < 0 ? -errno : fd;
}

static int fail_socket(int fd)
{
    int rc = -errno;
    close(fd);
    return rc;
}

int pingo__executor_place_connect(int dir)
{
    struct sockaddr_un address;
    int fd = make_socket(dir, &address);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    return fail_socket(fd);
}

int pingo__executor_place_listen(int dir)
{
    struct sockaddr_un address;
    int fd = make_socket(dir, &address);
    if (fd < 0)
        return fd;
    unlinkat(dir, PINGO__PLACE_SOCKET, 0);
    /* The mode that bind() gives the socket's file; no umask, which all threads would share. */
    if (fchmod(fd, 0600) == 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(fd, 128) == 0)
        return fd;
    return fail_socket(fd);
}

static bool look_at_peer(int fd, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}

bool pingo__executor_place_peer_is_self(int fd)
{
    struct ucred peer;
    return look_at_peer(fd, &peer) && peer.uid == geteuid();
}

pid_t pingo__executor_place_peer(int fd)
{
    struct ucred peer;
    return look_at_peer(fd, &peer) ? peer.pid : 0;
}

/* Of the caller's environment the helper gets what it takes to load it, or to look for faults in it:
 * the rest may be secrets, and every action can read its supervisor's.  One block, yours. */
static const char **make_environment(void)
{
    static const char *const kept[] = {"LD_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_"};
    size_t n = 0, most = 2;
    for (char **e = environ; e && *e; e++)
        most++;
    const char **list = calloc(most, sizeof *list);
    if (!list)
        return NULL;
    list[n++] = "PATH=" PINGO__PATH_OF_COMMANDS;
    for (char **e = environ; e && *e && n + 1 < most; e++)
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
            if (strncmp(*e, kept[i], strlen(kept[i])) == 0)
                list[n++] = *e;
    return list;
}

int pingo__executor_place_check(const char *helper, struct pingo_error *err)
{
    if (access(helper, X_OK) == 0)
        return 0;
    return pingo__fail(err, PINGO_EEXECUTOR, "the supervisor cannot be started: %s: %s", helper,
                       strerror(errno));
}

int pingo__executor_place_spawn(const char *helper, const char *store_dir, const char *pool_dir,
                                int *status, struct pingo_error *err)
{
    const char *const argv[] = {helper, store_dir, pool_dir, NULL};
    struct pingo__process_start start = {.path = helper, .argv = argv, .nfds = 4};
    const char **environment = make_environment();
    int ends[2];
    pid_t pid;
    if (!environment)
        return pingo__fail_memory(err);
    int rc = pingo__process_pipe(ends, 10); /* a host may have closed its standard descriptors */
    if (rc) {
        free(environment);
        return pingo__fail(err, PINGO_EEXECUTOR, "a pipe to the supervisor cannot be made: %s%s",
                           strerror(-rc), PINGO__ROOM_FILES(-rc));
    }
    for (int i = 0; i < 3; i++)
        start.fds[i] = PINGO__PROCESS_NULL;
    start.fds[PINGO__PLACE_STATUS_FD] = ends[1];
    start.env = environment;
    rc = pingo__process_start(&start, &pid);
    while (!rc && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue; /* it forks once more, and ends at once */
    close(ends[1]);
    free(environment);
    if (rc) {
        bool full = rc == -EAGAIN;
        close(ends[0]);
        return pingo__fail(err, full ? PINGO_EBUSY : PINGO_EEXECUTOR,
                           "%s: the supervisor cannot be started: %s%s", helper, strerror(-rc),
                           full ? " (" PINGO__ROOM_PROCESSES ")" : "");
    }
    *status = ends[0];
    return 0;
}
