/* test_seen.c - the history that grows under a run: what came, with what became of it, and nothing that was not measured. */
#include "unit/lab/story.h"

#include "lab/simulate/seen.h"

static struct pingo_history_submission submission_of(const struct pingo_history *h, uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};
    assert_int_equal(pingo_history_submission(h, i, &s), 0);
    return s;
}

static void test_seen__is_the_part_that_came(void **state)
{
    static const struct pingo_plan_entry first[] = {{.decision = PINGO_PLAN_COMPUTE},
                                                    {.decision = PINGO_PLAN_JOIN}},
                                         second[] = {{.decision = PINGO_PLAN_REUSE},
                                                     {.decision = PINGO_PLAN_SKIP},
                                                     {.decision = PINGO_PLAN_COMPUTE}};
    struct pingo_history *whole;
    struct pingo__lab_seen seen;
    struct pingo_history_submission s;
    (void)state;
    assert_int_equal(pingo_history_new(&whole, NULL), 0);
    story_submit(whole, "a/10/100 b/20/50*<a");
    story_submit(whole, "a! b c/1/1*<a");
    /* What became of it when it was recorded does not count. */
    static const uint8_t recorded[] = {PINGO_HISTORY_REUSED,
                                       PINGO_HISTORY_LEAF | PINGO_HISTORY_SKIPPED};
    struct pingo_history_again again = {.at_ms = 9, .user = "v", .flags = recorded};
    assert_int_equal(pingo_history_append_again(whole, &again, NULL), 0);
    story_submit(whole, "d/1/1*");
    assert_int_equal(pingo__lab_seen_init(&seen, whole, NULL), 0);
    assert_int_equal(pingo_history_count_submissions(seen.history), 0);
    assert_int_equal(pingo__lab_seen_submit(&seen, first, NULL), 0);
    assert_int_equal(pingo_history_count_actions(seen.history), 2);
    assert_int_equal(pingo__lab_seen_submit(&seen, second, NULL), 0);
    assert_int_equal(pingo__lab_seen_submit(&seen, first, NULL), 0);
    assert_int_equal(pingo_history_count_submissions(seen.history), 3);
    assert_int_equal(pingo_history_count_actions(seen.history), 3);

    s = submission_of(seen.history, 0);
    assert_int_equal(s.flags[0], PINGO_HISTORY_COMPUTED);
    assert_int_equal(s.flags[1], PINGO_HISTORY_JOINED | PINGO_HISTORY_LEAF);
    s = submission_of(seen.history, 1);
    assert_int_equal(s.flags[0], PINGO_HISTORY_REUSED | PINGO_HISTORY_FORCED);
    assert_int_equal(s.flags[1], PINGO_HISTORY_SKIPPED);
    assert_int_equal(s.flags[2], PINGO_HISTORY_COMPUTED | PINGO_HISTORY_LEAF);
    assert_string_equal(s.user, "u");
    s = submission_of(seen.history, 2);
    assert_int_equal(s.flags[0], PINGO_HISTORY_COMPUTED);
    assert_int_equal(s.flags[1], PINGO_HISTORY_JOINED | PINGO_HISTORY_LEAF);
    assert_string_equal(s.user, "v");
    for (uint32_t i = 0; i < 3; i++) { /* its indexes are those of the whole */
        size_t n, nwhole;
        const uint32_t *parents = pingo_history_parents(seen.history, i, &n);
        const uint32_t *others = pingo_history_parents(whole, i, &nwhole);
        assert_memory_equal(pingo_history_hash(seen.history, i), pingo_history_hash(whole, i),
                            PINGO_HASH_SIZE);
        assert_int_equal(n, nwhole);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(parents[k], others[k]);
        assert_int_equal(pingo_history_size(seen.history, i), -1);
        assert_int_equal(pingo_history_compute(seen.history, i), -1);
    }
    pingo__lab_seen_clear(&seen);
    pingo__lab_seen_clear(&seen);
    pingo_history_free(whole);
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

static void test_seen__knows_no_size_or_time_before_it_was_measured(void **state)
{
    static const char *const lines[] = {"a/10/100 b/20/50*<a", "c/5/7*", NULL};
    struct pingo_decision_algorithm algorithm = *pingo_decision_find("lru");
    struct story s;
    (void)state;
    algorithm.open = open_teller;
    algorithm.present = tell_present;
    story_open(&s, lines);
    s.options.algorithm = &algorithm;
    s.options.budget_bytes = 1000;
    assert_int_equal(pingo_workload_simulate(s.workload, &s.options, &s.result, NULL), 0);
    assert_string_equal(told.text, "a:10/100 b:-1/-1, a:10/100 b:20/50, a:10/100 b:20/50 c:5/7");
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen__is_the_part_that_came),
        cmocka_unit_test(test_seen__knows_no_size_or_time_before_it_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
