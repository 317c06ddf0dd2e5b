/* prove.c - what dual values prove of a linear program, in spite of rounding.
 *
 * Let y <= 0 be any numbers, one a row.  For each x within its bounds that keeps A x <= limits:
 *
 *     costs x  >=  costs x - y (A x - limits)  =  y limits + (costs - y A) x
 *              >=  y limits + sum over the columns of min(0, (costs - y A)_j) uppers_j.
 *
 * The last line does not know x: it is a bound, and a solver's y that is wrong, or a
 * little positive, makes it a worse bound, never a false one.
 * A sum of n products of doubles, added one by one, is off by at most
 * (n + 1) 2^-53 (1 + tiny) times the sum of their magnitudes (Higham, Accuracy and
 * Stability of Numerical Algorithms, section 3.1); twice that is taken off. */
#include <float.h>
#include <math.h>

#include "lab/bound/program.h"

struct sum {
    double value, magnitude, n;
};

static void add(struct sum *s, double a)
{
    s->value += a;
    s->magnitude += a < 0 ? -a : a;
    s->n += 1;
}

static double at_least(const struct sum *s)
{
    return s->value - (s->n + 4) * DBL_EPSILON * s->magnitude;
}

/* A usable dual value; 0 is always one. */
static double dual_of(const double *duals, int row)
{
    return duals[row] < 0 && duals[row] > -1e100 ? duals[row] : 0;
}

double pingo__lab_program_prove(const struct pingo__lab_program *p, const double *duals)
{
    struct sum total = {0};
    double least;
    for (int i = 0; i < p->nrows; i++)
        add(&total, dual_of(duals, i) * p->limits[i]);
    for (int j = 0; j < p->ncolumns; j++) {
        struct sum reduced = {0};
        add(&reduced, p->costs[j]);
        for (int k = p->starts[j]; k < p->starts[j + 1]; k++)
            add(&reduced, -dual_of(duals, p->rows[k]) * p->values[k]);
        least = at_least(&reduced);
        if (least < 0)
            add(&total, least * p->uppers[j]);
    }
    least = at_least(&total);
    return isfinite(least) ? least : (double)-INFINITY;
}
