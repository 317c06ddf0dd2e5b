/* check.h - what must hold of the rows: invariants as queries that find nothing. */
#ifndef PINGO__STORE_CHECK_H
#define PINGO__STORE_CHECK_H

#include "store/db.h"

/* object: "action 12", "dataset 3", ...; can_repair: pingo__store_check_repair() knows how. */
typedef int (*pingo__store_check_fn)(void *context, const char *invariant, const char *object,
                                     const char *message, bool can_repair);

/* I6: SQLite's own checks.  *damaged: the file is not a sound database, so no other check can be trusted. */
int pingo__store_check_database(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                                bool *damaged, struct pingo_error *err);
/* I2, I3, I5, I8 and what I4 says of rows. */
int pingo__store_check_rows(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                            struct pingo_error *err);
/* Mends what rows alone can mend.  Inside a write transaction. */
int pingo__store_check_repair(struct pingo__store_db *db, struct pingo_error *err);

#endif
