/* claim.h - which READY actions are claimed, and how many: what the slots take, and some work ahead. */
#ifndef PINGO__MANAGER_CLAIM_H
#define PINGO__MANAGER_CLAIM_H

#include "manager/attempt/flight.h"

/* Without the lock: is there any to take it for, and how many may be claimed?  What stands before others' turns makes
 * way. */
int pingo__manager_claim_look(struct pingo__manager_actions *m, size_t *nclaim, bool *any,
                              struct pingo__arena *arena, struct pingo_error *err);
/* In a write transaction: up to limit are PROCESSING, and ours. */
int pingo__manager_claim(struct pingo__manager_actions *m, size_t limit, struct pingo__arena *arena,
                         struct pingo__store_action_list *claimed, struct pingo_error *err);

#endif
