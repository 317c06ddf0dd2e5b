/* parallel.c - see parallel.h.  Where no thread can be started, the caller's does the work. */
#include "base/parallel.h"

#include <sched.h>
#include <time.h>

#include "base/thread.h"
#include "base/world.h"

#define TELL_EVERY_MS 100
#define MOST_BY_ITSELF 8

static void tell(struct pingo__parallel *p)
{
    p->told_ms = pingo__world_monotonic_ms();
    if (p->tell && p->tell(p->context, atomic_load(&p->done)))
        atomic_store(&p->stop, true);
}

bool pingo__parallel_stops(struct pingo__parallel *p)
{
    if (p->tell && pthread_equal(pthread_self(), p->caller) &&
        pingo__world_monotonic_ms() - p->told_ms >= TELL_EVERY_MS)
        tell(p);
    return atomic_load(&p->stop);
}

/* Who was stopped only says so. */
static void fail(struct pingo__parallel *p, int rc, const struct pingo_error *why)
{
    pthread_mutex_lock(&p->lock);
    if (!p->rc || p->rc == PINGO_EINTERRUPTED) {
        p->rc = rc;
        p->why = *why;
    }
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->stop, true);
}

static void work(struct pingo__parallel *p)
{
    size_t i;
    while (!atomic_load(&p->stop) && (i = atomic_fetch_add(&p->next, 1)) < p->n) {
        struct pingo_error why = {0};
        int rc = p->run(p->context, i, &why);
        if (rc)
            fail(p, rc, &why);
        atomic_fetch_add(&p->done, 1);
    }
}

static void *worker(void *context)
{
    struct pingo__parallel *p = context;
    work(p);
    pthread_mutex_lock(&p->lock);
    p->nrunning--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The lock is held but for the telling. */
static void wait_and_tell(struct pingo__parallel *p)
{
    while (p->nrunning > 0) {
        int64_t at_ms = pingo__world_monotonic_ms() + TELL_EVERY_MS;
        struct timespec until = {at_ms / 1000, at_ms % 1000 * 1000000};
        if (pthread_cond_clockwait(&p->ended, &p->lock, CLOCK_MONOTONIC, &until) == 0)
            continue;
        pthread_mutex_unlock(&p->lock);
        tell(p);
        pthread_mutex_lock(&p->lock);
    }
}

static size_t count_threads(const struct pingo__parallel *p)
{
    cpu_set_t set;
    size_t n = p->threads, most = p->n < PINGO__PARALLEL_MOST ? p->n : PINGO__PARALLEL_MOST;
    if (n == 0 && most > 1) {
        n = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
        most = most < MOST_BY_ITSELF ? most : MOST_BY_ITSELF;
    }
    return n < most ? n : most;
}

int pingo__parallel_run(struct pingo__parallel *p, struct pingo_error *err)
{
    pthread_t threads[PINGO__PARALLEL_MOST];
    size_t n = count_threads(p), nstarted = 0;
    p->caller = pthread_self();
    p->told_ms = pingo__world_monotonic_ms();
    pthread_mutex_init(&p->lock, NULL); /* neither can fail here */
    pthread_cond_init(&p->ended, NULL);
    pthread_mutex_lock(&p->lock);
    while (n > 1 && nstarted < n && pingo__thread_start(&threads[nstarted], worker, p) == 0)
        p->nrunning = ++nstarted;
    wait_and_tell(p);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < nstarted; i++)
        pthread_join(threads[i], NULL);
    if (nstarted == 0)
        work(p);
    if (!p->rc)
        tell(p); /* the last one says that all is done */
    pthread_cond_destroy(&p->ended);
    pthread_mutex_destroy(&p->lock);
    if (!p->rc && atomic_load(&p->stop))
        return PINGO_EINTERRUPTED;
    if (p->rc && err)
        *err = p->why;
    return p->rc;
}
