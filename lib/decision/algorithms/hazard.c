/* hazard.c - the fit of hazard.h: h = h0 * f1[demands] * f2[demand age] * f3[mention age].
 *
 * Iterative proportional fitting, 6 rounds; each factor is shrunk towards its prior
 * by `weight` events times the dispersion, which is the mean of a gamma posterior.  Only
 * +, -, *, / and sqrt, in a fixed order: the same numbers on every machine.
 * Source: Deming and Stephan, On a least squares adjustment of a sampled frequency
 * table, 1940; the dispersion is that of quasi-likelihood: Wedderburn, 1974. */
#include <math.h>
#include <string.h>

#include "decision/algorithms/hazard.h"

#define COUNTS PINGO__HAZARD_COUNTS
#define AGES PINGO__HAZARD_AGES
#define CELLS PINGO__HAZARD_CELLS
#define ROUNDS 6
#define LEVEL 0.05 /* what h0 is where nothing is known */
#define HORIZONS 6 /* 1, 2, 4, ..., 32 workflows */

struct factors {
    double level; /* h0 */
    double counts[COUNTS], demands[AGES], mentions[AGES];
};

/* 2^-x for 0 <= x <= 8, by the binary digits of x. */
static double power_of_half(double x)
{
    double result = 1, root = 0.5;
    while (x >= 1) {
        result *= 0.5;
        x -= 1;
    }
    for (int bit = 0; bit < 40; bit++) {
        root = sqrt(root);
        x *= 2;
        if (x >= 1) {
            result *= root;
            x -= 1;
        }
    }
    return result;
}

void pingo__decision_hazard_init(struct pingo__decision_hazard *h, double decay, double weight)
{
    double fall = power_of_half(decay);
    memset(h, 0, sizeof *h);
    h->weight = weight;
    h->prior[0] = 1;
    for (int age = 1; age < AGES; age++)
        h->prior[age] = h->prior[age - 1] * fall;
    pingo__decision_hazard_fit(h);
}

static uint32_t age_bin(uint32_t age)
{
    uint32_t bin = 31 - (uint32_t)__builtin_clz(age | 1);
    return bin < AGES ? bin : AGES - 1;
}

static uint32_t count_bin(uint32_t demands)
{
    return demands < 3 ? demands : demands < 5 ? 3 : 4;
}

static uint32_t cell_of(uint32_t count, uint32_t demand, uint32_t mention)
{
    return (count * AGES + demand) * AGES + mention;
}

uint16_t pingo__decision_hazard_cell(uint32_t demands, uint32_t demand_age, uint32_t mention_age)
{
    return (uint16_t)cell_of(count_bin(demands), age_bin(demand_age), age_bin(mention_age));
}

void pingo__decision_hazard_demand(struct pingo__decision_hazard *h, uint16_t cell)
{
    h->fresh[cell]++;
}

void pingo__decision_hazard_expose(struct pingo__decision_hazard *h)
{
    for (int c = 0; c < CELLS; c++) {
        if (h->alive[c] == 0)
            continue;
        double expected = h->rate[c] * h->alive[c], off = h->fresh[c] - expected;
        h->squares += off * off;
        h->expected += expected;
        h->exposure[c] += h->alive[c];
        h->events[c] += h->fresh[c];
        h->fresh[c] = 0;
    }
}

double pingo__decision_hazard_dispersion(const struct pingo__decision_hazard *h)
{
    double dispersion = (h->squares + 1) / (h->expected + 1);
    return dispersion > 1 ? dispersion : 1;
}

static double hazard_of(const struct factors *f, uint32_t cell)
{
    return f->level * f->counts[cell / (AGES * AGES)] * f->demands[cell / AGES % AGES] *
           f->mentions[cell % AGES];
}

/* Fits one factor of n bins, given the others: stride and n tell which bin of it a cell is in. */
static void fit_factor(const struct pingo__decision_hazard *h, const struct factors *f,
                       double *factor, uint32_t stride, uint32_t n)
{
    double events[AGES] = {0}, expected[AGES] = {0};
    double weight = h->weight * pingo__decision_hazard_dispersion(h);
    for (uint32_t c = 0; c < CELLS; c++) {
        uint32_t bin = c / stride % n;
        events[bin] += (double)h->events[c];
        expected[bin] += (double)h->exposure[c] * (hazard_of(f, c) / factor[bin]);
    }
    for (uint32_t bin = 0; bin < n; bin++) {
        double prior = n == AGES ? h->prior[bin] : 1;
        factor[bin] = (events[bin] + weight * prior) / (expected[bin] + weight);
    }
}

static void fit_level(const struct pingo__decision_hazard *h, struct factors *f)
{
    double events = 0, expected = 0, weight = pingo__decision_hazard_dispersion(h);
    for (uint32_t c = 0; c < CELLS; c++) {
        events += (double)h->events[c];
        expected += (double)h->exposure[c] * (hazard_of(f, c) / f->level);
    }
    f->level = (events + weight) / (expected + weight / LEVEL);
}

/* The mean hazard over the next workflows if it is not mentioned in them, for the number of them for which
 * it is greatest.  The age stands in the middle of its bin. */
static double gain_of(const struct factors *f, uint32_t cell)
{
    uint32_t count = cell / (AGES * AGES), demand = cell / AGES % AGES, mention = cell % AGES;
    uint32_t demand_age = (UINT32_C(3) << demand) / 2, mention_age = (UINT32_C(3) << mention) / 2;
    double sum = 0, best = 0;
    for (uint32_t n = 1; n <= UINT32_C(1) << (HORIZONS - 1); n++) {
        uint32_t ahead = n - 1;
        sum +=
            hazard_of(f, cell_of(count, age_bin(demand_age + ahead), age_bin(mention_age + ahead)));
        if ((n & (n - 1)) == 0 && sum / (double)n > best)
            best = sum / (double)n;
    }
    return best;
}

void pingo__decision_hazard_fit(struct pingo__decision_hazard *h)
{
    struct factors f = {.level = LEVEL};
    for (int i = 0; i < COUNTS; i++)
        f.counts[i] = 1;
    for (int i = 0; i < AGES; i++)
        f.demands[i] = f.mentions[i] = h->prior[i];
    for (int round = 0; round < ROUNDS; round++) {
        fit_level(h, &f);
        fit_factor(h, &f, f.counts, AGES * AGES, COUNTS);
        fit_factor(h, &f, f.demands, AGES, AGES);
        fit_factor(h, &f, f.mentions, 1, AGES);
    }
    for (uint32_t c = 0; c < CELLS; c++) {
        double gain = gain_of(&f, c) * PINGO__HAZARD_UNIT;
        h->rate[c] = hazard_of(&f, c);
        h->gain[c] =
            gain > 1 ? gain < PINGO__HAZARD_UNIT ? (uint64_t)gain : (uint64_t)PINGO__HAZARD_UNIT : 1;
    }
}
