/* memory.h - how much memory actions needed: the history's word, by a key of digest/likeness.h. */
#ifndef PINGO__STORE_MEMORY_H
#define PINGO__STORE_MEMORY_H

#include "store/db.h"

/* Is anything remembered at all? */
PINGO__EXISTS(pingo__store_memory_any(DB, bool *any, ERR), any, "SELECT 1 FROM memory", NONE);
/* 0: nothing is remembered. */
PINGO__NUMBER(pingo__store_memory_get(DB, const struct pingo_hash *key, int64_t *mb, ERR), mb, 0,
              "SELECT mb FROM memory WHERE key = ?", HASH(key));
/* Inside a write transaction. */
PINGO__WRITE(pingo__store_memory_set(DB, const struct pingo_hash *key, int64_t mb, ERR),
             "INSERT OR REPLACE INTO memory(key, mb) VALUES(?, ?)", HASH(key), INT(mb));

#endif
