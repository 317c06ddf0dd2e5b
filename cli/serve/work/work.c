/* work.c - see work.h. */
#include "serve/work/work.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/error.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/world.h"
#include "serve/work/counts.h"
#include "serve/work/kept.h"

struct queue {
    struct serve_job *first, **last;
    size_t n; /* of them, those that take a place */
    pthread_cond_t filled;
};

struct thread {
    struct serve_work *work;
    struct queue *queue;
    struct serve_worker worker;
    pthread_t id;
    bool started;
};

#define SYNC (SERVE_BY_INTAKE + 1) /* what was taken in waits there to be on the disk */
#define DONE (SYNC + 1)            /* and there for the loop */
#define NQUEUES (DONE + 1)
#define LONG_MS 100
#define NOTHERS 3 /* threads that are no readers */
struct serve_work {
    struct serve_work_options options;
    pthread_mutex_t mutex;
    struct queue queues[NQUEUES]; /* by enum serve_by, and SYNC and DONE */
    bool stops;
    size_t nthreads;
    struct thread threads[]; /* the writer, the intake, who syncs, the readers */
};

void serve_log(const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct pingo__buffer b = {0};
    pingo__text_clean(&b, line, sizeof line);
    fprintf(stderr, "pingo: %.*s\n", (int)b.length, b.length > 0 ? b.data : "");
    pingo__buffer_clear(&b);
}

void serve_log_store(void *context, enum pingo_log_level level, const char *message)
{
    (void)context;
    if (level == PINGO_LOG_WARNING)
        serve_log("%s", message);
}

static void append(struct queue *q, struct serve_job *job)
{
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
    q->n += !job->is_placed;
    pthread_cond_signal(&q->filled);
}

static struct serve_job *take(struct queue *q)
{
    struct serve_job *job = q->first;
    q->first = job->next;
    if (!q->first)
        q->last = &q->first;
    q->n -= !job->is_placed;
    return job;
}

static struct serve_job *take_all(struct queue *q)
{
    struct serve_job *jobs = q->first;
    q->first = NULL;
    q->last = &q->first;
    q->n = 0;
    return jobs;
}

static void count_wait(const struct thread *t)
{
    const struct queue *queues = t->work->queues;
    struct serve_counts *counts = t->worker.serve->counts;
    if (t->queue == &queues[SERVE_BY_WRITER])
        counts->waited_us[SERVE_WRITES_CHANGES] = pingo_store_waited_us(t->worker.store);
    else if (t->queue == &queues[SERVE_BY_INTAKE])
        counts->waited_us[SERVE_WRITES_SUBMISSIONS] = pingo_store_waited_us(t->worker.store);
}

/* What took long may have needed much memory, which glibc keeps for the thread. */
static void run_job(struct thread *t, struct serve_job *job)
{
    int64_t begun_ms = pingo__world_monotonic_ms();
    job->run(&t->worker, job);
    count_wait(t);
#ifdef __GLIBC__
    if (pingo__world_monotonic_ms() - begun_ms >= LONG_MS)
        malloc_trim(0);
#endif
}

static void *work_on(void *context)
{
    struct thread *t = context;
    struct serve_work *work = t->work;
    struct queue *sync = t->queue == &work->queues[SERVE_BY_INTAKE] ? &work->queues[SYNC] : NULL;
    pthread_mutex_lock(&work->mutex);
    for (;;) {
        while (!work->stops && !t->queue->first)
            pthread_cond_wait(&t->queue->filled, &work->mutex);
        if (work->stops && (!t->queue->first || !t->queue->first->is_own))
            break;
        struct serve_job *job = take(t->queue);
        bool is_own = job->is_own;
        pthread_mutex_unlock(&work->mutex);
        run_job(t, job);
        if (is_own)
            free(job);
        pthread_mutex_lock(&work->mutex);
        if (is_own)
            continue;
        if (sync) {
            append(sync, job);
            continue;
        }
        append(&work->queues[DONE], job);
        work->options.wake(work->options.context);
    }
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

/* Once for all that waits.  Under the mutex, but while it syncs. */
static void sync_all(struct thread *t)
{
    struct serve_work *work = t->work;
    struct serve_job *job = take_all(t->queue), *next;
    pthread_mutex_unlock(&work->mutex);
    int rc = pingo_store_sync(t->worker.store, &t->worker.err);
    for (struct serve_job *j = job; rc != 0 && j; j = j->next)
        j->lost(&t->worker, j);
    pthread_mutex_lock(&work->mutex);
    for (; job; job = next) {
        next = job->next;
        append(&work->queues[DONE], job);
    }
    work->options.wake(work->options.context);
}

static void *sync_on(void *context)
{
    struct thread *t = context;
    struct serve_work *work = t->work;
    pthread_mutex_lock(&work->mutex);
    while (!work->stops) {
        if (t->queue->first)
            sync_all(t);
        else
            pthread_cond_wait(&t->queue->filled, &work->mutex);
    }
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

static int start_thread(struct serve_work *work, struct thread *t, struct pingo_error *err)
{
    static const int queues[NOTHERS] = {SERVE_BY_WRITER, SERVE_BY_INTAKE, SYNC};
    size_t i = (size_t)(t - work->threads);
    int queue = i < NOTHERS ? queues[i] : SERVE_BY_READER;
    struct pingo_store_options options = {
        .version = 2, .log = serve_log_store, .syncs_later = queue == SERVE_BY_INTAKE};
    t->work = work;
    t->queue = &work->queues[queue];
    t->worker.serve = work->options.serve;
    int rc = pingo_store_open(work->options.serve->directory, &options, &t->worker.store, err);
    if (rc == 0 && pingo__thread_start(&t->id, queue == SYNC ? sync_on : work_on, t) != 0)
        rc = pingo__fail(err, PINGO_EIO, "cannot start a thread");
    t->started = rc == 0;
    return rc;
}

int serve_work_start(const struct serve_work_options *options, struct serve_work **work,
                     struct pingo_error *err)
{
    size_t n = options->readers + NOTHERS;
    struct serve_work *w = calloc(1, sizeof *w + n * sizeof *w->threads);
    if (!w)
        return pingo__fail_memory(err);
    w->options = *options;
    w->nthreads = n;
    w->options.serve->work = w;
    pthread_mutex_init(&w->mutex, NULL);
    for (size_t i = 0; i < NQUEUES; i++) {
        w->queues[i].last = &w->queues[i].first;
        pthread_cond_init(&w->queues[i].filled, NULL);
    }
    int rc = serve_kept_open(w->options.serve->directory, &w->options.serve->kept, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = start_thread(w, &w->threads[i], err);
    if (rc != 0)
        serve_work_stop(w);
    else
        *work = w;
    return rc;
}

bool serve_work_give(struct serve_work *work, enum serve_by by, struct serve_job *job)
{
    struct queue *q = &work->queues[by];
    pthread_mutex_lock(&work->mutex);
    bool has_room = q->n < work->options.most;
    job->is_placed = false;
    if (has_room)
        append(q, job);
    pthread_mutex_unlock(&work->mutex);
    return has_room;
}

void serve_work_must(struct serve_work *work, struct serve_job *job)
{
    pthread_mutex_lock(&work->mutex);
    job->is_placed = true;
    append(&work->queues[SERVE_BY_READER], job);
    pthread_mutex_unlock(&work->mutex);
}

struct serve_job *serve_work_done(struct serve_work *work)
{
    pthread_mutex_lock(&work->mutex);
    struct serve_job *done = take_all(&work->queues[DONE]);
    pthread_mutex_unlock(&work->mutex);
    return done;
}

void serve_work_stop(struct serve_work *work)
{
    if (!work)
        return;
    pthread_mutex_lock(&work->mutex);
    work->stops = true;
    for (size_t i = 0; i < NQUEUES; i++)
        pthread_cond_broadcast(&work->queues[i].filled);
    pthread_mutex_unlock(&work->mutex);
    for (size_t i = 0; i < work->nthreads; i++) {
        struct thread *t = &work->threads[i];
        if (t->started)
            pthread_join(t->id, NULL);
    }
    for (size_t i = 0; i < work->nthreads; i++) {
        struct thread *t = &work->threads[i];
        if (t->queue == &work->queues[SYNC] && t->queue->first) {
            pthread_mutex_lock(&work->mutex);
            sync_all(t);
            pthread_mutex_unlock(&work->mutex);
        }
        pingo__arena_clear(&t->worker.arena);
        pingo_store_close(t->worker.store);
    }
    serve_kept_close(work->options.serve->kept);
    work->options.serve->kept = NULL;
    for (size_t i = 0; i < NQUEUES; i++)
        pthread_cond_destroy(&work->queues[i].filled);
    pthread_mutex_destroy(&work->mutex);
    free(work);
}
