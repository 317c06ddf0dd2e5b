/* The fit behind chain, against a plain reading of its definition with arrays of three dimensions. */
#include "reference.h"

#define COUNTS PINGO__HAZARD_COUNTS
#define AGES PINGO__HAZARD_AGES

struct plain {
    double exposure[COUNTS][AGES][AGES], events[COUNTS][AGES][AGES];
    double h0, f1[COUNTS], f2[AGES], f3[AGES], prior[AGES], weight, dispersion;
};

static double product(const struct plain *p, int k, int d, int m)
{
    return p->f1[k] * p->f2[d] * p->f3[m];
}

/* One of the three factors: which = 1, 2 or 3. */
static void fit_one(struct plain *p, int which)
{
    double *factor = which == 1 ? p->f1 : which == 2 ? p->f2 : p->f3;
    int n = which == 1 ? COUNTS : AGES;
    double events[AGES] = {0}, expected[AGES] = {0};
    for (int k = 0; k < COUNTS; k++)
        for (int d = 0; d < AGES; d++)
            for (int m = 0; m < AGES; m++) {
                int bin = which == 1 ? k : which == 2 ? d : m;
                double others = which == 1   ? p->f2[d] * p->f3[m]
                                : which == 2 ? p->f1[k] * p->f3[m]
                                             : p->f1[k] * p->f2[d];
                events[bin] += p->events[k][d][m];
                expected[bin] += p->exposure[k][d][m] * p->h0 * others;
            }
    for (int i = 0; i < n; i++)
        factor[i] = (events[i] + p->weight * p->dispersion * (which == 1 ? 1 : p->prior[i])) /
                    (expected[i] + p->weight * p->dispersion);
}

static void fit_all(struct plain *p)
{
    p->h0 = 0.05;
    for (int i = 0; i < AGES; i++) {
        p->f2[i] = p->f3[i] = p->prior[i];
        if (i < COUNTS)
            p->f1[i] = 1;
    }
    for (int round = 0; round < 6; round++) {
        double events = 0, expected = 0;
        for (int k = 0; k < COUNTS; k++)
            for (int d = 0; d < AGES; d++)
                for (int m = 0; m < AGES; m++) {
                    events += p->events[k][d][m];
                    expected += p->exposure[k][d][m] * product(p, k, d, m);
                }
        p->h0 = (events + p->dispersion) / (expected + 20 * p->dispersion);
        for (int which = 1; which <= 3; which++)
            fit_one(p, which);
    }
}

static int bin_of(int age)
{
    int bin = 0;
    while (age >= 2 << bin && bin < AGES - 1)
        bin++;
    return bin;
}

static double gain_of(const struct plain *p, int k, int d, int m)
{
    double best = 0;
    for (int h = 1; h <= 32; h *= 2) {
        double sum = 0;
        for (int i = 0; i < h; i++)
            sum += p->h0 * product(p, k, bin_of((3 << d) / 2 + i), bin_of((3 << m) / 2 + i));
        best = sum / h > best ? sum / h : best;
    }
    return best;
}

static void test_hazard__fit_agrees_with_its_definition(void **unused)
{
    (void)unused;
    struct world w = {.random = 5};
    struct pingo__decision_hazard *h = malloc(sizeof *h);
    struct plain *p = malloc(sizeof *p);
    assert_non_null(h);
    assert_non_null(p);
    for (int round = 0; round < 100; round++) {
        /* A decay, and 2 to the power of minus that. */
        static const double decays[][2] = {{0, 1},
                                           {0.25, 0.8408964152537145},
                                           {0.375, 0.7711054127039704},
                                           {0.5, 0.7071067811865476},
                                           {1, 0.5},
                                           {3.7, 0.07694652583405726},
                                           {8, 0.00390625}};
        double decay = decays[round % 7][0],
               weight = round % 3 == 0 ? 8 : 0.5 + (double)draw(&w, 20);
        memset(p, 0, sizeof *p);
        pingo__decision_hazard_init(h, decay, weight);
        p->weight = weight;
        h->squares = (double)draw(&w, 1000);
        h->expected = (double)draw(&w, 100);
        p->dispersion = fmax(1, (h->squares + 1) / (h->expected + 1));
        p->prior[0] = 1;
        for (int i = 1; i < AGES; i++)
            p->prior[i] = p->prior[i - 1] * decays[round % 7][1];
        for (int c = 0; c < PINGO__HAZARD_CELLS; c++) {
            h->exposure[c] = draw(&w, 3) == 0 ? 0 : draw(&w, 5000);
            h->events[c] = h->exposure[c] == 0 ? 0 : draw(&w, h->exposure[c] / 10 + 1);
            p->exposure[c / 64][c / 8 % 8][c % 8] = (double)h->exposure[c];
            p->events[c / 64][c / 8 % 8][c % 8] = (double)h->events[c];
        }
        pingo__decision_hazard_fit(h);
        fit_all(p);
        for (int c = 0; c < PINGO__HAZARD_CELLS; c++) {
            double wanted = gain_of(p, c / 64, c / 8 % 8, c % 8),
                   gain = (double)h->gain[c] / PINGO__HAZARD_UNIT;
            wanted = wanted > 1 ? 1 : wanted;
            if (fabs(gain - wanted) > 1e-9 * wanted + 2 / PINGO__HAZARD_UNIT)
                fail_msg("round %d, cell %d: %.12g, wanted %.12g", round, c, gain, wanted);
        }
    }
    free(h);
    free(p);
}

static void test_hazard__cells_split_by_demands_and_ages(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t demands, demand_age, mention_age;
        unsigned cell;
    } rows[] = {
        {0, 1, 1, 0},    {1, 1, 1, 64},    {2, 1, 1, 128},         {3, 1, 1, 192}, {4, 1, 1, 192},
        {5, 1, 1, 256},  {255, 1, 1, 256}, {0, 2, 1, 8},           {0, 3, 1, 8},   {0, 4, 1, 16},
        {0, 127, 1, 48}, {0, 128, 1, 56},  {0, 4000000000, 1, 56}, {0, 1, 2, 1},   {0, 1, 63, 5},
        {0, 1, 64, 6},   {0, 1, 128, 7},   {5, 128, 128, 319},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(
            pingo__decision_hazard_cell(rows[i].demands, rows[i].demand_age, rows[i].mention_age),
            rows[i].cell);
}

/* A hundred that are always demanded together teach less than a hundred of which each comes by itself. */
static void test_hazard__counts_what_comes_together_for_less(void **unused)
{
    (void)unused;
    struct pingo__decision_hazard *alone = malloc(sizeof *alone),
                                  *together = malloc(sizeof *together);
    assert_non_null(alone);
    assert_non_null(together);
    uint16_t cell = pingo__decision_hazard_cell(0, 1, 1);
    pingo__decision_hazard_init(alone, 0.5, 8);
    pingo__decision_hazard_init(together, 0.5, 8);
    assert_true(pingo__decision_hazard_dispersion(alone) == 1);
    alone->alive[cell] = together->alive[cell] = 100;
    for (int submission = 0; submission < 20; submission++) {
        for (int i = 0; i < 100; i++) {
            if (i < 5)
                pingo__decision_hazard_demand(alone, cell);
            if (submission == 7)
                pingo__decision_hazard_demand(together, cell);
        }
        pingo__decision_hazard_expose(alone);
        pingo__decision_hazard_expose(together);
    }
    assert_int_equal(alone->events[cell], together->events[cell]);
    assert_int_equal(alone->exposure[cell], 2000);
    assert_int_equal(together->exposure[cell], 2000);
    /* 5 of 100 is what is thought at first: nothing is off.  Else: 95 once and 5 at 19 times, of 100 in all. */
    assert_true(pingo__decision_hazard_dispersion(alone) == 1);
    double wanted = (95.0 * 95 + 19 * 25 + 1) / (100 + 1);
    assert_true(fabs(pingo__decision_hazard_dispersion(together) - wanted) < 1e-9);
    /* Nothing came of 4,000 more: who comes alone is thought to be cold sooner. */
    alone->exposure[cell] += 4000;
    together->exposure[cell] += 4000;
    pingo__decision_hazard_fit(alone);
    pingo__decision_hazard_fit(together);
    assert_true(alone->gain[cell] < together->gain[cell]);
    free(alone);
    free(together);
}

/* What was demanded often and lately is thought to be needed sooner. */
static void test_hazard__learns_what_is_needed(void **unused)
{
    (void)unused;
    struct pingo__decision_hazard *h = malloc(sizeof *h);
    assert_non_null(h);
    pingo__decision_hazard_init(h, 0.5, 8);
    uint16_t hot = pingo__decision_hazard_cell(5, 1, 1),
             cold = pingo__decision_hazard_cell(0, 64, 64);
    assert_true(h->gain[hot] > h->gain[cold]);
    h->exposure[hot] = h->exposure[cold] = 10000;
    h->events[hot] = 10;
    h->events[cold] = 5000;
    pingo__decision_hazard_fit(h);
    assert_true(h->gain[hot] < h->gain[cold]);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hazard__fit_agrees_with_its_definition),
        cmocka_unit_test(test_hazard__cells_split_by_demands_and_ages),
        cmocka_unit_test(test_hazard__counts_what_comes_together_for_less),
        cmocka_unit_test(test_hazard__learns_what_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
