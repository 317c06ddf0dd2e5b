/* migration_6.h - graphs in parts that they share, rare resources, memory that grows; see migration_6.c. */
#ifndef PINGO__STORE_MIGRATION_6_H
#define PINGO__STORE_MIGRATION_6_H

#include "store/db.h"

/* Before and after the rows of graphs are taken over. */
extern const char *const pingo__store_migration_6[], *const pingo__store_migration_6_end[];
int pingo__store_parts_of_graphs(struct pingo__store_db *db, struct pingo_error *err);

#endif
