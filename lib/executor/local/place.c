/* place.c - see place.h. */
#include "executor/local/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
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

/* A path below /proc/self/fd is short whatever the store's path is. */
static void fill_address(int dir, struct sockaddr_un *address)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/" PINGO__PLACE_SOCKET,
             dir);
}

int pingo__executor_place_connect(int dir)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    fill_address(dir, &address);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int rc = -errno;
    close(fd);
    return rc;
}

int pingo__executor_place_listen(int dir)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    unlinkat(dir, PINGO__PLACE_SOCKET, 0);
    fill_address(dir, &address);
    /* The mode that bind() gives the socket's file; no umask, which all threads would share. */
    int failed = fchmod(fd, 0600);
    if (failed == 0)
        failed = bind(fd, (const struct sockaddr *)&address, sizeof address);
    int error_number = errno;
    if (failed == 0 && listen(fd, 128) == 0)
        return fd;
    if (failed == 0)
        error_number = errno;
    close(fd);
    return -error_number;
}

bool pingo__executor_place_peer_is_self(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

pid_t pingo__executor_place_stopped_peer(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0)
        return 0;
    return pingo__process_is_stopped(peer.pid) ? peer.pid : 0;
}

/* Of the caller's environment the helper gets what it takes to load it, or to look for faults in it:
 * the rest may be secrets, and every action can read its supervisor's.  One block, yours. */
static char **make_environment(void)
{
    static const char *const kept[] = {"LD_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_"};
    static const char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    size_t n = 0, most = 2;
    for (char **e = environ; e && *e; e++)
        most++;
    char **list = calloc(most, sizeof *list);
    if (!list)
        return NULL;
    list[n++] = (char *)(uintptr_t)path;
    for (char **e = environ; e && *e && n + 1 < most; e++)
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
            if (strncmp(*e, kept[i], strlen(kept[i])) == 0)
                list[n++] = *e;
    return list;
}

/* The child gets /dev/null thrice and the status pipe; the helper closes whatever else a host
 * program left open, and forks once more, so that waiting for it here is short. */
static int spawn(const char *path, char *const argv[], int status)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t pid;
    char **environment = make_environment();
    int error_number = !environment ? ENOMEM : posix_spawn_file_actions_init(&actions);
    if (error_number != 0) {
        free(environment);
        return error_number;
    }
    error_number = posix_spawnattr_init(&attributes);
    if (error_number != 0) {
        posix_spawn_file_actions_destroy(&actions);
        free(environment);
        return error_number;
    }
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error_number = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(&actions, 0, 1);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(&actions, 0, 2);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(&actions, status, PINGO__PLACE_STATUS_FD);
    if (error_number == 0)
        error_number = posix_spawn(&pid, path, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error_number == 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    return error_number;
}

/* A host may have closed its standard descriptors: the pipe must not be one of 0 to 3, over which
 * the child's are put. */
static int pipe_above(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return errno;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 10);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 10);
    int error_number = ends[0] < 0 || ends[1] < 0 ? errno : 0;
    close(low[0]);
    close(low[1]);
    if (error_number == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        return 0;
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    return error_number != 0 ? error_number : EMFILE;
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
    int ends[2] = {-1, -1};
    char *path = strdup(helper), *store = strdup(store_dir), *pool = strdup(pool_dir);
    int rc = 0, error_number;
    if (!path || !store || !pool) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    error_number = pipe_above(ends);
    if (error_number != 0) {
        rc = pingo__fail(err, PINGO_EEXECUTOR, "a pipe to the supervisor cannot be made: %s%s",
                         strerror(error_number),
                         error_number == EMFILE ? " (is the limit low? ulimit -n)" : "");
        goto out;
    }
    char *argv[] = {path, store, pool, NULL};
    error_number = spawn(path, argv, ends[1]);
    close(ends[1]);
    if (error_number != 0) {
        bool full = error_number == EAGAIN;
        close(ends[0]);
        rc = pingo__fail(err, full ? PINGO_EBUSY : PINGO_EEXECUTOR,
                         "%s: the supervisor cannot be started: %s%s", path, strerror(error_number),
                         full ? " (" PINGO__ROOM_PROCESSES ")" : "");
        goto out;
    }
    *status = ends[0];
out:
    free(path);
    free(store);
    free(pool);
    return rc;
}
