/* asking.h - a scheduler whose pool lies elsewhere asks it on other threads, and goes on meanwhile.
 *
 * Who needs the pool for a purpose (an attempt that is to start, one that has ended) begins to ask for it by a key,
 * does all that is to be done, and ends.  Where an answer was missing all of it waits: the key is told when there are
 * answers, and then it is done again from its beginning, with them (pool/memo.h).  Between two such purposes nothing
 * may be asked of the context's pool; what is put into the trash goes there later.
 * What always holds: nobody waits for the pool on the thread of the scheduler; a pool that does not answer is no error:
 * it is told once, and asked again by one until it does; what was brought here for attempts stays as long as they may
 * read it.  Without such a pool all of this does nothing. */
#ifndef PINGO__MANAGER_ASKING_H
#define PINGO__MANAGER_ASKING_H

#include <pingo/executor.h>

#include "manager/context.h"

struct pingo__manager_asking; /* of a context; opaque */

/* Purposes besides attempts, which are (action, epoch), and actions that are to start, (action, 0). */
#define PINGO__ASK_SWEEP ((struct pingo_job_key){0, 1})
#define PINGO__ASK_ORPHANS ((struct pingo_job_key){0, 2})

/* c: has its workers, and the pool itself as pool and as patient; gets a handle that never waits where it lies
 * elsewhere. */
int pingo__manager_asking_open(struct pingo__manager_context *c, struct pingo_error *err);
/* Waits for who asks just now. */
void pingo__manager_asking_close(struct pingo__manager_context *c);

/* *waits: its questions have no answers yet, so nothing can be done now. */
int pingo__manager_ask_begin(struct pingo__manager_context *c, struct pingo_job_key key,
                             bool *waits, struct pingo_error *err);
/* rc: what it came to.  *waits: an answer was missing, which is no error; else what was returned. */
int pingo__manager_ask_end(struct pingo__manager_context *c, struct pingo_job_key key, int rc,
                           bool *waits);
/* Its answers are not needed any more. */
void pingo__manager_ask_forget(struct pingo__manager_context *c, struct pingo_job_key key);

/* Takes what was answered, and asks what is to be asked again. */
int pingo__manager_asking_tick(struct pingo__manager_context *c, struct pingo_error *err);
/* One that waited, and has answers now; *key {0, 0}: no more of them. */
void pingo__manager_ask_next(struct pingo__manager_context *c, struct pingo_job_key *key);
/* How many wait; of them those that are to start. */
size_t pingo__manager_asking_count(const struct pingo__manager_context *c, size_t *starts);
/* Others asked it, with this result.  true: it was told, for it says that the pool does not answer. */
bool pingo__manager_asking_note(struct pingo__manager_context *c, int rc, const char *why);
bool pingo__manager_asking_is_away(const struct pingo__manager_context *c);
/* Waits until each was answered; *away: the pool does not answer. */
int pingo__manager_asking_wait(struct pingo__manager_context *c, bool *away,
                               struct pingo_error *err);

#endif
