/* test_publish.c - an action starts, and its dataset is there: for whom, as what, and how long it took so far. */
#include "unit/lab/story.h"

#include "lab/simulate/run.h"

static void test_publish__wakes_whoever_waited(void **state)
{
    /* Both submissions wait for a; c waits for a and b. */
    static const char *const lines[] = {"a/10/1 b/5/1 c/1/1*<a,b", "a d/2/1*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.slots = 3;
    story_expect(&s, "[0 (a (b [1 ~a )b )a (c (d )c* ]0 )d* ]1");
    assert_int_equal(s.result.critical_ms, 12);
    assert_int_equal(s.result.end_ms, 12);
    story_close(&s);
    /* Who does not compute waits for nobody: b is there, though a is made again. */
    static const char *const again[] = {"a/10/60 b/1/1*<a", "a* b", NULL};
    story_open(&s, again);
    story_budget(&s, "lru", 50);
    s.options.leaves_outside = true;
    story_expect(&s, "[0 (a )a ?13 (b )b* -a ]0 [1 (a )a* ]1");
    story_close(&s);
}

/* What is a leaf stays one when it is made again for others. */
static void test_publish__never_lowers_what_is_a_leaf(void **state)
{
    static const char *const forced[] = {"a/10/60*", "a! b/1/1*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, forced);
    story_expect(&s, "[0 (a )a* ]0 [1 (a )a* (b )b* ]1");
    story_close(&s);
}

/* What is claimed of the former generation holds nothing of the new one: it may go. */
static void test_publish__makes_a_generation_that_nobody_claims(void **state)
{
    static const char *const lines[] = {"a/10/60 b/30/1*<a", "a! c/1/1*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 50);
    s.options.slots = 2;
    s.options.leaves_outside = true;
    /* At 10 there is a, which b claims, and then another one, which c does: at 11 nobody does, though b still runs. */
    story_expect(&s, "[0 (a [1 (a )a ?13 )a ?13 (b (c )c* -a ]1 )b* ]0");
    story_close(&s);
}

static const struct pingo_history *seen;

static int open_watcher(const struct pingo_history *history, const double *values, void **state,
                        struct pingo_error *err)
{
    seen = history;
    return pingo_decision_find("lru")->open(history, values, state, err);
}

struct runs {
    int64_t ms[8], means[8];
    size_t nstarted, npublished;
};

static int note_run(void *context, const struct pingo_simulation_event *e)
{
    struct runs *r = context;
    if (e->kind == PINGO_SIMULATION_RUN)
        r->ms[r->nstarted++] = e->ms;
    if (e->kind == PINGO_SIMULATION_PUBLISH)
        r->means[r->npublished++] = pingo_history_compute(seen, e->action);
    return 0;
}

/* An algorithm knows the mean of all runs, as the engine does. */
static void test_publish__tells_the_mean_time_of_all_runs(void **state)
{
    static const char *const lines[] = {"a/1000/1*", "a!*", "a!*", "a!*", NULL};
    struct pingo_decision_algorithm algorithm = *pingo_decision_find("lru");
    struct runs runs = {.nstarted = 0};
    struct story s;
    int64_t sum = 0;
    (void)state;
    algorithm.open = open_watcher;
    story_open(&s, lines);
    s.options = (struct pingo_simulation_options){.version = 1,
                                                  .algorithm = &algorithm,
                                                  .budget_bytes = 10,
                                                  .noise = 0.5,
                                                  .seed = 3,
                                                  .event = note_run,
                                                  .context = &runs};
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_int_equal(runs.nstarted, 4);
    assert_int_equal(runs.npublished, 4);
    assert_int_not_equal(runs.ms[0], runs.ms[1]);
    for (size_t i = 0; i < 4; i++) {
        sum += runs.ms[i];
        assert_int_equal(runs.means[i], sum / (int64_t)(i + 1));
    }
    assert_int_equal(s.result.compute_ms, sum);
    story_close(&s);
}

/* Each sum of times has its end: of the clock, of all runs, of a chain. */
static void test_publish__refuses_a_run_that_takes_too_long(void **state)
{
    static const char *const one_after_the_other[] = {"a/9223372036854775807/1*", "a!*", NULL};
    static const char *const side_by_side[] = {"a/5000000000000000000/1*", "a!*", NULL};
    const char *const *rows[] = {one_after_the_other, side_by_side};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct pingo_error err = {0};
        struct story s;
        story_open(&s, rows[i]);
        s.options.slots = i + 1;
        assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, &err),
                         PINGO_ELIMIT);
        assert_string_equal(err.message, "the run takes longer than 2^63 ms");
        story_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publish__wakes_whoever_waited),
        cmocka_unit_test(test_publish__never_lowers_what_is_a_leaf),
        cmocka_unit_test(test_publish__makes_a_generation_that_nobody_claims),
        cmocka_unit_test(test_publish__tells_the_mean_time_of_all_runs),
        cmocka_unit_test(test_publish__refuses_a_run_that_takes_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
