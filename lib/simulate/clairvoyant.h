/* clairvoyant.h - lets the algorithm of pingo_clairvoyant() see the future. */
#ifndef PINGO__SIMULATE_CLAIRVOYANT_H
#define PINGO__SIMULATE_CLAIRVOYANT_H

#include "simulate/workload.h"

/* The decider is one of pingo_clairvoyant().  to_whole: for each dataset of the decider's history its index in
 * the whole one; borrowed. */
int pingo__clairvoyant_foresee(struct pingo_decider *decider, const struct pingo_workload *workload,
                               const uint32_t *to_whole, struct pingo_error *err);

#endif
