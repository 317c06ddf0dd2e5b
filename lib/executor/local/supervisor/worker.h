/* worker.h - the worker's program, and what it notes of itself. */
#ifndef PINGO__SUPERVISOR_WORKER_H
#define PINGO__SUPERVISOR_WORKER_H

#include <pingo/executor.h>

#define PINGO__WORKER_CONTROL_FD 3 /* its connection with the supervisor */
#define PINGO__WORKER_LOCK_FD 4    /* the store's lock, which it only holds */

/* control: the connection with the supervisor; returns the exit status. */
int pingo__executor_worker_main(int control, const char *store_dir, const char *pool_dir,
                                const char *running_name, size_t slot);

/* What each worker runs, for a supervisor that comes after a sudden end of all.
 *
 * STORE/executor/running.BOOTID.START.PID.HOST has the key of an attempt for each slot, overwritten in place; action 0:
 * nothing runs.  Nothing is synced, for after another boot it is void; what is written in one call, and stands in one
 * block, is there whole or not at all. */
/* 0 or a negative errno. */
int pingo__executor_running_write(int fd, size_t slot, struct pingo_job_key key);
/* false: the file ends before this slot. */
bool pingo__executor_running_read(int fd, size_t slot, struct pingo_job_key *key);

#endif
