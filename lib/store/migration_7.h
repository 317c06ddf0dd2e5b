/* migration_7.h - the changes of migration 7; see the head of schema.c. */
#ifndef PINGO__STORE_MIGRATION_7_H
#define PINGO__STORE_MIGRATION_7_H

extern const char *const pingo__store_migration_7[];

#endif
