/* test_clairvoyant.c - the policy that knows which submissions will demand a dataset. */
#include "story.h"

static void test_clairvoyant__keeps_what_is_needed_sooner(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/1*<a", "c/10/60 d/1/1*<c", "a e/1/1*<a",
                                        "c f/1/1*<c", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "chain", 100);
    s.options.algorithm = pingo_clairvoyant();
    s.options.leaves_outside = true;
    /* c and a lie there when d is made: a is needed by the next one, c by the one after it. */
    story_expect(&s, "[0 (a )a (b )b* ]0 [1 (c )c -a (d )d* ]1 [2 (a )a -c (e )e* ]2"
                     " [3 (c )c -a (f )f* ]3");
    s.options.decide = PINGO_SIMULATION_DECIDE_WORKFLOW_END;
    story_expect(&s, "[0 (a )a (b )b* ]0 [1 (c )c (d )d* ]1 -c [2 =a (e )e* ]2"
                     " [3 (c )c (f )f* ]3 -a");
    story_close(&s);
}

static int no_victim(void *context, const struct pingo_decision_victim *victim)
{
    (void)context;
    (void)victim;
    return 0;
}

static void test_clairvoyant__sees_nothing_outside_the_simulator(void **state)
{
    static const char *const lines[] = {"a/10/60 b/1/1*<a", NULL};
    struct pingo_decision_request request = {.version = 1, .free_bytes = 1, .victim = no_victim};
    struct pingo_decider *decider;
    struct story s;
    (void)state;
    story_open(&s, lines);
    assert_int_equal(pingo_decider_new(pingo_clairvoyant(), NULL, s.history, &decider, NULL), 0);
    assert_int_equal(pingo_decider_present(decider, 0, NULL), 0);
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, NULL), PINGO_EUNSUPPORTED);
    pingo_decider_free(decider);
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clairvoyant__keeps_what_is_needed_sooner),
        cmocka_unit_test(test_clairvoyant__sees_nothing_outside_the_simulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
