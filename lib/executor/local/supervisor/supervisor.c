/* supervisor.c - the supervisor's life: lock, sweep, open the door, serve, end when idle. */
#include "executor/local/supervisor/state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/names.h"
#include "base/path.h"
#include "base/room.h"
#include "base/machine.h"
#include "executor/local/place.h"

#define LOCK_PATIENCE_MS 20000 /* workers of a dead supervisor kill what they run first */
#define LOCK_ROUND_MS 5
#define DESCRIPTORS 40 /* its own, and those of some clients and workers */

static void say(int status, const char *what, int error_number)
{
    char line[256];
    int n = snprintf(line, sizeof line, "%s: %s\n", what, strerror(error_number));
    ssize_t ignored = write(status, line, (size_t)n);
    (void)ignored;
}

/* 1: it is ours; 0: another supervisor serves; or a negative errno. */
static int lock(struct pingo__supervisor *s)
{
    const struct timespec pause = {0, LOCK_ROUND_MS * 1000000L};
    int fd = openat(s->dir, PINGO__PLACE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    s->lock = fcntl(fd, F_DUPFD_CLOEXEC, 10); /* clear of the numbers that workers get */
    int result = s->lock < 0 ? -errno : 0;
    close(fd);
    for (int waited = 0; result == 0 && waited < LOCK_PATIENCE_MS; waited += LOCK_ROUND_MS) {
        if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
            return 1;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        int other = pingo__place_connect(s->dir);
        if (other >= 0) {
            close(other);
            return 0;
        }
        nanosleep(&pause, NULL);
    }
    return result == 0 ? -EBUSY : result;
}

/* A link is refused: what lies behind it may be somebody's, and is swept here. */
static int open_attempts(const char *pool_dir)
{
    char *path = pingo__path_child(pool_dir, pingo__name_parts[PINGO__ATTEMPTS]);
    int fd = -1;
    if (path == NULL)
        return -ENOMEM;
    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int result = fd < 0 ? -errno : fd;
    free(path);
    return result;
}

static int name_files(struct pingo__supervisor *s)
{
    struct timespec t;
    int result = pingo__journal_boot_id(s->boot);
    if (result != 0)
        return result;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(s->suffix, sizeof s->suffix, "%s.%014lld.%ld", s->boot,
             (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000, (long)getpid());
    snprintf(s->running_name, sizeof s->running_name, "running.%s", s->suffix);
    s->running =
        openat(s->dir, s->running_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return s->running < 0 ? -errno : 0;
}

static void on_term(uv_signal_t *handle, int signal)
{
    (void)signal;
    pingo__queue_finish(handle->data);
}

static bool start_loop(struct pingo__supervisor *s)
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
    s->child.data = s->term.data = s;
    return uv_signal_start(&s->child, pingo__crew_on_child, SIGCHLD) == 0 &&
           uv_signal_start(&s->term, on_term, SIGTERM) == 0;
}

/* From the lock to the open door.  1: serve; 0: another one does; -1: told why not. */
static int set_up(struct pingo__supervisor *s, int status)
{
    const char *what = "the executor's directory cannot be opened";
    struct pingo_error err;
    int result = s->dir;
    if (pingo__room_check(DESCRIPTORS, 0, &err) != 0) {
        dprintf(status, "%s\n", err.message);
        return -1;
    }
    if (result < 0) {
        say(status, what, ENOENT);
        return -1;
    }
    what = "the executor's lock is held by workers of an earlier supervisor";
    result = lock(s);
    if (result == 0)
        return 0;
    if (result > 0) {
        result = s->attempts = open_attempts(s->pool_dir);
        what = result == -ELOOP || result == -ENOTDIR ? "the pool's attempts is a link or a file; "
                                                        "it must be a directory of the pool itself"
                                                      : "the pool's attempts cannot be opened";
    }
    if (result >= 0) {
        what = "the journal cannot be made";
        result = name_files(s);
    }
    if (result >= 0)
        result = pingo__ledger_open(s);
    if (result >= 0)
        result = pingo__sweep(s, &what);
    if (result >= 0) {
        what = "the supervisor cannot listen";
        if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && start_loop(s) && pingo__clients_listen(s))
            return 1;
        result = s->listener < -1 ? s->listener : -EIO;
    }
    say(status, what, -result);
    return -1;
}

int pingo__supervisor_main(const char *store_dir, const char *pool_dir, int status)
{
    struct pingo__supervisor *s = calloc(1, sizeof *s);
    if (s == NULL)
        return 1;
    s->store_dir = store_dir;
    s->pool_dir = pool_dir;
    s->lock = s->attempts = s->running = s->journal = s->listener = -1;
    s->last = &s->first;
    s->settings = (struct pingo__wire_settings){pingo__machine_slots(), pingo__machine_memory(),
                                                INT64_C(10485760), 5000};
    s->dir = pingo__place_open(store_dir, true, NULL);
    int result = set_up(s, status);
    if (result >= 0) {
        ssize_t ignored = write(status, "ok\n", 3);
        (void)ignored;
    }
    close(status);
    if (result <= 0)
        return result == 0 ? 0 : 1;
    pingo__bounds_read(&s->bounds);
    pingo__queue_consider_idle(s);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    pingo__crew_dismiss(s);
    /* The system takes back memory and descriptors; workers see their connections end, kill what
     * they run and let go of the lock. */
    return 0;
}
