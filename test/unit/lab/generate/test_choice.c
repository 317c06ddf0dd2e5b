/* test_choice.c - picking among known actions: uniform, recent, or as often as before; each once for a workflow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/generate/generate.h"

#define KNOWN 60
#define PICKS 5
#define RUNS 300

static void assert_near(double got, double wanted, double tolerance, const char *what)
{
    if (fabs(got - wanted) > tolerance)
        fail_msg("%s: %f is not %f +- %f", what, got, wanted, tolerance);
}

static void open_chooser(struct pingo__lab_generator *g, struct pingo__lab_chooser *c, int choice,
                         uint32_t known)
{
    g->values[PINGO__GENERATE_CHOICE] = choice;
    assert_int_equal(pingo__lab_chooser_init(c, g, known), 0);
    pingo__lab_chooser_grow(c, known);
}

/* Sum of the squares of the shares of all picks: how unequal they are. */
static double inequality(const uint32_t *uses, double npicks)
{
    double sum = 0;
    for (int i = 0; i < KNOWN; i++)
        sum += uses[i] / npicks * (uses[i] / npicks);
    return sum;
}

static void pick_plain(struct pingo__lab_random_stream *random, uint32_t *uses, uint32_t *picks)
{
    for (int n = 0; n < PICKS; n++) {
        double weights[KNOWN], sum = 0, x;
        uint32_t i = 0;
        for (int k = 0; k < KNOWN; k++) {
            bool is_picked = false;
            for (int j = 0; j < n; j++)
                is_picked = is_picked || picks[j] == (uint32_t)k;
            weights[k] = is_picked ? 0 : pow(1 + uses[k], 1.3);
            sum += weights[k];
        }
        x = pingo__lab_random_unit(random) * sum;
        while (i < KNOWN - 1 && (x >= weights[i] || weights[i] == 0))
            x -= weights[i++];
        picks[n] = i;
    }
    for (int n = 0; n < PICKS; n++)
        uses[picks[n]]++;
}

static void test_choice__zipf_is_the_weighted_choice(void **state)
{
    (void)state;
    struct pingo__lab_generator g = {.history = NULL};
    struct pingo__lab_random_stream random;
    double got = 0, wanted = 0;
    pingo__lab_random_seed(&g.shape, 1);
    pingo__lab_random_seed(&random, 2);
    g.values[PINGO__GENERATE_ZIPF_EXPONENT] = 1.3;
    for (int run = 0; run < RUNS; run++) {
        struct pingo__lab_chooser c;
        uint32_t plain[KNOWN] = {0}, picks[PICKS];
        open_chooser(&g, &c, PINGO__GENERATE_ZIPF, KNOWN);
        for (int i = 0; i < 80; i++) {
            pingo__lab_chooser_pick(&c, picks, PICKS);
            for (int k = 1; k < PICKS; k++)
                for (int j = 0; j < k; j++)
                    assert_true(picks[j] != picks[k] && picks[k] < KNOWN);
            pick_plain(&random, plain, picks);
        }
        got += inequality(c.uses, 80 * PICKS) / RUNS;
        wanted += inequality(plain, 80 * PICKS) / RUNS;
        pingo__arena_clear(&g.arena);
    }
    assert_true(wanted > 2.0 / KNOWN); /* far from equal */
    assert_near(got, wanted, 0.003, "inequality");
}

static void test_choice__recent_and_uniform(void **state)
{
    (void)state;
    struct pingo__lab_generator g = {.history = NULL};
    struct pingo__lab_chooser recent, uniform;
    double far = 0, place = 0;
    pingo__lab_random_seed(&g.shape, 3);
    g.values[PINGO__GENERATE_RECENT_MEAN] = 40;
    open_chooser(&g, &recent, PINGO__GENERATE_RECENT, 100000);
    open_chooser(&g, &uniform, PINGO__GENERATE_UNIFORM, 100000);
    for (int i = 0; i < 40000; i++) {
        uint32_t pick;
        g.values[PINGO__GENERATE_CHOICE] = PINGO__GENERATE_RECENT;
        pingo__lab_chooser_pick(&recent, &pick, 1);
        far += (99999.0 - pick) / 40000;
        g.values[PINGO__GENERATE_CHOICE] = PINGO__GENERATE_UNIFORM;
        pingo__lab_chooser_pick(&uniform, &pick, 1);
        place += pick / 40000.0;
    }
    assert_near(far, 1 / (exp(1 / 40.0) - 1), 1, "distance from the newest");
    assert_near(place, 50000, 800, "place");
    pingo__arena_clear(&g.arena);
}

/* As many as there are: each once, however unlikely. */
static void test_choice__picks_all_if_asked(void **state)
{
    (void)state;
    for (int choice = PINGO__GENERATE_UNIFORM; choice <= PINGO__GENERATE_ZIPF; choice++) {
        struct pingo__lab_generator g = {.history = NULL};
        struct pingo__lab_chooser c;
        uint32_t picks[KNOWN];
        bool seen[KNOWN] = {false};
        pingo__lab_random_seed(&g.shape, 4);
        g.values[PINGO__GENERATE_RECENT_MEAN] = 0.01;
        g.values[PINGO__GENERATE_ZIPF_EXPONENT] = 10;
        open_chooser(&g, &c, choice, KNOWN);
        for (int round = 0; round < 20; round++) {
            memset(seen, 0, sizeof seen);
            pingo__lab_chooser_pick(&c, picks, KNOWN);
            for (int i = 0; i < KNOWN; i++) {
                assert_true(picks[i] < KNOWN && !seen[picks[i]]);
                seen[picks[i]] = true;
            }
        }
        pingo__arena_clear(&g.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice__zipf_is_the_weighted_choice),
        cmocka_unit_test(test_choice__recent_and_uniform),
        cmocka_unit_test(test_choice__picks_all_if_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
