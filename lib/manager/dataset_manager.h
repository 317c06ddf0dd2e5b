/* dataset_manager.h - STORED_TO_DELETE -> PROCESSING -> DELETING -> DELETED: thesis 3.6.
 *
 * What always holds: only an unclaimed generation reaches DELETING, and from there only
 * DELETED follows; the path of a generation is used by no other, so a slow deletor
 * removes nothing that was made again. */
#ifndef PINGO__MANAGER_DATASET_MANAGER_H
#define PINGO__MANAGER_DATASET_MANAGER_H

#include "manager/context.h"

/* Deletes up to limit datasets, and what a dead deletor left.  *deleted: how many. */
int pingo__dataset_manager_tick(struct pingo__context *c, size_t limit, size_t *deleted,
                                struct pingo_error *err);

#endif
