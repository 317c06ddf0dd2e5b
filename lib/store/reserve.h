/* reserve.h - some space of the store's own, given up when its disk is full.
 *
 * On a full disk nothing could be deleted, killed or settled: each needs room in the log.  So a file of
 * the store holds some; who begins a transaction with little left gives it up, and who finds room
 * again makes it anew.  Submissions are refused meanwhile (pingo__store_reserve_check), for they would use it up. */
#ifndef PINGO__STORE_RESERVE_H
#define PINGO__STORE_RESERVE_H

#include "store/db.h"

/* Under the lock, before a write transaction: is so little left that it was given up?  Then the log is to be written
 * back: what follows uses the log's bytes again, from its beginning, and needs no others.  Best effort. */
bool pingo__store_reserve_is_low(struct pingo__store_db *db);
/* Inside a write transaction, before rows that nobody has promised yet are added: PINGO_ENOSPACE where little was left
 * when it began. */
int pingo__store_reserve_check(const struct pingo__store_db *db, struct pingo_error *err);
/* A transaction met the full disk, or the opening of the store did. */
void pingo__store_reserve_spend(const char *directory);

#endif
