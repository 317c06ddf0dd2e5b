/* solve_none.c - stands for the solver in builds without one.
 *
 * Compiled where pkg-config does not know Clp, or WITHOUT="bound", so that programs link either
 * way and are told what is missing. */
#include "base/error.h"
#include "lab/bound/program.h"

/* NOLINTBEGIN(readability-non-const-parameter): a solver writes to them */
int pingo__lab_program_solve(const struct pingo__lab_program *program,
                             const struct pingo_bound_options *options, double *duals,
                             bool *is_solved, struct pingo_error *err)
/* NOLINTEND(readability-non-const-parameter) */
{
    (void)program;
    (void)options;
    (void)duals;
    (void)is_solved;
    return pingo__fail(err, PINGO_EUNSUPPORTED,
                       "this build has no solver for the bound: install Clp (Debian: "
                       "coinor-libclp-dev), then build Pingo again");
}
