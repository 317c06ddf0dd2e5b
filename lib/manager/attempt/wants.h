/* wants.h - of READY actions that could not be claimed: what each asks for, so that its row need not be read again.
 *
 * What always holds: an action is known here only as long as it stayed READY since it was looked at; who claims it, and
 * whatever another process does, makes it unknown, and then it is read as any other. */
#ifndef PINGO__MANAGER_WANTS_H
#define PINGO__MANAGER_WANTS_H

#include "store/action/actions.h"

#define PINGO__WANTS 256 /* kinds, of which the first two say: */
enum { PINGO__WANT_UNKNOWN, PINGO__WANT_FOREIGN /* it runs where we have no executor */ };

struct pingo__manager_actions;
struct pingo__manager_want; /* what actions of one kind ask for */

struct pingo__manager_wants {
    int64_t version, since_ms; /* of the store, and by the clock */
    uint8_t **pages;           /* kinds by number of action; NULL: all of these are unknown */
    size_t npages, cpages;
    struct pingo__arena arena;
    struct pingo__manager_want *kinds;
    size_t nkinds, ckinds;
};

/* What may have changed is unknown. */
void pingo__manager_wants_refresh(struct pingo__manager_actions *m);
/* All are unknown. */
void pingo__manager_wants_clear(struct pingo__manager_wants *wants);
unsigned pingo__manager_wants_get(const struct pingo__manager_wants *wants, int64_t action);
/* Where there is no memory it stays unknown. */
void pingo__manager_wants_set(struct pingo__manager_wants *wants, int64_t action, unsigned kind);
/* The kind of an action that names these resources; PINGO__WANT_UNKNOWN: it has none yet. */
unsigned pingo__manager_wants_find(const struct pingo__manager_wants *wants, size_t executor,
                                   const struct pingo__store_asking *asking);
/* Likewise, and it gets one; PINGO__WANT_UNKNOWN: there are too many. */
unsigned pingo__manager_wants_kind(struct pingo__manager_wants *wants, size_t executor,
                                   const struct pingo__store_asking *asking);

#endif
