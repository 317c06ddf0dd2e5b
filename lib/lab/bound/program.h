/* program.h - a linear program, its solver, and what a solver's answer proves.
 *
 *     minimise costs * x   where   0 <= x <= uppers   and   A * x <= limits
 *
 * The solver is a library outside (clp/) or none (none/); the Makefile chooses. */
#ifndef PINGO__LAB_PROGRAM_H
#define PINGO__LAB_PROGRAM_H

#include <pingo-lab/simulate.h>

struct pingo__lab_program {
    int ncolumns, nrows;
    double *costs, *uppers; /* of each column, finite */
    double *limits;         /* of each row */
    int *starts;            /* of each column, and one more: where its elements begin */
    int *rows;              /* of each element */
    double *values;         /* of each element */
};

/* Looks for the best dual values; duals: one a row, yours.  Of the options it takes max_iterations and progress.  They
 * are as good as the solver's arithmetic and
 * max_iterations let them be: what they prove is told by pingo__lab_program_prove().  *is_solved: the solver
 * says that they are the best.  Errors: PINGO_EUNSUPPORTED (no solver), PINGO_EINTERRUPTED, PINGO_ENOMEM. */
int pingo__lab_program_solve(const struct pingo__lab_program *program,
                             const struct pingo_bound_options *options, double *duals,
                             bool *is_solved, struct pingo_error *err);

/* A number that the least value of the program is not below, by weak duality, whatever the duals are:
 * good ones give a good number.  Rounding is reckoned with.  May be minus infinity. */
double pingo__lab_program_prove(const struct pingo__lab_program *program, const double *duals);

#endif
