/* test_run.c - the virtual clock, on histories small enough to be run with a pencil; who stops a run, and what is refused. */
#include <math.h>

#include "unit/lab/story.h"

static void test_run__computes_what_is_new_and_reuses_the_rest(void **state)
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

/* ---- more slots ---------------------------------------------------------------------- */

static void test_run__an_idle_slot_takes_the_next_submission_in(void **state)
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

static void test_run__ends_at_once_where_all_is_there(void **state)
{
    static const char *const lines[] = {"a/10/1*", "a*", "a*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 (a )a* ]0 [1 =a ]1 [2 =a ]2");
    assert_int_equal(s.result.end_ms, 10);
    assert_int_equal(s.result.nreused, 2);
    story_close(&s);
}

struct arrivals {
    int64_t at_ms[8];
    uint32_t n;
};

static int note_arrival(void *context, const struct pingo_simulation_event *e)
{
    struct arrivals *a = context;
    if (e->kind == PINGO_SIMULATION_SUBMIT)
        a->at_ms[a->n++] = e->at_ms;
    return 0;
}

/* Counted from the first, and none before the one before it; else when there is nothing else to do. */
static void test_run__submissions_arrive_at_their_times(void **state)
{
    static const int64_t given[] = {1000, 1500, 1200, 900, 1500, 4000};
    static const int64_t at_times[] = {0, 500, 500, 500, 500, 3000},
                         when_idle[] = {0, 7, 14, 21, 28, 35};
    struct story s = {.options = {.version = 2, .budget_bytes = -1}, .result.size = sizeof s.result};
    (void)state;
    assert_int_equal(pingo_history_new(&s.history, NULL), 0);
    for (uint32_t i = 0; i < 6; i++) {
        struct pingo_history_mention m = {.hash = {{(uint8_t)('a' + i)}},
                                          .size_bytes = 1,
                                          .compute_ms = 7,
                                          .has_parents = true,
                                          .flags = PINGO_HISTORY_LEAF};
        struct pingo_history_entry e = {
            .at_ms = given[i], .user = "u", .workflow = "w", .mentions = &m, .nmentions = 1};
        assert_int_equal(pingo_history_append(s.history, &e, NULL, NULL), 0);
    }
    assert_int_equal(pingo_workload_new(s.history, &s.workload, NULL), 0);
    for (int times = 0; times < 2; times++) {
        struct arrivals a = {.n = 0};
        s.options.arrive = times ? PINGO_SIMULATION_ARRIVE_TIMES : PINGO_SIMULATION_ARRIVE_IDLE;
        s.options.event = note_arrival;
        s.options.context = &a;
        assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
        assert_int_equal(a.n, 6);
        assert_memory_equal(a.at_ms, times ? at_times : when_idle, sizeof at_times);
        assert_int_equal(s.result.end_ms, times ? 3007 : 42);
        assert_int_equal(s.result.nusers, times);
    }
    story_close(&s);
}

/* ---- errors ------------------------------------------------------------------------------ */

static int stop(void *context, const struct pingo_simulation_event *event)
{
    (void)event;
    return --*(int *)context < 0;
}

static void test_run__whoever_watches_can_stop_it(void **state)
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

struct progress {
    uint64_t done[8], stop_at;
    size_t n;
};

static int note_progress(void *context, uint64_t done, uint64_t all)
{
    struct progress *p = context;
    assert_int_equal(all, 600);
    p->done[p->n++] = done;
    return done == p->stop_at;
}

static void test_run__tells_its_progress_to_who_can_stop_it(void **state)
{
    static const char *const none[] = {NULL};
    struct pingo_workload *workload = NULL;
    struct pingo_error err = {0};
    struct story s;
    (void)state;
    story_open(&s, none);
    for (int i = 0; i < 600; i++)
        story_submit(s.history, i == 0 ? "a/1/1*" : "a*");
    assert_int_equal(pingo_workload_new(s.history, &workload, NULL), 0);
    struct progress p = {.stop_at = 0};
    s.options.progress = note_progress;
    s.options.context = &p;
    assert_int_equal(pingo_workload_simulate(workload, &s.options, &s.result, NULL), 0);
    assert_int_equal(p.n, 3);
    assert_true(p.done[0] == 256 && p.done[1] == 512 && p.done[2] == 600);
    p = (struct progress){.stop_at = 512};
    assert_int_equal(pingo_workload_simulate(workload, &s.options, &s.result, &err),
                     PINGO_EINTERRUPTED);
    assert_string_equal(err.message, "the run was stopped by its caller");
    assert_int_equal(p.n, 2);
    pingo_workload_free(workload);
    story_close(&s);
}

static void test_run__refuses_bad_options(void **state)
{
    static const char *const lines[] = {"a/10/100*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    const struct {
        struct pingo_simulation_options options;
        const char *message;
    } bad[] = {
        {{.version = 3, .budget_bytes = -1}, "pingo_simulation_options"},
        {{.version = 1, .budget_bytes = 5}, "a budget needs an algorithm"},
        {{.version = 1, .budget_bytes = -2}, "the budget or its low watermark is out of range"},
        {{.version = 1, .budget_bytes = -1, .low_permille = 1001}, "low watermark is out of range"},
        {{.version = 1, .budget_bytes = -1, .noise = -0.5}, "the noise is from 0 to 10"},
        {{.version = 1, .budget_bytes = -1, .noise = 11}, "the noise is from 0 to 10"},
        {{.version = 1, .budget_bytes = -1, .noise = (double)NAN}, "the noise is from 0 to 10"},
        {{.version = 2, .budget_bytes = -1, .nweights = 7}, "7 weights, but weights is NULL"},
        {{.version = 1, .budget_bytes = -1, .decide = 2}, "decide or arrive is none of its enum"},
        {{.version = 2, .budget_bytes = -1, .arrive = 2}, "decide or arrive is none of its enum"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct pingo_error err = {0};
        assert_int_equal(pingo_workload_simulate(s.workload, &bad[i].options, &s.result, &err),
                         PINGO_EINVAL);
        if (!strstr(err.message, bad[i].message))
            fail_msg("\"%s\" is not in \"%s\"", bad[i].message, err.message);
    }
    s.result.size = 1; /* smaller than any that there was */
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), PINGO_EINVAL);
    story_close(&s);
}

static void test_run__what_passes_the_clock_is_refused(void **state)
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

static void test_run__an_empty_history_is_nothing(void **state)
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
        cmocka_unit_test(test_run__computes_what_is_new_and_reuses_the_rest),
        cmocka_unit_test(test_run__an_idle_slot_takes_the_next_submission_in),
        cmocka_unit_test(test_run__ends_at_once_where_all_is_there),
        cmocka_unit_test(test_run__submissions_arrive_at_their_times),
        cmocka_unit_test(test_run__whoever_watches_can_stop_it),
        cmocka_unit_test(test_run__tells_its_progress_to_who_can_stop_it),
        cmocka_unit_test(test_run__refuses_bad_options),
        cmocka_unit_test(test_run__what_passes_the_clock_is_refused),
        cmocka_unit_test(test_run__an_empty_history_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
