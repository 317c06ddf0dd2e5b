/* control.h - a worker's end of the connection with its supervisor; blocking where it says so. */
#ifndef PINGO__SUPERVISOR_CONTROL_H
#define PINGO__SUPERVISOR_CONTROL_H

#include "executor/local/wire.h"

struct pingo__control {
    int fd;
    struct pingo__buffer in;
    size_t in_at;
    bool ended; /* the supervisor is gone */
};

void pingo__control_init(struct pingo__control *control, int fd);
/* The next frame, borrowed until the next call.  wait: blocks for it.  false: none there, or ended. */
bool pingo__control_next(struct pingo__control *control, bool wait, struct pingo__wire_frame *frame);
/* Tells the supervisor of a job. */
void pingo__control_tell(struct pingo__control *control, enum pingo__wire_kind kind,
                         struct pingo_job_key key);

#endif
