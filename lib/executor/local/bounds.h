/* bounds.h - the bounds that a process is under and cannot lift again: hard limits, the nice value, and which files,
 * users and networks there are for it.
 *
 * The supervisor inherits them from the process that starts it, and hands them down to every user's actions.  Each
 * client therefore sends its own, and a supervisor under stricter ones, or in another container, makes way for
 * another. */
#ifndef PINGO__LOCAL_BOUNDS_H
#define PINGO__LOCAL_BOUNDS_H

#include <stdbool.h>

#include "base/buffer.h"

#define PINGO__BOUNDS_LIMITS 16 /* of getrlimit(2) */

struct pingo__executor_bounds {
    uint64_t hard[PINGO__BOUNDS_LIMITS];
    int64_t nice; /* above 0, or 0 */
    uint64_t view; /* of its root, of what is mounted where, and of its namespaces of users and networks: equal if a
                    * command finds the same */
};

uint64_t pingo__executor_bounds_view(void);
/* Of the calling thread: a nice value is a thread's. */
void pingo__executor_bounds_read(struct pingo__executor_bounds *b);
void pingo__executor_bounds_put(struct pingo__buffer *out, const struct pingo__executor_bounds *b);
bool pingo__executor_bounds_get(struct pingo__buffer_reader *in, struct pingo__executor_bounds *b);
/* Is one of ours stricter than one of theirs?  Its name, or NULL. */
const char *pingo__executor_bounds_stricter(const struct pingo__executor_bounds *ours,
                                            const struct pingo__executor_bounds *theirs);

#endif
