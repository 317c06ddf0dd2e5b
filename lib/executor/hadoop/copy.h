/* copy.h - a job outlives the call of start. */
#ifndef PINGO__EXECUTOR_HADOOP_COPY_H
#define PINGO__EXECUTOR_HADOOP_COPY_H

#include <pingo/executor.h>

#include "base/arena.h"

/* All of it, but for its own arena.  PINGO_ENOMEM. */
int pingo__executor_hadoop_copy(struct pingo__arena *arena, const struct pingo_job *job,
                                struct pingo_job *to, struct pingo_error *err);

#endif
