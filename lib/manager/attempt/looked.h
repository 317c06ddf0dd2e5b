/* looked.h - what the last look for READY actions found: it is known until something changes.
 *
 * What always holds: the answer is kept only as long as all that it came from is as it was: the rows of the store, of
 * which others' changes and ours are counted; what the executors have of what is counted; types, scope and shares; and
 * the time, until the next action becomes due.  All the same it is found anew once a minute. */
#ifndef PINGO__MANAGER_LOOKED_H
#define PINGO__MANAGER_LOOKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct pingo__manager_actions;
struct pingo__manager_fitting;
struct pingo__manager_count; /* how much an executor had of something */

struct pingo__manager_looked {
    bool known, any; /* is there one that could start? */
    bool shared;
    int64_t version, changes; /* of the store: others' and ours */
    size_t nscopes;           /* how often the scope was set */
    int64_t looked_ms, next_ms;
    struct pingo__arena arena;
    struct pingo__manager_count *counts;
    size_t ncounts;
};

/* Is it as it was?  Then looked->any is the answer; else what is found now is kept by
 * pingo__manager_looked_keep(), for the store as it is now. */
bool pingo__manager_looked_same(struct pingo__manager_actions *m);
/* The next action becomes due at next_ms; INT64_MAX: none is to wait. */
void pingo__manager_looked_keep(struct pingo__manager_actions *m, bool any, int64_t next_ms,
                                const struct pingo__manager_fitting *fitting);
void pingo__manager_looked_clear(struct pingo__manager_looked *looked);

#endif
