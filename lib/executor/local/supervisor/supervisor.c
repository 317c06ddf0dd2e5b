/* supervisor.c - the supervisor's life: lock, sweep, open the door, serve, end when idle. */
#include "executor/local/supervisor/state.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/machine.h"
#include "base/names.h"
#include "base/path.h"
#include "base/process.h"
#include "base/room.h"
#include "base/world.h"
#include "executor/local/place.h"

#define LOCK_ROUND_MS 5
#define LOCK_SAY_MS 1000 /* so often who waits for the lock looks for whom */
#define DESCRIPTORS 40   /* its own, and those of some clients and workers */

/* Those that hold the lock of a supervisor that is dead go on: one that is stopped would hold it for ever.  One of
 * them, and rather this; 0: none that is seen from here. */
static pid_t wake_workers(const struct pingo__executor_supervisor *s, pid_t rather)
{
    DIR *proc = opendir("/proc");
    struct stat wanted, st;
    char path[64];
    const char *name;
    pid_t found = 0;
    while (proc && fstat(s->lock, &wanted) == 0 && (name = pingo__file_next(proc))) {
        snprintf(path, sizeof path, "/proc/%.20s/fd/%d", name, PINGO__WORKER_LOCK_FD);
        if (!isdigit((unsigned char)*name) || stat(path, &st) != 0 || st.st_dev != wanted.st_dev ||
            st.st_ino != wanted.st_ino)
            continue;
        pid_t pid = (pid_t)strtol(name, NULL, 10);
        if (kill(pid, SIGCONT) == 0 && (found == 0 || pid == rather))
            found = pid;
    }
    pingo__file_end_list(proc);
    return found;
}

/* It may clear up for long.  said: whom was told last; -1: nobody. */
static void say_who_holds(const struct pingo__executor_supervisor *s, int status, pid_t *said)
{
    char who[32] = "a process";
    pid_t pid = wake_workers(s, *said);
    if (pid == *said || (pid == 0 && *said > 0))
        return;
    if (pid > 0)
        snprintf(who, sizeof who, "process %ld", (long)pid);
    dprintf(status,
            PINGO__PLACE_NOTE "nothing starts before %s has ended, which still clears up what an "
                              "earlier supervisor ran\n",
            who);
    *said = pid;
}

/* Workers of a dead supervisor end what they run, and clear up after it, first: as long as somebody reads the status,
 * it waits for them.  0: it is ours, unless another supervisor serves; or a negative errno. */
static int lock(struct pingo__executor_supervisor *s, int status, bool *other_serves)
{
    struct pollfd reader = {.fd = status};
    pid_t said = -1;
    int fd = openat(s->dir, PINGO__PLACE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    s->lock = fcntl(fd, F_DUPFD_CLOEXEC, 10); /* clear of the numbers that workers get */
    int rc = s->lock < 0 ? -errno : 0;
    close(fd);
    for (int64_t waited = 0; rc == 0; waited += LOCK_ROUND_MS) {
        if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        int other = pingo__executor_place_connect(s->dir);
        if (other >= 0) {
            close(other);
            *other_serves = true;
            return 0;
        }
        if (waited && waited % LOCK_SAY_MS == 0)
            say_who_holds(s, status, &said);
        rc = poll(&reader, 1, LOCK_ROUND_MS) > 0 ? -EPIPE : 0;
    }
    return rc;
}

/* A link is refused: this directory is swept, and a link may lead to somebody else's files. */
static int open_attempts(const char *pool_dir)
{
    char *path = pingo__path_child(pool_dir, pingo__name_parts[PINGO__ATTEMPTS]);
    int fd = -1;
    if (!path)
        return -ENOMEM;
    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 ? -errno : fd;
    free(path);
    return rc;
}

static int name_files(struct pingo__executor_supervisor *s)
{
    char host[64];
    int rc = pingo__executor_journal_boot_id(s->boot);
    if (rc != 0)
        return rc;
    pingo__machine_host(host);
    snprintf(s->suffix, sizeof s->suffix, "%s.%014lld.%ld.%s", s->boot,
             (long long)pingo__world_wall_ms(), (long)getpid(), host);
    snprintf(s->running_name, sizeof s->running_name, PINGO__PLACE_RUNNING ".%s", s->suffix);
    s->running =
        openat(s->dir, s->running_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return s->running < 0 ? -errno : 0;
}

static void on_term(uv_signal_t *handle, int signal)
{
    (void)signal;
    pingo__executor_queue_finish(handle->data);
}

/* Handlers of events note what happened; what comes of it is here, once for all of them. */
static void on_settle(uv_prepare_t *handle)
{
    struct pingo__executor_supervisor *s = handle->data;
    pingo__executor_crew_dispatch(s);
    if (s->rings)
        pingo__executor_clients_ring(s);
    s->rings = false;
    pingo__executor_queue_consider_idle(s);
}

static bool start_loop(struct pingo__executor_supervisor *s)
{
    uv_timer_t *timers[] = {&s->bell, &s->notice, &s->idle, &s->reaper, &s->stops};
    if (uv_loop_init(&s->loop) != 0)
        return false;
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        uv_timer_init(&s->loop, timers[i]);
        timers[i]->data = s;
    }
    if (uv_signal_init(&s->loop, &s->child) != 0 || uv_signal_init(&s->loop, &s->term) != 0)
        return false;
    uv_prepare_init(&s->loop, &s->settle);
    s->child.data = s->term.data = s->settle.data = s;
    return uv_signal_start(&s->child, pingo__executor_crew_on_child, SIGCHLD) == 0 &&
           uv_signal_start(&s->term, on_term, SIGTERM) == 0 &&
           uv_prepare_start(&s->settle, on_settle) == 0;
}

/* From the lock to the open door, unless another one serves.  false: told why not. */
static bool set_up(struct pingo__executor_supervisor *s, int status, bool *other_serves)
{
    const char *what = "the executor's directory cannot be opened";
    struct pingo_error err;
    int rc = s->dir;
    if (pingo__room_check(DESCRIPTORS, 0, &err) != 0) {
        dprintf(status, "%s\n", err.message);
        return false;
    }
    if (!pingo__process_is_in_proc()) {
        dprintf(status, "/proc shows another PID namespace, so what an action starts could not be "
                        "found there: mount it anew, as unshare --mount-proc does\n");
        return false;
    }
    if (rc < 0) {
        dprintf(status, "%s: %s\n", what, strerror(ENOENT));
        return false;
    }
    what = "the executor's lock cannot be had";
    rc = lock(s, status, other_serves);
    if (*other_serves)
        return true;
    if (rc == 0) {
        rc = s->attempts = open_attempts(s->pool_dir);
        what = rc == -ELOOP || rc == -ENOTDIR ? "the pool's attempts is a link or a file; "
                                                "it must be a directory of the pool itself"
                                              : "the pool's attempts cannot be opened";
    }
    if (rc >= 0) {
        what = "the journal cannot be made";
        rc = name_files(s);
    }
    if (rc >= 0)
        rc = pingo__executor_ledger_open(s);
    if (rc >= 0)
        rc = pingo__executor_sweep(s, &what);
    if (rc >= 0) {
        what = "the supervisor cannot listen";
        if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && start_loop(s) &&
            pingo__executor_clients_listen(s))
            return true;
        rc = s->listener < -1 ? s->listener : -EIO;
    }
    dprintf(status, "%s: %s\n", what, strerror(-rc));
    return false;
}

int pingo__executor_supervisor_main(const char *store_dir, const char *pool_dir, int status)
{
    struct pingo__executor_supervisor *s = calloc(1, sizeof *s);
    if (!s)
        return 1;
    s->store_dir = store_dir;
    s->pool_dir = pool_dir;
    s->lock = s->attempts = s->running = s->journal = s->listener = -1;
    s->last = &s->first;
    s->dir = pingo__executor_place_open(store_dir, true, NULL);
    bool other_serves = false, fine = set_up(s, status, &other_serves);
    if (fine)
        dprintf(status, "ok\n");
    close(status);
    if (!fine || other_serves)
        return fine ? 0 : 1;
    pingo__executor_bounds_read(&s->bounds);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    if (s->retires)
        pingo__executor_clients_hang_up(s); /* starts that are on their way go back, too */
    pingo__executor_crew_dismiss(s);
    /* The system takes back memory and descriptors; workers see their connections end, kill what
     * they run and let go of the lock. */
    return 0;
}
