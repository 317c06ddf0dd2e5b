/* lost.h - lost datasets whose readers are still to be planned again. */
#ifndef PINGO__STORE_LOST_H
#define PINGO__STORE_LOST_H

#include "store/action/actions.h"

/* Those who claim a dataset and have not started, up to limit, by number; in the arena. */
int pingo__store_lost_readers(DB, int64_t dataset, size_t limit,
                              struct pingo__store_action_list *list, ERR);
/* Where any claims it. */
PINGO__WRITE(pingo__store_lost_note(DB, int64_t dataset, ERR),
             "INSERT OR IGNORE INTO lost(dataset) SELECT ?1 WHERE EXISTS"
             " (SELECT 1 FROM claim WHERE dataset = ?1)",
             INT(dataset));
PINGO__WRITE(pingo__store_lost_forget(DB, int64_t dataset, ERR),
             "DELETE FROM lost WHERE dataset = ?", INT(dataset));
PINGO__EXISTS(pingo__store_lost_is_noted(DB, int64_t dataset, bool *is, ERR), is,
              "SELECT 1 FROM lost WHERE dataset = ?", INT(dataset));
/* One of those that are noted; lost->dataset 0: there is none. */
struct pingo__store_lost {
    int64_t dataset;
    struct pingo_hash hash;
};
int pingo__store_lost_next(DB, struct pingo__store_lost *lost, ERR);

#endif
