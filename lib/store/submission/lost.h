/* lost.h - lost datasets whose readers are still to be planned again. */
#ifndef PINGO__STORE_LOST_H
#define PINGO__STORE_LOST_H

#include "store/action/actions.h"

/* Those who claim a dataset and have not started, up to limit, by number; in the arena. */
int pingo__store_lost_readers(struct pingo__store_db *db, int64_t dataset, size_t limit,
                              struct pingo__store_action_list *list, struct pingo_error *err);
/* Where any claims it. */
int pingo__store_lost_note(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err);
int pingo__store_lost_forget(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err);
int pingo__store_lost_is_noted(struct pingo__store_db *db, int64_t dataset, bool *is,
                               struct pingo_error *err);
/* One of those that are noted; lost->dataset 0: there is none. */
struct pingo__store_lost {
    int64_t dataset;
    struct pingo_hash hash;
};
int pingo__store_lost_next(struct pingo__store_db *db, struct pingo__store_lost *lost,
                           struct pingo_error *err);

#endif
