/* place.h - STORE/executor: where the supervisor of a store is met.
 *
 * local.sock: its socket.  local.lock: held by the supervisor and inherited by
 * its workers, so it is free only when all of them are gone.  journal.*: the
 * ends.  running.*: what each worker runs. */
#ifndef PINGO__LOCAL_PLACE_H
#define PINGO__LOCAL_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include <pingo/error.h>

#define PINGO__PLACE_SOCKET "local.sock"
#define PINGO__PLACE_LOCK "local.lock"
#define PINGO__PLACE_JOURNAL "journal" /* ends with the boot and more */
#define PINGO__PLACE_RUNNING "running" /* likewise */
#define PINGO__PLACE_HELPER "pingo-supervisor"
#define PINGO__PLACE_STATUS_FD 3   /* where a starting supervisor says "ok" or why not */
#define PINGO__PLACE_WAIT "wait: " /* begins a "why not" that may pass by itself, */
#define PINGO__PLACE_NOTE "note: " /* and a line before it, with what a start waits for */

/* Opens store_dir/executor; makes it when asked to.  A descriptor, or a PINGO_E*. */
int pingo__executor_place_open(const char *store_dir, bool make, struct pingo_error *err);
/* Connects to the supervisor, however long the path is.  A non-blocking descriptor or a negative
 * errno: -ENOENT and -ECONNREFUSED mean that none is there. */
int pingo__executor_place_connect(int dir);
/* Listens, and replaces an earlier socket.  The caller holds the lock.  As above. */
int pingo__executor_place_listen(int dir);
/* Is the other end of this connection the same user? */
bool pingo__executor_place_peer_is_self(int fd);
/* The process at the other end; 0: it has no number in our PID namespace. */
pid_t pingo__executor_place_peer(int fd);

/* Is the helper program there?  PINGO_EEXECUTOR. */
int pingo__executor_place_check(const char *helper, struct pingo_error *err);
/* Starts a supervisor that lives on its own.  *status: readable; says "ok\n" once it can be
 * connected to, else one line why not; before it, notes.  A supervisor that waits ends where
 * *status is closed.  0, PINGO_ENOMEM, PINGO_EEXECUTOR, or PINGO_EBUSY where there are too many
 * processes. */
int pingo__executor_place_spawn(const char *helper, const char *store_dir, const char *pool_dir,
                                int *status, struct pingo_error *err);

#endif
