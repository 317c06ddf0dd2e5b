/* lost.c - see lost.h; their readers are in action_lists.c. */
#include "store/submission/lost.h"

PINGO__WRITE(pingo__store_lost_note(DB, int64_t dataset, ERR),
             "INSERT OR IGNORE INTO lost(dataset) SELECT ?1 WHERE EXISTS"
             " (SELECT 1 FROM claim WHERE dataset = ?1)",
             INT(dataset));

PINGO__WRITE(pingo__store_lost_forget(DB, int64_t dataset, ERR),
             "DELETE FROM lost WHERE dataset = ?", INT(dataset));

PINGO__EXISTS(pingo__store_lost_is_noted(DB, int64_t dataset, bool *is, ERR), is,
              "SELECT 1 FROM lost WHERE dataset = ?", INT(dataset));

#define LOST(F, T) F(T, INT, dataset, "l.dataset") F(T, HASH, hash, "d.hash")
PINGO__KIND(losts, struct pingo__store_lost, LOST);

PINGO__GET(pingo__store_lost_next(DB, struct pingo__store_lost *lost, ERR), losts, NULL, lost,
           PINGO__SELECT(LOST) " FROM lost l CROSS JOIN dataset d"
                               " ON d.id = l.dataset LIMIT 1",
           NONE);
