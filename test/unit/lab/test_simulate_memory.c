/* test_simulate_memory.c - every allocation of a run fails once: no crash, no leak, PINGO_ENOMEM. */
#include "story.h"

#include "lab/simulate/workload.h"
#include "unit/memory.h"

static const char *const lines[] = {
    "a/10/100 b/20/50<a c/30/10*<b", "a d/5/5*<a d", "a b! e/7/30<b f/1/1*<e", "a g/2/2*<a", NULL,
};

static int run(struct story *s, size_t shared_bytes)
{
    struct pingo_workload *workload = NULL;
    int rc = pingo__lab_workload_new(s->history, shared_bytes, &workload, NULL);
    if (rc == 0)
        rc = pingo_workload_simulate(workload, &s->options, &s->result, NULL);
    pingo_workload_free(workload);
    return rc;
}

static void test_simulate_memory__each_failure_is_told(void **state)
{
    const struct pingo_decision_algorithm *algorithms[] = {pingo_decision_find("chain"),
                                                           pingo_clairvoyant(), NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.version = 2;
    for (size_t i = 0; i < 8; i++) {
        int rc = PINGO_ENOMEM;
        long n = 0;
        s.options.algorithm = algorithms[i % 3];
        s.options.budget_bytes = s.options.algorithm == NULL ? 0 : 100;
        s.options.slots = 2;
        s.options.arrive = i < 6 ? PINGO_SIMULATION_ARRIVE_IDLE : PINGO_SIMULATION_ARRIVE_TIMES;
        for (; rc != 0; n++) {
            arm(n);
            rc = run(&s, i % 6 < 3 ? 0 : SIZE_MAX);
            if (!disarm()) { /* there was no n-th */
                assert_int_equal(rc, 0);
                break;
            }
            if (rc != 0)
                assert_int_equal(rc, PINGO_ENOMEM);
            else
                rc = PINGO_ENOMEM; /* it was one that need not succeed */
        }
        assert_in_range(n, 50, 100000);
    }
    story_close(&s);
}

static void test_simulate_memory__an_experiment_fails_whole(void **state)
{
    static const struct pingo_experiment_budget budget = {-1, 100};
    static const unsigned slots = 1;
    struct pingo_experiment_row *rows;
    struct pingo_experiment_summaries sums;
    struct pingo_experiment_storage *storage;
    struct story s;
    size_t nrows;
    (void)state;
    story_open(&s, lines);
    struct pingo_experiment_algorithm algorithm = {pingo_decision_find("random"), NULL};
    struct pingo_experiment_sample sample = {s.workload, 2, 0};
    struct pingo_experiment e = {.version = 1,
                                 .samples = &sample,
                                 .nsamples = 1,
                                 .algorithms = &algorithm,
                                 .nalgorithms = 1,
                                 .budgets = &budget,
                                 .nbudgets = 1,
                                 .slots = &slots,
                                 .nslots = 1,
                                 .threads = 1,
                                 .most_percent = 5};
    for (long i = 0;; i++) {
        int rc;
        assert_in_range(i, 0, 100000);
        arm(i);
        sums = (struct pingo_experiment_summaries){.n = 0};
        storage = NULL;
        rc = pingo_experiment_run(&e, &rows, &nrows, NULL);
        if (rc == 0)
            rc = pingo_experiment_summarize(&e, rows, nrows, &sums, NULL);
        if (rc == 0)
            rc = pingo_experiment_find_storage(&e, sums.rows, sums.n, &storage, NULL);
        assert_true((rc == 0) == (storage != NULL));
        free(storage);
        free(sums.rows);
        free(rows);
        if (!disarm())
            break;
        if (rc != 0)
            assert_int_equal(rc, PINGO_ENOMEM);
    }
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulate_memory__each_failure_is_told),
        cmocka_unit_test(test_simulate_memory__an_experiment_fails_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
