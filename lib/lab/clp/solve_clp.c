/* solve_clp.c - solves a linear program with Clp, the COIN-OR LP solver.
 *
 * By its dual simplex: GLPK's takes three to four times as long, the primal simplex of either and Clp's barrier
 * several times, and GLPK ends the process when a program displeases it.
 *
 * Clp is loaded when a bound is asked for, not linked: with it come LAPACK, BLAS, and the
 * libraries of C++ and Fortran, which would be loaded by each command of Pingo.  Its
 * object stays loaded.  Each program has a model of its own, so threads do not meet.
 * A model is solved a slice of iterations at a time, for the sake of progress. */
#include <Clp_C_Interface.h>
#include <dlfcn.h>
#include <string.h>

#include "base/error.h"
#include "lab/bound/program.h"

#define SLICE 5000 /* iterations; each begins with a new factorization, so fewer are slower */
#define LEAST_SLICE 100
/* Iterations by rows: of a second or so, after which who waits is told; and of some minutes, which are enough for what
 * can be solved at all.  An action with 500,000 parents would else take days. */
#define SLICE_WORK 200000000
#define MOST_WORK 10000000000
#define OBJECT "libClp.so.1"

#define CLP_FUNCTIONS(X)                                                                           \
    X(newModel)                                                                                    \
    X(deleteModel)                                                                                 \
    X(setLogLevel)                                                                                 \
    X(loadProblem)                                                                                 \
    X(setNumberIterations)                                                                         \
    X(setMaximumIterations)                                                                        \
    X(numberIterations)                                                                            \
    X(dual)                                                                                        \
    X(status)                                                                                      \
    X(dualRowSolution)

struct clp {
    void *object;
#define MEMBER(name) __typeof__ (&Clp_##name)(name);
    CLP_FUNCTIONS(MEMBER)
#undef MEMBER
};

static int find(const struct clp *clp, const char *name, void *function, struct pingo_error *err)
{
    void *symbol = dlsym(clp->object, name);
    if (!symbol)
        return pingo__fail(err, PINGO_EUNSUPPORTED, "the solver " OBJECT " lacks %s", name);
    memcpy(function, &symbol, sizeof symbol);
    return 0;
}

static int load(struct clp *clp, struct pingo_error *err)
{
    int rc = 0;
    clp->object = dlopen(OBJECT, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!clp->object) {
        const char *why = dlerror();
        return pingo__fail(err, PINGO_EUNSUPPORTED,
                           "the bound needs Clp, which cannot be loaded (Debian: install "
                           "coinor-libclp1): %s",
                           why ? why : OBJECT);
    }
#define FIND(name)                                                                                 \
    if (rc == 0)                                                                                   \
        rc = find(clp, "Clp_" #name, &clp->name, err);
    CLP_FUNCTIONS(FIND)
#undef FIND
    return rc;
}

/* Slice after slice; a model whose limit of iterations was reached has status 3. */
static int run(const struct clp *clp, Clp_Simplex *model, uint64_t nrows,
               const struct pingo_bound_options *options, struct pingo_error *err)
{
    uint64_t done = 0, all = options->max_iterations, most = SLICE_WORK / (nrows + 1);
    if (all == 0)
        all = MOST_WORK / (nrows + 1);
    most = most > SLICE ? SLICE : most < LEAST_SLICE ? LEAST_SLICE : most;
    do {
        uint64_t slice = all - done > most ? most : all - done;
        clp->setNumberIterations(model, 0);
        clp->setMaximumIterations(model, (int)slice);
        clp->dual(model, 0);
        int made = clp->numberIterations(model);
        if (made <= 0)
            break;
        done += (uint64_t)made;
        if (options->progress && options->progress(options->context, done, all) != 0)
            return pingo__fail(err, PINGO_EINTERRUPTED, "the bound was stopped by its caller");
    } while (clp->status(model) == 3 && done < all);
    return 0;
}

int pingo__lab_program_solve(const struct pingo__lab_program *p,
                             const struct pingo_bound_options *options, double *duals,
                             bool *is_solved, struct pingo_error *err)
{
    struct clp clp = {0};
    Clp_Simplex *model = NULL;
    int rc = load(&clp, err);
    if (rc != 0)
        goto out;
    model = clp.newModel();
    if (!model) {
        rc = pingo__fail_memory(err);
        goto out;
    }
    clp.setLogLevel(model, 0);
    /* Lower bounds are 0 and minus infinity where they are not given. */
    clp.loadProblem(model, p->ncolumns, p->nrows, p->starts, p->rows, p->values, NULL, p->uppers,
                    p->costs, NULL, p->limits);
    rc = run(&clp, model, (uint64_t)p->nrows, options, err);
    if (rc != 0)
        goto out;
    *is_solved = clp.status(model) == 0;
    memcpy(duals, clp.dualRowSolution(model), (size_t)p->nrows * sizeof *duals);
out:
    if (model)
        clp.deleteModel(model);
    if (clp.object)
        dlclose(clp.object);
    return rc;
}
