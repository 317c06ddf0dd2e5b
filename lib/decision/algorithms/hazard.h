/* hazard.h - how likely it is that a dataset is needed by the next workflows.
 *
 * Datasets are grouped into cells by how often they were demanded, how long ago
 * the last time, and how long ago they were mentioned.  A cell counts its exposure
 * (datasets times submissions) and its events (demands); a product of three factors
 * is fitted to them.
 *
 * Datasets that came together are often demanded together: a hundred of one workflow
 * that is not submitted again tell hardly more than one of them.  How far the events
 * of a cell and a submission lie from what was expected is the dispersion; so many
 * times as much is needed to outweigh what is thought at first. */
#ifndef PINGO__DECISION_HAZARD_H
#define PINGO__DECISION_HAZARD_H

#include <stdint.h>

#define PINGO__HAZARD_COUNTS 5 /* demands: 0, 1, 2, 3 to 4, 5 and more */
#define PINGO__HAZARD_AGES 8   /* 1, 2 to 3, 4 to 7, ..., 128 and more submissions */
#define PINGO__HAZARD_CELLS (PINGO__HAZARD_COUNTS * PINGO__HAZARD_AGES * PINGO__HAZARD_AGES)
/* Gains are numbers of 2^-40, so that sums do not depend on their order. */
#define PINGO__HAZARD_UNIT 1099511627776.0

struct pingo__decision_hazard {
    uint64_t exposure[PINGO__HAZARD_CELLS];
    uint64_t events[PINGO__HAZARD_CELLS];
    uint32_t alive[PINGO__HAZARD_CELLS]; /* datasets that are in it now */
    uint32_t fresh[PINGO__HAZARD_CELLS]; /* events of the submission that comes just now */
    double rate[PINGO__HAZARD_CELLS];    /* the hazard, as it was fitted last */
    double squares, expected;            /* of the dispersion: summed over cells and submissions */
    uint64_t gain[PINGO__HAZARD_CELLS];  /* g, in units; 1 or more */
    double prior[PINGO__HAZARD_AGES];    /* what the factor of an age is where nothing is known */
    double weight;                       /* of the prior, in events */
};

/* decay: the prior of an age falls by 2^-decay from bin to bin; 0 to 8. */
void pingo__decision_hazard_init(struct pingo__decision_hazard *h, double decay, double weight);
/* The cell of a dataset that was demanded so often, and last demanded (or made) and mentioned so many
 * submissions ago, 1 or more. */
uint16_t pingo__decision_hazard_cell(uint32_t demands, uint32_t demand_age, uint32_t mention_age);
/* The submission that comes demands a dataset of a cell. */
void pingo__decision_hazard_demand(struct pingo__decision_hazard *h, uint16_t cell);
/* All its demands were told: every dataset was exposed to it once, in the cell in which it still is. */
void pingo__decision_hazard_expose(struct pingo__decision_hazard *h);
/* How much more the events vary than if each came by itself: 1 or more. */
double pingo__decision_hazard_dispersion(const struct pingo__decision_hazard *h);
/* Fits the factors and makes the gains anew. */
void pingo__decision_hazard_fit(struct pingo__decision_hazard *h);

#endif
