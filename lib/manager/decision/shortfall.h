/* shortfall.h - saying what holds the space of the pool. */
#ifndef PINGO__MANAGER_SHORTFALL_H
#define PINGO__MANAGER_SHORTFALL_H

#include "base/units.h"
#include "store/decision/usage.h"

#define PINGO__HOLDERS_SIZE 352
/* "leaves 8 GiB (pingo release lets go of them), kept 2 GiB (...)": what no decision may take, the largest
 * first, and what becomes of each.  What holds nothing is left out. */
void pingo__manager_shortfall_holders(const struct pingo__store_usage *usage,
                                      const struct pingo__store_held *held, char *text, size_t size);
/* "the pool holds 1.2 GiB over its budget of 10 GiB: leaves 8 GiB (...), ...".  marks: the budget, the high and
 * the low one; the first that is passed is named. */
void pingo__manager_shortfall_text(const struct pingo__store_usage *usage,
                                   const struct pingo__store_held *held, const int64_t marks[3],
                                   char *text, size_t size);

#endif
