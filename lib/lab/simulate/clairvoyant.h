/* clairvoyant.h - lets the algorithm of pingo_clairvoyant() see the future. */
#ifndef PINGO__LAB_CLAIRVOYANT_H
#define PINGO__LAB_CLAIRVOYANT_H

#include "lab/simulate/workload.h"

/* The decider is one of pingo_clairvoyant(); its history follows the workload's. */
int pingo__lab_clairvoyant_foresee(struct pingo_decider *decider,
                                   const struct pingo_workload *workload, struct pingo_error *err);

#endif
