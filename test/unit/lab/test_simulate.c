/* The simulator on histories small enough to be run with a pencil. */
#include "story.h"

static void test_simulate__computes_what_is_new_and_reuses_the_rest(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50<a c/30/10*<b", "a b<a d/40/5*<b", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 (a )a (b )b (c )c* ]0 [1 =b (d )d* ]1");
    assert_int_equal(s.result.end_ms, 100);
    assert_int_equal(s.result.compute_ms, 100);
    assert_int_equal(s.result.critical_ms, 70); /* a, b, d */
    assert_int_equal(s.result.peak_bytes, 165);
    assert_int_equal(s.result.ncomputed, 4);
    assert_int_equal(s.result.nreused, 1);
    assert_int_equal(s.result.nskipped, 1);
    story_close(&s);
}

static void test_simulate__decides_after_each_publish(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50<a c/30/10*<b", "a d/5/5*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    /* b: 150 are used, 55 must go, b is claimed by c: a goes.  a again: 160, 65 must go, a is
     * claimed by d: b goes, 15 are missing.  d: 115, 20 must go: a goes. */
    story_expect(&s, "[0 (a )a (b )b -a (c )c* ]0 [1 (a )a -b ?15 (d )d* -a ]1");
    assert_int_equal(s.result.end_ms, 75);
    assert_int_equal(s.result.peak_bytes, 160);
    assert_int_equal(s.result.nevictions, 3);
    assert_int_equal(s.result.evicted_bytes, 250);
    assert_int_equal(s.result.nshortfalls, 1);
    assert_int_equal(s.result.shortfall_bytes, 15);
    story_close(&s);
}

static void test_simulate__decides_at_the_end_of_workflows(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50<a c/30/10*<b", "a d/5/5*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "largest-first", 100);
    s.options.decide = PINGO_SIMULATION_DECIDE_WORKFLOW_END;
    /* 160 are used: 65 must go: a alone.  Then 50 + 10 + 100 + 5: a again. */
    story_expect(&s, "[0 (a )a (b )b (c )c* ]0 -a [1 (a )a (d )d* ]1 -a");
    assert_int_equal(s.result.peak_bytes, 165);
    story_close(&s);
}

static void test_simulate__leaves_can_lie_outside(void **state)
{
    static const char *const lines[] = {"a/10/60 c/30/90*<a", "a b/1/40<a e/1/50*<b", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    s.options.leaves_outside = true;
    story_expect(&s, "[0 (a )a (c )c* ]0 [1 =a (b )b (e )e* ]1");
    assert_int_equal(s.result.peak_bytes, 100);
    s.options.leaves_outside = false;
    /* c: 150: 55 must go: a.  a again is 150, 55 must go, but b claims it.  b: 190 again, a goes.
     * e: 180, 85 must go, b alone can. */
    story_expect(&s, "[0 (a )a (c )c* -a ]0 [1 (a )a ?55 (b )b -a ?35 (e )e* -b ?45 ]1");
    story_close(&s);
}

static void test_simulate__the_low_watermark_is_a_share_of_the_budget(void **state)
{
    static const char *const lines[] = {"a/1/50 b/1/40<a c/1/11*<b d/1/0*<c", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    s.options.low_permille = 1000;
    story_expect(&s, "[0 (a )a (b )b (c )c* -a (d )d* ]0"); /* 1 must go: the larger one */
    story_close(&s);
}

static void test_simulate__what_is_asked_for_again_becomes_a_leaf(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/1*<a", "a*", "d/1/100*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    story_expect(&s, "[0 (a )a (b )b* ]0 [1 =a ]1 [2 (d )d* ?66 ]2");
    story_close(&s);
}

static void test_simulate__what_stands_twice_is_one(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/5<a b c/2/1*<b a*", "c b! a b d/1/1*<b,a",
                                        NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 ~b ~a (a )a* (b )b (c )c* ]0 [1 =a ~b (b )b (d )d* ]1");
    story_close(&s);
}

static void test_simulate__forced_actions_make_generations_of_their_own(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/5<a c/2/1*<b", "a b! c*<b", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 (a )a (b )b (c )c* ]0 [1 =a (b )b (c )c* ]1");
    assert_int_equal(s.result.end_ms, 16);
    assert_int_equal(s.result.peak_bytes, 66);
    story_close(&s);
}

static void test_simulate__equal_actions_of_a_workflow_compute_once(void **state)
{
    static const char *const lines[] = {"a/10/60 a b/1/5*<a b*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 ~a ~b (a )a (b )b* ]0");
    assert_int_equal(s.result.njoined, 2);
    story_close(&s);
}

static void test_simulate__no_storage_needs_no_algorithm(void **state)
{
    static const char *const lines[] = {"a/10/0 c/30/1*<a", "a d/5/5*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.budget_bytes = 0;
    s.options.leaves_outside = true;
    story_expect(&s, "[0 (a )a (c )c* -a ]0 [1 (a )a (d )d* -a ]1"); /* though a holds no byte */
    assert_int_equal(s.result.end_ms, 55);
    story_close(&s);
}

/* ---- more slots ---------------------------------------------------------------------- */

static void test_simulate__an_idle_slot_takes_the_next_submission_in(void **state)
{
    static const char *const lines[] = {"a/10/1 b/20/1*<a", "a c/5/1*<a", "e/1/1*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.slots = 2;
    /* c waits for a, which it joins; so 2 arrives, and its e runs beside a. */
    story_expect(&s, "[0 (a [1 ~a [2 (e )e* ]2 )a (b (c )c* ]1 )b* ]0");
    assert_int_equal(s.result.end_ms, 30);
    assert_int_equal(s.result.compute_ms, 36);
    assert_int_equal(s.result.critical_ms, 30);
    story_close(&s);
}

static void test_simulate__the_longest_path_runs_first_once_times_are_known(void **state)
{
    static const char *const lines[] = {"a/1/1 b/5/1<a c/100/1<a d/1/1*<b e/1/1*<c",
                                        "a b<a c<a f/1/1*<b g/1/1*<c", "a! b<a c<a h/1/1*<b,c",
                                        NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.budget_bytes = 0;
    s.options.decide = PINGO_SIMULATION_DECIDE_WORKFLOW_END;
    s.options.leaves_outside = true;
    /* What is new, or forced, is expected to take as long as anything else: then the hash decides. */
    story_expect(&s, "[0 (a )a (b )b (c )c (d )d* (e )e* ]0 -a -b -c"
                     " [1 (a )a (c )c (b )b (f )f* (g )g* ]1 -a -b -c"
                     " [2 (a )a (b )b (c )c (h )h* ]2 -a -b -c");
    story_close(&s);
}

static void test_simulate__a_claimed_dataset_stays_while_a_slot_reads_it(void **state)
{
    static const char *const lines[] = {"a/1/50 b/10/50*<a", "x/2/60 y/1/1*<x", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    s.options.slots = 2;
    s.options.leaves_outside = true;
    /* a is there at 1, while b reads it.  x comes at 2: 110, but both are claimed. */
    story_expect(&s, "[0 (a [1 (x )a (b )x ?15 (y )y* -x ]1 )b* ]0");
    story_close(&s);
}

/* ---- errors ------------------------------------------------------------------------------ */

static int stop(void *context, const struct pingo_simulation_event *event)
{
    (void)event;
    return --*(int *)context < 0;
}

static void test_simulate__whoever_watches_can_stop_it(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50<a c/30/10*<b", "a d/5/5*<a", NULL};
    struct story s;
    int rc = PINGO_EINTERRUPTED, tries = 0;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "chain", 100);
    for (; rc == PINGO_EINTERRUPTED && tries < 100; tries++) {
        int left = tries;
        s.options.event = stop;
        s.options.context = &left;
        rc = pingo_workload_simulate(s.workload, &s.options, &s.result, NULL);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(tries, 19); /* 18 events, and once without a stop */
    story_close(&s);
}

static int claims_to_be_stopped(void *state, const struct pingo_decision_request *request,
                                struct pingo_error *err)
{
    (void)state;
    (void)request;
    (void)err;
    return PINGO_EINTERRUPTED;
}

/* A plug-in that says so is at fault: neither memory nor whoever watches is. */
static void test_simulate__an_algorithm_cannot_stop_it(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50<a c/30/10*<b", "a d/5/5*<a", NULL};
    struct pingo_decision_algorithm algorithm = *pingo_decision_find("lru");
    struct pingo_error err = {0};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    algorithm.choose = claims_to_be_stopped;
    s.options.algorithm = &algorithm;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, &err), PINGO_ESTATE);
    assert_non_null(strstr(err.message, "PINGO_EINTERRUPTED, but nobody stopped it"));
    story_close(&s);
}

static void test_simulate__refuses_bad_options(void **state)
{
    static const char *const lines[] = {"a/10/100*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    const struct pingo_simulation_options bad[] = {
        {.version = 3, .budget_bytes = -1},
        {.version = 1, .budget_bytes = 5},
        {.version = 1, .budget_bytes = -2},
        {.version = 1, .budget_bytes = -1, .low_permille = 1001},
        {.version = 1, .budget_bytes = -1, .noise = -0.5},
        {.version = 1, .budget_bytes = -1, .noise = 11},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(pingo_workload_simulate(s.workload, &bad[i], &s.result, NULL),
                         PINGO_EINVAL);
    story_close(&s);
}

static void test_simulate__what_passes_the_clock_is_refused(void **state)
{
    static const char *const one[] = {"a/9223372036854775807/1*", "a!*", NULL};
    struct pingo_workload *workload = NULL;
    struct story s;
    (void)state;
    story_open(&s, one);
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), PINGO_ELIMIT);
    story_submit(s.history, "b/1/9223372036854775807*");
    assert_int_equal(pingo_workload_new(s.history, &workload, NULL), PINGO_ELIMIT);
    assert_null(workload);
    story_close(&s);
}

static void test_simulate__an_empty_history_is_nothing(void **state)
{
    static const char *const lines[] = {NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "");
    assert_int_equal(s.result.end_ms, 0);
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulate__computes_what_is_new_and_reuses_the_rest),
        cmocka_unit_test(test_simulate__decides_after_each_publish),
        cmocka_unit_test(test_simulate__decides_at_the_end_of_workflows),
        cmocka_unit_test(test_simulate__leaves_can_lie_outside),
        cmocka_unit_test(test_simulate__the_low_watermark_is_a_share_of_the_budget),
        cmocka_unit_test(test_simulate__what_is_asked_for_again_becomes_a_leaf),
        cmocka_unit_test(test_simulate__what_stands_twice_is_one),
        cmocka_unit_test(test_simulate__forced_actions_make_generations_of_their_own),
        cmocka_unit_test(test_simulate__equal_actions_of_a_workflow_compute_once),
        cmocka_unit_test(test_simulate__no_storage_needs_no_algorithm),
        cmocka_unit_test(test_simulate__an_idle_slot_takes_the_next_submission_in),
        cmocka_unit_test(test_simulate__the_longest_path_runs_first_once_times_are_known),
        cmocka_unit_test(test_simulate__a_claimed_dataset_stays_while_a_slot_reads_it),
        cmocka_unit_test(test_simulate__whoever_watches_can_stop_it),
        cmocka_unit_test(test_simulate__an_algorithm_cannot_stop_it),
        cmocka_unit_test(test_simulate__refuses_bad_options),
        cmocka_unit_test(test_simulate__what_passes_the_clock_is_refused),
        cmocka_unit_test(test_simulate__an_empty_history_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
