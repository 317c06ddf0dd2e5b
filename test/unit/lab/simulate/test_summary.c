/* test_summary.c - rows of an experiment, summed up by group and by pair. */
#include "unit/lab/experiment.h"

static void test_summary__sums_up_by_group_and_pair(void **state)
{
    struct pingo_experiment_algorithm algorithms[2] = {{NULL, NULL}};
    struct pingo_experiment_sample samples[] = {{NULL, 1, 0}, {NULL, 2, 0}, {NULL, 1, 1}};
    static const double rho[3][2] = {{1.0, 1.5}, {1.2, 1.3}, {2.0, 1.0}};
    struct pingo_experiment_row rows[6] = {{.sample = 0}};
    struct pingo_experiment_summaries sums;
    struct pingo_experiment e = {.version = 1,
                                 .samples = samples,
                                 .nsamples = 3,
                                 .algorithms = algorithms,
                                 .nalgorithms = 2,
                                 .budgets = budgets,
                                 .nbudgets = 1,
                                 .slots = slots,
                                 .nslots = 1};
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        rows[i] = (struct pingo_experiment_row){.sample = i / 2,
                                                .algorithm = i % 2,
                                                .ideal_ms = 100,
                                                .none_ms = 200 + i,
                                                .rho = rho[i / 2][i % 2],
                                                .result.nevictions = i};
    assert_int_equal(pingo_experiment_summarize(&e, rows, 6, &sums, NULL), 0);
    assert_int_equal(sums.n, 4);
    assert_int_equal(sums.rows[1].nsamples, 2);
    assert_near(sums.rows[0].rho, 1.1, 1e-12);
    assert_near(sums.rows[0].rho_deviation, sqrt(0.02), 1e-12);
    assert_near(sums.rows[0].difference, 0, 1e-12);
    assert_near(sums.rows[1].difference, 0.3, 1e-12); /* of 0.5 and 0.1 */
    assert_near(sums.rows[1].difference_deviation, sqrt(0.08), 1e-12);
    assert_near(sums.rows[1].evictions, 2, 1e-12);
    assert_near(sums.rows[1].none_rho, 2.02, 1e-12);
    assert_int_equal(sums.rows[3].group, 1);
    assert_int_equal(sums.rows[3].nsamples, 1);
    assert_near(sums.rows[3].difference, -1, 1e-12);
    assert_near(sums.rows[3].rho_deviation, 0, 0);
    free(sums.rows);
    assert_int_equal(pingo_experiment_summarize(&e, rows, 5, &sums, NULL), PINGO_EINVAL);
    assert_null(sums.rows);
}

/* Three samples, of groups 0 and 2, with two numbers of slots, budgets and algorithms. */
struct ground {
    struct pingo_experiment_sample samples[3];
    struct pingo_experiment_algorithm algorithms[2];
    struct pingo_experiment_row rows[24];
    struct pingo_experiment e;
};

static void open_ground(struct ground *g)
{
    *g = (struct ground){.samples = {{NULL, 1, 0}, {NULL, 2, 2}, {NULL, 3, 2}}};
    g->e = (struct pingo_experiment){.version = 1,
                                     .samples = g->samples,
                                     .nsamples = 3,
                                     .algorithms = g->algorithms,
                                     .nalgorithms = 2,
                                     .budgets = budgets,
                                     .nbudgets = 2,
                                     .slots = slots,
                                     .nslots = 2};
    for (uint32_t i = 0; i < 24; i++)
        g->rows[i] = (struct pingo_experiment_row){
            .sample = i / 8,
            .slots = i / 4 % 2,
            .budget = i / 2 % 2,
            .algorithm = i % 2,
            .actual_ms = 1000 + i,
            .ideal_ms = i < 8 ? 0 : 500,
            .none_ms = 2000 + i,
            .schedule_ms = 400 + i,
            .budget_bytes = 70 + i,
            .rho = 1 + i,
            .recovered = i / 100.0,
            .result = {.peak_bytes = 60 + i, .nevictions = i, .nshortfalls = 2 * i}};
}

static void test_summary__stands_in_the_order_of_its_indexes(void **state)
{
    struct ground g;
    struct pingo_experiment_summaries sums;
    (void)state;
    open_ground(&g);
    assert_int_equal(pingo_experiment_summarize(&g.e, g.rows, 24, &sums, NULL), 0);
    assert_int_equal(sums.n, 24); /* of three groups, though the middle one is empty */
    for (uint32_t i = 0; i < 24; i++) {
        const struct pingo_experiment_summary *s = &sums.rows[i];
        /* The mean index of the rows of group 2 is 12 + that of the cell. */
        double cell = i % 8, at = i < 8 ? cell : 12 + cell, has = i / 8 != 1;
        assert_int_equal(s->group, i / 8);
        assert_int_equal(s->slots, i / 4 % 2);
        assert_int_equal(s->budget, i / 2 % 2);
        assert_int_equal(s->algorithm, i % 2);
        assert_int_equal(s->nsamples, i / 8 == 0 ? 1 : i / 8 == 1 ? 0 : 2);
        assert_near(s->rho, has * (1 + at), 1e-9);
        assert_near(s->difference, has * (i % 2), 1e-9);
        assert_near(s->difference_deviation, 0, 1e-9);
        assert_near(s->rho_deviation, i < 16 ? 0 : sqrt(32), 1e-9); /* 8 apart */
        assert_near(s->actual_ms, has * (1000 + at), 1e-9);
        assert_near(s->ideal_ms, i < 16 ? 0 : 500, 1e-9);
        assert_near(s->schedule_ms, has * (400 + at), 1e-9);
        assert_near(s->budget_bytes, has * (70 + at), 1e-9);
        assert_near(s->recovered, has * at / 100, 1e-9);
        assert_near(s->peak_bytes, has * (60 + at), 1e-9);
        assert_near(s->evictions, has * at, 1e-9);
        assert_near(s->shortfalls, has * 2 * at, 1e-9);
        /* Where nothing takes time, nothing is lost. */
        assert_near(s->none_rho, i < 8 ? 1 : has * (2000 + at) / 500, 1e-9);
    }
    free(sums.rows);
}

/* What storage cannot save is no share of what was saved. */
static void test_summary__leaves_out_where_storage_gains_nothing(void **state)
{
    struct ground g;
    struct pingo_experiment_summaries sums;
    (void)state;
    open_ground(&g);
    for (uint32_t i = 0; i < 24; i++)
        if (i / 8 != 2) {
            g.rows[i].none_ms = g.rows[i].ideal_ms;
            g.rows[i].recovered = 1;
        }
    assert_int_equal(pingo_experiment_summarize(&g.e, g.rows, 24, &sums, NULL), 0);
    for (uint32_t i = 0; i < 8; i++) {
        assert_near(sums.rows[i].recovered, 1, 0);
        assert_near(sums.rows[16 + i].recovered, (16 + i) / 100.0, 1e-9);
    }
    free(sums.rows);
}

static void test_summary__refuses_rows_of_another_experiment(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct pingo_experiment_summaries sums = {.n = 7};
        struct pingo_error err = {0};
        struct ground g;
        open_ground(&g);
        if (i == 0)
            g.rows[3].algorithm = 0;
        if (i == 1)
            g.rows[23].sample = 1;
        if (i == 2)
            g.samples[1].group = 3;
        if (i == 3)
            g.e.nbudgets = 1;
        assert_int_equal(pingo_experiment_summarize(&g.e, g.rows, i == 4 ? 0 : 24, &sums, &err),
                         PINGO_EINVAL);
        assert_string_equal(err.message, "the rows are those of another experiment");
        assert_null(sums.rows);
        assert_int_equal(sums.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary__sums_up_by_group_and_pair),
        cmocka_unit_test(test_summary__stands_in_the_order_of_its_indexes),
        cmocka_unit_test(test_summary__leaves_out_where_storage_gains_nothing),
        cmocka_unit_test(test_summary__refuses_rows_of_another_experiment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
