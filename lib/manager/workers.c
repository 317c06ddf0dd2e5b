/* workers.c - see workers.h. */
#include "manager/workers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/room.h"
#include "base/thread.h"

#define THREADS_MOST 8
#define TELL_AFTER 128 /* chores done: the scheduler commits for many at once */

/* Who asks waits for answers, most of the time. */
static const size_t most[PINGO__LANES] = {
    [PINGO__DELETING] = 3, [PINGO__READING] = 3, [PINGO__ASKING] = THREADS_MOST, [PINGO__TELLING] = 2};

struct lane {
    struct pingo__manager_workers *all;
    pthread_cond_t given;
    struct pingo__manager_chores waiting, done;
    size_t told; /* of what is done: so much was told once more */
    size_t nthreads, nbusy;
    pthread_t threads[THREADS_MOST];
};

struct pingo__manager_workers {
    int bell;             /* an eventfd */
    pthread_mutex_t lock; /* of the rest: */
    pthread_cond_t ended;
    bool leave;
    struct lane lanes[PINGO__LANES];
};

void pingo__manager_chores_add(struct pingo__manager_chores *chores,
                               struct pingo__manager_chore *chore)
{
    chore->next = NULL;
    if (chores->last)
        chores->last->next = chore;
    else
        chores->first = chore;
    chores->last = chore;
    chores->n++;
}

struct pingo__manager_chore *pingo__manager_chores_take(struct pingo__manager_chores *chores)
{
    struct pingo__manager_chore *chore = chores->first;
    if (!chore)
        return NULL;
    chores->first = chore->next;
    if (!chores->first)
        chores->last = NULL;
    chores->n--;
    chore->next = NULL;
    return chore;
}

static void ring(struct pingo__manager_workers *w)
{
    eventfd_write(w->bell, 1);
}

/* ---- on a thread of a lane ------------------------------------------------------------- */

static void *work(void *context)
{
    struct lane *lane = context;
    struct pingo__manager_workers *w = lane->all;
    pthread_mutex_lock(&w->lock);
    while (!w->leave || lane->waiting.n) {
        struct pingo__manager_chore *chore = pingo__manager_chores_take(&lane->waiting);
        if (!chore) {
            pthread_cond_wait(&lane->given, &w->lock);
            continue;
        }
        lane->nbusy++;
        pthread_mutex_unlock(&w->lock);
        chore->run(chore);
        pthread_mutex_lock(&w->lock);
        lane->nbusy--;
        pingo__manager_chores_add(&lane->done, chore);
        if (!lane->waiting.n || lane->done.n % TELL_AFTER == 0)
            ring(w);
        pthread_cond_broadcast(&w->ended);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- on the scheduler's --------------------------------------------------------------------- */

/* false: there is none for it. */
static bool begin_thread(struct lane *lane)
{
    bool has_begun = pingo__thread_start(&lane->threads[lane->nthreads], work, lane) == 0;
    lane->nthreads += has_begun;
    return has_begun;
}

int pingo__manager_workers_open(struct pingo__manager_workers **workers, struct pingo_error *err)
{
    struct pingo__manager_workers *w = calloc(1, sizeof *w);
    *workers = NULL;
    int rc = w ? pingo__room_check(PINGO__ROOM_LOOP, PINGO__LANES, err) : pingo__fail_memory(err);
    if (!rc && (w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        rc = pingo__fail_os(err, errno, "making a bell for", "the deletors");
    if (rc) {
        free(w);
        return rc;
    }
    pthread_mutex_init(&w->lock, NULL); /* none of these can fail here */
    pthread_cond_init(&w->ended, NULL);
    for (int lane = 0; lane < PINGO__LANES; lane++) {
        w->lanes[lane].all = w;
        pthread_cond_init(&w->lanes[lane].given, NULL);
    }
    *workers = w;
    return 0;
}

void pingo__manager_workers_close(struct pingo__manager_workers *w)
{
    if (!w)
        return;
    for (int lane = 0; lane < PINGO__LANES; lane++)
        pingo__manager_workers_finish(w, lane, NULL);
    pthread_mutex_lock(&w->lock);
    w->leave = true;
    for (int lane = 0; lane < PINGO__LANES; lane++)
        pthread_cond_broadcast(&w->lanes[lane].given);
    pthread_mutex_unlock(&w->lock);
    for (int lane = 0; lane < PINGO__LANES; lane++) {
        for (size_t i = 0; i < w->lanes[lane].nthreads; i++)
            pthread_join(w->lanes[lane].threads[i], NULL);
        pthread_cond_destroy(&w->lanes[lane].given);
    }
    close(w->bell);
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void pingo__manager_workers_give(struct pingo__manager_workers *w,
                                 struct pingo__manager_chore *chore)
{
    struct lane *lane = &w->lanes[chore->lane];
    pthread_mutex_lock(&w->lock);
    pingo__manager_chores_add(&lane->waiting, chore);
    if (lane->nthreads < most[chore->lane] && lane->nthreads - lane->nbusy < lane->waiting.n &&
        !begin_thread(lane) && !lane->nthreads) { /* there is not even one: it is done here */
        pingo__manager_chores_take(&lane->waiting);
        chore->run(chore);
        pingo__manager_chores_add(&lane->done, chore);
        ring(w);
    }
    pthread_cond_signal(&lane->given);
    pthread_mutex_unlock(&w->lock);
}

/* The bell was heard, but its lane is not collected now: the descriptor must not fall silent.  Under the lock. */
static void tell_again(struct pingo__manager_workers *w)
{
    for (int lane = 0; lane < PINGO__LANES; lane++) {
        if (w->lanes[lane].done.n > w->lanes[lane].told)
            ring(w);
        w->lanes[lane].told = w->lanes[lane].done.n;
    }
}

int pingo__manager_workers_collect(struct pingo__manager_workers *w, int lane,
                                   struct pingo_error *err)
{
    struct pingo__manager_chore *chore;
    int rc = 0;
    eventfd_t rung;
    eventfd_read(w->bell, &rung);
    pthread_mutex_lock(&w->lock);
    struct pingo__manager_chores done = w->lanes[lane].done;
    w->lanes[lane].done = (struct pingo__manager_chores){NULL, NULL, 0};
    tell_again(w);
    pthread_mutex_unlock(&w->lock);
    while ((chore = pingo__manager_chores_take(&done))) {
        int taken = chore->done(chore, rc ? NULL : err);
        rc = rc ? rc : taken;
    }
    return rc;
}

int pingo__manager_workers_finish(struct pingo__manager_workers *w, int lane,
                                  struct pingo_error *err)
{
    pthread_mutex_lock(&w->lock);
    while (w->lanes[lane].nbusy || w->lanes[lane].waiting.n)
        pthread_cond_wait(&w->ended, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return pingo__manager_workers_collect(w, lane, err);
}

int pingo__manager_workers_fd(const struct pingo__manager_workers *w)
{
    return w->bell;
}

void pingo__manager_workers_wait(const struct pingo__manager_workers *w, int timeout_ms)
{
    struct pollfd fd = {.fd = pingo__manager_workers_fd(w), .events = POLLIN};
    poll(&fd, 1, timeout_ms);
}
