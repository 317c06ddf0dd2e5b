/* memory.h - how much memory an attempt is given, and what its end teaches.
 *
 * What always holds: a try because memory grew uses up no retry; what an action that died of memory is given next is in
 * the same transaction as its end.  Source: Columbus thesis 5.3, the shelf. */
#ifndef PINGO__MANAGER_MEMORY_H
#define PINGO__MANAGER_MEMORY_H

#include "manager/attempt/callback.h"
#include "manager/attempt/executors.h"

/* Sets the job's memory: what the definition says of this try, what the action has grown to, or, for its first, what
 * the store remembers of its like.  e: who is to run it; remembers: of some action, at least: store/action/memory.h. */
int pingo__manager_memory_give(struct pingo__manager_context *c, struct pingo__manager_prepared *p,
                               const struct pingo__manager_executor *e, bool remembers,
                               struct pingo_error *err);
/* Inside a write transaction: the attempt is noted with what it is given. */
int pingo__manager_memory_given(struct pingo__manager_context *c,
                                const struct pingo__manager_prepared *p, struct pingo_error *err);

/* It died of memory.  again: it is to be tried with more, and message says so; else message says what would help, to
 * follow another. */
struct pingo__manager_growth {
    bool again;
    char message[256];
};
int pingo__manager_memory_grow(const struct pingo__manager_settling *s,
                               struct pingo__manager_growth *growth, struct pingo_error *err);
/* It ended well: what others of its program will be given at first. */
int pingo__manager_memory_learn(const struct pingo__manager_settling *s, struct pingo_error *err);

#endif
