/* inspect.h - large outputs are read on other threads, so that a tick never waits for them.
 *
 * What always holds: an end whose output is being read is nobody's but the inspector's, until it is collected;
 * then it is settled as one whose output was looked at.  What is small is read where it is settled. */
#ifndef PINGO__MANAGER_INSPECT_H
#define PINGO__MANAGER_INSPECT_H

#include "manager/action_manager.h"

/* true: the end is theirs now, and comes out of collect in a later tick; false: settle it as it is. */
bool pingo__inspect_give(struct pingo__action_manager *m, const struct pingo_job_end *end);
/* Notes the ends whose outputs were read. */
int pingo__inspect_collect(struct pingo__action_manager *m, struct pingo_error *err);
/* Waits for what is being read, and forgets it: executors tell ends again. */
void pingo__inspect_close(struct pingo__action_manager *m);

#endif
