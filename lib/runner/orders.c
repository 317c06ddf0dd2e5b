/* orders.c - see steps.h. */
#include "runner/steps.h"

#include "base/world.h"

#define LOOK_MS 20

bool pingo__runner_orders_stop(struct pingo__runner_orders *orders)
{
    int64_t now = pingo__world_monotonic_ms();
    if (orders->why != PINGO_END_EXITED)
        return true;
    if (now - orders->looked_ms < LOOK_MS)
        return false;
    orders->looked_ms = now;
    orders->why = orders->master->take(orders->master, orders->key);
    if (orders->why == PINGO_END_EXITED && orders->deadline_ms > 0 && now >= orders->deadline_ms)
        orders->why = PINGO_END_TIME_LIMIT;
    return orders->why != PINGO_END_EXITED;
}

int pingo__runner_orders_progress(void *orders, uint64_t files, uint64_t bytes)
{
    (void)files;
    (void)bytes;
    return pingo__runner_orders_stop(orders);
}
