/* migration_6.c - the changes of migration 6; see the head of schema.c. */
#include "store/migration_6.h"

const char *const pingo__store_migration_6[] = {
    /* What few actions have, as JSON: workflow/resources.h.  NULL: cpus, memory_mb and time_limit_s say it all. */
    "ALTER TABLE node ADD COLUMN resources TEXT;",

    /* Memory that grows.  given_mb: what the next try of an action gets at least; 0: what its node says.  growths: how
     * often it died of memory and was given more.  memory_mb: what an attempt was given; NULL: nobody knows;
     * memory_from: why, enum pingo_memory_from. */
    "ALTER TABLE action ADD COLUMN given_mb INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE action ADD COLUMN growths INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE attempt ADD COLUMN memory_mb INTEGER;",
    "ALTER TABLE attempt ADD COLUMN memory_from INTEGER NOT NULL DEFAULT 0;",
    /* What was needed, by a key of digest/likeness.h. */
    "CREATE TABLE memory(key BLOB PRIMARY KEY CHECK(length(key) = 32),"
    " mb INTEGER NOT NULL CHECK(mb > 0)) STRICT, WITHOUT ROWID;",
    NULL,
};
