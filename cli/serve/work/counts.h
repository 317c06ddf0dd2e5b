/* counts.h - what the server counts of itself: by one thread each, and read by any.
 *
 * Each number has one writer, so that counting takes neither a lock nor an atomic addition. */
#ifndef SERVE_COUNTS_H
#define SERVE_COUNTS_H

#include <stdatomic.h>

#include "serve/route/route.h"

#define SERVE_ROUTES_MOST 160 /* the last one stands for what has no route */
#define SERVE_BOUNDS 5        /* of times, in µs; the last ones have none */
extern const int64_t serve_bounds[SERVE_BOUNDS];

typedef _Atomic int64_t serve_count;

/* How often, how long in all, and how many within each bound. */
struct serve_times {
    serve_count n, us, within[SERVE_BOUNDS];
};
/* Who writes into the store. */
enum serve_writer {
    SERVE_WRITES_CHANGES,
    SERVE_WRITES_SUBMISSIONS,
    SERVE_WRITES_TICKS,
    SERVE_WRITERS
};
struct serve_counts {
    /* The loop's. */
    struct serve_counted {
        serve_count by_status[5]; /* 1xx to 5xx */
        struct serve_times times; /* to the answer's first byte, but of those that wait for a change */
    } routes[SERVE_ROUTES_MOST];
    serve_count connections, streams, behind; /* behind: streams that were closed for it */
    /* The scheduler's. */
    struct serve_times ticks;
    serve_count failed_ticks;
    struct serve_times decisions;
    serve_count waited_us[SERVE_WRITERS]; /* for the store's lock: each by one thread */
    /* Of whoever reads changes for the streams, one at a time: how old the newest was. */
    serve_count lag_ms;
};

void serve_count_add(serve_count *count, int64_t n);
void serve_count_time(struct serve_times *times, int64_t us);
/* One more of this route (NULL: of none) is answered; us -1: it has waited, and is not timed. */
void serve_count_answer(struct serve_counts *counts, const struct serve_route *route, int status,
                        int64_t us);

#endif
