/* workers.c - see workers.h. */
#include "manager/workers.h"

#include <poll.h>
#include <stdlib.h>
#include <uv.h>

#include "base/error.h"
#include "base/room.h"

#define NWORKERS 3     /* of a lane */
#define POOL_THREADS 4 /* of libuv's, unless UV_THREADPOOL_SIZE says otherwise */
#define TELL_AFTER 128 /* chores done: the scheduler commits for many at once */

struct worker {
    uv_work_t request;
    struct pingo__manager_workers *all;
    int lane;
    bool busy; /* the scheduler's thread knows */
};

struct pingo__manager_workers {
    uv_loop_t loop;
    uv_async_t tell;
    struct worker each[PINGO__LANES][NWORKERS];
    uv_mutex_t lock; /* of these: */
    struct pingo__manager_chores waiting[PINGO__LANES], done[PINGO__LANES];
    size_t told[PINGO__LANES]; /* of what is done: so much was told once more */
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
    const struct worker *one = request->data;
    struct pingo__manager_workers *w = one->all;
    struct pingo__manager_chore *chore = NULL;
    do {
        uv_mutex_lock(&w->lock);
        if (chore)
            pingo__manager_chores_add(&w->done[one->lane], chore);
        bool tell = chore && w->done[one->lane].n % TELL_AFTER == 0;
        chore = pingo__manager_chores_take(&w->waiting[one->lane]);
        uv_mutex_unlock(&w->lock);
        if (tell)
            uv_async_send(&w->tell);
        if (chore)
            chore->run(chore);
    } while (chore);
}

/* ---- on the scheduler's --------------------------------------------------------------------- */

static void after_work(uv_work_t *request, int status);

/* One more for each chore that waits.  Under the lock. */
static void start(struct pingo__manager_workers *w, int lane)
{
    size_t n = w->waiting[lane].n;
    for (size_t i = 0; i < NWORKERS && n > 0; i++) {
        struct worker *one = &w->each[lane][i];
        if (one->busy)
            continue;
        n--;
        *one = (struct worker){.all = w, .lane = lane, .busy = true};
        one->request.data = one;
        uv_queue_work(&w->loop, &one->request, work, after_work);
    }
}

/* Something may have come just when it saw that there was nothing. */
static void after_work(uv_work_t *request, int status)
{
    struct worker *one = request->data;
    (void)status;
    one->busy = false;
    uv_mutex_lock(&one->all->lock);
    start(one->all, one->lane);
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

static int make_loop(struct pingo__manager_workers *w)
{
    int failed = uv_loop_init(&w->loop);
    if (failed)
        return failed;
    failed = uv_async_init(&w->loop, &w->tell, on_tell);
    if (failed)
        uv_loop_close(&w->loop);
    return failed;
}

int pingo__manager_workers_open(struct pingo__manager_workers **workers, struct pingo_error *err)
{
    struct pingo__manager_workers *w = calloc(1, sizeof *w);
    *workers = NULL;
    int rc = w ? pingo__room_check(PINGO__ROOM_LOOP, POOL_THREADS, err) : pingo__fail_memory(err);
    if (rc)
        goto out;
    int failed = uv_mutex_init(&w->lock);
    if (!failed && (failed = make_loop(w)) != 0)
        uv_mutex_destroy(&w->lock);
    if (failed) {
        rc = pingo__fail_os(err, -failed, "making an event loop for", "the deletors");
        goto out;
    }
    begin_threads(&w->loop);
    uv_run(&w->loop, UV_RUN_NOWAIT); /* so that the descriptor watches what there is */
    *workers = w;
    w = NULL;
out:
    free(w);
    return rc;
}

void pingo__manager_workers_close(struct pingo__manager_workers *w)
{
    if (!w)
        return;
    for (int lane = 0; lane < PINGO__LANES; lane++)
        pingo__manager_workers_finish(w, lane, NULL);
    uv_close((uv_handle_t *)&w->tell, NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_loop_close(&w->loop);
    uv_mutex_destroy(&w->lock);
    free(w);
}

void pingo__manager_workers_give(struct pingo__manager_workers *w,
                                 struct pingo__manager_chore *chore)
{
    uv_mutex_lock(&w->lock);
    pingo__manager_chores_add(&w->waiting[chore->lane], chore);
    start(w, chore->lane);
    uv_mutex_unlock(&w->lock);
}

/* The loop has heard of it, but its lane is not collected now: the descriptor must not fall silent.  Under the lock. */
static void tell_again(struct pingo__manager_workers *w)
{
    for (int lane = 0; lane < PINGO__LANES; lane++) {
        if (w->done[lane].n > w->told[lane])
            uv_async_send(&w->tell);
        w->told[lane] = w->done[lane].n;
    }
}

int pingo__manager_workers_collect(struct pingo__manager_workers *w, int lane,
                                   struct pingo_error *err)
{
    struct pingo__manager_chore *chore;
    int rc = 0;
    uv_run(&w->loop, UV_RUN_NOWAIT);
    uv_mutex_lock(&w->lock);
    struct pingo__manager_chores done = w->done[lane];
    w->done[lane] = (struct pingo__manager_chores){NULL, NULL, 0};
    tell_again(w);
    uv_mutex_unlock(&w->lock);
    while ((chore = pingo__manager_chores_take(&done))) {
        int taken = chore->done(chore, rc ? NULL : err);
        rc = rc ? rc : taken;
    }
    return rc;
}

static bool is_busy(const struct pingo__manager_workers *w, int lane)
{
    bool is = false;
    for (size_t i = 0; i < NWORKERS; i++)
        is = is || w->each[lane][i].busy;
    return is;
}

int pingo__manager_workers_finish(struct pingo__manager_workers *w, int lane,
                                  struct pingo_error *err)
{
    while (is_busy(w, lane))
        uv_run(&w->loop, UV_RUN_ONCE);
    return pingo__manager_workers_collect(w, lane, err);
}

int pingo__manager_workers_fd(const struct pingo__manager_workers *w)
{
    return uv_backend_fd(&w->loop);
}

void pingo__manager_workers_wait(const struct pingo__manager_workers *w, int timeout_ms)
{
    struct pollfd fd = {.fd = pingo__manager_workers_fd(w), .events = POLLIN};
    poll(&fd, 1, timeout_ms);
}
