/* orders.h - what may end a job early, for who works long at it without waiting: it is asked for now and then. */
#ifndef PINGO__SUPERVISOR_ORDERS_H
#define PINGO__SUPERVISOR_ORDERS_H

#include "executor/local/supervisor/control.h"

struct pingo__orders {
    struct pingo__control *control;
    struct pingo_job_key key;
    int64_t deadline_ms;       /* monotonic; 0: none */
    int64_t looked_ms;         /* when it was asked last */
    enum pingo_end_reason why; /* EXITED: go on; KILLED, TIME_LIMIT, or LOST: the supervisor is gone */
};

/* What has come for this job: EXITED is nothing, KILLED, or LOST for a supervisor that is gone. */
enum pingo_end_reason pingo__orders_take(struct pingo__control *control, struct pingo_job_key key);
/* Is it to stop?  Cheap enough for every block of a file.  Once true, it stays true. */
bool pingo__orders_stop(struct pingo__orders *orders);

#endif
