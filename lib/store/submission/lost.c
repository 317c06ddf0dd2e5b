/* lost.c - see lost.h; their readers are in action_lists.c. */
#include "store/submission/lost.h"

int pingo__store_lost_note(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err)
{
    return pingo__db_write(db, err,
                           "INSERT OR IGNORE INTO lost(dataset) SELECT ?1 WHERE EXISTS"
                           " (SELECT 1 FROM claim WHERE dataset = ?1)",
                           INT(dataset));
}

int pingo__store_lost_forget(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err)
{
    return pingo__db_write(db, err, "DELETE FROM lost WHERE dataset = ?", INT(dataset));
}

int pingo__store_lost_is_noted(struct pingo__store_db *db, int64_t dataset, bool *is,
                               struct pingo_error *err)
{
    return pingo__db_exists(db, err, is, "SELECT 1 FROM lost WHERE dataset = ?", INT(dataset));
}

#define LOST(F, T) F(T, INT, dataset, "l.dataset") F(T, HASH, hash, "d.hash")
PINGO__KIND(losts, struct pingo__store_lost, LOST);

int pingo__store_lost_next(struct pingo__store_db *db, struct pingo__store_lost *lost,
                           struct pingo_error *err)
{
    return pingo__db_row(db, err, &losts, NULL, lost,
                         PINGO__SELECT(LOST) " FROM lost l CROSS JOIN dataset d"
                                             " ON d.id = l.dataset LIMIT 1",
                         NONE);
}
