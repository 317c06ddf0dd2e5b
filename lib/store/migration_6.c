/* migration_6.c - the changes of migration 6; see the head of schema.c. */
#include "store/migration_6.h"

const char *const pingo__store_migration_6[] = {
    /* What few actions have, as JSON: workflow/resources.h.  NULL: cpus, memory_mb and time_limit_s say it all. */
    "ALTER TABLE node ADD COLUMN resources TEXT;",
    NULL,
};
