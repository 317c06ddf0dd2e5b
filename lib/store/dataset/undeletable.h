/* undeletable.h - datasets that are DELETING and whose bytes could not be removed; and orphans: what is no dataset's,
 * and could not be removed either.
 *
 * What always holds: their bytes count as used; they are nobody's until their time has
 * come, and then whoever is first takes them (pingo__store_dataset_list_left(), _adopt()).
 * Writing functions run inside a write transaction. */
#ifndef PINGO__STORE_UNDELETABLE_H
#define PINGO__STORE_UNDELETABLE_H

#include "store/db.h"

#define PINGO__UNDELETABLE_LONGEST_MS INT64_C(3600000) /* between two tries */

/* It could not be removed once more.  *wait_ms: how long until it may be tried again: 10 s, and twice as long
 * with each try, up to an hour. */
int pingo__store_undeletable_note(struct pingo__store_db *db, int64_t dataset, const char *message,
                                  int64_t *wait_ms, struct pingo_error *err);
/* It has gone. */
int pingo__store_undeletable_forget(struct pingo__store_db *db, int64_t dataset,
                                    struct pingo_error *err);

/* An orphan, by its name below the pool. */
int pingo__store_orphan_note(struct pingo__store_db *db, const char *name, int64_t bytes,
                             struct pingo_error *err);
int pingo__store_orphan_forget(struct pingo__store_db *db, const char *name,
                               struct pingo_error *err);
/* Their names. */
int pingo__store_orphan_list(struct pingo__store_db *db, struct pingo__store_text_list *list,
                             struct pingo_error *err);

#endif
