/* test_bound.c - the bound on histories small enough for a pencil, and its options. */
#include "story.h"

#include <pthread.h>

#include <pingo-lab/generate.h>

#include "unit/lab/solver.h"

static struct pingo_bound_result solve(const struct pingo_history *h,
                                       const struct pingo_bound_options *options)
{
    struct pingo_bound_result result = {.size = sizeof result};
    struct pingo_error err = {0};
    if (pingo_simulate_bound(h, options, &result, &err) != 0)
        fail_msg("%s", err.message);
    assert_true(result.bound_ms >= result.ideal_ms);
    return result;
}

static int64_t bound_of(const struct story *s, int64_t budget, bool outside)
{
    struct pingo_bound_options options = {
        .version = 1, .budget_bytes = budget, .leaves_outside = outside};
    return solve(s->history, &options).bound_ms;
}

/* Opens, and checks the ideal. */
static void open_with(struct story *s, const char *const *lines, int64_t ideal)
{
    story_open(s, lines);
    assert_int_equal(bound_of(s, -1, true), ideal);
    assert_int_equal(bound_of(s, -1, false), ideal);
}

static void test_bound__says_what_too_large_a_dataset_costs(void **state)
{
    static const char *const lines[] = {"a/10/100 b/1/1*<a", "a c/1/1*<a", NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 12);
    assert_int_equal(bound_of(&s, 100, true), 12);
    assert_int_equal(bound_of(&s, 99, true), 22); /* not 12 and a tenth: all or nothing */
    assert_int_equal(bound_of(&s, 0, true), 22);
    story_close(&s);
}

static void test_bound__shares_the_room(void **state)
{
    static const char *const lines[] = {"a/10/60 b/6/60 c/1/1*<a,b", "a b d/1/1*<a,b", NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 18);
    assert_int_equal(bound_of(&s, 120, true), 18);
    /* All of a and a third of b are kept: 4 for the rest of b.  All or nothing would be 6. */
    assert_int_equal(bound_of(&s, 80, true), 18 + 4);
    assert_int_equal(bound_of(&s, 79, true), 18 + 5); /* 4.1 */
    story_close(&s);
}

static void test_bound__counts_what_leads_to_a_dataset(void **state)
{
    static const char *const lines[] = {"a/10/50 b/20/60<a c/1/1*<b", "a b d/1/1*<b", NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 32);
    assert_int_equal(bound_of(&s, 60, true), 32);
    assert_int_equal(bound_of(&s, 59, true), 52); /* a is kept for b */
    assert_int_equal(bound_of(&s, 49, true), 62);
    story_close(&s);
}

/* Without a, b saves 20 and e 25; but without b, a is needed too. */
static void test_bound__counts_what_is_perhaps_needed(void **state)
{
    static const char *const lines[] = {"a/10/50 b/20/60<a e/25/60 c/1/1*<b,e", "a b e d/1/1*<b,e",
                                        NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 57);
    assert_int_equal(bound_of(&s, 120, true), 57);
    assert_int_equal(bound_of(&s, 60, true), 57 + 25);
    story_close(&s);
}

static void test_bound__gives_leaves_their_room(void **state)
{
    static const char *const lines[] = {"a/10/10 b/5/100*<a", "a c/5/10*<a", NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 20);
    assert_int_equal(bound_of(&s, 10, true), 20);
    assert_int_equal(bound_of(&s, 110, false), 20);
    assert_int_equal(bound_of(&s, 109, false), 30);
    assert_int_equal(bound_of(&s, 50, false), 30); /* leaves alone are too many */
    story_close(&s);
}

static void test_bound__keeps_what_was_asked_for(void **state)
{
    static const char *const asked[] = {"a/10/10 b/7/100*<a", "a b*", "a b c/1/1*<b", NULL};
    static const char *const unasked[] = {"a/10/10 b/7/100<a c/1/1*<b", "a b*", "a b d/1/1*<b",
                                          NULL};
    struct story s;
    (void)state;
    open_with(&s, asked, 18);
    assert_int_equal(bound_of(&s, 0, true), 18);
    assert_int_equal(bound_of(&s, 0, false), 18);
    story_close(&s);
    open_with(&s, unasked, 19);
    assert_int_equal(bound_of(&s, 0, true), 19 + 17); /* once, then it is a leaf */
    story_close(&s);
}

static void test_bound__takes_forced_repeats_for_needed(void **state)
{
    static const char *const lines[] = {"a/10/10 b/5/10<a c/1/1*<b", "a b! c*<b", NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 22);
    assert_int_equal(bound_of(&s, 10, true), 22);
    assert_int_equal(bound_of(&s, 9, true), 32);
    story_close(&s);
}

static void test_bound__asks_for_what_has_no_child_where_nothing_else_is(void **state)
{
    static const char *const lines[] = {"a/10/10 b/5/10<a", "a b c/1/1<b", NULL};
    struct story s;
    (void)state;
    open_with(&s, lines, 16);
    assert_int_equal(bound_of(&s, 0, true), 16);
    story_close(&s);
}

static void test_bound__of_nothing_is_nothing(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const unknown[] = {"a/-1/-1 b/-1/-1*<a", "a c/-1/-1*<a", NULL};
    struct story s;
    (void)state;
    open_with(&s, none, 0);
    assert_int_equal(bound_of(&s, 0, false), 0);
    story_close(&s);
    open_with(&s, unknown, 0);
    assert_int_equal(bound_of(&s, 0, false), 0);
    story_close(&s);
}

/* No double holds these numbers. */
static void test_bound__is_not_led_astray_by_large_numbers(void **state)
{
    static const char *const lines[] = {"a/1152921504606846977/1152921504606846977 "
                                        "b/1152921504606846979/1152921504606846979 c/1/1*<a,b",
                                        "a b d/1/1*<a,b", NULL};
    static const char *const too_long[] = {"a/9223372036854775807/1*", "b/1/1*", NULL};
    struct pingo_bound_options options = {.version = 1};
    struct pingo_bound_result result = {.size = sizeof result};
    const int64_t a = INT64_C(1152921504606846977), b = a + 2;
    struct story s;
    (void)state;
    story_open(&s, lines);
    assert_int_equal(bound_of(&s, a + b, true), a + b + 2);
    int64_t one = bound_of(&s, b, true);
    assert_true(one <= a + b + a + 2);
    assert_true(one >= a + b + a - (a >> 30));
    assert_int_equal(bound_of(&s, a - 1, true), a + b + 2 + a + b);
    story_close(&s);
    assert_int_equal(pingo_history_new(&s.history, NULL), 0);
    story_submit(s.history, too_long[0]);
    story_submit(s.history, too_long[1]);
    assert_int_equal(pingo_simulate_bound(s.history, &options, &result, NULL), PINGO_ELIMIT);
    pingo_history_free(s.history);
}

/* ---- options --------------------------------------------------------------------------------- */

static void test_bound__refuses_wrong_options(void **state)
{
    struct pingo_bound_options options = {.version = 2};
    struct pingo_bound_result result = {.size = sizeof result};
    struct pingo_history *h = NULL;
    (void)state;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    assert_int_equal(pingo_simulate_bound(h, &options, &result, NULL), PINGO_EINVAL);
    options.version = 1;
    options.budget_bytes = -2;
    assert_int_equal(pingo_simulate_bound(h, &options, &result, NULL), PINGO_EINVAL);
    pingo_history_free(h);
}

/* A history of some 500 actions, and 3 % of what they make. */
static struct pingo_history *generate(struct pingo_bound_options *options)
{
    struct pingo_generate_options how = {
        .version = 1, .family = "uniform-n", .parameters = "actions=500", .seed = 7};
    struct pingo_history *h = NULL;
    struct pingo_workload *workload = NULL;
    struct pingo_workload_facts facts = {.size = sizeof facts};
    assert_int_equal(pingo_generate(&how, &h, NULL), 0);
    assert_int_equal(pingo_workload_new(h, &workload, NULL), 0);
    pingo_workload_look(workload, &facts);
    pingo_workload_free(workload);
    *options = (struct pingo_bound_options){
        .version = 1, .budget_bytes = facts.bytes / 100 * 3, .leaves_outside = true};
    return h;
}

static void test_bound__of_a_solver_that_gives_up_is_a_lower_one(void **state)
{
    static const uint64_t limits[] = {1, 10, 50, 150};
    struct pingo_bound_options options;
    struct pingo_history *h = generate(&options);
    struct pingo_bound_result whole = solve(h, &options);
    (void)state;
    assert_true(whole.is_solved);
    assert_true(whole.bound_ms > whole.ideal_ms);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        options.max_iterations = limits[i];
        struct pingo_bound_result part = solve(h, &options);
        assert_false(part.is_solved);
        assert_int_equal(part.ideal_ms, whole.ideal_ms);
        assert_true(part.bound_ms <= whole.bound_ms);
    }
    pingo_history_free(h);
}

static int stop(void *context, uint64_t done, uint64_t all)
{
    (void)done;
    (void)all;
    ++*(int *)context;
    return 1;
}

static void test_bound__can_be_stopped(void **state)
{
    struct pingo_bound_options options;
    struct pingo_history *h = generate(&options);
    struct pingo_bound_result result = {.size = sizeof result};
    int calls = 0;
    (void)state;
    (void)solve(h, &options);
    options.progress = stop;
    options.context = &calls;
    assert_int_equal(pingo_simulate_bound(h, &options, &result, NULL), PINGO_EINTERRUPTED);
    assert_int_equal(calls, 1);
    pingo_history_free(h);
}

struct job {
    const struct pingo_history *history;
    struct pingo_bound_options options;
    struct pingo_bound_result result;
    int rc;
};

static void *work(void *context)
{
    struct job *job = context;
    job->rc = pingo_simulate_bound(job->history, &job->options, &job->result, NULL);
    return NULL;
}

static void test_bound__is_the_same_in_each_of_several_threads(void **state)
{
    enum { THREADS = 4 };
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    struct pingo_bound_options options;
    struct pingo_history *h = generate(&options);
    struct pingo_bound_result alone = solve(h, &options);
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        jobs[i] =
            (struct job){.history = h, .options = options, .result.size = sizeof jobs[i].result};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(jobs[i].rc, 0);
        assert_int_equal(jobs[i].result.bound_ms, alone.bound_ms);
    }
    pingo_history_free(h);
}

static void test_bound__says_what_to_install_without_a_solver(void **state)
{
    static const char *const lines[] = {"a/10/60 b/6/60 c/1/1*<a,b", "a b d/1/1*<a,b", NULL};
    struct pingo_bound_options options = {.version = 1, .budget_bytes = 80, .leaves_outside = true};
    struct pingo_bound_result result = {.size = sizeof result};
    struct pingo_error err = {0};
    struct story s;
    (void)state;
    story_open(&s, lines);
    assert_int_equal(pingo_simulate_bound(s.history, &options, &result, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "coinor-libclp"));
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound__says_what_too_large_a_dataset_costs),
        cmocka_unit_test(test_bound__shares_the_room),
        cmocka_unit_test(test_bound__counts_what_leads_to_a_dataset),
        cmocka_unit_test(test_bound__counts_what_is_perhaps_needed),
        cmocka_unit_test(test_bound__gives_leaves_their_room),
        cmocka_unit_test(test_bound__keeps_what_was_asked_for),
        cmocka_unit_test(test_bound__takes_forced_repeats_for_needed),
        cmocka_unit_test(test_bound__asks_for_what_has_no_child_where_nothing_else_is),
        cmocka_unit_test(test_bound__of_nothing_is_nothing),
        cmocka_unit_test(test_bound__is_not_led_astray_by_large_numbers),
        cmocka_unit_test(test_bound__of_a_solver_that_gives_up_is_a_lower_one),
        cmocka_unit_test(test_bound__can_be_stopped),
        cmocka_unit_test(test_bound__is_the_same_in_each_of_several_threads),
        cmocka_unit_test(test_bound__refuses_wrong_options),
    };
    const struct CMUnitTest tests_without_solver[] = {
        cmocka_unit_test(test_bound__says_what_to_install_without_a_solver),
        cmocka_unit_test(test_bound__refuses_wrong_options),
    };
    return has_solver() ? cmocka_run_group_tests(tests, NULL, NULL)
                        : cmocka_run_group_tests(tests_without_solver, NULL, NULL);
}
