/* test_arrive.c - a submission arrives: what of it is reused, joined or computed, what becomes a leaf, and what runs
 * first. */
#include "unit/lab/story.h"

static void test_arrive__what_is_asked_for_again_becomes_a_leaf(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/1*<a", "a*", "d/1/100*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    story_expect(&s, "[0 (a )a (b )b* ]0 [1 =a ]1 [2 (d )d* ?66 ]2");
    story_close(&s);
}

static void test_arrive__what_stands_twice_is_one(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/5<a b c/2/1*<b a*", "c b! a b d/1/1*<b,a",
                                        NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 ~b ~a (a )a* (b )b (c )c* ]0 [1 =a ~b (b )b (d )d* ]1");
    story_close(&s);
}

static void test_arrive__forced_actions_make_generations_of_their_own(void **state)
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

static void test_arrive__equal_actions_of_a_workflow_compute_once(void **state)
{
    static const char *const lines[] = {"a/10/60 a b/1/5*<a b*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_expect(&s, "[0 ~a ~b (a )a (b )b* ]0");
    assert_int_equal(s.result.njoined, 2);
    story_close(&s);
}

/* One is forced while an equal one runs; who comes later joins the one that began first. */
static void test_arrive__joins_what_another_submission_computes(void **state)
{
    static const char *const lines[] = {"a/10/60*", "a! b/1/1*<a", "a c/1/1*<a", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.slots = 2;
    story_expect(&s, "[0 (a [1 (a )a* ]0 )a* (b [2 =a (c )b* ]1 )c* ]2");
    assert_int_equal(s.result.ncomputed, 4);
    assert_int_equal(s.result.nreused, 1);
    s.options.slots = 3;
    story_expect(&s, "[0 (a [1 (a [2 ~a )a* ]0 )a* (b (c )b* ]1 )c* ]2");
    assert_int_equal(s.result.njoined, 1);
    story_close(&s);
}

/* Whoever joins what he asks for makes it a leaf. */
static void test_arrive__makes_a_leaf_of_what_it_joins(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/1*<a", "a*", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.slots = 2;
    story_expect(&s, "[0 (a [1 ~a )a* ]1 (b )b* ]0");
    story_close(&s);
}

struct plans {
    uint32_t computed[4], reused[4], joined[4], skipped[4];
};

static int note_plan(void *context, const struct pingo_simulation_event *e)
{
    struct plans *p = context;
    if (e->kind != PINGO_SIMULATION_SUBMIT)
        return 0;
    assert_int_equal(e->action, PINGO_HISTORY_NONE);
    p->computed[e->submission] = e->ncomputed;
    p->reused[e->submission] = e->nreused;
    p->joined[e->submission] = e->njoined;
    p->skipped[e->submission] = e->nskipped;
    return 0;
}

static void test_arrive__counts_what_is_planned(void **state)
{
    static const char *const lines[] = {"a/10/60 b/20/5<a c/1/1*<b", "a b c b d/1/1*<b", "x/1/1* x",
                                        NULL};
    struct plans p = {.computed = {0}};
    struct story s;
    (void)state;
    story_open(&s, lines);
    s.options.event = note_plan;
    s.options.context = &p;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_int_equal(p.computed[0], 3);
    /* d alone; b is there, once and again; a and c are not needed. */
    assert_int_equal(p.computed[1], 1);
    assert_int_equal(p.reused[1], 2);
    assert_int_equal(p.skipped[1], 2);
    assert_int_equal(p.computed[2] + p.joined[2], 2);
    assert_int_equal(s.result.ncomputed, p.computed[0] + p.computed[1] + p.computed[2]);
    /* What is reused twice is told of once. */
    story_expect(&s, "[0 (a )a (b )b (c )c* ]0 [1 =b (d )d* ]1 [2 ~x (x )x* ]2");
    story_close(&s);
}

static void test_arrive__the_longest_path_runs_first_once_times_are_known(void **state)
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

/* What an algorithm knows of a dataset as soon as it is there, and of those that are not. */
struct told {
    const struct pingo_history *history;
    char text[256];
};
static struct told told;

static int open_teller(const struct pingo_history *history, const double *values, void **state,
                       struct pingo_error *err)
{
    told = (struct told){.history = history};
    return pingo_decision_find("lru")->open(history, values, state, err);
}

static int tell_present(void *state, uint32_t dataset, struct pingo_error *err)
{
    size_t n = strlen(told.text);
    for (uint32_t i = 0; i < pingo_history_count_actions(told.history); i++)
        n += (size_t)snprintf(told.text + n, sizeof told.text - n, "%s%s:%lld/%lld",
                              i   ? " "
                              : n ? ", "
                                  : "",
                              (const char *)pingo_history_hash(told.history, i)->bytes,
                              (long long)pingo_history_compute(told.history, i),
                              (long long)pingo_history_size(told.history, i));
    return pingo_decision_find("lru")->present(state, dataset, err);
}

static void run_told(const char *const *lines,
                     int (*present)(void *state, uint32_t dataset, struct pingo_error *err))
{
    struct pingo_decision_algorithm algorithm = *pingo_decision_find("lru");
    struct story s;
    algorithm.open = open_teller;
    algorithm.present = present;
    story_open(&s, lines);
    s.options.algorithm = &algorithm;
    s.options.budget_bytes = 1000;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    story_close(&s);
}

static void test_arrive__tells_no_size_or_time_before_it_was_measured(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50*<a", "c/5/7*", NULL};
    (void)state;
    run_told(lines, tell_present);
    assert_string_equal(told.text, "a:10/100 b:-1/-1, a:10/100 b:20/50, a:10/100 b:20/50 c:5/7");
}

/* Of each submission so far what became of its actions. */
static int tell_flags(void *state, uint32_t dataset, struct pingo_error *err)
{
    struct pingo_history_submission s = {.size = sizeof s};
    char *text = told.text;
    for (uint32_t i = 0; pingo_history_submission(told.history, i, &s) == 0; i++) {
        for (size_t k = 0; k < s.nactions; k++)
            text += sprintf(text, "%c%s%s", "?-=~("[s.flags[k] & 7],
                            s.flags[k] & PINGO_HISTORY_LEAF ? "*" : "",
                            s.flags[k] & PINGO_HISTORY_FORCED ? "!" : "");
        text += sprintf(text, " ");
    }
    return pingo_decision_find("lru")->present(state, dataset, err);
}

/* And not what became of it when it was recorded. */
static void test_arrive__tells_what_becomes_of_each_action(void **state)
{
    static const char *const lines[] = {"a/10/100= b/20/50*=<a a", "a!= b c/1/1*<a", "a d/1/1*=<a",
                                        NULL};
    (void)state;
    run_told(lines, tell_flags);
    assert_string_equal(told.text, "((*~ (!-(* =(* ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrive__what_is_asked_for_again_becomes_a_leaf),
        cmocka_unit_test(test_arrive__what_stands_twice_is_one),
        cmocka_unit_test(test_arrive__forced_actions_make_generations_of_their_own),
        cmocka_unit_test(test_arrive__equal_actions_of_a_workflow_compute_once),
        cmocka_unit_test(test_arrive__joins_what_another_submission_computes),
        cmocka_unit_test(test_arrive__makes_a_leaf_of_what_it_joins),
        cmocka_unit_test(test_arrive__counts_what_is_planned),
        cmocka_unit_test(test_arrive__tells_no_size_or_time_before_it_was_measured),
        cmocka_unit_test(test_arrive__tells_what_becomes_of_each_action),
        cmocka_unit_test(test_arrive__the_longest_path_runs_first_once_times_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
