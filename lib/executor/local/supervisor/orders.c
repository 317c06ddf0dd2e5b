/* orders.c - see orders.h. */
#include "executor/local/supervisor/orders.h"

#include "executor/local/supervisor/watch.h"

#define LOOK_MS 20

enum pingo_end_reason pingo__orders_take(struct pingo__control *control, struct pingo_job_key key)
{
    enum pingo_end_reason why = PINGO_END_EXITED;
    struct pingo__wire_frame frame;
    while (pingo__control_next(control, false, &frame)) {
        if (frame.kind != PINGO__WIRE_KILL)
            continue;
        struct pingo_job_key killed = pingo__wire_get_key(&frame.body);
        if (killed.action == key.action && killed.epoch == key.epoch)
            why = PINGO_END_KILLED;
    }
    return control->ended ? PINGO_END_LOST : why;
}

bool pingo__orders_stop(struct pingo__orders *orders)
{
    int64_t now = pingo__watch_now_ms();
    if (orders->why != PINGO_END_EXITED)
        return true;
    if (now - orders->looked_ms < LOOK_MS)
        return false;
    orders->looked_ms = now;
    orders->why = pingo__orders_take(orders->control, orders->key);
    if (orders->why == PINGO_END_EXITED && orders->deadline_ms > 0 && now >= orders->deadline_ms)
        orders->why = PINGO_END_TIME_LIMIT;
    return orders->why != PINGO_END_EXITED;
}
