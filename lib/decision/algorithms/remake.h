/* remake.h - what it takes to make datasets again once they are gone. */
#ifndef PINGO__DECISION_REMAKE_H
#define PINGO__DECISION_REMAKE_H

#include "decision/algorithms/stored.h"

/* How many missing ancestors are looked for: as many as the algorithms do. */
#define PINGO__REMAKE_REACH 128

/* n present datasets go, one after the other.  each_ms[i]: the time of i and of the ancestors that are missing
 * once it is gone, those that went before it among them.  *together_ms: of all, each ancestor once.  s, of
 * reach PINGO__REMAKE_REACH, tells what is present, and stays as it is but for what its searches leave.
 * Times that are not known count as nothing.  false: no memory. */
bool pingo__decision_remake(struct pingo__decision_stored *s, const uint32_t *datasets, size_t n,
                            int64_t *each_ms, int64_t *together_ms);

#endif
