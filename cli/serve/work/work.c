/* work.c - see work.h. */
#include "serve/work/work.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/work/log.h"

struct queue {
    struct serve_job *first, **last;
    size_t n;
    pthread_cond_t filled;
};

struct thread {
    struct serve_work *work;
    struct queue *queue;
    struct serve_worker worker;
    pthread_t id;
    bool started;
};

#define NQUEUES (SERVE_BY_INTAKE + 1)
struct serve_work {
    struct serve_work_options options;
    pthread_mutex_t mutex;
    struct queue queues[NQUEUES]; /* by enum serve_by */
    struct serve_job *done, **done_last;
    bool stops;
    size_t nthreads;
    struct thread threads[]; /* the writer, the intake, the readers */
};

static void append(struct queue *q, struct serve_job *job)
{
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
    q->n++;
}

static struct serve_job *take(struct queue *q)
{
    struct serve_job *job = q->first;
    q->first = job->next;
    if (!q->first)
        q->last = &q->first;
    q->n--;
    return job;
}

static void *work_on(void *context)
{
    struct thread *t = context;
    struct serve_work *work = t->work;
    pthread_mutex_lock(&work->mutex);
    for (;;) {
        while (!work->stops && t->queue->n == 0)
            pthread_cond_wait(&t->queue->filled, &work->mutex);
        if (work->stops && (t->queue->n == 0 || !t->queue->first->is_own))
            break;
        struct serve_job *job = take(t->queue);
        bool is_own = job->is_own;
        pthread_mutex_unlock(&work->mutex);
        job->run(&t->worker, job);
        if (is_own)
            free(job);
        pthread_mutex_lock(&work->mutex);
        if (is_own)
            continue;
        job->next = NULL;
        *work->done_last = job;
        work->done_last = &job->next;
        work->options.wake(work->options.context);
    }
    pthread_mutex_unlock(&work->mutex);
    return NULL;
}

static int start_thread(struct serve_work *work, struct thread *t, struct pingo_error *err)
{
    struct pingo_store_options options = {.version = 1, .log = serve_log_store};
    t->work = work;
    size_t i = (size_t)(t - work->threads);
    t->queue = &work->queues[i == 0 ? SERVE_BY_WRITER : i == 1 ? SERVE_BY_INTAKE : SERVE_BY_READER];
    t->worker.serve = work->options.serve;
    int rc = pingo_store_open(work->options.serve->directory, &options, &t->worker.store, err);
    if (rc == 0 && pthread_create(&t->id, NULL, work_on, t) != 0) {
        rc = err->code = PINGO_EIO;
        snprintf(err->message, sizeof err->message, "cannot start a thread");
    }
    t->started = rc == 0;
    return rc;
}

int serve_work_start(const struct serve_work_options *options, struct serve_work **work,
                     struct pingo_error *err)
{
    size_t n = options->readers + 2;
    struct serve_work *w = calloc(1, sizeof *w + n * sizeof *w->threads);
    if (!w) {
        snprintf(err->message, sizeof err->message, "out of memory");
        return err->code = PINGO_ENOMEM;
    }
    w->options = *options;
    w->nthreads = n;
    w->done_last = &w->done;
    w->options.serve->work = w;
    pthread_mutex_init(&w->mutex, NULL);
    for (size_t i = 0; i < NQUEUES; i++) {
        w->queues[i].last = &w->queues[i].first;
        pthread_cond_init(&w->queues[i].filled, NULL);
    }
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = start_thread(w, &w->threads[i], err);
    if (rc != 0)
        serve_work_stop(w, NULL);
    else
        *work = w;
    return rc;
}

bool serve_work_give(struct serve_work *work, enum serve_by by, struct serve_job *job)
{
    struct queue *q = &work->queues[by];
    pthread_mutex_lock(&work->mutex);
    bool has_room = q->n < work->options.most;
    if (has_room) {
        append(q, job);
        pthread_cond_signal(&q->filled);
    }
    pthread_mutex_unlock(&work->mutex);
    return has_room;
}

void serve_work_must(struct serve_work *work, struct serve_job *job)
{
    pthread_mutex_lock(&work->mutex);
    append(&work->queues[SERVE_BY_READER], job);
    pthread_cond_signal(&work->queues[SERVE_BY_READER].filled);
    pthread_mutex_unlock(&work->mutex);
}

struct serve_job *serve_work_done(struct serve_work *work)
{
    pthread_mutex_lock(&work->mutex);
    struct serve_job *done = work->done;
    work->done = NULL;
    work->done_last = &work->done;
    pthread_mutex_unlock(&work->mutex);
    return done;
}

void serve_work_stop(struct serve_work *work, struct serve_job **left)
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
        pingo__arena_clear(&t->worker.arena);
        pingo_store_close(t->worker.store);
    }
    for (size_t i = 0; i < NQUEUES; i++) {
        *work->done_last = work->queues[i].first;
        if (work->queues[i].first)
            work->done_last = work->queues[i].last;
        pthread_cond_destroy(&work->queues[i].filled);
    }
    if (left)
        *left = work->done;
    pthread_mutex_destroy(&work->mutex);
    free(work);
}
