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
/* Before the transaction of the two that follow: what is made in it goes with it, and all SQL is prepared anew. */
int pingo__store_check_begin(struct pingo__store_db *db, struct pingo_error *err);
/* I2, I3, I5, I8 and what I4 says of rows.  In one transaction, while nobody moves to the archive.  *summed: all
 * attempts could be read, so the sums were compared with them. */
int pingo__store_check_rows(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                            bool *summed, struct pingo_error *err);
/* I6: are the descriptions what was hashed?  Reads all of them. */
int pingo__store_check_definitions(struct pingo__store_db *db, pingo__store_check_fn fn,
                                   void *context, struct pingo_error *err);
/* Its part of month files (check_archive.c), which leaves the sums of all ends in temp.ends. */
int pingo__store_check_archive(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                               bool *summed, struct pingo_error *err);
/* Mends what rows alone can mend, in the write transaction in which they were checked. */
int pingo__store_check_repair(struct pingo__store_db *db, bool summed, struct pingo_error *err);

/* Likewise: usage is counted anew from the datasets. */
int pingo__store_check_usage(struct pingo__store_db *db, struct pingo_error *err);

#endif
