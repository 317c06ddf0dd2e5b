/* schema.h - the tables, as an append-only list of migrations. */
#ifndef PINGO__STORE_SCHEMA_H
#define PINGO__STORE_SCHEMA_H

#include "store/db.h"

/* Brings the database to this version, one transaction a migration.  Errors: PINGO_EVERSION when a newer
 * Pingo has migrated it, PINGO_ESTORE. */
int pingo__store_schema_migrate(struct pingo__store_db *db, struct pingo_error *err);

#endif
