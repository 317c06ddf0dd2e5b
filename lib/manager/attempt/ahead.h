/* ahead.h - what has ended, or is to start, waits for other threads: they read what is large (reading.h), or ask a pool
 * that lies elsewhere (asking.h).  What has ended waits, too, as long as a place that it reads, or is put to, is
 * closed.
 *
 * What always holds: an end that waits is in the store, or will be told again; an action that waits is PROCESSING and
 * ours, and READY again when there are answers: then it is claimed anew, as far as it may be, and they are used. */
#ifndef PINGO__MANAGER_AHEAD_H
#define PINGO__MANAGER_AHEAD_H

#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"

/* Prepares the first n ends in s.  Those that wait leave both; *n: the others, which can be applied. */
int pingo__manager_ahead_prepare(struct pingo__manager_actions *m, struct pingo__manager_settling *s,
                                 size_t *n, struct pingo__arena *arena, struct pingo_error *err);
/* What was answered goes on: ends are ends again, actions READY. */
int pingo__manager_ahead_go_on(struct pingo__manager_actions *m, struct pingo_error *err);
/* Before we go: waits for what has ended.  *more: some of it goes on; else nothing does any more, and what
 * was to start is READY. */
int pingo__manager_ahead_wait(struct pingo__manager_actions *m, bool *more, struct pingo_error *err);

#endif
