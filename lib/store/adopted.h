/* adopted.h - datasets that were made before Pingo, and taken in by their user.
 *
 * Nobody knows what they cost to make: compute_ms stays NULL. */
#ifndef PINGO__STORE_ADOPTED_H
#define PINGO__STORE_ADOPTED_H

#include "store/db.h"

/* Inside a write transaction: this generation was taken from path, and is pinned. */
int pingo__store_adopted_note(struct pingo__store_db *db, int64_t dataset, const char *path,
                              struct pingo_error *err);
/* *path: in the arena; NULL where an action made it. */
int pingo__store_adopted_from(struct pingo__store_db *db, int64_t dataset,
                              struct pingo__arena *arena, const char **path,
                              struct pingo_error *err);

#endif
