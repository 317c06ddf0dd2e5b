/* runaway.h - a command that fills whatever disk it is given. */
#ifndef PINGO__MANAGER_RUNAWAY_H
#define PINGO__MANAGER_RUNAWAY_H

#include <pingo/executor.h>

#include "manager/context.h"

/* An attempt met a full disk.  1 and the message: it had more room than the action's attempt that met one before, it
 * filled that too, nobody else was writing, and what is stored would go for it next.  Else 0, and what it
 * held is noted.  Inside a write transaction. */
int pingo__is_runaway(struct pingo__context *c, const struct pingo_job_end *end, char *message,
                      size_t size, struct pingo_error *err);

#endif
