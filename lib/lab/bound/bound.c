/* bound.c - the least time that any policy, even one that sees the future, needs for a history.
 *
 * The value of a linear program (model.c), proved from the solver's dual values in
 * arithmetic that reckons with rounding (prove.c): so an inexact, interrupted or failing solver
 * lowers the bound, but never makes it a false one.  As each policy's time is an integer, the
 * value is rounded up. */
#include <stdlib.h>

#include "base/error.h"
#include "base/growing.h"
#include "lab/bound/model.h"

/* The bound in ms, from the program's value. */
static int64_t add_up(const struct pingo__lab_bound_model *m, double value)
{
    double ms = value / m->cost_scale; /* exact: a power of two */
    if (!(ms > -9e18 && ms < 9e18))
        return m->least_ms;
    int64_t whole = (int64_t)ms;
    if ((double)whole < ms)
        whole++;
    int64_t sum;
    if (__builtin_add_overflow(m->constant_ms, whole, &sum) || sum < m->least_ms)
        return m->least_ms;
    return sum;
}

static int solve(const struct pingo__lab_bound_model *m, const struct pingo_bound_options *o,
                 struct pingo_bound_result *result, struct pingo_error *err)
{
    double *duals = calloc((size_t)m->program.nrows + 1, sizeof *duals);
    int rc = duals ? 0 : pingo__fail_memory(err);
    result->is_solved = m->program.nrows == 0; /* then 0 for all duals is right */
    if (rc == 0 && !result->is_solved)
        rc = pingo__lab_program_solve(&m->program, o, duals, &result->is_solved, err);
    if (rc == 0)
        result->bound_ms = add_up(m, pingo__lab_program_prove(&m->program, duals));
    free(duals);
    return rc;
}

int pingo_simulate_bound(const struct pingo_history *history,
                         const struct pingo_bound_options *options,
                         struct pingo_bound_result *result, struct pingo_error *err)
{
    struct pingo__lab_bound_model model = {0};
    struct pingo_bound_result found = {.size = sizeof found};
    struct pingo_bound_options o;
    int rc = PINGO__OPTIONS_TAKE(pingo_bound_options, options, &o, err);
    if (rc == 0 && o.budget_bytes < -1)
        rc = pingo__fail(err, PINGO_EINVAL, "the budget is out of range");
    if (rc == 0)
        rc = pingo__growing_result_check(result, "pingo_bound_result", err);
    if (rc != 0)
        return rc;
    int64_t budget = o.budget_bytes < 0 ? INT64_MAX : o.budget_bytes;
    rc = pingo__lab_bound_model_build(&model, history, budget, !o.leaves_outside, err);
    if (rc != 0)
        goto out;
    found = (struct pingo_bound_result){.ideal_ms = model.ideal_ms,
                                        .ncolumns = (uint32_t)model.program.ncolumns,
                                        .nrows = (uint32_t)model.program.nrows};
    rc = solve(&model, &o, &found, err);
    if (rc == 0)
        pingo__growing_result_put(result, &found, sizeof found);
out:
    pingo__lab_bound_model_clear(&model);
    return rc;
}
