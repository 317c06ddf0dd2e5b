/* migration_10.c - the changes of migration 10: what is asked for is found without a look at all that ever was; see
 * the head of schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

const char *const pingo__store_migration_10[] = {
    /* Datasets that are not deleted, by age. */
    "DROP INDEX IF EXISTS dataset_there;",
    "CREATE INDEX dataset_there ON dataset(last_used_ms) WHERE state <> 9;",
    /* Submissions by their name, without a look at each text. */
    "DROP INDEX IF EXISTS document_name;",
    "CREATE INDEX document_name ON document(name);",
    NULL,
};
