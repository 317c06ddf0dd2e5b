/* full.c - see full.h. */
#include "store/action/full.h"
#include "store/submission/graph.h"

#define MOST(F, T)                                                                                 \
    F(T, INT, workflow, "a.workflow")                                                              \
    F(T, INT, user_id, "n.user_id") F(T, INT, bytes, "max(f.bytes)")
PINGO__KIND(mosts, struct pingo__store_full_most, MOST);

#define ITS_NODE PINGO__JOIN_WORKFLOW_NODE("CROSS")
PINGO__GET(pingo__store_full_most(DB, struct pingo__store_full_most *most, ERR), mosts, NULL, most,
           PINGO__SELECT(MOST) " FROM disk_full f CROSS JOIN action a ON a.id = f.action" ITS_NODE
                               "WHERE a.state = " ACTION_READY,
           NONE);
