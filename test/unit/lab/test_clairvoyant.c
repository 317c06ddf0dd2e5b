/* test_clairvoyant.c - the policy that knows which submissions will demand a dataset. */
#include "story.h"

#include "lab/simulate/workload.h"

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

struct asked {
    uint32_t dataset;
    double score;
};

static bool is_asked(void *context, uint32_t dataset)
{
    return dataset == ((const struct asked *)context)->dataset;
}

static int note_score(void *context, const struct pingo_decision_victim *victim)
{
    ((struct asked *)context)->score = victim->score;
    return 0;
}

/* Which submission demands a dataset of one byte and one ms next, by its score when all is there. */
static uint32_t next_demand(struct pingo_decider *decider, uint32_t dataset, uint32_t observed)
{
    struct asked asked = {.dataset = dataset, .score = -1};
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = 1,
                                             .is_candidate = is_asked,
                                             .victim = note_score,
                                             .context = &asked};
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, NULL), 0);
    assert_true(asked.score >= 0);
    return asked.score > 0 ? observed + (uint32_t)(1 / asked.score + 0.5) - 1 : PINGO_HISTORY_NONE;
}

/* "NAME:SUBMISSION,SUBMISSION NAME:..." of all that is demanded, as the policy sees it from submission to submission. */
static void demands(const struct pingo_history *h, char *text)
{
    static uint8_t flags[STORY_WORDS];
    struct pingo_history *seen;
    struct pingo_workload *workload;
    struct pingo_decider *decider;
    char of[STORY_WORDS][64] = {""};
    uint32_t last[STORY_WORDS], n = pingo_history_count_actions(h);
    memset(last, 0xff, sizeof last);
    assert_int_equal(pingo_history_new(&seen, NULL), 0);
    assert_int_equal(pingo_workload_new(h, &workload, NULL), 0);
    assert_int_equal(pingo_decider_new(pingo_clairvoyant(), NULL, seen, &decider, NULL), 0);
    assert_int_equal(pingo__lab_clairvoyant_foresee(decider, workload, NULL), 0);
    for (uint32_t i = 1; i <= pingo_history_count_submissions(h); i++) {
        assert_int_equal(pingo_history_follow(seen, h, flags, NULL), 0);
        for (uint32_t v = 0; v < pingo_history_count_actions(seen); v++) {
            pingo_history_set_size(seen, v, 1);
            pingo_history_set_compute(seen, v, 1);
            assert_int_equal(pingo_decider_present(decider, v, NULL), 0);
        }
        for (uint32_t v = 0; v < pingo_history_count_actions(seen); v++) {
            uint32_t at = next_demand(decider, v, i);
            if (at != PINGO_HISTORY_NONE && at != last[v])
                sprintf(of[v] + strlen(of[v]), "%s%u", last[v] == UINT32_MAX ? "" : ",", at);
            last[v] = at != PINGO_HISTORY_NONE ? at : last[v];
        }
    }
    *text = '\0';
    for (uint32_t v = 0; v < n; v++)
        if (*of[v])
            text += sprintf(text, "%s:%s ", (const char *)pingo_history_hash(h, v)->bytes, of[v]);
    pingo_decider_free(decider);
    pingo_workload_free(workload);
    pingo_history_free(seen);
}

static const struct {
    const char *what, *lines[11], *expected;
} rows[] = {
    {"nothing", {NULL}, ""},
    {"nothing new, no demand", {"a/1/1 b/1/1*<a", "a b<a"}, ""},
    {"a child never seen before", {"a/1/1 b/1/1*<a", "a c/1/1*<a", "a d/1/1*<a e/1/1*<a"}, "a:1,2 "},
    {"made in the same submission", {"a/1/1 b/1/1*<a", "c/1/1 d/1/1*<c"}, ""},
    {"through a new one", {"a/1/1 b/1/1*<a", "a c/1/1<a d/1/1*<c", "a c<a e/1/1*<c"}, "a:1 c:2 "},
    {"asked for itself", {"a/1/1 b/1/1*<a", "a*"}, "a:1 "},
    {"a leaf stays, whoever asks again", {"a/1/1*", "a*", "a*"}, ""},
    {"a forced child", {"a/1/1 b/1/1<a c/1/1*<b", "a b!<a c*<b", "a b<a c*<b"}, "a:1 "},
    {"forced, children first", {"a/1/1 b/1/1<a c/1/1<b d/1/1*<c", "d c b! a"}, "a:1 "},
    {"below what is forced", {"a/1/1 b/1/1 c/1/1<a,b d/1/1*<c", "a b! c d"}, "a:1 "},
    {"now and then",
     {"z/1/1* a/1/1 b/1/1*<a", "a c/1/1*<a", "z", "z", "a d/1/1*<a", "z", "z", "a e/1/1*<a", "z",
      "z"},
     "a:1,4,7 "},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clairvoyant__keeps_what_is_needed_sooner),
        cmocka_unit_test(test_clairvoyant__sees_nothing_outside_the_simulator),
        cmocka_unit_test(test_clairvoyant__knows_who_demands_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
