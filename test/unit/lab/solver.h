/* solver.h - is there a solver for linear programs in this build? */
#ifndef TEST_SIMULATE_SOLVER_H
#define TEST_SIMULATE_SOLVER_H

#include "lab/bound/program.h"

static inline bool has_solver(void)
{
    double costs[] = {1}, uppers[] = {1}, limits[] = {1}, values[] = {1}, duals[1];
    int starts[] = {0, 1}, rows[] = {0};
    struct pingo__lab_program program = {.ncolumns = 1,
                                         .nrows = 1,
                                         .costs = costs,
                                         .uppers = uppers,
                                         .limits = limits,
                                         .starts = starts,
                                         .rows = rows,
                                         .values = values};
    struct pingo_bound_options options = {0};
    bool is_solved = false;
    return pingo__lab_program_solve(&program, &options, duals, &is_solved, NULL) !=
           PINGO_EUNSUPPORTED;
}

#endif
