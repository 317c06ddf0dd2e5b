/* reading.h - large originals that nobody has hashed yet are read on other threads before an attempt begins.
 *
 * What always holds: an action that waits for that is PROCESSING and ours, and READY again when it was read; then it
 * is claimed anew, as far as it may be.  What was found is in the store's memory of contents, or, where
 * times tell nothing (tmpfs, a file that was just written), in ours until the attempt begins.  What is small, or is
 * not as it should be, is read and told where the attempt is prepared. */
#ifndef PINGO__MANAGER_READING_H
#define PINGO__MANAGER_READING_H

#include "manager/attempt/action_manager.h"
#include "manager/dataset/deletors.h"
#include "manager/attempt/job.h"

#define PINGO__LARGE (INT64_C(1) << 20) /* bytes: so much is read where it is met */

/* The threads, of the outputs too; false: there are none, and nothing is given to them. */
bool pingo__manager_reading_has_threads(struct pingo__manager_actions *m);
/* Must something be read before this attempt is prepared further?  *waits: yes, and it is being read. */
int pingo__manager_reading_first(struct pingo__manager_actions *m, struct pingo__manager_prepared *p,
                                 bool *waits, struct pingo_error *err);
/* A chore of inspectors that is one of these comes back: who waited for it is READY.  true: it was one. */
bool pingo__manager_reading_take(struct pingo__manager_actions *m,
                                 struct pingo__manager_chore *chore, int *rc,
                                 struct pingo_error *err);
/* How many actions wait. */
size_t pingo__manager_reading_waiting(const struct pingo__manager_actions *m);
/* What is being read is left off: it comes back soon. */
void pingo__manager_reading_stop(struct pingo__manager_actions *m);
/* When nothing is being read any more. */
void pingo__manager_reading_clear(struct pingo__manager_actions *m);

#endif
