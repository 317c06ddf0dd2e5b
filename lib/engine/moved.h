/* moved.h - a store or a pool that is not where it was. */
#ifndef PINGO__ENGINE_MOVED_H
#define PINGO__ENGINE_MOVED_H

#include "engine/engine.h"

/* Fills in store->pool_dir, given the path that the store remembers.  A pool in the store's own directory comes first,
 * so that the copy of a store whose pool lies elsewhere can be given one of its own; then the one that was moved or
 * copied together with the store. */
int pingo__engine_moved_pool(struct pingo_store *store, const char *remembered,
                             struct pingo_error *err);
/* After the pool was opened.  A store that was copied, moved to another disk or put back from a copy is noticed, and
 * that is told once.  Errors: PINGO_ESTORE: this is the copy of another store, which uses the same pool. */
int pingo__engine_moved_look(struct pingo_store *store, struct pingo_error *err);

#endif
