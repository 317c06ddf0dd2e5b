/* control.h - a worker's end of the connection with its supervisor; blocking where it says so. */
#ifndef PINGO__SUPERVISOR_CONTROL_H
#define PINGO__SUPERVISOR_CONTROL_H

#include "executor/local/wire.h"

struct pingo__executor_control {
    int fd;
    struct pingo__executor_inbox in;
    bool ended; /* the supervisor is gone */
};

void pingo__executor_control_init(struct pingo__executor_control *control, int fd);
/* The next frame, borrowed until the next call.  wait: blocks for it.  false: none there, or ended. */
bool pingo__executor_control_next(struct pingo__executor_control *control, bool wait,
                                  struct pingo__executor_wire_frame *frame);
/* Tells the supervisor of a job. */
void pingo__executor_control_tell(struct pingo__executor_control *control,
                                  enum pingo__executor_wire_kind kind, struct pingo_job_key key);

#endif
