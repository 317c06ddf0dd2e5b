/* lost.c - see lost.h; their readers are in action_lists.c. */
#include "store/submission/lost.h"

#define LOST(F, T) F(T, INT, dataset, "l.dataset") F(T, HASH, hash, "d.hash")
PINGO__KIND(losts, struct pingo__store_lost, LOST);

PINGO__GET(pingo__store_lost_next(DB, struct pingo__store_lost *lost, ERR), losts, NULL, lost,
           PINGO__SELECT(LOST) " FROM lost l CROSS JOIN dataset d ON d.id = l.dataset LIMIT 1",
           NONE);
