/* work.h - the threads that work on requests: readers, one writer and one that takes workflows in, each with a handle
 * to the store of its own.
 *
 * What is taken in is done when it is on the disk: a thread of its own syncs all that was taken in meanwhile at once,
 * so that a slow disk takes as many small workflows as come while it syncs.
 * Work is given by the loop's thread and comes back to it; nothing here knows of sockets.  What waits is bounded: where
 * there is no room, nothing is taken, and the client is told to come again. */
#ifndef SERVE_WORK_H
#define SERVE_WORK_H

#include "serve/route/route.h"

/* What holds for the whole program.  Set before the threads start. */
struct serve {
    const char *directory; /* of the store */
    const char *helpers;   /* where helper programs lie; NULL: as installed */
    int64_t started_ms;
    bool runs;         /* it has a scheduler of its own */
    const char *owner; /* the user whose store it is */
    const char *url;   /* of TCP; NULL: there is none */
    struct serve_ticks *ticks;
    struct serve_counts *counts; /* counts.h */
    struct serve_work *work;     /* set by serve_work_start() */
    struct serve_kept *kept;     /* kept.h; likewise; NULL: nothing is kept */
};

/* What the server says on standard error: a line each, from any thread. */
void serve_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Warnings of the library, as its stores' option `log`. */
void serve_log_store(void *context, enum pingo_log_level level, const char *message);

struct serve_work;

/* One piece of it: a part of whoever gives it. */
struct serve_job {
    struct serve_job *next;
    void (*run)(struct serve_worker *worker, struct serve_job *job);
    /* After run() by the intake: what it wrote may be lost, as the error of the worker says. */
    void (*lost)(struct serve_worker *worker, struct serve_job *job);
    bool is_own;    /* nobody waits for it: it is done before the end, and freed */
    bool is_placed; /* it takes nobody's place among what waits: serve_work_must() */
};

struct serve_work_options {
    struct serve *serve;
    unsigned readers;
    size_t most;                 /* that wait for each kind of thread */
    void (*wake)(void *context); /* something is done; called on any thread */
    void *context;
};

/* Opens the handles, one a thread, and what is kept for the readers.  Errors: as pingo_store_open(). */
int serve_work_start(const struct serve_work_options *options, struct serve_work **work,
                     struct pingo_error *err);
/* false: there is no room.  by: not LOOP. */
bool serve_work_give(struct serve_work *work, enum serve_by by, struct serve_job *job);
/* The same for a reader, room or not, and without taking any: what was taken before goes on. */
void serve_work_must(struct serve_work *work, struct serve_job *job);
/* All that is done, in order, as a list; NULL: nothing. */
struct serve_job *serve_work_done(struct serve_work *work);
/* Ends what is being worked on; what waits is not begun.  Then frees; NULL is fine. */
void serve_work_stop(struct serve_work *work);

#endif
