/* looked.h - what the last look for READY actions found: it is known until something changes.
 *
 * What always holds: the answer is kept only as long as all that it came from is as it was: the rows of the store, of
 * which others' changes and ours are counted; what the executors have of what is counted; types, scope and shares; and
 * the time, until the next action becomes due.  Of those that could not start it is known what each asks for, so that
 * its row need not be read again, only as long as it stayed READY since: who claims it, and whatever another process
 * does, makes it unknown.  All the same everything is found anew once a minute. */
#ifndef PINGO__MANAGER_LOOKED_H
#define PINGO__MANAGER_LOOKED_H

#include "manager/attempt/counters.h"

#define PINGO__KINDS 256 /* of what READY actions ask for; the first two say: */
enum { PINGO__KIND_UNKNOWN, PINGO__KIND_FOREIGN /* it runs where we have no executor */ };

struct pingo__manager_actions;
struct pingo__manager_kind { /* what actions of one kind ask for */
    size_t executor;         /* index */
    const char *resources;
    int64_t nfailed;
};

struct pingo__manager_looked {
    bool known, any;                          /* is there one that could start? */
    int64_t next_ms;                          /* the next becomes due; INT64_MAX: none is to wait */
    struct pingo__arena arena;                /* of what follows */
    struct pingo__manager_counters *counters; /* by executor; NULL: nobody asked for what is counted */
    /* It came from: */
    bool shared;
    int64_t version, changes; /* of the store: others' and ours */
    size_t nscopes;           /* how often the scope was set */
    int64_t since_ms;         /* of what is known at all */
    /* What could not start: */
    uint8_t **pages; /* kinds by number of action; NULL: all of these are unknown */
    size_t npages, cpages;
    struct pingo__arena kept; /* of the kinds */
    struct pingo__manager_kind *kinds;
    size_t nkinds, capacity;
};

/* Is it as it was?  Then looked->any is the answer; else what is found now is written there, for the store as it is
 * now. */
bool pingo__manager_looked_same(struct pingo__manager_actions *m);
/* Nothing is known. */
void pingo__manager_looked_clear(struct pingo__manager_looked *looked);

#endif
