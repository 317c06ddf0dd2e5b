/* ticks.h - the scheduler, on a thread of its own with a handle of its own. */
#ifndef SERVE_TICKS_H
#define SERVE_TICKS_H

#include "serve/work/work.h"

struct serve_ticks;

/* There is one, once.  Errors: as pingo_store_open() and pingo_scheduler_open(). */
int serve_ticks_start(struct serve *serve, struct serve_ticks **ticks, struct pingo_error *err);
/* Something was submitted, killed, resumed: look at once.  Any thread; NULL is fine. */
void serve_ticks_wake(struct serve_ticks *ticks);
/* When a tick last went well, ms since 1970; 0: none has. */
int64_t serve_ticks_last(struct serve_ticks *ticks);
/* What runs goes on.  NULL is fine. */
void serve_ticks_stop(struct serve_ticks *ticks);

#endif
