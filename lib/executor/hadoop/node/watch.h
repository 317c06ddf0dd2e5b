/* watch.h - a thread that sees to it that an attempt ends when it is to end.
 *
 * It looks every few seconds into the attempt's directory: for `kill`, and whether started.* is there still.  Then, and
 * when a signal has come, it stops what is being fetched or brought; the command itself is ended by who runs it, for
 * whom a descriptor becomes readable. */
#ifndef PINGO__EXECUTOR_NODE_WATCH_H
#define PINGO__EXECUTOR_NODE_WATCH_H

#include <pthread.h>
#include <stdbool.h>

#include "hdfs/hdfs.h"

struct pingo__executor_node_watch {
    struct pingo__hdfs *fs; /* its own */
    int signals;            /* looked at, not read */
    int ended;              /* an eventfd: readable while the attempt is to end */
    int bell;               /* an eventfd: there is something new to watch */
    pthread_t thread;
    bool is_there;         /* the thread */
    pthread_mutex_t mutex; /* holds what follows */
    bool is_leaving;
    const char *attempt, *started; /* NULL: there is none */
    struct pingo__hdfs *data;      /* what is stopped; NULL: none */
    bool is_stopped, is_told;      /* a signal has come */
};

/* Descriptors and locks.  0 or a negative errno. */
int pingo__executor_node_watch_init(struct pingo__executor_node_watch *w);
/* The thread begins, with a handle that is its own from now on.  0 or a negative errno. */
int pingo__executor_node_watch_start(struct pingo__executor_node_watch *w, struct pingo__hdfs *fs,
                                     int signals);
/* Until it returns, the thread may be heard.  All of it goes. */
void pingo__executor_node_watch_clear(struct pingo__executor_node_watch *w);
/* From now on this attempt ("attempts/17.3", and the name of its started.*), which uses that handle; NULL: none. */
void pingo__executor_node_watch_set(struct pingo__executor_node_watch *w, const char *attempt,
                                    const char *started, struct pingo__hdfs *data);

#endif
