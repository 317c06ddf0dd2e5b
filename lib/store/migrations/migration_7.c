/* migration_7.c - the changes of migrations 7, 9 and 10: what is asked for is found without a look at all that ever
 * was; see the head of schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

const char *const pingo__store_migration_7[] = {
    /* Which part of a graph has a node, and which comes behind it: store/submission/graph.c. */
    "CREATE INDEX graph_part_of ON graph_part(graph, part);",
    /* What its engine tells of an attempt: a JSON object; NULL: nothing. */
    "ALTER TABLE attempt ADD COLUMN progress TEXT;",
    NULL,
};

const char *const pingo__store_migration_9[] = {
    /* How many actions of a submission an owner has in hand: without a look at each of them. */
    "DROP INDEX IF EXISTS action_handed;",
    "CREATE INDEX action_handed ON action(owner, workflow) WHERE state BETWEEN 3 AND 5;",
    NULL,
};

const char *const pingo__store_migration_10[] = {
    /* Datasets that are not deleted, by age. */
    "DROP INDEX IF EXISTS dataset_there;",
    "CREATE INDEX dataset_there ON dataset(last_used_ms) WHERE state <> 9;",
    /* Submissions by their name, without a look at each text. */
    "DROP INDEX IF EXISTS document_name;",
    "CREATE INDEX document_name ON document(name);",
    NULL,
};
