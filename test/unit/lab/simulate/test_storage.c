/* test_storage.c - the least budget with at most so much recomputation. */
#include "unit/lab/experiment.h"

/* The mean rho with a budget, of two samples with one slot. */
static double rho_with(struct pingo_experiment e, double percent,
                       const struct pingo_experiment_algorithm *algorithm)
{
    const struct pingo_experiment_budget budget = {.percent = percent};
    struct pingo_experiment_row *rows;
    size_t n;
    double rho;
    e.algorithms = algorithm;
    e.nalgorithms = 1;
    e.budgets = &budget;
    e.nbudgets = 1;
    e.progress = NULL;
    run(&e, &rows, &n);
    assert_int_equal(n, 2);
    rho = (rows[0].rho + rows[1].rho) / 2;
    free(rows);
    return rho;
}

static int count_searches(void *context, uint64_t done, uint64_t all)
{
    assert_int_equal(all, 2);
    assert_true(done < 2);
    return ++*(int *)context == 5;
}

static void test_storage__finds_the_least_budget(void **state)
{
    struct pingo_experiment_algorithm algorithms[] = {algorithm("lru"), algorithm("chain")};
    const struct pingo_experiment_budget known[] = {{.percent = 10}, {-1, 500}};
    struct pingo_experiment_row *rows;
    struct pingo_experiment_summaries sums;
    struct pingo_experiment_storage *found;
    struct story s;
    size_t nrows;
    int calls = 0;
    (void)state;
    story_open(&s, lines);
    struct pingo_experiment_sample samples[] = {{s.workload, 1, 0}, {s.workload, 2, 0}};
    struct pingo_experiment e = {.version = 1,
                                 .samples = samples,
                                 .nsamples = 2,
                                 .algorithms = algorithms,
                                 .nalgorithms = 2,
                                 .budgets = known,
                                 .nbudgets = 2,
                                 .slots = slots,
                                 .nslots = 1,
                                 .most_percent = 5};
    run(&e, &rows, &nrows);
    assert_int_equal(pingo_experiment_summarize(&e, rows, nrows, &sums, NULL), 0);
    assert_int_equal(pingo_experiment_find_storage(&e, sums.rows, sums.n, &found, NULL), 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found[i].algorithm, i);
        assert_true(found[i].percent > 10 && found[i].rho <= 1.05);
        char text[32]; /* so that it can be asked for */
        snprintf(text, sizeof text, "%.4g", found[i].percent);
        assert_near(found[i].percent, strtod(text, NULL), 0);
        assert_near(rho_with(e, found[i].percent, &algorithms[i]), found[i].rho, 1e-12);
        assert_true(rho_with(e, found[i].percent * 0.98 - 0.02, &algorithms[i]) > 1.05);
    }
    free(found);
    e.most_percent = 1000; /* nothing at all is enough */
    assert_int_equal(pingo_experiment_find_storage(&e, sums.rows, sums.n, &found, NULL), 0);
    assert_true(found[0].percent <= 0 && found[0].percent >= 0);
    free(found);
    e.most_percent = 5;
    e.progress = count_searches;
    e.context = &calls;
    assert_int_equal(pingo_experiment_find_storage(&e, sums.rows, sums.n, &found, NULL),
                     PINGO_EINTERRUPTED);
    assert_null(found);
    assert_int_equal(pingo_experiment_find_storage(&e, sums.rows, sums.n - 1, &found, NULL),
                     PINGO_EINVAL);
    e.most_percent = -1;
    struct pingo_error err;
    assert_int_equal(pingo_experiment_find_storage(&e, sums.rows, sums.n, &found, &err),
                     PINGO_EINVAL);
    assert_string_equal(err.message, "most_percent is at least 0");
    assert_null(found);
    free(sums.rows);
    free(rows);
    story_close(&s);
}

/* An experiment with lru, one slot, leaves outside, and two samples of each of two groups. */
struct ground {
    struct story stories[2];
    struct pingo_experiment_sample samples[4];
    struct pingo_experiment_algorithm algorithms[1];
    struct pingo_experiment e;
};

static void open_ground(struct ground *g, const char *const *first, const char *const *second)
{
    *g = (struct ground){.algorithms = {algorithm("lru")}};
    story_open(&g->stories[0], first);
    story_open(&g->stories[1], second);
    for (uint32_t i = 0; i < 4; i++)
        g->samples[i] =
            (struct pingo_experiment_sample){g->stories[i % 2].workload, 1 + i / 2, i % 2};
    g->e = (struct pingo_experiment){.version = 1,
                                     .samples = g->samples,
                                     .nsamples = 4,
                                     .algorithms = g->algorithms,
                                     .nalgorithms = 1,
                                     .slots = slots,
                                     .nslots = 1,
                                     .leaves_outside = true};
}

static void close_ground(struct ground *g)
{
    story_close(&g->stories[0]);
    story_close(&g->stories[1]);
}

/* Runs with these budgets, searches. */
static void find(struct pingo_experiment *e, const struct pingo_experiment_budget *known,
                 size_t nknown, struct pingo_experiment_storage *found)
{
    struct pingo_experiment_row *rows;
    struct pingo_experiment_summaries sums;
    struct pingo_experiment_storage *storage;
    pingo_simulation_progress_fn progress = e->progress;
    size_t nrows;
    e->budgets = known;
    e->nbudgets = nknown;
    e->progress = NULL;
    run(e, &rows, &nrows);
    e->progress = progress;
    assert_int_equal(pingo_experiment_summarize(e, rows, nrows, &sums, NULL), 0);
    assert_int_equal(pingo_experiment_find_storage(e, sums.rows, sums.n, &storage, NULL), 0);
    memcpy(found, storage, sums.n / nknown * sizeof *found);
    free(storage);
    free(sums.rows);
    free(rows);
}

static int never(void *context, uint64_t done, uint64_t all)
{
    (void)context;
    (void)done;
    (void)all;
    return 1;
}

static int never_told(void *context, size_t row, const struct pingo_simulation_event *event)
{
    (void)context;
    (void)row;
    (void)event;
    return 1;
}

/* a must stay: 100 bytes are enough, and no fewer; and in the other one 40. */
static const char *const keep_a[] = {"a/10/100 b/1/1*<a", "a c/1/1*<a", NULL};
static const char *const keep_some[] = {"x/1/60 a/10/40 b/1/1*<a,x", "a c/1/1*<a", NULL};

static void test_storage__of_each_group_is_its_own(void **state)
{
    static const struct pingo_experiment_budget known[] = {{.percent = 10}, {-1, 1000}};
    struct pingo_experiment_storage found[2];
    struct ground g;
    (void)state;
    open_ground(&g, keep_a, keep_some);
    find(&g.e, known, 2, found);
    assert_int_equal(found[0].group, 0);
    assert_near(found[0].percent, 100.5, 0.51); /* of 100 bytes */
    assert_near(found[0].rho, 1, 1e-12);
    assert_near(found[0].budget_bytes, 100.5, 0.51);
    assert_int_equal(found[1].group, 1);
    assert_true(found[1].percent < 100 && found[1].percent >= 40);
    assert_near(found[1].rho, 1, 1e-12);
    close_ground(&g);
}

/* Of 100,040 bytes 40 must stay, and 95 % of a budget is filled: 43 bytes. */
static void test_storage__of_a_small_share_is_as_near(void **state)
{
    static const char *const small[] = {"x/1/100000 a/10/40 b/1/1*<a,x", "a c/1/1*<a", NULL};
    static const struct pingo_experiment_budget known[] = {{.percent = 5}};
    struct pingo_experiment_storage found[2];
    struct ground g;
    (void)state;
    open_ground(&g, small, small);
    find(&g.e, known, 1, found);
    assert_near(found[0].budget_bytes, 43, 0);
    assert_true(found[0].percent * 1000.4 >= 43 && found[0].percent * 1000.4 < 43.44);
    close_ground(&g);
}

/* a is empty, and stays where whatever may go does not: a share of nothing is nothing. */
static void test_storage__of_what_takes_no_room_is_none(void **state)
{
    static const char *const empty[] = {"a/10/0 b/1/1*<a", "a c/1/1*<a", NULL};
    static const struct pingo_experiment_budget known[] = {{.percent = 5}};
    struct pingo_experiment_storage found[2];
    struct ground g;
    (void)state;
    open_ground(&g, empty, empty);
    find(&g.e, known, 1, found);
    assert_near(found[0].percent, 0, 0);
    assert_near(found[0].budget_bytes, 0, 0);
    assert_near(found[0].rho, 1, 0);
    close_ground(&g);
}

/* What was simulated is not simulated again: between these budgets there is nothing to look for. */
static void test_storage__takes_what_is_known(void **state)
{
    static const struct pingo_experiment_budget known[] = {{.percent = 100}, {.percent = 99.5}};
    struct pingo_experiment_storage found[2];
    struct ground g;
    (void)state;
    open_ground(&g, keep_a, keep_a);
    g.e.progress = never;
    find(&g.e, known, 2, found);
    for (int i = 0; i < 2; i++) {
        assert_near(found[i].percent, 100, 0);
        assert_near(found[i].budget_bytes, 100, 0);
        assert_near(found[i].rho, 1, 0);
    }
    close_ground(&g);
}

/* Events are of the experiment that was run, not of a search. */
static void test_storage__tells_nobody_of_events(void **state)
{
    static const struct pingo_experiment_budget known[] = {{.percent = 10}};
    struct pingo_experiment_row *rows;
    struct pingo_experiment_summaries sums;
    struct pingo_experiment_storage *found;
    size_t nrows;
    struct ground g;
    (void)state;
    open_ground(&g, keep_a, keep_a);
    g.e.budgets = known;
    g.e.nbudgets = 1;
    run(&g.e, &rows, &nrows);
    assert_int_equal(pingo_experiment_summarize(&g.e, rows, nrows, &sums, NULL), 0);
    g.e.event = never_told;
    assert_int_equal(pingo_experiment_find_storage(&g.e, sums.rows, sums.n, &found, NULL), 0);
    free(found);
    free(sums.rows);
    free(rows);
    close_ground(&g);
}

/* a is read again, and must be there: inside the budget that is what a and b hold when b has been made, 1010 bytes,
 * 10100 % of the 10 bytes that nobody asked for; and of the other one 101 bytes. */
static void test_storage__of_results_that_hold_most(void **state)
{
    static const char *const lines_of[] = {"a/10/10 b/1/1000*<a", "a c/1/1*<a", NULL};
    static const struct pingo_experiment_budget known[] = {{.percent = 50}};
    struct pingo_experiment_storage found[2];
    struct ground g;
    (void)state;
    open_ground(&g, lines_of, keep_a);
    g.e.leaves_outside = false;
    find(&g.e, known, 1, found);
    assert_true(found[0].percent >= 10100 && found[0].percent < 10100 * 1.0101);
    assert_near(found[0].budget_bytes, found[0].percent / 10, 1);
    assert_near(found[0].rho, 1, 0);
    assert_true(found[1].percent >= 101 && found[1].percent < 101 * 1.0101);
    g.e.leaves_outside = true;
    find(&g.e, known, 1, found);
    assert_near(found[0].percent, 100.5, 0.51);
    close_ground(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storage__finds_the_least_budget),
        cmocka_unit_test(test_storage__of_each_group_is_its_own),
        cmocka_unit_test(test_storage__of_a_small_share_is_as_near),
        cmocka_unit_test(test_storage__of_what_takes_no_room_is_none),
        cmocka_unit_test(test_storage__takes_what_is_known),
        cmocka_unit_test(test_storage__tells_nobody_of_events),
        cmocka_unit_test(test_storage__of_results_that_hold_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
