/* Which submissions demand a dataset, and the policy that knows. */
#include "story.h"

#include "lab/simulate/future.h"

static const char *name_of(const struct pingo_history *h, uint32_t action)
{
    return (const char *)pingo_history_hash(h, action)->bytes;
}

/* "NAME:SUBMISSION,SUBMISSION NAME:..." of all that is demanded. */
static void demands(const struct pingo_history *h, char *text)
{
    struct pingo__lab_future f;
    assert_int_equal(pingo__lab_future_init(&f, h, NULL), 0);
    *text = '\0';
    for (uint32_t v = 0; v < pingo_history_count_actions(h); v++) {
        uint32_t at = pingo__lab_future_next(&f, v, 0);
        if (at == PINGO_HISTORY_NONE)
            continue;
        text += sprintf(text, "%s:", name_of(h, v));
        for (; at != PINGO_HISTORY_NONE; at = pingo__lab_future_next(&f, v, at + 1))
            text += sprintf(text, "%u,", at);
        text[-1] = ' ';
    }
    pingo__lab_future_clear(&f);
}

static const struct {
    const char *what, *lines[5], *expected;
} rows[] = {
    {"nothing new, no demand", {"a/1/1 b/1/1*<a", "a b<a"}, ""},
    {"a child never seen before", {"a/1/1 b/1/1*<a", "a c/1/1*<a", "a d/1/1*<a e/1/1*<a"}, "a:1,2 "},
    {"made in the same submission", {"a/1/1 b/1/1*<a", "c/1/1 d/1/1*<c"}, ""},
    {"through a new one", {"a/1/1 b/1/1*<a", "a c/1/1<a d/1/1*<c", "a c<a e/1/1*<c"}, "a:1 c:2 "},
    {"asked for itself", {"a/1/1 b/1/1*<a", "a*"}, "a:1 "},
    {"a forced child", {"a/1/1 b/1/1<a c/1/1*<b", "a b!<a c*<b", "a b<a c*<b"}, "a:1 b:1 c:1,2 "},
};

static void test_clairvoyant__knows_who_demands_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_history *h;
        char text[256];
        assert_int_equal(pingo_history_new(&h, NULL), 0);
        for (size_t k = 0; rows[i].lines[k] != NULL; k++)
            story_submit(h, rows[i].lines[k]);
        demands(h, text);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("%s: %s, not %s", rows[i].what, text, rows[i].expected);
        pingo_history_free(h);
    }
}

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
        cmocka_unit_test(test_clairvoyant__knows_who_demands_what),
        cmocka_unit_test(test_clairvoyant__keeps_what_is_needed_sooner),
        cmocka_unit_test(test_clairvoyant__sees_nothing_outside_the_simulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
