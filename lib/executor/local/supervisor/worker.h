/* worker.h - the worker's program. */
#ifndef PINGO__SUPERVISOR_WORKER_H
#define PINGO__SUPERVISOR_WORKER_H

#include <stddef.h>

/* control: the connection with the supervisor; returns the exit status. */
int pingo__executor_worker_main(int control, const char *store_dir, const char *pool_dir,
                                const char *running_name, size_t slot);

#endif
