/* deletors.c - see deletors.h. */
#include "manager/dataset/deletors.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/error.h"
#include "base/room.h"

#define NDELETORS 3
#define POOL_THREADS 4 /* of libuv's, unless UV_THREADPOOL_SIZE says otherwise */
#define TELL_AFTER 128 /* chores done: the scheduler commits for many at once */

struct deletor {
    uv_work_t request;
    struct pingo__manager_deletors *all;
    bool busy; /* the scheduler's thread knows */
};

struct pingo__manager_deletors {
    uv_loop_t loop;
    uv_async_t tell;
    struct deletor each[NDELETORS];
    uv_mutex_t lock; /* of the two: */
    struct pingo__manager_chores waiting, done;
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

/* ---- on a thread of libuv's ------------------------------------------------------------ */

static void work(uv_work_t *request)
{
    struct pingo__manager_deletors *d = ((struct deletor *)request->data)->all;
    struct pingo__manager_chore *chore = NULL;
    do {
        uv_mutex_lock(&d->lock);
        if (chore)
            pingo__manager_chores_add(&d->done, chore);
        bool tell = chore && d->done.n % TELL_AFTER == 0;
        chore = pingo__manager_chores_take(&d->waiting);
        uv_mutex_unlock(&d->lock);
        if (tell)
            uv_async_send(&d->tell);
        if (chore)
            chore->run(chore);
    } while (chore);
}

/* ---- on the scheduler's --------------------------------------------------------------------- */

static void after_work(uv_work_t *request, int status);

/* One more for each chore that waits.  Under the lock. */
static void start(struct pingo__manager_deletors *d)
{
    size_t n = d->waiting.n;
    for (size_t i = 0; i < NDELETORS && n > 0; i++) {
        struct deletor *one = &d->each[i];
        if (one->busy)
            continue;
        n--;
        one->busy = true;
        one->request.data = one;
        uv_queue_work(&d->loop, &one->request, work, after_work);
    }
}

/* Something may have come just when it saw that there was nothing. */
static void after_work(uv_work_t *request, int status)
{
    struct deletor *one = request->data;
    (void)status;
    one->busy = false;
    uv_mutex_lock(&one->all->lock);
    start(one->all);
    uv_mutex_unlock(&one->all->lock);
}

/* Being woken is all. */
static void on_tell(uv_async_t *tell)
{
    (void)tell;
}

static void nothing(uv_work_t *request)
{
    (void)request;
}

static void has_begun(uv_work_t *request, int status)
{
    (void)status;
    *(bool *)request->data = true;
}

/* libuv's threads begin with the first work, and without room for them it ends the process: so they begin now, right
 * after it was seen that there is some. */
static void begin_threads(uv_loop_t *loop)
{
    bool begun = false;
    uv_work_t request = {.data = &begun};
    if (uv_queue_work(loop, &request, nothing, has_begun) == 0)
        while (!begun)
            uv_run(loop, UV_RUN_ONCE);
}

int pingo__manager_deletors_open(struct pingo__manager_deletors **deletors, struct pingo_error *err)
{
    struct pingo__manager_deletors *d = calloc(1, sizeof *d);
    *deletors = NULL;
    if (pingo__room_check(PINGO__ROOM_LOOP, POOL_THREADS, err)) {
        free(d);
        return PINGO_EIO;
    }
    if (!d)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < NDELETORS; i++)
        d->each[i].all = d;
    int failed = uv_mutex_init(&d->lock);
    if (failed) {
        free(d);
        return pingo__fail_os(err, -failed, "making a lock for", "the deletors");
    }
    failed = uv_loop_init(&d->loop);
    if (!failed) {
        failed = uv_async_init(&d->loop, &d->tell, on_tell);
        if (failed)
            uv_loop_close(&d->loop);
    }
    if (failed) {
        uv_mutex_destroy(&d->lock);
        free(d);
        return pingo__fail_os(err, -failed, "making an event loop for", "the deletors");
    }
    begin_threads(&d->loop);
    uv_run(&d->loop, UV_RUN_NOWAIT); /* so that the descriptor watches what there is */
    *deletors = d;
    return 0;
}

static bool is_busy(const struct pingo__manager_deletors *d)
{
    for (size_t i = 0; i < NDELETORS; i++)
        if (d->each[i].busy)
            return true;
    return false;
}

void pingo__manager_deletors_close(struct pingo__manager_deletors *d,
                                   struct pingo__manager_chores *done)
{
    if (!d)
        return;
    while (is_busy(d))
        uv_run(&d->loop, UV_RUN_ONCE);
    pingo__manager_deletors_collect(d, done);
    uv_close((uv_handle_t *)&d->tell, NULL);
    uv_run(&d->loop, UV_RUN_DEFAULT);
    uv_loop_close(&d->loop);
    uv_mutex_destroy(&d->lock);
    free(d);
}

void pingo__manager_deletors_give(struct pingo__manager_deletors *d,
                                  struct pingo__manager_chore *chore)
{
    uv_mutex_lock(&d->lock);
    pingo__manager_chores_add(&d->waiting, chore);
    start(d);
    uv_mutex_unlock(&d->lock);
}

void pingo__manager_deletors_collect(struct pingo__manager_deletors *d,
                                     struct pingo__manager_chores *done)
{
    uv_run(&d->loop, UV_RUN_NOWAIT);
    uv_mutex_lock(&d->lock);
    while (d->done.first)
        pingo__manager_chores_add(done, pingo__manager_chores_take(&d->done));
    uv_mutex_unlock(&d->lock);
}

int pingo__manager_deletors_fd(const struct pingo__manager_deletors *d)
{
    return uv_backend_fd(&d->loop);
}

void pingo__manager_deletors_wait(const struct pingo__manager_deletors *d, int timeout_ms)
{
    struct pollfd fd = {.fd = pingo__manager_deletors_fd(d), .events = POLLIN};
    poll(&fd, 1, timeout_ms);
}
