/* full.h - actions that met a full disk: what they held then, and who else was writing. */
#ifndef PINGO__STORE_FULL_H
#define PINGO__STORE_FULL_H

#include <pingo/executor.h>

#include "store/db.h"

/* *before: what an earlier attempt of the action held when it met one; -1: none did.  Inside a write transaction. */
int pingo__full_note(struct pingo__db *db, int64_t action, int64_t bytes, int64_t *before,
                     struct pingo_error *err);
/* Did no attempt of another action run since then, or end since?  1 or 0. */
int pingo__full_is_alone(struct pingo__db *db, int64_t action, int64_t since_ms,
                         struct pingo_error *err);

#endif
