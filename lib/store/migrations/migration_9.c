/* migration_9.c - the changes of migration 9: what is asked for often is counted in an index; see the head of
 * schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

const char *const pingo__store_migration_9[] = {
    /* How many actions of a submission an owner has in hand: without a look at each of them. */
    "DROP INDEX IF EXISTS action_handed;",
    "CREATE INDEX action_handed ON action(owner, workflow) WHERE state BETWEEN 3 AND 5;",
    NULL,
};
