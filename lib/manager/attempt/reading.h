/* reading.h - large files are read on other threads, so that a tick never waits for them: outputs before they are
 * settled, and originals that nobody has hashed yet before an attempt begins.
 *
 * What always holds: an end whose output is being read is nobody's but the reader's, until it is collected; then it is
 * settled as one whose output was looked at.  An action that waits for an original is PROCESSING and ours, and READY
 * again when it was read; then it is claimed anew, as far as it may be.  What was found is in the store's memory of
 * contents, or, where times tell nothing (tmpfs, a file that was just written), in ours until the attempt begins.
 * What is small, or is not as it should be, is read and told where it is met. */
#ifndef PINGO__MANAGER_READING_H
#define PINGO__MANAGER_READING_H

#include "manager/attempt/action_manager.h"
#include "manager/attempt/job.h"

/* ---- outputs ---- */

/* *taken: the end is theirs now, and is noted when its output was read; else settle it as it is. */
void pingo__manager_reading_give(struct pingo__manager_actions *m, const struct pingo_job_end *end,
                                 bool *taken);
/* Inside a transaction: m->told, the ends that they were given since the last commit, are kept in the store. */
int pingo__manager_reading_save(struct pingo__manager_actions *m, struct pingo_error *err);
/* An attempt that was adopted: as if its executor told the end that an earlier process had kept, where one had. */
int pingo__manager_reading_resume(struct pingo__manager_actions *m, struct pingo_job_key key,
                                  struct pingo_error *err);

/* ---- originals ---- */

/* Must something be read before this attempt is prepared further?  *waits: yes, and it is being read. */
int pingo__manager_reading_first(struct pingo__manager_actions *m, struct pingo__manager_prepared *p,
                                 bool *waits, struct pingo_error *err);
/* How many actions wait. */
size_t pingo__manager_reading_waiting(const struct pingo__manager_actions *m);

/* ---- both ---- */

/* Waits until nothing is being read; what of it are originals is left off. */
int pingo__manager_reading_finish(struct pingo__manager_actions *m, struct pingo_error *err);
/* When nothing is being read any more. */
void pingo__manager_reading_clear(struct pingo__manager_actions *m);

#endif
