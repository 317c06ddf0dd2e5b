/* reading.h - large files are read on other threads, so that a tick never waits for them: outputs before they are
 * settled, and originals that nobody has hashed yet before an attempt begins.
 *
 * What always holds: what waits meanwhile waits as ahead.h says.  What was found of an original is in the store's
 * memory of contents, or, where times tell nothing (tmpfs, a file that was just written), in ours until the attempt
 * begins.  What is small, or is not as it should be, is read and told where it is met. */
#ifndef PINGO__MANAGER_READING_H
#define PINGO__MANAGER_READING_H

#include "manager/attempt/action_manager.h"
#include "manager/attempt/job.h"

/* ---- outputs ---- */

/* Would an end wait too long until its output was looked at? */
bool pingo__manager_reading_is_long(const struct pingo__manager_actions *m,
                                    const struct pingo_job_end *end);
/* It is looked at; then the end, which waits (ahead.h), is one whose output was looked at. */
int pingo__manager_reading_output(struct pingo__manager_actions *m, const struct pingo_job_end *end,
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
