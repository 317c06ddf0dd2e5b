/* counts.c - see counts.h. */
#include "serve/work/counts.h"

const int64_t serve_bounds[SERVE_BOUNDS] = {500, 5000, 50000, 500000, 5000000};

void serve_count_add(serve_count *count, int64_t n)
{
    int64_t now = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, now + n, memory_order_relaxed);
}

void serve_count_time(struct serve_times *times, int64_t us)
{
    serve_count_add(&times->n, 1);
    serve_count_add(&times->us, us);
    for (int i = 0; i < SERVE_BOUNDS; i++)
        if (us <= serve_bounds[i])
            serve_count_add(&times->within[i], 1);
}

void serve_count_answer(struct serve_counts *counts, const struct serve_route *route, int status,
                        int64_t us)
{
    size_t i = route ? (size_t)(route - serve_routes) : SERVE_ROUTES_MOST - 1;
    struct serve_counted *c = &counts->routes[i < SERVE_ROUTES_MOST ? i : SERVE_ROUTES_MOST - 1];
    if (status >= 100 && status < 600)
        serve_count_add(&c->by_status[status / 100 - 1], 1);
    if (us >= 0)
        serve_count_time(&c->times, us);
}
