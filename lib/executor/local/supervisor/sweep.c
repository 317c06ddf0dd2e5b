/* sweep.c - cleans up after an earlier supervisor, before a new one listens.
 *
 * The lock was free, so no supervisor and no worker lives.  If all of them were killed at once, processes of their jobs
 * may live on: the notes of running jobs lead to them.  No other process is touched, such as a person's shell in an old
 * attempt's directory. */
#include "executor/local/place.h"
#include "executor/local/supervisor/state.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/names.h"
#include "base/process.h"
#include "runner/runner.h"

#define PATIENCE_MS 10000
#define ROUND_MS 10
#define ENVIRONMENT_MOST 67108864 /* bytes */

/* "NAME=value" in an environment of n bytes. */
static bool has_entry(const char *environment, size_t n, const char *wanted)
{
    size_t length = strlen(wanted);
    for (size_t at = 0; at < n;) {
        size_t here = strnlen(environment + at, n - at);
        if (here == length && memcmp(environment + at, wanted, length) == 0)
            return true;
        at += here + 1;
    }
    return false;
}

/* Does this process belong to the attempt?  By the HOME that it was started with, or, where it
 * changed that, by where it works while it has no terminal. */
static bool belongs(const char *pid, const char *attempt)
{
    char path[64], home[PATH_MAX + 16], cwd[PATH_MAX];
    size_t n = 0, length = strlen(attempt);
    snprintf(home, sizeof home, "HOME=%s/work", attempt);
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    char *environment;
    bool does = pingo__file_read_whole(AT_FDCWD, path, ENVIRONMENT_MOST, &environment, &n) == 0 &&
                has_entry(environment, n, home);
    free(environment);
    if (does)
        return true;
    snprintf(path, sizeof path, "/proc/%.20s/cwd", pid);
    ssize_t got = readlink(path, cwd, sizeof cwd - 1);
    if (got <= (ssize_t)length || strncmp(cwd, attempt, length) != 0 || cwd[length] != '/')
        return false;
    struct pingo__process_state state; /* unknown: leave it alone */
    return pingo__process_look(strtol(pid, NULL, 10), &state) && state.terminal == 0;
}

/* One round over all processes of this user.  How many belong to the attempt; -1: unknown. */
static int kill_round(const char *attempt, const char *real)
{
    DIR *proc = opendir("/proc");
    const char *name;
    struct stat st;
    int found = 0;
    if (!proc)
        return -1;
    while ((name = pingo__file_next(proc))) {
        if (!isdigit((unsigned char)*name) || fstatat(dirfd(proc), name, &st, 0) != 0 ||
            st.st_uid != geteuid())
            continue;
        pid_t pid = (pid_t)strtol(name, NULL, 10);
        if (pid == getpid() || (!belongs(name, attempt) && !belongs(name, real)))
            continue;
        kill(pid, SIGKILL);
        found++;
    }
    found = errno ? -1 : found;
    closedir(proc);
    return found;
}

/* Kills until a round finds no process.  A zombie has neither environment nor directory. */
static int kill_left(struct pingo__executor_supervisor *s, struct pingo_job_key key)
{
    char attempt[PATH_MAX], real[PATH_MAX], pool[PATH_MAX], name[PINGO__NAME_SIZE];
    const struct timespec pause = {0, ROUND_MS * 1000000L};
    if (!realpath(s->pool_dir, pool))
        return -errno;
    pingo__name_attempt(name, key.action, key.epoch);
    int a = snprintf(attempt, sizeof attempt, "%s/%s", s->pool_dir, name);
    int b = snprintf(real, sizeof real, "%s/%s", pool, name);
    if (a < 0 || (size_t)a >= sizeof attempt || b < 0 || (size_t)b >= sizeof real)
        return -ENAMETOOLONG;
    for (int waited = 0; waited < PATIENCE_MS; waited += ROUND_MS) {
        int found = kill_round(attempt, real);
        if (found <= 0)
            return found < 0 ? -EIO : 0;
        nanosleep(&pause, NULL);
    }
    return -ETIMEDOUT;
}

/* In a journal of its own supervisor, whose name says where that was. */
static int record_lost(struct pingo__executor_supervisor *s, const char *running,
                       struct pingo_job_key key)
{
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, PINGO__PLACE_JOURNAL "%.200s.000000",
             running + strlen(PINGO__PLACE_RUNNING));
    int fd = openat(s->dir, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int rc = fd < 0
                 ? -errno
                 : pingo__executor_journal_say(fd, key, PINGO_END_LOST,
                                               "the supervisor and its worker ended while it ran");
    pingo__file_close(fd);
    return rc;
}

/* What was running by this note, and has no end. */
static int settle(struct pingo__executor_supervisor *s, const char *running, const char **what)
{
    struct pingo_job_key key;
    int rc = 0, fd = openat(s->dir, running, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    for (size_t slot = 0; rc == 0 && pingo__executor_running_read(fd, slot, &key); slot++) {
        bool has_ended = !key.action;
        *what = "what an earlier supervisor left cannot be read";
        if (key.action && pingo__executor_journals_find(s->dir, key, &has_ended) != 0)
            rc = -EIO;
        if (rc == 0 && !has_ended) {
            *what = "a process of an earlier attempt cannot be ended";
            rc = kill_left(s, key);
        }
        if (rc == 0 && !has_ended) {
            *what = "the end of an earlier attempt cannot be recorded";
            rc = record_lost(s, running, key);
        }
    }
    close(fd);
    return rc;
}

/* Files of another boot are void. */
static int settle_all(struct pingo__executor_supervisor *s, const char **what)
{
    DIR *list = pingo__file_list(s->dir);
    const char *name;
    int rc = !list ? -errno : 0;
    while (rc == 0 && (name = pingo__file_next(list))) {
        bool is_note = pingo__executor_journal_is(name, PINGO__PLACE_RUNNING, NULL);
        bool is_ours = pingo__executor_journal_is(name, PINGO__PLACE_RUNNING, s->boot) ||
                       pingo__executor_journal_is(name, PINGO__PLACE_JOURNAL, s->boot);
        if (strcmp(name, s->running_name) == 0 ||
            (!is_note && !pingo__executor_journal_is(name, PINGO__PLACE_JOURNAL, NULL)))
            continue;
        if (is_note && is_ours)
            rc = settle(s, name, what);
        if (rc == 0 && (is_note || !is_ours))
            unlinkat(s->dir, name, 0);
    }
    if (rc == 0)
        rc = -errno;
    pingo__file_end_list(list);
    return rc;
}

/* Empty files among the attempts mark those that schedulers revoked; no request for them can be on its way any more.
 * Other files are not ours. */
static void remove_tombstones(struct pingo__executor_supervisor *s)
{
    DIR *list = pingo__file_list(s->attempts);
    const char *name;
    struct stat st;
    int64_t action, epoch;
    while ((name = pingo__file_next(list)))
        if (pingo__name_is_attempt(name, &action, &epoch) &&
            fstatat(s->attempts, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
            st.st_size == 0)
            unlinkat(s->attempts, name, 0);
    pingo__file_end_list(list);
    pingo__runner_scratch_sweep(s->attempts, 0);
}

int pingo__executor_sweep(struct pingo__executor_supervisor *s, const char **what)
{
    *what = "what an earlier supervisor left cannot be read";
    int rc = settle_all(s, what);
    if (rc == 0)
        remove_tombstones(s);
    return rc;
}
