/* test_noise.c - how long a run takes: the history's time, with noise of the mean and the variation that were asked for,
 * the same on every machine. */
#include "unit/lab/experiment.h"

struct times {
    double n, sum, squares;
};

static int note_time(void *context, const struct pingo_simulation_event *event)
{
    struct times *t = context;
    if (event->kind != PINGO_SIMULATION_RUN)
        return 0;
    t->n++;
    t->sum += (double)event->ms;
    t->squares += (double)event->ms * (double)event->ms;
    return 0;
}

static void test_noise__has_the_mean_and_the_variation_asked_for(void **state)
{
    static const double variations[] = {0.05, 0.3, 1};
    static const char *const none[] = {NULL};
    struct pingo_workload *workload = NULL;
    struct story s;
    (void)state;
    story_open(&s, none);
    for (int i = 0; i < 4000; i++) {
        char line[64];
        snprintf(line, sizeof line, "a%d/1000000/1*", i);
        story_submit(s.history, line);
    }
    assert_int_equal(pingo_workload_new(s.history, &workload, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        struct times t = {0};
        struct pingo_simulation_options o = {.version = 1,
                                             .budget_bytes = -1,
                                             .noise = variations[i],
                                             .seed = 7,
                                             .event = note_time,
                                             .context = &t};
        assert_int_equal(pingo_workload_simulate(workload, &o, &s.result, NULL), 0);
        double mean = t.sum / t.n, variation = sqrt(t.squares / t.n - mean * mean) / mean;
        assert_near(mean, 1e6, 1e6 * variations[i] * 0.06); /* 4 deviations of the mean */
        assert_near(variation, variations[i], variations[i] * 0.12);
    }
    pingo_workload_free(workload);
    story_close(&s);
}

static void test_noise__makes_each_run_of_an_action_another_one(void **state)
{
    static const char *const again[] = {"a/1000000/1*", "a!*", "b/1000000/1*", NULL};
    struct story s;
    int64_t first;
    (void)state;
    story_open(&s, again);
    s.options.noise = 0.2;
    s.options.seed = 1;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    first = s.result.end_ms;
    assert_int_equal(first, INT64_C(3452914)); /* the same on every machine */
    s.options.seed = 2;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_int_not_equal(s.result.end_ms, first);
    story_close(&s);
}

/* No time stays none, and the longest one stays a time. */
static void test_noise__keeps_times_within_their_range(void **state)
{
    static const char *const none[] = {"a/-1/1*", "b/0/1*", NULL};
    static const char *const longest[] = {"a/9223372036854775807/1*", NULL};
    struct story s;
    unsigned nlongest = 0;
    (void)state;
    story_open(&s, none);
    s.options.noise = 10;
    for (s.options.seed = 1; s.options.seed < 20; s.options.seed++) {
        assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
        assert_int_equal(s.result.compute_ms, 0);
    }
    s.options.noise = 0;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_int_equal(s.result.compute_ms, 0);
    story_close(&s);
    story_open(&s, longest);
    s.options.noise = 1;
    for (s.options.seed = 1; s.options.seed < 20; s.options.seed++) {
        assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
        assert_true(s.result.end_ms > 0);
        nlongest += s.result.end_ms == INT64_MAX;
    }
    assert_in_range(nlongest, 2, 17);
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise__has_the_mean_and_the_variation_asked_for),
        cmocka_unit_test(test_noise__makes_each_run_of_an_action_another_one),
        cmocka_unit_test(test_noise__keeps_times_within_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
