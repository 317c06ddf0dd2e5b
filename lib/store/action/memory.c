/* memory.c - see memory.h. */
#include "store/action/memory.h"

int pingo__store_memory_any(struct pingo__store_db *db, bool *any, struct pingo_error *err)
{
    return pingo__db_exists(db, err, any, "SELECT 1 FROM memory", NONE);
}

int pingo__store_memory_get(struct pingo__store_db *db, const struct pingo_hash *key, int64_t *mb,
                            struct pingo_error *err)
{
    *mb = 0;
    return pingo__db_number(db, err, mb, "SELECT mb FROM memory WHERE key = ?", HASH(key));
}

int pingo__store_memory_set(struct pingo__store_db *db, const struct pingo_hash *key, int64_t mb,
                            struct pingo_error *err)
{
    return pingo__db_write(db, err, "INSERT OR REPLACE INTO memory(key, mb) VALUES(?, ?)",
                           HASH(key), INT(mb));
}
