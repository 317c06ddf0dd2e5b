/* shortfall.h - saying what holds the space of the pool. */
#ifndef PINGO__MANAGER_SHORTFALL_H
#define PINGO__MANAGER_SHORTFALL_H

#include "store/usage.h"

#define PINGO__BYTES_SIZE 24

/* "512", "1.5K", "10G": in units of 1024, as the settings take them. */
const char *pingo__bytes_text(char text[PINGO__BYTES_SIZE], int64_t bytes);

/* "leaves 8G (pingo release), kept 2G, ...": what no decision may take. */
void pingo__shortfall_holders(const struct pingo__usage *usage, const struct pingo__held *held,
                              char *text, size_t size);
/* "the pool holds 1.2G over its budget of 10G: leaves 8G (pingo release), ...".  marks: the budget, the high and
 * the low one; the first that is passed is named. */
void pingo__shortfall_text(const struct pingo__usage *usage, const struct pingo__held *held,
                           const int64_t marks[3], char *text, size_t size);

#endif
