/* watch.c - see node.h. */
#include "executor/hadoop/node/node.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"

#define LOOK_MS 3000
#define NAME_SIZE 96 /* of an attempt's directory */

static int see(void *context, const char *name, const struct pingo__hdfs_status *status,
               struct pingo_error *err)
{
    struct pingo__executor_node_seen *seen = context;
    (void)status;
    (void)err;
    seen->kill = seen->kill || strcmp(name, "kill") == 0;
    seen->ours = seen->ours || strcmp(name, seen->started) == 0;
    seen->outcome = seen->outcome || strcmp(name, "outcome") == 0;
    return 0;
}

int pingo__executor_node_see(struct pingo__hdfs *fs, const char *attempt, const char *started,
                             struct pingo__executor_node_seen *seen)
{
    *seen = (struct pingo__executor_node_seen){.started = started};
    return pingo__hdfs_list(fs, attempt, see, seen, NULL);
}

/* Under the lock. */
static void end(struct pingo__executor_node_watch *w)
{
    uint64_t one = 1;
    if (w->data && !w->is_stopped)
        pingo__hdfs_stop(w->data);
    w->is_stopped = true;
    ssize_t ignored = write(w->ended, &one, sizeof one);
    (void)ignored;
}

/* A directory that is not there, or in which we are not, was given up by everybody; one that cannot be read says
 * nothing. */
static void look(struct pingo__executor_node_watch *w)
{
    char attempt[NAME_SIZE] = "", started[256] = "";
    pthread_mutex_lock(&w->mutex);
    if (w->attempt && !w->is_stopped) {
        snprintf(attempt, sizeof attempt, "%s", w->attempt);
        snprintf(started, sizeof started, "%s", w->started);
    }
    pthread_mutex_unlock(&w->mutex);
    if (!*attempt)
        return;
    struct pingo__executor_node_seen seen;
    int rc = pingo__executor_node_see(w->fs, attempt, started, &seen);
    bool is_over = rc == PINGO_ENOTFOUND || (!rc && (seen.kill || !seen.ours));
    pthread_mutex_lock(&w->mutex);
    if (is_over && w->attempt && strcmp(w->attempt, attempt) == 0)
        end(w);
    pthread_mutex_unlock(&w->mutex);
}

static void *run(void *context)
{
    struct pingo__executor_node_watch *w = context;
    struct pollfd polled[2] = {{w->bell, POLLIN, 0}, {w->signals, POLLIN, 0}};
    bool is_leaving = false;
    while (!is_leaving) {
        int n = poll(polled, 2, LOOK_MS);
        is_leaving = n > 0 && polled[0].revents;
        if (n > 0 && polled[1].revents) {
            polled[1].fd = -1; /* there is one, and it is for good */
            pthread_mutex_lock(&w->mutex);
            w->is_told = true;
            end(w);
            pthread_mutex_unlock(&w->mutex);
        }
        if (n == 0)
            look(w);
    }
    return NULL;
}

int pingo__executor_node_watch_init(struct pingo__executor_node_watch *w)
{
    *w = (struct pingo__executor_node_watch){.signals = -1};
    w->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int rc = -pthread_mutex_init(&w->mutex, NULL);
    return w->ended < 0 || w->bell < 0 ? -errno : rc;
}

int pingo__executor_node_watch_start(struct pingo__executor_node_watch *w, struct pingo__hdfs *fs,
                                     int signals)
{
    w->fs = fs;
    w->signals = signals;
    int rc = pingo__thread_start(&w->thread, run, w);
    w->is_there = rc == 0;
    return -rc;
}

void pingo__executor_node_watch_clear(struct pingo__executor_node_watch *w)
{
    uint64_t one = 1;
    if (w->fs)
        pingo__hdfs_stop(w->fs);
    ssize_t ignored = write(w->bell, &one, sizeof one);
    (void)ignored;
    if (w->is_there)
        pthread_join(w->thread, NULL);
    pingo__hdfs_close(w->fs);
    close(w->ended);
    close(w->bell);
    pthread_mutex_destroy(&w->mutex);
}

void pingo__executor_node_watch_set(struct pingo__executor_node_watch *w, const char *attempt,
                                    const char *started, struct pingo__hdfs *data)
{
    uint64_t count;
    pthread_mutex_lock(&w->mutex);
    w->attempt = attempt;
    w->started = started;
    w->data = data;
    w->is_stopped = false;
    ssize_t ignored = read(w->ended, &count, sizeof count); /* what was for another */
    (void)ignored;
    if (w->is_told)
        end(w);
    pthread_mutex_unlock(&w->mutex);
}
