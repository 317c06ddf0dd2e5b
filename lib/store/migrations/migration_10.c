/* migration_10.c - the changes of migration 10: what is there is listed without a look at all that ever was; see the
 * head of schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

const char *const pingo__store_migration_10[] = {
    /* Datasets that are not deleted, by age. */
    "DROP INDEX IF EXISTS dataset_there;",
    "CREATE INDEX dataset_there ON dataset(last_used_ms) WHERE state <> 9;",
    NULL,
};
