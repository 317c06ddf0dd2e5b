/* ticks.c - see ticks.h. */
#include "serve/work/ticks.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/thread.h"
#include "base/world.h"
#include "serve/work/counts.h"

#define PAUSE_MS 1000 /* after a tick that failed */

/* It outlives its thread: a reader that the server has not waited for may still ask when it ticked last. */
static struct serve_ticks {
    struct pingo_store *store;
    struct pingo_scheduler *scheduler;
    struct serve_counts *counts;
    int wake; /* an eventfd */
    atomic_bool stops;
    _Atomic int64_t last_ms;
    pthread_t thread;
    char said[PINGO_ERROR_MESSAGE_SIZE]; /* the last thing that was wrong: it is said once */
} the_one = {.wake = -1};

static void say(struct serve_ticks *t, const char *wrong)
{
    if (*wrong && strcmp(t->said, wrong) != 0)
        serve_log("%s", wrong);
    snprintf(t->said, sizeof t->said, "%s", wrong);
}

static int64_t tick(struct serve_ticks *t)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err = {0};
    const struct pingo__world *world = pingo__world_real();
    int64_t from_ns = world->monotonic_ns(world->context);
    int rc = pingo_scheduler_tick(t->scheduler, &r, &err);
    serve_count_time(&t->counts->ticks, (world->monotonic_ns(world->context) - from_ns) / 1000);
    t->counts->waited_us[SERVE_WRITES_TICKS] = pingo_store_waited_us(t->store);
    if (r.decision_us >= 0)
        serve_count_time(&t->counts->decisions, r.decision_us);
    if (rc != 0) {
        serve_count_add(&t->counts->failed_ticks, 1);
        say(t, err.message);
        return PAUSE_MS;
    }
    t->last_ms = pingo__world_wall_ms();
    /* Of a pool over its budget the store's log tells. */
    say(t, r.stuck_for_space ? r.space_message : "");
    return pingo_scheduler_timeout_ms(t->scheduler);
}

static void *run(void *context)
{
    struct serve_ticks *t = context;
    struct pollfd fds[] = {{.fd = pingo_scheduler_poll_fd(t->scheduler), .events = POLLIN},
                           {.fd = t->wake, .events = POLLIN}};
    uint64_t n;
    while (!t->stops) {
        poll(fds, 2, (int)tick(t));
        while (read(t->wake, &n, sizeof n) > 0)
            continue;
    }
    return NULL;
}

static int start(struct serve_ticks *t, const struct serve *serve, struct pingo_error *err)
{
    struct pingo_store_options of_store = {.version = 1, .log = serve_log_store};
    struct pingo_scheduler_options of_scheduler = {.version = 1, .helper_dir = serve->helpers};
    int rc = pingo_store_open(serve->directory, &of_store, &t->store, err);
    if (rc == 0)
        rc = pingo_scheduler_open(t->store, &of_scheduler, &t->scheduler, err);
    if (rc != 0)
        return rc;
    t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int failed = t->wake < 0 ? errno : pingo__thread_start(&t->thread, run, t);
    return failed == 0 ? 0
                       : pingo__fail(err, PINGO_EIO, "cannot start a thread: %s", strerror(failed));
}

static void end(struct serve_ticks *t)
{
    pingo_scheduler_close(t->scheduler);
    pingo_store_close(t->store);
    pingo__file_close(t->wake);
}

int serve_ticks_start(struct serve *serve, struct serve_ticks **ticks, struct pingo_error *err)
{
    struct serve_ticks *t = &the_one;
    t->counts = serve->counts;
    int rc = start(t, serve, err);
    if (rc == 0)
        *ticks = t;
    else
        end(t);
    return rc;
}

void serve_ticks_wake(struct serve_ticks *ticks)
{
    uint64_t one = 1;
    if (ticks && write(ticks->wake, &one, sizeof one) < 0)
        return; /* it is awake */
}

int64_t serve_ticks_last(struct serve_ticks *ticks)
{
    return ticks ? ticks->last_ms : 0;
}

void serve_ticks_stop(struct serve_ticks *ticks)
{
    if (!ticks)
        return;
    ticks->stops = true;
    serve_ticks_wake(ticks);
    pthread_join(ticks->thread, NULL);
    end(ticks);
}
