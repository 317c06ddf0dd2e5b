/* inspect.h - large outputs are read on other threads, so that a tick never waits for them.
 *
 * What always holds: an end whose output is being read is nobody's but the inspector's, until it is collected;
 * then it is settled as one whose output was looked at.  What is small is read where it is settled. */
#ifndef PINGO__MANAGER_INSPECT_H
#define PINGO__MANAGER_INSPECT_H

#include "manager/attempt/action_manager.h"

/* true: the end is theirs now, and comes out of collect in a later tick; false: settle it as it is. */
bool pingo__manager_inspect_give(struct pingo__manager_actions *m, const struct pingo_job_end *end);
/* Inside a transaction: ends that they were given since are kept in the store.  What was committed is told by
 * pingo__manager_inspect_saved(). */
int pingo__manager_inspect_save(struct pingo__manager_actions *m, struct pingo_error *err);
void pingo__manager_inspect_saved(struct pingo__manager_actions *m);
/* An attempt that was adopted: as if its executor told the end that an earlier process had kept, where one had. */
int pingo__manager_inspect_resume(struct pingo__manager_actions *m, struct pingo_job_key key,
                                  struct pingo_error *err);
/* Notes the ends whose outputs were read, and lets go on who waited for an original (reading.h). */
int pingo__manager_inspect_collect(struct pingo__manager_actions *m, struct pingo_error *err);
/* Waits until nothing is being read, and collects it. */
int pingo__manager_inspect_finish(struct pingo__manager_actions *m, struct pingo_error *err);
/* Waits for what is being read, and forgets it. */
void pingo__manager_inspect_close(struct pingo__manager_actions *m);

#endif
