/* pingo-lab.h - the umbrella of libpingo-lab: histories that are made or recorded, and what algorithms
 * and budgets would have made of them.
 *
 * A library of its own beside libpingo, with which it shares histories and the tables of algorithms. */
#ifndef PINGO_LAB_H
#define PINGO_LAB_H

#include <pingo-lab/generate.h>
#include <pingo-lab/import.h>
#include <pingo-lab/simulate.h>

#endif
