/* migration_8.h - the changes of migration 8; see the head of schema.c. */
#ifndef PINGO__STORE_MIGRATION_8_H
#define PINGO__STORE_MIGRATION_8_H

#include "store/db.h"

extern const char *const pingo__store_migration_8[];
/* What ended before there were sums is summed: summary.c. */
int pingo__store_summary_fill(struct pingo__store_db *db, struct pingo_error *err);

#endif
