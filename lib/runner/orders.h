/* orders.h - what may end a job early: its master asks for that, or is gone, or its time is up.
 *
 * Code that works for long without waiting asks now and then. */
#ifndef PINGO__RUNNER_ORDERS_H
#define PINGO__RUNNER_ORDERS_H

#include <pingo/executor.h>

/* For whom a job is run. */
struct pingo__runner_master {
    int fd; /* readable when an order may have come; -1: none comes any more */
    /* What has come for this job: EXITED is nothing, KILLED, or LOST where whoever wanted it is gone. */
    enum pingo_end_reason (*take)(struct pingo__runner_master *master, struct pingo_job_key key);
    void *context;
};

struct pingo__runner_orders {
    struct pingo__runner_master *master;
    struct pingo_job_key key;
    int64_t deadline_ms;       /* monotonic; 0: none */
    int64_t looked_ms;         /* when it was asked last */
    enum pingo_end_reason why; /* EXITED: go on; KILLED, TIME_LIMIT, or LOST */
};

/* Is it to stop?  Cheap enough for every block of a file.  Once true, it stays true. */
bool pingo__runner_orders_stop(struct pingo__runner_orders *orders);
/* The same for who reads contents: see pingo__digest_content_options. */
int pingo__runner_orders_progress(void *orders, uint64_t files, uint64_t bytes);

#endif
