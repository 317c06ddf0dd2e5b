/* migration_5.h - objects are rows of their own; see migration_5.c. */
#ifndef PINGO__STORE_MIGRATION_5_H
#define PINGO__STORE_MIGRATION_5_H

#include "store/db.h"

extern const char *const pingo__store_migration_5[];

#endif
