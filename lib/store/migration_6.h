/* migration_6.h - rare resources, memory that grows; see migration_6.c. */
#ifndef PINGO__STORE_MIGRATION_6_H
#define PINGO__STORE_MIGRATION_6_H

#include "store/db.h"

extern const char *const pingo__store_migration_6[];

#endif
