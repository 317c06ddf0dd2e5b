/* test_prove.c - what dual values prove of a linear program: never more than is true, whatever they are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/bound/program.h"

static void test_prove__proves_no_more_than_is_true(void **state)
{
    /* Minimise -x - 2y, where x + y <= 1 and both are at most 1: -2. */
    double costs[] = {-1, -2}, uppers[] = {1, 1}, limits[] = {1}, values[] = {1, 1};
    int starts[] = {0, 1, 2}, rows[] = {0, 0};
    struct pingo__lab_program program = {.ncolumns = 2,
                                         .nrows = 1,
                                         .costs = costs,
                                         .uppers = uppers,
                                         .limits = limits,
                                         .starts = starts,
                                         .rows = rows,
                                         .values = values};
    const double wrong[] = {0, 5, -0.5, -1.5, -3, -1e9, -1e99, -INFINITY, INFINITY, (double)NAN};
    double dual = -1;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_true(pingo__lab_program_prove(&program, &wrong[i]) <= -2);
    assert_true(pingo__lab_program_prove(&program, &wrong[1]) > -3 - 1e-12); /* as 0 */
    assert_true(pingo__lab_program_prove(&program, &dual) <= -2);
    assert_true(pingo__lab_program_prove(&program, &dual) > -2 - 1e-12);
    dual = -2;
    assert_true(pingo__lab_program_prove(&program, &dual) > -2 - 1e-12);
}

/* 1/3 and 1/10 are no doubles: a sum of many, in which each is a little too large, is not believed. */
static void test_prove__reckons_with_rounding(void **state)
{
    enum { N = 1000 };
    double costs[N], uppers[N], limits[1] = {0}, values[N];
    int starts[N + 1] = {0}, rows[N] = {0};
    struct pingo__lab_program program = {.ncolumns = N,
                                         .nrows = 1,
                                         .costs = costs,
                                         .uppers = uppers,
                                         .limits = limits,
                                         .starts = starts,
                                         .rows = rows,
                                         .values = values};
    double dual = -1.0 / 3, proved;
    long double exact = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        costs[i] = -0.1 * (i + 1);
        values[i] = 0.1 * (i + 1);
        uppers[i] = 1;
        starts[i + 1] = i + 1;
        exact += (long double)costs[i] - (long double)dual * values[i];
    }
    proved = pingo__lab_program_prove(&program, &dual);
    assert_true(proved <= exact);
    assert_true(proved > exact - 1e-6L);
}

/* What passes all numbers proves nothing, and a value that could only lead there counts as 0. */
static void test_prove__of_too_large_numbers_is_minus_infinity(void **state)
{
    double costs[] = {1}, uppers[] = {1}, limits[] = {-1e300}, values[] = {1};
    int starts[] = {0, 1}, rows[] = {0};
    struct pingo__lab_program program = {.ncolumns = 1,
                                         .nrows = 1,
                                         .costs = costs,
                                         .uppers = uppers,
                                         .limits = limits,
                                         .starts = starts,
                                         .rows = rows,
                                         .values = values};
    double large = -1e99, larger = -1e101, none = 0;
    (void)state;
    double proved = pingo__lab_program_prove(&program, &large);
    assert_true(isinf(proved) && proved < 0);
    assert_true(isfinite(pingo__lab_program_prove(&program, &none)));
    assert_memory_equal(&(double){pingo__lab_program_prove(&program, &larger)},
                        &(double){pingo__lab_program_prove(&program, &none)}, sizeof(double));
    program.nrows = program.ncolumns = 0;
    assert_true(fabs(pingo__lab_program_prove(&program, &none)) <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prove__proves_no_more_than_is_true),
        cmocka_unit_test(test_prove__reckons_with_rounding),
        cmocka_unit_test(test_prove__of_too_large_numbers_is_minus_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
