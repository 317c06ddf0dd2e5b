/* test_pool.c - the pool families against a plain reading of appendix B. */
#include <math.h>

#include "lab/simulate/random.h"
#include "unit/lab/generated.h"

enum { NEW = 10, PICKS = 5, DEGREES = 6 };
#define ROUNDS 3000

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

static void test_pool__graphs_are_those_of_appendix_b(void **state)
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

static bool has_child(const struct pingo_history *h, const struct pingo_history_submission *s,
                      uint32_t action)
{
    for (size_t i = 0; i < s->nactions; i++) {
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, s->actions[i], &n);
        for (size_t k = 0; k < n; k++)
            if (parents[k] == action)
                return true;
    }
    return false;
}

/* Whether a few are picked or more than there are: what is old is there for its children. */
static void test_pool__has_ten_new_actions_a_workflow(void **state)
{
    static const char *const parameters[] = {"actions=105", "actions=105,previous=60"};
    (void)state;
    for (size_t round = 0; round < 2; round++) {
        struct pingo_history *h = generated("recent-h", 3, parameters[round]);
        assert_int_equal(pingo_history_count_actions(h), 105);
        assert_int_equal(pingo_history_count_submissions(h), 11);
        for (uint32_t i = 0; i < 11; i++) {
            struct pingo_history_submission s = submission_of(h, i);
            char user[8], workflow[8];
            snprintf(user, sizeof user, "u%u", i % 4 + 1);
            snprintf(workflow, sizeof workflow, "w%u", i + 1);
            assert_int_equal(s.nknown_before, i * 10);
            assert_string_equal(s.user, user);
            assert_string_equal(s.workflow, workflow);
            for (size_t k = 0; k < s.nactions; k++)
                if (s.actions[k] < s.nknown_before) {
                    assert_false(s.flags[k] & PINGO_HISTORY_LEAF);
                    assert_true(has_child(h, &s, s.actions[k]));
                }
        }
        pingo_history_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool__graphs_are_those_of_appendix_b),
        cmocka_unit_test(test_pool__has_ten_new_actions_a_workflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
