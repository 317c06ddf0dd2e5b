/* The bound on hundreds of tiny histories: it is at most the least time that any choice of evictions
 * can reach, and that is at most what each algorithm reaches in the simulator. */
#include "exhaustive.h"

#include "unit/lab/solver.h"
#include "unit/share.h"

enum { HISTORIES = SHARE(150, 40) };

struct totals {
    int64_t ideal, bound, least; /* sums over all histories and conditions */
    unsigned nbounds, nreached;  /* how many there were, and how many are the least time itself */
};

static int64_t bound_of(const struct tiny *t, int64_t budget, bool outside, int64_t *ideal)
{
    struct pingo_bound_options options = {
        .version = 1, .budget_bytes = budget, .leaves_outside = outside};
    struct pingo_bound_result result = {.size = sizeof result};
    struct pingo_error err = {0};
    if (pingo_simulate_bound(t->history, &options, &result, &err) != 0)
        fail_msg("%s", err.message);
    assert_true(result.is_solved);
    assert_true(result.bound_ms >= result.ideal_ms);
    *ideal = result.ideal_ms;
    return result.bound_ms;
}

static int64_t simulated(const struct pingo_workload *workload,
                         const struct pingo_simulation_options *options)
{
    struct pingo_simulation_result result = {.size = sizeof result};
    struct pingo_error err = {0};
    if (pingo_workload_simulate(workload, options, &result, &err) != 0)
        fail_msg("%s", err.message);
    return result.compute_ms;
}

/* Every algorithm, whenever it decides, with either low watermark. */
static void compare_policies(const struct pingo_workload *workload, int64_t budget, bool outside,
                             int64_t least, int64_t ideal)
{
    struct pingo_simulation_options options = {
        .version = 1, .budget_bytes = -1, .leaves_outside = outside};
    assert_int_equal(simulated(workload, &options), ideal);
    options.budget_bytes = budget;
    for (size_t i = 0;; i++) {
        options.algorithm = i == 0 ? pingo_clairvoyant() : pingo_decision_at(i - 1);
        if (options.algorithm == NULL)
            break;
        for (unsigned k = 0; k < 2; k++) {
            int64_t ms;
            options.decide =
                k ? PINGO_SIMULATION_DECIDE_WORKFLOW_END : PINGO_SIMULATION_DECIDE_PUBLISH;
            options.low_permille = (k + (unsigned)budget) % 2 ? 1000 : 0;
            ms = simulated(workload, &options);
            if (ms < least)
                fail_msg("%s takes %lld, less than %lld", options.algorithm->name, (long long)ms,
                         (long long)least);
        }
    }
}

static void compare(const struct tiny *t, int64_t budget, bool outside,
                    const struct pingo_workload *workload, struct totals *totals)
{
    int64_t ideal = 0, bound = bound_of(t, budget, outside, &ideal);
    int64_t least = tiny_least(t, budget, !outside);
    assert_true(bound <= least);
    compare_policies(workload, budget, outside, least, ideal);
    totals->ideal += ideal;
    totals->bound += bound;
    totals->least += least;
    totals->nbounds++;
    totals->nreached += bound == least;
}

static void test_bound__is_below_the_best_choice_of_evictions(void **state)
{
    struct totals totals = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        struct tiny t;
        struct pingo_workload *workload = NULL;
        tiny_make(&t, seed);
        assert_int_equal(pingo_workload_new(t.history, &workload, NULL), 0);
        int64_t all = tiny_sum(&t, t.sizes, (1u << t.nactions) - 1);
        compare(&t, tiny_below(&t, (uint32_t)all / 2 + 1), true, workload, &totals);
        compare(&t, tiny_below(&t, (uint32_t)all + 2), false, workload, &totals);
        pingo_workload_free(workload);
        tiny_free(&t);
    }
    /* It would be below them too if it said nothing. */
    print_message("ideal %lld, bound %lld, least %lld; %u of %u reached\n", (long long)totals.ideal,
                  (long long)totals.bound, (long long)totals.least, totals.nreached, totals.nbounds);
    assert_true(totals.least > totals.ideal + totals.ideal / 5);
    assert_true(totals.nreached > totals.nbounds * 4 / 5);
    assert_true(totals.least - totals.bound < (totals.least - totals.ideal) / 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound__is_below_the_best_choice_of_evictions),
    };
    if (!has_solver()) {
        puts("1..0 # SKIP a build without a solver");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
