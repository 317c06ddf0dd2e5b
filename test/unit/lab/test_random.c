/* The generator against published numbers, the distributions against golden values and their moments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/simulate/random.h"

static void test_random__is_xoshiro256starstar(void **state)
{
    (void)state;
    /* The vector of the reference implementation for this state, as rand_xoshiro has it. */
    static const uint64_t expected[] = {11520,
                                        0,
                                        1509978240,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    struct pingo__lab_random_stream r = {.state = {1, 2, 3, 4}};
    for (int i = 0; i < 10; i++)
        assert_true(pingo__lab_random_next(&r) == expected[i]);
}

static void test_random__is_seeded_by_splitmix64(void **state)
{
    (void)state;
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u};
    struct pingo__lab_random_stream r;
    pingo__lab_random_seed(&r, 1234567);
    for (int i = 0; i < 4; i++)
        assert_true(r.state[i] == expected[i]);
}

/* 2^128 steps, computed apart from this code as a power of the step's matrix over GF(2). */
static void test_random__jumps(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0x53d630076a137ded, 0xed07f666882edfc6, 0x963ec9617b0bdbd3,
                                        0x84b96906e4b2569a};
    struct pingo__lab_random_stream r;
    pingo__lab_random_seed(&r, 1);
    pingo__lab_random_jump(&r);
    for (int i = 0; i < 4; i++)
        assert_true(r.state[i] == expected[i]);
}

/* Within two units in the last place of what a library of high precision says. */
static void test_random__log_and_exp_are_right(void **state)
{
    (void)state;
    static const struct {
        double x, log;
    } logs[] = {{1, 0},
                {2, 0x1.62e42fefa39efp-1},
                {10, 0x1.26bb1bbb55516p+1},
                {0x1p-53, -0x1.25e4f7b2737fap+5},
                {0.1, -0x1.26bb1bbb55515p+1},
                {0x1.fffffffffffffp-1, -0x1p-53},
                {1.5, 0x1.9f323ecbf984cp-2},
                {1e300, 0x1.5963447f87fb5p+9}};
    static const struct {
        double x, exp;
    } exps[] = {{0, 1},
                {1, 0x1.5bf0a8b145769p+1},
                {-1, 0x1.78b56362cef38p-2},
                {0.5, 0x1.a61298e1e069cp+0},
                {10, 0x1.5829dcf950560p+14},
                {-20.25, 0x1.b93de1e27ca3bp-30},
                {600, 0x1.88a122d234b39p+865}};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        double far = pingo__lab_math_log(logs[i].x) - logs[i].log;
        assert_true(fabs(far) <= 0x1p-51 * fabs(logs[i].log));
    }
    for (size_t i = 0; i < sizeof exps / sizeof exps[0]; i++) {
        double far = pingo__lab_math_exp(exps[i].x) - exps[i].exp;
        assert_true(fabs(far) <= 0x1p-51 * exps[i].exp);
    }
    assert_true(pingo__lab_math_exp(-1000) == 0);
    assert_true(pingo__lab_math_exp(1e9) == pingo__lab_math_exp(700) &&
                isfinite(pingo__lab_math_exp(1e9)));
    assert_true(fabs(pingo__lab_math_power(3, 1.3) - 0x1.0af468936a203p+2) < 1e-14);
}

/* The bits themselves: the same on every machine and with every compiler. */
static void test_random__golden_values(void **state)
{
    (void)state;
    static const double expected[] = {
        0x1.5780b2e0c2ecp-4,  -0x1.04ff9bfe3c5b2p+0, 0x1.844ade4f56cb7p+0, 0x1.9dc9fe1dc9992p+6,
        0x1.248e1eda85835p-1, 0x1.d5c6a55f1ee19p-3,  0x1.3cadc8p+24,       0x1.02921374a6ap-3};
    struct pingo__lab_random_stream r;
    double got[8];
    pingo__lab_random_seed(&r, 42);
    got[0] = pingo__lab_random_unit(&r);
    got[1] = pingo__lab_random_normal(&r);
    got[2] = pingo__lab_random_normal(&r);
    got[3] = pingo__lab_random_exponential(&r, 40);
    got[4] = pingo__lab_random_beta(&r, 2, 1.2);
    got[5] = pingo__lab_random_beta(&r, 0.5, 0.5);
    got[6] = (double)pingo__lab_random_below(&r, 1000000007);
    got[7] = pingo__lab_math_power(1.7, -3.9);
    for (int i = 0; i < 8; i++)
        assert_true(got[i] == expected[i]);
}

#define MANY 200000

static void assert_near(double got, double wanted, double tolerance)
{
    if (fabs(got - wanted) > tolerance)
        fail_msg("%f is not %f", got, wanted);
}

static double draw(struct pingo__lab_random_stream *r, int what)
{
    switch (what) {
    case 0:
        return pingo__lab_random_unit(r);
    case 1:
        return pingo__lab_random_normal(r);
    case 2:
        return pingo__lab_random_exponential(r, 40);
    case 3:
        return pingo__lab_random_beta(r, 2, 1.2);
    case 4:
        return pingo__lab_random_beta(r, 0.5, 0.5);
    default:
        return (double)pingo__lab_random_below(r, 7);
    }
}

/* Mean and variance of each within five standard errors. */
static void test_random__moments(void **state)
{
    (void)state;
    static const struct {
        double mean, variance, tolerance;
    } rows[] = {{0.5, 1.0 / 12, 0.004},       {0, 1, 0.015},       {40, 1600, 0.5},
                {0.625, 2.4 / 43.008, 0.004}, {0.5, 0.125, 0.004}, {3, 4, 0.025}};
    struct pingo__lab_random_stream r;
    pingo__lab_random_seed(&r, 7);
    for (int what = 0; what < 6; what++) {
        double sum = 0, squares = 0, mean;
        for (int i = 0; i < MANY; i++) {
            double x = draw(&r, what) - rows[what].mean;
            sum += x;
            squares += x * x;
        }
        mean = sum / MANY;
        assert_near(mean, 0, rows[what].tolerance);
        assert_near((squares / MANY - mean * mean) / rows[what].variance, 1, 0.04);
    }
}

static void test_random__below_reaches_every_number(void **state)
{
    (void)state;
    struct pingo__lab_random_stream r;
    unsigned seen = 0;
    pingo__lab_random_seed(&r, 3);
    for (int i = 0; i < 200; i++) {
        uint64_t x = pingo__lab_random_below(&r, 7);
        assert_true(x < 7);
        seen |= 1u << x;
        assert_true(pingo__lab_random_below(&r, 1) == 0);
        assert_true(pingo__lab_random_below(&r, UINT64_MAX) < UINT64_MAX);
    }
    assert_int_equal(seen, 127);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random__is_xoshiro256starstar),
        cmocka_unit_test(test_random__is_seeded_by_splitmix64),
        cmocka_unit_test(test_random__jumps),
        cmocka_unit_test(test_random__log_and_exp_are_right),
        cmocka_unit_test(test_random__golden_values),
        cmocka_unit_test(test_random__moments),
        cmocka_unit_test(test_random__below_reaches_every_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
