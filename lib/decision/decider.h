/* decider.h - the state behind a decider, for who wrote its algorithm. */
#ifndef PINGO__DECISION_DECIDER_H
#define PINGO__DECISION_DECIDER_H

#include <pingo/decision.h>

/* What the algorithm's open() gave.  Borrowed. */
void *pingo__decider_state(struct pingo_decider *decider);

#endif
