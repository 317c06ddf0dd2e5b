/* held.h - what managed datasets held at any time, as it follows from when each was made and deleted.
 *
 * A generation that was deleted before the store noted when is left out: it would
 * seem to be there for ever. */
#ifndef PINGO__STORE_HELD_H
#define PINGO__STORE_HELD_H

#include "store/db.h"

/* The first and the last moment at which something was made or deleted; -1: never. */
int pingo__store_held_period(struct pingo__store_db *db, int64_t *first_ms, int64_t *last_ms,
                             struct pingo_error *err);
/* Calls fn for each moment at which bytes came or went, in order of time, until it returns other than 0,
 * which is returned. */
typedef int (*pingo__store_held_fn)(void *context, int64_t at_ms, int64_t bytes,
                                    struct pingo_error *err);
int pingo__store_held_each(struct pingo__store_db *db, pingo__store_held_fn fn, void *context,
                           struct pingo_error *err);

#endif
