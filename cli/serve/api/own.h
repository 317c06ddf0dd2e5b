/* own.h - what is somebody else's is not told to others than admins, where serve.private is on.
 *
 * Of a submission all is its user's.  A dataset is told to who made it or wants it as a result; its name, labels and
 * paths, which stand in no hash, are those of who made it.  Numbers of users, of the pool and of what changes are told
 * to all. */
#ifndef SERVE_API_OWN_H
#define SERVE_API_OWN_H

#include "serve/api/ask.h"

/* The user whose things alone are told to who asks; NULL: everybody's. */
const char *serve_own(struct serve_ask *ask);
/* The filter "user" of a list; NULL: there is none. */
const char *serve_own_user(struct serve_ask *ask);
/* Is this submission told?  0 is none, and is not. */
bool serve_own_has(struct serve_ask *ask, int64_t workflow);
/* The same; else the answer is 403. */
bool serve_own_has_it(struct serve_ask *ask, int64_t workflow);
/* What it was computed for, as it is told: not what differs from what others submitted. */
struct pingo_why serve_own_why(struct serve_ask *ask, const struct pingo_why *why);
/* Is this dataset told? */
bool serve_own_wants(struct serve_ask *ask, const struct pingo_hash *hash);
/* The row as it is told. */
struct pingo_dataset_status serve_own_row(struct serve_ask *ask,
                                          const struct pingo_dataset_status *row);

#endif
