/* memory.h - how much memory actions needed: the history's word, by a key of digest/likeness.h. */
#ifndef PINGO__STORE_MEMORY_H
#define PINGO__STORE_MEMORY_H

#include "store/db.h"

/* Is anything remembered at all? */
int pingo__store_memory_any(struct pingo__store_db *db, bool *any, struct pingo_error *err);
/* 0: nothing is remembered. */
int pingo__store_memory_get(struct pingo__store_db *db, const struct pingo_hash *key, int64_t *mb,
                            struct pingo_error *err);
/* Inside a write transaction. */
int pingo__store_memory_set(struct pingo__store_db *db, const struct pingo_hash *key, int64_t mb,
                            struct pingo_error *err);

#endif
