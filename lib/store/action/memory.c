/* memory.c - see memory.h. */
#include "store/action/memory.h"

PINGO__EXISTS(pingo__store_memory_any(DB, bool *any, ERR), any, "SELECT 1 FROM memory", NONE);

PINGO__NUMBER(pingo__store_memory_get(DB, const struct pingo_hash *key, int64_t *mb, ERR), mb, 0,
              "SELECT mb FROM memory WHERE key = ?", HASH(key));

PINGO__WRITE(pingo__store_memory_set(DB, const struct pingo_hash *key, int64_t mb, ERR),
             "INSERT OR REPLACE INTO memory(key, mb) VALUES(?, ?)", HASH(key), INT(mb));
