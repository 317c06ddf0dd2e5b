/* test_decide.c - what a decision lets go: when, how much, in which order, and what is missing. */
#include "unit/lab/story.h"

static void test_decide__decides_after_each_publish(void **state)
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

static void test_decide__decides_at_the_end_of_workflows(void **state)
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

static void test_decide__leaves_can_lie_outside(void **state)
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

static void test_decide__the_low_watermark_is_a_share_of_the_budget(void **state)
{
    static const char *const lines[] = {"a/1/50 b/1/40<a c/1/11*<b d/1/0*<c", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    s.options.low_permille = 1000;
    story_expect(&s, "[0 (a )a (b )b (c )c* -a (d )d* ]0"); /* 1 must go: the larger one */
    story_close(&s);
    static const char *const leaf[] = {"a/1/120*", NULL};
    static const struct {
        unsigned permille;
        const char *expected;
    } rows[] = {{1000, "?20"}, {0, "?25"}, {950, "?25"}, {333, "?87"}, {1, "?120"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "[0 (a )a* %s ]0", rows[i].expected);
        story_open(&s, leaf);
        story_budget(&s, "lru", 100);
        s.options.low_permille = rows[i].permille;
        story_expect(&s, expected);
        story_close(&s);
    }
}

static void test_decide__no_storage_needs_no_algorithm(void **state)
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

static int claims_to_be_stopped(void *state, const struct pingo_decision_request *request,
                                struct pingo_error *err)
{
    (void)state;
    (void)request;
    (void)err;
    return PINGO_EINTERRUPTED;
}

/* A plug-in that says so is at fault: neither memory nor whoever watches is. */
static void test_decide__an_algorithm_cannot_stop_it(void **state)
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

/* An algorithm that counts how often it is asked. */
static unsigned nasked;

static int count_and_choose(void *state, const struct pingo_decision_request *request,
                            struct pingo_error *err)
{
    nasked++;
    return pingo_decision_find("lru")->choose(state, request, err);
}

static int name_all(void *state, const struct pingo_decision_request *request,
                    struct pingo_error *err)
{
    (void)state;
    (void)err;
    for (size_t i = 0; i < request->ncandidates; i++) {
        struct pingo_decision_victim v = {.dataset = request->candidates[i], .score = (double)i};
        if (request->victim(request->context, &v) != 0)
            return PINGO_EINTERRUPTED;
    }
    return 0;
}

/* Of what an algorithm names no more goes than is needed, in its order. */
static void test_decide__takes_no_more_than_it_needs(void **state)
{
    static const char *const lines[] = {"a/1/20 b/1/20 c/1/20 d/1/20*<a,b,c", NULL};
    struct pingo_decision_algorithm algorithm = *pingo_decision_find("lru");
    struct story s;
    (void)state;
    algorithm.choose = name_all;
    story_open(&s, lines);
    s.options.algorithm = &algorithm;
    s.options.budget_bytes = 60; /* 57 may stay: 23 must go */
    story_expect(&s, "[0 (a )a (b )b (c )c (d )d* -a -b ]0");
    s.options.low_permille = 1000;
    story_expect(&s, "[0 (a )a (b )b (c )c (d )d* -a ]0");
    story_close(&s);
}

/* Where all must go, and nobody sees or remembers in which order, the algorithm is not asked; the outcome is the same. */
static void test_decide__asks_only_where_the_answer_matters(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/60 c/1/1*<a,b", "d/1/90*", NULL};
    struct pingo_decision_algorithm algorithm = *pingo_decision_find("lru");
    struct pingo_simulation_result told;
    struct story s;
    (void)state;
    algorithm.choose = count_and_choose;
    story_open(&s, lines);
    s.options.algorithm = &algorithm;
    s.options.budget_bytes = 1;
    nasked = 0;
    story_expect(&s, "[0 (a )a ?60 (b )b ?120 (c )c* -a -b ?1 ]0 [1 (d )d* ?91 ]1");
    assert_int_equal(nasked, 1);
    assert_int_equal(s.result.nshortfalls, 4);
    assert_int_equal(s.result.shortfall_bytes, 120); /* the most */
    told = s.result;
    s.options.event = NULL;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_int_equal(nasked, 1);
    assert_memory_equal(&s.result, &told, sizeof told);
    algorithm.remembers_evictions = true;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_int_equal(nasked, 2);
    assert_memory_equal(&s.result, &told, sizeof told);
    story_close(&s);
}

/* What holds no byte stays, unless all that may go is too little. */
static void test_decide__leaves_alone_what_holds_nothing(void **state)
{
    static const char *const lines[] = {"a/1/0 b/1/100*<a", "a c/1/50<a d/1/1*<c", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 50);
    story_expect(&s, "[0 (a )a (b )b* ?53 ]0 [1 =a (c )c ?103 (d )d* -c -a ?54 ]1");
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide__decides_after_each_publish),
        cmocka_unit_test(test_decide__decides_at_the_end_of_workflows),
        cmocka_unit_test(test_decide__leaves_can_lie_outside),
        cmocka_unit_test(test_decide__the_low_watermark_is_a_share_of_the_budget),
        cmocka_unit_test(test_decide__no_storage_needs_no_algorithm),
        cmocka_unit_test(test_decide__an_algorithm_cannot_stop_it),
        cmocka_unit_test(test_decide__takes_no_more_than_it_needs),
        cmocka_unit_test(test_decide__asks_only_where_the_answer_matters),
        cmocka_unit_test(test_decide__leaves_alone_what_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
