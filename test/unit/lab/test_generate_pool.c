/* The pool families against a plain reading of appendix B and of the three ways to choose. */
#include <math.h>

#include "lab/generate/generate.h"
#include "unit/lab/generated.h"

enum { NEW = 10, PICKS = 5, ROUNDS = 3000, DEGREES = 6 };

/* What is counted of workflows, as means over them. */
struct counts {
    double from_old, from_new, kept_picks, leaves, parents[DEGREES];
};

static void assert_near(double got, double wanted, double tolerance, const char *what)
{
    if (fabs(got - wanted) > tolerance)
        fail_msg("%s: %f is not %f +- %f", what, got, wanted, tolerance);
}

/* ---- appendix B, as it stands there, completed ----------------------------------------------- */

struct plain {
    struct pingo__lab_random_stream random;
    bool edge[PICKS + NEW][NEW]; /* from a pick, or from a new one behind them */
    int wants[NEW];
};

static int degree(struct plain *p)
{
    return (int)fabs(2 + pingo__lab_random_normal(&p->random));
}

static bool has_path(const struct plain *p, int from, int to)
{
    if (from == to)
        return true;
    for (int i = 0; i < NEW; i++)
        if (p->edge[PICKS + from][i] && has_path(p, i, to))
            return true;
    return false;
}

static void take_children(struct plain *p, int giver, int nchildren)
{
    int order[NEW], taken = 0;
    for (int i = 0; i < NEW; i++) {
        int k = (int)pingo__lab_random_below(&p->random, (uint64_t)i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (int j = 0; taken < nchildren && j < NEW; j++) {
        int tentative = order[j];
        if (p->wants[tentative] == 0 || p->edge[giver][tentative] ||
            (giver >= PICKS && has_path(p, tentative, giver - PICKS)))
            continue;
        p->wants[tentative]--;
        p->edge[giver][tentative] = true;
        taken++;
    }
}

static void count_plain(const struct plain *p, struct counts *c)
{
    for (int i = 0; i < PICKS + NEW; i++) {
        int children = 0;
        for (int k = 0; k < NEW; k++)
            children += p->edge[i][k];
        *(i < PICKS ? &c->from_old : &c->from_new) += (double)children / ROUNDS;
        c->kept_picks += i < PICKS && children > 0 ? 1.0 / ROUNDS : 0;
        c->leaves += i >= PICKS && children == 0 ? 1.0 / ROUNDS : 0;
    }
    for (int k = 0; k < NEW; k++) {
        int n = 0;
        for (int i = 0; i < PICKS + NEW; i++)
            n += p->edge[i][k];
        c->parents[n < DEGREES ? n : DEGREES - 1] += 1.0 / (ROUNDS * NEW);
    }
}

static void run_plain(struct counts *c)
{
    struct plain p;
    pingo__lab_random_seed(&p.random, 99);
    for (int round = 0; round < ROUNDS; round++) {
        int old[PICKS], new[NEW];
        memset(p.edge, 0, sizeof p.edge);
        for (int i = 0; i < PICKS; i++)
            old[i] = degree(&p);
        for (int i = 0; i < NEW; i++) {
            new[i] = degree(&p);
            p.wants[i] = degree(&p);
        }
        for (int i = 0; i < PICKS; i++)
            take_children(&p, i, old[i]);
        for (int i = 0; i < NEW; i++)
            take_children(&p, PICKS + i, new[i]);
        count_plain(&p, c);
    }
}

/* ---- the same of generated workflows, but for the first ---------------------------------------- */

static void count_submission(const struct pingo_history *h, uint32_t index, struct counts *c)
{
    struct pingo_history_submission s = submission_of(h, index);
    uint32_t old[NEW * 8], nold = 0;
    for (size_t i = 0; i < s.nactions; i++) {
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, s.actions[i], &n);
        if (s.actions[i] < s.nknown_before)
            continue;
        c->leaves += s.flags[i] & PINGO_HISTORY_LEAF ? 1.0 / ROUNDS : 0;
        c->parents[n < DEGREES ? n : DEGREES - 1] += 1.0 / (ROUNDS * NEW);
        for (size_t k = 0; k < n; k++) {
            bool is_old = parents[k] < s.nknown_before, again = false;
            *(is_old ? &c->from_old : &c->from_new) += 1.0 / ROUNDS;
            for (uint32_t j = 0; j < nold; j++)
                again = again || old[j] == parents[k];
            if (is_old && !again)
                old[nold++] = parents[k];
        }
    }
    assert_true(nold <= PICKS);
    c->kept_picks += (double)nold / ROUNDS;
}

static void test_generate_pool__graphs_are_those_of_appendix_b(void **state)
{
    (void)state;
    struct counts plain = {0}, made = {0};
    char parameters[32];
    snprintf(parameters, sizeof parameters, "actions=%d", (ROUNDS + 1) * NEW);
    struct pingo_history *h = generated("uniform-n", 21, parameters);
    assert_int_equal(pingo_history_count_submissions(h), ROUNDS + 1);
    run_plain(&plain);
    for (uint32_t i = 1; i <= ROUNDS; i++)
        count_submission(h, i, &made);
    assert_near(made.from_old, plain.from_old, 0.2, "edges from picks");
    assert_near(made.from_new, plain.from_new, 0.2, "edges among new ones");
    assert_near(made.kept_picks, plain.kept_picks, 0.08, "picks with a child");
    assert_near(made.leaves, plain.leaves, 0.15, "leaves");
    for (int i = 0; i < DEGREES; i++)
        assert_near(made.parents[i], plain.parents[i], 0.012, "actions with so many parents");
    pingo_history_free(h);
}

/* ---- choosing --------------------------------------------------------------------------------------- */

enum { KNOWN = 60, RUNS = 300 };

static void open_chooser(struct pingo__lab_generator *g, struct pingo__lab_chooser *c, int choice,
                         uint32_t known)
{
    g->values[PINGO__GENERATE_CHOICE] = choice;
    assert_int_equal(pingo__lab_chooser_init(c, g, known, NULL), 0);
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

static void test_generate_pool__zipf_is_the_weighted_choice(void **state)
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
        pingo__lab_chooser_clear(&c);
    }
    assert_true(wanted > 2.0 / KNOWN); /* far from equal */
    assert_near(got, wanted, 0.003, "inequality");
}

static void test_generate_pool__recent_and_uniform(void **state)
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
    pingo__lab_chooser_clear(&recent);
    pingo__lab_chooser_clear(&uniform);
}

/* As many as there are: each once, however unlikely. */
static void test_generate_pool__picks_all_if_asked(void **state)
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
        pingo__lab_chooser_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generate_pool__graphs_are_those_of_appendix_b),
        cmocka_unit_test(test_generate_pool__zipf_is_the_weighted_choice),
        cmocka_unit_test(test_generate_pool__recent_and_uniform),
        cmocka_unit_test(test_generate_pool__picks_all_if_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
