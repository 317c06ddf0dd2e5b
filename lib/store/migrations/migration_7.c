/* migration_7.c - the changes of migration 7; see the head of schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

const char *const pingo__store_migration_7[] = {
    /* Which part of a graph has a node, and which comes behind it: store/submission/graph.c. */
    "CREATE INDEX graph_part_of ON graph_part(graph, part);",
    /* What its engine tells of an attempt: a JSON object; NULL: nothing. */
    "ALTER TABLE attempt ADD COLUMN progress TEXT;",
    NULL,
};
