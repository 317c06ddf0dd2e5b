/* test_solve_clp.c - linear programs and Clp: its duals prove the least value, and it can be stopped.
 *
 * Without Clp there is nothing to test but what is said of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/lab/solver.h"

#define MOST 40

struct dense { /* a program with room for it */
    struct pingo__lab_program p;
    double costs[MOST], uppers[MOST], limits[MOST], values[MOST * MOST];
    int starts[MOST + 1], rows[MOST * MOST];
};

static void open_dense(struct dense *d, int ncolumns, int nrows)
{
    memset(d, 0, sizeof *d);
    d->p = (struct pingo__lab_program){.ncolumns = ncolumns,
                                       .nrows = nrows,
                                       .costs = d->costs,
                                       .uppers = d->uppers,
                                       .limits = d->limits,
                                       .starts = d->starts,
                                       .rows = d->rows,
                                       .values = d->values};
}

/* The elements of the next column, one a row; 0: there is none. */
static void add_column(struct dense *d, int column, double cost, const double *elements)
{
    int n = d->starts[column];
    d->costs[column] = cost;
    d->uppers[column] = 1;
    for (int i = 0; i < d->p.nrows; i++)
        if (fabs(elements[i]) > 0) {
            d->rows[n] = i;
            d->values[n++] = elements[i];
        }
    d->starts[column + 1] = n;
}

/* A knapsack of things that may be cut, with room for a third of them; the least value. */
static double open_knapsack(struct dense *d, int n)
{
    double left = 0, best = 0, weights[MOST], gains[MOST];
    open_dense(d, n, 1);
    for (int j = 0; j < n; j++) {
        weights[j] = 3 + j * 7 % 11;
        gains[j] = weights[j] * (1 + j); /* the last is worth most for its weight */
        left += weights[j] / 3;
        add_column(d, j, -gains[j], &weights[j]);
    }
    d->limits[0] = left;
    for (int j = n; j-- > 0 && left > 0;) {
        best -= left < weights[j] ? gains[j] * left / weights[j] : gains[j];
        left -= weights[j];
    }
    return best;
}

static void test_solve_clp__finds_the_least_value(void **state)
{
    struct dense d;
    struct pingo_bound_options options = {0};
    (void)state;
    for (int n = 1; n <= MOST; n += 3) {
        double least = open_knapsack(&d, n), duals[1] = {0};
        bool is_solved = false;
        assert_int_equal(pingo__lab_program_solve(&d.p, &options, duals, &is_solved, NULL), 0);
        assert_true(is_solved);
        assert_true(duals[0] <= 0);
        double proved = pingo__lab_program_prove(&d.p, duals);
        assert_true(proved <= least && proved > least - 1e-6 * -least);
    }
}

/* A chain: each column is at most the one before, which costs 1; the last is worth more than all of them cost. */
static void open_chain(struct dense *d, int n)
{
    open_dense(d, n, n - 1);
    for (int j = 0; j < n; j++) {
        double elements[MOST] = {0};
        if (j > 0)
            elements[j - 1] = 1;
        if (j < n - 1)
            elements[j] = -1;
        add_column(d, j, j == n - 1 ? -2.0 * n : 1, elements);
    }
}

static void test_solve_clp__of_many_rows_has_a_dual_for_each(void **state)
{
    struct dense d;
    struct pingo_bound_options options = {0};
    double duals[MOST];
    bool is_solved = false;
    (void)state;
    open_chain(&d, MOST);
    assert_int_equal(pingo__lab_program_solve(&d.p, &options, duals, &is_solved, NULL), 0);
    assert_true(is_solved);
    double least = MOST - 1 - 2.0 * MOST;
    double proved = pingo__lab_program_prove(&d.p, duals);
    assert_true(proved <= least && proved > least - 1e-6);
}

static int count(void *context, uint64_t done, uint64_t all)
{
    uint64_t *last = context;
    assert_true(done > *last && (all == 0 || done <= all));
    *last = done;
    return 0;
}

static int stop(void *context, uint64_t done, uint64_t all)
{
    (void)done;
    (void)all;
    ++*(int *)context;
    return 1;
}

static void test_solve_clp__gives_up_when_told_to(void **state)
{
    struct dense d;
    uint64_t done = 0;
    int calls = 0;
    struct pingo_bound_options options = {.max_iterations = 3, .progress = count, .context = &done};
    double duals[MOST];
    bool is_solved = true;
    struct pingo_error err = {0};
    (void)state;
    open_chain(&d, MOST);
    assert_int_equal(pingo__lab_program_solve(&d.p, &options, duals, &is_solved, &err), 0);
    assert_false(is_solved);
    assert_int_equal(done, 3);
    assert_true(pingo__lab_program_prove(&d.p, duals) <= MOST - 1 - 2.0 * MOST);
    options = (struct pingo_bound_options){.progress = stop, .context = &calls};
    assert_int_equal(pingo__lab_program_solve(&d.p, &options, duals, &is_solved, &err),
                     PINGO_EINTERRUPTED);
    assert_string_equal(err.message, "the bound was stopped by its caller");
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_clp__finds_the_least_value),
        cmocka_unit_test(test_solve_clp__of_many_rows_has_a_dual_for_each),
        cmocka_unit_test(test_solve_clp__gives_up_when_told_to),
    };
    if (!has_solver()) {
        puts("1..0 # SKIP a build without a solver");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
