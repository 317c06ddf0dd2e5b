/* test_iter.c - users who change their pipelines: one stage and what is below, another user's as it is, or a new one. */
#include "unit/lab/generated.h"

static void assert_between(double x, double low, double high)
{
    if (x < low || x > high)
        fail_msg("%f is not between %f and %f", x, low, high);
}

/* Is `later` what a change makes of `earlier`?  Sizes and times of what is new within the factors. */
static bool is_change_of(const struct pingo_history *h, const struct pingo_history_submission *later,
                         const struct pingo_history_submission *earlier)
{
    bool same_so_far = true;
    if (later->nactions != earlier->nactions || strcmp(later->workflow, earlier->workflow) != 0)
        return false;
    for (size_t i = 0; i < later->nactions; i++) {
        uint32_t a = earlier->actions[i], b = later->actions[i];
        double size = (double)pingo_history_size(h, b) / (double)pingo_history_size(h, a);
        double time = (double)pingo_history_compute(h, b) / (double)pingo_history_compute(h, a);
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, b, &n);
        bool below = false;
        if (a == b)
            continue;
        for (size_t k = 0; k < n; k++)
            below = below || parents[k] >= later->nknown_before;
        if (b < later->nknown_before || size < 0.799 || size > 1.251 || time < 0.799 ||
            time > 1.251 || (!below && !same_so_far))
            return false; /* one stage alone changes by itself */
        same_so_far = false;
    }
    return true;
}

static void test_iter__changes_one_stage_and_what_is_below(void **state)
{
    (void)state;
    struct pingo_history *h = generated("iter-n", 4, NULL);
    uint32_t n = pingo_history_count_submissions(h), nfresh = 0, nsame = 0, nchanged = 0;
    assert_int_equal(n, 260);
    for (uint32_t i = 0; i < n; i++) {
        struct pingo_history_submission s = submission_of(h, i), earlier;
        uint32_t k = 0;
        bool found = false;
        assert_true(s.nactions >= 8 && s.nactions <= 14);
        for (; k < i && !found; k++) {
            earlier = submission_of(h, k);
            found = is_change_of(h, &s, &earlier);
        }
        nfresh += !found;
        nsame += found && s.nknown == s.nknown_before;
        nchanged += found && s.nknown > s.nknown_before;
        if (!found)
            assert_int_equal(s.nknown - s.nknown_before, s.nactions);
    }
    assert_between(nfresh, 2, 20);
    assert_between(nsame, 1, 20); /* adopted from another user */
    assert_true(nchanged > 220);
    pingo_history_free(h);
}

static void test_iter__shapes(void **state)
{
    (void)state;
    struct pingo_history *h = generated("iter-n", 4, "fresh=1,adopt=0,workflows=3000");
    uint32_t n = pingo_history_count_submissions(h), counts[15] = {0}, nones = 0, ntwos = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct pingo_history_submission s = submission_of(h, i);
        counts[s.nactions]++;
        assert_int_equal(s.nknown - s.nknown_before, s.nactions);
        for (size_t j = 0; j < s.nactions; j++) {
            size_t nparents;
            const uint32_t *parents = pingo_history_parents(h, s.actions[j], &nparents);
            assert_true(nparents == 0 ? j == 0 : nparents <= 2);
            for (size_t k = 0; k < nparents; k++)
                assert_true(parents[k] + 4 >= s.actions[j] && parents[k] < s.actions[j]);
            nones += j > 1 && nparents == 1;
            ntwos += j > 1 && nparents == 2;
        }
    }
    for (size_t stages = 8; stages <= 14; stages++)
        assert_between(counts[stages], 3000 / 7.0 - 90, 3000 / 7.0 + 90);
    assert_between(nones / (double)(nones + ntwos), 0.585, 0.615);
    pingo_history_free(h);
}

static bool is_equal(const struct pingo_history_submission *a,
                     const struct pingo_history_submission *b)
{
    return a->nactions == b->nactions &&
           memcmp(a->actions, b->actions, a->nactions * sizeof *a->actions) == 0;
}

/* Nobody adopts what is his own latest: he would change it. */
static void test_iter__adopts_the_latest_of_another_user(void **state)
{
    struct pingo_history *h =
        generated("iter-n", 4, "fresh=0.5,adopt=1,latest=1,users=3,workflows=400,change-alpha=1");
    struct pingo_history_submission latest[3] = {{.size = 0}};
    unsigned nadopted = 0;
    (void)state;
    for (uint32_t i = 0; i < 400; i++) {
        struct pingo_history_submission s = submission_of(h, i);
        uint32_t who = s.user_index, nothers = 0;
        for (uint32_t u = 0; u < 3; u++)
            nothers += u != who && latest[u].size && is_equal(&s, &latest[u]);
        if (s.nknown == s.nknown_before) {
            nadopted++;
            assert_true(nothers > 0);
        } else {
            assert_int_equal(nothers, 0);
        }
        latest[who] = s;
    }
    assert_in_range(nadopted, 150, 250);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iter__changes_one_stage_and_what_is_below),
        cmocka_unit_test(test_iter__shapes),
        cmocka_unit_test(test_iter__adopts_the_latest_of_another_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
